"""From a message to memories: extract, weigh, resolve against what is known, and write each decision down."""

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import numpy as np
import structlog
from numpy.typing import NDArray

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.embed.port import Embedder
from souvenir.errors import Unavailable
from souvenir.llm.structured import Spend
from souvenir.memory.asking_parse import Forget, asked
from souvenir.memory.model_extract import ModelExtractor
from souvenir.memory.model_resolve import ModelResolver
from souvenir.memory.port import Candidate, Decision, Extraction, Extractor, Known, Path, Resolver, Utterance
from souvenir.memory.thresholds import rejection
from souvenir.metrics import Metrics
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.search import Search
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import terms_of
from souvenir.stores.memory_ports import FoundBy, Memory, MemoryStore, NewMemory
from souvenir.stores.passage_ports import Passage
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

BEFORE = 10  # messages of context
_KNOWN_FOR_CONTEXT = 10
_KNOWN_FOR_RESOLVING = 12
_MEMORIES = Filter(kinds=frozenset({"memory"}))

Outcome = Literal["add", "ignore", "replace", "reject"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a candidate comes from: when it was said, in which chat and message, who stores it and under which key."""

    at: datetime
    path: str
    by: str
    origin: dict[str, str]
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """One candidate and what became of it; `memory` is what is stored, or was known already."""

    candidate: Candidate
    action: Outcome
    target: str | None
    reason: str
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Formed:
    """What a message led to, and who found it."""

    decided: tuple[Decided, ...]
    path: Path


class Formation:
    """Forms memories of one message at a time. Forming the same message again under the same key changes nothing.

    With a model configured it is asked first, as long as the day's budget lasts; whenever it gives nothing usable the
    local rules do the same job, and what is stored says who found it.
    """

    def __init__(  # noqa: PLR0913 - named parts, put together in one place
        self,
        *,
        memories: MemoryStore,
        search: Search,
        embedder: Embedder,
        local: tuple[Extractor, Resolver],
        model: tuple[ModelExtractor, ModelResolver] | None,
        settings: Settings,
        clock: Clock,
        metrics: Metrics,
        transaction: Callable[[], AbstractAsyncContextManager[object]],
    ) -> None:
        self._memories = memories
        self._transaction = transaction
        self._search = search
        self._embedder = embedder
        self._extractor, self._resolver = local
        self._model = model
        self._settings = settings
        self._clock = clock
        self._metrics = metrics

    async def form(
        self, space: SpaceId, said: Utterance, before: Sequence[Utterance], key: str, origin: dict[str, str]
    ) -> Formed:
        """Remember what is worth it; every decision is one transaction. Only what a user says is ever read."""
        request = asked(said.content) if said.role == "user" else None
        if isinstance(request, Forget):
            said = replace(said, content=request.rest)  # what is to be forgotten must not be learned from the request
        if said.role != "user" or not said.content.strip():
            return Formed((), "local")
        # what a clock that was ahead dates to the future could else not be replaced until then
        said = replace(said, at=min(said.at, self._clock.now()))
        extraction = await self._extract(space, said, before)
        decided = [
            await self._decide(space, candidate, extraction.path, said.at, key, origin)
            for candidate in extraction.candidates
        ]
        self._report(space, len(said.content), decided, extraction.path)
        return Formed(tuple(decided), extraction.path)

    async def consider(self, space: SpaceId, said: Utterance, before: Sequence[Utterance]) -> Formed:
        """What would be remembered, and why; nothing is stored."""
        extraction = await self._extract(space, said, before)
        decided = []
        for candidate in extraction.candidates:
            why = self._rejected(candidate)
            if why is not None:
                decided.append(Decided(candidate, "reject", None, why))
                continue
            decision, _ = await self._resolve(space, candidate, extraction.path, said.at)
            decided.append(Decided(candidate, decision.action, decision.target, decision.reason))
        return Formed(tuple(decided), extraction.path)

    async def remember(
        self,
        space: SpaceId,
        candidate: Candidate,
        at: datetime,
        by: str,
        origin: dict[str, str],
        key: str | None = None,
    ) -> Decided:
        """Store what somebody asked to remember, whatever its importance; resolved like anything else."""
        decision, vector = await self._resolve(space, candidate, "local", at)
        decided = await self._apply(space, candidate, decision, vector, Source(at, "user", by, origin, key))
        self._report(space, len(candidate.content), [decided], "user")
        return decided

    async def found_by(self, text: str) -> FoundBy:
        """What search finds a sentence by."""
        vector = await self._vector(text)
        return FoundBy(
            terms=" ".join(terms_of(text)),
            signs=signs_of(text),
            words=words_of(text),
            vector=vector,
            model=self._embedder.model if vector is not None else None,
        )

    async def near(self, space: SpaceId, text: str, count: int) -> list[Known]:
        """The active memories nearest to a text, nearest first."""
        found = await self._search.search(
            [space], text, _MEMORIES, limit=count, threshold=-1.0, rerank=False, judged=False, vectors=True
        )
        return [_known(hit.passage) for hit in found.hits]

    async def _extract(self, space: SpaceId, said: Utterance, before: Sequence[Utterance]) -> Extraction:
        context = [one for one in before if one.role in {"user", "assistant"}][-BEFORE:]
        if self._model is not None and await self._affordable(space):
            known = [one.content for one in await self.near(space, said.content, _KNOWN_FOR_CONTEXT)]
            spend = Spend()
            try:
                return await self._model[0].extract(said, context, known, spend)
            except Unavailable as error:
                self._metrics.memory_fallbacks.labels("extract").inc()
                log.warning("memories are extracted by rules", reason=str(error))
            finally:
                await self._spent(space, "extract", spend)
        return await self._extractor.extract(said, context, [])

    async def _decide(
        self, space: SpaceId, candidate: Candidate, path: Path, at: datetime, key: str, origin: dict[str, str]
    ) -> Decided:
        why = self._rejected(candidate)
        if why is not None:
            return Decided(candidate, "reject", None, why)
        decision, vector = await self._resolve(space, candidate, path, at)
        source = Source(at, path, "formation", origin, key_of(key, candidate.content))
        return await self._apply(space, candidate, decision, vector, source)

    def _rejected(self, candidate: Candidate) -> str | None:
        return rejection(candidate.category, candidate.importance, candidate.confidence, self._settings)

    async def _resolve(
        self, space: SpaceId, candidate: Candidate, path: Path, at: datetime
    ) -> tuple[Decision, NDArray[np.float32] | None]:
        known = await self.near(space, candidate.content, _KNOWN_FOR_RESOLVING)
        vector = await self._vector(candidate.content)
        local = await self._resolver.resolve(candidate, vector, at, known)
        # what the rules are sure of needs no model: nothing alike, or the very same
        if path == "local" or self._model is None or not known or local.action == "ignore":
            return local, vector
        spend = Spend()
        try:
            if await self._affordable(space):
                return await self._model[1].resolve(candidate, vector, at, known, spend), vector
        except Unavailable as error:
            self._metrics.memory_fallbacks.labels("resolve").inc()
            log.warning("a memory is resolved by rules", reason=str(error))
        finally:
            await self._spent(space, "resolve", spend)
        return local, vector

    async def _vector(self, text: str) -> NDArray[np.float32] | None:
        try:
            vector: NDArray[np.float32] = (await self._embedder.embed([text])).vectors[0]
        except Unavailable:
            return None
        return vector

    async def _apply(
        self,
        space: SpaceId,
        candidate: Candidate,
        decision: Decision,
        vector: NDArray[np.float32] | None,
        source: Source,
    ) -> Decided:
        new = self._new(candidate, vector, source)
        by, key = source.by, source.key
        memory: Memory | None = None
        action = decision.action
        if action == "replace" and decision.target is not None:
            memory = await self._memories.replace(space, decision.target, new, decision.reason, by, key)
        elif action == "add":
            # together: once the sentence is known, nobody would ask again what it contradicts
            async with self._transaction() if decision.undecided else contextlib.nullcontext():
                memory = await self._memories.add(space, new, decision.reason, by, key)
                if memory is not None and decision.undecided and decision.target is not None:
                    await self._memories.open_conflict(space, decision.target, memory.memory_id, decision.reason)
        if memory is None:
            await self._memories.ignored(space, candidate.content, decision.target, decision.reason, key)
            action = "ignore"
        return Decided(candidate, action, decision.target, decision.reason, memory)

    def _new(self, candidate: Candidate, vector: NDArray[np.float32] | None, source: Source) -> NewMemory:
        return NewMemory(
            content=candidate.content,
            category=candidate.category,
            importance=candidate.importance,
            confidence=candidate.confidence,
            reasoning=candidate.reasoning,
            lifetime=candidate.lifetime,
            said_at=source.at,
            path=source.path,
            expires_at=candidate.expires_at,
            origin=dict(source.origin),
            verified=source.path == "user",
            vector=vector,
            model=self._embedder.model if vector is not None else None,
            terms=" ".join(terms_of(candidate.content)),
            signs=signs_of(candidate.content),
            words=words_of(candidate.content),
        )

    async def _affordable(self, space: SpaceId) -> bool:
        cap = self._settings.memory_tokens_per_day
        if cap is None:
            return True
        spent = await self._memories.spent(space, self._clock.now().date())
        return sum(spent.values()) < cap

    async def _spent(self, space: SpaceId, purpose: str, spend: Spend) -> None:
        tokens = spend.prompt_tokens + spend.completion_tokens
        if tokens:
            await self._memories.spend(space, self._clock.now().date(), purpose, tokens)
            self._metrics.memory_tokens.labels(purpose).inc(tokens)

    def _report(self, space: SpaceId, length: int, decided: Sequence[Decided], path: str) -> None:
        """One line per run; sentences, and reasons that quote them, are people's own words and shown at debug only."""
        for one in decided:
            self._metrics.memory_decisions.labels(one.action, path).inc()
            if one.action in {"add", "replace"}:
                self._metrics.memory_confidence.observe(one.candidate.confidence)
        log.info(
            "memory_decision",
            user=space,
            input_length=length,
            extracted_count=len(decided),
            path=path,
            decisions=[
                {
                    "fact": one.memory.memory_id if one.memory is not None else None,
                    "action": one.action,
                    "target": one.target,
                    "reason": one.reason.partition(":")[0] if path != "model" else "the model's",
                }
                for one in decided
            ],
        )
        log.debug(
            "memory_decision in words",
            user=space,
            decisions=[
                {"fact": one.candidate.content, "action": one.action, "target": one.target, "reason": one.reason}
                for one in decided
            ],
        )


def key_of(key: str, content: str) -> str:
    """The key under which a sentence of a message is stored; `key` is the message's own."""
    return f"{key}:{hashlib.sha256(content.encode()).hexdigest()[:24]}"


def _known(passage: Passage) -> Known:
    """What a memory's passage tells of it."""
    vector = None if passage.vector is None else passage.vector.astype(np.float32)
    return Known(passage.origin["memory_id"], passage.text, passage.category, passage.at, vector)  # type: ignore[arg-type]
