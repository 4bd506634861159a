"""The MemoryStore contract on Postgres, and a random history against a plain model."""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from souvenir.config import Settings, load_settings
from souvenir.errors import Conflicting, Unavailable
from souvenir.stores.memory_ports import Audit, Conflict, Memory, MemoryCounts, MemoryFilter, MemoryStore, NewMemory
from souvenir.stores.memory_rules import ends_at, renewed
from souvenir.stores.passage_ports import PassageStore
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.memories import PostgresMemoryStore
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import found_by, memory
from souvenir.testing.memory_archive_contract import lived_in
from souvenir.testing.memory_store_contract import MemoryStoreContract
from souvenir.testing.passages import AT, Transaction, everything, passage, unit
from souvenir.testing.postgres import PostgresForTests
from souvenir.types import SpaceId


@pytest.fixture
async def other_database(settings: Settings) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(settings)
    await database.open()
    yield database
    await database.close()


class TestPostgresMemoryStore(MemoryStoreContract):
    @pytest.fixture
    def passages(self, database: PostgresDatabase, clock: ManualClock) -> PassageStore:
        return PostgresPassageStore(database, clock)

    @pytest.fixture
    def store(self, database: PostgresDatabase, passages: PassageStore, clock: ManualClock) -> MemoryStore:
        return PostgresMemoryStore(database, passages, clock)

    @pytest.fixture
    def transaction(self, database: PostgresDatabase) -> Transaction:
        return database.transaction

    @pytest.fixture
    def other_passages(self, other_database: PostgresDatabase, clock: ManualClock) -> PassageStore:
        return PostgresPassageStore(other_database, clock)

    @pytest.fixture
    def other(self, other_database: PostgresDatabase, other_passages: PassageStore, clock: ManualClock) -> MemoryStore:
        return PostgresMemoryStore(other_database, other_passages, clock)


async def test_a_closed_database_is_unavailable(settings: Settings, clock: ManualClock) -> None:
    database = PostgresDatabase(settings)
    await database.open()
    store, space = PostgresMemoryStore(database, PostgresPassageStore(database, clock), clock), SpaceId("user:a")
    await database.close()
    with pytest.raises(Unavailable):
        await store.add(space, memory(), "", "")
    with pytest.raises(Unavailable):
        await store.list(space, MemoryFilter(), limit=5)
    with pytest.raises(Unavailable):
        await store.expire(clock.now())


async def test_an_erased_space_is_named_in_no_table_of_memory(database: PostgresDatabase, clock: ManualClock) -> None:
    store, space = PostgresMemoryStore(database, PostgresPassageStore(database, clock), clock), SpaceId("user:a")
    await lived_in(store, space, clock)
    async with database.transaction() as connection:
        cursor = await connection.execute(
            "select relname from pg_class where relkind = 'r' and (relname like 'memor%%' or relname = 'spend')", []
        )
        tables = {row["relname"] for row in await cursor.fetchall()}
    removed = await store.erase(space)
    assert tables == set(removed) - {"passages"}
    assert min(removed.values()) > 0
    async with database.transaction() as connection:
        for table in (*tables, "passages"):
            cursor = await connection.execute(f"select from {table} where space_id = %s".encode(), [space])
            assert cursor.rowcount == 0


async def somebody_waits(database: PostgresDatabase) -> None:
    """Return when a statement in the database waits for a lock."""
    waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    async with asyncio.timeout(10):
        while not await database.fetch(waiting):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("written", ["memory", "passage", "vectors"])
async def test_a_new_model_used_within_a_longer_transaction_waits_for_nobody_who_waits_for_it(
    database: PostgresDatabase, other_database: PostgresDatabase, clock: ManualClock, written: str
) -> None:
    """Whoever is second to use it, in whichever way, waits for the space and not with the model in hand."""
    passages, others = PostgresPassageStore(database, clock), PostgresPassageStore(other_database, clock)
    store, other = PostgresMemoryStore(database, passages, clock), PostgresMemoryStore(other_database, others, clock)
    space = SpaceId("user:a")
    bare = (await passages.add(space, [passage("bare")]))[0]

    async def second() -> object:
        if written == "memory":
            return await other.add(space, memory("User likes cake", model="new"), "", "bob")
        if written == "passage":
            return await others.add(space, [passage("x", "new")])
        return await others.set_vectors(space, "new", {bare: unit(1)})

    async with database.transaction():
        await store.add(space, memory(model=None, vector=None), "", "ann")
        waiting = asyncio.create_task(second())
        await somebody_waits(database)
        assert await store.add(space, memory("User likes pie", model="new"), "", "ann") is not None
    assert await waiting


