"""Any OpenAI-compatible embedding endpoint: OpenAI, Mistral, Ollama, vLLM, TEI."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from souvenir.config import Settings
from souvenir.embed.batching import Batcher, Limits
from souvenir.embed.endpoint import Answer, EmbeddingEndpoint, Refused
from souvenir.embed.meter import Meter
from souvenir.embed.port import Embedding, Vectors
from souvenir.embed.splitting import Passage, halve, split
from souvenir.embed.windows import average, readable
from souvenir.errors import Unavailable
from souvenir.metrics import Metrics

_CALLS_AT_ONCE = 4
_CALL_TOKENS = 250_000  # OpenAI's own limit is 300,000
_SHORT = 16  # tokens; what is refused as too long with so few is not refused for its length
_INLINE_CHARS = 20_000
_PROBE = "Souvenir"
_NOTHING = "."  # sent for a text with nothing to read in it, which most endpoints refuse


@dataclass(frozen=True, slots=True)
class _Row:
    vector: Vectors
    tokens: int
    halved: bool = False


_Outcome = _Row | Unavailable


class OpenAIEmbedder:
    """A model behind HTTP. Single texts that arrive together share a call.

    A text over `embed_max_tokens`, by an estimate that rather counts too many, is read in parts; and a part that the
    endpoint still finds too long is halved until it passes. NUL and lone surrogates are sent as U+FFFD, and a text of
    nothing but white space as a full stop.
    """

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._endpoint = EmbeddingEndpoint(settings)
        self._meter = Meter(metrics, self.model)
        self._window = settings.embed_max_tokens
        limits = Limits(
            texts=settings.embed_batch_texts,
            tokens=_CALL_TOKENS,
            padding=_CALL_TOKENS,  # nothing is padded here
            waiting=settings.embed_queue_texts,
        )
        self._batcher: Batcher[Passage, _Outcome] = Batcher(self._read, limits, workers=_CALLS_AT_ONCE)

    @property
    def model(self) -> str:
        """The configured name."""
        return self._endpoint.model

    @property
    def dimension(self) -> int | None:
        """What the first answer had; None before it."""
        return self._endpoint.dimension

    async def start(self) -> None:
        """Ask once, to learn the dimension. Raises Unavailable or DimensionMismatch."""
        try:
            await self._endpoint.call([_PROBE])
        except Refused as error:
            raise error.reason from None

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed texts. Raises Unavailable, or DimensionMismatch if the vectors' length has changed."""
        with self._meter.call():
            self._batcher.check(len(texts))
            passages = await self._split(texts)
            flat = [passage for of_text in passages for passage in of_text]
            rows = [_good(outcome) for outcome in await self._batcher.run(flat)]
            counts = [len(of_text) for of_text in passages]
            tokens = sum(row.tokens for row in rows)
            self._meter.embedded(len(texts), tokens, _windowed(rows, counts))
            return Embedding(self._vectors(rows, flat, counts), tokens)

    async def aclose(self) -> None:
        """Let running calls finish, fail what waits, close the connections."""
        await self._batcher.aclose()
        await self._endpoint.aclose()

    async def _split(self, texts: Sequence[str]) -> list[list[Passage]]:
        if sum(map(len, texts)) <= _INLINE_CHARS:
            return self._passages(texts)
        return await asyncio.to_thread(self._passages, texts)

    def _passages(self, texts: Sequence[str]) -> list[list[Passage]]:
        whole = (readable(text) if text.strip() else _NOTHING for text in texts)
        # a part of nothing but white space adds nothing, and might be refused
        return [[part for part in split(text, self._window) if part.text.strip()] for text in whole]

    def _vectors(self, rows: Sequence[_Row], passages: Sequence[Passage], counts: Sequence[int]) -> Vectors:
        if not rows:
            return np.empty((0, self.dimension or 0), dtype=np.float32)
        return average(np.stack([row.vector for row in rows]), [passage.tokens for passage in passages], counts)

    async def _read(self, passages: Sequence[Passage], *, probed: bool = False) -> list[_Outcome]:
        """One call, or more if the endpoint refuses: it may be one text's fault, and the others are other people's."""
        try:
            answer = await self._endpoint.call([passage.text for passage in passages])
        except Refused as error:
            if len(passages) == 1:
                return [await self._read_halved(passages[0], error)]
            if not probed and not error.too_long and not await self._takes_anything():
                return [error.reason] * len(passages)
            middle = len(passages) // 2
            halves = (passages[:middle], passages[middle:])
            return [outcome for half in halves for outcome in await self._read(half, probed=True)]
        return [_Row(vector, tokens) for vector, tokens in zip(answer.vectors, _shares(answer, passages), strict=True)]

    async def _takes_anything(self) -> bool:
        """Whether the fault is with the texts at all, before each of them is tried for it."""
        try:
            await self._endpoint.call([_PROBE])
        except Refused:
            return False
        return True

    async def _read_halved(self, passage: Passage, error: Refused) -> _Outcome:
        if not error.too_long or passage.tokens <= _SHORT:
            return error.reason
        parts = halve(passage)
        rows: list[_Row] = []
        for part in parts:  # one after the other, so that an endpoint that refuses everything is not asked forever
            outcome = (await self._read([part]))[0]
            if isinstance(outcome, Unavailable):
                return outcome
            rows.append(outcome)
        vectors = average(np.stack([row.vector for row in rows]), [part.tokens for part in parts], [len(parts)])
        return _Row(vectors[0], sum(row.tokens for row in rows), halved=True)


def _good(outcome: _Outcome) -> _Row:
    if isinstance(outcome, Unavailable):
        raise outcome
    return outcome


def _shares(answer: Answer, passages: Sequence[Passage]) -> list[int]:
    """The endpoint counts a whole call; this is each passage's share, by the estimates. They add up to the count."""
    sizes = [passage.tokens for passage in passages]
    if answer.tokens is None:
        return sizes
    marks = [answer.tokens * reached // sum(sizes) for reached in accumulate(sizes, initial=0)]
    return [end - start for start, end in pairwise(marks)]


def _windowed(rows: Sequence[_Row], counts: Sequence[int]) -> int:
    """How many texts were read in more than one part."""
    starts = accumulate(counts, initial=0)
    return sum(count > 1 or rows[start].halved for start, count in zip(starts, counts, strict=False))
