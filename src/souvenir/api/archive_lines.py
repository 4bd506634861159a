"""An export as JSON Lines: one record per line, each with its type, read as strictly as anything from outside."""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from souvenir.api.memory_schemas import Category, Lifetime
from souvenir.api.requests import parse_json
from souvenir.api.schemas import ChatId, Label, Moment
from souvenir.errors import BadInput
from souvenir.memory.archive import VERSION, End, Header, Indexed, Piece, Record, Turn
from souvenir.stores.archive_ports import FactState
from souvenir.stores.chat_rules import time_text
from souvenir.stores.fact_ports import Fact, FactKind
from souvenir.stores.memory_ports import Audit, Conflict, Memory, MemoryEvent, Spent
from souvenir.stores.passage_ports import Kind, NewPassage
from souvenir.stores.ports import Chat, Message, MessageStatus, Role

MEDIA_TYPE = "application/jsonl"
MEDIA_TYPES = (MEDIA_TYPE, "application/x-ndjson", "application/x-jsonlines")

_HEADER = "souvenir-export"
_LEFT_OUT = {
    Memory: {"passage_id"},
    Chat: {"last_message", "message_count", "last_message_id"},
    Message: {"alive_until"},
    NewPassage: {"terms", "signs", "words", "vector", "model"},
}


def _day(value: object) -> object:
    return date.fromisoformat(value) if isinstance(value, str) else value


