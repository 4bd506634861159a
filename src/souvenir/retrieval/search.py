"""One search over everything remembered: read the question, score each space, judge, cut, cite."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic, perf_counter
from typing import ParamSpec, Protocol, TypeVar

import numpy as np
import structlog
from numpy.typing import NDArray

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.embed.meanwhile import once_embedding_began
from souvenir.embed.port import Embedder
from souvenir.errors import DimensionMismatch, Unavailable
from souvenir.metrics import Metrics
from souvenir.retrieval.calibrate import JUDGED, calibration_of, probabilities
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.question import Question, read_question
from souvenir.retrieval.rerank import Reranker, reranked
from souvenir.retrieval.restate import newest_first
from souvenir.retrieval.space_index import Candidates, Glance, SpaceIndex
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.stores.memory_ports import Memory, MemoryStore
from souvenir.stores.passage_ports import Passage, PassageStore, SpaceState
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

QUERY_CHARACTERS = 8000  # of a query that are read; the rest of a pasted page adds nothing but time

_SPARE = 6  # candidates beyond the limit: some are pieces of one message, some may not come back
_INLINE = 20_000  # passages that are scored in less time than handing them to a thread takes
_EMBEDDER_REST_SECONDS = 5.0  # after it failed, so that not every question waits for it to fail again

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)  # not frozen, as a passage is not
class Hit:
    """A passage that answers, how likely it does, the space it is from, and the memory that it stands for, if any."""

    score: float
    space: SpaceId
    passage: Passage
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first. `degraded` says that no embedder answered and words alone decided."""

    hits: tuple[Hit, ...]
    degraded: bool


class Look(Protocol):
    """One space as a question sees it before its vector is known."""

    def without(self, passage_ids: frozenset[int]) -> "Look":
        """The same without some passages, and without what they lend to those around them."""
        ...

    async def best(self, vector: NDArray[np.float32] | None, count: int) -> Candidates:
        """The best candidates; without a vector, by words alone."""
        ...

    def held(self, found: Candidates) -> dict[int, Passage] | None:
        """The passages of its candidates that are still there; None when they must be read."""
        ...


@dataclass(frozen=True, slots=True)
class InMemory:
    """A space that is held in memory."""

    index: SpaceIndex
    glance: Glance
    in_thread: bool

    def without(self, passage_ids: frozenset[int]) -> "InMemory":
        """As if those were not there."""
        only = replace(self.glance.only, without=self.glance.only.without | passage_ids)
        return replace(self, glance=self.index.glance(self.glance.question, only))

    async def best(self, vector: NDArray[np.float32] | None, count: int) -> Candidates:
        """The best candidates."""
        return await _run(self.in_thread, self.index.best, self.glance, vector, count)

    def held(self, found: Candidates) -> dict[int, Passage]:
        """What the index holds of them."""
        return self.index.passages(found)


