"""Rules about the project itself: what is public, what is locked, how tables are keyed."""

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

import souvenir
from souvenir.stores.postgres import migrate

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
MIGRATIONS = ROOT / "src/souvenir/stores/postgres/migrations"


def test_the_public_names_are_these() -> None:
    assert souvenir.__all__ == ["__version__"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_pins_every_package_with_hashes_and_names_no_host(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"https?://|index-url|find-links|trusted-host", text)
    packages = re.split(r"\n(?=\S)", text.strip())
    assert all(
        re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==\S+", entry) and "--hash=sha256:" in entry for entry in packages
    )
    assert not re.search(r"^(torch|nvidia-)", text, re.MULTILINE)


def test_the_newest_migration_is_the_one_the_program_expects() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_our_copy_of_the_job_queues_schema_is_what_the_installed_version_ships() -> None:
    shipped = (resources.files("procrastinate.sql") / "schema.sql").read_text()
    assert (MIGRATIONS / "procrastinate_3_10.sql").read_text() == shipped


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url) as connection:
        yield connection


def test_every_primary_key_and_index_of_ours_starts_with_the_space(connection: psycopg.Connection) -> None:
    rows = connection.execute("""
        select tab.relname, idx.relname, att.attname
          from pg_index i
          join pg_class tab on tab.oid = i.indrelid join pg_class idx on idx.oid = i.indexrelid
          join pg_namespace n on n.oid = tab.relnamespace and n.nspname = 'public'
          left join pg_attribute att on att.attrelid = tab.oid and att.attnum = i.indkey[0]
         where tab.relname not like 'procrastinate%' and tab.relname <> 'alembic_version'
    """).fetchall()
    assert len(rows) >= 4
    assert [row for row in rows if row[2] != "space_id"] == []


def test_every_table_of_ours_has_a_primary_key(connection: psycopg.Connection) -> None:
    rows = connection.execute("""
        select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
         where relkind = 'r' and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
    """).fetchall()
    assert rows == []


def test_no_module_grows_beyond_what_a_person_reads_at_once() -> None:
    long = {
        path.name: count for path in (ROOT / "src").rglob("*.py") if (count := len(path.read_text().splitlines())) > 500
    }
    assert long == {}
