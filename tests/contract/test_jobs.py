"""What the job queue promises: durable, once by key, retried with back-off, visible when it fails for good."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager

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
SOON = 15.0

MakeQueue = Callable[..., JobQueue]


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    return make_settings(job_heartbeat_seconds=0.2, job_max_attempts=2, shutdown_seconds=5)


@pytest.fixture
async def queue(database: PostgresDatabase, settings: Settings, clock: ManualClock) -> JobQueue:
    queue = JobQueue(PostgresJobStore(database), settings, clock, Metrics())
    await queue.open(database.pool)
    return queue


@contextlib.asynccontextmanager
async def working(queue: JobQueue) -> AsyncIterator[None]:
    task = asyncio.create_task(queue.work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Recorder:
    """A handler that notes its jobs, and fails as often as told."""

    def __init__(self, failures: int = 0, error: Exception | None = None) -> None:
        self.jobs: list[Job] = []
        self.failures = failures
        self.error = error or RuntimeError("not yet")
        self.changed = asyncio.Event()

    async def __call__(self, job: Job) -> None:
        self.jobs.append(job)
        self.changed.set()
        if len(self.jobs) <= self.failures:
            raise self.error

    async def wait(self, count: int) -> None:
        async with asyncio.timeout(SOON):
            while len(self.jobs) < count:
                self.changed.clear()
                await self.changed.wait()


async def test_a_job_gets_its_space_key_and_payload(queue: JobQueue) -> None:
    seen = Recorder()
    queue.register("note", seen)
    await queue.enqueue(ALICE, "note", key="k1", payload={"text": "höla", "n": [1, None]})
    async with working(queue):
        await seen.wait(1)
    job = seen.jobs[0]
    assert (job.space, job.key, job.payload, job.attempt) == (ALICE, "k1", {"text": "höla", "n": [1, None]}, 1)


async def test_a_key_makes_a_job_happen_once_even_after_it_is_done(queue: JobQueue) -> None:
    seen = Recorder()
    queue.register("note", seen)
    assert await queue.enqueue(ALICE, "note", key="same") is not None
    assert await queue.enqueue(ALICE, "note", key="same") is None
    async with working(queue):
        await seen.wait(1)
        assert await queue.enqueue(ALICE, "note", key="same") is None
        assert await queue.enqueue(ALICE, "note", key="other") is not None
        await seen.wait(2)
    assert [job.key for job in seen.jobs] == ["same", "other"]


async def test_two_spaces_may_use_the_same_key(queue: JobQueue) -> None:
    seen = Recorder()
    queue.register("note", seen)
    ids = [await queue.enqueue(space, "note", key="same") for space in (ALICE, BOB)]
    assert None not in ids
    async with working(queue):
        await seen.wait(2)
    assert {job.space for job in seen.jobs} == {ALICE, BOB}


async def test_fifty_parallel_enqueues_of_one_key_make_one_job(queue: JobQueue) -> None:
    queue.register("note", Recorder())
    ids = await asyncio.gather(*(queue.enqueue(ALICE, "note", key="same") for _ in range(50)))
    assert sum(job_id is not None for job_id in ids) == 1
    assert (await queue.counts()).waiting == 1


async def test_an_unknown_task_is_refused_and_takes_no_key(queue: JobQueue) -> None:
    with pytest.raises(LookupError, match="nothing"):
        await queue.enqueue(ALICE, "nothing", key="k")
    queue.register("nothing", Recorder())
    assert await queue.enqueue(ALICE, "nothing", key="k") is not None


async def test_a_job_that_fails_is_tried_again_and_its_attempt_counts_up(queue: JobQueue) -> None:
    seen = Recorder(failures=1)
    queue.register("note", seen)
    await queue.enqueue(ALICE, "note", key="k")
    async with working(queue):
        await seen.wait(2)
    assert [job.attempt for job in seen.jobs] == [1, 2]
    assert await queue.failed() == []


@pytest.mark.req("MEM-11")
async def test_a_job_that_fails_for_good_is_listed_with_its_reason_and_can_be_run_again(queue: JobQueue) -> None:
    seen = Recorder(failures=2, error=ValueError("the reason"))
    queue.register("note", seen)
    job_id = await queue.enqueue(ALICE, "note", key="k")
    assert job_id is not None
    async with working(queue):
        await seen.wait(2)
        failed = await _failed(queue, 1)
        assert (failed[0].id, failed[0].space, failed[0].error) == (job_id, ALICE, "ValueError: the reason")
        assert (await queue.counts()).failed == 1
        assert await queue.retry(job_id)
        await seen.wait(3)
    assert await queue.failed() == []
    assert not await queue.retry(job_id)
    assert not await queue.retry(999_999)


async def _failed(queue: JobQueue, count: int) -> list[Job]:
    async with asyncio.timeout(SOON):
        while len(found := await queue.failed()) < count:
            await asyncio.sleep(0.01)
    return found


async def test_what_no_repetition_mends_is_not_repeated(queue: JobQueue) -> None:
    seen = Recorder(failures=9, error=BadInput("x", "wrong for ever"))
    queue.register("note", seen)
    await queue.enqueue(ALICE, "note", key="k")
    async with working(queue):
        await _failed(queue, 1)
    assert len(seen.jobs) == 1


async def test_a_job_interrupted_by_shutdown_is_queued_again(
    database: PostgresDatabase, make_settings: MakeSettings, clock: ManualClock
) -> None:
    settings = make_settings(job_heartbeat_seconds=0.2, shutdown_seconds=0)
    queue = JobQueue(PostgresJobStore(database), settings, clock, Metrics())
    await queue.open(database.pool)
    started, finished = asyncio.Event(), asyncio.Event()

    async def slow(job: Job) -> None:
        if not started.is_set():
            started.set()
            await asyncio.Event().wait()
        finished.set()

    queue.register("slow", slow)
    await queue.enqueue(ALICE, "slow", key="k")
    async with working(queue), asyncio.timeout(SOON):
        await started.wait()
    async with working(queue), asyncio.timeout(SOON):
        await finished.wait()
    assert await queue.failed() == []


async def test_a_worker_outlives_a_database_that_goes_away(queue: JobQueue, database: PostgresDatabase) -> None:
    seen = Recorder()
    queue.register("note", seen)
    async with working(queue):
        await queue.enqueue(ALICE, "note", key="before")
        await seen.wait(1)
        async with database.transaction() as connection:
            await connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        await queue.enqueue(ALICE, "note", key="after")
        await seen.wait(2)


async def test_an_outcome_that_could_not_be_written_is_written_again_and_the_job_is_not_repeated(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, following = Recorder(), Recorder()
    queue.register("note", seen)
    queue.register("following", following)
    finish = JobManager.finish_job
    failures = [ConnectorException(), ConnectorException()]

    async def unreliable(self: JobManager, **outcome: Any) -> None:
        if failures:
            raise failures.pop()
        await finish(self, **outcome)

    monkeypatch.setattr(JobManager, "finish_job", unreliable)
    await queue.enqueue(ALICE, "note", key="k")
    async with working(queue):
        await seen.wait(1)
        async with asyncio.timeout(SOON):
            while (await queue.counts()).running:
                await asyncio.sleep(0.02)
        await queue.enqueue(ALICE, "following", key="k2")
        await following.wait(1)
    assert failures == []
    assert len(seen.jobs) == 1
    assert await queue.failed() == []


async def test_housekeeping_forgets_old_finished_jobs_and_keeps_failed_ones(
    queue: JobQueue, database: PostgresDatabase, clock: ManualClock
) -> None:
    seen, broken = Recorder(), Recorder(failures=9, error=BadInput("x", "wrong"))
    queue.register("note", seen)
    queue.register("broken", broken)
    await queue.enqueue(ALICE, "note", key="old")
    await queue.enqueue(ALICE, "broken", key="bad")
    async with working(queue):
        await seen.wait(1)
        await _failed(queue, 1)
        async with database.transaction() as connection:
            await connection.execute("update procrastinate_events set at = at - interval '30 days'")
        clock.advance(days=30)
        await queue.enqueue(ALICE, "housekeeping", key="now")
        async with asyncio.timeout(SOON):
            while await queue.enqueue(ALICE, "note", key="old", at=clock.now() + timedelta(days=999)) is None:
                await asyncio.sleep(0.02)
    assert len(await queue.failed()) == 1
    assert await queue.enqueue(ALICE, "broken", key="bad") is None


async def test_housekeeping_is_queued_by_the_clock_once_for_all_workers(queue: JobQueue) -> None:
    ticks = Recorder()
    queue.register("tick", ticks, cron="* * * * * *")
    async with working(queue):
        await ticks.wait(1)
    assert ticks.jobs[0].key.startswith("tick@")


async def test_payloads_do_not_reach_the_log(queue: JobQueue, caplog: pytest.LogCaptureFixture) -> None:
    seen = Recorder(failures=9, error=BadInput("x", "wrong"))
    queue.register("note", seen)
    with caplog.at_level("DEBUG"):
        await queue.enqueue(ALICE, "note", key="k", payload={"text": "my secret diary"})
        async with working(queue):
            await _failed(queue, 1)
    assert "diary" not in caplog.text
