"""Texts longer than a model's window: read in several windows, whose vectors become one."""

import re
from collections.abc import Sequence

import numpy as np

from souvenir.embed.port import Vectors

_UNREADABLE = re.compile(r"[\x00\ud800-\udfff]")


def readable(text: str) -> str:
    """The text with NUL and halves of surrogate pairs replaced by U+FFFD; whole pairs become their character."""
    if text.isascii() and "\x00" not in text:
        return text
    if not _UNREADABLE.search(text):
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")


def average(rows: Vectors, weights: Sequence[int], counts: Sequence[int]) -> Vectors:
    """One unit vector per text from its next `counts` rows, each as heavy as its weight."""
    if all(count == 1 for count in counts):
        return rows
    starts = np.cumsum([0, *counts[:-1]])
    totals = np.add.reduceat(rows * np.asarray(weights, dtype=np.float64)[:, np.newaxis], starts)
    return unit(totals)


def unit(rows: np.typing.NDArray[np.floating]) -> Vectors:
    """Every row scaled to length one. A row of zeros has no direction: it becomes not-a-number."""
    rows = rows.astype(np.float64)
    # scaled by the largest element first, so that squares of very small or large ones neither vanish nor overflow
    with np.errstate(invalid="ignore"):
        rows /= np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)