class _Shared(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    memory_id: str
    lineage: str
    by: str | None = None


class _Origin(BaseModel):
    """What is shown of an origin; beside that it may hold anything."""

    model_config = ConfigDict(strict=True)

    chat_id: str | None = None
    message_id: str | None = None
    external_id: str | None = None
    shared: _Shared | None = None


def _origin(value: dict[str, Any]) -> dict[str, Any]:
    _Origin.model_validate(value)
    return value


Origin = Annotated[dict[str, Any], AfterValidator(_origin)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Short = Annotated[str, StringConstraints(max_length=255)]
Long = Annotated[str, StringConstraints(max_length=1_000_000)]  # a sentence may be as long as a message
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Objects = Annotated[list[dict[str, Any]], Field(max_length=10_000)]


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class HeaderLine(_Line):
    """The first line."""

    type: Literal["souvenir-export"]
    version: int
    user_id: Label
    exported_at: Moment

    def record(self) -> Record:
        """What it stands for."""
        return Header(self.version, self.user_id, self.exported_at)


class MemoryLine(_Line):
    """A version of a memory."""

    type: Literal["memory"]
    memory_id: Id
    lineage: Id
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    content: Long
    category: Category
    importance: Annotated[int, Field(ge=1, le=10)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: Long
    lifetime: Lifetime
    path: Short
    said_at: Moment
    created_at: Moment
    updated_at: Moment
    expires_at: Moment | None
    origin: Origin | None
    verified: bool
    superseded_by: Id | None
    superseded_at: Moment | None
    deleted_at: Moment | None
    ups: Count
    downs: Count
    uses: Count
    used_at: Moment | None

    def record(self) -> Record:
        """What it stands for."""
        return Memory(**_given(self))


class AuditLine(_Line):
    """What happened to a memory; a thumb up or down too."""

    type: Literal["audit"]
    event: MemoryEvent
    memory_id: Annotated[str, StringConstraints(max_length=64)]
    old: Long | None
    new: Long | None
    reason: Long
    by: Short
    at: Moment
    other: Id | None

    def record(self) -> Record:
        """What it stands for."""
        return Audit(**_given(self))


class ConflictLine(_Line):
    """Two memories that contradict each other."""

    type: Literal["conflict"]
    conflict_id: Id
    older: Id
    newer: Id
    reason: Long
    opened_at: Moment

    def record(self) -> Record:
        """What it stands for."""
        return Conflict(**_given(self))


class SpendLine(_Line):
    """Tokens of a day."""

    type: Literal["spend"]
    day: Annotated[date, BeforeValidator(_day)]
    purpose: Short
    tokens: Annotated[int, Field(ge=0, le=2**62)]

    def record(self) -> Record:
        """What it stands for."""
        return Spent(**_given(self))


class FactLine(_Line):
    """An exact value."""

    type: Literal["fact"]
    topic_key: Long
    kind: FactKind
    rank: Annotated[int, Field(ge=1, le=2**31 - 1)] | None
    value: Long
    chat_id: ChatId | None
    source_message_id: Short | None
    created_at: Moment

    def record(self) -> Record:
        """What it stands for."""
        return Fact(**_given(self))


class FactTopicLine(_Line):
    """When a topic was last changed, said and spoken of."""

    type: Literal["fact-topic"]
    topic_key: Long
    kind: FactKind
    chat_id: ChatId | None
    revised_at: Moment | None
    revised_by: Short
    said_at: Moment | None
    touched_at: Moment | None

    def record(self) -> Record:
        """What it stands for."""
        return FactState(**_given(self))


class ChatLine(_Line):
    """A chat; its messages follow."""

    type: Literal["chat"]
    chat_id: ChatId
    title: Long
    created_at: Moment
    updated_at: Moment
    summary: str
    summarized_until: Id | None

    def record(self) -> Record:
        """What it stands for; what follows from its messages is left open."""
        return Chat(last_message="", message_count=0, last_message_id="", **_given(self))


class IndexedLine(_Line):
    """How a message is found."""

    speaker: Label | None
    external_id: Label | None


class MessageLine(_Line):
    """A message of the chat before it."""

    type: Literal["message"]
    message_id: Id
    chat_id: ChatId
    role: Role
    content: str
    created_at: Moment
    status: MessageStatus
    tool_calls: Objects
    partial_tool_calls: Objects
    error: str | None
    memories: Objects
    indexed: IndexedLine | None
    external_ids: Annotated[list[Label], Field(max_length=1000)]

    def record(self) -> Record:
        """What it stands for."""
        given = _given(self)
        indexed, external_ids = given.pop("indexed"), tuple(given.pop("external_ids"))
        given |= {name: tuple(given[name]) for name in ("tool_calls", "partial_tool_calls", "memories")}
        found = Indexed(indexed.speaker, indexed.external_id) if indexed is not None else None
        return Turn(Message(**given), found, external_ids)


class PassageLine(_Line):
    """Something that is found and follows from no memory and no message."""

    type: Literal["passage"]
    kind: Kind
    text: str
    at: Moment
    end: Count
    start: Count
    chat_id: ChatId | None
    message_id: Id | None
    role: Short | None
    speaker: Label | None
    tags: Annotated[list[Short], Field(max_length=1000)]
    category: Short | None
    origin: Origin
    until: Moment | None

    def record(self) -> Record:
        """What it stands for."""
        given = _given(self)
        return Piece(NewPassage(terms="", **{**given, "tags": tuple(given["tags"])}))


class EndLine(_Line):
    """The last line."""

    type: Literal["end"]
    records: Count

    def record(self) -> Record:
        """What it stands for."""
        return End(self.records)


Line = Annotated[
    HeaderLine
    | MemoryLine
    | AuditLine
    | ConflictLine
    | SpendLine
    | FactLine
    | FactTopicLine
    | ChatLine
    | MessageLine
    | PassageLine
    | EndLine,
    Field(discriminator="type"),
]
_LINES: TypeAdapter[Any] = TypeAdapter(Line)


def read_line(line: bytes) -> Record:
    """The record of a line. Raises BadInput with the field that is wrong."""
    value = parse_json(line)
    if not isinstance(value, dict):
        raise BadInput("body", "is not a JSON object")
    try:
        record: Record = _LINES.validate_python(value).record()
    except ValidationError as error:
        raise _wrong(value, error) from None
    return record


def write_line(record: Record) -> bytes:
    """The line of a record; equal records give equal lines."""
    return json.dumps(_written(record), ensure_ascii=False, separators=(",", ":"), default=_text).encode() + b"\n"


def _wrong(value: dict[str, Any], error: ValidationError) -> BadInput:
    first = error.errors(include_url=False)[0]
    # behind the type, which pydantic names first
    path = ".".join(str(part) for part in first["loc"][1:]) or "type"
    version = value.get("version")
    if value.get("type") == _HEADER and version != VERSION:
        return BadInput("version", f"is {str(version)[:20]}, and this Souvenir reads {VERSION}")
    return BadInput(path, first["msg"].removeprefix("Value error, ")[:300])


def _given(line: _Line) -> dict[str, Any]:
    return {name: getattr(line, name) for name in type(line).model_fields if name != "type"}


def _written(record: Record) -> dict[str, Any]:
    return _WRITERS[type(record)](record)


def _named(kind: str) -> Callable[[Any], dict[str, Any]]:
    return lambda record: {"type": kind, **dict(_values(record))}


def _turn(turn: Turn) -> dict[str, Any]:
    indexed = dict(_values(turn.indexed)) if turn.indexed is not None else None
    return {"type": "message", **dict(_values(turn.message)), "indexed": indexed, "external_ids": turn.external_ids}


_WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Header: _named(_HEADER),
    Memory: _named("memory"),
    Audit: _named("audit"),
    Conflict: _named("conflict"),
    Spent: _named("spend"),
    Fact: _named("fact"),
    FactState: _named("fact-topic"),
    Chat: _named("chat"),
    Turn: _turn,
    Piece: lambda piece: {"type": "passage", **dict(_values(piece.passage))},
    End: _named("end"),
}


def _values(record: Any) -> Iterator[tuple[str, Any]]:
    left_out = _LEFT_OUT.get(type(record), set())
    for one in fields(record):
        if one.name not in left_out:
            yield one.name, getattr(record, one.name)


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return time_text(value.astimezone(UTC))
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(type(value))
