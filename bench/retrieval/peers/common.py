"""What every peer's script does: read the job, add the texts one by one, ask the questions, write what came back."""

import gc
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

TOP = 20
WIDTH = 384

_WITH_SECONDS = 3

Vector = NDArray[np.float32]
Message = tuple[str, str, str]  # id, text, time


class Store(Protocol):
    """One conversation in one peer."""

    def add(self, id_: str, text: str, at: str, /) -> None: ...

    def search(self, query: str, /) -> list[str]: ...


class Lookup:
    """The embedder of all peers: vectors that Souvenir's own model made beforehand, so that nobody's time has it in."""

    def __init__(self, rows: dict[str, Vector]) -> None:
        self._rows = rows

    def __contains__(self, text: str) -> bool:
        return text.strip() in self._rows

    def __call__(self, text: str) -> Vector:
        return self._rows[text.strip()]


class Job:
    """What is to be stored and asked, and the vectors of all of it."""

    def __init__(self, folder: Path) -> None:
        self.conversations: list[dict[str, Any]] = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        # some peers trim what they are given, and space at the ends is nothing to the model
        texts = [text.strip() for one in self.conversations for text in one["texts"] + one["questions"]]
        self.lookup = Lookup(dict(zip(texts, np.load(folder / "vectors.npy"), strict=True)))


Opener = Callable[[str, Lookup, Path], Store]


def run(opener: Opener, memory: Callable[[], int] | None = None) -> None:
    """Do the job whose folder is the first argument; the result goes to the file that is the second.

    With a third, no more is added one by one after so many seconds: who can be filled in a quicker way is, untimed, and
    questions are asked of what is there then.
    """
    job = Job(Path(sys.argv[1]))
    seconds = float(sys.argv[3]) if len(sys.argv) > _WITH_SECONDS else math.inf
    memory = memory or (lambda: tree_memory(os.getpid()))
    with tempfile.TemporaryDirectory() as folder:
        gc.collect()
        before = memory()
        result = measure(job, opener, Path(folder), seconds)
        gc.collect()
        result["memory_bytes"] = memory() - before
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


def measure(job: Job, opener: Opener, folder: Path, seconds: float = math.inf) -> dict[str, Any]:
    stores: list[Store] = []
    rankings: list[list[list[str]]] = []
    adding, adds, held, searching = 0.0, 0, 0, []
    for one in job.conversations:
        store = opener(one["name"], job.lookup, folder)
        stores.append(store)  # kept, so that memory counts all of them
        messages = list(zip(one["ids"], one["texts"], one["at"], strict=True))
        added = 0
        started = time.perf_counter()
        for message in messages:
            store.add(*message)
            added += 1
            if adding + time.perf_counter() - started > seconds:
                break
        settle = getattr(store, "settle", None)
        if settle is not None:
            settle()
        adding += time.perf_counter() - started
        adds += added
        held += added
        fill = getattr(store, "fill", None)
        if fill is not None and added < len(messages):
            fill(messages[added:])
            held += len(messages) - added
        rankings.append([])
        for query in one["questions"]:
            started = time.perf_counter()
            found = store.search(query)
            searching.append(time.perf_counter() - started)
            rankings[-1].append(list(dict.fromkeys(found))[:TOP])
    return {"rankings": rankings, "search_seconds": searching, "adds": adds, "held": held, "add_seconds": adding}


def tree_memory(root: int) -> int:
    """The memory of a process and its children, what they share counted once (proportional set size)."""
    return sum(_proportional(process) for process in [root, *_descendants(root)])


def cluster_memory(folder: Path) -> int:
    """That of this process and of the Postgres whose data is somewhere in a folder, which is nobody's child."""
    (running,) = folder.rglob("postmaster.pid")
    return tree_memory(os.getpid()) + tree_memory(int(running.read_text().split()[0]))


def _descendants(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it ended meanwhile
            parents.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _proportional(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
