"""Cuts a text for a model whose tokenizer we do not have: by an estimate that rather counts too many than too few."""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# A word of usual length is one token and a little; long runs of letters are one per two letters or so, and capitals
# count as beginnings, because keys and base64 are hardly ever words.
_WORD_START, _WORD_LETTER, _RUN_LETTER, _USUAL_WORD = 1.0, 0.2, 0.5, 8
_SPECIAL = 8  # tokens that a model adds around a text

_SENTENCE_END = re.compile(r"\n\s*|[.!?…]+[\"')\]]*\s+|[。！？]")  # noqa: RUF001 - full-width on purpose
_SPACE = re.compile(r"\s+")
_LOOK_BACK = 4  # the last quarter of a part is where a better place for its end is looked for
_LONGEST_CLUSTER = 32
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, or a part of one, with the tokens it is estimated to have."""

    text: str
    tokens: int


def split(text: str, window: int) -> list[Passage]:
    """The text in parts that should fit the window, cut between sentences or words where there are any."""
    totals = np.cumsum(_costs(text))
    limit = max(1, window - _SPECIAL)
    passages: list[Passage] = []
    start = 0
    while start < len(text):
        before = totals[start - 1] if start else 0.0
        end = max(start + 1, int(np.searchsorted(totals, before + limit, side="right")))
        if end < len(text):
            end = _boundary(text, start, end - (end - start) // _LOOK_BACK, end)
        passages.append(Passage(text[start:end], _whole(totals[end - 1] - before)))
        start = end
    return passages or [Passage(text, 1)]


def estimate(text: str) -> int:
    """The tokens a text is estimated to have."""
    return _whole(_costs(text).sum())


def tokens_in(text: str) -> int:
    """How many tokens a text is estimated to have."""
    return _whole(_costs(text).sum())


def halve(passage: Passage) -> list[Passage]:
    """Two parts, the first of a quarter to half of the length; or the passage alone if it is one character."""
    text = passage.text
    if len(text) < 2:
        return [passage]
    cut = _boundary(text, 0, len(text) // 4, len(text) // 2)
    return [Passage(part, _whole(_costs(part).sum())) for part in (text[:cut], text[cut:])]


def _whole(cost: float) -> int:
    return max(1, int(np.ceil(cost)))


def _costs(text: str) -> NDArray[np.float64]:
    """Estimated tokens of each character: an ASCII sign is one, others up to one for every byte of their UTF-8."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    costs = np.select([codes < 0x80, codes < 0x800, codes < 0x10000], [1.0, 1.0, 2.0], 4.0)
    letters = ((codes | 0x20) >= ord("a")) & ((codes | 0x20) <= ord("z"))
    places = np.arange(len(codes))
    in_run = places - np.maximum.accumulate(np.where(letters, 0, places + 1)) if len(codes) else places
    starts = (in_run == 0) | (codes <= ord("Z"))
    by_place = np.select([starts, in_run < _USUAL_WORD], [_WORD_START, _WORD_LETTER], _RUN_LETTER)
    costs = np.where(letters, by_place, costs)
    # a space usually belongs to the word after it
    return np.where(codes == ord(" "), 0.1, costs)


def _boundary(text: str, start: int, back: int, end: int) -> int:
    """The best place to cut: the last end of a sentence or word between `back` and `end`, or else near `end`."""
    for separator in (_SENTENCE_END, _SPACE):
        places = [found.end() for found in separator.finditer(text, max(start, back), end)]
        if places:
            return places[-1]
    whole = (cut for cut in range(end, max(start, end - _LONGEST_CLUSTER), -1) if not _joined(text, cut))
    return next(whole, end)


def _joined(text: str, place: int) -> bool:
    """Whether a cut here would fall inside what is read as one character."""
    before, after = text[place - 1], text[place]
    if _ZERO_WIDTH_JOINER in {before, after} or before + after == "\r\n":
        return True
    is_modifier = "\U0001f3fb" <= after <= "\U0001f3ff" or "\ufe00" <= after <= "\ufe0f"
    is_flag = all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in (before, after))
    return is_modifier or is_flag or unicodedata.category(after).startswith("M")
