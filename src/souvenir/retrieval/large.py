"""Spaces too large for memory: the database's indexes narrow them, and the one scoring function ranks what is left.

A first look brings thousands of passages that are near to the question or hold its rarer words, with little more than
their numbers. Scored as if nothing else had been said, the best of them get a second look, this time with the turns
around them, and that is what is ranked. Measured against a full scan in docs/retrieval.md.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from math import prod
from typing import Protocol

import numpy as np
import structlog
from numpy.typing import NDArray

from souvenir.embed.port import Embedder
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.postings import idf
from souvenir.retrieval.question import Question
from souvenir.retrieval.score import ASSISTANT, REACH, said, score, surface
from souvenir.retrieval.signs import INSTRUCTION
from souvenir.retrieval.space_index import Candidates, SpaceIndex, Statistics, guessed
from souvenir.retrieval.times import TimeRange
from souvenir.stores.passage_ports import Changes, Further, Glimpses, LargeSpaceStore, Look, Survey
from souvenir.stores.ports import Job
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

TASK = "index-large-space"
TIDY_TASK = "tidy-large-spaces"

_NEAREST = 600  # by meaning
_NEAREST_PREFERRED = 200  # in each period the question speaks of, and among standing wishes
_HOLDERS = 10_000  # by words, as far as that can be told before looking
_HOLDERS_OF_SEVERAL = 3000  # words that are always said together have more than can be told
_TOO_MANY_HOLDERS = 3 * _HOLDERS
_SECOND_LOOK = 160
_SECOND_LOOK_FILTERED = 300
_PERIODS = 3
_COMBINED_TERMS = 8
_TOGETHER = 2.0  # how many times as often as chance has it two words of a question are said together
_GROWTH = 0.2  # of a space since its terms were counted

_ANOTHER = "."  # is never a term
_WORD = re.compile(r"\w+")


class Jobs(Protocol):
    """What is asked of the job queue."""

    def register(self, name: str, handler: Callable[[Job], Awaitable[None]], *, cron: str | None = None) -> None:
        """Make a task known."""
        ...

    async def enqueue(
        self, space: SpaceId, task: str, *, key: str, payload: JsonObject | None = None, at: datetime | None = None
    ) -> int | None:
        """Queue a job unless its key was used before."""
        ...


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with all that is known of the space it is asked of."""

    question: Question
    only: Filter
    look: Look
    survey: Survey
    periods: tuple[TimeRange, ...]

    @property
    def statistics(self) -> Statistics:
        survey = self.survey
        return Statistics(survey.passages, survey.average, survey.holders, survey.newest)


class LargeSpaces:
    """Search in spaces beyond `index_largest_space` passages, and the jobs that keep it fast."""

    def __init__(self, store: LargeSpaceStore, embedder: Embedder, jobs: Jobs, largest: int) -> None:
        self._store = store
        self._embedder = embedder
        self._jobs = jobs
        self._largest = largest
        self._queued: set[tuple[SpaceId, str]] = set()
        jobs.register(TASK, self._index)
        jobs.register(TIDY_TASK, self._tidy, cron="41 3 * * *")

    async def look(self, space: SpaceId, question: Question, only: Filter) -> "LargeLook":
        """What is known of a space for a question, before its vector is."""
        survey = await self._store.survey(space, question.terms, only, question.asked_at)
        return LargeLook(self, space, question, only, survey)

    async def candidates(
        self,
        space: SpaceId,
        question: Question,
        vector: NDArray[np.float32] | None,
        only: Filter,
        count: int,
        survey: Survey,
    ) -> Candidates:
        """The best `count` passages that pass the filter."""
        asked = self._asked(question, vector, only, survey)
        seen = _joined(await asyncio.gather(*self._looks(space, asked)))
        if len(seen.ids) < _NEAREST:
            # all that passes and has a vector was seen; now what has none too
            seen = _joined([seen, await self._store.newest(space, asked.look, _NEAREST)])
        # what does not pass was not seen, so less is known of what surrounds the rest
        second_look = _SECOND_LOOK if only == Filter() else _SECOND_LOOK_FILTERED
        ids = _best(seen, asked, max(second_look, 2 * count))
        columns = await self._store.around(space, asked.look, ids.tolist(), REACH)
        thin = replace(columns, terms=[_thinned(terms, frozenset(question.terms)) for terms in columns.terms])
        index = SpaceIndex(1)
        index.apply([Changes(thin, np.zeros(0, np.int64))], 1)
        # the store has seen to the chat, and names of stretches stand where those of chats would
        found = index.candidates(
            question,
            np.ones(1, np.float32) if vector is not None else None,
            replace(only, chat_id=None),
            count,
            asked.statistics,
        )
        await self._notice(space, asked.survey)
        return found

    def _asked(self, question: Question, vector: NDArray[np.float32] | None, only: Filter, survey: Survey) -> _Asked:
        weights = {term: idf(survey.passages, survey.holders[term]) for term in question.terms}
        whole = sum(weights.values()) or 1.0
        look = Look(
            only=only,
            asked_at=question.asked_at,
            model=self._embedder.model,
            dimension=self._embedder.dimension or 1,
            vector=vector,
            weights={term: weight / whole for term, weight in weights.items() if survey.holders[term]},
            names=sorted({word.lower() for word in _WORD.findall(question.text)}) if question.names else (),
        )
        periods = question.periods(survey.newest) if survey.newest is not None else ()
        return _Asked(question, only, look, survey, periods)

    def _looks(self, space: SpaceId, asked: _Asked) -> Iterator[Awaitable[Glimpses]]:
        """By words and by meaning; and whatever the scoring function prefers, where it would not be near enough."""
        store, look = self._store, asked.look
        groups, common = groups_of(look.weights, asked.survey.holders, asked.survey.passages)
        if groups:
            yield store.holders(space, look, groups, _HOLDERS_OF_SEVERAL)
        best = store.nearest if look.vector is not None else store.newest
        yield best(space, look, _NEAREST)
        if common:
            yield best(space, look, _NEAREST_PREFERRED, Further(holding=common))
        for period in asked.periods[:_PERIODS]:
            yield best(space, look, _NEAREST_PREFERRED, Further(during=(period.start, period.end)))
        if asked.question.wants_help:
            yield best(space, look, _NEAREST_PREFERRED, Further(signs=INSTRUCTION))

    async def _notice(self, space: SpaceId, survey: Survey) -> None:
        """Queue the counting and indexing of a space that has outgrown what is there: once for each state it is in."""
        model, dimension = self._embedder.model, self._embedder.dimension
        grown = abs(survey.passages - survey.counted) > _GROWTH * survey.counted
        if dimension is None or (survey.model == model and not grown):
            return
        # should that fail for good, twice as many passages are reason to try again
        key = f"large:{model}:{survey.generation}:{survey.passages.bit_length()}"
        if (space, key) in self._queued:
            return
        await self._jobs.enqueue(space, TASK, key=key, payload={"model": model, "dimension": dimension})
        self._queued.add((space, key))

    async def _index(self, job: Job) -> None:
        log.info("indexing a large space", space=job.space)
        await self._store.index(job.space, str(job.payload["model"]), int(job.payload["dimension"]))

    async def _tidy(self, _job: Job) -> None:
        """Daily: let go of what was made for spaces that are small again."""
        for space, passages in (await self._store.spaces()).items():
            if 2 * passages < self._largest:
                await self._store.drop(space)


