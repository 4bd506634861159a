"""The connection to Postgres: found or started, checked, migrated, pooled, and watched."""

import asyncio
import contextlib
import select
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import psycopg
import structlog
from psycopg.rows import AsyncRowFactory, DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from souvenir.config import Settings
from souvenir.errors import DatabaseError, Erased, Unavailable
from souvenir.stores.ports import running_job
from souvenir.stores.postgres.ahead import Ahead, Texts
from souvenir.stores.postgres.checks import verify_server
from souvenir.stores.postgres.embedded import EmbeddedPostgres
from souvenir.stores.postgres.migrate import HEAD, migrate
from souvenir.types import GLOBAL_SPACE

log = structlog.get_logger(__name__)

Connection = psycopg.AsyncConnection[DictRow]
Row = TypeVar("Row")
Read = TypeVar("Read")
Values = Sequence[object] | Mapping[str, object]

BE_PRESENT = "select pg_advisory_xact_lock_shared(hashtextextended(%s, 1))"
"""Of a space: whoever writes to its chats or works on its jobs is there, and nobody erases it meanwhile."""
BE_ALONE = "select pg_advisory_xact_lock(hashtextextended(%s, 1))"

_WATCH_SECONDS = 1.0


class PostgresDatabase:
    """One process's pool. Rows come back as dicts; times as aware datetimes in UTC."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedded: EmbeddedPostgres | None = None
        self._pool: AsyncConnectionPool[Connection] | None = None
        self._readers: AsyncConnectionPool[Connection] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._transactions: dict[asyncio.Task[Any] | None, Connection] = {}
        self.url = ""
        self.revision = HEAD

    @property
    def pool(self) -> AsyncConnectionPool[Connection]:
        """The open pool; for the job queue, which brings its own queries."""
        if self._pool is None:
            raise Unavailable("the database is not open")
        return self._pool

    @property
    def place(self) -> str:
        """Where the data is, for people: a folder, or a host without credentials."""
        if self._settings.database_url is None:
            return str(self._settings.data_dir)
        return describe(self._settings.database_url.get_secret_value())

    async def open(self) -> None:
        """Start or reach the server, check it, bring the schema up to date, open the pool. Raises DatabaseError."""
        try:
            self.url = await self._locate()
            await self._verify()
            await asyncio.to_thread(migrate, self.url)
            self._pool = await self._open_pool("souvenir", check=_check)
            self._readers = await self._open_pool("souvenir-reads", autocommit=True)
        except BaseException:
            await self.close()
            raise
        if self._embedded is not None:
            self._watcher = asyncio.create_task(self._watch(self._embedded))

    async def close(self) -> None:
        """Close the pool; stop the embedded server if nobody else uses it. Calling it twice is fine."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
            self._watcher = None
        for pool in (self._pool, self._readers):
            if pool is not None:
                await pool.close(timeout=5)
        self._pool = self._readers = None
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.stop)
            self._embedded = None

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A connection inside one transaction: committed at the end, rolled back on any exception.

        Within another one of the same task it is a part of that one, on the same connection, so that what several
        stores write is kept together or not at all; a part that fails is undone alone if its exception is caught. A
        task that is started inside has transactions of its own, since a connection serves one task at a time; in
        Python 3.11 `asyncio.wait_for` starts one, `asyncio.timeout` does not.
        """
        task = asyncio.current_task()
        around = self._transactions.get(task)
        try:
            if around is not None:
                async with around.transaction():
                    yield around
                return
            # begun here rather than by the first statement: else a part that comes first would commit by itself
            async with self.pool.connection() as connection, connection.transaction():
                self._transactions[task] = connection
                try:
                    await refuse_erased(connection)
                    yield connection
                finally:
                    del self._transactions[task]
        except (PoolTimeout, PoolClosed, psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unavailable("the database does not answer") from error

    @contextlib.asynccontextmanager
    async def joined(self) -> AsyncIterator[Connection]:
        """The transaction around, if there is one, else one of its own.

        Unlike a part it cannot be undone alone, so that a failure in it must undo all; and it costs no round trips.
        """
        around = self._transactions.get(asyncio.current_task())
        if around is not None:
            yield around
            return
        async with self.transaction() as connection:
            yield connection

    async def fetch(self, query: str, values: Values = (), *, binary: bool = False) -> list[DictRow]:
        """The rows of one statement that only reads, in one round trip; within a transaction, as it sees them.

        Where speed is all: nothing is begun, committed or checked. A connection that turns out to be dead is replaced,
        once. Raises Unavailable.
        """
        return await self.fetch_as(dict_row, query, values, binary=binary)

    async def fetch_as(
        self, rows: AsyncRowFactory[Row], query: str, values: Values, *, binary: bool = False
    ) -> list[Row]:
        """The same with rows of another kind."""
        around = self._transactions.get(asyncio.current_task())
        if around is not None:
            return await _rows(around, rows, query, values, binary)
        try:
            try:
                return await self._read(rows, query, values, binary)
            except (psycopg.OperationalError, psycopg.InterfaceError):
                return await self._read(rows, query, values, binary, checked=True)
        except (PoolTimeout, PoolClosed, psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unavailable("the database does not answer") from error

    def ahead(self, statement: bytes, values: Sequence[str], read: Callable[[list[Texts]], Read]) -> Ahead[Read]:
        """Send a statement that only reads and go on while the server works on it; `read` makes of its rows what they
        say. To be entered in the task that asks."""
        around = self._transactions.get(asyncio.current_task())
        return Ahead(statement, values, read, pool=self._readers, around=around)

    async def _read(
        self, rows: AsyncRowFactory[Row], query: str, values: Values, binary: bool, *, checked: bool = False
    ) -> list[Row]:
        if self._readers is None:
            raise PoolClosed("the database is not open")
        if checked:
            await self._readers.check()
        # by hand: there is no transaction to end, and the pool's own way takes twice as long
        connection = await self._readers.getconn()
        try:
            return await _rows(connection, rows, query, values, binary)
        finally:
            await self._readers.putconn(connection)

    async def ping(self) -> None:
        """One round trip. Raises Unavailable."""
        async with self.transaction() as connection:
            await connection.execute("select 1")

    async def versions(self) -> tuple[str, str]:
        """The versions of Postgres and of pgvector."""
        async with self.transaction() as connection:
            cursor = await connection.execute(
                "select current_setting('server_version') as server, extversion as vector"
                " from pg_extension where extname = 'vector'"
            )
            row = await cursor.fetchone()
        return (row["server"], row["vector"]) if row is not None else ("unknown", "missing")

    async def _locate(self) -> str:
        if self._settings.database_url is not None:
            return self._settings.database_url.get_secret_value()
        self._embedded = EmbeddedPostgres(self._settings.data_dir / "postgres")
        return await asyncio.to_thread(self._embedded.start)

    async def _verify(self) -> None:
        try:
            connection = await psycopg.AsyncConnection.connect(
                self.url, autocommit=True, connect_timeout=max(2, int(self._settings.database_timeout_seconds))
            )
        except (psycopg.Error, UnicodeError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise DatabaseError(
                f"cannot connect to the database at {describe(self.url)}: {reason}; check SOUVENIR_DATABASE_URL"
            ) from None
        async with connection:
            await verify_server(connection)

    async def _open_pool(
        self, name: str, *, autocommit: bool = False, check: Callable[[Connection], Awaitable[None]] | None = None
    ) -> AsyncConnectionPool[Connection]:
        # the job queue connects with the pool's own words and adds this one
        own = {"autocommit": True} if autocommit else {}
        pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            self.url,
            connection_class=psycopg.AsyncConnection[DictRow],
            kwargs={"row_factory": dict_row, **own},
            min_size=2,
            max_size=self._settings.database_pool_size,
            timeout=self._settings.database_timeout_seconds,
            configure=_configure,
            check=check,
            open=False,
            name=name,
        )
        await pool.open(wait=True, timeout=self._settings.database_timeout_seconds)
        return pool

    async def _watch(self, embedded: EmbeddedPostgres) -> None:
        """Bring the embedded server back when something killed it under us."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            try:
                await asyncio.to_thread(embedded.ensure_running)
            except DatabaseError as error:
                log.error("embedded postgres could not be started again", error=str(error))


