"""The FactStore contract on Postgres, and random messages against a plain model: no topic bleeds into another."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from souvenir.config import Settings
from souvenir.errors import Unavailable
from souvenir.facts.service import Facts
from souvenir.stores.fact_ports import FactStore
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.facts import PostgresFactStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.fact_store_contract import FactStoreContract, fact
from souvenir.testing.passages import new_space
from souvenir.types import SpaceId


@pytest.fixture
async def other_database(settings: Settings) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(settings)
    await database.open()
    yield database
    await database.close()


class TestPostgresFactStore(FactStoreContract):
    @pytest.fixture
    def store(self, database: PostgresDatabase) -> FactStore:
        return PostgresFactStore(database)

    @pytest.fixture
    def other(self, other_database: PostgresDatabase) -> FactStore:
        return PostgresFactStore(other_database)


async def test_a_closed_database_is_unavailable(settings: Settings) -> None:
    database = PostgresDatabase(settings)
    await database.open()
    store, space = PostgresFactStore(database), SpaceId("user:a")
    await database.close()
    with pytest.raises(Unavailable):
        await store.put(space, fact("Blue"))
    with pytest.raises(Unavailable):
        await store.find(space, ["favorite_colors"])


# random messages


NOUNS = (
    "color", "city", "tv show", "candy", "crypto", "movie", "box", "hero", "knife", "bus", "lens", "sci-fi book",
    "programming language", "person", "hair color", "city park", "show tune", "candy bar", "leaf", "series",
)  # fmt: skip
PLURALS = {
    "color": "colours", "city": "cities", "candy": "candies", "box": "boxes", "hero": "heroes", "knife": "knives",
    "bus": "buses", "lens": "lenses", "person": "people", "leaf": "leaves", "series": "series",
}  # fmt: skip
MARKS = ("favorite", "favourite", "fav", "least favorite")
PLACES = tuple((space, chat) for space in ("mine", "yours", "project") for chat in ("a", "b"))

Known = dict[tuple[str, str, tuple[bool, str]], tuple[tuple[int, int], list[str]]]
"""By space, chat and topic: when it was said, and the list."""

places = st.sampled_from(PLACES)
topics = st.tuples(st.sampled_from(MARKS), st.sampled_from(NOUNS))
words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8).map(lambda word: f"V{word}")
statements = st.tuples(places, topics, st.lists(words, min_size=1, max_size=5, unique=True), st.integers(0, 30))


def _plural(noun: str) -> str:
    return PLURALS.get(noun, f"{noun}s")


def _model_key(topic: tuple[str, str]) -> tuple[bool, str]:
    """What makes topics the same, said independently of how keys are made."""
    mark, noun = topic
    return mark.startswith("least"), noun


@pytest.fixture
def facts(database: PostgresDatabase) -> Facts:
    return Facts(PostgresFactStore(database), ManualClock())


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(statements, min_size=1, max_size=12), st.lists(st.tuples(places, topics), min_size=1, max_size=12))
async def test_no_topic_chat_or_space_ever_bleeds_into_another(
    facts: Facts,
    said: list[tuple[tuple[str, str], tuple[str, str], list[str], int]],
    asked: list[tuple[tuple[str, str], tuple[str, str]]],
) -> None:
    spaces = {name: new_space() for name, _ in PLACES}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    known: Known = {}
    for number, ((space, chat), topic, values, second) in enumerate(said):
        mark, noun = topic
        listed = ", ".join(f"{rank}) {value}" for rank, value in enumerate(values, start=1))
        message = f"My {mark} {_plural(noun)} are {listed}"
        at = start + timedelta(seconds=second)
        await facts.hear(spaces[space], chat, message, f"{number:026}", at)
        place, when = (space, chat, _model_key(topic)), (second, number)
        if place not in known or known[place][0] < when:
            known[place] = (when, values)
    for (space, chat), topic in asked:
        mark, noun = topic
        expected = _expected(known, space, chat, _model_key(topic))
        everything = await facts.answer((spaces[space],), chat, f"List my {mark} {_plural(noun)}", start)
        second_one = await facts.answer((spaces[space],), chat, f"What is my second {mark} {noun}?", start)
        assert everything is not None
        assert second_one is not None
        assert [one.value for one in everything.facts] == expected
        assert [one.value for one in second_one.facts] == expected[1:2]
        if not expected:
            assert everything.text == second_one.text == "I don't have that stored yet."
        elif len(expected) == 1:
            assert second_one.text.startswith("I don't have that stored yet. I have 1 ")


def _expected(known: Known, space: str, chat: str, key: tuple[bool, str]) -> list[str]:
    """The chat's own list, else the one that was said last in the space; in one moment, of the first chat by name."""
    if (space, chat, key) in known:
        return known[space, chat, key][1]
    elsewhere = [
        (-second, name, values)
        for (where, name, topic), ((second, _), values) in known.items()
        if (where, topic) == (space, key)
    ]
    return min(elsewhere)[2] if elsewhere else []


