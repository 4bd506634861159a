"""Keeps the embeddings of single texts: queries repeat, and search asks for one at a time."""

import asyncio
import hashlib
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from souvenir.config import Settings
from souvenir.embed.port import Embedder, Embedding
from souvenir.metrics import Metrics

_INLINE_CHARS = 100_000  # about a millisecond


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Embedding]
    callers: int = 0


class CachedEmbedder:
    """An LRU before any embedder, for calls with one text. The arrays it returns for them cannot be written to.

    Texts that differ only in white space or Unicode composition are one; that form is also what the model is given, in
    calls with several texts too, so that a text's vector does not depend on who came first or in what company.
    """

    def __init__(self, inner: Embedder, settings: Settings, metrics: Metrics) -> None:
        self._inner = inner
        self._size = settings.embed_cache_size
        self._hits = metrics.embed_cache.labels("hit")
        self._misses = metrics.embed_cache.labels("miss")
        self._kept: OrderedDict[bytes, Embedding] = OrderedDict()
        self._running: dict[bytes, _Running] = {}

    @property
    def model(self) -> str:
        """The wrapped embedder's."""
        return self._inner.model

    @property
    def dimension(self) -> int | None:
        """The wrapped embedder's."""
        return self._inner.dimension

    async def start(self) -> None:
        """Start the wrapped embedder."""
        await self._inner.start()

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed texts, one alone from the cache if it is there. The tokens are those it took when it was embedded."""
        plain = await self._normalised(texts)
        if len(plain) != 1 or not self._size:
            return await self._inner.embed(plain)
        key = self._key(plain[0])
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            self._hits.inc()
            return kept
        return await self._share(key, plain)

    async def aclose(self) -> None:
        """Close the wrapped embedder."""
        await self._inner.aclose()

    async def _normalised(self, texts: Sequence[str]) -> list[str]:
        if sum(map(len, texts)) <= _INLINE_CHARS:
            return [normalise(text) for text in texts]
        return await asyncio.to_thread(lambda: [normalise(text) for text in texts])

    def _key(self, text: str) -> bytes:
        # a digest, because ten thousand long texts would be a lot to keep
        return hashlib.sha256(f"{self.model}\0{text}".encode("utf-8", "surrogatepass")).digest()

    async def _share(self, key: bytes, plain: list[str]) -> Embedding:
        """Join whoever is waiting for the same text, or be the first. The last to leave early stops the work."""
        running = self._running.get(key)
        (self._misses if running is None else self._hits).inc()
        if running is None:
            running = self._running[key] = _Running(asyncio.create_task(self._make(key, plain)))
        running.callers += 1
        try:
            return await asyncio.shield(running.task)
        finally:
            running.callers -= 1
            if not running.callers and not running.task.done():
                self._running.pop(key, None)
                running.task.cancel()

    async def _make(self, key: bytes, plain: list[str]) -> Embedding:
        try:
            made = await self._inner.embed(plain)
        finally:
            current = self._running.get(key)
            if current is not None and current.task is asyncio.current_task():
                del self._running[key]
        made.vectors.flags.writeable = False
        self._kept[key] = made
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return made


def normalise(text: str) -> str:
    """Composed (NFC), with runs of white space as one space and none around."""
    return " ".join(unicodedata.normalize("NFC", text).split())
