"""One search over everything remembered: read the question, score each space, judge, cut, cite."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic, perf_counter

import numpy as np
import structlog
from numpy.typing import NDArray

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.embed.port import Embedder
from souvenir.errors import DimensionMismatch, Unavailable
from souvenir.metrics import Metrics
from souvenir.retrieval.calibrate import calibration_of, probabilities
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.question import Question, read_question
from souvenir.retrieval.rerank import Reranker, reranked
from souvenir.retrieval.restate import newest_first
from souvenir.retrieval.score import WEIGHTS
from souvenir.retrieval.space_index import Candidates
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.stores.passage_ports import Passage, PassageStore, SpaceState
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

QUERY_CHARACTERS = 8000  # of a query that are read; the rest of a pasted page adds nothing but time

_SPARE = 12  # candidates beyond the limit: some are pieces of one message, some change places when measured exactly
_INLINE = 20_000  # passages that are scored in less time than handing them to a thread takes
_EMBEDDER_REST_SECONDS = 5.0  # after it failed, so that not every question waits for it to fail again

Decay = Callable[[Passage, datetime], float]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, how likely it does, and the space it is from."""

    score: float
    space: SpaceId
    passage: Passage


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first. `degraded` says that no embedder answered and words alone decided."""

    hits: tuple[Hit, ...]
    degraded: bool


def no_decay(_passage: Passage, _now: datetime) -> float:
    """What is remembered does not fade."""
    return 1.0


class Search:
    """Search for one process. Spaces are given by the caller's scope and are all that is ever looked at."""

    def __init__(
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
    ) -> None:
        self._passages = passages
        self._indexes = indexes
        self._large = large
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._embedder_rests_until = 0.0

    @property
    def default_threshold(self) -> float:
        """The score a hit must exceed when the question does not say."""
        configured = self._settings.search_threshold
        return configured if configured is not None else calibration_of(self._embedder.model).threshold

    async def search(
        self,
        spaces: Sequence[SpaceId],
        query: str,
        only: Filter,
        *,
        limit: int,
        threshold: float | None = None,
        rerank: bool = True,
        decay: Decay = no_decay,
    ) -> Found:
        """What answers the query in these spaces, at most `limit` hits, each with a score above the threshold.

        `decay` lets what is old, or was of no use, count for less.
        """
        started = perf_counter()
        now = self._clock.now()
        text = query[:QUERY_CHARACTERS]
        question = read_question(text, now, self._settings.search_fusion)
        states, vector = await asyncio.gather(self._passages.states(spaces), self._vector(text))
        least = self.default_threshold if threshold is None else threshold
        found = await asyncio.gather(
            *(self._in_space(space, states[space], question, vector, only, limit) for space in spaces)
        )
        hits = [hit for hits in found for hit in hits]
        if decay is not no_decay:
            hits = [replace(hit, score=hit.score * decay(hit.passage, now)) for hit in hits]
        hits = [hit for hit in sorted(hits, key=lambda hit: -hit.score) if hit.score > least]
        if rerank and self._reranker is not None:
            hits = await self._reranked(self._reranker, query, hits)
        self._metrics.search_seconds.observe(perf_counter() - started)
        outcome = "degraded" if vector is None else "found" if hits else "empty"
        self._metrics.search_hits.labels(outcome).inc()
        return Found(tuple(hits[:limit]), degraded=vector is None)

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

    async def _in_space(
        self,
        space: SpaceId,
        state: SpaceState,
        question: Question,
        vector: NDArray[np.float32] | None,
        only: Filter,
        limit: int,
    ) -> list[Hit]:
        if not state.passages:
            return []
        count = max(limit, self._settings.rerank_candidates if self._reranker is not None else 0) + _SPARE
        found = await self._candidates(space, state, question, vector, only, count)
        model = self._embedder.model if vector is not None else None
        stored = await self._passages.get(space, found.ids.tolist(), model)
        found = _present(found, stored)
        if question.fusion == "weighed":
            found = _exactly(found, stored, vector)
        ranked = newest_first(found, question, stored)
        scores = probabilities(ranked, calibration_of(self._embedder.model))
        hits = [
            Hit(float(score), space, stored[passage_id])
            for passage_id, score in zip(ranked.ids.tolist(), scores, strict=True)
        ]
        return _one_per_message(hits)

    async def _candidates(
        self,
        space: SpaceId,
        state: SpaceState,
        question: Question,
        vector: NDArray[np.float32] | None,
        only: Filter,
        count: int,
    ) -> Candidates:
        model, dimension = self._embedder.model, self._embedder.dimension or 1
        if state.passages > self._settings.index_largest_space:
            return await self._large.candidates(space, question, vector, only, count)
        index = await self._indexes.current(space, state, model, dimension)
        if state.passages <= _INLINE:
            return index.candidates(question, vector, only, count)
        return await asyncio.to_thread(index.candidates, question, vector, only, count)

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


def _present(found: Candidates, stored: dict[int, Passage]) -> Candidates:
    """Without what was deleted since the candidates were chosen."""
    return found.chosen(np.array([passage_id in stored for passage_id in found.ids.tolist()], np.bool_))


def _exactly(found: Candidates, stored: dict[int, Passage], vector: NDArray[np.float32] | None) -> Candidates:
    """With cosines from the stored vectors in place of those from bytes, and in the order that gives."""
    if vector is None or not len(found.ids):
        return found
    own = {place: stored[passage_id].vector for place, passage_id in enumerate(found.ids.tolist())}
    measured = {place: values for place, values in own.items() if values is not None}
    exact = found.cosines.copy()
    if measured:
        exact[list(measured)] = np.stack(list(measured.values())).astype(np.float32) @ vector
    scores = found.scores + np.float32(WEIGHTS.cosine) * (exact - found.cosines)
    return replace(found, cosines=exact, scores=scores).chosen(np.lexsort((-found.ids, -scores)))


def _one_per_message(hits: list[Hit]) -> list[Hit]:
    """The best piece of each message; what is no message stands for itself."""
    best: dict[tuple[object, ...], Hit] = {}
    for hit in hits:
        passage = hit.passage
        own = (passage.chat_id, passage.message_id) if passage.message_id is not None else (passage.passage_id,)
        best.setdefault(own, hit)
    return list(best.values())
