"""The shapes of requests and responses, as the OpenAPI description publishes them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class Problem(BaseModel):
    """Problem details (RFC 9457), the answer of native routes to what went wrong."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None


class OpenAIErrorBody(BaseModel):
    """What OpenAI's clients read of an error."""

    model_config = ConfigDict(extra="allow")

    message: str
    type: str | None = None
    param: str | None = None
    code: str | int | None = None


class OpenAIError(BaseModel):
    """The answer of routes under `/v1` to what went wrong."""

    error: OpenAIErrorBody


class Health(BaseModel):
    """The process runs."""

    status: Literal["ok"]
    version: str


class Readiness(BaseModel):
    """Whether requests can be served, part by part."""

    status: Literal["ready", "not ready"]
    checks: dict[str, str]


class Welcome(BaseModel):
    """What answers at the root."""

    name: Literal["souvenir"]
    version: str
    links: dict[str, str]


class WhoAmI(BaseModel):
    """The caller as Souvenir sees it."""

    user_id: str | None
    auth: Literal["none", "jwt", "keys"]
    org_id: str | None
    project_id: str | None
    writes_to: str | None = Field(description="The space that what this caller says is kept in; null: nothing is kept.")
    reads: list[str] = Field(description="The spaces that are searched for this caller.")


ChatId = Annotated[UUID, Query(description="The chat's id.")]


class ChatListRequest(BaseModel):
    """Which page of the caller's chats."""

    cursor: str | None = Field(None, description="`next_cursor` of the page before.")
    limit: StrictInt | None = Field(None, description="Most chats; 20 if not given, above 50 is 50.")


class ChatSummary(BaseModel):
    """A chat as lists show it."""

    id: str
    title: str = Field(description="The beginning of the first user message, or what it was renamed to.")
    last_message: str = Field(description="The beginning of the newest message, at most 1,000 characters.")
    updated_at: datetime


class ChatList(BaseModel):
    """A page of chats; `next_cursor` is null on the last one."""

    conversations: list[ChatSummary]
    next_cursor: str | None


class ChatMessageEntry(BaseModel):
    """A stored message."""

    message_id: str
    chat_id: str
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    created_at: datetime
    status: Literal["streaming", "complete", "error"]
    tool_calls: list[dict[str, Any]]
    partial_tool_calls: list[dict[str, Any]]
    error: str | None
    memories: list[dict[str, Any]] = Field(description="The memories an assistant's answer used.")


class MessageList(BaseModel):
    """A page of messages, newest first; `next_cursor` is null on the last one."""

    messages: list[ChatMessageEntry]
    next_cursor: str | None


class RenameRequest(BaseModel):
    """A chat's new title."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=1000, strip_whitespace=True)]


class ContentPart(BaseModel):
    """A piece of a message: text, a picture, a sound or a file. Fields beyond these are passed on."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str | None = None


class ChatMessage(BaseModel):
    """One message of a chat request. Fields beyond these are passed on."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    """How to stream."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """A request to `/v1/chat/completions`. Fields beyond these are passed on to the model's host untouched."""

    model_config = ConfigDict(extra="allow")

    model: Name
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: str | list[str] | None = None


class ChatCompletion(BaseModel):
    """A whole answer, as the model's host gave it."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: str
    created: int
    model: str
    choices: list[dict[str, Any]]


class ModelEntry(BaseModel):
    """One model that can be asked for."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str


class ModelList(BaseModel):
    """The models that can be asked for."""

    object: Literal["list"] = "list"
    data: list[ModelEntry]


class EmbeddingRequest(BaseModel):
    """A request to `/v1/embeddings`."""

    model_config = ConfigDict(extra="allow")

    input: str | list[str]
    model: Name
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int, Field(ge=1)] | None = None


class EmbeddingEntry(BaseModel):
    """One text's vector: numbers, or base64 of little-endian 32-bit floats."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """Tokens read; all of a long text's are counted, as all are read."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    """Vectors in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[EmbeddingEntry]
    model: str
    usage: EmbeddingUsage
