"""The PassageStore contract on Postgres, and a random history against a plain model."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from souvenir.config import Settings, load_settings
from souvenir.errors import BadInput, Unavailable
from souvenir.stores.passage_ports import PassageStore, SpaceState
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.passage_store_contract import PassageStoreContract
from souvenir.testing.passages import DIMENSION, MODEL, Follower, Transaction, passage, states_of, unit
from souvenir.testing.postgres import PostgresForTests
from souvenir.types import SpaceId


@pytest.fixture
async def other_database(settings: Settings) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(settings)
    await database.open()
    yield database
    await database.close()


class TestPostgresPassageStore(PassageStoreContract):
    @pytest.fixture
    def store(self, database: PostgresDatabase, clock: ManualClock) -> PassageStore:
        return PostgresPassageStore(database, clock)

    @pytest.fixture
    def transaction(self, database: PostgresDatabase) -> Transaction:
        return database.transaction

    @pytest.fixture
    def other(self, other_database: PostgresDatabase, clock: ManualClock) -> PassageStore:
        return PostgresPassageStore(other_database, clock)

    @pytest.fixture
    def other_transaction(self, other_database: PostgresDatabase) -> Transaction:
        return other_database.transaction


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"], ids=["NUL", "half a pair"])
async def test_a_text_that_postgres_cannot_hold_is_refused_with_all_that_came_with_it(
    database: PostgresDatabase, clock: ManualClock, text: str
) -> None:
    store, space = PostgresPassageStore(database, clock), SpaceId("user:a")
    with pytest.raises(BadInput, match="text"):
        await store.add(space, [passage("fine"), passage(text)])
    assert await states_of(store, [space]) == {space: SpaceState(0, 0)}
    assert len(await store.add(space, [passage("fine")])) == 1


async def test_a_closed_database_is_unavailable(settings: Settings, clock: ManualClock) -> None:
    database = PostgresDatabase(settings)
    await database.open()
    store, space = PostgresPassageStore(database, clock), SpaceId("user:a")
    await database.close()
    with pytest.raises(Unavailable):
        await store.add(space, [passage()])
    with pytest.raises(Unavailable):
        await Follower(store, space).refresh()


async def test_reading_a_space_holds_no_connection_between_batches(
    database: PostgresDatabase, clock: ManualClock
) -> None:
    store, space = PostgresPassageStore(database, clock), SpaceId("user:a")
    await store.add(space, [passage() for _ in range(6000)])
    async for _ in store.changes(space, 0, 1, MODEL, DIMENSION):
        assert database.pool.get_stats()["pool_available"] == database.pool.get_stats()["pool_size"]
        break


# a random history


@dataclass
class Kept:
    """A passage as one would write it down on paper."""

    space: int
    chat: int
    text: str
    until: datetime | None = None
    model: str | None = None
    vector: bytes = bytes(2 * DIMENSION)


@dataclass
class World:
    store: PassageStore
    clock: ManualClock
    spaces: list[SpaceId]
    followers: list[Follower]
    model: dict[int, Kept] = field(default_factory=dict)
    given: list[int] = field(default_factory=list)

    async def add(self, space: int, chat: int, texts: list[str], model: str | None) -> None:
        ids = await self.store.add(self.spaces[space], [passage(text, model, chat_id=str(chat)) for text in texts])
        for passage_id, text in zip(ids, texts, strict=True):
            vector = unit(sum(text.encode())).astype(np.float16).tobytes() if model else bytes(2 * DIMENSION)
            self.model[passage_id] = Kept(space, chat, text, None, model, vector)
        self.given += ids

    def some(self, space: int, picks: list[int]) -> tuple[list[int], set[int]]:
        """Ids ever given, of any space and also gone ones; and those of them that are there."""
        ids = [self.given[pick % len(self.given)] for pick in picks] if self.given else []
        return ids, {one for one in ids if one in self.model and self.model[one].space == space}

    async def remove(self, space: int, picks: list[int]) -> None:
        ids, there = self.some(space, picks)
        assert await self.store.remove(self.spaces[space], ids) == len(there)
        for one in there:
            del self.model[one]

    async def remove_chat(self, space: int, chat: int) -> None:
        there = [one for one, kept in self.model.items() if (kept.space, kept.chat) == (space, chat)]
        assert await self.store.remove_chat(self.spaces[space], str(chat)) == len(there)
        for one in there:
            del self.model[one]

    async def close(self, space: int, picks: list[int], day: int) -> None:
        ids, there = self.some(space, picks)
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        standing = {one for one in there if (self.model[one].until or datetime.max.replace(tzinfo=UTC)) > at}
        assert await self.store.close(self.spaces[space], ids, at) == len(standing)
        for one in standing:
            self.model[one].until = at

    async def embed(self, space: int, picks: list[int], model: str, seed: int) -> None:
        ids, there = self.some(space, picks)
        assert await self.store.set_vectors(self.spaces[space], model, dict.fromkeys(ids, unit(seed))) == len(there)
        for one in there:
            self.model[one].model, self.model[one].vector = model, unit(seed).astype(np.float16).tobytes()

    async def follow(self, which: int) -> None:
        follower = self.followers[which % len(self.followers)]
        await follower.refresh()
        self.compare(follower)

    async def forget(self, hours: int) -> None:
        await self.store.forget_removals(self.clock.now() - timedelta(hours=hours))

    async def tick(self, hours: int) -> None:
        self.clock.advance(hours=hours)

    def compare(self, follower: Follower) -> None:
        space = self.spaces.index(follower.space)
        expected = {}
        for one, kept in self.model.items():
            if kept.space == space:
                embedded = kept.model == follower.model
                until = kept.until.timestamp() if kept.until else np.inf
                expected[one] = (kept.text, until, str(kept.chat), embedded, kept.vector if embedded else bytes(8))
        seen = {one: (row[1], row[3], row[7], bool(row[14]), row[13]) for one, row in follower.known.items()}
        assert seen == expected

    async def check(self) -> None:
        states = await states_of(self.store, self.spaces)
        for number, space in enumerate(self.spaces):
            assert states[space].passages == sum(kept.space == number for kept in self.model.values())
        for follower in self.followers:
            await follower.refresh()
            self.compare(follower)
            anew = Follower(self.store, follower.space, follower.model)
            await anew.refresh()
            assert follower.known == anew.known
        for model in ("model-a", "model-b"):
            for number, space in enumerate(self.spaces):
                missing = [
                    (one, kept.text)
                    for one, kept in sorted(self.model.items())
                    if kept.space == number and kept.model != model
                ]
                for limit in (3, 1000):
                    found = await self.store.unembedded(model, limit=limit, space=space)
                    assert [(one.passage_id, one.text) for one in found] == missing[:limit]
        shown = await self.store.get(self.spaces[0], self.given)
        assert {one: found.text for one, found in shown.items()} == {
            one: kept.text for one, kept in self.model.items() if kept.space == 0
        }


space_numbers, chats, picks = st.integers(0, 1), st.integers(0, 2), st.lists(st.integers(0, 60), max_size=5)
models = st.sampled_from(["model-a", "model-b"])
texts = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20), max_size=4)
Step = tuple[Callable[..., Any], tuple[Any, ...]]
steps = st.one_of(
    st.tuples(st.just(World.add), st.tuples(space_numbers, chats, texts, st.none() | models)),
    st.tuples(st.just(World.remove), st.tuples(space_numbers, picks)),
    st.tuples(st.just(World.remove_chat), st.tuples(space_numbers, chats)),
    st.tuples(st.just(World.close), st.tuples(space_numbers, picks, st.integers(0, 9))),
    st.tuples(st.just(World.embed), st.tuples(space_numbers, picks, models, st.integers(0, 9))),
    st.tuples(st.just(World.follow), st.tuples(st.integers(0, 2))),
    st.tuples(st.just(World.forget), st.tuples(st.integers(-1, 3))),
    st.tuples(st.just(World.tick), st.tuples(st.integers(0, 2))),
)


@dataclass(frozen=True, slots=True)
class Opened:
    runner: asyncio.Runner
    store: PassageStore
    clock: ManualClock


@pytest.fixture(scope="module")
def opened(postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A store on an event loop of its own, since a property is no coroutine."""
    folder: Path = tmp_path_factory.mktemp("passages")
    with postgres.database() as url, asyncio.Runner() as runner:
        database, clock = PostgresDatabase(load_settings({}, database_url=url, data_dir=folder)), ManualClock()
        runner.run(database.open())
        yield Opened(runner, PostgresPassageStore(database, clock), clock)
        runner.run(database.close())


@pytest.mark.req("ID-8")
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(history=st.lists(steps, max_size=30))
def test_an_index_that_follows_a_random_history_equals_one_that_reads_it_anew(
    opened: Opened, history: list[Step]
) -> None:
    spaces = [SpaceId(f"user:{uuid.uuid4()}") for _ in range(2)]
    followers = [
        Follower(opened.store, spaces[0]),
        Follower(opened.store, spaces[1]),
        Follower(opened.store, spaces[0], "model-b"),
    ]
    world = World(opened.store, opened.clock, spaces, followers)

    async def live() -> None:
        for step, arguments in history:
            await step(world, *arguments)
        await world.check()

    opened.runner.run(live())
