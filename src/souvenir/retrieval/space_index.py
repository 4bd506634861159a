"""One space in memory: exact lexical postings, vectors as bytes, and what filters and the scoring function need."""

import functools
import threading
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from souvenir.retrieval.filters import Filter
from souvenir.retrieval.held import HeldPassages
from souvenir.retrieval.postings import Postings, idf, norms
from souvenir.retrieval.question import Question
from souvenir.retrieval.score import ROLES, Surface, alone, said, score, surface
from souvenir.retrieval.terms import terms_of
from souvenir.retrieval.times import TimeRange
from souvenir.retrieval.vectors import QuantizedVectors
from souvenir.stores.passage_ports import Changes, Columns, Passage

_WORN_ROWS = 1000
_WORN_SHARE = 0.25
_BLOCK = 64

_FIELDS = {
    "ids": np.int64,
    "at": np.float64,
    "until": np.float64,
    "chats": np.int32,
    "kinds": np.int16,
    "roles": np.int8,
    "speakers": np.int32,
    "categories": np.int32,
    "signs": np.int16,
    "words": np.int32,
    "lengths": np.float32,
    "embedded": np.bool_,
    "alive": np.bool_,
}


@dataclass(frozen=True, slots=True)
class Candidates:
    """The best passages of a space for a question, best first, with the signs their relevance is judged by.

    `alone` is what each scores but for the meaning of what surrounds it.
    `weights` is what each term of the question tells, as a share of the whole; `named` the share, by weight, of its
    names that occur in the space at all; 1 when it has none.
    `among` is how many passages the space has, `average` how many terms they have. `rows` are their places in the index
    that chose them.
    """

    ids: NDArray[np.int64]
    rows: NDArray[np.intp]
    scores: NDArray[np.float32]
    alone: NDArray[np.float32]
    cosines: NDArray[np.float32]
    weights: Mapping[str, float]
    named: float
    among: int
    average: float

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> "Candidates":
        """Some of them, or all in another order."""
        return replace(
            self,
            ids=self.ids[which],
            rows=self.rows[which],
            scores=self.scores[which],
            alone=self.alone[which],
            cosines=self.cosines[which],
        )


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 knows of a whole space: how many passages, how long on average, how many of them have each term.

    `newest` is the latest time that any passage speaks of, for whoever knows it better than the index does.
    """

    documents: int
    average: float
    holders: Mapping[str, int]
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of all rows as a share of what the question could reach, what each of its terms is of that, and how many of
    its names are known at all."""

    shares: NDArray[np.float32]
    weights: Mapping[str, float]
    named: float


class _Ordered(NamedTuple):
    """The rows as they were said, and what is true of all of them; worked out once for all questions."""

    order: NDArray[np.intp]
    surface: Surface
    average: float  # length of those alive
    norms: NDArray[np.float32]  # of their lengths
    embedded: bool  # whether all are
    newest: float
    first_end: float  # the earliest time at which any of them no longer stands; -inf when some are dead


@dataclass(frozen=True, slots=True)
class Glance:
    """What a question finds in a space before its vector is known. Arrays with `ordered` follow the index's order."""

    question: Question
    only: Filter
    version: int
    given: Statistics | None
    statistics: Statistics
    visible: NDArray[np.bool_] | None  # None: all
    passes_ordered: NDArray[np.bool_] | None  # None: all
    weights: Mapping[str, float]
    named: float
    shares: NDArray[np.float32]
    shares_ordered: NDArray[np.float32]
    said_ordered: NDArray[np.float32]


