"""What the form of a text says about its use, worked out once when it is indexed."""

import re

from souvenir.patterns import lazy

QUESTION = 1  # a short text that only asks
INSTRUCTION = 2  # a standing wish about how to be answered
NUMBERS = 4
DATED = 8  # names a day, a month or a distance in time
PREFERENCE = 16  # says what somebody would rather have

_SHORT = 300
_ASKING = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
_INSTRUCTION = lazy(
    r"^\W*(?:please\s+)?(?:always|never)\b(?!\s+mind)|\bfrom now on\b|\b(?:when|whenever|every time|each time) i ask\b",
    re.IGNORECASE,
)
_PREFERENCE = lazy(
    r"\bi(?:'d| would)? (?:(?:really|much|strongly|generally|usually) )?(?:prefer|rather)\b"
    r"|\bmy (?:preference|preferred)\b",
    re.IGNORECASE,
)
_DIGIT = lazy(r"\d")
_DATED = lazy(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|yesterday|tomorrow|tonight"
    r"|ago|last|next|week|weekend|month|year|morning|\d{4}|\d{1,2}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)


def signs_of(text: str) -> int:
    """The signs of a text as bits."""
    short = len(text) < _SHORT
    return (
        (QUESTION if len(text) < 200 and text.rstrip().endswith(_ASKING) else 0)
        | (INSTRUCTION if short and _INSTRUCTION.search(text) else 0)
        | (NUMBERS if _DIGIT.search(text) else 0)
        | (DATED if _DATED.search(text) else 0)
        | (PREFERENCE if _PREFERENCE.search(text) else 0)
    )


def words_of(text: str) -> int:
    """How many words a text has, roughly."""
    return len(text.split())
