"""What the source store promises: sources by space, files with their passages, jobs that are held."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from ulid import ULID

from souvenir.errors import NotFound
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.sources import PostgresSourceStore
from souvenir.stores.source_ports import FileState, Source, SourceJob, Statistics, Tally
from souvenir.types import SpaceId

pytestmark = pytest.mark.req("FILE-1", "FILE-3")

ME, YOU = SpaceId("user:me"), SpaceId("user:you")
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def store(database: PostgresDatabase) -> PostgresSourceStore:
    return PostgresSourceStore(database)


def source(**change: object) -> Source:
    made = Source(str(ULID()), "/files", ("*.md",), (".git/",), watch=True, created_at=NOW)
    return replace(made, **change)  # type: ignore[arg-type]


def file(path: str, **change: object) -> FileState:
    made = FileState(path, 10, 20, "digest", "indexed", "text", None, NOW, (1, 2))
    return replace(made, **change)  # type: ignore[arg-type]


def job(of: Source, **change: object) -> SourceJob:
    made = SourceJob(str(ULID()), of.source_id, "queued", False, None, Tally(), NOW, None, None, None)
    return replace(made, **change)  # type: ignore[arg-type]


async def test_a_source_is_kept_listed_and_removed_with_all_it_has(store: PostgresSourceStore) -> None:
    first, second = source(), source(root="/other\nname", watch=False)
    assert await store.add(ME, first)
    assert await store.add(ME, second)
    assert not await store.add(ME, source(include=()))
    assert await store.add(YOU, source(watch=False))
    assert await store.get(ME, first.source_id) == first
    assert await store.list(ME) == [first, second]
    assert await store.watched() == [(ME, first)]
    await store.put_files(ME, first.source_id, [file("a"), file("b", passage_ids=(7,))])
    await store.add_job(ME, job(first))
    assert sorted(await store.remove(ME, first.source_id) or ()) == [1, 2, 7]
    assert await store.remove(ME, first.source_id) is None
    assert await store.files(ME, first.source_id, ["a"]) == {}
    assert await store.jobs(ME, first.source_id, 10) == []
    assert await store.list(ME) == [second]


async def test_another_space_sees_and_changes_nothing(store: PostgresSourceStore) -> None:
    mine, yours = source(), source()
    begun = job(mine)
    await store.add(ME, mine)
    await store.add(YOU, replace(yours, source_id=mine.source_id))
    await store.put_files(ME, mine.source_id, [file("a")])
    await store.add_job(ME, begun)
    assert await store.files(YOU, mine.source_id, ["a"]) == {}
    assert await store.paths(YOU, mine.source_id) == []
    assert await store.list_files(YOU, mine.source_id, None, after="", limit=10) == []
    assert await store.jobs(YOU, mine.source_id, 10) == []
    assert await store.job(YOU, mine.source_id, begun.job_id) is None
    assert await store.remove_files(YOU, mine.source_id, ["a"]) == 0
    await store.put_job(YOU, replace(begun, state="cancelled"))
    assert await store.remove(YOU, mine.source_id) == []
    assert await store.job(ME, mine.source_id, begun.job_id) == begun
    assert await store.files(ME, mine.source_id, ["a"]) == {"a": file("a")}


async def test_files_are_replaced_counted_and_forgotten(store: PostgresSourceStore) -> None:
    mine = source()
    await store.add(ME, mine)
    states = [file("a"), file("b", status="failed", error="is broken", digest=None, passage_ids=()), file("c\nd")]
    await store.put_files(ME, mine.source_id, states)
    await store.put_files(ME, mine.source_id, [file("a", size=99, passage_ids=(5, 6, 7))])
    assert (await store.files(ME, mine.source_id, ["a", "x"]))["a"].size == 99
    assert await store.statistics(ME, mine.source_id) == Statistics(3, 2, 0, 1, 5, 109)
    assert await store.list_files(ME, mine.source_id, "failed", after="", limit=9) == [states[1]]
    assert [one.path for one in await store.list_files(ME, mine.source_id, None, after="a", limit=1)] == ["b"]
    assert await store.remove_files(ME, mine.source_id, ["a", "x"]) == 1
    assert await store.paths(ME, mine.source_id) == ["b", "c\nd"]
    assert await store.statistics(ME, "nowhere") == Statistics(0, 0, 0, 0, 0, 0)


async def test_paths_below_a_folder_are_those_in_it_alone(store: PostgresSourceStore) -> None:
    mine = source()
    await store.add(ME, mine)
    names = ["a", "a-b", "a.txt", "a/b", "a/b/c", "a/é", "a0", "ab/c", "b"]
    await store.put_files(ME, mine.source_id, [file(name) for name in names])
    assert await store.paths(ME, mine.source_id, below="a") == ["a", "a/b", "a/b/c", "a/é"]
    assert await store.paths(ME, mine.source_id, below="a/b") == ["a/b", "a/b/c"]
    assert await store.paths(ME, mine.source_id, below="a", after="a/b", limit=1) == ["a/b/c"]
    assert await store.paths(ME, mine.source_id) == sorted(names)


async def test_old_jobs_are_forgotten_and_unfinished_ones_are_not(store: PostgresSourceStore) -> None:
    mine = source()
    await store.add(ME, mine)
    waiting = job(mine, paths=("a", "b"), full=True, tally=Tally(found=3, chunks=4))
    await store.add_job(ME, waiting)
    for _ in range(60):
        await store.add_job(ME, job(mine, state="done", finished_at=NOW))
    jobs = await store.jobs(ME, mine.source_id, 100)
    assert len(jobs) == 51
    assert jobs[-1] == waiting
    await store.put_job(ME, replace(waiting, state="failed", error="why", started_at=NOW))
    assert (await store.jobs(ME, mine.source_id, 100))[-1].error == "why"


async def test_a_held_job_keeps_its_source_until_the_transaction_ends(
    store: PostgresSourceStore, database: PostgresDatabase
) -> None:
    mine = source()
    begun = job(mine)
    await store.add(ME, mine)
    await store.add_job(ME, begun)
    async with database.transaction():
        assert await store.job(ME, mine.source_id, begun.job_id, hold=True) == begun
        removing = asyncio.create_task(store.remove(ME, mine.source_id))
        await store.put_files(ME, mine.source_id, [file("a")])
        assert not removing.done()
    assert await removing == [1, 2]
    assert await store.job(ME, mine.source_id, begun.job_id, hold=True) is None


async def test_a_part_that_fails_takes_a_files_state_with_it(
    store: PostgresSourceStore, database: PostgresDatabase
) -> None:
    mine = source()
    await store.add(ME, mine)
    with pytest.raises(NotFound):
        async with database.transaction():
            await store.put_files(ME, mine.source_id, [file("a")])
            raise NotFound("anything")
    assert await store.paths(ME, mine.source_id) == []
