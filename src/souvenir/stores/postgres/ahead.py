"""A statement whose answer is read later: it is on its way to the server while the caller does something else.

With psycopg's own `execute` the process goes to sleep until the server has answered and is woken again, which takes
longer than a short statement itself; an answer that is there when it is looked for costs neither.
"""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import pq
from psycopg.abc import PQGen
from psycopg.waiting import Wait

Texts = tuple[str | None, ...]


def send(connection: psycopg.AsyncConnection[Any], statement: bytes, values: Sequence[str]) -> None:
    """Send a statement with `$1`, `$2` in it. Its answer must be read by `answer` before the connection is used again.

    Raises psycopg's errors when the connection is dead.
    """
    connection.pgconn.send_query_params(statement, [value.encode() for value in values])
    connection.pgconn.flush()


async def ask(connection: psycopg.AsyncConnection[Any], statement: bytes, values: Sequence[str]) -> list[Texts]:
    """Send a statement and wait for its rows."""
    send(connection, statement, values)
    return await answer(connection)


async def answer(connection: psycopg.AsyncConnection[Any]) -> list[Texts]:
    """The rows of what was sent, as texts. Raises psycopg's errors."""
    result = await connection.wait(_result(connection.pgconn))
    if result is None or result.status != pq.ExecStatus.TUPLES_OK:
        raise psycopg.errors.error_from_result(result) if result is not None else psycopg.OperationalError("no answer")
    return [
        tuple(_text(result.get_value(row, column)) for column in range(result.nfields)) for row in range(result.ntuples)
    ]


def _result(connection: pq.abc.PGconn) -> PQGen[pq.abc.PGresult | None]:
    """The one result of a statement; waits only when it is not there yet."""
    first = None
    while True:
        connection.consume_input()
        while not connection.is_busy():
            result = connection.get_result()
            if result is None:
                return first
            first = first or result
        while connection.flush():  # a statement that did not fit into what the system sends at once
            yield Wait.W
        yield Wait.R


def _text(value: bytes | None) -> str | None:
    return value.decode() if value is not None else None
