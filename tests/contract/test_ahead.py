"""Statements that are sent before anybody waits for their answer."""

import asyncio

import psycopg
import pytest

from souvenir.errors import Unavailable
from souvenir.stores.postgres.database import PostgresDatabase

ECHO = b"select $1::text, null, 7"


async def asked(database: PostgresDatabase, statement: bytes = ECHO, *values: str) -> list[tuple[str | None, ...]]:
    async with database.ahead(statement, values, list) as sent:
        return await sent.answer()


async def test_the_answer_is_there_when_it_is_waited_for(database: PostgresDatabase) -> None:
    async with database.ahead(b"select clock_timestamp()", (), list) as sent:
        await asyncio.sleep(0.05)
        (then,) = await sent.answer()
    (later,) = await asked(database, b"select clock_timestamp()")
    assert then[0] is not None
    assert later[0] is not None
    assert then[0] < later[0]


async def test_an_answer_that_takes_long_holds_up_nobody_else(database: PostgresDatabase) -> None:
    async with database.ahead(b"select 'slow' from pg_sleep(0.2)", (), list) as sent:
        slow = asyncio.ensure_future(sent.answer())
        assert await asked(database, ECHO, "quick") == [("quick", None, "7")]
        assert not slow.done()
        assert await slow == [("slow",)]


@pytest.mark.parametrize("value", ["", "ß 🦆 '; drop table secrets; --", "x" * 3_000_000], ids=["empty", "odd", "long"])
async def test_values_arrive_as_they_are(database: PostgresDatabase, value: str) -> None:
    assert await asked(database, ECHO, value) == [(value, None, "7")]
    assert await asked(database, b"select length($1)", value) == [(str(len(value)),)]


async def test_connections_that_died_are_replaced(database: PostgresDatabase) -> None:
    async with database.transaction() as connection:
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    for value in "abc":
        assert await asked(database, ECHO, value) == [(value, None, "7")]


async def test_one_that_dies_between_question_and_answer_is_replaced(database: PostgresDatabase) -> None:
    async with database.ahead(b"select 'answered' from pg_sleep(0.2)", (), list) as sent:
        async with database.transaction() as connection:
            await connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select ''answered''%'"
            )
        assert await sent.answer() == [("answered",)]


async def test_who_does_not_wait_for_the_answer_leaves_nothing_behind(database: PostgresDatabase) -> None:
    for _ in range(20):  # more than there are connections
        with pytest.raises(ZeroDivisionError):
            async with database.ahead(b"select pg_sleep(0.01)", (), list):
                raise ZeroDivisionError
    assert await asked(database, ECHO, "still there") == [("still there", None, "7")]


async def test_who_is_cancelled_while_waiting_leaves_nothing_behind(database: PostgresDatabase) -> None:
    for _ in range(20):
        waiting = asyncio.create_task(asked(database, b"select pg_sleep(30)"))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert await asked(database, ECHO, "still there") == [("still there", None, "7")]


async def test_a_wrong_statement_says_what_is_wrong_with_it(database: PostgresDatabase) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable, match="nothing_of_that_name"):
        await asked(database, b"select * from nothing_of_that_name")
    assert await asked(database, ECHO, "still there") == [("still there", None, "7")]


async def test_within_a_transaction_it_sees_what_that_wrote(database: PostgresDatabase) -> None:
    count = b"select count(*) from secrets where space_id = $1"
    async with database.transaction() as connection:
        await connection.execute("insert into secrets (space_id, name, value) values ('s', 'n', '')")
        assert await asked(database, count, "s") == [("1",)]
        assert await asyncio.create_task(asked(database, count, "s")) == [("0",)]


async def test_a_closed_database_is_unavailable(database: PostgresDatabase) -> None:
    await database.close()
    with pytest.raises(Unavailable):
        await asked(database, ECHO, "anybody")
