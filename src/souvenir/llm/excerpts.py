"""A long text in a few words: the sentences that share most with what was asked, or its beginning."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n+")  # noqa: RUF001 - other scripts end sentences too
_STEM_CHARS = 4  # of a word: ferry and ferries count as one
_GAP, _CUT = " … ", "…"
_READ = 4  # times the room: much of a text may be white space
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}

Size = Callable[[str], int]


def excerpt(text: str, asked: str, room: int, size: Size = len) -> str:
    """The text if it is no larger than `room`; else, in one line and cut at a word's end, what matters of it."""
    if size(text) <= room:
        return text
    if not asked:
        return cut(" ".join(text.lstrip()[: _READ * room].split()), room, size)
    sentences = [" ".join(part.split()) for part in _SENTENCE_END.split(text) if part.strip()]
    shared = _shared(sentences, asked)
    if not any(shared):
        return cut(" ".join(sentences), room, size)
    return _best(sentences, shared, room, size)


def cut(text: str, room: int, size: Size = len) -> str:
    """The text, or its beginning up to the end of a word, with a sign that there is more."""
    if size(text) <= room:
        return text
    left = room - size(_CUT)
    end = bisect_right(range(1, min(len(text), max(left, 0)) + 1), left, key=lambda length: size(text[:length]))
    space = text.rfind(" ", end // 2, end + 1)
    end = space if space > 0 else _whole(text, end)
    return text[:end].rstrip() + _CUT if end else ""


def _shared(sentences: Sequence[str], asked: str) -> list[int]:
    """How many of the words asked for are in each sentence; a word that is in most of them tells nothing."""
    wanted = _stems(asked)
    found = [_stems(sentence) & wanted for sentence in sentences] if wanted else []
    often = Counter(stem for stems in found for stem in stems)
    telling = {stem for stem, times in often.items() if times <= max(1, len(sentences) // 2)}
    return [len(stems & telling) for stems in found]


def _best(sentences: Sequence[str], shared: Sequence[int], room: int, size: Size) -> str:
    """The sentences with most of the words that were asked for, as many as there is room for."""
    places = sorted((place for place in range(len(sentences)) if shared[place]), key=lambda place: -shared[place])
    first = places[0]
    chosen, left = [first], room - size(sentences[first])
    if left < 0:
        return cut(sentences[first], room, size)
    for place in places[1:]:
        left -= size(sentences[place]) + size(_GAP)
        if left < 0:
            break
        chosen.append(place)
    chosen.sort()
    gaps = ["", *(" " if place == before + 1 else _GAP for before, place in pairwise(chosen))]
    return "".join(gap + sentences[place] for gap, place in zip(gaps, chosen, strict=True))


def _whole(text: str, end: int) -> int:
    """A place at or before `end` that does not cut through what is read as one character."""
    while 0 < end < len(text) and (
        text[end] in _JOINERS or text[end - 1] in _JOINERS or unicodedata.category(text[end]).startswith("M")
    ):
        end -= 1
    return end


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM_CHARS] for word in re.findall(r"\w{3,}", text.casefold()))
