"""One run over a source: looks, reads, embeds and writes at the same time, in bounded memory, and can be broken off.

A file's passages and what is known of the file are one write, so that a run that was killed has done some files whole
and others not at all; the next run finds those done by their size and time.
"""

import asyncio
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import structlog

from souvenir.clock import Clock
from souvenir.embed.port import Embedder, Vectors
from souvenir.errors import Unavailable
from souvenir.files.names import parts_of, unwritten, written
from souvenir.files.patterns import Patterns
from souvenir.files.plan import ReadingPlan
from souvenir.files.reader import FileReader
from souvenir.files.reading.ocr import NEEDED, installed
from souvenir.files.scanning import Seen, changed_ns, check_root, look, scan
from souvenir.metrics import Metrics
from souvenir.stores.passage_ports import NewPassage, PassageStore
from souvenir.stores.source_ports import FileState, Source, SourceJob, SourceStore, Tally
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

Transaction = Callable[[], AbstractAsyncContextManager[object]]

_LOOK = 500  # files looked at together
_GROUP_CHUNKS = 256  # embedded and written together; a file is never divided
_GROUP_FILES = 64
_EMBED = 256
_FRESH_NS = 2_000_000_000  # so soon after a change, another one may not show in the time


class Stopped(Exception):
    """The job was paused, cancelled or removed meanwhile."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with."""

    store: SourceStore
    passages: PassageStore
    embedder: Embedder
    plan: ReadingPlan
    transaction: Transaction
    clock: Clock
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that was read: its path as it is stored, how it was seen, what was known of it, what the reader said."""

    path: str
    seen: Seen
    known: FileState | None
    answer: dict[str, Any]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.answer.get("chunks", [])
        return found


@dataclass(slots=True)
class _Group:
    """What is written together."""

    reads: list[_Read] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    found: int = 0
    unchanged: int = 0
    vectors: list[Vectors] | None = None

    @property
    def texts(self) -> list[str]:
        return [chunk["text"] for read in self.reads for chunk in read.chunks]

    @property
    def is_full(self) -> bool:
        return len(self.reads) >= _GROUP_FILES or sum(len(read.chunks) for read in self.reads) >= _GROUP_CHUNKS


class IndexRun:
    """One run; `run` once."""

    def __init__(self, tools: Tools, space: SpaceId, source: Source, job: SourceJob) -> None:
        self._tools = tools
        self._space = space
        self._source = source
        self._job = job
        self._root = Path(unwritten(source.root))
        self._patterns = Patterns(source.include, source.exclude)
        self._seen: set[str] = set()
        self._group = _Group()
        self._to_embed: asyncio.Queue[_Group | None] = asyncio.Queue(1)
        self._to_write: asyncio.Queue[_Group | None] = asyncio.Queue(1)
        self._reads_pictures = installed()
        self.without_vectors = False

    async def run(self) -> Tally:
        """Bring the index up to date; what was done. Raises Stopped, RootGone, and Unavailable of the database."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read())
                tasks.create_task(self._embed())
                tasks.create_task(self._write())
        except BaseExceptionGroup as group:
            raise _first(group) from None
        return self._job.tally

    async def _read(self) -> None:
        # between the pages of a file that takes long, too: a job that was stopped is found out by writing
        async with FileReader(self._tools.plan, on_page=self._pass_on) as reader:
            for place in self._places():
                async for batch in _batches(self._look(place)):
                    await self._read_batch(reader, batch)
                    await self._pass_on()
                await asyncio.to_thread(check_root, self._root)
                async for gone in self._gone(place):
                    await self._to_embed.put(_Group(removed=gone))
        await self._to_embed.put(None)

    async def _pass_on(self) -> None:
        """Have what was read so far embedded and written."""
        group, self._group = self._group, _Group()
        await self._to_embed.put(group)

    def _places(self) -> Sequence[str]:
        return self._job.paths if self._job.paths is not None else ("",)

    def _look(self, place: str) -> Iterator[Seen]:
        """The files at a place: all of them, those in one folder, or one."""
        if not place:
            yield from scan(self._root, self._patterns)
            return
        parts = parts_of(place)
        path = "/".join(parts)
        found = look(self._root, parts)
        if found is None:
            return
        if stat.S_ISDIR(found.st_mode):
            if self._patterns.reaches_folder(path):
                yield from scan(self._root, self._patterns, parts)
        elif stat.S_ISREG(found.st_mode) and self._patterns.reaches(path):
            yield Seen(path, found.st_size, changed_ns(found))

    async def _read_batch(self, reader: FileReader, batch: Sequence[Seen]) -> None:
        paths = {written(one.path): one for one in batch}
        known = await self._tools.store.files(self._space, self._source.source_id, list(paths))
        for path, one in paths.items():
            self._seen.add(path)
            self._group.found += 1
            before = known.get(path)
            if self._is_done(one, before):
                self._group.unchanged += 1
                continue
            digest = before.digest if before is not None and self._has_been_read(before) else None
            answer = await reader.read(self._root, path, digest)
            if answer["status"] == "gone":
                self._seen.discard(path)
                continue
            self._group.reads.append(_Read(path, one, before, answer))
            if self._group.is_full:
                await self._pass_on()

    def _is_done(self, one: Seen, known: FileState | None) -> bool:
        if known is None or not self._has_been_read(known):
            return False
        return known.size == one.size and known.changed_ns == one.changed_ns

    def _has_been_read(self, known: FileState) -> bool:
        """Whether what is known of a file still counts, as long as the file is the same."""
        if known.error == NEEDED and self._reads_pictures:
            return False
        return not self._job.full or known.indexed_at >= self._job.queued_at

    async def _gone(self, place: str) -> AsyncIterator[list[str]]:
        """The files that are known at a place and no longer there."""
        store, after = self._tools.store, ""
        while page := await store.paths(self._space, self._source.source_id, below=place, after=after, limit=_LOOK):
            gone = [path for path in page if path not in self._seen]
            if gone:
                yield gone
            after = page[-1]

    async def _embed(self) -> None:
        while (group := await self._to_embed.get()) is not None:
            texts = group.texts
            try:
                group.vectors = [
                    row
                    for start in range(0, len(texts), _EMBED)
                    for row in (await self._tools.embedder.embed(texts[start : start + _EMBED])).vectors
                ]
            except Unavailable as error:
                log.warning("files are indexed without vectors for now", reason=str(error))
                self.without_vectors = True
            await self._to_write.put(group)
        await self._to_write.put(None)

    async def _write(self) -> None:
        while (group := await self._to_write.get()) is not None:
            async with self._tools.transaction():
                await self._write_group(group)

    async def _write_group(self, group: _Group) -> None:
        tools, space, source_id = self._tools, self._space, self._source.source_id
        held = await tools.store.job(space, source_id, self._job.job_id, hold=True)
        if held is None or held.state != "running":
            raise Stopped
        now = tools.clock.now()
        changed = [read for read in group.reads if read.answer["status"] != "unchanged"]
        known = await tools.store.files(space, source_id, [*(read.path for read in changed), *group.removed])
        old = [one for state in known.values() for one in state.passage_ids]
        if old:
            await tools.passages.remove(space, old)
        made = self._passages(changed, group.vectors, now)
        ids = iter(await tools.passages.add(space, made) if made else ())
        states = [
            _state(read, now, tuple(islice(ids, len(read.chunks)))) if read in changed else _touched(read)
            for read in group.reads
        ]
        if states:
            await tools.store.put_files(space, source_id, states)
        if group.removed:
            await tools.store.remove_files(space, source_id, group.removed)
        self._job = replace(held, tally=_sum(self._job.tally, group))
        await tools.store.put_job(space, self._job)
        tools.metrics.indexed_passages.labels("chunk").inc(len(made))

    def _passages(self, reads: Iterable[_Read], vectors: Sequence[Vectors] | None, now: datetime) -> list[NewPassage]:
        rows = iter(vectors) if vectors is not None else None
        model = self._tools.embedder.model if vectors is not None else None
        return [
            NewPassage(
                kind="chunk",
                text=chunk["text"],
                terms=chunk["terms"],
                at=_time(read.answer.get("modified"), now),
                start=chunk["start"],
                end=chunk["end"],
                signs=chunk["signs"],
                words=chunk["words"],
                origin=self._origin(read.path, chunk),
                vector=next(rows) if rows is not None else None,
                model=model,
            )
            for read in reads
            for chunk in read.chunks
        ]

    def _origin(self, path: str, chunk: dict[str, Any]) -> JsonObject:
        origin = {"source_id": self._source.source_id, "path": path}
        return origin | {name: chunk[name] for name in ("heading", "page", "symbol") if chunk[name]}


