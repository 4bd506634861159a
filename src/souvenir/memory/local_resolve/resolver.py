"""Decides by rules and vectors what a new sentence about the user does to those already known."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from souvenir.memory.local_resolve.compare import Relation, relate
from souvenir.memory.local_resolve.frames import Reading
from souvenir.memory.local_resolve.similar import alike, cosine, same_text, threshold_of
from souvenir.memory.local_resolve.slots import read
from souvenir.memory.port import Candidate, Decision, Known

Vector = NDArray[np.float32]

_REASONS = {
    "same text": "the same sentence is known",
    "same": "says the same as what is known",
    "less": "what is known says this and more",
    "alike": "means the same as what is known",
    "stale": "contradicts what was said later",
    "clash": "contradicts what was said before",
    "more": "says what was known, and more",
    "open": "contradicts what is known, but both may hold",
    "same moment": "contradicts what was said at the same moment",
}
# the first of these that any known memory gives is the decision
_ORDER = ("same text", "same", "less", "stale", "clash", "alike", "more", "same moment", "open")


class LocalResolver:
    """Resolution with no model but the embedder's: slots decide, vectors only find what means the same.

    It replaces only what it can name: the same slot of the same subject, filled otherwise or more exactly. What it does
    not understand is added.
    """

    def __init__(self, model: str | None = None) -> None:
        """`model` is the name of the embedder's model, whose vectors it will be given."""
        self._threshold = threshold_of(model)

    async def resolve(
        self, candidate: Candidate, vector: Vector | None, at: datetime, known: Sequence[Known]
    ) -> Decision:
        """Hold a candidate against what is known; the first of several equally good targets is taken."""
        new = read(candidate.content)
        found: dict[str, Known] = {}
        for memory in known:
            if (name := self._hold(new, vector, at, memory)) is not None:
                found.setdefault(name, memory)
        for name in _ORDER:
            if name in found:
                return _decide(name, found[name])
        return Decision("add", None, "nothing known is about this")

    def _hold(self, new: Reading, vector: Vector | None, at: datetime, memory: Known) -> str | None:
        old = read(memory.content)
        if same_text(old, new):
            return "same text"
        relation = relate(old, new)
        if relation is Relation.CLASH and memory.at >= at:
            return "stale" if memory.at > at else "same moment"
        if relation is Relation.MORE and memory.at >= at:
            return None
        if relation is Relation.NONE:
            close = cosine(memory.vector, vector) >= self._threshold and alike(old, new)
            return "alike" if close else None
        return relation.name.lower()


def _decide(name: str, memory: Known) -> Decision:
    reason = f"{_REASONS[name]}: {memory.content}"
    if name in ("clash", "more"):
        return Decision("replace", memory.memory_id, reason)
    if name in ("open", "same moment"):
        return Decision("add", memory.memory_id, reason, undecided=True)
    return Decision("ignore", memory.memory_id, reason)