class SpaceIndex:
    """Rows are added at the end and die in place; an index with many dead rows is `worn` and better read anew.

    Safe to use from several threads. What it answers depends on what is in the space alone, not on how it came there.
    """

    def __init__(self, dimension: int) -> None:
        self.revision = 0
        self._version = 0
        self._dimension = dimension
        self._lock = threading.Lock()
        self._count = 0
        self._dead = 0
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(64, dtype) for name, dtype in _FIELDS.items()}
        self._vectors = QuantizedVectors(dimension)
        self._postings = Postings()
        self._held = HeldPassages()
        self._chats: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._tags: dict[str, array[int]] = {}
        self._tag_postings = 0
        self._ordered: _Ordered | None = None

    @property
    def size_bytes(self) -> int:
        """About what it holds in memory, the order that is made at the first question included."""
        columns = sum(column.nbytes for column in self._columns.values())
        names = 150 * (len(self._chats) + len(self._names) + len(self._tags))
        return (
            columns
            + self._vectors.size_bytes
            + self._postings.size_bytes
            + self._held.size_bytes
            + 4 * self._tag_postings
            + names
            + (53 * self._count)
        )

    @property
    def is_worn(self) -> bool:
        """Whether so many rows are dead that reading the space anew pays."""
        return self._dead > max(_WORN_ROWS, _WORN_SHARE * self._count)

    @property
    def count(self) -> int:
        """How many passages it holds."""
        return self._count - self._dead

    def apply(self, changes: Iterable[Changes], revision: int) -> None:
        """Take in what happened up to a revision."""
        with self._lock:
            for change in changes:
                self._kill(np.concatenate((change.removed, change.columns.ids)))
                self._append(change.columns)
            self.revision = revision
            self._version += 1

    def prepare(self) -> None:
        """Work out anew what questions need and changes leave undone; otherwise the next question does."""
        with self._lock:
            self._ordered = None
            self._order()

    def candidates(
        self,
        question: Question,
        vector: NDArray[np.float32] | None,
        only: Filter,
        count: int,
        statistics: Statistics | None = None,
    ) -> Candidates:
        """The best `count` passages that pass the filter; without a vector, by words and surroundings alone.

        `statistics` are given where the index holds only some of a space.
        """
        return self.best(self.glance(question, only, statistics), vector, count)

    def glance(self, question: Question, only: Filter, statistics: Statistics | None = None) -> Glance:
        """All that can be found out before the question's vector is known."""
        with self._lock:
            return self._glance(question, only, statistics)

    def best(self, glance: Glance, vector: NDArray[np.float32] | None, count: int) -> Candidates:
        """The best `count` of what passes; a glance from before the last change is taken again."""
        with self._lock:
            if glance.version != self._version:
                glance = self._glance(glance.question, glance.only, glance.given)
            order, known, *_ = self._order()
            cosines = self._cosines(vector, glance.shares)
            if glance.visible is not None:
                cosines *= glance.visible
            ranked = score(glance.question, known, glance.said_ordered, cosines[order], glance.shares_ordered)
            places = _best(ranked, glance.passes_ordered, count)
            ids = self._column("ids")[order[places]]
            ranking = np.lexsort((-ids, -ranked[places]))[:count]  # of equal ones the newest first
            places, chosen = places[ranking], order[places[ranking]]
            return Candidates(
                ids=ids[ranking],
                rows=chosen,
                scores=ranked[places],
                alone=alone(glance.said_ordered[places], cosines[chosen]),
                cosines=cosines[chosen],
                weights=glance.weights,
                named=glance.named,
                among=glance.statistics.documents,
                average=glance.statistics.average,
            )

    def passages(self, found: Candidates) -> dict[int, Passage]:
        """What candidates of this index show; those that are gone since are not there.

        No lock: rows stay what they are until they die, and nobody should wait here for changes that are taken in.
        """
        rows = found.rows
        at, until = self._columns["at"][rows].tolist(), self._columns["until"][rows].tolist()
        return self._held.passages(rows.tolist(), found.ids.tolist(), at, until)

    def _glance(self, question: Question, only: Filter, given: Statistics | None) -> Glance:
        order, known, average, own_norms, _, newest, first_end = self._order()
        statistics = given or self._statistics(question, average)
        lexical = self._lexical(
            question, statistics, norms(self._column("lengths"), given.average) if given is not None else own_norms
        )
        shares = lexical.shares
        visible = passes = None
        if only.as_of is not None or only.without or first_end <= question.asked_at.timestamp():
            visible = self._visible(only, question.asked_at)
            newest = float(self._column("at").max(where=visible, initial=-np.inf))
            # what is not there must not lend its neighbours any weight
            shares = shares * visible
        if visible is not None or only != Filter():
            passes = self._passes(only, visible)[order]
        named = [self._names[term] for term in question.terms if term in self._names]
        shares_ordered = shares[order]
        periods: tuple[TimeRange, ...] = ()
        if np.isfinite(newest):
            periods = question.periods(statistics.newest or datetime.fromtimestamp(newest, UTC))
        return Glance(
            question=question,
            only=only,
            version=self._version,
            given=given,
            statistics=statistics,
            visible=visible,
            passes_ordered=passes,
            weights=lexical.weights,
            named=lexical.named,
            shares=shares,
            shares_ordered=shares_ordered,
            said_ordered=said(question, known, shares_ordered, named, periods),
        )

    def _column(self, name: str) -> NDArray[Any]:
        return self._columns[name][: self._count]

    def _append(self, columns: Columns) -> None:
        first, added = self._count, len(columns.ids)
        if not added:
            return
        self._reserve(first + added)
        rows = np.arange(first, first + added)
        values = {
            "ids": columns.ids,
            "at": columns.at,
            "until": columns.until,
            "chats": [-1 if chat is None else _code(self._chats, chat) for chat in columns.chat_ids],
            "kinds": [_code(self._kinds, kind) for kind in columns.kinds],
            "roles": [ROLES.get(role or "", 0) for role in columns.roles],
            "speakers": [self._speaker(speaker) for speaker in columns.speakers],
            "categories": [-1 if name is None else _code(self._categories, name) for name in columns.categories],
            "signs": columns.signs,
            "words": columns.words,
            "lengths": [
                self._postings.add(first + index, terms.split(" ") if terms else ())
                for index, terms in enumerate(columns.terms)
            ],
            "embedded": columns.embedded,
            "alive": np.ones(added, np.bool_),
        }
        for name, value in values.items():
            self._columns[name][rows] = value
        for index, tags in enumerate(columns.tags):
            for tag in tags:
                self._tags.setdefault(tag, array("i")).append(first + index)
                self._tag_postings += 1
        self._vectors.put(rows, columns.vectors)
        self._held.add(columns)
        self._count += added
        self._ordered = None

    def _speaker(self, speaker: str | None) -> int:
        name = _known_as(speaker) if speaker else None
        return _code(self._names, name) if name is not None else -1

    def _kill(self, ids: NDArray[np.int64]) -> None:
        if ids.size == 0 or self._count == 0:
            return
        alive = self._column("alive")
        gone = np.isin(self._column("ids"), ids) & alive
        self._dead += int(gone.sum())
        alive[gone] = False
        self._held.drop(np.flatnonzero(gone).tolist())
        self._ordered = None

    def _reserve(self, count: int) -> None:
        capacity = len(self._columns["ids"])
        if count <= capacity:
            return
        grown = max(count, capacity + capacity // 2)
        for name, column in self._columns.items():
            self._columns[name] = np.concatenate((column, np.zeros(grown - capacity, column.dtype)))

    def _visible(self, only: Filter, asked_at: datetime) -> NDArray[np.bool_]:
        """Which rows exist for this question at all."""
        alive = self._column("alive")
        if only.without:
            alive = alive & ~np.isin(self._column("ids"), list(only.without))
        until = self._column("until")
        if only.as_of is None:
            standing: NDArray[np.bool_] = alive & (until > asked_at.timestamp())
            return standing
        moment = only.as_of.timestamp()
        known: NDArray[np.bool_] = alive & (self._column("at") <= moment) & (until > moment)
        return known

    def _passes(self, only: Filter, visible: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        passing = visible if visible is not None else np.ones(self._count, np.bool_)
        if only.kinds:
            passing = passing & np.isin(self._column("kinds"), [self._kinds.get(kind, -2) for kind in only.kinds])
        if only.categories:
            codes = [self._categories.get(name, -2) for name in only.categories]
            passing = passing & np.isin(self._column("categories"), codes)
        if only.chat_id is not None:
            passing = passing & (self._column("chats") == self._chats.get(only.chat_id, -2))
        if only.since is not None:
            passing = passing & (self._column("at") >= only.since.timestamp())
        if only.until is not None:
            passing = passing & (self._column("at") < only.until.timestamp())
        if only.tags_any:
            passing = passing & np.logical_or.reduce([self._tagged(tag) for tag in only.tags_any])
        for tag in only.tags_all:
            passing = passing & self._tagged(tag)
        return passing

    def _tagged(self, tag: str) -> NDArray[np.bool_]:
        mask = np.zeros(self._count, np.bool_)
        if rows := self._tags.get(tag):
            mask[np.frombuffer(rows, np.int32)] = True
        return mask

    def _statistics(self, question: Question, average: float) -> Statistics:
        alive = self._column("alive") if self._dead else None
        holders = {term: self._postings.holders(term, alive) for term in question.terms}
        return Statistics(self.count, average, holders)

    def _lexical(self, question: Question, known: Statistics, norms: NDArray[np.float32]) -> Lexical:
        weights = {term: idf(known.documents, known.holders[term]) for term in question.terms}
        whole = sum(weights.values()) or 1.0
        weights = {term: weight / whole for term, weight in weights.items()}
        return Lexical(
            shares=self._postings.weigh(weights, norms),
            weights=weights,
            named=_known({term: weights[term] for term in question.names}, known.holders),
        )

    def _cosines(self, vector: NDArray[np.float32] | None, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        if vector is None:
            return guessed(shares)
        cosines = self._vectors.cosines(vector, self._count)
        return cosines if self._order().embedded else np.where(self._column("embedded"), cosines, guessed(shares))

    def _order(self) -> _Ordered:
        """The rows as they were said, chat by chat; dead ones stand apart at the end and are nobody's neighbours."""
        if self._ordered is None:
            alive = self._column("alive")
            chats = np.where(alive, self._column("chats"), -1).astype(np.int32)
            order = np.lexsort((self._column("ids"), chats))
            names = ("at", "roles", "speakers", "signs", "words")
            first_end = self._column("until").min(initial=np.inf) if not self._dead else -np.inf
            average = float(self._column("lengths")[alive].mean()) if self.count else 0.0
            self._ordered = _Ordered(
                order=order,
                surface=surface(chats[order], *(self._column(name)[order] for name in names)),
                average=average,
                norms=norms(self._column("lengths"), average),
                embedded=bool(self._column("embedded").all()),
                newest=float(self._column("at").max(where=alive, initial=-np.inf)),
                first_end=float(first_end),
            )
        return self._ordered


@functools.lru_cache(maxsize=4096)
def _known_as(speaker: str) -> str | None:
    """People are known by the first term of their name, as questions name them."""
    terms = terms_of(speaker)
    return terms[0] if terms else None


def _code(codes: dict[str, int], name: str) -> int:
    return codes.setdefault(name, len(codes))


def _known(weights: Mapping[str, float], holders: Mapping[str, int]) -> float:
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if holders[term]) / whole if whole else 1.0


def guessed(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosines of what has no vector: it is taken to mean about as much as its words say."""
    cosines: NDArray[np.float32] = np.float32(0.1) + np.float32(0.4) * np.minimum(shares, np.float32(1.0))
    return cosines


def _best(scores: NDArray[np.float32], passes: NDArray[np.bool_] | None, count: int) -> NDArray[np.intp]:
    """The places of the best, in no order; more than `count` only where scores are equal."""
    kept = scores if passes is None else np.where(passes, scores, np.float32(-np.inf))
    blocks = len(kept) // _BLOCK
    if blocks > count:
        # as many as `count` blocks have one that good, so nobody who is less good is among the best
        peaks = kept[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        enough = kept >= np.partition(peaks, blocks - count)[blocks - count]
        passes = enough if passes is None else passes & enough
    places = np.flatnonzero(passes) if passes is not None else np.arange(len(kept))
    if len(places) > count:
        least = np.partition(kept[places], len(places) - count)[len(places) - count]
        places = places[kept[places] >= least]
    return places
