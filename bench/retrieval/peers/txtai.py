"""txtai, hybrid (its sparse index and vectors, half each, as it ships), with content in SQLite.

With `BENCH_SAVED` it is saved after every message; without, nothing of it is on disk.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from txtai import Embeddings  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, Lookup, Message, Vector, run


class Store:
    def __init__(self, name: str, lookup: Lookup, folder: Path) -> None:
        def transform(texts: list[str]) -> Vector:  # it takes functions only, no callable objects
            return np.stack([lookup(text) for text in texts])

        self._embeddings = Embeddings(method="external", transform=transform, content=True, hybrid=True)
        self._place = str(folder / name) if os.environ.get("BENCH_SAVED") else None

    def add(self, id_: str, text: str, _at: str) -> None:
        self._embeddings.upsert([(id_, text, None)])
        if self._place is not None:
            self._embeddings.save(self._place)

    def fill(self, messages: Sequence[Message]) -> None:
        """In one go."""
        self._embeddings.upsert([(id_, text, None) for id_, text, _ in messages])

    def search(self, query: str) -> list[str]:
        return [hit["id"] for hit in self._embeddings.search(query, TOP)]


if __name__ == "__main__":
    run(Store)
