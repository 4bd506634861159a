"""True BM25 over the rows of one space: which rows a term occurs in, and how often."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log1p

import numpy as np
from numpy.typing import NDArray

# What people say is short: the second mention of a word says little more than the first, and length says nothing.
# Measured on the benchmarks (docs/retrieval.md): 1.2 and 0.75, right for documents, lose four points of recall.
K1 = 0.2
B = 0.05

_POSTING_BYTES = 6
_TERM_BYTES = 400  # a dictionary entry, the term and two empty arrays


class Postings:
    """Rows only ever grow; who is still there is told at each question, so that counts are exact without rewriting."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._postings = 0

    @property
    def size_bytes(self) -> int:
        """About what it holds in memory."""
        return self._postings * _POSTING_BYTES + len(self._rows) * _TERM_BYTES

    def add(self, row: int, terms: Sequence[str]) -> int:
        """Add a row, higher than all before it; returns its length in terms."""
        for term, count in Counter(terms).items():
            rows = self._rows.get(term)
            if rows is None:
                rows = self._rows[term] = array("i")
                self._counts[term] = array("H")
            rows.append(row)
            self._counts[term].append(min(count, 65535))
            self._postings += 1
        return len(terms)

    def of(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.uint16]] | None:
        """The rows of a term, ascending, and how often each has it. Views: use them before anything is added."""
        rows = self._rows.get(term)
        if rows is None:
            return None
        return np.frombuffer(rows, np.int32), np.frombuffer(self._counts[term], np.uint16)

    def holders(self, term: str, alive: NDArray[np.bool_] | None) -> int:
        """How many rows have a term; of those alive, where some are not."""
        rows = self._rows.get(term, ())
        return len(rows) if alive is None or not rows else int(alive[np.frombuffer(rows, np.int32)].sum())

    def weigh(self, weights: Mapping[str, float], norms: NDArray[np.float32]) -> NDArray[np.float32]:
        """BM25 of every row for terms that weigh so much; `norms` has an entry per row."""
        found = [(posting, weight) for term, weight in weights.items() if (posting := self.of(term)) is not None]
        if not found:
            return np.zeros(len(norms), np.float32)
        rows = np.concatenate([rows for (rows, _), _ in found])
        frequency = np.concatenate([counts for (_, counts), _ in found]).astype(np.float32)
        values = np.repeat(
            np.array([weight * (K1 + 1) for _, weight in found], np.float32), [len(rows) for (rows, _), _ in found]
        )
        values *= frequency
        frequency += norms[rows]
        values /= frequency
        return np.bincount(rows, values, len(norms)).astype(np.float32)


def idf(documents: int, holders: int) -> float:
    """How much a term tells that `holders` of so many documents have."""
    return log1p((documents - holders + 0.5) / (holders + 0.5))


def norms(lengths: NDArray[np.float32], average: float) -> NDArray[np.float32]:
    """What BM25 sets against how often a term occurs: more in a long text."""
    found: NDArray[np.float32] = np.float32(K1) * (np.float32(1 - B) + np.float32(B / max(average, 1.0)) * lengths)
    return found
