"""The cache before an embedder: what is one text, who shares work, what is kept."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from souvenir.config import load_settings
from souvenir.embed.cache import CachedEmbedder, normalise
from souvenir.embed.port import Embedding
from souvenir.errors import Unavailable
from souvenir.metrics import Metrics


class Counting:
    """An embedder whose vectors say how often it was called; it can be held, and told to fail."""

    def __init__(self) -> None:
        self.model = "counting"
        self.dimension = 2
        self.calls: list[list[str]] = []
        self.cancelled = 0
        self.failing = False
        self.open = asyncio.Event()
        self.open.set()

    async def start(self) -> None: ...

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.calls.append(list(texts))
        number = len(self.calls)
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.failing:
            raise Unavailable("broken")
        return Embedding(np.full((len(texts), 2), number, dtype=np.float32), sum(map(len, texts)))

    async def aclose(self) -> None: ...


@pytest.fixture
def inner() -> Counting:
    return Counting()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def cached(inner: Counting, metrics: Metrics, tmp_path: Path) -> CachedEmbedder:
    return CachedEmbedder(inner, load_settings({}, data_dir=tmp_path, embed_cache_size=3), metrics)


def results(metrics: Metrics) -> tuple[float, float]:
    """Hits and misses."""
    sample = metrics.registry.get_sample_value
    hits, misses = (sample("souvenir_embed_cache_total", {"result": name}) or 0.0 for name in ("hit", "miss"))
    return hits, misses


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.req("SRCH-7")
async def test_the_same_text_is_embedded_once(cached: CachedEmbedder, inner: Counting, metrics: Metrics) -> None:
    first, second = await cached.embed(["where are my keys"]), await cached.embed(["where are my keys"])
    assert inner.calls == [["where are my keys"]]
    np.testing.assert_array_equal(first.vectors, second.vectors)
    assert first.tokens == second.tokens == 17
    assert results(metrics) == (1, 1)


@pytest.mark.req("SRCH-7")
@pytest.mark.parametrize("other", ["  cafe\u0301   noir\n", "café\u00a0noir", "café\tnoir"])
async def test_texts_that_differ_in_space_or_composition_are_one(
    cached: CachedEmbedder, inner: Counting, other: str
) -> None:
    await cached.embed(["café noir"])
    await cached.embed([other])
    assert inner.calls == [["café noir"]]


@pytest.mark.parametrize("other", ["Where", "where?", "wher e", "", "\ud800"])
async def test_texts_that_differ_otherwise_are_not(cached: CachedEmbedder, inner: Counting, other: str) -> None:
    await cached.embed(["where"])
    await cached.embed([other])
    assert len(inner.calls) == 2


async def test_a_text_has_the_same_form_alone_and_in_company(cached: CachedEmbedder, inner: Counting) -> None:
    await cached.embed([" a  b "])
    await cached.embed([" a  b ", "c"])
    assert inner.calls == [["a b"], ["a b", "c"]]


@pytest.mark.req("SRCH-7")
async def test_the_cache_is_the_models_own(cached: CachedEmbedder, inner: Counting) -> None:
    await cached.embed(["a"])
    inner.model = "another"
    await cached.embed(["a"])
    assert len(inner.calls) == 2


async def test_calls_with_several_texts_or_none_go_past_the_cache(
    cached: CachedEmbedder, inner: Counting, metrics: Metrics
) -> None:
    for _ in range(2):
        await cached.embed(["a", "b"])
        await cached.embed([])
    assert len(inner.calls) == 4
    assert results(metrics) == (0, 0)


async def test_the_text_unused_for_longest_is_forgotten(cached: CachedEmbedder, inner: Counting) -> None:
    for text in ("a", "b", "c", "a", "d"):
        await cached.embed([text])
    inner.calls.clear()
    for text in ("a", "c", "d", "b"):
        await cached.embed([text])
    assert inner.calls == [["b"]]


async def test_a_cache_of_size_nothing_keeps_nothing(inner: Counting, metrics: Metrics, tmp_path: Path) -> None:
    cached = CachedEmbedder(inner, load_settings({}, data_dir=tmp_path, embed_cache_size=0), metrics)
    await cached.embed(["a"])
    await cached.embed(["a"])
    assert len(inner.calls) == 2


async def test_nobody_can_write_into_the_cache(cached: CachedEmbedder) -> None:
    for _ in range(2):
        made = await cached.embed(["a"])
        with pytest.raises(ValueError, match="read-only"):
            made.vectors[0, 0] = 7


async def test_callers_who_wait_for_the_same_text_share_the_work(
    cached: CachedEmbedder, inner: Counting, metrics: Metrics
) -> None:
    made = await asyncio.gather(*(cached.embed(["a"]) for _ in range(5)))
    assert inner.calls == [["a"]]
    assert {float(one.vectors[0, 0]) for one in made} == {1.0}
    assert results(metrics) == (4, 1)


async def test_a_caller_who_leaves_does_not_take_the_others_along(cached: CachedEmbedder, inner: Counting) -> None:
    inner.open.clear()
    calls = [asyncio.create_task(cached.embed(["a"])) for _ in range(3)]
    await settle()
    calls[0].cancel()
    await settle()
    inner.open.set()
    _, second, third = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(second, Embedding)
    assert second is third
    assert len(inner.calls) == 1


async def test_when_all_callers_leave_the_work_stops_and_can_begin_anew(
    cached: CachedEmbedder, inner: Counting
) -> None:
    inner.open.clear()
    calls = [asyncio.create_task(cached.embed(["a"])) for _ in range(2)]
    await settle()
    for call in calls:
        call.cancel()
    await settle()
    assert inner.cancelled == 1
    inner.open.set()
    assert isinstance(await cached.embed(["a"]), Embedding)
    assert len(inner.calls) == 2


async def test_who_comes_just_as_the_last_one_leaves_is_served(cached: CachedEmbedder, inner: Counting) -> None:
    inner.open.clear()
    leaving = asyncio.create_task(cached.embed(["a"]))
    await settle()
    leaving.cancel()
    coming = asyncio.create_task(cached.embed(["a"]))
    await settle()
    inner.open.set()
    assert isinstance(await coming, Embedding)


async def test_a_failure_is_everyones_and_is_not_kept(cached: CachedEmbedder, inner: Counting) -> None:
    inner.failing = True
    outcomes = await asyncio.gather(*(cached.embed(["a"]) for _ in range(3)), return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["broken"] * 3
    inner.failing = False
    assert isinstance(await cached.embed(["a"]), Embedding)
    assert len(inner.calls) == 2


async def test_long_texts_are_normalised_in_another_thread_with_the_same_result(
    cached: CachedEmbedder, inner: Counting
) -> None:
    await cached.embed(["a  b " * 30_000])
    assert inner.calls == [[normalise("a b " * 30_000)]]


async def test_it_is_the_embedder_it_wraps(cached: CachedEmbedder) -> None:
    await cached.start()
    assert (cached.model, cached.dimension) == ("counting", 2)
    await cached.aclose()
