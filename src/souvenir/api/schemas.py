"""The shapes of requests and responses, as the OpenAPI description publishes them."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
)

from souvenir.stores.passage_ports import KINDS, Kind
from souvenir.types import is_name

Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]
SpaceName = Literal["user", "project", "org", "global"]
SPACES: tuple[SpaceName, ...] = get_args(SpaceName)

_ROUTES_OF_CHATS = {"list", "messages"}
_ISO_8601 = re.compile(r"[0-9]{4}-?[0-9W][0-9W-]{1,6}(?:T[0-9:.,]{2,}(?:Z|[+-][0-9:]{2,})?)?")


def _free_id(chat_id: str) -> str:
    if chat_id in _ROUTES_OF_CHATS:
        raise ValueError("is the name of a route under /chats and cannot be a chat's id")
    return chat_id


def _label(text: str) -> str:
    if not is_name(text):
        raise ValueError("must be 1 to 255 characters, with no control characters or outer spaces")
    return text


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _moment(value: object) -> datetime:
    """ISO 8601 to a time in UTC; what names no offset is in UTC, and a date alone is its midnight."""
    text = value.upper().replace(" ", "T", 1) if isinstance(value, str) else ""
    if not _ISO_8601.fullmatch(text):
        raise ValueError("must be a date or a time in ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z")
    moment = datetime.fromisoformat(text)
    try:
        return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError("is before the year 1 or after the year 9999") from None


def _among(known: tuple[str, ...]) -> BeforeValidator:
    """Names the list, and not a place in it, when a word is unknown, and tells which there are."""

    def check(given: object) -> object:
        for name in given if isinstance(given, list) else ():
            if isinstance(name, str) and name not in known:
                raise ValueError(f"there is no {name[:40]!r}; there are: {', '.join(known)}")
        return given

    return BeforeValidator(check)


CHAT_ID_CHARACTERS = 128
_CHAT_ID = rf"^[A-Za-z0-9._~-]{{1,{CHAT_ID_CHARACTERS}}}$"
ChatId = Annotated[str, StringConstraints(pattern=_CHAT_ID), AfterValidator(_free_id)]
CHAT_ID: TypeAdapter[str] = TypeAdapter(ChatId)
"""Checks a chat's id that comes in a path or a header."""
Label = Annotated[str, AfterValidator(_label), WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 255})]
Text = Annotated[str, AfterValidator(_text), WithJsonSchema({"type": "string", "minLength": 1})]
Moment = Annotated[datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string"})]
Words = Annotated[list[str], Field(max_length=100)]


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


class ChatListRequest(BaseModel):
    """Which page of the caller's chats, or of a project's."""

    project_id: Name | None = Field(None, description="A project the caller belongs to, for its chats.")
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


class ThreadMessage(BaseModel):
    """Something said in a thread, and how it is to be answered."""

    model_config = ConfigDict(strict=True)

    content: str
    use_memory: bool = Field(True, description="Recall what is known of the user, and learn from the message.")
    use_query_rewriter: bool = Field(True, description="Resolve what the message refers to before searching.")
    allow_clarification: bool = Field(False, description="Ask back when it is not clear who or what is meant.")
    model: Name | None = Field(None, description="The model to answer; if not given, the one that suits.")
    project_id: Name | None = Field(None, description="The project the thread is of.")


class Stopped(BaseModel):
    """How many answers were broken off."""

    stopped: int


class RenameRequest(BaseModel):
    """A chat's new title."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=1000, strip_whitespace=True)]


class SearchRequest(BaseModel):
    """What is looked for and where. Everything but the query narrows the search before anything is ranked."""

    model_config = ConfigDict(strict=True)

    query: Text = Field(description="At most 100,000 characters.")
    project_id: Label | None = Field(None, description="Search in this project, and nowhere else.")
    limit: Annotated[int, Field(ge=1)] | None = Field(None, description="Most hits; 10 if not given, above 100 is 100.")
    threshold: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="A hit's score must exceed it. If not given: `search_threshold`, or what was measured."
    )
    kinds: Annotated[list[Kind], Field(max_length=100), _among(KINDS)] | None = Field(
        None, description="Only passages of these kinds."
    )
    tags: Words | None = Field(None, description="Only what has one of these tags.")
    all_tags: Words | None = Field(None, description="Only what has every one of these tags.")
    categories: Words | None = Field(None, description="Only memories of these categories.")
    chat_id: ChatId | None = Field(None, description="Only what was said in this chat.")
    since: Moment | None = Field(None, description="Only what was said then or later (ISO 8601; UTC if it says none).")
    until: Moment | None = Field(None, description="Only what was said before that.")
    as_of: Moment | None = Field(None, description="Only what was known at that time, as it was known then.")
    spaces: Annotated[list[SpaceName], Field(min_length=1, max_length=100), _among(SPACES)] | None = Field(
        None, description="Where to look, among what the caller may read. If not given: the project, or user and org."
    )


class Source(BaseModel):
    """Where a passage is from: the characters `start` to `end` of a chat's message, or of a file's text."""

    chat_id: str | None
    message_id: str | None
    start: int
    end: int
    source_id: str | None = Field(None, description="The source that the file is of.")
    path: str | None = Field(None, description="The file, below the source's folder.")
    heading: list[str] | None = Field(None, description="The headings it stands under, the outermost first.")
    page: int | None = Field(None, description="The page or slide it begins on.")
    symbol: str | None = Field(None, description="The function or class it is of.")


class SearchHit(BaseModel):
    """A passage that answers."""

    score: float = Field(description="How likely it answers, between 0 and 1; comparable between queries.")
    text: str
    kind: str
    message_id: str | None
    external_id: str | None
    created_at: datetime = Field(description="When it was said.")
    speaker: str | None
    role: str | None
    tags: list[str]
    source: Source
    citation: str = Field(description="What stands for it in an answer: `[M1]`, `[M2]` and so on.")


class SearchAnswer(BaseModel):
    """The hits, best first; an empty list when nothing relevant is known."""

    hits: list[SearchHit]
    degraded: bool = Field(description="No embedder answered, and words alone decided.")


class SaidMessage(BaseModel):
    """A message to store and to find again."""

    model_config = ConfigDict(strict=True)

    chat_id: ChatId = Field(description="The chat it was said in; made when it does not exist.")
    role: Literal["user", "assistant", "system", "tool"]
    content: Text = Field(description="What was said, at most `SOUVENIR_MAX_MESSAGE_CHARS` characters.")
    speaker: Label | None = Field(None, description="Who said it, by name.")
    created_at: Moment | None = Field(None, description="When it was said (ISO 8601); now if not given.")
    external_id: Label | None = Field(None, description="Your own id of it: sent again, nothing is stored again.")
    project_id: Label | None = Field(None, description="A project the caller belongs to; if not given, it is private.")
    learn: bool = Field(False, description="Form memories of it, in the background.")


class SaidMessages(BaseModel):
    """Messages to store, all or none; at most 1,000."""

    model_config = ConfigDict(strict=True)

    messages: Annotated[list[SaidMessage], Field(min_length=1)]
    project_id: Label | None = Field(None, description="The project of those messages that name none.")


class StoredMessage(BaseModel):
    """Where a message is now."""

    message_id: str
    external_id: str | None


class StoredMessages(BaseModel):
    """Where messages are now, in the order in which they came."""

    messages: list[StoredMessage]


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
