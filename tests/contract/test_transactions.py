"""Transactions within transactions: what several stores write in one task is kept together or not at all."""

import asyncio

import pytest

from souvenir.errors import Unavailable
from souvenir.stores.ports import NewMessage
from souvenir.stores.postgres.chats import PostgresChatStore
from souvenir.stores.postgres.database import Connection, PostgresDatabase
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.passages import passage, states_of
from souvenir.types import SpaceId


async def write(connection: Connection, name: str) -> None:
    await connection.execute("insert into secrets (space_id, name, value) values ('s', %s, '')", [name])


async def written(database: PostgresDatabase) -> set[str]:
    """What is committed, asked by another task and so on another connection."""

    async def ask() -> set[str]:
        async with database.transaction() as connection:
            cursor = await connection.execute("select name from secrets where space_id = 's'")
            return {row["name"] for row in await cursor.fetchall()}

    return await asyncio.create_task(ask())


async def test_a_transaction_within_another_is_a_part_of_it(database: PostgresDatabase) -> None:
    async with database.transaction() as outer:
        async with database.transaction() as inner:
            assert inner is outer
            await write(inner, "inner")
            async with database.transaction() as innermost:
                await write(innermost, "innermost")
        assert await written(database) == set()
        await write(outer, "outer")
    assert await written(database) == {"inner", "innermost", "outer"}


async def test_a_part_that_fails_and_is_caught_is_undone_alone(database: PostgresDatabase) -> None:
    async with database.transaction() as outer:
        await write(outer, "before")
        with pytest.raises(ZeroDivisionError):
            async with database.transaction() as inner:
                await write(inner, "inner")
                raise ZeroDivisionError
        await write(outer, "after")
    assert await written(database) == {"before", "after"}


async def test_a_statement_that_fails_in_a_caught_part_does_not_spoil_the_rest(database: PostgresDatabase) -> None:
    async with database.transaction() as outer:
        await write(outer, "before")
        with pytest.raises(Exception, match="duplicate key"):
            async with database.transaction() as inner:
                await write(inner, "before")
        await write(outer, "after")
    assert await written(database) == {"before", "after"}


@pytest.mark.parametrize("first", [True, False], ids=["before anything else", "after a statement"])
async def test_a_failure_around_a_finished_part_undoes_it_too(database: PostgresDatabase, first: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as outer:
            if not first:
                await write(outer, "outer")
            async with database.transaction() as inner:
                await write(inner, "inner")
            raise ZeroDivisionError
    assert await written(database) == set()


async def test_a_part_that_fails_uncaught_undoes_all(database: PostgresDatabase) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as outer:
            await write(outer, "outer")
            async with database.transaction() as inner:
                await write(inner, "inner")
                raise ZeroDivisionError
    assert await written(database) == set()


async def test_a_task_started_inside_has_a_transaction_of_its_own(database: PostgresDatabase) -> None:
    async def child() -> Connection:
        async with database.transaction() as connection:
            await write(connection, "child")
            return connection

    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as outer:
            await write(outer, "outer")
            assert await asyncio.create_task(child()) is not outer
            assert await written(database) == {"child"}
            raise ZeroDivisionError
    assert await written(database) == {"child"}


async def test_a_task_that_outlives_the_transaction_it_was_started_in_works_on(database: PostgresDatabase) -> None:
    ended = asyncio.Event()

    async def child() -> None:
        await ended.wait()
        async with database.transaction() as connection:
            await write(connection, "child")

    async with database.transaction() as outer:
        task = asyncio.create_task(child())
        await write(outer, "outer")
    ended.set()
    await task
    assert await written(database) == {"outer", "child"}


async def test_one_transaction_after_another_does_not_join_it(database: PostgresDatabase) -> None:
    for failing in (True, False):
        with pytest.raises(ZeroDivisionError):
            async with database.transaction() as connection:
                await write(connection, f"one {failing}")
                raise ZeroDivisionError
        async with database.transaction() as connection:
            await write(connection, f"two {failing}")
        assert await written(database) == {f"two {failing}"} | ({"two True"} if not failing else set())


async def test_a_cancelled_task_leaves_nothing_and_gives_its_connection_back(database: PostgresDatabase) -> None:
    inside = asyncio.Event()

    async def child() -> None:
        async with database.transaction() as connection:
            await write(connection, "outer")
            async with database.transaction() as inner:
                await write(inner, "inner")
                inside.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(child())
    await inside.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await written(database) == set()
    stats = database.pool.get_stats()
    assert stats["pool_available"] == stats["pool_size"]


async def test_a_connection_that_breaks_inside_a_part_is_unavailable_and_the_next_one_works(
    database: PostgresDatabase,
) -> None:
    with pytest.raises(Unavailable):
        async with database.transaction() as outer:
            await write(outer, "outer")
            async with database.transaction() as inner:
                await inner.execute("select pg_terminate_backend(pg_backend_pid())")
    assert await written(database) == set()
    async with database.transaction() as connection:
        await write(connection, "again")
    assert await written(database) == {"again"}


async def test_a_message_and_its_passage_are_kept_together_or_not_at_all(
    database: PostgresDatabase, clock: ManualClock
) -> None:
    chats, passages, space = (
        PostgresChatStore(database, clock),
        PostgresPassageStore(database, clock),
        SpaceId("user:a"),
    )

    async def index(chat_id: str) -> None:
        async with database.transaction():
            await chats.append(space, chat_id, [NewMessage("user", "hello")], create=True)
            await passages.add(space, [passage("hello", chat_id=chat_id)])
            if chat_id == "bad":
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await index("bad")
    assert await chats.get_chat(space, "bad") is None
    assert (await states_of(passages, [space]))[space].passages == 0
    await index("good")
    assert await chats.get_chat(space, "good") is not None
    assert (await states_of(passages, [space]))[space].passages == 1
