"""The vectors of one space as bytes: a quarter of single precision, compared by the processor's own instructions."""

import numpy as np
import simsimd
from numpy.typing import NDArray

_LEVELS = 127.0
_THREADED = 50_000  # below that a second thread costs more than it saves


class QuantizedVectors:
    """Unit vectors, each scaled to bytes. A cosine is right to about 0.001."""

    def __init__(self, dimension: int, capacity: int = 64) -> None:
        self._bytes = np.zeros((capacity, dimension), np.int8)
        self._scales = np.zeros(capacity, np.float32)

    @property
    def size_bytes(self) -> int:
        """What it holds in memory."""
        return self._bytes.nbytes + self._scales.nbytes

    def put(self, rows: NDArray[np.intp], vectors: NDArray[np.float16]) -> None:
        """Set the vectors of rows; a zero vector is like nothing. Rows beyond the end make room."""
        if rows.size == 0:
            return
        self._reserve(int(rows.max()) + 1)
        values = vectors.astype(np.float32)
        peaks = np.abs(values).max(axis=1)
        scales = np.where(peaks > 0, peaks / np.float32(_LEVELS), np.float32(1.0)).astype(np.float32)
        self._bytes[rows] = np.rint(values / scales[:, None]).astype(np.int8)
        self._scales[rows] = np.where(peaks > 0, scales, 0.0)

    def cosines(self, vector: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        """The cosine of a unit vector with each of the first `count` rows."""
        if not count:
            return np.zeros(0, np.float32)
        scale = float(np.abs(vector).max()) / _LEVELS or 1.0
        query = np.rint(vector / np.float32(scale)).astype(np.int8)[None]
        threads = 1 if count < _THREADED else 2
        products = np.asarray(simsimd.cdist(query, self._bytes[:count], "dot", threads=threads))[0]
        cosines: NDArray[np.float32] = products.astype(np.float32) * (self._scales[:count] * np.float32(scale))
        return cosines

    def _reserve(self, count: int) -> None:
        capacity = len(self._scales)
        if count <= capacity:
            return
        grown = max(count, capacity + capacity // 2)
        for name in ("_bytes", "_scales"):
            old = getattr(self, name)
            new = np.zeros((grown, *old.shape[1:]), old.dtype)
            new[:capacity] = old
            setattr(self, name, new)
