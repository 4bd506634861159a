"""Search: what it costs beside the embedding of the query, and whether it finds what a full scan finds.

`python -m bench.search` for spaces in memory; `python -m bench.search --million` for one that is too large for it.
"""

import argparse
import asyncio
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import psutil
import uvloop
from numpy.typing import NDArray

from bench.made_chats import Matter, matters, questions, sentences, turns
from bench.report import Figure, table
from souvenir.app import Souvenir, open_souvenir
from souvenir.chat.indexing import Said
from souvenir.config import Settings, load_settings
from souvenir.embed.port import Embedder
from souvenir.embed.weights import find_weights, read_weights
from souvenir.log import configure_logging
from souvenir.metrics import Metrics
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.question import Question
from souvenir.retrieval.search import InMemory, Search
from souvenir.retrieval.space_index import SpaceIndex
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.retrieval.vectors import QuantizedVectors
from souvenir.stores.postgres.large_spaces import PostgresLargeSpaceStore
from souvenir.testing.passages import states_of
from souvenir.testing.processes import running
from souvenir.types import SpaceId, user_space

SMALL, MEDIUM, LARGE = 10_000, 100_000, 1_000_000
LIMITS = {SMALL: 1.5, MEDIUM: 3.0, LARGE: 10.0}
ROUNDS = 200
ASKED = 100  # questions that are compared with a full scan
HTTP_MS = 2.0
_JSON = {"Content-Type": "application/json"}
BATCHES, BATCH = 7, 500
NOW = datetime(2026, 2, 1, tzinfo=UTC)

_OWN, _ANOTHER = user_space("local"), user_space("another")


class At:
    """A clock that stands still, so that "last week" means the same in every run."""

    def now(self) -> datetime:
        return NOW


class FloatVectors(QuantizedVectors):
    """Vectors in single precision: what bytes and indexes are measured against."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension, 1)
        self._floats = np.zeros((64, dimension), np.float32)

    def put(self, rows: NDArray[np.intp], vectors: NDArray[np.float16]) -> None:
        needed = int(rows.max()) + 1
        if needed > len(self._floats):
            grown = np.zeros((max(needed, len(self._floats) * 3 // 2), self._floats.shape[1]), np.float32)
            grown[: len(self._floats)] = self._floats
            self._floats = grown
        self._floats[rows] = vectors

    def cosines(self, vector: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._floats[:count] @ vector
        return found


class FullScan(LargeSpaces):
    """Scores every passage of a space, in single precision, with the one scoring function."""

    def __init__(self, index: SpaceIndex) -> None:
        self._all = index

    async def look(self, _space: SpaceId, question: Question, only: Filter) -> InMemory:  # type: ignore[override]
        return InMemory(self._all, self._all.glance(question, only), in_thread=False)


@dataclass(frozen=True, slots=True)
class Talk:
    """What the chats are about, and the vectors of what is said."""

    about: list[Matter]
    vectors: NDArray[np.float32]

    async def fill(self, souvenir: Souvenir, space: SpaceId, amount: int) -> float:
        """Write so many passages; returns how long it took."""
        started = time.perf_counter()
        for batch in turns(self.about, self.vectors, souvenir.embedder.model, amount):
            await souvenir.passages.add(space, batch)
        return time.perf_counter() - started

    def questions(self, amount: int, seed: int) -> Iterator[str]:
        return iter(questions(self.about, amount, seed))


async def talk(settings: Settings, embedder: Embedder) -> Talk:
    vocabulary = read_weights(find_weights(settings)).tokenizer.get_vocab()
    ranked = sorted(vocabulary, key=lambda word: vocabulary[word])
    # the commonest ones are those of the grammar
    words = [word for word in ranked if word.isascii() and word.isalpha() and word.islower() and len(word) > 3][200:]
    about = matters(words)
    return Talk(about, (await embedder.embed(sentences(about))).vectors)


async def seconds(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def turn_about(
    works: Sequence[Callable[[], Awaitable[object]]], rounds: int = ROUNDS, warm_up: int = 5
) -> list[float]:
    """The median time of each, run in turn, so that the machine's moods hit all alike."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(rounds + warm_up):
        pairs = list(zip(works, times, strict=True))
        for work, taken in pairs if number % 2 else reversed(pairs):
            taken.append(await seconds(work()))
    return [statistics.median(taken[warm_up:]) for taken in times]


async def full_scan(souvenir: Souvenir, space: SpaceId) -> Search:
    """A search that looks at everything."""
    state = (await states_of(souvenir.passages, [space]))[space]
    model, dimension = souvenir.embedder.model, souvenir.embedder.dimension or 1
    index = SpaceIndex(dimension)
    index._vectors = FloatVectors(dimension)
    async for change in souvenir.passages.changes(space, 0, state.revision, model, dimension):
        await asyncio.to_thread(index.apply, [change], state.revision)
    metrics = Metrics()
    return Search(
        passages=souvenir.passages,
        indexes=SpaceIndexes(souvenir.passages, 1, metrics),
        large=FullScan(index),
        embedder=souvenir.embedder,
        reranker=None,
        settings=souvenir.settings.model_copy(update={"index_largest_space": 1000}),
        clock=souvenir.clock,
        metrics=metrics,
    )


