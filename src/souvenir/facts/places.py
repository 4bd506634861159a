"""Places in a list as people say them: `number 2`, `second place`, `the top`, `the end`."""

import re

from souvenir.facts.ranks import LAST, cardinal, ordinal
from souvenir.patterns import lazy

_ENDS = dict.fromkeys(("top", "very top", "beginning", "start", "front", "head"), 1) | dict.fromkeys(
    ("end", "very end", "bottom", "very bottom", "back", "tail"), LAST
)
_PLACE = lazy(
    r"(?:the\s+)?(?:number|no\.?|nr\.?|#|position|rank|place|spot|slot|item)\s*(?P<number>-?\d{1,6}|[a-z]+)"
    r"|(?:the\s+|my\s+)?(?P<ordinal>[a-z-]+|\d{1,6}(?:st|nd|rd|th))(?:\s+(?:place|position|spot|slot|one|rank))?"
    r"|(?P<bare>#?-?\d{1,6})"
)
_LINK = lazy(r"\s*,?\s+(?:as|at|to|in|into|on|onto|up to|down to|back to)\s+(?=[^,]+$)", re.IGNORECASE)
_END_OF = lazy(
    r"(?P<before>.+?)\s+(?:at|to|in|on|onto|into)\s+the\s+(?P<end>(?:very\s+)?\w+)\s+of\s+(?P<list>(?:my|our)\s+"
    r"(?!list$).+)",
    re.IGNORECASE,
)


def place_of(text: str) -> int | None:
    """The rank that a place has, None when it is none; from the end it is below zero."""
    said = text.lower().strip()
    end = re.sub(r"^the\s+|\s+of (?:the|my|that|it)(?: list)?$", "", said)
    if end in _ENDS:
        return _ENDS[end]
    match = _PLACE.fullmatch(said)
    if match is None:
        return None
    if match["ordinal"] is not None:
        return ordinal(match["ordinal"])
    return cardinal(match["number"] or match["bare"])


def with_place(text: str) -> tuple[str, int | None]:
    """The text without the place it names at its end, and that place as a rank."""
    if (end := _END_OF.fullmatch(text)) is not None and end["end"].lower() in _ENDS:
        return f"{end['before']} to {end['list']}", _ENDS[end["end"].lower()]
    for match in _LINK.finditer(text):
        if (rank := place_of(text[match.end() :])) is not None:
            return text[: match.start()], rank
    words = text.split()
    for count in (3, 2, 1):
        tail = " ".join(words[-count:])
        # a bare number may be a value: Apollo 13
        if len(words) > count and (rank := place_of(tail)) is not None and cardinal(tail.lower()) is None:
            return " ".join(words[:-count]), rank
    return text, None