# a random history


@dataclass
class Paper:
    """A space as one would write it down on paper."""

    memories: dict[str, Memory] = field(default_factory=dict)
    until: dict[str, datetime | None] = field(default_factory=dict)
    audit: list[Audit] = field(default_factory=list)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def saying(self, content: str) -> Memory | None:
        words = content.casefold().strip(" .!")
        found = [
            one
            for one in self.memories.values()
            if one.content.casefold().strip(" .!") == words and one.superseded_at is None and one.deleted_at is None
        ]
        assert len(found) <= 1
        return found[0] if found else None

    def version(self, lineage: str) -> int:
        return max((one.version for one in self.memories.values() if one.lineage == lineage), default=0) + 1

    def supersede(self, old: Memory, by: str, said_at: datetime, now: datetime) -> None:
        self.memories[old.memory_id] = replace(old, superseded_by=by, superseded_at=now, updated_at=now)
        ends = [said_at, now, self.until[old.memory_id]]
        self.until[old.memory_id] = min(end for end in ends if end is not None)

    def keep(self, memory: Memory, instead_of: Sequence[Memory | None], now: datetime) -> None:
        for old in {one.memory_id: one for one in instead_of if one is not None}.values():
            self.supersede(old, memory.memory_id, memory.said_at, now)
        self.memories[memory.memory_id], self.until[memory.memory_id] = memory, memory.expires_at

    def remove(self, ids: set[str], audit: Callable[[Audit], bool]) -> None:
        self.memories = {name: one for name, one in self.memories.items() if name not in ids}
        self.audit = [row for row in self.audit if not audit(row)]
        self.conflicts = {name: one for name, one in self.conflicts.items() if not {one.older, one.newer} & ids}


