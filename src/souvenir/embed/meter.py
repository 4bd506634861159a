"""Counts what every embedder counts: calls, their time, texts, tokens and failures."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from souvenir.metrics import Metrics


class Meter:
    """The embedding metrics of one model."""

    def __init__(self, metrics: Metrics, model: str) -> None:
        self._seconds = metrics.embed_seconds.labels(model)
        self._errors = metrics.embed_errors.labels(model)
        self._texts = metrics.embed_texts.labels(model)
        self._tokens = metrics.embed_tokens.labels(model)
        self._windowed = metrics.embed_windowed.labels(model)

    @contextmanager
    def call(self) -> Iterator[None]:
        """Time one call, or count its failure. A cancelled call is neither."""
        started = perf_counter()
        try:
            yield
        except Exception:
            self._errors.inc()
            raise
        self._seconds.observe(perf_counter() - started)

    def embedded(self, texts: int, tokens: int, windowed: int) -> None:
        """Count what a call has read; `windowed` of its texts in several windows."""
        self._texts.inc(texts)
        self._tokens.inc(tokens)
        self._windowed.inc(windowed)
