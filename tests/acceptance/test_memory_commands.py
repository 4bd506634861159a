"""`souvenir memories` as a person and as a script use it."""

import asyncio
import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from souvenir.config import ChatEngineName, load_settings
from souvenir.storage import open_chats
from souvenir.testing.forked import forked_command
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import environment, eventually, run_to_end, running
from tests.acceptance.test_memory_archive import embedding, naming
from tests.contract.chats.conftest import servers

pytestmark = pytest.mark.req("OPS-1")


@pytest.fixture(scope="module")
def environ(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[dict[str, str]]:
    with postgres.database() as url:
        folder = str(tmp_path_factory.mktemp("data"))
        # a terminal as wide as it takes, so that nothing is folded
        yield {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": folder, "COLUMNS": "300", **embedding(host)}


class Shell:
    """Runs `souvenir memories` for a user of the test's own."""

    def __init__(self, environ: dict[str, str], cwd: Path, user: str) -> None:
        self.environ = environ
        self.cwd = cwd
        self.user = user

    def __call__(self, *arguments: str, status: int = 0) -> str:
        """What it printed; for a failure, the line that says why."""
        ended = run_to_end(["memories", *arguments, "--user", self.user], self.environ, self.cwd)
        assert ended.returncode == status, ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        return ended.stdout if status == 0 else ended.stderr.strip().splitlines()[-1]

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def shell(environ: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest) -> Shell:
    return Shell(environ, tmp_path, f"user of {request.node.name}"[:200])


@pytest.mark.req("LIFE-3")
def test_a_memory_is_added_corrected_and_undone(shell: Shell) -> None:
    added = shell("add", "User [b]has[/b] a dog\x1b[31m", "--category", "identity")
    assert added.startswith("Remembered")
    assert "User [b]has[/b] a dog�[31m" in added
    (first,) = shell.json("list", "--category", "identity", "--containing", "DOG")
    assert shell("add", "User [b]has[/b] a dog\x1b[31m.").startswith("Known already")
    edited = shell.json("edit", first["memory_id"], "User has a dog named Rex")
    assert (edited["version"], edited["verified"]) == (2, True)
    assert shell("undo", edited["memory_id"]).startswith("Back.")
    listed = shell.json("list", "--include", "superseded", "--limit", "2")
    assert [memory["version"] for memory in listed] == [3, 2]
    newest = listed[0]["memory_id"]
    assert shell.json("undo", newest, "--to", "2")["content"] == "User has a dog named Rex"
    assert "there is no version 9; there are: 1, 2, 3, 4" in shell("undo", newest, "--to", "9", status=1)
    assert "dog named Rex" in shell("history", newest)


@pytest.mark.soak
@pytest.mark.req("LIFE-3")
def test_a_memory_is_judged_forgotten_brought_back_and_purged(shell: Shell) -> None:
    assert shell("list") == "Nothing is remembered.\n"
    one = shell.json("add", "User has a dog")["memory"]["memory_id"]
    assert "1 up, 0 down" in shell("feedback", one, "up")
    assert f"Forgotten. Bring it back with: souvenir memories undo {one}" in shell("forget", one)
    assert "forgotten" in shell("list", "--include", "deleted")
    assert shell.json("undo", one)["version"] == 2
    assert "User has a dog" in shell("show", one)
    assert [event["event"] for event in shell.json("history", one)["events"]] == ["add", "feedback", "delete", "undo"]
    assert shell("forget", one, "--purge") == "Removed for good.\n"
    assert shell("show", one, status=1) == "souvenir: there is no such memory"


@pytest.mark.soak
@pytest.mark.req("MEM-7", "MEM-13")
def test_it_is_shared_tried_out_and_conflicts_are_settled(shell: Shell, environ: dict[str, str]) -> None:
    memory = shell.json("add", "The launch is in May")["memory"]["memory_id"]
    assert shell("share", memory, "--to-project", "apollo").startswith("Shared.")
    assert shell.json("share", memory, "--to-org", "acme")["source"]["shared_by"] == shell.user
    (copy,) = shell.json("list", "--project", "apollo")
    assert copy["content"] == "The launch is in May"
    extracted = shell("extract", "My wife is Jane. How are you?")
    assert "add" in extracted
    assert "User's wife is named Jane" in extracted
    assert shell("extract", "How are you?") == "Nothing would be remembered.\n"
    assert shell.json("extract", "My wife is Jane.")["path"] == "local"
    assert shell("conflicts") == "No memory contradicts another.\n"
    other = shell.json("add", "Budgets are small")["memory"]["memory_id"]
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        connection.execute(
            "insert into memory_conflicts (space_id, conflict_id, older, newer, reason, opened_at)"
            " values (%s, %s, %s, %s, 'either', now())",
            [f"user:{shell.user}", memory, memory, other],
        )
    assert shell("conflicts").count(memory) == 3
    assert shell("conflicts", "--settle", memory, "--keep", other).startswith("Kept.")
    assert [one["content"] for one in shell.json("list")] == ["Budgets are small"]
    assert shell.json("conflicts") == {"conflicts": []}


@pytest.mark.req("LIFE-7")
def test_a_user_is_written_to_a_file_erased_and_read_again(shell: Shell, environ: dict[str, str]) -> None:
    shell("add", "User plays the cello")
    said = json.dumps({"chat_id": "c", "role": "user", "content": "The ferry leaves at seven.", "speaker": "Ann"})
    subprocess.run(
        [*forked_command(), "index", "-", "--user", shell.user], env=environment(environ),
        check=True, input=said, text=True, capture_output=True, timeout=60,
    )  # fmt: skip
    file = shell.cwd / "me.jsonl"
    assert shell("export", str(file)).endswith(f"lines in {file}.\n")
    lines = file.read_text().splitlines()
    assert [path.name for path in shell.cwd.iterdir()] == ["me.jsonl"]
    assert shell("export").splitlines()[1:] == lines[1:]
    assert shell("erase", status=1) == "souvenir: nothing was erased"
    assert shell("export").splitlines()[1:] == lines[1:]
    assert shell.json("erase", "--yes")["removed"]["memories"] == 1
    assert naming(environ, shell.user) == []
    assert "there was nothing" in shell("erase", "--yes")
    assert shell("import", str(file)).startswith(f"{len(lines)} lines read. New: 1 memories, 1 chats, 1 messages")
    assert shell.json("import", str(file))["added"]["memories"] == 0
    assert "nothing, all of it was there already" in shell("import", str(file))
    assert shell("export").splitlines()[1:] == lines[1:]


def test_erasing_asks_at_a_terminal(shell: Shell, environ: dict[str, str]) -> None:
    shell("add", "User plays the cello")
    for answer, left in (("n", 1), ("y", 0)):
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "wb", buffering=0) as keyboard:
            keyboard.write(f"{answer}\n".encode())
            ended = subprocess.run(
                [*forked_command(), "memories", "erase", "--user", shell.user], stdin=theirs,
                env=environment(environ), check=False, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
        os.close(theirs)
        assert f"Remove everything about {shell.user} for good?" in ended.stderr
        assert ended.returncode == left
        assert len(shell.json("list")) == left


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["add", " "], "content: is empty"),
        (["edit", "nonsense"], "content: give content or category"),
        (["undo", "nonsense"], "there is no such memory"),
        (["forget", "nonsense"], "there is no such memory"),
        (["share", "nonsense"], "project_id: give either project_id or org"),
        (["share", "nonsense", "--to-org", " o"], "x-org-id: must be 1 to 255"),
        (["conflicts", "--settle", "x"], "--settle: and --keep come together"),
        (["list", "--project", " p"], "project_id: must be 1 to 255"),
        (["list", "--include", "deleted,lost"], "include: there is no 'lost'"),
        (["import", "no such file"], "FILE: no such file cannot be read"),
        (["export", "no such folder/x"], "FILE: no such folder/x cannot be written"),
    ],
)
def test_what_is_wrong_ends_in_one_line_that_says_why(shell: Shell, command: list[str], says: str) -> None:
    assert shell(*command, status=1).startswith(f"souvenir: {says}")


