"""Brings the schema up to date with Alembic, one process at a time."""

from pathlib import Path

import psycopg

from souvenir.errors import DatabaseError

HEAD = "0010"
"""The newest revision; a test keeps it equal to Alembic's own answer. Known here, a start that has nothing to migrate
need not import Alembic."""

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x50_55_56_45


def migrate(url: str) -> bool:
    """Apply what is missing; False when there was nothing to do. Raises DatabaseError on a schema newer than ours."""
    if current_revision(url) == HEAD:
        return False
    with psycopg.connect(url, autocommit=True) as guard:
        # a session lock: whoever comes second waits here and then finds nothing left to do
        guard.execute("select pg_advisory_lock(%s)", [_LOCK])
        before = current_revision(url)
        if before != HEAD:
            _upgrade(url, before)
        return before != HEAD


def current_revision(url: str) -> str | None:
    """The schema's revision, None in an empty database."""
    with psycopg.connect(url, autocommit=True) as connection:
        table = connection.execute("select to_regclass('alembic_version')").fetchone()
        if table is None or table[0] is None:
            return None
        row = connection.execute("select version_num from alembic_version").fetchone()
        return str(row[0]) if row is not None else None


def _upgrade(url: str, before: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - half a second that most starts do not need
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415
    from sqlalchemy import create_engine, pool  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if before is not None and before not in known:
        raise DatabaseError(f"the database's schema is {before}, newer than this Souvenir knows: install a newer one")
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=pool.NullPool)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise DatabaseError(f"the schema could not be brought up to date: {error}") from error
