"""Folders of files: added, indexed with live progress, paused, cancelled, removed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from souvenir.api import source_schemas as schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS, Responses
from souvenir.api.requests import CallerRoute
from souvenir.api.schemas import Name
from souvenir.api.streaming import EventStream
from souvenir.app import Souvenir
from souvenir.errors import BadInput, NotFound
from souvenir.files.patterns import USUALLY_EXCLUDED
from souvenir.files.sources import Overview
from souvenir.stores.source_ports import FileStatus, SourceJob
from souvenir.types import JsonObject, SpaceId

router = APIRouter(
    prefix="/sources",
    tags=["sources"],
    route_class=CallerRoute,
    dependencies=[BEARER],
    responses=NATIVE_ERRORS | THING_ERRORS,
)

ProjectId = Annotated[Name | None, Query(description="A project the caller belongs to, for that project's sources.")]


def _space(caller: TheCaller, project_id: ProjectId = None) -> SpaceId:
    return caller.scope(project_id).space


TheSpace = Annotated[SpaceId, Depends(_space)]

_EVENTS: Responses = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}
_LOOK_SECONDS = 0.3
_QUIET_SECONDS = 15.0
_USUAL = 100
_MOST = 1000


@router.get("")
async def list_sources(souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceList:
    """The folders whose files are found, oldest first."""
    found = await souvenir.sources.list(space)
    return schemas.SourceList(sources=[_entry(one, souvenir.clock.now()) for one in found])


@router.post("")
async def add_source(body: schemas.AddSource, souvenir: TheSouvenir, caller: TheCaller) -> schemas.SourceEntry:
    """Add a folder; indexing it begins in the background."""
    added = await souvenir.sources.add(
        caller.scope(body.project_id).space,
        body.path,
        body.include,
        USUALLY_EXCLUDED if body.exclude is None else body.exclude,
        watch=body.watch,
    )
    return _entry(added, souvenir.clock.now())


@router.get("/{source_id}")
async def read_source(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceEntry:
    """One source with its figures and its newest job."""
    return _entry(await souvenir.sources.overview(space, source_id), souvenir.clock.now())


@router.delete("/{source_id}", status_code=204, response_class=Response)
async def remove_source(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> Response:
    """Forget a source and all that was found in it; the files stay where they are."""
    await souvenir.sources.remove(space, source_id)
    return Response(status_code=204)


@router.get("/{source_id}/jobs")
async def list_jobs(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceJobs:
    """The newest runs over a source."""
    return _jobs(await souvenir.sources.jobs(space, source_id), souvenir.clock.now())


@router.get("/{source_id}/files")
async def list_files(
    source_id: str,
    souvenir: TheSouvenir,
    space: TheSpace,
    status: Annotated[FileStatus | None, Query(description="Only files of which this became.")] = None,
    after: Annotated[str, Query(max_length=4096, description="Only files whose paths come after this.")] = "",
    limit: Annotated[int | None, Query(description="100 if not given; above 1000 is 1000.")] = None,
) -> schemas.SourceFiles:
    """What became of each file, and why one was not indexed."""
    if limit is not None and limit < 1:
        raise BadInput("limit", "must be at least 1")
    if "\0" in after:
        raise BadInput("after", "holds a NUL character")
    most = min(limit or _USUAL, _MOST)
    found = await souvenir.sources.files(space, source_id, status, after=after, limit=most + 1)
    files = [
        schemas.SourceFile(
            path=one.path,
            status=one.status,
            error=one.error,
            format=one.format,
            size=one.size,
            chunks=len(one.passage_ids),
            indexed_at=one.indexed_at,
        )
        for one in found[:most]
    ]
    return schemas.SourceFiles(files=files, next_after=files[-1].path if len(found) > most else None)


@router.post("/{source_id}/reindex")
async def reindex(
    source_id: str, souvenir: TheSouvenir, space: TheSpace, body: schemas.Reindex | None = None
) -> schemas.SourceJobEntry:
    """Go over a source again; unchanged files are skipped unless it is `full`."""
    job = await souvenir.sources.start(space, source_id, full=body is not None and body.full)
    return _job(job, souvenir.clock.now())


@router.post("/{source_id}/pause")
async def pause(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceJobs:
    """Stop indexing for now; 409 when nothing is being indexed."""
    return _jobs(await souvenir.sources.pause(space, source_id), souvenir.clock.now())


@router.post("/{source_id}/resume")
async def resume(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceJobs:
    """Go on with what was paused; 409 when nothing was."""
    return _jobs(await souvenir.sources.resume(space, source_id), souvenir.clock.now())


@router.post("/{source_id}/cancel")
async def cancel(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.SourceJobs:
    """End indexing; what was indexed stays. 409 when nothing is being indexed."""
    return _jobs(await souvenir.sources.cancel(space, source_id), souvenir.clock.now())


@router.get("/{source_id}/events", response_class=Response, responses=_EVENTS)
async def follow(source_id: str, souvenir: TheSouvenir, space: TheSpace) -> Response:
    """Follow indexing: `progress` events with the source as `GET /sources/{id}` shows it, and `done` in the end."""
    await souvenir.sources.get(space, source_id)
    return EventStream(_progress(souvenir, space, source_id))


async def _progress(souvenir: Souvenir, space: SpaceId, source_id: str) -> AsyncGenerator[tuple[str, JsonObject], None]:
    told: Overview | None = None
    quiet = 0.0
    while True:
        try:
            now = await souvenir.sources.overview(space, source_id)
        except NotFound:
            yield "removed", {"source_id": source_id}
            return
        ended = now.job is None or now.job.state not in {"queued", "running"}
        if now != told or quiet >= _QUIET_SECONDS or ended:
            told, quiet = now, 0.0
            entry = _entry(now, souvenir.clock.now()).model_dump(mode="json")
            yield "done" if ended else "progress", entry
        if ended:
            return
        await asyncio.sleep(_LOOK_SECONDS)
        quiet += _LOOK_SECONDS


def _entry(overview: Overview, now: datetime) -> schemas.SourceEntry:
    source, statistics = overview.source, overview.statistics
    return schemas.SourceEntry(
        source_id=source.source_id,
        path=source.root,
        include=list(source.include),
        exclude=list(source.exclude),
        watch=source.watch,
        created_at=source.created_at,
        statistics=schemas.SourceStatistics(
            files=statistics.files,
            indexed=statistics.indexed,
            skipped=statistics.skipped,
            failed=statistics.failed,
            chunks=statistics.chunks,
            bytes=statistics.bytes,
        ),
        job=_job(overview.job, now) if overview.job is not None else None,
    )


def _jobs(jobs: Sequence[SourceJob], now: datetime) -> schemas.SourceJobs:
    return schemas.SourceJobs(jobs=[_job(job, now) for job in jobs])


def _job(job: SourceJob, now: datetime) -> schemas.SourceJobEntry:
    tally = job.tally
    seconds = ((job.finished_at or now) - job.started_at).total_seconds() if job.started_at is not None else 0.0
    return schemas.SourceJobEntry(
        job_id=job.job_id,
        state=job.state,
        full=job.full,
        paths=list(job.paths) if job.paths is not None else None,
        found=tally.found,
        indexed=tally.indexed,
        unchanged=tally.unchanged,
        skipped=tally.skipped,
        failed=tally.failed,
        removed=tally.removed,
        chunks=tally.chunks,
        bytes=tally.bytes,
        chunks_per_second=round(tally.chunks / seconds, 1) if seconds > 0 else None,
        queued_at=job.queued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        error=job.error,
    )