@dataclass(frozen=True, slots=True)
class LargeLook:
    """A large space as a question sees it before its vector is known."""

    spaces: LargeSpaces
    space: SpaceId
    question: Question
    only: Filter
    survey: Survey

    def without(self, _passage_ids: frozenset[int]) -> "LargeLook":
        """The same: among so many, a few neighbours more or less are no matter."""
        return self

    async def best(self, vector: NDArray[np.float32] | None, count: int) -> Candidates:
        """The best candidates; without a vector, by words alone."""
        return await self.spaces.candidates(self.space, self.question, vector, self.only, count, self.survey)

    def held(self, _found: Candidates) -> None:
        """Nothing is."""


def groups_of(
    weights: Mapping[str, float], holders: Mapping[str, int], passages: int
) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The sets of terms that tell most, whose holders are few enough to look at all of them.

    If even those that hold every term are too many, there are no groups; then the second value is these terms.
    """
    rarest = sorted(weights, key=lambda term: (holders[term], term))[:_COMBINED_TERMS]
    sets = [terms for size in range(1, len(rarest) + 1) for terms in combinations(rarest, size)]
    sets.sort(key=lambda terms: -sum(weights[term] for term in terms))
    chosen: dict[frozenset[str], float] = {}
    for terms in sets:
        own = frozenset(terms)
        # who holds more is among those who hold less
        trial = {known: amount for known, amount in chosen.items() if not own < known}
        trial[own] = _amount([holders[term] for term in terms], passages)
        if sum(trial.values()) <= (_HOLDERS if chosen else _TOO_MANY_HOLDERS):
            chosen = trial
    if rarest and not chosen:
        return [], tuple(rarest)
    return [tuple(sorted(terms)) for terms in chosen], ()


def _amount(holders: Sequence[int], passages: int) -> float:
    by_chance = passages * prod(count / passages for count in holders)
    return min(*holders, by_chance * _TOGETHER ** (len(holders) - 1)) if len(holders) > 1 else float(holders[0])


def _thinned(terms: str, asked: frozenset[str]) -> str:
    """As many terms, and only those of the question to be told from each other: postings of others serve nobody."""
    return " ".join([term if term in asked else _ANOTHER for term in terms.split(" ")]) if terms else ""


def _joined(looks: Sequence[Glimpses]) -> Glimpses:
    """All that was seen, each passage once, chat by chat in the order in which things were said."""
    if not looks:
        looks = [_nothing()]
    fields = {name: np.concatenate([getattr(look, name) for look in looks]) for name in Glimpses.__slots__}
    ids, first = np.unique(fields["ids"], return_index=True)
    first = first[np.lexsort((ids, fields["chats"][first]))]
    return Glimpses(**{name: values[first] for name, values in fields.items()})


def _nothing() -> Glimpses:
    whole, real = np.zeros(0, np.int64), np.zeros(0, np.float32)
    flags = np.zeros(0, np.bool_)
    return Glimpses(
        whole, whole, np.zeros(0, np.float64), flags, flags, whole.astype(np.int16), whole.astype(np.int32), real, real
    )


def _best(seen: Glimpses, asked: _Asked, count: int) -> NDArray[np.int64]:
    """Those that score best among what was seen, as far as that can be told from it."""
    _, chats = np.unique(seen.chats, return_inverse=True)
    known = surface(
        np.where(seen.chats == 0, -1, chats).astype(np.int32),
        seen.at,
        np.where(seen.assistant, ASSISTANT, 0).astype(np.int8),
        np.where(seen.named, 0, -1).astype(np.int32),
        seen.signs,
        seen.words,
    )
    cosines = np.where(np.isnan(seen.cosines), guessed(seen.shares), seen.cosines)
    words = said(asked.question, known, seen.shares, [0], asked.periods)
    scores = score(asked.question, known, words, cosines, seen.shares)
    best = np.argpartition(-scores, count)[:count] if len(scores) > count else np.arange(len(scores))
    return np.sort(seen.ids[best])
