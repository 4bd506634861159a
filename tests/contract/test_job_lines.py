"""What jobs in line promise: one at a time for each space and in order, whatever fails, stops or dies on the way."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest

from souvenir.config import Settings
from souvenir.errors import BadInput
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.stores.ports import Job
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId
from tests.conftest import MakeSettings

ALICE, BOB = SpaceId("user:alice"), SpaceId("user:bob")
SOON = 20.0

MakeQueue = Callable[[], Awaitable[JobQueue]]


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    return make_settings(job_heartbeat_seconds=0.2, job_max_attempts=2, shutdown_seconds=0)


@pytest.fixture
def make_queue(database: PostgresDatabase, settings: Settings, clock: ManualClock) -> MakeQueue:
    async def make() -> JobQueue:
        queue = JobQueue(PostgresJobStore(database), settings, clock, Metrics())
        await queue.open(database.pool)
        return queue

    return make


class Line:
    """A handler that notes who ran, and sees to it that never two of a space do."""

    def __init__(self) -> None:
        self.ran: list[tuple[SpaceId, str, int]] = []
        self.running: set[SpaceId] = set()
        self.before: Callable[[Job], Awaitable[None]] | None = None

    async def __call__(self, job: Job) -> None:
        assert job.space not in self.running
        self.running.add(job.space)
        try:
            await asyncio.sleep(0)
            if self.before is not None:
                await self.before(job)
            self.ran.append((job.space, job.key, job.attempt))
        finally:
            self.running.discard(job.space)

    def of(self, space: SpaceId) -> list[str]:
        return [key for whose, key, _ in self.ran if whose == space]


@contextlib.asynccontextmanager
async def working(*queues: JobQueue) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(queue.work()) for queue in queues]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def empty(queue: JobQueue) -> None:
    async with asyncio.timeout(SOON):
        while (counts := await queue.counts()).waiting + counts.running:
            await asyncio.sleep(0.02)


async def test_a_line_is_run_in_order_by_however_many_workers(make_queue: MakeQueue) -> None:
    line, queues = Line(), [await make_queue(), await make_queue()]
    for queue in queues:
        queue.register("note", line, in_line=True)
    keys = [f"{number:02}" for number in range(40)]
    for key in keys:
        for space in (ALICE, BOB):
            await queues[0].enqueue(space, "note", key=key)
    async with working(*queues):
        await empty(queues[0])
    assert (line.of(ALICE), line.of(BOB)) == (keys, keys)


async def test_one_line_does_not_wait_for_another_nor_for_other_tasks(make_queue: MakeQueue) -> None:
    queue, line, free = await make_queue(), Line(), asyncio.Event()

    async def hold(job: Job) -> None:
        if job.space == ALICE:
            await free.wait()

    async def other(_: Job) -> None:
        line.ran.append((ALICE, "other", 1))

    line.before = hold
    queue.register("note", line, in_line=True)
    queue.register("other", other)
    for key in ("first", "last"):
        for space in (ALICE, BOB):
            await queue.enqueue(space, "note", key=key)
    await queue.enqueue(ALICE, "other", key="other")
    async with working(queue):
        async with asyncio.timeout(SOON):
            while "last" not in line.of(BOB) or "other" not in line.of(ALICE):
                await asyncio.sleep(0.01)
        assert line.of(ALICE) == ["other"]
        free.set()
        await empty(queue)


async def test_one_that_fails_holds_up_its_line_until_it_has_had_its_tries(make_queue: MakeQueue) -> None:
    queue, line = await make_queue(), Line()
    tries = []

    async def fail(job: Job) -> None:
        if job.key == "b":
            tries.append((job.attempt, line.of(ALICE)))
            raise RuntimeError("never")

    line.before = fail
    queue.register("note", line, in_line=True)
    for key in "abc":
        await queue.enqueue(ALICE, "note", key=key)
    async with working(queue):
        await empty(queue)
    assert tries == [(1, ["a"]), (2, ["a"])]
    assert line.of(ALICE) == ["a", "c"]
    assert [(job.key, job.error) for job in await queue.failed()] == [("b", "RuntimeError: never")]


async def test_what_no_repetition_mends_lets_the_line_go_on_at_once(make_queue: MakeQueue) -> None:
    queue, line = await make_queue(), Line()

    async def refuse(job: Job) -> None:
        if job.key == "b":
            raise BadInput("x", "wrong")

    line.before = refuse
    queue.register("note", line, in_line=True)
    for key in "abc":
        await queue.enqueue(ALICE, "note", key=key)
    async with working(queue):
        await empty(queue)
    assert line.of(ALICE) == ["a", "c"]
    assert [job.key for job in await queue.failed()] == ["b"]


async def test_a_line_that_is_interrupted_goes_on_where_it_was(make_queue: MakeQueue) -> None:
    line = Line()
    reached = asyncio.Event()

    async def hang(job: Job) -> None:
        if job.key == "c" and not reached.is_set():
            reached.set()
            await asyncio.Event().wait()

    line.before = hang
    first = await make_queue()
    first.register("note", line, in_line=True)
    for key in "abcd":
        await first.enqueue(ALICE, "note", key=key)
    async with working(first), asyncio.timeout(SOON):
        await reached.wait()
    assert line.of(ALICE) == ["a", "b"]
    second = await make_queue()
    second.register("note", line, in_line=True)
    async with working(second):
        await empty(second)
    assert line.of(ALICE) == ["a", "b", "c", "d"]
    assert await second.failed() == []


async def test_one_whose_time_has_not_come_holds_up_its_line(make_queue: MakeQueue, clock: ManualClock) -> None:
    queue, line = await make_queue(), Line()
    queue.register("note", line, in_line=True)
    await queue.enqueue(ALICE, "note", key="a")
    await queue.enqueue(ALICE, "note", key="b", at=clock.now() + timedelta(days=100_000))
    await queue.enqueue(ALICE, "note", key="c")
    await queue.enqueue(BOB, "note", key="a")
    async with working(queue), asyncio.timeout(SOON):
        while len(line.ran) < 2 or (await queue.counts()).running:
            await asyncio.sleep(0.01)
    assert (line.of(ALICE), line.of(BOB)) == (["a"], ["a"])
    assert (await queue.counts()).waiting == 2


async def test_those_who_were_erased_are_not_run_and_leave_no_name(
    make_queue: MakeQueue, database: PostgresDatabase
) -> None:
    queue, line, started, free = await make_queue(), Line(), asyncio.Event(), asyncio.Event()

    async def hold(_: Job) -> None:
        started.set()
        await free.wait()

    line.before = hold
    queue.register("note", line, in_line=True)
    for key in "abc":
        await queue.enqueue(ALICE, "note", key=key)
    async with working(queue):
        async with asyncio.timeout(SOON):
            await started.wait()
        await PostgresJobStore(database).erase(ALICE)
        free.set()
        await empty(queue)
    assert line.of(ALICE) == ["a"]
    left = await database.fetch("select lock, args::text as args from procrastinate_jobs")
    assert [(row["lock"], row["args"]) for row in left] == [(None, '{"erased": true}')]
