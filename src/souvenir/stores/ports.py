"""What Souvenir asks of storage. Every engine keeps these promises whole; `souvenir.testing` states them as tests."""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeVar

from souvenir.types import JsonObject, SpaceId

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of a key: everything but the secret, of which only a hash is stored."""

    key_id: str
    secret_hash: bytes
    name: str
    user_id: str | None
    orgs: tuple[str, ...]
    projects: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    @property
    def is_service(self) -> bool:
        """Whether the key belongs to a program that acts for users, rather than to one user."""
        return self.user_id is None


class KeyStore(Protocol):
    """API keys of this installation."""

    async def add(self, key: ApiKey) -> None:
        """Keep a new key; its id is new."""
        ...

    async def get(self, key_id: str) -> ApiKey | None:
        """The key, revoked or expired ones too; None when there is none."""
        ...

    async def list(self) -> list[ApiKey]:
        """All keys, newest first."""
        ...

    async def revoke(self, key_id: str, at: datetime) -> ApiKey | None:
        """Revoke a key from `at` on; revoking again keeps the first time. None when there is none."""
        ...

    async def touch(self, key_id: str, at: datetime) -> None:
        """Note that the key was used; kept to the minute, so that busy keys cost few writes."""
        ...


class SecretStore(Protocol):
    """Random secrets that all processes of this installation share."""

    async def get(self, name: str) -> bytes:
        """The 32 bytes under a name, made on first use and the same from then on."""
        ...


class EmbeddingModelStore(Protocol):
    """Which embedding models have written vectors here, and of what length."""

    async def register(self, model: str, dimension: int, at: datetime) -> int:
        """Record a model on its first use; returns the dimension on record, which is never changed by this call."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """One job as people and handlers see it. `attempt` counts from 1 while it runs."""

    id: int
    task: str
    space: SpaceId
    key: str
    payload: JsonObject
    attempt: int
    status: str
    error: str | None = None
    queued_at: datetime | None = None


running_job: ContextVar[Job | None] = ContextVar("running_job", default=None)
"""The job that the current task works for. The database refuses its transactions, with Erased, once it was erased."""


@dataclass(frozen=True, slots=True)
class JobCounts:
    """The state of the queue."""

    waiting: int
    running: int
    failed: int
    oldest_waiting_seconds: float


class JobStore(Protocol):
    """What the queue itself does not keep: keys that make a job happen once, why a job failed, whose process died."""

    async def add_once(
        self, space: SpaceId, key: str, at: datetime, defer: Callable[[object], Awaitable[int]]
    ) -> int | None:
        """Call `defer` with the open transaction's connection and return the job's id, unless the space has the key.

        The key and the job are written together or not at all. A key stays taken after its job has finished.
        """
        ...

    async def rescue(self, silent_seconds: float, max_attempts: int, but_not_of: int | None) -> list[int]:
        """Queue again the jobs whose worker fell silent, except one worker's own; returns their ids.

        A job that was rescued often enough to reach `max_attempts` fails for good instead: it may be what kills them.
        """
        ...

    async def follow(self, job_id: int, worker_id: int) -> Job | None:
        """End a job that a worker runs as done, and let it have the next of the line; None and nothing changes when
        that one cannot run now or has been tried before, or the worker has lost the job.
        """
        ...

    async def retry(self, job_id: int) -> bool:
        """Queue a failed job again; False when no failed job has that id."""
        ...

    async def note_error(self, job_id: int, error: str, at: datetime) -> None:
        """Keep the reason of the latest failure of a job."""
        ...

    async def failed(self, limit: int) -> list[Job]:
        """Jobs that failed for good, newest first, with their reasons."""
        ...

    async def counts(self) -> JobCounts:
        """How many jobs wait, run and have failed. Periodic jobs that wait for their time are not counted."""
        ...

    async def forget_before(self, at: datetime) -> int:
        """Drop keys and errors of jobs that no longer exist and are older than `at`; returns how many keys."""
        ...

    async def erase(self, space: SpaceId) -> int:
        """Remove a space's jobs with their keys and errors; returns how many jobs.

        Transactions that a job which runs just now has not begun yet are refused from then on (`running_job`); those it
        is in are waited for by SpaceArchive.hold. A job that happens to be of this space and works for all of them
        goes on, as one of nobody's.
        """
        ...


Role = Literal["user", "assistant", "system", "tool"]
MessageStatus = Literal["streaming", "complete", "error"]


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message before the store has given it an id. Without `created_at` it is said now.

    An answer that is `streaming` is being written until `alive_until`, which its writer puts off as long as it lives.
    """

    role: Role
    content: str
    created_at: datetime | None = None
    status: MessageStatus = "complete"
    tool_calls: tuple[JsonObject, ...] = ()
    partial_tool_calls: tuple[JsonObject, ...] = ()
    error: str | None = None
    memories: tuple[JsonObject, ...] = ()
    alive_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message. `message_id` is a ULID, greater than that of every message before it in the chat."""

    message_id: str
    chat_id: str
    role: Role
    content: str
    created_at: datetime
    status: MessageStatus = "complete"
    tool_calls: tuple[JsonObject, ...] = ()
    partial_tool_calls: tuple[JsonObject, ...] = ()
    error: str | None = None
    memories: tuple[JsonObject, ...] = ()
    alive_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MessageChange:
    """What becomes of a message as it completes; None leaves a field as it is.

    A status other than `streaming` takes `alive_until` away.
    """

    content: str | None = None
    status: MessageStatus | None = None
    tool_calls: tuple[JsonObject, ...] | None = None
    partial_tool_calls: tuple[JsonObject, ...] | None = None
    error: str | None = None
    memories: tuple[JsonObject, ...] | None = None
    alive_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as lists show it, kept in the same write as its messages.

    `title` is the beginning of the first user message with any text, and empty until there is one, unless the chat was
    renamed; `last_message` is the beginning of the newest message (see `souvenir.stores.chat_rules`). `updated_at` is
    its latest activity and never goes back.
    `summary` stands for the messages up to and including `summarized_until`.
    """

    chat_id: str
    title: str
    last_message: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    last_message_id: str
    summary: str = ""
    summarized_until: str | None = None