class Judge(Protocol):
    """Says which memories may come back, and what each counts."""

    def usable(self, memory: Memory, now: datetime, *, past: bool = False) -> bool:
        """Whether it may come back at all; of the `past` also what has been replaced or has ended since."""
        ...

    def weighed(self, score: float, memory: Memory, now: datetime) -> float:
        """Its score after what time and people made of it."""
        ...


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question as each space is asked it."""

    question: Question
    vector: NDArray[np.float32] | None
    only: Filter
    limit: int
    judge: Judge | None
    without: Callable[[Passage], bool] | None
    vectors: bool


class Search:
    """Search for one process. Spaces are given by the caller's scope and are all that is ever looked at."""

    def __init__(  # noqa: PLR0913 - named parts, put together in one place
        self,
        *,
        passages: PassageStore,
        indexes: SpaceIndexes,
        large: LargeSpaces,
        embedder: Embedder,
        reranker: Reranker | None,
        settings: Settings,
        clock: Clock,
        metrics: Metrics,
        memories: MemoryStore | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._passages = passages
        self._memories = memories
        self._judge = judge
        self._indexes = indexes
        self._large = large
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._outcomes = {name: metrics.search_hits.labels(name) for name in ("degraded", "found", "empty")}
        self._embedder_rests_until = 0.0

    @property
    def default_threshold(self) -> float:
        """The score a hit must exceed when the question does not say."""
        configured = self._settings.search_threshold
        return configured if configured is not None else calibration_of(self._embedder.model).threshold

    async def search(  # noqa: PLR0913 - named wishes, each with what most want
        self,
        spaces: Sequence[SpaceId],
        query: str,
        only: Filter,
        *,
        limit: int,
        threshold: float | None = None,
        rerank: bool = True,
        judged: bool = True,
        without: Callable[[Passage], bool] | None = None,
        vectors: bool = False,
    ) -> Found:
        """What answers the query in these spaces, at most `limit` hits, each with a score above the threshold.

        Not `judged`, it shows what is known: memories too that must not be used, each for what it says alone.
        What a caller has already it can leave out by `without`: that neither comes back nor counts for anything else.
        Who compares further asks for the passages' `vectors` too.
        """
        started = perf_counter()
        now = self._clock.now()
        text = query[:QUERY_CHARACTERS]
        least = self.default_threshold if threshold is None else threshold
        embedding = asyncio.create_task(self._vector(text))
        try:
            await once_embedding_began(embedding)
            question, looks = await self._looks(spaces, text, now, only)
            vector = await embedding
        finally:
            embedding.cancel()
        asked = _Asked(question, vector, only, limit, self._judge if judged else None, without, vectors)
        found = await _each([self._in_space(space, look, asked) for space, look in zip(spaces, looks, strict=True)])
        hits = [hit for hits in found for hit in hits]
        hits = [hit for hit in sorted(hits, key=lambda hit: -hit.score) if hit.score > least]
        if rerank and self._reranker is not None:
            hits = await self._reranked(self._reranker, query, hits)
        self._metrics.search_seconds.observe(perf_counter() - started)
        if judged:
            outcome = "degraded" if vector is None else "found" if hits else "empty"
            self._outcomes[outcome].inc()
        return Found(tuple(hits[:limit]), degraded=vector is None)

    async def prepare(self, query: str) -> None:
        """Embed a query ahead: a search for it that begins meanwhile shares that."""
        await self._vector(query[:QUERY_CHARACTERS])

    async def near(self, places: Sequence[tuple[SpaceId, int]], query: str, least: float) -> list[Hit]:
        """Of passages that were found before, those near a query in meaning, nearest first; their scores are cosines.

        None when no embedder answers.
        """
        vector = await self._vector(query[:QUERY_CHARACTERS])
        if vector is None:
            return []
        hits: list[Hit] = []
        for space in dict.fromkeys(space for space, _ in places):
            ids = [passage_id for own, passage_id in places if own == space]
            stored = await self._passages.get(space, ids, self._embedder.model)
            cosines = {
                one: float(passage.vector.astype(np.float32) @ vector)
                for one, passage in stored.items()
                if passage.vector is not None
            }
            chosen = {one: stored[one] for one, cosine in cosines.items() if cosine >= least}
            memories = await self._memories_of(space, chosen)
            hits += [Hit(cosines[one], space, passage, memories.get(one)) for one, passage in chosen.items()]
        return sorted(hits, key=lambda hit: -hit.score)

    async def _vector(self, text: str) -> NDArray[np.float32] | None:
        if monotonic() < self._embedder_rests_until:
            return None
        try:
            async with asyncio.timeout(self._settings.search_embed_timeout_seconds):
                vector: NDArray[np.float32] = (await self._embedder.embed([text])).vectors[0]
                return vector
        except (Unavailable, DimensionMismatch, TimeoutError) as error:
            self._embedder_rests_until = monotonic() + _EMBEDDER_REST_SECONDS
            log.warning("search goes on by words alone", reason=str(error) or "the embedder took too long")
            return None

    async def _looks(
        self, spaces: Sequence[SpaceId], text: str, now: datetime, only: Filter
    ) -> tuple[Question, list[Look | None]]:
        """All that needs no vector, done while the question is embedded."""
        async with self._passages.states(spaces) as asked:
            question = read_question(text, now, self._settings.search_fusion)
            ahead = [self._ahead(space, question, only) for space in spaces]
            states = await asked.answer()
        looking = [
            self._look(space, states[space], early, question, only) for space, early in zip(spaces, ahead, strict=True)
        ]
        return question, await _each(looking)

    def _ahead(self, space: SpaceId, question: Question, only: Filter) -> InMemory | None:
        """A look at what is here before it is known whether that is all, which it mostly is; not at what takes long."""
        index = self._indexes.held(space, self._embedder.model, self._embedder.dimension or 1)
        if index is None or index.count > _INLINE:
            return None
        return InMemory(index, index.glance(question, only), in_thread=False)

    async def _look(
        self, space: SpaceId, state: SpaceState, ahead: InMemory | None, question: Question, only: Filter
    ) -> Look | None:
        """What is there for a question, before its vector is known; None when the space is empty."""
        if not state.passages:
            return None
        if state.passages > self._settings.index_largest_space:
            return await self._large.look(space, question, only)
        index = await self._indexes.current(space, state, self._embedder.model, self._embedder.dimension or 1)
        in_thread = state.passages > _INLINE
        if ahead is not None and ahead.index is index and not in_thread:
            return ahead  # it takes another glance by itself when the index has changed since
        glance = await _run(in_thread, index.glance, question, only)
        return InMemory(index, glance, in_thread)

    async def _in_space(self, space: SpaceId, look: Look | None, asked: _Asked) -> list[Hit]:
        if look is None:
            return []
        question, vector = asked.question, asked.vector
        count = max(asked.limit, self._settings.rerank_candidates if self._reranker is not None else 0) + _SPARE
        while True:
            found = await look.best(vector, count)
            read, memories = await self._read(space, look, found, asked)
            if unwanted := _unwanted(read, asked.without):
                look, count = look.without(unwanted), count + len(unwanted)
                found = await look.best(vector, count)
                read, memories = await self._read(space, look, found, asked)
            refused = _unwanted(read, asked.without) | _refused(memories, asked)
            stored = {one: passage for one, passage in read.items() if one not in refused} if refused else read
            if len(read) - len(stored) <= _SPARE or len(found.ids) < count:
                break
            count *= 4  # so many may not come back that others must be looked for in their place
        found = _present(found, stored)
        ranked = newest_first(found, question, stored)
        terms = [stored[one].terms for one in ranked.ids[:JUDGED].tolist()]
        scores = probabilities(ranked, terms, calibration_of(self._embedder.model))
        hits = [
            _hit(score, space, stored[one], memories.get(one), asked)
            for one, score in zip(ranked.ids.tolist(), scores, strict=True)
        ]
        return _one_per_message(hits)

    async def _read(
        self, space: SpaceId, look: Look, found: Candidates, asked: _Asked
    ) -> tuple[dict[int, Passage], dict[int, Memory]]:
        """What was found, and the memories' own rows."""
        held = look.held(found) if not asked.vectors else None
        if held is not None:
            return held, await self._memories_of(space, held)
        ids = found.ids.tolist()
        passages = self._passages.get(space, ids, self._embedder.model if asked.vectors else None)
        if self._memories is None:
            return await passages, {}
        return await asyncio.gather(passages, self._memories.by_passage(space, ids))

    async def _memories_of(self, space: SpaceId, stored: Mapping[int, Passage]) -> dict[int, Memory]:
        ids = [one for one, passage in stored.items() if passage.kind == "memory"]
        return await self._memories.by_passage(space, ids) if self._memories is not None and ids else {}

    async def _reranked(self, reranker: Reranker, query: str, hits: list[Hit]) -> list[Hit]:
        ordered = await reranked(
            reranker,
            query,
            hits,
            lambda hit: hit.passage.text,
            metrics=self._metrics,
            timeout=self._settings.rerank_timeout_seconds,
            candidates=self._settings.rerank_candidates,
        )
        return ordered.items


def _unwanted(read: dict[int, Passage], without: Callable[[Passage], bool] | None) -> frozenset[int]:
    return frozenset(one for one, passage in read.items() if without is not None and without(passage))


def _refused(memories: Mapping[int, Memory], asked: _Asked) -> frozenset[int]:
    """The passages of memories that their own rows say are not to come back.

    A memory may have ended in a process whose clock is ahead of ours, and thresholds may have changed.
    """
    now, past, judge = asked.question.asked_at, asked.only.as_of is not None, asked.judge
    return frozenset(
        one
        for one, memory in memories.items()
        if not (judge.usable(memory, now, past=past) if judge is not None else past or memory.is_active(now))
    )


def _hit(score: float, space: SpaceId, passage: Passage, memory: Memory | None, asked: _Asked) -> Hit:
    if memory is not None and asked.judge is not None:
        score = asked.judge.weighed(score, memory, asked.question.asked_at)
    return Hit(score, space, passage, memory)


async def _run(in_thread: bool, work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    return await asyncio.to_thread(work, *values, **named) if in_thread else work(*values, **named)


async def _each(works: Sequence[Awaitable[T]]) -> list[T]:
    """All results; a single one, the usual case, without the cost of a task."""
    return [await works[0]] if len(works) == 1 else list(await asyncio.gather(*works))


def _present(found: Candidates, stored: dict[int, Passage]) -> Candidates:
    """Without what was deleted since the candidates were chosen."""
    if len(stored) == len(found.ids):
        return found
    return found.chosen(np.array([passage_id in stored for passage_id in found.ids.tolist()], np.bool_))


def _one_per_message(hits: list[Hit]) -> list[Hit]:
    """The best piece of each message; what is no message stands for itself."""
    best: dict[tuple[object, ...], Hit] = {}
    for hit in hits:
        passage = hit.passage
        own = (passage.chat_id, passage.message_id) if passage.message_id is not None else (passage.passage_id,)
        best.setdefault(own, hit)
    return list(best.values())
