"""How a large space is narrowed: which words are followed, what gets a second look, when a job is queued."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.embed.port import Embedding
from souvenir.retrieval import large
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces, groups_of
from souvenir.retrieval.question import read_question
from souvenir.stores.passage_ports import Columns, Further, Glimpses, Look, Narrowing, Survey
from souvenir.stores.ports import Job
from souvenir.types import SpaceId

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = SpaceId("user:big")
MILLION = 1_000_000


# which words are followed


def shares(holders: Mapping[str, int], passages: int = MILLION) -> dict[str, float]:
    weights = {term: float(np.log1p((passages - count + 0.5) / (count + 0.5))) for term, count in holders.items()}
    return {term: weight / sum(weights.values()) for term, weight in weights.items()}


def followed(holders: Mapping[str, int], passages: int = MILLION) -> tuple[set[frozenset[str]], tuple[str, ...]]:
    groups, common = groups_of(shares(holders, passages), holders, passages)
    return {frozenset(group) for group in groups}, common


def test_rare_words_are_followed_each_for_itself() -> None:
    assert followed({"ferry": 900, "zadar": 40}) == ({frozenset({"ferry"}), frozenset({"zadar"})}, ())


def test_common_words_are_followed_where_they_meet() -> None:
    groups, common = followed({"book": 40_000, "plan": 60_000, "zadar": 40})
    assert groups == {frozenset({"zadar"}), frozenset({"book", "plan"})}
    assert common == ()


def test_a_word_that_is_everywhere_is_left_to_the_vectors() -> None:
    assert followed({"say": 400_000}) == (set(), ("say",))


def test_no_words_no_groups() -> None:
    assert followed({}) == (set(), ())


terms = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, MILLION), min_size=1, max_size=12)


@given(terms)
def test_what_is_followed_is_minimal_bounded_and_never_nothing(holders: dict[str, int]) -> None:
    groups, common = followed(holders)
    assert bool(groups) != bool(common)
    assert not any(one < other for one in groups for other in groups)
    assert all(group <= holders.keys() for group in groups)
    singles = [holders[term] for group in groups if len(group) == 1 for term in group]
    assert sum(singles) <= large._TOO_MANY_HOLDERS


# what is looked at


class Store:
    """Gives what it is told to, and notes what it is asked for."""

    def __init__(self, survey: Survey, ids: Sequence[int] = range(1000)) -> None:
        self.survey_ = survey
        self.ids = np.array(ids, np.int64)
        self.looks: list[tuple[str, Any]] = []
        self.second: list[int] = []

    async def survey(self, space: SpaceId, terms: Sequence[str], only: Narrowing, asked_at: datetime) -> Survey:
        return self.survey_

    async def nearest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        self.looks.append(("nearest", further))
        return self._glimpses(count)

    async def newest(self, space: SpaceId, look: Look, count: int, further: Further | None = None) -> Glimpses:
        self.looks.append(("newest", further))
        return self._glimpses(count)

    async def holders(self, space: SpaceId, look: Look, groups: Sequence[Sequence[str]], most: int) -> Glimpses:
        self.looks.append(("holders", sorted(groups)))
        return self._glimpses(most)

    async def around(self, space: SpaceId, look: Look, passage_ids: Sequence[int], reach: int) -> Columns:
        self.second = list(passage_ids)
        count = len(passage_ids)
        none: list[Any] = [None] * count
        return Columns(
            ids=np.array(passage_ids, np.int64), kinds=["message"] * count, terms=[""] * count, at=np.zeros(count),
            until=np.full(count, np.inf), signs=np.zeros(count, np.int16),
            words=np.zeros(count, np.int32), chat_ids=none, roles=none, speakers=none,
            tags=[()] * count, categories=none, vectors=np.zeros((count, 1), np.float16),
            embedded=np.ones(count, np.bool_),
        )  # fmt: skip

    async def index(self, space: SpaceId, model: str, dimension: int) -> None: ...

    async def spaces(self) -> dict[SpaceId, int]:
        return {}

    async def drop(self, space: SpaceId) -> None: ...

    def _glimpses(self, count: int) -> Glimpses:
        ids = self.ids[:count]
        number = len(ids)
        return Glimpses(
            ids=ids, chats=ids + 1, at=np.zeros(number), assistant=np.zeros(number, np.bool_),
            named=np.zeros(number, np.bool_), signs=np.zeros(number, np.int16), words=np.zeros(number, np.int32),
            cosines=(ids / 1000).astype(np.float32), shares=np.zeros(number, np.float32),
        )  # fmt: skip


class Jobs:
    def __init__(self) -> None:
        self.keys: list[str] = []

    def register(self, name: str, handler: Callable[[Job], Awaitable[None]], *, cron: str | None = None) -> None: ...

    async def enqueue(
        self, space: SpaceId, task: str, *, key: str, payload: dict[str, Any] | None = None, at: datetime | None = None
    ) -> int | None:
        self.keys.append(key)
        return 1


class Silent:
    model = "model-a"
    dimension: int | None = 4

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...

    async def embed(self, texts: Sequence[str]) -> Embedding:
        raise NotImplementedError


def survey(passages: int = MILLION, counted: int = MILLION, generation: int = 1, **holders: int) -> Survey:
    return Survey(passages, 10.0, holders, NOW - timedelta(days=1), counted, generation, "model-a")


VECTOR = np.array([1, 0, 0, 0], np.float32)


async def ask(store: Store, query: str, only: Filter | None = None, *, vector: bool = True, count: int = 34) -> Jobs:
    jobs = Jobs()
    spaces = LargeSpaces(store, Silent(), jobs, 1000)
    asked = read_question(query, NOW)
    await (await spaces.look(SPACE, asked, only or Filter())).best(VECTOR if vector else None, count)
    return jobs


async def test_words_and_meaning_are_looked_for() -> None:
    store = Store(survey(ferri=900, zadar=40))
    await ask(store, "the ferry to Zadar")
    assert store.looks == [("holders", [("ferri",), ("zadar",)]), ("nearest", None)]


async def test_the_times_a_question_speaks_of_are_looked_at_by_themselves() -> None:
    store = Store(survey(ferri=900, **{"2025": 0}))
    await ask(store, "ferry in May 2025")
    (during,) = [further.during for _, further in store.looks if isinstance(further, Further)]
    assert during == (datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC))


async def test_without_a_vector_the_newest_are_looked_at() -> None:
    store = Store(survey(say=900_000))
    await ask(store, "say", vector=False)
    assert store.looks == [("newest", None), ("newest", Further(holding=("say",)))]


async def test_what_scores_best_at_first_sight_gets_the_second_look() -> None:
    store = Store(survey(ferri=900))
    await ask(store, "ferry")
    assert len(store.second) == large._SECOND_LOOK
    assert store.second == list(range(1000 - large._SECOND_LOOK, 1000))


@pytest.mark.parametrize(("count", "only"), [(34, Filter(chat_id="c")), (400, Filter())])
async def test_more_is_looked_at_twice_when_more_is_wanted_or_less_is_known(count: int, only: Filter) -> None:
    store = Store(survey(ferri=900))
    await ask(store, "ferry", only, count=count)
    assert len(store.second) == max(large._SECOND_LOOK_FILTERED if only.chat_id else 0, 2 * count)


async def test_an_empty_space_has_no_candidates() -> None:
    store = Store(Survey(0, 0.0, {"ferri": 0}, None, 0, 0, None), ids=[])
    await ask(store, "ferry")
    assert store.second == []


# when a job is queued


@pytest.mark.parametrize(
    ("known", "queued"),
    [
        (survey(), []),
        (survey(passages=1_190_000), []),
        (survey(passages=1_210_000, generation=3), ["large:model-a:3:21"]),
        (survey(passages=790_000), ["large:model-a:1:20"]),
        (survey(counted=0, generation=0), ["large:model-a:0:20"]),
    ],
    ids=["as counted", "hardly grown", "grown", "shrunk", "never counted"],
)
async def test_a_space_that_outgrew_its_counts_is_counted_anew(known: Survey, queued: list[str]) -> None:
    assert (await ask(Store(known), "")).keys == queued


async def test_a_change_of_model_is_reason_to_index() -> None:
    known = survey()
    jobs = await ask(Store(Survey(known.passages, 1.0, {}, NOW, known.counted, 5, "model-b")), "")
    assert jobs.keys == ["large:model-a:5:20"]


async def test_one_process_queues_once() -> None:
    jobs = Jobs()
    spaces = LargeSpaces(Store(survey(counted=0, generation=0)), Silent(), jobs, 1000)
    for _ in range(3):
        await (await spaces.look(SPACE, read_question("", NOW), Filter())).best(VECTOR, 10)
    assert len(jobs.keys) == 1


async def test_an_embedder_nobody_has_reached_is_reason_to_wait() -> None:
    jobs, embedder = Jobs(), Silent()
    embedder.dimension = None
    spaces = LargeSpaces(Store(survey(counted=0, generation=0)), embedder, jobs, 1000)
    await (await spaces.look(SPACE, read_question("", NOW), Filter())).best(None, 10)
    assert jobs.keys == []
