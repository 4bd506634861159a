"""The built-in model: as good as the original, long texts in windows, off the event loop, gone when closed."""

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from souvenir.embed import minilm as module
from souvenir.embed.minilm import WINDOW, MiniLmEmbedder
from souvenir.errors import Unavailable, WeightsMissing
from souvenir.metrics import Metrics
from tests.unit.embed.conftest import Plain

REFERENCE = Path(__file__).parents[2] / "fixtures" / "minilm_reference.json"
THREAD = "souvenir-minilm"


class Counts:
    """What the metrics have grown by since."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._before = {name: self._value(name) for name in ("texts", "tokens", "windowed_texts", "errors")}

    def _value(self, name: str) -> float:
        labels = {"model": "all-MiniLM-L6-v2"}
        return self._metrics.registry.get_sample_value(f"souvenir_embed_{name}_total", labels) or 0.0

    def grown(self, name: str) -> float:
        return self._value(name) - self._before[name]


@pytest.fixture
def counts(shared_metrics: Metrics) -> Counts:
    return Counts(shared_metrics)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(THREAD)]


async def test_vectors_are_those_of_sentence_transformers(minilm: MiniLmEmbedder) -> None:
    entries = json.loads(REFERENCE.read_text(encoding="utf-8"))["texts"]
    expected = np.array([entry["vector"] for entry in entries])
    made = (await minilm.embed([entry["text"] for entry in entries])).vectors
    assert len(entries) >= 20
    assert (made * expected).sum(axis=1).min() > 0.999999


@pytest.mark.req("SRCH-7")
def test_its_name_and_dimension_are_known_before_it_starts(plain_settings: Plain) -> None:
    embedder = MiniLmEmbedder(plain_settings(), Metrics())
    assert (embedder.model, embedder.dimension) == ("all-MiniLM-L6-v2", 384)


async def test_a_text_that_just_fills_the_window_is_read_at_once(minilm: MiniLmEmbedder, counts: Counts) -> None:
    made = await minilm.embed(["key " * (WINDOW - 2)])
    assert made.tokens == WINDOW
    assert counts.grown("windowed_texts") == 0


async def test_a_longer_text_is_the_average_of_its_windows_by_their_tokens(
    minilm: MiniLmEmbedder, counts: Counts
) -> None:
    words = ["water"] * 254 + ["bread"] * 254 + ["house"] * 92  # a token each
    parts = [" ".join(words[start : start + 254]) for start in (0, 254, 508)]
    whole = await minilm.embed([" ".join(words), "other"])
    vectors = (await minilm.embed(parts)).vectors
    mean = (vectors * np.array([[254], [254], [92]])).sum(axis=0)
    np.testing.assert_allclose(whole.vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert whole.tokens == 600 + 3 * 2 + 3
    assert counts.grown("windowed_texts") == 1


async def test_a_text_of_a_hundred_thousand_characters_is_read(minilm: MiniLmEmbedder, counts: Counts) -> None:
    # words over 100 letters are one token each, which makes it quick to read
    text = " ".join(["x" * 120] * 500 + ["harbour"] * 10 + ["y" * 120] * 327)
    assert len(text) > 100_000
    made = await minilm.embed([text])
    np.testing.assert_allclose(np.linalg.norm(made.vectors), 1.0, atol=1e-5)
    assert counts.grown("windowed_texts") == 1


async def test_a_query_does_not_wait_for_a_long_text_to_be_read(minilm: MiniLmEmbedder) -> None:
    done: list[str] = []

    async def embed(name: str, text: str) -> None:
        await minilm.embed([text])
        done.append(name)

    long = asyncio.create_task(embed("long", "bread and wine " * 900))
    while not minilm._batcher._running:
        await asyncio.sleep(0)
    await asyncio.gather(long, embed("query", "where are my keys"))
    assert done == ["query", "long"]


async def test_what_is_read_is_counted(minilm: MiniLmEmbedder, counts: Counts, shared_metrics: Metrics) -> None:
    made = await minilm.embed(["one two", "three"])
    assert (counts.grown("texts"), counts.grown("tokens"), counts.grown("errors")) == (2, 7, 0)
    assert made.tokens == 7
    seconds = shared_metrics.registry.get_sample_value("souvenir_embed_seconds_count", {"model": minilm.model})
    assert seconds is not None
    assert seconds > 0


@pytest.mark.parametrize(("size", "on_the_loop"), [(10, True), (10_000, False)], ids=["short", "long"])
async def test_only_short_texts_are_tokenised_on_the_event_loop(
    minilm: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch, size: int, on_the_loop: bool
) -> None:
    seen: list[bool] = []
    original = module._Model.windows

    def windows(self: module._Model, texts: Sequence[str]) -> list[list[module._Window]]:
        seen.append(threading.current_thread() is threading.main_thread())
        return original(self, texts)

    monkeypatch.setattr(module._Model, "windows", windows)
    await minilm.embed(["x" * size])
    assert seen == [on_the_loop]


def test_large_calls_are_tokenised_in_parts() -> None:
    assert module._slices(["a" * 150_000, "b", "c" * 60_000, "d" * 300_000, "e"]) == [
        ["a" * 150_000, "b"],
        ["c" * 60_000],
        ["d" * 300_000],
        ["e"],
    ]


async def test_before_it_starts_it_is_unavailable(plain_settings: Plain) -> None:
    metrics = Metrics()
    embedder = MiniLmEmbedder(plain_settings(), metrics)
    with pytest.raises(Unavailable, match="not been started"):
        await embedder.embed(["a text"])
    assert Counts(metrics)._value("errors") == 1
    await embedder.aclose()


async def test_missing_weights_are_told_at_the_start_and_starting_again_is_possible(
    plain_settings: Plain, tmp_path: Path
) -> None:
    embedder = MiniLmEmbedder(plain_settings(weights_dir=tmp_path), Metrics())
    for _ in range(2):
        with pytest.raises(WeightsMissing, match=r"model\.safetensors is missing"):
            await embedder.start()
    await embedder.aclose()


async def test_too_many_waiting_texts_are_refused_and_closing_ends_the_thread(plain_settings: Plain) -> None:
    before = threads()
    embedder = MiniLmEmbedder(plain_settings(embed_queue_texts=8, embed_threads=1), Metrics())
    await embedder.start()
    calls = [embedder.embed([f"{name} {number}" for number in range(6)]) for name in ("first", "second")]
    first, second = await asyncio.gather(*calls, return_exceptions=True)
    assert not isinstance(first, BaseException)
    assert isinstance(second, Unavailable)
    assert len(threads()) == len(before) + 1
    await embedder.aclose()
    assert threads() == before


def test_a_loop_that_ends_in_the_middle_does_not_hang_and_the_next_one_works(minilm: MiniLmEmbedder) -> None:
    async def leave() -> None:
        tasks = [asyncio.create_task(minilm.embed([f"{n} and more words " * 40])) for n in range(30)]
        while not minilm._batcher._running:
            await asyncio.sleep(0)
        assert not any(task.done() for task in tasks)

    asyncio.run(leave())
    made = asyncio.run(minilm.embed(["one", "two"]))
    assert made.vectors.shape == (2, 384)


@pytest.mark.parametrize(
    ("content", "cores"),
    [("max 100000", 8), ("200000 100000", 2), ("50000 100000", 1), ("9900000 100000", 8), ("nonsense", 8), (None, 8)],
)
def test_a_containers_limit_bounds_the_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None, cores: int
) -> None:
    limit = tmp_path / "cpu.max"
    if content is not None:
        limit.write_text(content)
    monkeypatch.setattr(module, "_CPU_LIMIT", limit)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8), raising=False)
    assert module._cores() == cores
