"""Souvenir as processes: started, stopped, killed, and started again, on the embedded database."""

import asyncio
import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import psutil
import psycopg
import pytest

from souvenir.config import load_settings
from souvenir.storage import open_storage
from souvenir.stores.postgres.embedded import EmbeddedPostgres
from souvenir.testing.openai_server import Reply, ScriptedOpenAI, Stall
from souvenir.testing.processes import SouvenirProcess, answers, environment, eventually, run_to_end, running
from souvenir.types import SpaceId
from tests.acceptance.conftest import scripted

CHAT: dict[str, Any] = {"model": "souvenir", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
def environ(folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    """Settings of a process on an embedded database of its own and the scripted model host."""
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {**names, "SOUVENIR_DATA_DIR": str(folder), "SOUVENIR_PORT": "0", "SOUVENIR_LOG_FORMAT": "json"}


def postgres_pid(folder: Path) -> int | None:
    return EmbeddedPostgres(folder / "postgres").pid


def key_names(environ: dict[str, str], cwd: Path) -> list[str]:
    listed = run_to_end(["keys", "list", "--json"], environ, cwd)
    assert listed.returncode == 0, listed.stderr
    return [key["name"] for key in json.loads(listed.stdout)]


def test_a_server_says_where_it_is_serves_and_stops_cleanly_with_its_database(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    with running(["serve"], environ, tmp_path) as server:
        assert answers(f"{server.url}/ready")
        assert str(folder) in server.output
        assert server.output.count("  curl ") == 3
        assert postgres_pid(folder) is not None
        assert server.stop() == 0
    assert postgres_pid(folder) is None
    assert "Traceback" not in server.output


def test_all_data_is_there_after_kill_9_of_the_server_and_no_orphan_blocks_the_start(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    with running(["serve"], environ, tmp_path) as server:
        assert answers(f"{server.url}/ready")
        assert run_to_end(["keys", "create", "--user", "alice", "--name", "kept"], environ, tmp_path).returncode == 0
        server.kill()
    orphan = postgres_pid(folder)
    assert orphan is not None
    with running(["serve"], environ, tmp_path) as again:
        assert answers(f"{again.url}/ready")
        assert postgres_pid(folder) == orphan
        assert key_names(environ, tmp_path) == ["kept"]
        assert again.stop() == 0
    assert postgres_pid(folder) is None


def test_all_data_is_there_after_kill_9_of_the_server_and_its_postgres(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    with running(["serve"], environ, tmp_path) as server:
        assert answers(f"{server.url}/ready")
        assert run_to_end(["keys", "create", "--service", "--name", "kept"], environ, tmp_path).returncode == 0
        pid = postgres_pid(folder)
        assert pid is not None
        server.kill()
        os.kill(pid, signal.SIGKILL)
    with running(["serve"], environ, tmp_path) as again:
        assert answers(f"{again.url}/ready")
        assert key_names(environ, tmp_path) == ["kept"]


def test_a_running_server_brings_its_killed_postgres_back(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    with running(["serve"], environ, tmp_path) as server:
        assert answers(f"{server.url}/ready")
        pid = postgres_pid(folder)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: postgres_pid(folder) not in {None, pid})
        eventually(lambda: answers(f"{server.url}/ready"))
        assert key_names(environ, tmp_path) == []


def test_a_stranger_with_the_dead_servers_process_id_does_not_block_the_start(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    assert run_to_end(["keys", "create", "--user", "alice", "--name", "kept"], environ, tmp_path).returncode == 0
    data = folder / "postgres" / "data"
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n1\n5432\n{folder}\n\n 1 1\nready   \n")
    assert key_names(environ, tmp_path) == ["kept"]


@pytest.mark.parametrize("name", ["o'brien's data", 'with "quotes" & $HOME', "ünï 数据", "d" * 120], ids=range(4))
def test_a_data_directory_may_have_any_name(environ: dict[str, str], tmp_path: Path, name: str) -> None:
    environ = {**environ, "SOUVENIR_DATA_DIR": str(tmp_path / name)}
    for user in ("a", "b"):
        made = run_to_end(["keys", "create", "--user", user, "--name", user], environ, tmp_path)
        assert made.returncode == 0, made.stderr
    assert key_names(environ, tmp_path) == ["b", "a"]


def test_four_processes_that_start_at_once_on_an_empty_folder_share_one_database(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    def create(number: int) -> int:
        return run_to_end(
            ["keys", "create", "--user", f"user-{number}", "--name", str(number)], environ, tmp_path
        ).returncode

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(create, range(4))) == [0, 0, 0, 0]
    assert sorted(key_names(environ, tmp_path)) == ["0", "1", "2", "3"]
    assert postgres_pid(folder) is None


def test_the_last_of_two_servers_on_one_folder_stops_the_database(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    with running(["serve"], environ, tmp_path) as first, running(["serve"], environ, tmp_path) as second:
        assert first.url != second.url
        assert first.stop() == 0
        assert answers(f"{second.url}/ready")
        assert postgres_pid(folder) is not None
    assert postgres_pid(folder) is None


def test_a_running_request_is_finished_before_the_server_stops(
    environ: dict[str, str], tmp_path: Path, host: ScriptedOpenAI
) -> None:
    host.script(Reply("one two three", fault=Stall("middle")))
    with running(["serve"], environ, tmp_path) as server:
        url = server.url
        received: list[str] = []

        def ask() -> None:
            with httpx2.stream(
                "POST", f"{url}/v1/chat/completions", json={**CHAT, "stream": True}, timeout=30
            ) as answer:
                received.extend(answer.iter_lines())

        asking = threading.Thread(target=ask)
        asking.start()
        host.wait_for_stalls(1)
        server.interrupt()
        server.wait_for("running requests may finish")
        eventually(lambda: not answers(f"{url}/health"))
        host.release()
        asking.join(20)
        assert server.stop() == 0
    assert received[-2] == "data: [DONE]"


def test_a_second_interrupt_does_not_leave_a_traceback(environ: dict[str, str], tmp_path: Path) -> None:
    with running(["serve"], environ, tmp_path) as server:
        assert server.url
        server.process.send_signal(signal.SIGINT)
        server.process.send_signal(signal.SIGINT)
        assert server.stop() == 0
    assert "Traceback" not in server.output


@pytest.mark.req("MEM-11")
def test_a_job_whose_worker_is_killed_is_taken_up_again_and_done_once(
    environ: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    environ = {**environ, "SOUVENIR_JOB_HEARTBEAT_SECONDS": "0.3"}
    settings = load_settings(environ)
    script = str(Path(__file__).with_name("job_process.py"))

    async def prepare() -> str:
        async with open_storage(settings) as storage:
            async with storage.database.transaction() as connection:
                await connection.execute("create table seen (attempt int, by text)")
                await connection.execute("create table done (key text)")
            storage.jobs.register("write", None)  # type: ignore[arg-type]
            await storage.jobs.enqueue(SpaceId("user:alice"), "write", key="k")
            return storage.database.url

    url = asyncio.run(prepare())
    worker = SouvenirProcess([sys.executable, script, "hang"], environment(environ), tmp_path)
    worker.wait_for("started 1")
    worker.kill()
    rescuer = SouvenirProcess([sys.executable, script, "finish"], environment(environ), tmp_path)
    try:
        rescuer.wait_for("finished 2", seconds=30)
        with psycopg.connect(url) as connection:
            seen = connection.execute("select attempt, by from seen order by attempt").fetchall()
            done = connection.execute("select key from done").fetchall()
    finally:
        rescuer.kill()
        for process in psutil.process_iter():
            if process.pid == postgres_pid(folder):
                process.terminate()
    assert seen == [(1, "hang"), (2, "finish")]
    assert done == [("k",)]


def test_a_worker_alone_runs_and_stops_cleanly(environ: dict[str, str], tmp_path: Path) -> None:
    with running(["worker"], environ, tmp_path) as worker:
        worker.wait_for("works on jobs")
        assert worker.stop() == 0
    assert "Traceback" not in worker.output


def test_logs_are_json_with_the_request_id_that_was_sent(environ: dict[str, str], tmp_path: Path) -> None:
    with running(["serve"], environ, tmp_path) as server:
        answer = httpx2.post(
            f"{server.url}/v1/chat/completions", json=CHAT, headers={"x-request-id": "my-id-7"}, timeout=20
        )
        assert answer.headers["x-request-id"] == "my-id-7"
        server.wait_for("my-id-7")
        server.stop()
    lines = [json.loads(line) for line in server.output.splitlines() if line.startswith("{")]
    (entry,) = [line for line in lines if line.get("request_id") == "my-id-7" and line["event"] == "request"]
    assert (entry["route"], entry["status"], entry["method"]) == ("/v1/chat/completions", 200, "POST")
