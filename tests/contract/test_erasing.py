"""What erasing a space asks of the database: jobs that end, names that go, revisions that never come back."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context

import pytest

from souvenir.config import Settings
from souvenir.errors import Erased
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.stores.ports import Job, running_job
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.stores.postgres.large_spaces import PostgresLargeSpaceStore
from souvenir.stores.postgres.memories import PostgresMemoryStore
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.stores.postgres.space_archive import PostgresSpaceArchive
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import added, memory
from souvenir.testing.passages import DIMENSION, MODEL, Follower, everything, new_space, passage, states_of
from souvenir.types import SpaceId
from tests.contract.test_jobs import working

Handler = Callable[[Job], Awaitable[None]]


@pytest.fixture
def passages(database: PostgresDatabase, clock: ManualClock) -> PostgresPassageStore:
    return PostgresPassageStore(database, clock)


@pytest.fixture
def memories(database: PostgresDatabase, passages: PostgresPassageStore, clock: ManualClock) -> PostgresMemoryStore:
    return PostgresMemoryStore(database, passages, clock)


@pytest.fixture
def archive(database: PostgresDatabase, passages: PostgresPassageStore) -> PostgresSpaceArchive:
    return PostgresSpaceArchive(database, passages)


@pytest.fixture
async def queue(database: PostgresDatabase, settings: Settings, clock: ManualClock) -> JobQueue:
    queue = JobQueue(PostgresJobStore(database), settings, clock, Metrics())
    await queue.open(database.pool)
    return queue


@pytest.fixture
def jobs(database: PostgresDatabase) -> PostgresJobStore:
    return PostgresJobStore(database)


async def statuses(database: PostgresDatabase) -> list[str]:
    rows = await database.fetch("select status::text as status from procrastinate_jobs order by id")
    return [row["status"] for row in rows]


@pytest.mark.req("LIFE-7")
async def test_a_job_of_an_erased_space_can_write_nothing_any_more_and_has_not_failed(
    database: PostgresDatabase, queue: JobQueue, jobs: PostgresJobStore, memories: PostgresMemoryStore
) -> None:
    """In every way it might; one of another space goes on."""
    mine, theirs = new_space(), new_space()
    begun, erased, refused = asyncio.Event(), asyncio.Event(), list[str]()
    passages, large = memories._passages, PostgresLargeSpaceStore(database)

    async def work(job: Job) -> None:
        begun.set()
        await erased.wait()
        for name, write in {
            "memory": memories.add(job.space, memory(), "", "x"),
            "spend": memories.spend(job.space, memory().said_at.date(), "extract", 1),
            "passage": passages.add(job.space, [passage("x", MODEL)]),
            "index": large.index(job.space, MODEL, DIMENSION),
        }.items():
            try:
                await write
            except Erased:
                refused.append(name)
        async with database.transaction():
            refused.append("never")

    queue.register("work", work)
    await queue.enqueue(mine, "work", key="k")
    async with working(queue), asyncio.timeout(30):
        await begun.wait()
        assert await jobs.erase(mine) == 1
        erased.set()
        while await statuses(database) != ["succeeded"]:
            await asyncio.sleep(0.01)
        assert refused == ["memory", "spend", "passage", "index"]
        assert await queue.failed() == []
        await queue.enqueue(theirs, "work", key="k")
        await queue.enqueue(mine, "work", key="k")
        while await statuses(database) != ["succeeded"] * 3:
            await asyncio.sleep(0.01)
    assert refused[4:] == ["never", "never"]
    assert await database.fetch("select from passages where space_id = %s", [mine]) != []


@pytest.mark.req("LIFE-7")
async def test_erasing_waits_for_what_a_writer_of_chats_has_begun_and_writers_wait_for_it(
    database: PostgresDatabase, archive: PostgresSpaceArchive, passages: PostgresPassageStore
) -> None:
    """What is of another space waits for nobody."""
    space, elsewhere = new_space(), new_space()
    holding, go_on = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with database.transaction():
            await archive.hold(space)
            holding.set()
            await go_on.wait()

    async def write(where: SpaceId) -> None:
        async with database.transaction():
            await passages.lock_chat(where, "c")

    async with database.transaction():
        await passages.lock_chat(space, "c")
        task = asyncio.create_task(hold())
        await waiting(database)
        assert not holding.is_set()
    await holding.wait()
    await write(elsewhere)
    writer = asyncio.create_task(write(space))
    await waiting(database)
    assert not writer.done()
    go_on.set()
    await asyncio.gather(task, writer)


@pytest.mark.req("LIFE-7")
async def test_erasing_waits_for_the_transaction_a_job_is_in_and_there_is_none_after_it(
    database: PostgresDatabase, jobs: PostgresJobStore, archive: PostgresSpaceArchive, queue: JobQueue
) -> None:
    """So that nothing it writes can be missed."""
    space = new_space()
    queue.register("idle", idle)
    job_id = await queue.enqueue(space, "idle", key="k")
    assert job_id is not None
    await database.fetch("update procrastinate_jobs set status = 'doing' returning id")
    running_job.set(Job(job_id, "idle", space, "k", {}, 1, "doing"))

    async def erase() -> None:
        await jobs.erase(space)
        async with database.transaction():
            await archive.hold(space)

    async with database.transaction():
        erasing = asyncio.create_task(erase(), context=Context())
        await waiting(database)
        async with database.transaction():
            assert not erasing.done()
    await erasing
    with pytest.raises(Erased):
        async with database.transaction():
            pytest.fail("began")


async def idle(_: Job) -> None:
    """Nothing."""


async def waiting(database: PostgresDatabase) -> None:
    """Return when a statement in the database waits for a lock."""
    query = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    async with asyncio.timeout(20):
        while not await database.fetch(query):
            await asyncio.sleep(0.01)


@pytest.mark.req("LIFE-7")
async def test_an_index_of_an_erased_space_is_read_anew_when_the_space_comes_back(
    archive: PostgresSpaceArchive, passages: PostgresPassageStore, memories: PostgresMemoryStore
) -> None:
    """Whichever store writes first, and however far the old one had come; a space that was never erased begins at 1."""
    space, other, fresh = new_space(), new_space(), new_space()
    for number in range(5):
        await passages.add(space, [passage(f"old {number}", MODEL)])
    await passages.add(other, [passage("other", MODEL)])
    followers = [Follower(passages, space), Follower(passages, other)]
    for follower in followers:
        assert (await follower.refresh()).passages > 0
    await archive.sweep(space, "nobody")
    await archive.sweep(other, "nobody")
    await passages.add(space, [passage("new", MODEL)])
    await added(memories, other)
    for follower, where in zip(followers, (space, other), strict=True):
        before = follower.revision
        assert (await follower.refresh()).revision > before
        assert follower.known == await everything(passages, where)
        assert (len(follower.known), follower.again) == (1, 1)
    assert (await states_of(passages, [fresh]))[fresh].revision == 0


@pytest.mark.req("LIFE-7", "ID-8")
async def test_sweeping_a_space_leaves_others_and_those_whose_name_begins_alike(
    archive: PostgresSpaceArchive, passages: PostgresPassageStore, memories: PostgresMemoryStore
) -> None:
    """Of every table."""
    spaces = [SpaceId(name) for name in ("user:ann", "user:anna", "user:an", "project:ann", "user:Ann")]
    for space in spaces:
        await added(memories, space)
        await passages.add(space, [passage("x", MODEL)])
    before = [await memories.export(space) for space in spaces[1:]]
    removed = await archive.sweep(spaces[0], "ann")
    assert {name: count for name, count in removed.items() if count} == {
        "memories": 1, "memory_audit": 1, "passages": 2,
    }  # fmt: skip
    assert [await memories.export(space) for space in spaces[1:]] == before
    assert await memories.export(spaces[0]) == ([], [], [])


@pytest.mark.req("LIFE-7")
async def test_names_go_from_other_spaces_and_what_others_did_keeps_theirs(
    archive: PostgresSpaceArchive, memories: PostgresMemoryStore
) -> None:
    """A user whose name begins alike is another."""
    mine, ours = SpaceId("user:ann"), SpaceId("project:p")
    tea, cake = await added(memories, mine), await added(memories, mine, "User likes cake")
    await memories.share(mine, tea.memory_id, ours, "ann")
    await memories.share(mine, cake.memory_id, ours, "anna")
    assert await archive.unname("ann") >= 2
    shared, audit, _ = await memories.export(ours)
    assert [(one.origin or {})["shared"].get("by") for one in shared] == [None, "anna"]
    assert [row.by for row in audit] == ["(erased)", "anna"]
    assert await archive.unname("ann") == 0
