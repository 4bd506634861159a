"""Plain vectors: the cosine of the query to every text, and nothing else."""

from pathlib import Path

import numpy as np

from bench.retrieval.peers.common import TOP, Lookup, Vector, run


class Store:
    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._ids: list[str] = []
        self._rows: list[Vector] = []
        self._matrix: Vector = np.empty((0, 0), dtype=np.float32)

    def add(self, id_: str, text: str, _at: str) -> None:
        self._ids.append(id_)
        self._rows.append(self._lookup(text))

    def settle(self) -> None:
        """One matrix, so that a search is one product."""
        self._matrix = np.stack(self._rows)

    def search(self, query: str) -> list[str]:
        cosines = self._matrix @ self._lookup(query)
        return [self._ids[place] for place in np.argsort(-cosines, kind="stable")[:TOP]]


def opened(_name: str, lookup: Lookup, _folder: Path) -> Store:
    return Store(lookup)


if __name__ == "__main__":
    run(opened)
