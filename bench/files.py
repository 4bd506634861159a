"""Files: indexing the Python standard library's sources beside the bare embedder, and again with nothing changed.

The bare embedder is the same model called with some of the same chunks and nothing around it. It is measured before,
between and after, and what counts is tokens per second.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

import psutil

from bench.report import Figure, table
from souvenir.app import Souvenir, open_souvenir
from souvenir.config import load_settings
from souvenir.stores.source_ports import SourceJob
from souvenir.types import SpaceId

SPACE = SpaceId("user:bench")
OLD = 1_700_000_000
FEW = 12  # files whose chunks the bare embedder is measured with
SAMPLE = 384  # of those chunks, each time
GROUP = 256


class Peak:
    """The most memory that this process and its children had together while it was watched."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.bytes = 0

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def now(self) -> int:
        total: int = self._process.memory_info().rss
        for child in self._process.children(recursive=True):
            try:
                # of Postgres most is shared memory, counted again in each of its processes
                total += child.memory_info().rss if "python" in child.name() else 0
            except psutil.Error:
                continue
        return total

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            self.bytes = max(self.bytes, self.now())


def prepare(place: Path, files: int | None) -> None:
    """Sources to index, and a few more in a folder of their own."""
    place.chmod(0o755)  # as root, the database runs as somebody else
    copy_library(place / "library", files)
    copy_library(place / "library" / "few", FEW)


def copy_library(folder: Path, files: int | None) -> None:
    """The library's sources, or so many of them evenly chosen, with times that tell of no fresh change."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found = sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)
    chosen = found if files is None else [found[place * len(found) // files] for place in range(files)]
    for path in chosen:
        target = folder / path.relative_to(library)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (OLD, OLD))


async def bare_rate(souvenir: Souvenir, texts: list[str]) -> float:
    """Tokens per second of the embedder alone."""
    tokens, started = 0, time.perf_counter()
    for start in range(0, len(texts), GROUP):
        tokens += (await souvenir.embedder.embed(texts[start : start + GROUP])).tokens
    return tokens / (time.perf_counter() - started)


async def finished(souvenir: Souvenir, source_id: str) -> SourceJob:
    while True:
        job = (await souvenir.sources.jobs(SPACE, source_id))[0]
        if job.state not in {"queued", "running"}:
            return job
        await asyncio.sleep(0.05)


def seconds(job: SourceJob) -> float:
    if job.state != "done" or job.started_at is None or job.finished_at is None:
        raise RuntimeError(f"indexing ended as {job.state}: {job.error}")
    return (job.finished_at - job.started_at).total_seconds()


async def texts_of(souvenir: Souvenir, source_id: str) -> list[str]:
    rows = await souvenir.database.fetch(
        "select text from passages where space_id = %s and origin ->> 'source_id' = %s order by passage_id",
        [SPACE, source_id],
    )
    return [row["text"] for row in rows]


async def measure(files: int | None) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="souvenir-bench-") as made:
        place = Path(made)
        settings = load_settings(
            {}, data_dir=place / "data", source_roots=(place / "library",), embed_cache_size=0, log_level="warning"
        )
        await asyncio.to_thread(prepare, place, files)
        async with open_souvenir(settings) as souvenir:
            working = asyncio.create_task(souvenir.jobs.work())
            try:
                return await compare(souvenir, place / "library")
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)


async def compare(souvenir: Souvenir, folder: Path) -> list[Figure]:
    few = await souvenir.sources.add(SPACE, str(folder / "few"), watch=False)
    await finished(souvenir, few.source.source_id)
    sample = (await texts_of(souvenir, few.source.source_id))[:SAMPLE]
    rates = [await bare_rate(souvenir, sample)]
    with Peak() as peak:
        before = peak.now()
        source = (await souvenir.sources.add(SPACE, str(folder), watch=False)).source.source_id
        first = await finished(souvenir, source)
    rates.append(await bare_rate(souvenir, sample))
    await souvenir.sources.start(SPACE, source)
    second = await finished(souvenir, source)
    rates.append(await bare_rate(souvenir, sample))
    texts = await texts_of(souvenir, source)
    tokens = await asyncio.to_thread(count_tokens, texts)
    rate = tokens / seconds(first)
    files = first.tally.found  # but for what is ignored as a rule, such as folders named `venv`
    if (first.tally.indexed, second.tally.unchanged) != (files, files):
        raise RuntimeError(f"not all files were indexed, and then unchanged: {first.tally} {second.tally}")
    return [
        Figure(f"indexing {files:,} files / the bare embedder, in tokens", rate / statistics.median(rates), "≥", 0.8),
        Figure("a second run with nothing changed / the first", seconds(second) / seconds(first), "≤", 0.02),
        Figure("memory while indexing, beyond that before it", (peak.bytes - before) / 2**20, "≤", 700, "MiB"),
        Figure("indexing", rate, "", None, "tokens/s"),
        Figure("… in files", files / seconds(first), "", None, "files/s"),
        Figure("… in chunks", len(texts) / seconds(first), "", None, "chunks/s"),
        Figure("the second run", seconds(second), "", None, "s"),
    ]


def count_tokens(texts: list[str]) -> int:
    from souvenir.embed.weights import find_tokenizer  # noqa: PLC0415 - after the settings are known

    tokenizer = find_tokenizer(load_settings({}))
    if tokenizer is None:
        raise RuntimeError("MiniLM's tokenizer is not on this machine")
    return sum(len(encoding.ids) for encoding in tokenizer.encode_batch_fast(texts))


def run(files: int | None = None) -> str:
    """The figures as a Markdown table."""
    return table(asyncio.run(measure(files)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, help="so many of the library's files, evenly chosen; all if not given")
    print(run(parser.parse_args().files))