@pytest.mark.req("FACT-3", "FACT-4")
async def test_what_is_said_without_a_chat_is_the_users_own_and_no_chats(facts: Facts) -> None:
    mine, yours, start = new_space(), new_space(), datetime(2026, 1, 1, tzinfo=UTC)
    await facts.hear(mine, "a", "My favorite colors are red and white", "1", start)
    await facts.hear(mine, None, "My favorite colors are 1) Blue, 2) Green", None, start + timedelta(seconds=1))
    await facts.hear(mine, None, "Add Black to my favorite colors", None, start + timedelta(seconds=2))

    async def second(space: SpaceId, chat: str | None) -> str:
        answer = await facts.answer((space,), chat, "what is my second favorite color?", start)
        return answer.text if answer is not None else ""

    assert [one.value for one in await facts.get(mine, "favorite colors")] == ["Blue", "Green", "Black"]
    assert {one.chat_id for one in await facts.get(mine, "favorite colors")} == {None}
    assert await second(mine, None) == "Your second favorite color is Green."
    assert await second(mine, "a") == "Your second favorite color is white."
    assert await second(mine, "new") == "Your second favorite color is Green."
    assert await second(yours, None) == "I don't have that stored yet."


@pytest.mark.req("FACT-4")
async def test_without_a_chat_nothing_was_last_spoken_of(facts: Facts) -> None:
    space, start = new_space(), datetime(2026, 1, 1, tzinfo=UTC)
    await facts.hear(space, None, "My favorite cities are Rome and Oslo", None, start)
    heard = await facts.hear(space, None, "remove Rome", None, start + timedelta(seconds=1))
    assert not heard
    assert [one.value for one in await facts.get(space, "favorite cities")] == ["Rome", "Oslo"]
    answer = await facts.answer((space,), None, "what's my second favorite?", start)
    assert answer is not None
    assert answer.text == "Which list do you mean? I have your favorite cities."
    assert await facts.answer((space,), None, "the second one?", start) is None


EDITS = (
    "add {0} to my favorite cities",
    "add {0} to my favorite cities as number {1}",
    "remove {0} from my favorite cities",
    "remove number {1} from my favorite cities",
    "move {0} to number {1} in my favorite cities",
    "swap number {1} and number {2} in my favorite cities",
    "replace {0} with {3} in my favorite cities",
)
names = st.sampled_from([f"Town{letter}" for letter in "abcdefgh"])


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.lists(names, min_size=1, max_size=6, unique=True),
    st.lists(
        st.tuples(st.integers(0, len(EDITS) - 1), names, st.integers(1, 7), st.integers(1, 7), names), max_size=10
    ),
)
async def test_ranks_stay_contiguous_and_values_unique_whatever_is_inserted_moved_and_removed(
    facts: Facts, first: list[str], edits: list[tuple[int, str, int, int, str]]
) -> None:
    space, start = new_space(), datetime(2026, 1, 1, tzinfo=UTC)
    await facts.hear(space, "a", f"My favorite cities are {', '.join(first)}", "0", start)
    for number, (which, name, one, two, other) in enumerate(edits, start=1):
        before = {one.value for one in await facts.get(space, "favorite cities")}
        message = EDITS[which].format(name, one, two, other)
        heard = await facts.hear(space, "a", message, f"{number:05}", start + timedelta(seconds=number))
        stored = await facts.get(space, "favorite cities")
        assert [one.rank for one in stored] == list(range(1, len(stored) + 1)), message
        assert len({one.value for one in stored}) == len(stored), message
        assert {one.value for one in stored} <= before | {name, other}
        assert heard.text, message
