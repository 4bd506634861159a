"""A real Postgres for tests: one server for the whole run, one migrated template, a copy of it for each test."""

import contextlib
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from souvenir.stores.postgres.embedded import EmbeddedPostgres
from souvenir.stores.postgres.migrate import migrate

# tests of durability start a server of their own; here only speed counts
_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "300"}
_TEMPLATE = "souvenir_template"
_TEMPLATE_LOCK = 0x7E57


class PostgresForTests:
    """Shared by every test process that names the same folder; the last one to close stops it."""

    def __init__(self, folder: Path) -> None:
        self._server = EmbeddedPostgres(folder, _FAST)
        self._url = ""

    def __enter__(self) -> "PostgresForTests":
        self._url = self._server.start()
        self._make_template()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.stop()

    @contextlib.contextmanager
    def database(self, *, migrated: bool = True) -> Iterator[str]:
        """The URL of a database of one's own, dropped at the end; with `migrated`, its schema is already there."""
        name = f"test_{uuid.uuid4().hex}"
        with self._admin() as connection:
            template = _TEMPLATE if migrated else "template0"
            connection.execute(
                sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
            )
        try:
            yield _url_of(self._url, name)
        finally:
            with self._admin() as connection:
                connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))

    def execute(self, statement: str) -> None:
        """Run a statement as the server's administrator."""
        with self._admin() as connection:
            connection.execute(statement.encode())

    def _make_template(self) -> None:
        with self._admin() as connection:
            connection.execute("select pg_advisory_lock(%s)", [_TEMPLATE_LOCK])
            known = connection.execute("select 1 from pg_database where datname = %s", [_TEMPLATE]).fetchone()
            if known is None:
                building = f"{_TEMPLATE}_{uuid.uuid4().hex}"
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(building)))
                url = _url_of(self._url, building)
                with psycopg.connect(url, autocommit=True) as fresh:
                    fresh.execute("create extension vector")
                migrate(url)
                connection.execute(
                    sql.SQL("alter database {} rename to {}").format(
                        sql.Identifier(building), sql.Identifier(_TEMPLATE)
                    )
                )
            connection.execute("select pg_advisory_unlock(%s)", [_TEMPLATE_LOCK])

    def _admin(self) -> psycopg.Connection:
        return psycopg.connect(self._url, autocommit=True)


def _url_of(url: str, database: str) -> str:
    parts = conninfo_to_dict(url)
    host = make_conninfo("", host=str(parts["host"])).removeprefix("host=").strip("'")
    return f"postgresql://{parts['user']}@/{database}?host={host.replace('/', '%2F')}"