async def found(search: Search, space: SpaceId, query: str, *, everything: bool) -> list[int]:
    threshold = -1.0 if everything else None
    hits = (await search.search([space], query, Filter(), limit=10, threshold=threshold)).hits
    return [hit.passage.passage_id for hit in hits]


async def recall(search: Search, scan: Search, space: SpaceId, asked: Sequence[str], *, everything: bool) -> float:
    """Of what a full scan puts first, how much is found: of all it ranks, or of what it takes for relevant."""
    shares = []
    for query in asked:
        expected = set(await found(scan, space, query, everything=everything))
        if expected:
            shares.append(len(expected & set(await found(search, space, query, everything=everything))) / len(expected))
    return statistics.fmean(shares) if shares else 1.0


async def in_memory(souvenir: Souvenir, about: Talk) -> list[Figure]:
    """Spaces of ten and a hundred thousand passages, against the embedding of a query."""
    spaces = {SMALL: _OWN, MEDIUM: _ANOTHER}
    for amount, space in spaces.items():
        await about.fill(souvenir, space, amount)
    figures = []
    memory = psutil.Process().memory_info().rss
    loading = await seconds(souvenir.search.search([_ANOTHER], "anything", Filter(), limit=10))
    grown = psutil.Process().memory_info().rss - memory
    (held,) = souvenir.search._indexes._held.values()
    await souvenir.search.search([_OWN], "anything", Filter(), limit=10)
    queries = about.questions(20 * ROUNDS, 11)
    embedding, *whole = await turn_about(
        [
            lambda: souvenir.embedder.embed([next(queries)]),
            *(
                lambda space=space: souvenir.search.search([space], next(queries), Filter(), limit=10)
                for space in spaces.values()
            ),
        ]
    )
    for (amount, space), taken in zip(spaces.items(), whole, strict=True):
        figures.append(_ratio(amount, taken / embedding))
        scan = await full_scan(souvenir, space)
        asked = list(about.questions(ASKED, 12))
        share = await recall(souvenir.search, scan, space, asked, everything=True)
        figures.append(_recall(amount, share, "of all it ranks"))
    before = [await found(souvenir.search, _ANOTHER, query, everything=True) for query in asked]
    souvenir.search._indexes.forget()
    after = [await found(souvenir.search, _ANOTHER, query, everything=True) for query in asked]
    return [
        *figures,
        Figure("answers that stay the same when a space is let go and loaded again", _same(before, after), "≥", 1.0),
        Figure("one query embedding (p50)", embedding * 1000, "", None, "ms"),
        *(
            Figure(f"a whole search, {amount:,} passages (p50)", taken * 1000, "", None, "ms")
            for amount, taken in zip(spaces, whole, strict=True)
        ),
        Figure(f"loading {MEDIUM:,} passages, with the first question", loading, "", None, "s"),
        Figure(
            "memory for 10,000 passages, as it counts itself",
            (held.index.size_bytes if held.index else 0) / 2**20 * SMALL / MEDIUM, "", None, "MB",
        ),
        Figure("… as the process grows by it", grown / 2**20 * SMALL / MEDIUM, "", None, "MB"),
    ]  # fmt: skip


def _same(before: Sequence[object], after: Sequence[object]) -> float:
    return statistics.fmean(float(one == other) for one, other in zip(before, after, strict=True))


def _ratio(amount: int, value: float) -> Figure:
    return Figure(
        f"a whole search of {amount:,} passages / one query embedding (p50)",
        value,
        "≤",
        LIMITS.get(amount, LIMITS[LARGE]),
        "times",
    )


def _recall(amount: int, value: float, of_what: str) -> Figure:
    return Figure(f"recall of a full scan's first ten, {of_what}, {amount:,} passages", value, "≥", 0.99)


async def over_http(souvenir: Souvenir, about: Talk, folder: Path) -> Figure:
    """What the route adds: the same search asked of a server of its own, over one connection."""
    settings = {"SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_PORT": "0", "SOUVENIR_LOG_LEVEL": "warning"}
    queries = about.questions(5 * ROUNDS, 13)
    with running(["serve"], settings, folder) as server:
        # the leanest client there is: what it takes itself is nothing the server could do better
        connection = HTTPConnection(urlsplit(server.url).netloc)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        async def asked() -> None:
            connection.request("POST", "/search", json.dumps({"query": next(queries)}), _JSON)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == HTTPStatus.OK, answer.reason

        inside, through = await turn_about(
            [lambda: souvenir.search.search([_OWN], next(queries), Filter(), limit=10), asked]
        )
        connection.close()
    return Figure("what HTTP adds to a search (p50)", (through - inside) * 1000, "≤", HTTP_MS, "ms")


