"""What search asks of storage: passages in spaces, found again by id, followed by revision."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from souvenir.types import JsonObject, SpaceId

Kind = Literal["memory", "message", "chunk", "episode", "relation", "picture"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class NewPassage:
    """Something that can be found, before the store has given it an id.

    `terms` are the words it is found by, as `souvenir.retrieval.terms` makes them: separated by single spaces, each as
    often as it occurs. `at` is the time it speaks of, and the time from which on it is known. `signs` are the bits of
    `souvenir.retrieval.signs`, `words` its length. `start` and `end` are its characters within what it stands for.
    `vector` has length one and was made by `model`; both are None while there was no embedder to ask. `until` is the
    time from which on it no longer stands, None for what stands until it is closed.
    """

    kind: Kind
    text: str
    terms: str
    at: datetime
    end: int
    start: int = 0
    signs: int = 0
    words: int = 0
    chat_id: str | None = None
    message_id: str | None = None
    role: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None
    origin: JsonObject = field(default_factory=dict)
    vector: NDArray[np.float32] | None = None
    model: str | None = None
    until: datetime | None = None


@dataclass(slots=True)  # not frozen: a search makes many, and setting a frozen field takes five times as long
class Passage:
    """A stored passage as a hit shows it. `until` is the time from which on it no longer stands."""

    passage_id: int
    kind: Kind
    text: str
    terms: str
    at: datetime
    start: int
    end: int
    chat_id: str | None
    message_id: str | None
    role: str | None
    speaker: str | None
    tags: tuple[str, ...]
    category: str | None
    origin: JsonObject
    until: datetime | None = None
    vector: NDArray[np.float16] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SpaceState:
    """How far a space has come: it grows with every change of its passages. `passages` is how many it has."""

    revision: int
    passages: int


class AskedStates(Protocol):
    """A question that is on its way: it is sent on entering, and whoever needs the answer waits for it, once."""

    async def __aenter__(self) -> "AskedStates": ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    async def answer(self) -> dict[SpaceId, SpaceState]:
        """How far each of the spaces has come."""
        ...


@dataclass(frozen=True, slots=True)
class Details:
    """What passages show beyond what they are ranked by, one entry per passage and field."""

    texts: Sequence[str]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    message_ids: Sequence[str | None]
    origins: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class Columns:
    """Passages as an index reads them, one entry per passage and field, in order of their ids.

    Times are seconds since 1970; `until` is infinite for what still stands. `vectors` are half precision rows; a row
    whose `embedded` is False has no vector of the model that was asked for, and is zero. `details` are None where
    passages are only ranked.
    """

    ids: NDArray[np.int64]
    kinds: Sequence[str]
    terms: Sequence[str]
    at: NDArray[np.float64]
    until: NDArray[np.float64]
    signs: NDArray[np.int16]
    words: NDArray[np.int32]
    chat_ids: Sequence[str | None]
    roles: Sequence[str | None]
    speakers: Sequence[str | None]
    tags: Sequence[Sequence[str]]
    categories: Sequence[str | None]
    vectors: NDArray[np.float16]
    embedded: NDArray[np.bool_]
    details: Details | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """Some of what happened in a space: passages that are new or changed, and ids that are gone."""

    columns: Columns
    removed: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage that has no vector of some model yet."""

    space: SpaceId
    passage_id: int
    text: str


