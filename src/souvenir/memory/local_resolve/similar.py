"""When two sentences that no rule relates mean the same: by their words, or by their vectors and their words."""

import math

import numpy as np
from numpy.typing import NDArray

from souvenir.memory.local_resolve.frames import Reading
from souvenir.memory.local_resolve.kinds import opposed
from souvenir.memory.local_resolve.moods import MANNERS
from souvenir.memory.local_resolve.signs import signs_of

Vector = NDArray[np.float32]

# cosine from which two sentences are taken to mean the same, when nothing else tells them apart
_THRESHOLDS = {"text-embedding-3-small": 0.85, "all-MiniLM-L6-v2": 0.91}
_UNKNOWN_MODEL = 0.9


def threshold_of(model: str | None) -> float:
    """The cosine from which a model's vectors say "the same"."""
    return _THRESHOLDS.get(model or "", _UNKNOWN_MODEL)


def cosine(one: Vector | None, other: Vector | None) -> float:
    """The cosine of two vectors of length one; 0 when there are not two, or they are not of one model."""
    if one is None or other is None or one.shape != other.shape:
        return 0.0
    found = float(one @ other)
    return found if math.isfinite(found) else 0.0


def same_text(one: Reading, other: Reading) -> bool:
    """Whether two sentences are one, but for case, accents, punctuation and spelling variants."""
    return one.key == other.key


def alike(old: Reading, new: Reading) -> bool:
    """Whether nothing that a paraphrase keeps differs: names, numbers, days, denial, tense, what it is about."""
    if old.language != new.language or old.language == "zh" or _about(old) != _about(new):
        return False
    ours, theirs = _slots(old), _slots(new)
    if ours and theirs and ours.isdisjoint(theirs):
        return False
    one, other = signs_of(old.text), signs_of(new.text)
    if one.negative != other.negative or one.numbers != other.numbers or one.names != other.names:
        return False
    return not opposed(one.terms, other.terms) and not (one.terms < other.terms)


def _slots(reading: Reading) -> frozenset[str]:
    return frozenset(frame.slot for frame in reading.frames if frame.single)


def _about(reading: Reading) -> frozenset[tuple[object, ...]]:
    return frozenset(
        (frame.subject.path, frame.negative, frame.slot.split(" ", 1)[0] in MANNERS) for frame in reading.frames
    )
