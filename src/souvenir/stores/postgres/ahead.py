"""A statement whose answer is read later: it is on its way to the server while the caller does something else.

With psycopg's own `execute` the process goes to sleep until the server has answered and is woken again, which takes
longer than a short statement itself; an answer that is there when it is looked for costs neither.
"""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

import psycopg
from psycopg import pq
from psycopg.abc import PQGen
from psycopg.waiting import Wait
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from souvenir.errors import Unavailable

Connection = psycopg.AsyncConnection[Any]
Texts = tuple[str | None, ...]
T = TypeVar("T")

_LOST = (psycopg.OperationalError, psycopg.InterfaceError)


class Ahead(Generic[T]):
    """A statement with `$1`, `$2` in it that only reads. It is sent on entering; `answer` waits for its rows, once.

    A connection that turns out to be dead is replaced, once. Within a transaction, whose connection others may need
    meanwhile, nothing is sent before the answer is waited for. Raises Unavailable.
    """

    def __init__(
        self,
        statement: bytes,
        values: Sequence[str],
        read: Callable[[list[Texts]], T],
        *,
        pool: AsyncConnectionPool[Connection] | None,
        around: Connection | None,
    ) -> None:
        self._statement = statement
        self._values = [value.encode() for value in values]
        self._read = read
        self._pool = pool
        self._around = around
        self._connection: Connection | None = None

    async def __aenter__(self) -> "Ahead[T]":
        if self._around is None:
            await self._send()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave()

    async def answer(self) -> T:
        """What the rows say."""
        connection = self._around or self._connection
        if connection is None:
            raise Unavailable("the database does not answer")
        try:
            try:
                if self._around is not None:
                    self._ask(connection)
                return self._read(await _rows(connection))
            except _LOST:
                if self._around is not None:
                    raise
                return self._read(await self._again())
        except _LOST as error:
            raise Unavailable("the database does not answer") from error

    async def _again(self) -> list[Texts]:
        await self._leave()
        connection = await self._send(checked=True)
        return await _rows(connection)

    async def _send(self, *, checked: bool = False) -> Connection:
        if self._pool is None:
            raise Unavailable("the database is not open")
        try:
            if checked:
                await self._pool.check()
            connection = self._connection = await self._pool.getconn()
        except (PoolTimeout, PoolClosed) as error:
            raise Unavailable("the database does not answer") from error
        try:
            self._ask(connection)
        except _LOST:
            if checked:
                raise
            # who waits for the answer will find out
        return connection

    def _ask(self, connection: Connection) -> None:
        connection.pgconn.send_query_params(self._statement, self._values)
        connection.pgconn.flush()

    async def _leave(self) -> None:
        """Give the connection back; one whose answer nobody took is closed by the pool."""
        connection, self._connection = self._connection, None
        if connection is not None and self._pool is not None:
            await self._pool.putconn(connection)


async def _rows(connection: Connection) -> list[Texts]:
    result = await connection.wait(_result(connection.pgconn))
    if result is None:
        raise psycopg.OperationalError("nothing was sent")
    if result.status != pq.ExecStatus.TUPLES_OK:
        raise psycopg.errors.error_from_result(result)
    columns = range(result.nfields)
    return [tuple([_text(result.get_value(row, column)) for column in columns]) for row in range(result.ntuples)]


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
