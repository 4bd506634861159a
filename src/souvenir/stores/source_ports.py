"""What file sources ask of storage: folders, what became of each of their files, and the jobs that index them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from souvenir.types import SpaceId

FileStatus = Literal["indexed", "skipped", "failed"]
JobState = Literal["queued", "running", "paused", "done", "cancelled", "failed"]
UNFINISHED: tuple[JobState, ...] = ("queued", "running", "paused")


@dataclass(frozen=True, slots=True)
class Source:
    """A folder whose files can be found. `root` is written as `souvenir.files.names` does."""

    source_id: str
    root: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    watch: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class FileState:
    """What is known of a file since it was read last.

    `changed_ns` is its time then, or 0 when it was too fresh to tell a later change by. `digest` is None when its bytes
    were not read. `passage_ids` are what stands for it in search.
    """

    path: str
    size: int
    changed_ns: int
    digest: str | None
    status: FileStatus
    format: str | None
    error: str | None
    indexed_at: datetime
    passage_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How far a job has come. `found` are the files that it looked at, `unchanged` those it did not need to read."""

    found: int = 0
    indexed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    removed: int = 0
    chunks: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class SourceJob:
    """One run over a source. `paths` are the places it is limited to, None is all of it; `full` reads all anew."""

    job_id: str
    source_id: str
    state: JobState
    full: bool
    paths: tuple[str, ...] | None
    tally: Tally
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a source amounts to now."""

    files: int
    indexed: int
    skipped: int
    failed: int
    chunks: int
    bytes: int


class SourceStore(Protocol):
    """Sources by space. Under another space than its own a source does not exist.

    Writes join the transaction that is open around them, so that a file's state and its passages are kept together or
    not at all. Every method raises Unavailable when the database does not answer.
    """

    async def add(self, space: SpaceId, source: Source) -> bool:
        """Keep a new source; its id is new. False, and nothing changes, when the space has one with this root."""
        ...

    async def get(self, space: SpaceId, source_id: str) -> Source | None:
        """The source, None when there is none."""
        ...

    async def list(self, space: SpaceId) -> Sequence[Source]:
        """All sources of a space, oldest first."""
        ...

    async def watched(self) -> Sequence[tuple[SpaceId, Source]]:
        """The sources of all spaces that are watched."""
        ...

    async def remove(self, space: SpaceId, source_id: str) -> Sequence[int] | None:
        """Delete a source with its files and jobs; the passages that stood for them, None when there was none."""
        ...

    async def statistics(self, space: SpaceId, source_id: str) -> Statistics:
        """What the source amounts to; zeros for one that does not exist."""
        ...

    async def files(self, space: SpaceId, source_id: str, paths: Sequence[str]) -> dict[str, FileState]:
        """What is known of files, by path; those never read are left out."""
        ...

    async def paths(
        self, space: SpaceId, source_id: str, *, below: str = "", after: str = "", limit: int = 1000
    ) -> Sequence[str]:
        """Paths of known files, in order: `below` itself and what lies in it, all if empty; those after `after`."""
        ...

    async def list_files(
        self, space: SpaceId, source_id: str, status: FileStatus | None, *, after: str, limit: int
    ) -> Sequence[FileState]:
        """Files by path, of one status or any, those after `after`."""
        ...

    async def put_files(self, space: SpaceId, source_id: str, states: Sequence[FileState]) -> None:
        """Keep what became of files, in place of what was known of them."""
        ...

    async def remove_files(self, space: SpaceId, source_id: str, paths: Sequence[str]) -> int:
        """Forget files; returns how many there were."""
        ...

    async def add_job(self, space: SpaceId, job: SourceJob) -> None:
        """Keep a new job, and forget all but the newest finished ones of its source."""
        ...

    async def job(self, space: SpaceId, source_id: str, job_id: str, *, hold: bool = False) -> SourceJob | None:
        """A job; with `hold`, nobody changes it or removes its source until the open transaction ends."""
        ...

    async def jobs(self, space: SpaceId, source_id: str, limit: int) -> Sequence[SourceJob]:
        """A source's jobs, newest first."""
        ...

    async def put_job(self, space: SpaceId, job: SourceJob) -> None:
        """Change a job that is there."""
        ...
