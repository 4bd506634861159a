"""Finds out at start whether a Postgres can serve: its version, encoding, and the vector extension."""

import psycopg

from souvenir.errors import DatabaseError

OLDEST_SERVER = 15
OLDEST_VECTOR = (0, 7)


async def verify_server(connection: psycopg.AsyncConnection) -> None:
    """Raise DatabaseError, with what to do about it, when the server cannot serve. Creates the extension if it may."""
    major = connection.info.server_version // 10_000
    if major < OLDEST_SERVER:
        raise DatabaseError(f"the database is Postgres {major}; Souvenir needs {OLDEST_SERVER} or newer")
    encoding = await _one(connection, "show server_encoding")
    if encoding != "UTF8":
        raise DatabaseError(f"the database's encoding is {encoding}; create it with encoding 'UTF8'")
    if await _one(connection, "select pg_is_in_recovery()"):
        raise DatabaseError("the database is a read-only standby; point SOUVENIR_DATABASE_URL at the primary")
    await _verify_vector(connection)


async def _verify_vector(connection: psycopg.AsyncConnection) -> None:
    installed = await _one(connection, "select extversion from pg_extension where extname = 'vector'")
    if installed is None:
        installed = await _install_vector(connection)
    if tuple(int(part) for part in str(installed).split(".")[:2]) < OLDEST_VECTOR:
        raise DatabaseError(
            f"the database's extension 'vector' is {installed}; update it with ALTER EXTENSION vector UPDATE "
            f"(needs {'.'.join(map(str, OLDEST_VECTOR))} or newer)"
        )


async def _install_vector(connection: psycopg.AsyncConnection) -> object:
    available = await _one(connection, "select default_version from pg_available_extensions where name = 'vector'")
    if available is None:
        raise DatabaseError("the database server lacks the extension 'vector': install pgvector on it")
    try:
        await connection.execute("create extension if not exists vector")
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseError(
            "the extension 'vector' is not in this database: have its administrator run CREATE EXTENSION vector"
        ) from None
    except psycopg.errors.UniqueViolation:
        pass  # another process created it in this moment
    return available


async def _one(connection: psycopg.AsyncConnection, query: str) -> object:
    row = await (await connection.execute(query.encode())).fetchone()
    return row[0] if row is not None else None
