"""Batches what arrives together: fair between calls, near in length, refused early when too much waits.

Every call's pieces are ranked by how many tokens the call has asked for up to them, counted from what had been served
when the call came (start-time fair queueing). So one query overtakes the rest of a call of thousands, singles that
arrive together come out sorted by length, and nothing starves, because a later call always ranks behind.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import structlog

from souvenir.errors import SouvenirError, Unavailable

log = structlog.get_logger(__name__)

_LOOK_AHEAD = 4  # batches' worth of pieces among which neighbours in length are looked for


class Piece(Protocol):
    """A text, or a window of one, that fits the model."""

    @property
    def tokens(self) -> int:
        """How much work it is."""
        ...


P = TypeVar("P", bound=Piece)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a batch, and the queue. `tokens` counts every piece as if it were as long as the batch's longest."""

    texts: int
    tokens: int
    padding: int  # the most of those tokens that may be padding
    waiting: int


@dataclass(slots=True)
class _Call(Generic[R]):
    done: asyncio.Future[None]
    rows: list[R | None]
    queued: int
    left: int
    error: BaseException | None = None

    def put(self, place: int, row: R) -> None:
        self.rows[place] = row
        self.left -= 1
        if self.left == 0 and not self.done.done():
            self.done.set_result(None)

    def fail(self, error: BaseException) -> None:
        # not set_exception: if the caller is cancelled just now, nobody would retrieve it
        if not self.done.done():
            self.error = error
            self.done.set_result(None)

    def result(self) -> list[R]:
        if self.error is not None:
            raise self.error
        return [row for row in self.rows if row is not None]


class _Entry(NamedTuple, Generic[P, R]):
    rank: int
    sequence: int
    place: int
    piece: P
    call: _Call[R]


class Batcher(Generic[P, R]):
    """Hands batches to `work`, at most `workers` at a time; an idle worker never waits for company."""

    def __init__(
        self, work: Callable[[Sequence[P]], Awaitable[Iterable[R]]], limits: Limits, *, workers: int = 1
    ) -> None:
        self._work = work
        self._limits = limits
        self._workers = workers
        self._heap: list[_Entry[P, R]] = []
        self._abandoned = 0  # entries in the heap whose call is over
        self._served = 0
        self._calls = 0
        self._running: dict[asyncio.Task[None], list[_Entry[P, R]]] = {}
        self._closed = False

    def check(self, texts: int) -> None:
        """Raise Unavailable if that many more would be too many. A call of any size is taken when none waits."""
        if self._closed:
            raise Unavailable("the embedder is closed")
        waiting = len(self._heap) - self._abandoned
        if waiting and waiting + texts > self._limits.waiting:
            raise Unavailable(f"the embedder is busy: {waiting} texts wait; try again later")

    async def run(self, pieces: Sequence[P]) -> list[R]:
        """One row per piece, in order. Raises what `work` raised for any of them; Unavailable if full or closed."""
        self.check(len(pieces))
        if not pieces:
            return []
        loop = asyncio.get_running_loop()
        call: _Call[R] = _Call(loop.create_future(), [None] * len(pieces), len(pieces), len(pieces))
        self._queue(call, pieces)
        # not at once: who arrives in this turn of the loop shall share the batch
        loop.call_soon(self._dispatch)
        try:
            await call.done
        finally:
            self._abandon(call)
        return call.result()

    async def aclose(self) -> None:
        """Let running batches finish; what waits fails with Unavailable."""
        self._closed = True
        for entry in self._heap:
            entry.call.queued = 0
            entry.call.fail(Unavailable("the embedder is closed"))
        self._heap.clear()
        self._abandoned = 0
        if self._running:
            await asyncio.wait(self._running)

    def _queue(self, call: _Call[R], pieces: Sequence[P]) -> None:
        self._calls += 1
        rank = self._served
        for place in sorted(range(len(pieces)), key=lambda place: pieces[place].tokens):
            rank += pieces[place].tokens
            heapq.heappush(self._heap, _Entry(rank, self._calls, place, pieces[place], call))

    def _abandon(self, call: _Call[R]) -> None:
        """Stop what only this call wanted. Its entries stay in the heap, and are swept when such are most of it."""
        if not call.left:
            return
        self._abandoned += call.queued
        call.queued = 0
        if self._abandoned * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry.call.queued]
            heapq.heapify(self._heap)
            self._abandoned = 0
        for task, batch in self._running.items():
            if all(entry.call.done.done() for entry in batch):
                task.cancel()

    def _dispatch(self) -> None:
        while len(self._running) < self._workers and (batch := self._take()):
            task = asyncio.get_running_loop().create_task(self._serve(batch))
            self._running[task] = batch
            task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._dispatch()

    async def _serve(self, batch: list[_Entry[P, R]]) -> None:
        try:
            rows = await self._work([entry.piece for entry in batch])
            for entry, row in zip(batch, rows, strict=True):
                entry.call.put(entry.place, row)
        except SouvenirError as error:
            _fail(batch, error)
        except Exception as error:
            log.exception("embedding a batch failed", pieces=len(batch))
            _fail(batch, Unavailable(f"the embedder failed: {error}"))
        except asyncio.CancelledError:
            _fail(batch, Unavailable("the embedder was stopped"))
            raise

    def _take(self) -> list[_Entry[P, R]]:
        """The piece whose turn it is, and those nearest to it in length that fit beside it."""
        ahead = self._pop(self._limits.texts * _LOOK_AHEAD)
        if not ahead:
            return []
        first = ahead[0]
        self._served = first.rank
        rest = sorted(ahead[1:], key=lambda entry: abs(entry.piece.tokens - first.piece.tokens))
        count = self._fitting([first, *rest])
        for entry in rest[count - 1 :]:
            entry.call.queued += 1
            heapq.heappush(self._heap, entry)
        return [first, *rest[: count - 1]]

    def _pop(self, most: int) -> list[_Entry[P, R]]:
        popped: list[_Entry[P, R]] = []
        while self._heap and len(popped) < most:
            entry = heapq.heappop(self._heap)
            if entry.call.queued:
                entry.call.queued -= 1
            else:
                self._abandoned -= 1
            if not entry.call.done.done():
                popped.append(entry)
        return popped

    def _fitting(self, entries: Sequence[_Entry[P, R]]) -> int:
        """How many of the entries, from the first on, make one batch; at least one."""
        longest = total = 0
        for count, entry in enumerate(entries):
            longest = max(longest, entry.piece.tokens)
            total += entry.piece.tokens
            padded = longest * (count + 1)
            crowded = count >= self._limits.texts or padded > self._limits.tokens
            if count and (crowded or padded - total > self._limits.padding):
                return count
        return len(entries)


def _fail(batch: Sequence[_Entry[P, R]], error: BaseException) -> None:
    for entry in batch:
        entry.call.fail(error)
