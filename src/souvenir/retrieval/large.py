"""Spaces too large for memory: the database's own indexes narrow them, and the one scoring function ranks what is left."""

import numpy as np
from numpy.typing import NDArray

from souvenir.retrieval.filters import Filter
from souvenir.retrieval.question import Question
from souvenir.retrieval.space_index import Candidates
from souvenir.types import SpaceId


class LargeSpaces:
    """Search in spaces beyond `index_largest_space` passages."""

    async def candidates(
        self, space: SpaceId, question: Question, vector: NDArray[np.float32] | None, only: Filter, count: int
    ) -> Candidates:
        """The best `count` passages that pass the filter."""
        raise NotImplementedError
