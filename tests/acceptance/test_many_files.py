"""A folder of very many small files: work grows as the files do, memory hardly does."""

import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import psutil
import psycopg
import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.processes import running
from tests.acceptance.conftest import scripted
from tests.acceptance.test_sources import Client

FEW, MANY = 10_000, 100_000
PER_FOLDER = 500
MIB = 2**20


class Watched:
    """The most memory that a process and its reading process had together, and how long both worked."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._began = time.perf_counter(), self._worked()
        self.bytes = self._memory()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def figures(self) -> "Figures":
        began, worked = self._began
        return Figures(time.perf_counter() - began, self._worked() - worked, self.bytes / MIB)

    def _worked(self) -> float:
        """Of processor time, with that of reading processes that have ended."""
        return float(sum(self._process.cpu_times()[:4]))

    def _memory(self) -> int:
        total = 0
        for process in (self._process, *self._process.children()):
            try:
                total += process.memory_info().rss if "python" in process.name() else 0
            except psutil.NoSuchProcess:
                continue
        return total

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            self.bytes = max(self.bytes, self._memory())


@dataclass(frozen=True, slots=True)
class Figures:
    seconds: float
    worked: float
    mib: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.worked:.1f} s of processor time, {self.mib:.0f} MiB at most"


def write(folder: Path, count: int) -> Path:
    for number in range(count):
        place = folder / str(number // PER_FOLDER)
        if number % PER_FOLDER == 0:
            place.mkdir(parents=True)
        (place / f"{number}.txt").write_text(f"Boat number {number} lies in harbour {number % 97}.\n")
    return folder


def ended(me: Client, source_id: str) -> dict[str, Any]:
    """A source's job, once it is over."""
    job: dict[str, Any]
    while (job := me.jobs(source_id)[0])["state"] in {"queued", "running"}:
        time.sleep(0.2)
    assert job["state"] == "done", job
    return job


@pytest.fixture
def environ(host: ScriptedOpenAI, database_url: str, tmp_path: Path) -> dict[str, str]:
    return {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()} | {
        "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_PORT": "0", "SOUVENIR_SOURCE_ROOTS": str(tmp_path),
        "SOUVENIR_DATA_DIR": str(tmp_path / "data"),
    }  # fmt: skip


def index(me: Client, pid: int, folder: Path, count: int) -> tuple[str, Figures]:
    with Watched(pid) as watched:
        source_id = me.add(folder)
        job = ended(me, source_id)
    print(f"{count:,} files: {watched.figures}", flush=True)
    assert (job["found"], job["indexed"], job["chunks"], job["failed"]) == (count, count, count, 0)
    return source_id, watched.figures


def index_again(me: Client, pid: int, source_id: str) -> tuple[dict[str, Any], Figures]:
    with Watched(pid) as watched:
        assert me.http.post(f"/sources/{source_id}/reindex").status_code == 200
        job = ended(me, source_id)
    print(f"{job['found']:,} files again, {job['removed']:,} gone: {watched.figures}", flush=True)
    return job, watched.figures


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.req("FILE-3")
def test_a_hundred_thousand_small_files_take_ten_times_the_work_of_ten_thousand_and_no_more_memory(
    environ: dict[str, str], tmp_path: Path
) -> None:
    folder = write(tmp_path / "many", MANY)
    with running(["serve"], environ, tmp_path) as server, Client(server.url) as me:
        pid = server.process.pid
        index(me, pid, write(tmp_path / "warm", 100), 100)
        _, few = index(me, pid, write(tmp_path / "few", FEW), FEW)
        source_id, many = index(me, pid, folder, MANY)
        assert many.worked < 13 * few.worked
        assert many.seconds < 400
        assert many.mib < few.mib + 64
        job, again = index_again(me, pid, source_id)
        assert (job["found"], job["indexed"], job["removed"]) == (MANY, 0, 0)
        assert again.worked < many.worked / 5
        for number in range(MANY // PER_FOLDER // 2):
            shutil.rmtree(folder / str(number))
        job, _ = index_again(me, pid, source_id)
        assert (job["found"], job["indexed"], job["removed"]) == (MANY // 2, 0, MANY // 2)
        assert me.get(source_id)["statistics"]["chunks"] == MANY // 2
        assert me.search(f"boat number {MANY - 1}")[0]["source"]["path"].endswith(f"/{MANY - 1}.txt")
        with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
            (queued,) = connection.execute("select count(*) from procrastinate_jobs").fetchone() or (0,)
        assert queued < 100  # a job is for a folder, never for a file
