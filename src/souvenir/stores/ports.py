"""What Souvenir asks of storage. Every engine keeps these promises whole; `souvenir.testing` states them as tests."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from souvenir.types import JsonObject, SpaceId


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
