"""Sources: folders that are added, indexed by durable jobs, paused, cancelled and removed."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

import structlog
from ulid import ULID

from souvenir.errors import Conflicting, NotFound, RequestError
from souvenir.files.indexing import IndexRun, Stopped, Tools
from souvenir.files.names import allowed_root, unwritten, written
from souvenir.files.patterns import USUALLY_EXCLUDED, Patterns
from souvenir.files.scanning import RootGone
from souvenir.stores.ports import Job
from souvenir.stores.source_ports import (
    UNFINISHED,
    FileState,
    FileStatus,
    JobState,
    Source,
    SourceJob,
    Statistics,
    Tally,
)
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

TASK = "index-source"
SWEEP_TASK = "sweep-sources"

MOST_SOURCES = 100  # of one space
MOST_PLACES = 500  # that one job is limited to; beyond it looks over the whole source
_JOBS = 50

_ID = re.compile(r"[0-9A-Za-z]{26}")
_UNKNOWN = "there is no such source"


class Jobs(Protocol):
    """What is asked of the job queue."""

    def register(
        self, name: str, handler: Callable[[Job], Awaitable[None]], *, cron: str | None = None, in_line: bool = False
    ) -> None:
        """Make a task known."""
        ...

    async def enqueue(
        self, space: SpaceId, task: str, *, key: str, payload: JsonObject | None = None, at: datetime | None = None
    ) -> int | None:
        """Queue a job."""
        ...


@dataclass(frozen=True, slots=True)
class Overview:
    """A source with what it amounts to and its newest job."""

    source: Source
    statistics: Statistics
    job: SourceJob | None


class Sources:
    """The folders of all spaces. Whatever names a source raises NotFound where its space has none such."""

    def __init__(
        self,
        tools: Tools,
        jobs: Jobs,
        roots: tuple[Path, ...],
        embed_later: Callable[[SpaceId], Awaitable[None]],
        max_attempts: int,
    ) -> None:
        self._tools = tools
        self._store = tools.store
        self._jobs = jobs
        self._roots = roots
        self._embed_later = embed_later
        self._max_attempts = max_attempts
        jobs.register(TASK, self._index, in_line=True)
        jobs.register(SWEEP_TASK, self._sweep, cron="7 * * * *")

    async def add(
        self,
        space: SpaceId,
        folder: str,
        include: Sequence[str] = (),
        exclude: Sequence[str] = USUALLY_EXCLUDED,
        *,
        watch: bool = True,
    ) -> Overview:
        """Add a folder and start to index it. Raises BadInput, Forbidden (not under a root) and Conflicting."""
        root = written(str(allowed_root(unwritten(folder), self._roots)))
        Patterns(include, exclude)
        now = self._tools.clock.now()
        source = Source(str(ULID()), root, tuple(include), tuple(exclude), watch, now)
        async with self._tools.transaction():
            if len(await self._store.list(space)) >= MOST_SOURCES:
                raise Conflicting(f"there are {MOST_SOURCES} sources already, the most there can be")
            if not await self._store.add(space, source):
                raise Conflicting("this folder is a source already")
            await self._start(space, source.source_id, full=False, paths=None)
        return await self.overview(space, source.source_id)

    async def list(self, space: SpaceId) -> Sequence[Overview]:
        """All sources of a space, oldest first."""
        return [await self._overview(space, source) for source in await self._store.list(space)]

    async def overview(self, space: SpaceId, source_id: str) -> Overview:
        """One source."""
        return await self._overview(space, await self.get(space, source_id))

    async def get(self, space: SpaceId, source_id: str) -> Source:
        """One source's settings."""
        source = await self._store.get(space, source_id) if _ID.fullmatch(source_id) else None
        if source is None:
            raise NotFound(_UNKNOWN)
        return source

    async def root(self, space: SpaceId, source_id: str) -> Path:
        """A source's folder, as long as the operator allows it. Raises Forbidden, BadInput when it is gone."""
        source = await self.get(space, source_id)
        return allowed_root(unwritten(source.root), self._roots)

    async def remove(self, space: SpaceId, source_id: str) -> None:
        """Forget a source and all that was found in it; its files stay where they are."""
        await self.get(space, source_id)
        async with self._tools.transaction():
            passages = await self._store.remove(space, source_id)
            if passages is None:
                raise NotFound(_UNKNOWN)
            await self._tools.passages.remove(space, passages)

    async def jobs(self, space: SpaceId, source_id: str) -> Sequence[SourceJob]:
        """A source's newest jobs, newest first."""
        await self.get(space, source_id)
        return await self._store.jobs(space, source_id, _JOBS)

    async def files(
        self, space: SpaceId, source_id: str, status: FileStatus | None, *, after: str, limit: int
    ) -> Sequence[FileState]:
        """What became of a source's files, by path."""
        await self.get(space, source_id)
        return await self._store.list_files(space, source_id, status, after=after, limit=limit)

    async def start(
        self, space: SpaceId, source_id: str, *, full: bool = False, paths: Sequence[str] | None = None
    ) -> SourceJob:
        """Queue a job over the source or some places in it; one that waits already and does as much is that job."""
        async with self._tools.transaction():
            await self.get(space, source_id)
            for job in await self._store.jobs(space, source_id, _JOBS):
                if job.state == "queued" and job.paths is None and (job.full or not full):
                    return job
            return await self._start(space, source_id, full=full, paths=paths)

    async def pause(self, space: SpaceId, source_id: str) -> Sequence[SourceJob]:
        """Stop unfinished jobs after what they are writing; `resume` goes on. Raises Conflicting when there is none."""
        return await self._change(space, source_id, ("queued", "running"), "paused", "nothing is being indexed")

    async def cancel(self, space: SpaceId, source_id: str) -> Sequence[SourceJob]:
        """End unfinished jobs; what they did stays. Raises Conflicting when there is none."""
        return await self._change(space, source_id, UNFINISHED, "cancelled", "nothing is being indexed")

    async def resume(self, space: SpaceId, source_id: str) -> Sequence[SourceJob]:
        """Go on with paused jobs. Raises Conflicting when there is none."""
        async with self._tools.transaction():
            changed = await self._change(space, source_id, ("paused",), "queued", "nothing is paused")
            for job in changed:
                await self._enqueue(space, job)
        return changed

    async def _overview(self, space: SpaceId, source: Source) -> Overview:
        jobs = await self._store.jobs(space, source.source_id, _JOBS)
        # of several, the one that runs is what people want to see
        current = next((job for job in jobs if job.state == "running"), jobs[0] if jobs else None)
        return Overview(source, await self._store.statistics(space, source.source_id), current)

    async def _start(self, space: SpaceId, source_id: str, *, full: bool, paths: Sequence[str] | None) -> SourceJob:
        if paths is not None and len(paths) > MOST_PLACES:
            paths = None
        job = SourceJob(
            job_id=str(ULID()),
            source_id=source_id,
            state="queued",
            full=full,
            paths=tuple(paths) if paths is not None else None,
            tally=Tally(),
            queued_at=self._tools.clock.now(),
            started_at=None,
            finished_at=None,
            error=None,
        )
        await self._store.add_job(space, job)
        await self._enqueue(space, job)
        return job

    async def _enqueue(self, space: SpaceId, job: SourceJob) -> None:
        payload = {"source_id": job.source_id, "job_id": job.job_id}
        await self._jobs.enqueue(space, TASK, key=f"{TASK}:{ULID()}", payload=payload)

    async def _change(
        self, space: SpaceId, source_id: str, states: Sequence[JobState], to: JobState, none: str
    ) -> Sequence[SourceJob]:
        await self.get(space, source_id)
        changed: list[SourceJob] = []
        async with self._tools.transaction():
            for one in await self._store.jobs(space, source_id, _JOBS):
                job = await self._store.job(space, source_id, one.job_id, hold=True)
                if job is not None and job.state in states:
                    ended = self._tools.clock.now() if to not in UNFINISHED else None
                    job = replace(job, state=to, finished_at=ended)
                    await self._store.put_job(space, job)
                    changed.append(job)
        if not changed:
            raise Conflicting(none)
        return changed

    async def _index(self, job: Job) -> None:
        space, source_id = job.space, str(job.payload["source_id"])
        source = await self._store.get(space, source_id)
        begun = await self._begin(space, source_id, str(job.payload["job_id"]))
        if source is None or begun is None:
            return
        run = IndexRun(self._tools, space, source, begun)
        try:
            allowed_root(unwritten(source.root), self._roots)
            await run.run()
            await self._end(space, begun, "done", None)
        except Stopped:
            log.info("indexing was paused or ended", source=source_id)
        except (RootGone, RequestError) as error:
            await self._end(space, begun, "failed", str(error))
        except Exception as error:
            state: JobState = "failed" if job.attempt >= self._max_attempts else "queued"
            await self._end(space, begun, state, f"{type(error).__name__}: {error}")
            raise
        finally:
            if run.without_vectors:
                await self._embed_later(space)

    async def _begin(self, space: SpaceId, source_id: str, job_id: str) -> SourceJob | None:
        async with self._tools.transaction():
            job = await self._store.job(space, source_id, job_id, hold=True)
            if job is None or job.state not in {"queued", "running"}:
                return None
            for other in await self._store.jobs(space, source_id, _JOBS):
                # a space's jobs run one at a time: what still seems to run died without a word
                if other.state == "running" and other.job_id != job_id:
                    ended = self._tools.clock.now()
                    await self._store.put_job(
                        space, replace(other, state="failed", finished_at=ended, error="its process died")
                    )
            begun = replace(job, state="running", tally=Tally(), started_at=self._tools.clock.now(), error=None)
            await self._store.put_job(space, begun)
            return begun

    async def _end(self, space: SpaceId, begun: SourceJob, state: JobState, error: str | None) -> None:
        async with self._tools.transaction():
            job = await self._store.job(space, begun.source_id, begun.job_id, hold=True)
            if job is not None and job.state == "running":
                ended = self._tools.clock.now() if state not in UNFINISHED else None
                await self._store.put_job(space, replace(job, state=state, finished_at=ended, error=error))

    async def _sweep(self, _: Job) -> None:
        """Hourly, for events that the file system lost: look over every watched source."""
        for space, source in await self._store.watched():
            await self.start(space, source.source_id)