@dataclass
class World:
    store: MemoryStore
    passages: PassageStore
    clock: ManualClock
    spaces: list[SpaceId]
    paper: list[Paper]
    given: list[str] = field(default_factory=list)
    exported: Any = None

    def pick(self, space: int, number: int) -> str:
        """An id of the space, most often; at times one ever given, of any space, gone or not."""
        ids = self.given if number % 8 == 0 else [*self.paper[space].memories]
        return ids[-1 - number // 8 % len(ids)] if ids else "none"

    def keep(self, space: int, new: Memory | None, expected: Memory, instead_of: Sequence[Memory | None]) -> Memory:
        assert new is not None
        assert new == replace(expected, memory_id=new.memory_id, lineage=expected.lineage or new.memory_id,
                              passage_id=new.passage_id)  # fmt: skip
        self.given.append(new.memory_id)
        self.paper[space].keep(new, instead_of, self.clock.now())
        return new

    def drafted(self, new: NewMemory, lineage: str, version: int) -> Memory:
        now = self.clock.now()
        return Memory(
            "", lineage, version, new.content, new.category, new.importance, new.confidence, new.reasoning,
            new.lifetime, new.path, new.said_at, now, now, new.expires_at, new.origin, new.verified,
        )  # fmt: skip

    async def add(self, space: int, text: str, day: int, life: int | None, key: str | None) -> None:
        paper, now = self.paper[space], self.clock.now()
        new = memory(text, said_at=AT + day * DAY, expires_at=now + life * DAY if life is not None else None)
        known = paper.saying(text)
        got = await self.store.add(self.spaces[space], new, "why", "ann", key)
        if key in paper.keys or (known is not None and known.is_active(now)):
            assert got is None
            return
        got = self.keep(space, got, self.drafted(new, "", 1), [known])
        old, other = (known.content, known.memory_id) if known is not None else (None, None)
        paper.audit.append(Audit("add", got.memory_id, old, text, "why", "ann", now, other))
        paper.keys |= {key} if key is not None else set()

    async def replace(self, space: int, pick: int, text: str, day: int, key: str | None) -> None:
        paper, now, target = self.paper[space], self.clock.now(), self.pick(space, pick)
        new = memory(text, said_at=AT + day * DAY)
        old, known = paper.memories.get(target), paper.saying(text)
        got = await self.store.replace(self.spaces[space], target, new, "why", "ann", key)
        if old is None or not old.is_active(now) or old.said_at >= new.said_at or key in paper.keys:
            assert got is None
            return
        if known is not None and known != old and known.is_active(now):
            assert got == known
            paper.supersede(old, known.memory_id, new.said_at, now)
        else:
            draft = self.drafted(new, old.lineage, paper.version(old.lineage))
            got = self.keep(space, got, draft, [old, known])
        paper.audit.append(Audit("replace", got.memory_id, old.content, got.content, "why", "ann", now, target))
        paper.keys |= {key} if key is not None else set()

    async def edit(self, space: int, pick: int, text: str) -> None:
        paper, now, target = self.paper[space], self.clock.now(), self.pick(space, pick)
        old, known = paper.memories.get(target), paper.saying(text)
        change = self.store.edit(self.spaces[space], target, text, "ann", found_by(text))
        if old is None or not old.is_active(now):
            assert await change is None
            return
        if known is not None and known != old and known.is_active(now):
            with pytest.raises(Conflicting):
                await change
            return
        draft = replace(
            self.drafted(memory(text, said_at=now), old.lineage, paper.version(old.lineage)), confidence=1.0,
            verified=True, reasoning="", path="user", expires_at=old.expires_at,
        )  # fmt: skip
        got = self.keep(space, await change, draft, [old, known])
        paper.audit.append(Audit("edit", got.memory_id, old.content, text, "", "ann", now, target))

    async def undo(self, space: int, pick: int, to: int) -> None:
        paper, now, target, wanted = self.paper[space], self.clock.now(), self.pick(space, pick), self.pick(space, to)
        some, old = paper.memories.get(target), paper.memories.get(wanted)
        change = self.store.undo(self.spaces[space], target, wanted, "ann", None, None)
        if some is None or old is None or some.lineage != old.lineage or old.is_active(now):
            assert await change is None
            return
        known = paper.saying(old.content)
        if known is not None and known.lineage != old.lineage and known.is_active(now):
            with pytest.raises(Conflicting):
                await change
            return
        family = [one for one in paper.memories.values() if one.lineage == old.lineage]
        head = next((one for one in family if one.superseded_at is None and one.deleted_at is None), None)
        draft = replace(
            old, version=paper.version(old.lineage), said_at=now, created_at=now, updated_at=now,
            expires_at=renewed(old, now), superseded_by=None, superseded_at=None, deleted_at=None,
        )  # fmt: skip
        got = self.keep(space, await change, draft, [head, known])
        before, other = (head.content, head.memory_id) if head is not None else (None, None)
        why = f"back to version {old.version}"
        paper.audit.append(Audit("undo", got.memory_id, before, old.content, why, "ann", now, other))

    async def delete(self, space: int, pick: int) -> None:
        paper, now, target = self.paper[space], self.clock.now(), self.pick(space, pick)
        old = paper.memories.get(target)
        got = await self.store.delete(self.spaces[space], target, "ann")
        if old is None or old.superseded_at is not None:
            assert got is None
        elif old.deleted_at is not None:
            assert got == old
        else:
            paper.memories[target] = replace(old, deleted_at=now, updated_at=now)
            assert got == paper.memories[target]
            paper.until[target] = min(now, paper.until[target] or now)
            paper.audit.append(Audit("delete", target, old.content, None, "", "ann", now))

    async def purge(self, space: int, pick: int) -> None:
        paper, target = self.paper[space], self.pick(space, pick)
        family = {one.memory_id for one in paper.memories.values()
                  if target in paper.memories and one.lineage == paper.memories[target].lineage}  # fmt: skip
        assert await self.store.purge(self.spaces[space], target) == len(family)
        paper.remove(family, lambda row: row.memory_id in family or row.other in family)

    async def judge(self, space: int, pick: int, up: bool) -> None:
        paper, target = self.paper[space], self.pick(space, pick)
        await self.store.used(self.spaces[space], [target], self.clock.now())
        got = await self.store.feedback(self.spaces[space], target, up, "ann")
        if old := paper.memories.get(target):
            now = self.clock.now()
            paper.memories[target] = replace(
                old, uses=old.uses + 1, used_at=now, ups=old.ups + up, downs=old.downs + (not up)
            )
            paper.audit.append(Audit("feedback", target, None, None, "up" if up else "down", "ann", now))
        assert got == paper.memories.get(target)

    async def open_conflict(self, space: int, one: int, another: int) -> None:
        paper, now, older, newer = self.paper[space], self.clock.now(), self.pick(space, one), self.pick(space, another)
        got = await self.store.open_conflict(self.spaces[space], older, newer, "either")
        sides = [paper.memories[name] for name in {older, newer} if name in paper.memories]
        known = any({pair.older, pair.newer} == {older, newer} for pair in paper.conflicts.values())
        if len(sides) < 2 or known or not all(side.is_active(now) for side in sides):
            assert got is None
            return
        assert got is not None
        paper.conflicts[got.conflict_id] = got
        old, new = paper.memories[older].content, paper.memories[newer].content
        paper.audit.append(Audit("conflict", newer, old, new, "either", "souvenir", now, older))

    def open_conflicts(self, space: int) -> list[Conflict]:
        paper, now = self.paper[space], self.clock.now()
        return [
            one
            for _, one in sorted(paper.conflicts.items(), reverse=True)
            if paper.memories[one.older].is_active(now) and paper.memories[one.newer].is_active(now)
        ]

    async def settle(self, space: int, which: int, newer: bool) -> None:
        paper, now = self.paper[space], self.clock.now()
        for conflict in list(paper.conflicts.values())[which : which + 1]:
            keep, drop = (conflict.newer, conflict.older) if newer else (conflict.older, conflict.newer)
            is_open = conflict in self.open_conflicts(space)
            got = await self.store.settle(self.spaces[space], conflict.conflict_id, keep, "ann")
            assert got == (paper.memories[keep] if is_open else None)
            if got is not None:
                del paper.conflicts[conflict.conflict_id]
                old = paper.memories[drop]
                paper.supersede(old, keep, now, now)
                paper.audit.append(Audit("settle", keep, old.content, got.content, "either", "ann", now, drop))

    async def ignore(self, space: int, text: str, pick: int, key: str | None) -> None:
        paper, now, target = self.paper[space], self.clock.now(), self.pick(space, pick)
        await self.store.ignored(self.spaces[space], text, target, "near", key)
        if key not in paper.keys:
            repeated = paper.memories.get(target) or paper.saying(text)
            name = repeated.memory_id if repeated is not None else ""
            paper.audit.append(Audit("ignore", name, None, text, "near", "souvenir", now))
            paper.keys |= {key} if key is not None else set()

    async def expire(self, days: int) -> None:
        before, removed = self.clock.now() - days * DAY, 0
        for paper in self.paper:
            over = set()
            for one in paper.memories.values():
                ends = [end for end in (one.expires_at, one.superseded_at, one.deleted_at) if end is not None]
                over |= {one.memory_id} if ends and min(ends) < before else set()
            removed += len(over)
            paper.remove(
                over,
                lambda row, over=over: row.memory_id in over or (not row.memory_id and row.at < before),  # type: ignore[misc]
            )
        assert await self.store.expire(before) == removed

    async def move(self, space: int) -> None:
        """Out, away, and in again."""
        paper, name = self.paper[space], self.spaces[space]
        exported = await self.store.export(name)
        removed = await self.store.erase(name)
        assert removed["memories"] == removed["passages"] == len(paper.memories)
        found = {one.memory_id: found_by(one.content) for one in exported[0]}
        assert await self.store.restore(name, *exported, found) == len(paper.memories)
        again = {one.memory_id: one for one in (await self.store.export(name))[0]}
        paper.memories = {key: replace(one, passage_id=again[key].passage_id) for key, one in paper.memories.items()}
        for key, one in paper.memories.items():
            paper.until[key] = ends_at(one, paper.memories.get(one.superseded_by or ""))
        paper.keys = set()

    async def tick(self, days: int) -> None:
        self.clock.advance(days=days)

    async def check(self) -> None:
        now = self.clock.now()
        for number, (space, paper) in enumerate(zip(self.spaces, self.paper, strict=True)):
            conflicts = [one for _, one in sorted(paper.conflicts.items())]
            ordered = [paper.memories[name] for name in sorted(paper.memories)]
            assert await self.store.export(space) == (ordered, paper.audit, conflicts)
            assert await self.store.conflicts(space, limit=100) == self.open_conflicts(number)
            active = [one for one in reversed(ordered) if one.is_active(now)]
            assert (await self.store.list(space, MemoryFilter(), limit=500)).items == tuple(active)
            events = Counter(row.event for row in paper.audit)
            expected = MemoryCounts(len(active), events["add"], events["replace"], events["ignore"])
            assert await self.store.counts(space) == expected
            places = {one.passage_id or 0: one for one in ordered}
            assert await self.store.by_passage(space, list(places)) == places
            known = await everything(self.passages, space)
            shown = await self.passages.get(space, list(known))
            assert {place: (one.text, one.at, one.until, one.category) for place, one in shown.items()} == {
                place: (one.content, one.said_at, paper.until[one.memory_id], one.category)
                for place, one in places.items()
            }
            assert all(row[1] == places[place].content.lower() for place, row in known.items())


DAY = timedelta(days=1)
space_numbers, picks, days = st.sampled_from([0, 0, 1]), st.integers(0, 99), st.integers(0, 9)
texts = st.sampled_from(
    ["User likes tea", "user LIKES tea!", "User likes cake", "User wohnt Straße 1", "USER WOHNT STRASSE 1", "User"]
)
keys = st.sampled_from([None, None, None, "k1", "k2", "k3"])
Step = tuple[Callable[..., Any], tuple[Any, ...]]
steps = st.one_of(
    st.tuples(st.just(World.add), st.tuples(space_numbers, texts, days, st.none() | st.integers(-1, 6), keys)),
    st.tuples(st.just(World.add), st.tuples(space_numbers, texts, days, st.none(), st.none())),
    st.tuples(st.just(World.replace), st.tuples(space_numbers, picks, texts, days, keys)),
    st.tuples(st.just(World.edit), st.tuples(space_numbers, picks, texts)),
    st.tuples(st.just(World.undo), st.tuples(space_numbers, picks, picks)),
    st.tuples(st.just(World.delete), st.tuples(space_numbers, picks)),
    st.tuples(st.just(World.purge), st.tuples(space_numbers, picks)),
    st.tuples(st.just(World.judge), st.tuples(space_numbers, picks, st.booleans())),
    st.tuples(st.just(World.open_conflict), st.tuples(space_numbers, picks, picks)),
    st.tuples(st.just(World.settle), st.tuples(space_numbers, st.integers(0, 2), st.booleans())),
    st.tuples(st.just(World.ignore), st.tuples(space_numbers, texts, picks, keys)),
    st.tuples(st.just(World.expire), st.tuples(st.integers(0, 5))),
    st.tuples(st.just(World.move), st.tuples(space_numbers)),
    st.tuples(st.just(World.tick), st.tuples(st.integers(0, 3))),
)


@dataclass(frozen=True, slots=True)
class Opened:
    runner: asyncio.Runner
    database: PostgresDatabase


@pytest.fixture(scope="module")
def opened(postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A database on an event loop of its own, since a property is no coroutine."""
    folder: Path = tmp_path_factory.mktemp("memories")
    with postgres.database() as url, asyncio.Runner() as runner:
        database = PostgresDatabase(load_settings({}, database_url=url, data_dir=folder))
        runner.run(database.open())
        yield Opened(runner, database)
        runner.run(database.close())


@pytest.mark.req("ID-8")
@hypothesis_settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(history=st.lists(steps, min_size=10, max_size=50))
def test_a_random_history_is_what_it_would_be_on_paper(opened: Opened, history: list[Step]) -> None:
    clock = ManualClock()
    passages = PostgresPassageStore(opened.database, clock)
    store = PostgresMemoryStore(opened.database, passages, clock)
    world = World(store, passages, clock, [SpaceId(f"user:{uuid.uuid4()}") for _ in range(2)], [Paper(), Paper()])

    async def live() -> None:
        for step, arguments in history:
            await step(world, *arguments)
        await world.check()
        for space in world.spaces:
            await store.erase(space)

    opened.runner.run(live())