class PassageStore(Protocol):
    """Passages of all spaces. Under another space than its own a passage does not exist.

    Writes join the transaction that is open around them (`transaction`), so that a passage is written with what it
    stands for or not at all. Every writing transaction moves the space's revision on, last of all, and writers of one
    space stand in line for it: whoever reads a revision can read every change up to it. Every method raises
    Unavailable when the database does not answer.
    """

    async def add(self, space: SpaceId, passages: Sequence[NewPassage]) -> tuple[int, ...]:
        """Write passages; returns their ids, ascending in the order given. Raises DimensionMismatch, BadInput for NaN.

        The length of a model's vectors is the one registered for it (EmbeddingModelStore).
        """
        ...

    async def remove(self, space: SpaceId, passage_ids: Sequence[int]) -> int:
        """Delete passages for good; unknown ids are nothing. Returns how many there were."""
        ...

    async def remove_chat(self, space: SpaceId, chat_id: str) -> int:
        """Delete a chat's passages, and its external ids with them; returns how many."""
        ...

    async def remove_message(self, space: SpaceId, chat_id: str, message_id: str) -> int:
        """Delete a message's passages; its external id stays, since what it says next is still that message's."""
        ...

    async def close(self, space: SpaceId, passage_ids: Sequence[int], at: datetime) -> int:
        """Let passages end at `at`: found from then on only by an `as_of` before it. An earlier end stays.

        Returns how many were changed.
        """
        ...

    async def get(self, space: SpaceId, passage_ids: Sequence[int], model: str | None = None) -> dict[int, Passage]:
        """The passages that are still there; with their vectors of a model, where they have one, if it is named."""
        ...

    def states(self, spaces: Sequence[SpaceId]) -> AskedStates:
        """Ask how far spaces have come, and go on meanwhile.

        The answer is as of then, or as a transaction around sees it; a space nobody wrote to has revision 0.
        """
        ...

    def changes(self, space: SpaceId, since: int, until: int, model: str, dimension: int) -> AsyncIterator[Changes]:
        """What happened after revision `since` up to and including `until`, in batches, in bounded memory.

        `since` 0 is everything that is there. A passage that was added and removed in between may show as removed only.
        Raises LookupError when removals that old are no longer on record: then the space must be read from 0.
        """
        ...

    async def lock_chat(self, space: SpaceId, chat_id: str) -> None:
        """Wait for, and hold until the open transaction ends, the right to index into a chat."""
        ...

    async def external_ids(self, space: SpaceId, chat_id: str, external_ids: Sequence[str]) -> dict[str, str]:
        """The message ids that external ids of a chat stand for; those never recorded are left out."""
        ...

    async def record_external_ids(self, space: SpaceId, chat_id: str, message_ids: Mapping[str, str]) -> None:
        """Let external ids stand for messages; one that is taken keeps its message."""
        ...

    async def unembedded(self, model: str, *, limit: int, space: SpaceId | None = None) -> list[Unembedded]:
        """Passages without a vector of the model, of one space or all, by space and id."""
        ...

    async def count_unembedded(self, model: str) -> tuple[int, int]:
        """How many passages have no vector of the model, and how many there are."""
        ...

    async def set_vectors(self, space: SpaceId, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> int:
        """Give passages the model's vectors in place of what they had; returns how many are still there."""
        ...

    async def forget_removals(self, before: datetime) -> int:
        """Drop the record of removals older than `before`; indexes further behind read their space anew."""
        ...


class Narrowing(Protocol):
    """What passages must be to be looked at; `souvenir.retrieval.filters.Filter` says what each field means."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """Any of these; empty: all."""
        ...

    @property
    def tags_any(self) -> frozenset[str]:
        """At least one of these; empty: whatever."""
        ...

    @property
    def tags_all(self) -> frozenset[str]:
        """All of these."""
        ...

    @property
    def categories(self) -> frozenset[str]:
        """Any of these; empty: all, and those with none."""
        ...

    @property
    def chat_id(self) -> str | None:
        """Of this chat."""
        ...

    @property
    def since(self) -> datetime | None:
        """At this time or later."""
        ...

    @property
    def until(self) -> datetime | None:
        """Before this time."""
        ...

    @property
    def as_of(self) -> datetime | None:
        """Known at this time, in the version that stood then."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """What to look for in a large space. Only passages that pass `only`, asked at `asked_at`, are seen.

    `weights` is what holding a term counts for. `names` are words in lower case that may be the first name of who
    spoke. `vector` has length one and is compared with vectors of `model` alone.
    """

    only: Narrowing
    asked_at: datetime
    model: str
    dimension: int
    vector: NDArray[np.float32] | None
    weights: Mapping[str, float]
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Further:
    """What one look is narrowed to beyond the filter: a period (its end excluded), any of some signs, all terms."""

    during: tuple[datetime, datetime] | None = None
    signs: int = 0
    holding: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Glimpses:
    """Passages as they are seen at a first look, one entry each, in no order, possibly some twice.

    `chats` are numbers that stand for chats; 0 is none. `cosines` are NaN for what has no vector of the model.
    `shares` is the sum of the weights of the terms a passage holds.
    """

    ids: NDArray[np.int64]
    chats: NDArray[np.int64]
    at: NDArray[np.float64]
    assistant: NDArray[np.bool_]
    named: NDArray[np.bool_]
    signs: NDArray[np.int16]
    words: NDArray[np.int32]
    cosines: NDArray[np.float32]
    shares: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a large space before any passage is looked at.

    `passages` is how many there are now, `average` their mean length in terms, `holders` how many of them have each
    term asked about: exact for rare terms, and for common ones as of the latest count, brought to today's size.
    `newest` is the latest time that a passage speaks of which can be seen.

    `counted` is how many passages there were when terms were counted last, `generation` how often that was done: 0 is
    never, and then nothing is indexed either, and every look reads the whole space. `model` is the one whose vectors
    are indexed.
    """

    passages: int
    average: float
    holders: Mapping[str, int]
    newest: datetime | None
    counted: int
    generation: int
    model: str | None


class LargeSpaceStore(Protocol):
    """Spaces too large to be held in memory, narrowed by indexes of the database's own.

    Looks are right with or without those indexes, also while they are built; they make them fast. What is written and
    acknowledged is seen by the next look. Every method raises Unavailable when the database does not answer.
    """

    async def survey(self, space: SpaceId, terms: Sequence[str], only: Narrowing, asked_at: datetime) -> Survey:
        """What is known of the space, and of these terms in it. Of `only` nothing but `as_of` counts here."""
        ...

    async def nearest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        """About the `count` passages whose vectors are nearest to the look's, which must have one."""
        ...

    async def newest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        """The `count` passages that were written last."""
        ...

    async def holders(self, space: SpaceId, look: Look, groups: Sequence[Sequence[str]], most: int) -> Glimpses:
        """The passages that hold every term of at least one group.

        Of each group of several, of whose holders nobody knows beforehand how many there are, at most `most`.
        """
        ...

    async def around(self, space: SpaceId, look: Look, passage_ids: Sequence[int], reach: int) -> Columns:
        """Passages with the `reach` turns of their chats before and after them, seen or not, in order of their ids.

        The `chat_ids` name unbroken stretches of chats, not chats: what has a gap between is not to be taken for
        neighbours. The `vectors` have length 1: a passage's cosine with the look's vector, 0 without one.
        """
        ...

    async def index(self, space: SpaceId, model: str, dimension: int) -> None:
        """Count the space's terms and build what indexes are missing, those of a model's vectors among them.

        Takes minutes; writing and searching go on. Two that are called at once do the work one after the other.
        """
        ...

    async def spaces(self) -> dict[SpaceId, int]:
        """The spaces that were counted or indexed, with the number of passages they have now."""
        ...

    async def drop(self, space: SpaceId) -> None:
        """Let go of a space's indexes and counts; its passages stay."""
        ...
