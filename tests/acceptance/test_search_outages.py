"""Search while things fail or change: no embedder, a killed server, another model, re-embedding meanwhile."""

import itertools
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from souvenir.testing.openai_server import BadVectors, HttpError, ScriptedOpenAI, Stall
from souvenir.testing.processes import eventually, run_to_end, running
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.remembering import Memory, message


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    """Settings of a process on the test's database."""
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {
        **names,
        "SOUVENIR_DATABASE_URL": database_url,
        "SOUVENIR_DATA_DIR": str(folder),
        "SOUVENIR_PORT": "0",
        "SOUVENIR_LOG_FORMAT": "json",
    }


@pytest.fixture
def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number: int = taken.getsockname()[1]
    return number


def unembedded(database_url: str, model: str) -> int:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("select count(*) from passages where model is distinct from %s", [model]).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.req("SRCH-9")
def test_without_an_embedder_messages_are_stored_and_found_by_their_words_and_it_says_so(serve: Serve) -> None:
    running = serve(embed_base_url="http://127.0.0.1:1/v1", embed_timeout_seconds=1)
    with Memory(running.url) as memory:
        memory.say("The ferry to Naxos leaves at seven.", "a")
        memory.say("The roof was mended in spring.", "b")
        answer = memory.answer("When does the ferry to Naxos leave?", threshold=0)
        assert answer["degraded"] is True
        assert "ferry" in answer["hits"][0]["text"]
        assert memory.client.delete("/chats/a").status_code == 204
        assert memory.everything() == {"The roof was mended in spring."}


@pytest.mark.req("SRCH-9")
@pytest.mark.parametrize(
    "trouble", [HttpError(500), HttpError(401), HttpError(429), BadVectors("count"), BadVectors("nan")]
)
def test_an_embedder_that_fails_a_search_degrades_it(serve: Serve, host: ScriptedOpenAI, trouble: Any) -> None:
    with Memory(serve().url) as memory:
        memory.say("The ferry to Naxos leaves at seven.")
        host.script_embeddings(trouble, trouble, trouble)
        answer = memory.answer("ferry to Naxos", threshold=0)
        assert (answer["degraded"], len(answer["hits"])) == (True, 1)


@pytest.mark.req("SRCH-9")
def test_an_embedder_whose_vectors_change_length_degrades_a_search(serve: Serve, host: ScriptedOpenAI) -> None:
    with Memory(serve().url) as memory:
        memory.say("The ferry to Naxos leaves at seven.")
        host.script_embeddings(BadVectors("dimension"))
        answer = memory.answer("ferry to Naxos", threshold=0)
        assert (answer["degraded"], len(answer["hits"])) == (True, 1)


@pytest.mark.req("SRCH-9")
def test_an_embedder_that_is_silent_is_not_waited_for(serve: Serve, host: ScriptedOpenAI) -> None:
    with Memory(serve(search_embed_timeout_seconds=0.2).url) as memory:
        memory.say("The ferry to Naxos leaves at seven.")
        host.script_embeddings(Stall("headers"))
        answer = memory.answer("ferry to Naxos", threshold=0)
        assert (answer["degraded"], len(answer["hits"])) == (True, 1)


@pytest.mark.req("SRCH-7", "SRCH-9")
def test_what_was_written_without_an_embedder_is_embedded_by_the_job_once_there_is_one(
    environ: dict[str, str], tmp_path: Path, database_url: str, free_port: int
) -> None:
    away = environ | {"SOUVENIR_EMBED_BASE_URL": f"http://127.0.0.1:{free_port}/v1"}
    with running(["serve"], away, tmp_path) as server, Memory(server.url) as memory:
        memory.say("The ferry to Naxos leaves at seven.")
        assert memory.answer("ferry to Naxos", threshold=0)["degraded"] is True
        assert unembedded(database_url, "scripted-embedder") == 1
        with ScriptedOpenAI(port=free_port, dimension=8):
            eventually(lambda: unembedded(database_url, "scripted-embedder") == 0, seconds=60)
            eventually(lambda: memory.answer("ferry to Naxos", threshold=0)["degraded"] is False)
            (hit,) = memory.hits("ferry to Naxos", threshold=0)
            assert hit["text"] == "The ferry to Naxos leaves at seven."
            memory.say("It is blue.")
            assert len(memory.hits("ferry to Naxos", threshold=0)) == 2
        assert "Traceback" not in server.output


@pytest.mark.req("SRCH-5", "CHAT-9")
def test_what_was_acknowledged_is_found_after_the_server_is_killed(environ: dict[str, str], tmp_path: Path) -> None:
    said: set[str] = set()
    for round_ in range(2):
        with running(["serve"], environ, tmp_path) as server, Memory(server.url, "ann") as memory:
            assert memory.everything() == said
            for number in range(5):
                memory.say(f"round {round_} number {number}", external_id=f"{round_}-{number}")
                said.add(f"round {round_} number {number}")
            memory.say("round 0 number 0", external_id="0-0")
            server.kill()
    with running(["serve"], environ, tmp_path) as server, Memory(server.url, "ann") as memory:
        assert memory.everything() == said


