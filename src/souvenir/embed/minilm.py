"""The built-in model: all-MiniLM-L6-v2 on ONNX Runtime, with one thread that owns it and a queue before it."""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from souvenir.config import Settings
from souvenir.embed.batching import Batcher, Limits
from souvenir.embed.graph import WIDTH, Ids, MiniLmSession
from souvenir.embed.meter import Meter
from souvenir.embed.port import Embedding, Vectors
from souvenir.embed.weights import MODEL, TENSORS, locate_weights, not_minilm, read_weights
from souvenir.embed.windows import average, readable
from souvenir.errors import Unavailable
from souvenir.metrics import Metrics

WINDOW = 256  # tokens, the two special ones included; as sentence-transformers has it

_CLS, _SEP = 101, 102
_SPECIAL = 2
# A larger batch is no cheaper per token (measured on 2 cores: 256 tokens 116 µs each, 512 and 1,024 tokens 111, 2,048
# tokens 116), and whoever comes next waits the longer for it.
_BATCH_TOKENS_PER_THREAD = 256
# A batch of its own costs about as much as this much padding; measured, 16 on 2 cores is better than 32 or 64.
_PADDING_PER_THREAD = 8
# Tokenising takes about 0.25 µs a character: below this it is quicker than changing threads.
_INLINE_CHARS = 2_048
_SLICE_CHARS = 200_000

_CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")

_KNOWN_TEXT = "Souvenir remembers."
_KNOWN_VECTOR = (0.0177, 0.1042, -0.0582, 0.0477, -0.0032, 0.0702, 0.1217, 0.0292)


@dataclass(frozen=True, slots=True)
class _Window:
    ids: Ids

    @property
    def tokens(self) -> int:
        return len(self.ids)


class MiniLmEmbedder:
    """MiniLM in this process. Calls that arrive together share batches; see `Batcher` for the order.

    A text of more than 254 tokens is read in windows of that many. NUL and lone surrogates are read as U+FFFD, which
    the tokenizer leaves out; a word of more than 100 characters is one unknown token, as in the original model.
    """

    model = MODEL
    dimension = WIDTH

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings = settings
        self._meter = Meter(metrics, MODEL)
        self._threads = settings.embed_threads or _cores()
        limits = Limits(
            texts=settings.embed_batch_texts,
            tokens=_BATCH_TOKENS_PER_THREAD * self._threads,
            padding=_PADDING_PER_THREAD * self._threads,
            waiting=settings.embed_queue_texts,
        )
        self._batcher: Batcher[_Window, Vectors] = Batcher(self._infer, limits)
        self._thread: ThreadPoolExecutor | None = None
        self._loaded: _Model | None = None

    async def start(self) -> None:
        """Find, read and check the weights. Raises WeightsMissing."""
        if self._loaded is None:
            folder = await locate_weights(self._settings)
            self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="souvenir-minilm")
            loop = asyncio.get_running_loop()
            self._loaded = await loop.run_in_executor(self._thread, _load, folder, self._threads)

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed texts. Raises Unavailable before `start`, after `aclose`, and when too many texts wait."""
        with self._meter.call():
            self._batcher.check(len(texts))
            windows = await self._tokenise(texts)
            flat = [window for of_text in windows for window in of_text]
            rows = await self._batcher.run(flat)
            tokens = sum(window.tokens for window in flat)
            counts = [len(of_text) for of_text in windows]
            self._meter.embedded(len(texts), tokens, sum(count > 1 for count in counts))
            return Embedding(_vectors(rows, flat, counts), tokens)

    async def aclose(self) -> None:
        """Let the running batch finish, fail what waits, end the thread."""
        await self._batcher.aclose()
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)

    async def _tokenise(self, texts: Sequence[str]) -> list[list[_Window]]:
        model = self._model()
        if sum(map(len, texts)) <= _INLINE_CHARS:
            return model.windows(texts)
        windows: list[list[_Window]] = []
        for part in _slices(texts):
            windows += await asyncio.to_thread(model.windows, part)
        return windows

    async def _infer(self, batch: Sequence[_Window]) -> Vectors:
        model = self._model()
        ids = [window.ids for window in batch]
        return await asyncio.get_running_loop().run_in_executor(self._thread, model.session.run, ids)

    def _model(self) -> "_Model":
        if self._loaded is None:
            raise Unavailable("the embedder has not been started")
        return self._loaded


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Tokenizer
    session: MiniLmSession

    def windows(self, texts: Sequence[str]) -> list[list[_Window]]:
        """The windows of every text."""
        # of the tokenizer's methods, the batch ones let other threads run meanwhile
        encoded = self.tokenizer.encode_batch_fast([readable(text) for text in texts])
        return [_cut(np.array(encoding.ids, dtype=np.int32)) for encoding in encoded]


def _load(folder: Path, threads: int) -> _Model:
    weights = read_weights(folder)
    model = _Model(weights.tokenizer, MiniLmSession(weights.tensors, threads))
    _check(model, folder)
    return model


def _check(model: _Model, folder: Path) -> None:
    """Other models have the same shapes, and their vectors must not be stored under this one's name."""
    vector = model.session.run([window.ids for window in model.windows([_KNOWN_TEXT])[0]])[0]
    if not np.allclose(vector[: len(_KNOWN_VECTOR)], _KNOWN_VECTOR, atol=1e-3):
        raise not_minilm(folder / TENSORS)


def _cut(ids: Ids) -> list[_Window]:
    if len(ids) <= WINDOW:
        return [_Window(ids)]
    content, size = ids[1:-1], WINDOW - _SPECIAL
    parts = [content[start : start + size] for start in range(0, len(content), size)]
    return [_Window(np.concatenate(([_CLS], part, [_SEP]), dtype=np.int32)) for part in parts]


def _vectors(rows: Sequence[Vectors], windows: Sequence[_Window], counts: Sequence[int]) -> Vectors:
    if not rows:
        return np.empty((0, WIDTH), dtype=np.float32)
    return average(np.stack(rows), [window.tokens - _SPECIAL for window in windows], counts)


def _slices(texts: Sequence[str]) -> list[list[str]]:
    """Parts of at most so many characters, unless one text alone has more."""
    parts: list[list[str]] = []
    room = 0
    for text in texts:
        if not parts or len(text) > room:
            parts.append([])
            room = _SLICE_CHARS
        parts[-1].append(text)
        room -= len(text)
    return parts


def _cores() -> int:
    """The cores this process may use, a container's limit included."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _CPU_LIMIT.read_text(encoding="ascii").split()
        return max(1, min(cores, round(int(quota) / int(period))))
    except (OSError, ValueError):
        return cores