async def indexing(souvenir: Souvenir, about: Talk) -> list[Figure]:
    """Texts that become messages and passages, against texts that become vectors and nothing else."""
    made = turns(about.about, about.vectors, souvenir.embedder.model, 2 * BATCHES * BATCH, seed=5)
    texts = iter([passage.text for batch in made for passage in batch])
    space = user_space("indexing")

    def batch() -> list[str]:
        return [next(texts) for _ in range(BATCH)]

    async def bare() -> None:
        await souvenir.embedder.embed(batch())

    async def whole() -> None:
        said = [Said(chat_id=f"chat-{place % 10}", role="user", content=text) for place, text in enumerate(batch())]
        await souvenir.indexing.index(space, said)

    embedded, indexed = await turn_about([bare, whole], BATCHES, warm_up=0)
    return [
        Figure(
            f"indexing messages by the {BATCH} / embedding their texts alone, throughput",
            embedded / indexed, "≥", 0.85,
        ),
        Figure("messages indexed", BATCH / indexed, "", None, "per second"),
    ]  # fmt: skip


async def measure(folder: Path) -> list[Figure]:
    settings = load_settings({}, data_dir=folder / "data", log_level="error")
    async with open_souvenir(settings, At()) as souvenir:
        about = await talk(settings, souvenir.embedder)
        figures = await in_memory(souvenir, about)
        figures.append(await over_http(souvenir, about, folder))
        return figures + await indexing(souvenir, about)


async def measure_million(folder: Path, amount: int) -> list[Figure]:
    """A space beyond what is held in memory, narrowed by Postgres' indexes."""
    largest = min(200_000, amount // 2)
    settings = load_settings({}, data_dir=folder / "data", log_level="error", index_largest_space=largest)
    async with open_souvenir(settings, At()) as souvenir:
        about = await talk(settings, souvenir.embedder)
        say(f"{len(about.vectors):,} sentences embedded")
        writing = await about.fill(souvenir, _OWN, amount)
        say(f"{amount:,} passages written in {writing:.0f} s")
        unindexed = await seconds(souvenir.search.search([_OWN], "What was the meeting about?", Filter(), limit=10))
        building = await build(souvenir, _OWN)
        say(f"indexed in {building:.0f} s")
        queries = about.questions(5 * ROUNDS, 11)
        embedding, whole = await turn_about(
            [
                lambda: souvenir.embedder.embed([next(queries)]),
                lambda: souvenir.search.search([_OWN], next(queries), Filter(), limit=10),
            ]
        )
        say("timed; reading everything for the full scan")
        scan = await full_scan(souvenir, _OWN)
        asked = list(about.questions(ASKED, 12))
        relevant = await recall(souvenir.search, scan, _OWN, asked, everything=False)
        ranked = await recall(souvenir.search, scan, _OWN, asked, everything=True)
    return [
        _ratio(amount, whole / embedding),
        _recall(amount, relevant, "of what it takes for relevant"),
        _recall(amount, ranked, "of all it ranks"),
        Figure("one query embedding (p50)", embedding * 1000, "", None, "ms"),
        Figure("a whole search (p50)", whole * 1000, "", None, "ms"),
        Figure("a search before anything is indexed", unindexed * 1000, "", None, "ms"),
        Figure("building the indexes and counting terms", building, "", None, "s"),
        Figure("writing the passages, vectors given", amount / writing, "", None, "per second"),
    ]  # fmt: skip


async def build(souvenir: Souvenir, space: SpaceId) -> float:
    """What the job does that a search queues when it comes upon a large space."""
    store = PostgresLargeSpaceStore(souvenir.database)
    return await seconds(store.index(space, souvenir.embedder.model, souvenir.embedder.dimension or 1))


def say(text: str) -> None:
    print(f"  {text}", flush=True)


def run() -> str:
    """The figures as a Markdown table."""
    return table(_run(measure))


def run_million(amount: int = LARGE) -> str:
    """The figures of a large space as a Markdown table."""
    return table(_run(lambda folder: measure_million(folder, amount)))


def _run(measured: Callable[[Path], Coroutine[None, None, list[Figure]]]) -> list[Figure]:
    configure_logging(load_settings({}, log_level="error"))
    with (
        tempfile.TemporaryDirectory(prefix="souvenir-bench-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,  # as the program has it
    ):
        return runner.run(measured(Path(folder)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="a space too large for memory; takes 15 minutes")
    parser.add_argument("--passages", type=int, default=LARGE, help="another size than a million")
    arguments = parser.parse_args()
    print(run_million(arguments.passages) if arguments.million else run())