def test_an_option_out_of_range_is_a_usage_error(shell: Shell) -> None:
    for wrong in (["list", "--category", "hobby"], ["feedback", "x", "sideways"]):
        shell(*wrong, status=2)


@pytest.mark.req("LIFE-7")
@pytest.mark.parametrize("engine", ["postgres", "redis"])
def test_an_import_that_was_killed_is_made_again_and_is_whole(
    engine: ChatEngineName, postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> None:
    with servers([engine], postgres, tmp_path) as variables:
        environ = variables | embedding(host) | {"SOUVENIR_CHAT_STORE": engine, "SOUVENIR_LOG_LEVEL": "error"}
        shell = Shell(environ, tmp_path, "ann")
        messages = [
            {"chat_id": f"c{number % 7}", "role": "user", "content": f"Message {number}", "external_id": str(number)}
            for number in range(2000)
        ]
        (tmp_path / "said.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in messages))
        run_to_end(["index", "said.jsonl", "--user", "ann"], environ, tmp_path, seconds=120)
        shell("add", "User plays the cello")
        file = tmp_path / "ann.jsonl"
        shell("export", str(file))
        lines = file.read_text().splitlines()
        assert len(lines) > 2000
        shell("erase", "--yes")
        with running(["memories", "import", str(file), "--user", "ann"], environ, tmp_path) as command:
            command.wait_for(rf"lines: {len(lines)}/{len(lines)}")
            eventually(lambda: begun(environ) or command.process.poll() is not None)
            command.kill()
        assert shell.json("list") == [] or shell("export").splitlines()[1:] == lines[1:]
        shell("import", str(file))
        assert shell("export").splitlines()[1:] == lines[1:]
        assert shell.json("import", str(file))["added"] == dict.fromkeys(
            ["memories", "facts", "chats", "messages", "passages", "spend"], 0
        )


def begun(environ: dict[str, str]) -> bool:
    """Whether an import has begun to write: in an engine of its own that shows, else it holds a lock."""
    engine: ChatEngineName = environ["SOUVENIR_CHAT_STORE"]  # type: ignore[assignment]
    if engine == "postgres":
        with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
            held = "select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted"
            return connection.execute(held).rowcount > 0

    async def has_chats() -> bool:
        async with open_chats(load_settings(environ), engine) as store:
            return bool(await store.spaces(limit=1))

    return asyncio.run(has_chats())
