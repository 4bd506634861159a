"""The command line as a person and as a script use it."""

import json
from pathlib import Path

import psycopg
import pytest

from souvenir import __version__
from souvenir.testing.openai_server import HttpError, ScriptedOpenAI
from souvenir.testing.processes import run_to_end
from tests.acceptance.conftest import scripted


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {**names, "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_DATA_DIR": str(folder)}


@pytest.mark.req("ID-2")
def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(environ: dict[str, str], tmp_path: Path) -> None:
    made = run_to_end(
        ["keys", "create", "--user", "alice", "--name", "laptop", "--org", "acme", "--project", "a", "--project", "b",
         "--days", "30", "--json"], environ, tmp_path,
    )  # fmt: skip
    key = json.loads(made.stdout)
    assert key["token"].startswith("sv-")
    listed = run_to_end(["keys", "list", "--json"], environ, tmp_path)
    assert key["token"].split("-", 2)[2] not in listed.stdout
    (entry,) = json.loads(listed.stdout)
    assert (entry["user_id"], entry["orgs"], entry["projects"]) == ("alice", ["acme"], ["a", "b"])
    assert "laptop" in run_to_end(["keys", "list"], environ, tmp_path).stdout
    assert run_to_end(["keys", "revoke", key["key_id"]], environ, tmp_path).returncode == 0
    assert json.loads(run_to_end(["keys", "list", "--json"], environ, tmp_path).stdout)[0]["revoked_at"] is not None


def test_a_script_gets_the_bare_token_on_stdout(environ: dict[str, str], tmp_path: Path) -> None:
    made = run_to_end(["keys", "create", "--service"], environ, tmp_path)
    assert made.stdout.startswith("sv-")
    assert len(made.stdout.splitlines()) == 1
    assert "shown this once" in made.stderr


def test_migrate_prepares_an_empty_database_and_does_nothing_the_second_time(
    environ: dict[str, str], tmp_path: Path
) -> None:
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"], autocommit=True) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
        connection.execute("create extension if not exists vector")
        for _ in range(2):
            assert "up to date" in run_to_end(["migrate"], environ, tmp_path).stdout
        assert connection.execute("select count(*) from api_keys").fetchone() == (0,)


def test_doctor_finds_a_healthy_installation_healthy(environ: dict[str, str], tmp_path: Path) -> None:
    ended = run_to_end(["doctor"], environ, tmp_path)
    assert ended.returncode == 0, ended.stdout
    for part in ("disk", "embedder", "database", "extension", "dimension", "chats", "jobs", "auth", "provider default"):
        assert f"✓ {part}:" in ended.stdout


def test_doctor_goes_on_after_what_fails_says_how_to_fix_it_and_exits_1(
    environ: dict[str, str], tmp_path: Path, host: ScriptedOpenAI
) -> None:
    host.script_models(HttpError(401, "bad key"))
    broken = environ | {
        "SOUVENIR_DATABASE_URL": "postgresql://127.0.0.1:1/none", "SOUVENIR_EMBED_BASE_URL": "http://127.0.0.1:1/v1",
        "SOUVENIR_LLM_MAX_RETRIES": "0",
    }  # fmt: skip
    ended = run_to_end(["doctor", "--json"], broken, tmp_path)
    assert ended.returncode == 1
    findings = {finding["part"]: finding for finding in json.loads(ended.stdout)}
    for part in ("embedder", "database", "provider default"):
        assert findings[part]["verdict"] == "failed"
        assert "SOUVENIR_" in findings[part]["fix"]
    assert findings["disk"]["verdict"] == "ok"


def test_doctor_warns_of_failed_jobs_and_a_short_secret(environ: dict[str, str], tmp_path: Path) -> None:
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"], autocommit=True) as connection:
        connection.execute(
            "insert into procrastinate_jobs (queue_name, task_name, status, args)"
            """ values ('default', 'gone', 'failed', '{"space": "user:alice", "key": "k", "payload": {}}')"""
        )
    weak = environ | {"SOUVENIR_AUTH": "jwt", "SOUVENIR_JWT_SECRET": "short"}
    ended = run_to_end(["doctor", "--json"], weak, tmp_path)
    assert ended.returncode == 0
    findings = {finding["part"]: finding for finding in json.loads(ended.stdout)}
    assert findings["jobs"]["verdict"] == "warning"
    assert findings["auth"]["verdict"] == "warning"
    listed = json.loads(run_to_end(["jobs", "list", "--json"], environ, tmp_path).stdout)
    assert [job["task"] for job in listed["failed_jobs"]] == ["gone"]
    assert "Queued again" in run_to_end(["jobs", "retry", "--all"], environ, tmp_path).stdout
    assert json.loads(run_to_end(["jobs", "list", "--json"], environ, tmp_path).stdout)["waiting"] == 1


def test_help_and_version_need_no_settings(tmp_path: Path) -> None:
    broken = {"SOUVENIR_PORT": "nonsense"}
    assert run_to_end(["--version"], broken, tmp_path).stdout.strip() == f"souvenir {__version__}"
    help_text = run_to_end(["--help"], broken, tmp_path).stdout
    for command in ("serve", "worker", "migrate", "doctor", "keys", "jobs"):
        assert command in help_text


def test_an_unknown_command_is_a_usage_error(tmp_path: Path) -> None:
    ended = run_to_end(["sing"], {}, tmp_path)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
