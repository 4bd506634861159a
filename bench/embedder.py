"""The built-in embedder: how near it is to the original, and what queue, thread and batching cost or bring."""

import asyncio
import json
import random
import statistics
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np

from bench.report import Figure, table
from souvenir.config import load_settings
from souvenir.embed.graph import Ids, MiniLmSession
from souvenir.embed.minilm import MiniLmEmbedder
from souvenir.embed.weights import Weights, find_weights, read_weights
from souvenir.metrics import Metrics

REFERENCE = Path(__file__).parents[1] / "tests" / "fixtures" / "minilm_reference.json"
QUERIES = 400
TEXTS = 256
ROUNDS = 7
CALLERS = 32
ST_BATCH = 32  # sentence-transformers' default

_WORDS = """
the a of to and in we you they she he it is was will can did not about after before with without under over for
meeting lighthouse ticket database harbour birthday invoice garden password neighbour recipe flight deadline
TypeScript Lisbon Priya Biscuit Postgres Thursday thunderstorm embedding 14:30 2024 v2.14 said asked remembers
prefers booked forgot moved wrote likes small old new quiet broken second favourite tomorrow yesterday because
""".split()  # noqa: SIM905 - seventy quoted words would be harder to read


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words)).capitalize() + "."


def mixed_texts(count: int, seed: int) -> list[str]:
    """As chats have them: most are a line or two, some a paragraph, a few nearly fill the window."""
    rng = random.Random(seed)
    ranges = rng.choices([(3, 15), (15, 50), (50, 110), (110, 150)], weights=[5, 3, 1.5, 0.5], k=count)
    return [text(rng, rng.randint(*span)) for span in ranges]


class Bare:
    """What remains when everything around the model is taken away: the tokenizer and the session, called in turn."""

    def __init__(self, weights: Weights, session: MiniLmSession) -> None:
        self._weights = weights
        self._session = session

    def tokenise(self, texts: Sequence[str]) -> list[Ids]:
        encoded = self._weights.tokenizer.encode_batch_fast(list(texts))
        return [np.array(encoding.ids, dtype=np.int32) for encoding in encoded]

    def query(self, query: str) -> None:
        self._session.run(self.tokenise([query]))

    def batches(self, texts: Sequence[str], batches: Sequence[Sequence[int]]) -> None:
        """The texts in the given batches, which are places in the list."""
        ids = self.tokenise(texts)
        for batch in batches:
            self._session.run([ids[place] for place in batch])

    def as_sentence_transformers(self, texts: Sequence[str]) -> None:
        ids = sorted(self.tokenise(texts), key=len, reverse=True)
        for start in range(0, len(ids), ST_BATCH):
            self._session.run(ids[start : start + ST_BATCH])


class Spy(MiniLmSession):
    """A session that notes which rows came together."""

    def __init__(self, weights: Weights, threads: int) -> None:
        super().__init__(weights.tensors, threads)
        self.batches: list[list[bytes]] = []

    def run(self, batch: Sequence[Ids]) -> np.typing.NDArray[np.float32]:
        self.batches.append([row.tobytes() for row in batch])
        return super().run(batch)


async def seconds(work: Callable[[], Awaitable[object] | None]) -> float:
    started = time.perf_counter()
    result = work()
    if result is not None:
        await result
    return time.perf_counter() - started


async def turn_about(works: Sequence[Callable[[], Awaitable[object] | None]], rounds: int) -> list[float]:
    """The median time of each, run in turn, so that the machine's moods hit all alike."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        order = list(zip(works, times, strict=True))
        for work, taken in order if number % 2 else reversed(order):
            taken.append(await seconds(work))
    return [statistics.median(taken) for taken in times]


async def nearness(embedder: MiniLmEmbedder) -> float:
    entries = json.loads(REFERENCE.read_text(encoding="utf-8"))["texts"]
    vectors = np.array([entry["vector"] for entry in entries])
    made = (await embedder.embed([entry["text"] for entry in entries])).vectors
    cosines = (made * vectors).sum(axis=1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(made, axis=1)
    return float(cosines.min())


async def query_times(embedder: MiniLmEmbedder, bare: Bare) -> tuple[float, float]:
    """The p50 of one query, through the embedder and bare."""
    rng = random.Random(1)
    through: list[float] = []
    plain: list[float] = []
    for number in range(QUERIES):
        query = text(rng, rng.randint(5, 14))
        pair = [(lambda q=query: embedder.embed([q]), through), (lambda q=query: bare.query(q), plain)]
        for work, taken in pair if number % 2 else reversed(pair):
            taken.append(await seconds(work))
    return statistics.median(through), statistics.median(plain)


async def from_many(embedder: MiniLmEmbedder, texts: Sequence[str]) -> None:
    """So many callers, each with one text at a time, until none is left."""
    left = deque(texts)

    async def caller() -> None:
        while left:
            await embedder.embed([left.popleft()])

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


def composition(spy: Spy, bare: Bare, texts: Sequence[str]) -> list[list[int]]:
    """The batches the embedder made of the texts, as places in the list."""
    places = {ids.tobytes(): place for place, ids in enumerate(bare.tokenise(texts))}
    return [[places[row] for row in batch] for batch in spy.batches]


async def measure() -> list[Figure]:
    settings = load_settings()
    embedder = MiniLmEmbedder(settings, Metrics())
    started = time.perf_counter()
    await embedder.start()
    start_ms = (time.perf_counter() - started) * 1000
    model = embedder._model()
    weights = read_weights(find_weights(settings))
    bare = Bare(weights, model.session)
    texts = list(dict.fromkeys(mixed_texts(TEXTS, seed=2)))
    try:
        cosine = await nearness(embedder)
        query, bare_query = await query_times(embedder, bare)
        batches = await made_batches(embedder, weights, texts)
        whole, same, many, original = await turn_about(
            [
                lambda: embedder.embed(texts),
                lambda: bare.batches(texts, batches),
                lambda: from_many(embedder, texts),
                lambda: bare.as_sentence_transformers(texts),
            ],
            ROUNDS,
        )
    finally:
        await embedder.aclose()
    tokens = sum(len(ids) for ids in bare.tokenise(texts))
    return [
        Figure("least cosine to sentence-transformers' vectors", cosine, "≥", 0.9999),
        Figure("one query / bare tokenizer and session (p50)", query / bare_query, "≤", 1.2, "times"),
        Figure(f"throughput of one call of {len(texts)} texts / bare session, same batches", same / whole, "≥", 0.9),
        Figure(f"throughput of {CALLERS} callers with single texts / one call with all", whole / many, "≥", 0.8),
        Figure(f"throughput of one call / bare session, sorted batches of {ST_BATCH}", original / whole, "", None),
        Figure("one query (p50)", query * 1000, "", None, "ms"),
        Figure(f"one call of {len(texts)} texts", len(texts) / whole, "", None, "texts/s"),
        Figure("… in tokens", tokens / whole, "", None, "tokens/s"),
        Figure("start", start_ms, "", None, "ms"),
    ]


async def made_batches(embedder: MiniLmEmbedder, weights: Weights, texts: Sequence[str]) -> list[list[int]]:
    model = embedder._model()
    spy = Spy(weights, embedder._threads)
    embedder._loaded = type(model)(model.tokenizer, spy)
    try:
        await embedder.embed(texts)
    finally:
        embedder._loaded = model
    return composition(spy, Bare(weights, spy), texts)


def run() -> str:
    """The figures as a Markdown table."""
    return table(asyncio.run(measure()))


if __name__ == "__main__":
    print(run())
