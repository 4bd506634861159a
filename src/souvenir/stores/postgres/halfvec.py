"""Vectors as pgvector's `halfvec` sends and receives them: a count, two empty bytes, numbers of half precision."""

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from souvenir.errors import BadInput

_MAX_DIMENSION = 16_000
_HEAD_BYTES = 4


class Halfvec:
    """A packed vector as a value of a statement."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw


class HalfvecDumper(Dumper):
    """Leaves the type to the cast in the query, since an extension's types have other numbers in each database."""

    format = Format.BINARY

    def dump(self, obj: Halfvec) -> bytes:
        """Its bytes."""
        return obj.raw


def packed(vector: NDArray[np.float32]) -> bytes:
    """A vector to send. Raises BadInput for one that is not a row of finite numbers."""
    if vector.ndim != 1 or not 1 <= len(vector) <= _MAX_DIMENSION:
        raise BadInput("vector", f"must be one row of 1 to {_MAX_DIMENSION} numbers")
    with np.errstate(over="ignore"):
        half = vector.astype(">f2")
    if not np.isfinite(half).all():
        raise BadInput("vector", "must hold finite numbers that half precision can express")
    return len(half).to_bytes(2, "big") + b"\0\0" + half.tobytes()


def unpacked(raw: bytes) -> NDArray[np.float16]:
    """A vector that was received."""
    return np.frombuffer(raw, ">f2", offset=_HEAD_BYTES)
