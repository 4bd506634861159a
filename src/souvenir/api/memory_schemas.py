"""What the memory routes take and give."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from souvenir.api.schemas import Label, Moment, Text

Category = Literal["identity", "preference", "project", "context", "relationship"]
Lifetime = Literal["preference", "contextual", "temporary", "deadline"]
Sentence = Annotated[Text, Field(max_length=1000)]


class MemorySource(BaseModel):
    """The message a memory came from."""

    chat_id: str | None = None
    message_id: str | None = None


class SharedSource(BaseModel):
    """The memory that one was shared from, and by whom; null when they were erased."""

    memory_id: str
    shared_by: str | None


class MemoryEntry(BaseModel):
    """A memory as people see it."""

    memory_id: str
    content: str
    category: str
    importance: int
    confidence: float
    reasoning: str
    lifetime: str
    expires_at: datetime | None
    version: int
    superseded_by: str | None
    verified: bool
    path: str
    source: MemorySource | SharedSource | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    ups: int
    downs: int
    uses: int


class MemoryList(BaseModel):
    """Memories, newest first."""

    memories: list[MemoryEntry]
    next_cursor: str | None


class RememberRequest(BaseModel):
    """A sentence to remember."""

    model_config = ConfigDict(strict=True)

    content: Sentence = Field(description="One sentence, at most 1,000 characters.")
    category: Category = "context"
    importance: int = Field(9, ge=1, le=10)
    confidence: float = Field(1.0, gt=0, le=1)
    lifetime: Lifetime = "preference"
    expires_at: Moment | None = None
    project_id: Label | None = Field(None, description="A project the caller belongs to; if not given, it is private.")


class Remembered(BaseModel):
    """What became of it: added, a replacement of `target_id`, or known already."""

    action: Literal["add", "replace", "ignore"]
    target_id: str | None
    reason: str
    memory: MemoryEntry | None


class EditRequest(BaseModel):
    """Other words for a memory, or another category."""

    model_config = ConfigDict(strict=True)

    content: Sentence | None = None
    category: Category | None = None


class UndoRequest(BaseModel):
    """The version to go back to, by its memory id."""

    model_config = ConfigDict(strict=True)

    to: Text


class ShareRequest(BaseModel):
    """Where to: a project the caller belongs to, or the org that `X-Org-Id` names."""

    model_config = ConfigDict(strict=True)

    project_id: Label | None = None
    org: bool = False


class FeedbackRequest(BaseModel):
    """A thumb up or down."""

    model_config = ConfigDict(strict=True)

    useful: bool


class DiffPart(BaseModel):
    """Words that stayed, came or went."""

    kind: Literal["same", "added", "removed"]
    text: str


class HistoryEvent(BaseModel):
    """One thing that happened to a memory."""

    event: str
    memory_id: str
    old: str | None
    new: str | None
    diff: list[DiffPart]
    reason: str
    by: str
    at: datetime


class MemoryHistory(BaseModel):
    """A memory's versions, oldest first, and what happened to them."""

    versions: list[MemoryEntry]
    events: list[HistoryEvent]


class ConflictEntry(BaseModel):
    """Two memories that cannot both be right."""

    conflict_id: str
    older: MemoryEntry
    newer: MemoryEntry
    reason: str
    opened_at: datetime


class ConflictList(BaseModel):
    """Open conflicts, newest first."""

    conflicts: list[ConflictEntry]


class SettleRequest(BaseModel):
    """The memory that is right."""

    model_config = ConfigDict(strict=True)

    keep: Text


class ExtractMessage(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(strict=True)

    role: Literal["user", "assistant", "system", "tool"]
    content: Annotated[str, Field(max_length=200_000)]


class ExtractRequest(BaseModel):
    """A text a user might say, or a conversation whose last user message counts."""

    model_config = ConfigDict(strict=True)

    text: Annotated[Text, Field(max_length=200_000)] | None = None
    messages: Annotated[list[ExtractMessage], Field(min_length=1, max_length=100)] | None = None
    created_at: Moment | None = Field(None, description="When it was said; now if not given.")
    project_id: Label | None = None


class ExtractedEntry(BaseModel):
    """A candidate and what would become of it."""

    content: str
    category: str
    importance: int
    confidence: float
    reasoning: str
    lifetime: str
    expires_at: datetime | None
    action: Literal["add", "ignore", "replace", "reject"]
    target_id: str | None
    reason: str


class Extracted(BaseModel):
    """What would be remembered, and who says so."""

    facts: list[ExtractedEntry]
    path: Literal["model", "local"]


class Imported(BaseModel):
    """How many lines were read, and how much of what is new."""

    lines: int
    added: dict[str, int]


class Erased(BaseModel):
    """How many rows of what were removed; `named_elsewhere` are those of projects and orgs that stay without a name."""

    user_id: str
    removed: dict[str, int]
