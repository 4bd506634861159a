"""What a person reads when Souvenir cannot start: one line that says what to do, exit status 1, never a traceback."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import run_to_end
from tests.acceptance.conftest import scripted


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {
        **names, "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_DATA_DIR": str(folder), "SOUVENIR_PORT": "0",
        "SOUVENIR_LOG_LEVEL": "error",
    }  # fmt: skip


def refusal(environ: dict[str, str], cwd: Path, *command: str) -> str:
    ended = run_to_end(list(command or ["serve"]), environ, cwd)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    lines = ended.stderr.strip().splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("souvenir: ")
    assert ended.stdout == ""
    return lines[0]


@pytest.mark.req("OPS-1")
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"SOUVENIR_PROT": "1"}, "did you mean SOUVENIR_PORT"),
        ({"SOUVENIR_PORT": "eighty"}, "SOUVENIR_PORT"),
        ({"SOUVENIR_HOST": "0.0.0.0"}, "loopback"),
        ({"SOUVENIR_DATABASE_URL": "postgresql://127.0.0.1:1/none"}, "SOUVENIR_DATABASE_URL"),
        ({"SOUVENIR_DATABASE_URL": "postgresql://u:hush@no.such.host.invalid/none"}, "no.such.host.invalid"),
        ({"SOUVENIR_DATABASE_URL": "postgresql://::nonsense::"}, "SOUVENIR_DATABASE_URL"),
        ({"SOUVENIR_AUTH": "jwt", "SOUVENIR_JWT_PUBLIC_KEY_FILE": "/etc/hostname"}, "not a PEM public key"),
        ({"SOUVENIR_AUTH": "jwt", "SOUVENIR_JWT_PUBLIC_KEY_FILE": "/none"}, "cannot be read"),
        ({"SOUVENIR_HOST": "203.0.113.7", "SOUVENIR_AUTH": "keys"}, "cannot listen"),
        ({"SOUVENIR_CONFIG": "/none.toml"}, "/none.toml"),
    ],
)
def test_a_wrong_setting_ends_in_one_line(
    environ: dict[str, str], tmp_path: Path, changes: dict[str, str], says: str
) -> None:
    line = refusal(environ | changes, tmp_path)
    assert says in line
    assert "hush" not in line


def test_a_port_in_use_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port}" in refusal(environ | {"SOUVENIR_PORT": port}, tmp_path)


def test_missing_weights_are_named(environ: dict[str, str], tmp_path: Path) -> None:
    offline = {name: value for name, value in environ.items() if "_EMBED_" not in name}
    (tmp_path / "empty").mkdir()
    line = refusal(offline | {"SOUVENIR_WEIGHTS_DIR": str(tmp_path / "empty")}, tmp_path)
    assert str(tmp_path / "empty") in line


def test_a_server_without_the_extension_is_refused(
    environ: dict[str, str], tmp_path: Path, postgres: PostgresForTests
) -> None:
    with postgres.database(migrated=False) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            # the server looks for extensions where there are none
            name = connection.info.dbname
            connection.execute(f"alter database \"{name}\" set extension_control_path = '/nowhere'".encode())
        assert "pgvector" in refusal(environ | {"SOUVENIR_DATABASE_URL": url}, tmp_path)


def test_a_database_whose_user_may_not_create_the_extension_is_told_who_can(
    environ: dict[str, str], tmp_path: Path, postgres: PostgresForTests
) -> None:
    with postgres.database(migrated=False) as url:
        postgres.execute("do $$ begin create role weak login; exception when duplicate_object then null; end $$")
        weak = url.replace("postgresql://souvenir@", "postgresql://weak@")
        assert "CREATE EXTENSION vector" in refusal(environ | {"SOUVENIR_DATABASE_URL": weak}, tmp_path)


def test_a_database_of_another_encoding_is_refused(
    environ: dict[str, str], tmp_path: Path, postgres: PostgresForTests, database_url: str
) -> None:
    postgres.execute("create database latin template template0 encoding 'LATIN1' locale_provider libc locale 'C'")
    url = database_url.replace(database_url.split("@/")[1].split("?", maxsplit=1)[0], "latin")
    assert "UTF8" in refusal(environ | {"SOUVENIR_DATABASE_URL": url}, tmp_path)


def test_a_schema_newer_than_this_program_is_refused(environ: dict[str, str], tmp_path: Path) -> None:
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"], autocommit=True) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    assert "newer" in refusal(environ, tmp_path)


def test_a_model_whose_vectors_changed_their_length_is_refused(
    environ: dict[str, str], tmp_path: Path, host: ScriptedOpenAI
) -> None:
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"], autocommit=True) as connection:
        connection.execute("insert into embedding_models values ('global', 'scripted-embedder', 5, now())")
    line = refusal(environ, tmp_path)
    assert "SOUVENIR_EMBED_DIMENSION=5" in line


@pytest.fixture
def ancient() -> Iterator[str]:
    """Something that greets like Postgres 12."""

    def greet(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                if connection.recv(8)[4:] == b"\x04\xd2\x16\x2f":  # it asks for TLS
                    connection.sendall(b"N")
                connection.recv(4096)
                version = b"server_version\x0012.9\x00"
                connection.sendall(b"R\x00\x00\x00\x08\x00\x00\x00\x00")
                connection.sendall(b"S" + (len(version) + 4).to_bytes(4, "big") + version)
                connection.sendall(b"Z\x00\x00\x00\x05I")
                connection.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet, args=(listener,), daemon=True)
        thread.start()
        yield f"postgresql://u@127.0.0.1:{listener.getsockname()[1]}/d?sslmode=disable&gssencmode=disable"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_a_database_that_is_too_old_is_refused(environ: dict[str, str], tmp_path: Path, ancient: str) -> None:
    assert "Postgres 12" in refusal(environ | {"SOUVENIR_DATABASE_URL": ancient}, tmp_path)


def test_a_data_directory_that_cannot_be_written_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    embedded = {name: value for name, value in environ.items() if name != "SOUVENIR_DATABASE_URL"}
    line = refusal(embedded | {"SOUVENIR_DATA_DIR": str(tmp_path / "file" / "data")}, tmp_path)
    assert str(tmp_path / "file") in line


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["keys", "create"], "--user"),
        (["keys", "create", "--user", "a", "--service"], "--user"),
        (["keys", "create", "--user", ""], "user"),
        (["keys", "revoke", "unknown"], "unknown"),
        (["jobs", "retry", "999"], "999"),
        (["jobs", "retry"], "--all"),
    ],
)
def test_a_command_used_wrongly_ends_in_one_line(
    environ: dict[str, str], tmp_path: Path, command: list[str], says: str
) -> None:
    assert says in refusal(environ, tmp_path, *command)
