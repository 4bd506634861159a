"""Memories are formed once and in order: by workers that are killed, by two at once, with a clock that jumps."""

import asyncio
import contextlib
import random
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from souvenir.app import Souvenir, open_souvenir
from souvenir.chat.indexing import Said
from souvenir.clock import Clock
from souvenir.config import Settings, load_settings
from souvenir.stores.memory_ports import Memory
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import SouvenirProcess, environment
from souvenir.types import SpaceId, user_space

BEGAN = datetime(2025, 6, 1, 9, tzinfo=UTC)
WORKER = str(Path(__file__).with_name("memory_process.py"))
USERS = [user_space(name) for name in ("ann", "bob")]
ME = user_space("me")
SAID = (
    "I live in {place}.", "I moved to {place}.", "I live in {place} and I work as a {job}.", "I work as a {job}.",
    "I have a dog.", "I have a dog named {name}.", "My sister {name} lives in {place}.", "I use {tool}.",
    "I drive a {car}.",
    "I love {taste}.", "I no longer like {taste}.", "My favourite colour is {colour}.", "Hello there!",
    "I am allergic to {food} and I speak {language}.", "I am working on a website about {taste}.",
    "Can you tell me something about {place}?", "I prefer {taste} to {other}.",
)  # fmt: skip
WORDS = {
    "place": "Oslo|Porto|Graz|Kyoto", "job": "nurse|baker|pilot", "name": "Rex|Anna|Mia", "tool": "Vim|Emacs|Nano",
    "car": "Volvo|Fiat", "taste": "jazz|chess|tea|tennis", "other": "opera|coffee|golf", "colour": "blue|green|red",
    "food": "peanuts|shrimps|pollen", "language": "Polish|Danish|Greek",
}  # fmt: skip

MakeSettings = Callable[..., Settings]


@pytest.fixture
def at(postgres: PostgresForTests, tmp_path: Path) -> Iterator[MakeSettings]:
    """Settings on a new database, with the embedder the program comes with and no model."""
    with contextlib.ExitStack() as stack:

        def make(**more: Any) -> Settings:
            url = stack.enter_context(postgres.database())
            return load_settings({}, database_url=url, data_dir=tmp_path, job_heartbeat_seconds=0.2, **more)

        yield make


@pytest.fixture
def soon(at: MakeSettings, host: ScriptedOpenAI) -> Settings:
    """Settings that start in no time, for tests that ask for nothing that the vectors tell."""
    return at(embed_base_url=host.base_url, embed_model="scripted-embedder")


def conversations(amount: int, seed: int) -> list[tuple[SpaceId, Said]]:
    """So many things that users say, a minute apart: new, again, more exactly, and against what they said before."""
    chance = random.Random(seed)
    said = []
    for number in range(amount):
        words = {name: chance.choice(among.split("|")) for name, among in WORDS.items()}
        text = chance.choice(SAID).format(**words)
        when = BEGAN + timedelta(minutes=number)
        said.append((chance.choice(USERS), Said("chat", "user", text, created_at=when, learn=True)))
    return said


async def index(souvenir: Souvenir, said: Sequence[tuple[SpaceId, Said]]) -> None:
    for space in USERS:
        await souvenir.indexing.index(space, [one for whose, one in said if whose == space])


@contextlib.asynccontextmanager
async def working(*souvenirs: Souvenir) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(souvenir.jobs.work()) for souvenir in souvenirs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def all_done(souvenir: Souvenir) -> None:
    async with asyncio.timeout(60):
        while True:
            counts = await souvenir.jobs.counts()
            assert counts.failed == 0
            if not counts.waiting + counts.running:
                return
            await asyncio.sleep(0.02)


async def ended_as(souvenir: Souvenir, spaces: Sequence[SpaceId] = USERS) -> list[Any]:
    """All there is of memories, but for ids and for the times at which the work was done."""
    return [await state(souvenir, space) for space in spaces]