async def _configure(connection: Connection) -> None:
    await connection.execute("set time zone 'UTC'")
    if not connection.autocommit:
        await connection.commit()


async def _check(connection: Connection) -> None:
    """Raise OperationalError when the server has hung up, which the socket tells without a round trip."""
    heard = select.poll()
    heard.register(connection.pgconn.socket, select.POLLIN)
    while heard.poll(0):
        connection.pgconn.consume_input()


async def refuse_erased(connection: Connection) -> None:
    """Raise Erased when the job that runs here was erased; erasing waits for the transaction that asked."""
    job = running_job.get()
    if job is None or job.space == GLOBAL_SPACE:
        return
    # not a lock on the job's row, which would make writing transactions of those that only read
    await connection.execute(BE_PRESENT, [job.space])
    cursor = await connection.execute("select from procrastinate_jobs where id = %s and not args ? 'erased'", [job.id])
    if cursor.rowcount == 0:
        raise Erased


async def _rows(
    connection: Connection, rows: AsyncRowFactory[Row], query: str, values: Values, binary: bool
) -> list[Row]:
    cursor = connection.cursor(binary=binary, row_factory=rows)
    await cursor.execute(query.encode(), values)
    return await cursor.fetchall()


def describe(url: str) -> str:
    """A database URL without its credentials."""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "the configured URL"
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
