"""Runs floors and peers, each in an environment of its own, on the same texts with the same vectors."""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.retrieval.data import Conversation
from bench.retrieval.metrics import Answered, percentile
from souvenir.testing.processes import running

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".bench"
PINS = Path(__file__).parent / "peers"
_SECONDS = 3000

# nobody phones home, and nothing is looked for on a model hub
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "OTEL_SDK_DISABLED": "true",
}


@dataclass(frozen=True, slots=True)
class Runner:
    """One script of `peers/`, the environment it runs in, and the package whose version is named beside it.

    Without an environment it runs in ours.
    """

    title: str
    script: str
    environment: str = ""
    package: str = ""
    needs_embeddings: bool = False  # it asks our `/v1/embeddings`, because it changes and cuts texts in its own way
    settings: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""

    @property
    def named(self) -> str:
        """The title with the pinned version."""
        version = f" {pinned(self.environment, self.package)}" if self.package else ""
        return f"{self.title}{version}{self.remark}"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one of them brought back, and what it took."""

    name: str
    answered: tuple[Answered, ...]
    search_ms: tuple[float, ...]
    adds: int
    held: int  # when it was asked: those that were added, and those it was filled with
    adds_per_second: float
    memory_mb: float

    @property
    def p50(self) -> float:
        """The median search in milliseconds."""
        return percentile(self.search_ms, 50)

    @property
    def p95(self) -> float:
        """What 95 of 100 searches stay below, in milliseconds."""
        return percentile(self.search_ms, 95)


def pinned(environment: str, package: str) -> str:
    """The version of a package in an environment's list."""
    pins = (PINS / f"{environment}.txt").read_text(encoding="utf-8").splitlines()
    return next(pin.partition("==")[2] for pin in pins if pin.startswith(f"{package}=="))


def install(environment: str) -> Path:
    """The environment's Python; the environment is made first where it is missing or its list has changed."""
    folder, pins = HOME / environment, PINS / f"{environment}.txt"
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    if installed.exists() and installed.read_text(encoding="utf-8") == pins.read_text(encoding="utf-8"):
        return python
    print(f"installing {environment} into {folder}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    # the list is complete, and without --no-deps a peer could pull in a PyTorch of another build
    pip = [str(python), "-m", "pip", "install", "--quiet", "--quiet", "--no-input", "--no-deps"]
    subprocess.run([*pip, "--requirement", str(pins)], check=True)
    installed.write_text(pins.read_text(encoding="utf-8"), encoding="utf-8")
    return python


def environ(home: str) -> dict[str, str]:
    """What a peer's process sees: a home of its own, telemetry off, nothing of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SOUVENIR_", "PYTHON"))}
    return {**kept, **QUIET, "HOME": home, "MEM0_DIR": f"{home}/.mem0"}


@contextlib.contextmanager
def embeddings(folder: Path) -> Iterator[str]:
    """A Souvenir whose `/v1/embeddings` is at this base URL."""
    settings = {"SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_PORT": "0", "SOUVENIR_LOG_LEVEL": "warning"}
    with running(["serve"], settings, folder) as server:
        yield f"{server.url}/v1"


def measure(
    runner: Runner,
    conversations: Sequence[Conversation],
    job: Path,
    *,
    keep: bool = False,
    add_seconds: int | None = None,
) -> Measured:
    """Run one on a job that has been written, or take its last result. Raises CalledProcessError when it fails.

    Who has not added everything after `add_seconds` adds no more.
    """
    more = () if add_seconds is None else (str(add_seconds),)
    kept = HOME / "results" / f"{runner.script}-{_identity(runner, job, more)}.json"
    if not (keep and kept.exists()):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_run(runner, job, more)), encoding="utf-8")
    read = json.loads(kept.read_text(encoding="utf-8"))
    answered = [
        Answered(question, tuple(ranking))
        for one, rankings in zip(conversations, read["rankings"], strict=True)
        for question, ranking in zip(one.questions, rankings, strict=True)
    ]
    return Measured(
        runner.named,
        tuple(answered),
        tuple(seconds * 1000 for seconds in read["search_seconds"]),
        read["adds"],
        read["held"],
        read["adds"] / read["add_seconds"],
        read["memory_bytes"] / 2**20,
    )


def _identity(runner: Runner, job: Path, more: Sequence[str]) -> str:
    """What a result depends on: texts, versions, settings and the script, as a short name."""
    files = [job / "job.json", PINS / f"{runner.script}.py", PINS / "common.py"]
    files += [PINS / f"{runner.environment}.txt"] if runner.environment else []
    told = repr((sorted(runner.settings.items()), more)).encode()
    return hashlib.sha256(told + b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _run(runner: Runner, job: Path, more: Sequence[str]) -> dict[str, Any]:
    python = install(runner.environment) if runner.environment else sys.executable
    print(f"  {runner.named} on {job.name}", end="", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as home, contextlib.ExitStack() as stack:
        result = Path(home) / "result.json"
        command = [str(python), "-m", f"bench.retrieval.peers.{runner.script}", str(job), str(result), *more]
        settings = environ(home) | dict(runner.settings)
        if runner.needs_embeddings:
            settings["BENCH_EMBEDDINGS_URL"] = stack.enter_context(embeddings(Path(home)))
        log = stack.enter_context((HOME / f"{runner.script}.log").open("w"))
        subprocess.run(
            command, cwd=ROOT, env=settings, check=True, timeout=_SECONDS,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        read: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    print(f": {time.monotonic() - started:.0f} s", flush=True)
    return read