async def state(souvenir: Souvenir, space: SpaceId) -> dict[str, Any]:
    memories, audit, conflicts = await souvenir.memories.export(space)
    text = {one.memory_id: one.content for one in memories} | {"": ""}
    lineages = defaultdict(list)
    for one in sorted(memories, key=lambda one: (one.lineage, one.version)):
        by = text[one.superseded_by] if one.superseded_by else None
        lineages[one.lineage].append((one.version, facts_of(one), by, one.deleted_at))
    passages = await souvenir.passages.get(space, [one.passage_id or 0 for one in memories])
    return {
        "lineages": list(lineages.values()),
        "audit": [(o.event, text[o.memory_id], o.old, o.new, o.reason, o.by, text[o.other or ""]) for o in audit],
        "conflicts": [(text[one.older], text[one.newer], one.reason) for one in conflicts],
        "passages": [(one.text, one.until) for _, one in sorted(passages.items())],
        "counts": await souvenir.memories.counts(space),
    }


def facts_of(memory: Memory) -> tuple[Any, ...]:
    return (
        memory.content, memory.category, memory.importance, memory.confidence, memory.reasoning, memory.lifetime,
        memory.path, memory.said_at, memory.expires_at, memory.verified,
    )  # fmt: skip


async def undisturbed(settings: Settings, said: Sequence[tuple[SpaceId, Said]]) -> list[Any]:
    """How it ends with one worker that nobody disturbs."""
    async with open_souvenir(settings) as souvenir:
        await index(souvenir, said)
        async with working(souvenir):
            await all_done(souvenir)
        return await ended_as(souvenir)


def work_killed(settings: Settings, cwd: Path, each: int, seed: int) -> int:
    """Let workers form all that waits, each killed when it has formed up to twice `each`; returns how many were."""
    chance = random.Random(seed)
    url = settings.database_url.get_secret_value() if settings.database_url is not None else ""
    environ = environment(
        {
            "SOUVENIR_DATABASE_URL": url,
            "SOUVENIR_DATA_DIR": str(settings.data_dir),
            "SOUVENIR_JOB_HEARTBEAT_SECONDS": str(settings.job_heartbeat_seconds),
            "SOUVENIR_LOG_LEVEL": "error",
        }
    )
    kills = 0
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            worker = SouvenirProcess([sys.executable, WORKER], environ, cwd)
            try:
                worker.wait_for("works")
                if not _reach(connection, worker, chance.randint(1, 2 * each)):
                    return kills
                # anywhere in what it does next
                time.sleep(chance.uniform(0, 0.03))
            finally:
                worker.kill()
            kills += 1


def _reach(connection: psycopg.Connection, worker: SouvenirProcess, more: int) -> bool:
    """Wait until a worker has done so much more; False when it has done all there is."""
    query = (
        "select count(*) filter (where status = 'succeeded'), count(*) filter (where status in ('todo', 'doing')),"
        " count(*) filter (where status = 'failed') from procrastinate_jobs where task_name = 'form-memories'"
    )
    goal, deadline = None, time.monotonic() + 60
    while time.monotonic() < deadline:
        done, left, failed = connection.execute(query).fetchone() or (0, 0, 0)
        assert not failed
        assert worker.process.poll() is None, worker.output
        goal = goal or done + more
        if not left:
            return False
        if done >= goal:
            return True
        time.sleep(0.002)
    raise TimeoutError(worker.output)


