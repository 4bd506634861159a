"""Ranks as people write them: second, 2nd, #2, number two, last."""

import re

from souvenir.patterns import lazy

LAST = -1
"""The last of a list; the one before it is -2."""

MOST_RANK = 10_000

_UNITS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
)
_UNITS += " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
_TENS = {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100, "thousandth": 1000}
_CARDINALS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_CARDINALS += " seventeen eighteen nineteen twenty"

ORDINALS: dict[str, int] = {word: rank for rank, word in enumerate(_UNITS.split())} | _TENS
CARDINALS: dict[str, int] = {word: number for number, word in enumerate(_CARDINALS.split())}

for _tens, _word in ((20, "twenty"), (30, "thirty"), (40, "forty"), (50, "fifty")):
    for _unit in range(1, 10):
        ORDINALS[f"{_word}-{_UNITS.split()[_unit]}"] = _tens + _unit

_MISSPELT = {
    "frist": 1, "secound": 2, "secnd": 2, "secon": 2, "scond": 2, "seconf": 2, "thrid": 3, "thirs": 3, "fouth": 4,
    "forth": 4, "fourht": 4, "fith": 5, "fivth": 5, "fitfh": 5, "sixt": 6, "seveth": 7, "eigth": 8,
    "nineth": 9, "tenht": 10, "twelveth": 12, "twelth": 12,
}  # fmt: skip
_FROM_THE_END = {"last": LAST, "final": LAST, "lowest": LAST, "bottom": LAST, "penultimate": LAST - 1}
_FROM_THE_TOP = {"runner-up": 2, "topmost": 1}

ORDINAL_WORD = lazy("|".join(sorted(map(re.escape, ORDINALS), key=len, reverse=True)), re.IGNORECASE)

_NUMERAL = lazy(r"(-?\d{1,9})(?:st|nd|rd|th)")
_NUMBER = lazy(r"#?(-?\d{1,9})")


def ordinal(word: str) -> int | None:
    """The rank an ordinal in lower case stands for: `second`, `2nd`, `#2`, `last`."""
    if word in ORDINALS:
        return ORDINALS[word]
    for known in (_FROM_THE_END, _FROM_THE_TOP, _MISSPELT):
        if word in known:
            return known[word]
    if match := _NUMERAL.fullmatch(word):
        return int(match[1])
    return int(word[1:]) if word.startswith("#") and _NUMBER.fullmatch(word) else None


def cardinal(word: str) -> int | None:
    """The number a word in lower case stands for: `two`, `2`, `#2`."""
    if word in CARDINALS:
        return CARDINALS[word]
    return int(word.lstrip("#")) if _NUMBER.fullmatch(word) else None


def ordinal_name(rank: int) -> str:
    """A rank in words up to tenth, then as 11th, 22nd."""
    if 1 <= rank <= 10:
        return _UNITS.split()[rank]
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"
