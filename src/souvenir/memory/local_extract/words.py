"""Words of a sentence: what is quoted is one word, and a contraction is two ("I'm" is "I" and "'m")."""

# ruff: noqa: RUF001 - the quotation marks and apostrophes that people type

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from souvenir.patterns import lazy

QUOTED = '"'

# a quotation is short: what is longer was never closed
_PIECE = lazy(
    r"""
      (?P<quoted>"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|‘[^‘\n]{1,300}?’(?!\w)
        |(?<!\w)'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){2,200}'(?!\w))
    | \d{1,3}(?:,\d{3})+(?:\.\d+)?
    | \w+(?:[.’'&/+@:-]\w+){0,12}(?:\+\+|\#)?
    | \.{2,} | [^\w\s]
    """,
    re.VERBOSE,
)
_ENDING = lazy(r"(?P<stem>\w[\w-]*?)(?P<ending>n't|'(?:m|re|ve|d|ll|s))")
_IRREGULAR_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
# what is typed without its apostrophe: where it is cut
_UNMARKED = {
    "im": 1, "ive": 1, "dont": 2, "doesnt": 4, "didnt": 3, "cant": 2, "wont": 2, "isnt": 2, "arent": 3, "wasnt": 3,
    "havent": 4, "hasnt": 3, "couldnt": 5, "wouldnt": 5, "shouldnt": 6, "youre": 3, "thats": 4, "whats": 4,
}  # fmt: skip
_MENDED = {"m": "'m", "ve": "'ve", "nt": "n't", "re": "'re", "s": "'s"}


def word_set(text: str) -> frozenset[str]:
    """The words of a text: lists of words are read best as such."""
    return frozenset(text.split())


class Word(NamedTuple):
    """`low` is in small letters with straight apostrophes; a quotation's is QUOTED. Offsets are of the sentence."""

    text: str
    low: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it is written as a name is."""
        return self.text[:1].isupper()


def words_of(text: str) -> list[Word]:
    """All words and punctuation marks."""
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    for piece in _PIECE.finditer(text):
        written, start, end = piece.group(), piece.start(), piece.end()
        if piece["quoted"]:
            yield Word(written, QUOTED, start, end)
            continue
        low = written.lower().replace("’", "'")
        if "'" in low and (ending := _ENDING.fullmatch(low)):
            cut = start + ending.start("ending")
            stem = ending["stem"]
            yield Word(text[start:cut], _IRREGULAR_STEMS.get(stem, stem), start, cut)
            yield Word(text[cut:end], ending["ending"], cut, end)
        elif low in _UNMARKED:
            cut = start + _UNMARKED[low]
            stem = low[: _UNMARKED[low]]
            yield Word(text[start:cut], _IRREGULAR_STEMS.get(stem, stem), start, cut)
            yield Word(text[cut:end], _MENDED[low[_UNMARKED[low] :]], cut, end)
        else:
            yield Word(written, low, start, end)


def lows(words: Sequence[Word]) -> str:
    """The words in small letters with one space between, punctuation too, as patterns are matched on."""
    return " ".join(word.low for word in words)


def low_at(words: Sequence[Word], place: int) -> str:
    """The word at a place in small letters; nothing where there is none."""
    return words[place].low if 0 <= place < len(words) else ""


def count_of(low: str) -> int:
    """How many words a part of `lows` is of."""
    return len(low.split())