@pytest.mark.req("SRCH-5", "CHAT-5")
def test_two_server_processes_see_each_others_writes_and_deletions_at_once(
    environ: dict[str, str], tmp_path: Path
) -> None:
    with (
        running(["serve"], environ, tmp_path) as first,
        running(["serve"], environ, tmp_path) as second,
        Memory(first.url, "ann") as here,
        Memory(second.url, "ann") as there,
    ):
        for number in range(6):
            writer, reader = (here, there) if number % 2 else (there, here)
            writer.say(f"numbat {number}", f"c{number}")
            assert f"numbat {number}" in reader.everything()
        assert here.client.delete("/chats/c0").status_code == 204
        assert there.everything() == {f"numbat {number}" for number in range(1, 6)}


@pytest.mark.req("SRCH-7")
def test_a_change_of_model_is_carried_out_by_reembed_while_search_goes_on(
    serve: Serve, environ: dict[str, str], tmp_path: Path, database_url: str
) -> None:
    with Memory(serve().url, "ann") as before:
        before.say_all([message(f"Fox number {number}.", f"c{number % 7}") for number in range(700)])
    assert unembedded(database_url, "scripted-embedder") == 0
    with ScriptedOpenAI(dimension=16) as host:
        changed = {"embed_base_url": host.base_url, "embed_model": "another-embedder"}
        variables = environ | {f"SOUVENIR_{name.upper()}": value for name, value in changed.items()}
        with Memory(serve(**changed).url, "ann") as memory:
            answers: list[dict[str, Any]] = []
            ended = threading.Event()

            def search() -> None:
                while not ended.is_set():
                    answers.append(memory.answer("Fox number 300.", threshold=0, limit=100))

            assert len(memory.hits("Fox number 300.", threshold=0, limit=100)) == 100
            searching = threading.Thread(target=search)
            searching.start()
            try:
                done = run_to_end(["reembed"], variables, tmp_path)
            finally:
                ended.set()
                searching.join()
            assert done.returncode == 0, done.stderr
            assert "700 passages embedded with another-embedder" in done.stdout
            assert "700/700" in done.stderr
            assert len(answers) > 3
            assert all(len(answer["hits"]) == 100 and not answer["degraded"] for answer in answers)
            assert unembedded(database_url, "another-embedder") == 0
            assert len(memory.hits("Fox number 300.", threshold=0, limit=100)) == 100
        again = run_to_end(["reembed", "--json"], variables, tmp_path)
        assert '"embedded": 0' in again.stdout


@pytest.mark.req("SRCH-7")
def test_a_server_that_starts_with_another_model_reembeds_in_the_background(
    serve: Serve, environ: dict[str, str], tmp_path: Path, database_url: str
) -> None:
    with Memory(serve().url, "ann") as before:
        before.say_all([message(f"Fox number {number}.") for number in range(300)])
        before.say("Ours.", project_id="apollo")
    with ScriptedOpenAI(dimension=16) as host:
        changed = {"SOUVENIR_EMBED_BASE_URL": host.base_url, "SOUVENIR_EMBED_MODEL": "another-embedder"}
        with running(["serve"], environ | changed, tmp_path) as server, Memory(server.url, "ann") as memory:
            assert len(memory.hits("fox", threshold=0, limit=100)) == 100
            eventually(lambda: unembedded(database_url, "another-embedder") == 0, seconds=60)
            assert len(memory.hits("fox", threshold=0, limit=100)) == 100
            assert memory.everything(project_id="apollo") == {"Ours."}


@pytest.mark.req("SRCH-7")
def test_reembed_stops_cleanly_at_ctrl_c_and_goes_on_where_it_stopped(
    serve: Serve, environ: dict[str, str], tmp_path: Path, database_url: str
) -> None:
    with Memory(serve().url, "ann") as memory:
        memory.say_all([message(f"Fox number {number}.") for number in range(600)])
    with ScriptedOpenAI(dimension=8) as host:
        variables = environ | {"SOUVENIR_EMBED_BASE_URL": host.base_url, "SOUVENIR_EMBED_MODEL": "another-embedder"}
        host.script_embeddings(*[Stall("headers")] * 100)
        with running(["reembed"], variables, tmp_path) as command:
            # call by call, until the first step is written and the next one waits
            for calls in itertools.count(1):
                host.wait_for_stalls(calls, timeout=60)
                if unembedded(database_url, "another-embedder") < 600:
                    break
                host.release()
            command.process.send_signal(signal.SIGINT)
            assert command.wait() == 130
            assert "Traceback" not in command.output
            assert "Run it again to go on" in command.output
        left = unembedded(database_url, "another-embedder")
        assert 0 < left < 600
        host.reset()
        ended = run_to_end(["reembed"], variables, tmp_path)
        assert f"{left} passages embedded" in ended.stdout
        assert unembedded(database_url, "another-embedder") == 0
