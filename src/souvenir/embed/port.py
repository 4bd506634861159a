"""The one seam to any embedding model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedding:
    """One row per text, in the order given, each of length one; and how many tokens were read to make them."""

    vectors: Vectors
    tokens: int


class Embedder(Protocol):
    """Turns texts into unit vectors.

    The same text gives the same vector whatever it is batched with (to float rounding). Every text is read whole: one
    longer than the model's window is cut into windows whose vectors are averaged by token count. An empty list gives
    an empty array. A vector of another length than `dimension` is never returned.
    """

    @property
    def model(self) -> str:
        """The name that is stored beside every vector."""
        ...

    @property
    def dimension(self) -> int | None:
        """The length of a vector; None as long as an endpoint has not answered for the first time."""
        ...

    async def start(self) -> None:
        """Load the model or ask the endpoint once. Raises StartError (a local model) or Unavailable (an endpoint)."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed texts, all or none. Raises Unavailable when the model cannot, DimensionMismatch when it changed."""
        ...

    async def aclose(self) -> None:
        """Finish what runs, free threads and connections. Calling it twice is fine."""
        ...
