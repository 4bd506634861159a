"""`souvenir index`, `souvenir search` and `souvenir reembed` as a person and as a script use them."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from souvenir.testing.forked import forked_command
from souvenir.testing.openai_server import HttpError, ScriptedOpenAI
from souvenir.testing.processes import environment, run_to_end
from tests.acceptance.conftest import scripted

pytestmark = pytest.mark.req("OPS-1")


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {**names, "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_DATA_DIR": str(folder)}


def lines(*messages: Any) -> str:
    return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in messages)


def said(content: str, **more: Any) -> dict[str, Any]:
    return {"chat_id": "c", "role": "user", "content": content, **more}


def piped(text: str, environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forked_command(), *arguments], env=environment(environ), check=False, input=text,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def found(environ: dict[str, str], cwd: Path, *options: str) -> list[str]:
    ended = run_to_end(["search", "anything", "--threshold", "0", "--limit", "100", "--json", *options], environ, cwd)
    assert ended.returncode == 0, ended.stderr
    return sorted(hit["text"] for hit in json.loads(ended.stdout)["hits"])


@pytest.mark.req("SRCH-8")
def test_a_file_is_indexed_once_however_often_it_is_sent(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(
        b"\xef\xbb\xbf" + lines(*(said(f"m{n}", external_id=str(n)) for n in range(1203)), "", "  ").encode()
    )
    first = run_to_end(["index", str(file)], environ, tmp_path)
    assert first.returncode == 0, first.stderr
    assert first.stdout == "1203 stored, 0 there already.\n"
    assert "messages: 1205/1205" in first.stderr
    again = run_to_end(["index", str(file), "--json"], environ, tmp_path)
    assert json.loads(again.stdout) == {"stored": 0, "already": 1203}
    assert again.stderr == ""
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        assert connection.execute("select count(*) from passages").fetchone() == (1203,)


def test_a_bad_line_is_named_and_what_was_stored_before_it_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    for bad, why in [
        (said(" "), "content: is empty"), ("{", "is not valid JSON"), ("[]", "is not a JSON object"),
        (said("x", role="robot"), "role: "), (said("x" * 1_000_001), "content: is over 1000000 characters"),
        (said("x", learn="yes"), "learn: "), ({"role": "user", "content": "x"}, "chat_id: "),
        (said("x", created_at="2026-02-30"), "created_at: day is out of range"),
        (said("a\x00b"), "content: holds a NUL"),
    ]:  # fmt: skip
        text = lines(said("one", external_id="1"), "", said("two", external_id="2"), bad, said("never"))
        ended = piped(text, environ, "index", "-")
        assert ended.returncode == 1
        assert "Traceback" not in ended.stderr
        *_, told, error = ended.stderr.strip().splitlines()
        assert error.startswith(f"souvenir: line 4: {why}")
        assert told.startswith("Done up to line 3:")
    assert found(environ, tmp_path) == ["one", "two"]
    first = piped(lines("nonsense"), environ, "index", "-")
    assert "Nothing was stored." in first.stderr


def test_options_choose_the_user_the_project_and_the_chat_and_a_line_may_say_its_own(
    environ: dict[str, str], tmp_path: Path
) -> None:
    own = lines({"role": "user", "content": "by option"}, said("by line", chat_id="other", project_id="gemini"))
    ended = piped(own, environ, "index", "-", "--user", "ann", "--project", "apollo", "--chat", "plan")
    assert ended.stdout == "2 stored, 0 there already.\n"
    assert found(environ, tmp_path, "--user", "ann", "--project", "apollo") == ["by option"]
    assert found(environ, tmp_path, "--project", "gemini") == ["by line"]
    assert found(environ, tmp_path, "--user", "ann") == found(environ, tmp_path) == []


def test_search_shows_hits_readably_and_as_the_route_does_for_machines(environ: dict[str, str], tmp_path: Path) -> None:
    told = said("[red]The ferry[/red]\nleaves \x1b[31mat seven.", speaker="Anna", created_at="2026-05-01T10:20:30Z")
    piped(lines(told, said("The roof is new.", role="assistant", chat_id="d")), environ, "index", "-")
    shown = run_to_end(["search", "ferry", "--threshold", "0"], environ, tmp_path).stdout
    assert "Anna 2026-05-01 10:20" in shown
    assert "[M1] " in shown
    assert "[red]The ferry[/red]\n     leaves �[31mat seven." in shown
    assert "\x1b" not in shown
    answer = json.loads(run_to_end(["search", "ferry", "--threshold", "0", "--json"], environ, tmp_path).stdout)
    assert answer["degraded"] is False
    assert answer["hits"][0].keys() == {
        "score", "text", "kind", "message_id", "external_id", "created_at", "speaker", "role", "tags", "source",
        "citation",
    }  # fmt: skip
    assert found(environ, tmp_path, "--kind", "memory") == []
    assert len(found(environ, tmp_path, "--kind", "memory", "--kind", "message")) == 2
    nothing = run_to_end(["search", "ferry", "--threshold", "1"], environ, tmp_path)
    assert (nothing.returncode, nothing.stdout) == (0, "Nothing relevant is known.\n")


def test_search_without_an_embedder_says_so(environ: dict[str, str], tmp_path: Path) -> None:
    piped(lines(said("The ferry leaves at seven.")), environ, "index", "-")
    away = environ | {"SOUVENIR_EMBED_BASE_URL": "http://127.0.0.1:1/v1", "SOUVENIR_EMBED_TIMEOUT_SECONDS": "1"}
    ended = run_to_end(["search", "ferry", "--threshold", "0"], away, tmp_path)
    assert ended.returncode == 0
    assert "by words alone" in ended.stderr
    assert "The ferry leaves at seven." in ended.stdout


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["search", " "], "query: is empty"),
        (["search", "x", "--kind", "zebra"], "kinds: there is no 'zebra'"),
        (["search", "x", "--user", ""], "--user"),
        (["search", "x", "--project", " p"], "project_id"),
        (["index", "no such file"], "FILE: no such file cannot be read"),
        (["index", "."], "FILE: . cannot be read"),
        (["index", "-", "--user", "\t"], "--user: must be 1 to 255"),
        (["index", "-", "--project", "p\n"], "project_id"),
    ],
)
def test_wrong_arguments_end_in_one_line_that_says_why(
    environ: dict[str, str], tmp_path: Path, command: list[str], says: str
) -> None:
    ended = run_to_end(command, environ, tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines()[-1].startswith(f"souvenir: {says}")
    assert "Traceback" not in ended.stderr
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        assert connection.execute("select count(*) from passages").fetchone() == (0,)


@pytest.mark.parametrize("option", [["--limit", "0"], ["--limit", "101"], ["--threshold", "1.1"], ["--limit", "x"]])
def test_an_option_out_of_range_is_a_usage_error(environ: dict[str, str], tmp_path: Path, option: list[str]) -> None:
    assert run_to_end(["search", "x", *option], environ, tmp_path).returncode == 2


def test_waiting_for_a_line_is_interrupted_by_the_first_ctrl_c(environ: dict[str, str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*forked_command(), "index", "-"], env=environment(environ), cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(lines(*(said(f"m{number}", external_id=str(number)) for number in range(500))).encode())
    process.stdin.flush()
    assert process.stderr.readline() == b"messages: 500\n"
    process.send_signal(signal.SIGINT)
    ended = process.wait(30)  # before its input ends, which would end it too
    errors = process.stderr.read()
    process.communicate()
    assert ended == 130, errors
    assert b"Done up to line 500: 500 stored" in errors
    assert b"Traceback" not in errors


@pytest.mark.req("SRCH-7")
def test_reembed_says_what_it_did_and_ends_in_one_line_without_an_embedder(
    environ: dict[str, str], tmp_path: Path, host: ScriptedOpenAI
) -> None:
    away = environ | {"SOUVENIR_EMBED_BASE_URL": "http://127.0.0.1:1/v1", "SOUVENIR_EMBED_TIMEOUT_SECONDS": "1"}
    piped(lines(*(said(f"m{number}") for number in range(3))), away, "index", "-")
    failed = run_to_end(["reembed"], away, tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.startswith("souvenir: the embedding endpoint at 127.0.0.1:1 ")
    done = run_to_end(["reembed", "--json"], environ, tmp_path)
    assert json.loads(done.stdout) == {"model": "scripted-embedder", "embedded": 3}
    assert done.stderr == ""
    host.script_embeddings(HttpError(401))
    refused = run_to_end(["reembed"], environ, tmp_path)
    assert refused.returncode == 1
    assert "SOUVENIR_EMBED_API_KEY" in refused.stderr
