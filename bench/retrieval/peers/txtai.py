"""txtai, hybrid (its sparse index and vectors, half each, as it ships), with content in SQLite."""

from pathlib import Path

import numpy as np
from txtai import Embeddings  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, Lookup, Vector, run


class Store:
    def __init__(self, _name: str, lookup: Lookup, _folder: Path) -> None:
        def transform(texts: list[str]) -> Vector:  # it takes functions only, no callable objects
            return np.stack([lookup(text) for text in texts])

        self._embeddings = Embeddings(method="external", transform=transform, content=True, hybrid=True)

    def add(self, id_: str, text: str, _at: str) -> None:
        self._embeddings.upsert([(id_, text, None)])

    def search(self, query: str) -> list[str]:
        return [hit["id"] for hit in self._embeddings.search(query, TOP)]


if __name__ == "__main__":
    run(Store)