@pytest.mark.req("MEM-1")
@pytest.mark.parametrize(
    ("amount", "each"),
    [
        pytest.param(40, 6, id="40"),
        pytest.param(500, 8, id="500", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_a_worker_that_is_killed_again_and_again_leaves_what_one_that_lives_leaves(
    at: MakeSettings, tmp_path: Path, amount: int, each: int
) -> None:
    said = conversations(amount, seed=amount)
    expected = asyncio.run(undisturbed(at(), said))
    assert any(one["conflicts"] for one in expected)
    assert all(one["counts"].replaced and one["counts"].ignored for one in expected)
    settings = at()

    async def prepare() -> None:
        async with open_souvenir(settings) as souvenir:
            await index(souvenir, said)

    async def ended() -> list[Any]:
        async with open_souvenir(settings) as souvenir:
            return await ended_as(souvenir)

    asyncio.run(prepare())
    kills = work_killed(settings, tmp_path, each, seed=amount)
    print(f"{kills} workers were killed over {amount} messages")
    assert kills >= amount // (4 * each)
    assert asyncio.run(ended()) == expected


async def test_two_workers_leave_what_one_leaves(at: MakeSettings) -> None:
    said = conversations(60, seed=2)
    expected = await undisturbed(at(), said)
    settings = at()
    async with open_souvenir(settings) as one, open_souvenir(settings) as other:
        await index(one, said)
        async with working(one, other):
            await all_done(one)
        assert await ended_as(other) == expected


# what is said twice, late, or by a clock that jumps


@contextlib.asynccontextmanager
async def learning(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Souvenir]:
    async with open_souvenir(settings, clock) as souvenir, working(souvenir):
        yield souvenir


async def learn(souvenir: Souvenir, text: str, when: datetime | None = None, external_id: str | None = None) -> None:
    said = Said("chat", "user", text, created_at=when, external_id=external_id, learn=True)
    await souvenir.indexing.index(ME, [said])
    await all_done(souvenir)


async def active(souvenir: Souvenir) -> list[str]:
    memories, _, _ = await souvenir.memories.export(ME)
    return [one.content for one in memories if one.is_active(souvenir.clock.now())]


async def events(souvenir: Souvenir) -> list[str]:
    _, audit, _ = await souvenir.memories.export(ME)
    return [one.event for one in audit]


async def test_what_was_said_earlier_and_arrives_later_replaces_nothing(soon: Settings) -> None:
    async with learning(soon) as souvenir:
        await learn(souvenir, "I moved to Porto.", BEGAN + timedelta(days=30))
        await learn(souvenir, "I live in Oslo.", BEGAN)
        await learn(souvenir, "I have a dog named Rex.", BEGAN + timedelta(days=30))
        await learn(souvenir, "I have a dog.", BEGAN)
        assert await active(souvenir) == ["User moved to Porto", "User has a dog named Rex"]
        assert await events(souvenir) == ["add", "ignore", "add", "ignore"]


async def test_the_same_message_sent_twice_is_learnt_from_once(soon: Settings) -> None:
    async with learning(soon) as souvenir:
        for _ in range(2):
            await learn(souvenir, "I live in Oslo.", external_id="one")
        assert await active(souvenir) == ["User lives in Oslo"]
        assert await events(souvenir) == ["add"]


async def test_the_same_words_in_another_message_change_nothing_but_the_count(soon: Settings) -> None:
    async with learning(soon) as souvenir:
        for _ in range(3):
            await learn(souvenir, "I live in Oslo.")
        assert await active(souvenir) == ["User lives in Oslo"]
        assert await events(souvenir) == ["add", "ignore", "ignore"]


@pytest.mark.parametrize("jump", [timedelta(days=400), timedelta(days=-400)], ids=["forward", "back"])
async def test_a_clock_that_jumps_loses_and_doubles_nothing(soon: Settings, jump: timedelta) -> None:
    clock = ManualClock(BEGAN)
    async with learning(soon, clock) as souvenir:
        await learn(souvenir, "I live in Oslo.")
        clock.set(BEGAN + jump)
        await learn(souvenir, "I love jazz.")
        await learn(souvenir, "I love jazz.")
        clock.set(BEGAN + timedelta(hours=1))
        await learn(souvenir, "I moved to Porto.")
        await learn(souvenir, "I love jazz.")
        assert await active(souvenir) == ["User loves jazz", "User moved to Porto"]
        assert sorted(await events(souvenir)) == ["add", "add", "ignore", "ignore", "replace"]


async def test_a_clock_that_was_ahead_does_not_make_a_memory_last_for_ever(soon: Settings) -> None:
    clock = ManualClock(BEGAN)
    async with learning(soon, clock) as souvenir:
        await learn(souvenir, "I live in Oslo.", BEGAN + timedelta(days=4000))
        clock.advance(minutes=1)
        await learn(souvenir, "I moved to Porto.")
        assert await active(souvenir) == ["User moved to Porto"]