def _state(read: _Read, now: datetime, passage_ids: tuple[int, ...]) -> FileState:
    answer = read.answer
    return FileState(
        path=read.path,
        size=answer.get("size", read.seen.size),
        changed_ns=_sure(answer.get("changed_ns", read.seen.changed_ns)),
        digest=answer.get("digest"),
        status=answer["status"],
        format=answer.get("format"),
        error=answer.get("error"),
        indexed_at=now,
        passage_ids=passage_ids,
    )


def _touched(read: _Read) -> FileState:
    """What is known of a file whose bytes are the same: its time is another."""
    if read.known is None:
        raise LookupError(read.path)
    return replace(read.known, size=read.answer["size"], changed_ns=_sure(read.answer["changed_ns"]))


def _sure(changed: int) -> int:
    """A time to know a file by; 0, which none has, if it is so fresh that the next change may have the same."""
    return changed if changed < time.time_ns() - _FRESH_NS else 0


def _time(modified: float | None, now: datetime) -> datetime:
    if modified is None or not 0 <= modified <= now.timestamp():
        return now
    return datetime.fromtimestamp(modified, UTC)


def _sum(tally: Tally, group: _Group) -> Tally:
    statuses = [read.answer["status"] for read in group.reads]
    return Tally(
        found=tally.found + group.found,
        indexed=tally.indexed + statuses.count("indexed"),
        unchanged=tally.unchanged + group.unchanged + statuses.count("unchanged"),
        skipped=tally.skipped + statuses.count("skipped"),
        failed=tally.failed + statuses.count("failed"),
        removed=tally.removed + len(group.removed),
        chunks=tally.chunks + sum(len(read.chunks) for read in group.reads),
        bytes=tally.bytes + sum(read.answer.get("size", 0) for read in group.reads),
    )


async def _batches(files: Iterator[Seen]) -> AsyncIterator[list[Seen]]:
    """What is seen, some at a time, without holding up whoever else runs here."""
    while batch := await asyncio.to_thread(lambda: list(islice(files, _LOOK))):
        yield batch


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
