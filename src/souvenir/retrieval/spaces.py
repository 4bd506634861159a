"""The spaces this process holds in memory: read when first asked, kept right by revision, the oldest let go."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

import structlog

from souvenir.metrics import Metrics
from souvenir.retrieval.space_index import SpaceIndex
from souvenir.stores.passage_ports import PassageStore, SpaceState
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

_Key = tuple[SpaceId, str, int]


@dataclass(slots=True)
class _Held:
    index: SpaceIndex | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class SpaceIndexes:
    """Indexes by space and embedding model, least recently used first, within a number of bytes.

    The bound holds between questions: one space may exceed it while it is in use. An index is only as current as the
    state it was last brought to, so every question reads the revision first.
    """

    def __init__(self, store: PassageStore, limit_bytes: int, metrics: Metrics) -> None:
        self._store = store
        self._limit = limit_bytes
        self._metrics = metrics
        self._held: OrderedDict[_Key, _Held] = OrderedDict()

    def held(self, space: SpaceId, model: str, dimension: int) -> SpaceIndex | None:
        """The index of a space as it was last brought up to date, if it is here: it may be behind."""
        held = self._held.get((space, model, dimension))
        return held.index if held is not None else None

    async def current(self, space: SpaceId, state: SpaceState, model: str, dimension: int) -> SpaceIndex:
        """The index of a space, brought at least to the given state."""
        # an embedder that never answered has no dimension yet: what was read then is of no use once it has one
        key = (space, model, dimension)
        held = self._held.setdefault(key, _Held())
        self._held.move_to_end(key)
        if held.index is not None and held.index.revision >= state.revision and not held.index.is_worn:
            return held.index
        async with held.lock:
            index = held.index
            if index is None or index.is_worn:
                index = await self._read(space, SpaceIndex(dimension), state.revision, model, dimension)
            elif index.revision < state.revision:
                # not held while it is half way: an error or a cancelled request in between would leave it so
                held.index = None
                try:
                    index = await self._read(space, index, state.revision, model, dimension)
                except LookupError:
                    index = await self._read(space, SpaceIndex(dimension), state.revision, model, dimension)
            held.index = index
        self._let_go()
        return index

    def forget(self) -> None:
        """Let go of everything; the next question reads anew."""
        self._held.clear()
        self._measure()

    async def _read(self, space: SpaceId, index: SpaceIndex, revision: int, model: str, dimension: int) -> SpaceIndex:
        since = index.revision
        async for change in self._store.changes(space, since, revision, model, dimension):
            # building postings is Python's own work: in a thread it does not hold up other requests
            await asyncio.to_thread(index.apply, [change], since)
        index.apply([], revision)
        self._metrics.index_reads.labels("whole" if since == 0 else "changes").inc()
        return index

    def _let_go(self) -> None:
        while len(self._held) > 1 and self._measure() > self._limit:
            key, held = next(iter(self._held.items()))
            if held.lock.locked():
                self._held.move_to_end(key)
                break
            del self._held[key]
            self._metrics.index_evictions.inc()

    def _measure(self) -> int:
        total = sum(held.index.size_bytes for held in self._held.values() if held.index is not None)
        self._metrics.index_bytes.set(total)
        self._metrics.index_spaces.set(len(self._held))
        return total