@dataclass(frozen=True, slots=True)
class ChatPosition:
    """A place in a space's chats by activity; it need not be occupied any more."""

    updated_at: datetime
    chat_id: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items in order, and whether there are more behind them. No page but the first is ever empty."""

    items: tuple[T, ...]
    more: bool


class ChatStore(Protocol):
    """Chats and their messages. A chat belongs to one space; under another it does not exist.

    Chat ids are given by the caller and say nothing about ownership: two spaces may use the same one, for two chats.
    What a method returned is durable: it is there after `kill -9` of this process or of the engine. Texts are any
    Unicode without NUL and lone surrogates. Every method raises Unavailable when the engine does not answer, and then
    either all of its writes happened or none.
    """

    async def append(
        self, space: SpaceId, chat_id: str, messages: Sequence[NewMessage], *, create: bool = False
    ) -> tuple[Message, ...] | None:
        """Add messages (at least one) at the end of a chat, all or none, with the chat's own fields in the same write.

        None when the space has no such chat and `create` is false; with `create` the chat is made. Parallel calls, also
        from several processes with clocks that differ, lose nothing and give strictly increasing ids in the order in
        which the messages then stand. Raises TooLarge when the engine cannot take the messages in one write.
        """
        ...

    async def update_message(
        self, space: SpaceId, chat_id: str, message_id: str, change: MessageChange
    ) -> Message | None:
        """Change a message; the chat's `last_message` follows if it is the newest, and `updated_at` moves to now.

        None when the space has no such chat or the chat no such message.
        """
        ...

    async def get_chat(self, space: SpaceId, chat_id: str) -> Chat | None:
        """The chat, None when the space has none of that id. Reading never creates."""
        ...

    async def list_chats(self, space: SpaceId, *, limit: int, after: ChatPosition | None = None) -> Page[Chat]:
        """The space's chats by `updated_at` and then `chat_id`, both descending, from strictly behind `after` on."""
        ...

    async def list_messages(
        self, space: SpaceId, chat_id: str, *, limit: int, before: str | None = None
    ) -> Page[Message] | None:
        """A chat's messages, newest first, from strictly before the id `before` on (any ULID; it need not exist).

        None when the space has no such chat, which is found out before any message is read. An answer whose writer did
        not put off `alive_until` in time reads as an error (see `chat_rules.as_read`); it stays stored as it was, and
        a writer who was only late has the last word.
        """
        ...

    async def rename(self, space: SpaceId, chat_id: str, title: str) -> Chat | None:
        """Give the chat another title; its activity stays. None when the space has no such chat."""
        ...

    async def delete(self, space: SpaceId, chat_id: str) -> bool:
        """Delete the chat and its messages; False when there was none. A chat made anew under the id starts empty."""
        ...

    async def fold(self, space: SpaceId, chat_id: str, summary: str, until: str) -> bool:
        """Let `summary` stand for the messages up to `until`; the messages themselves stay.

        False, and nothing changes, when there is no such chat or its summary already reaches `until` or beyond.
        """
        ...


class ChatArchive(Protocol):
    """What copying chats from one engine to another needs; every ChatStore is one too."""

    async def spaces(self, *, limit: int, after: SpaceId | None = None) -> tuple[SpaceId, ...]:
        """Spaces that have chats, ascending by their bytes, from strictly behind `after` on. May be slow."""
        ...

    async def put(self, space: SpaceId, chat: Chat, messages: Sequence[Message]) -> None:
        """Write a chat and some of its messages exactly as given, ids and times included; again changes nothing.

        Not for chats in use: what `chat` says replaces what the engine had. Many or large messages may take several
        writes; an interrupted call is simply made again.
        """
        ...

    async def erase(self, space: SpaceId) -> tuple[int, int]:
        """Delete all chats of a space and whatever else names it; returns how many chats and messages there were.

        An interrupted call is simply made again; what it returned of is gone for good, left-overs of earlier deletions
        too.
        """
        ...


class ChatEngine(ChatStore, ChatArchive, Protocol):
    """A whole engine: kept open by the composition root, copied from and to by `souvenir chats copy`."""

    async def open(self) -> None:
        """Connect and check. Raises DatabaseError with what to do about it."""
        ...

    async def ping(self) -> None:
        """One round trip. Raises Unavailable."""
        ...

    async def aclose(self) -> None:
        """Close connections. Calling it twice is fine."""
        ...
