"""Places in a list as people say them: `number 2`, `second place`, `the top`, `the end`."""

import re

from souvenir.facts.ranks import LAST, cardinal, ordinal

_ENDS = dict.fromkeys(("top", "very top", "beginning", "start", "front", "head"), 1) | dict.fromkeys(
    ("end", "very end", "bottom", "very bottom", "back", "tail"), LAST
)
_PLACE = re.compile(
    r"(?:the\s+)?(?:number|no\.?|nr\.?|#|position|rank|place|spot|slot|item)\s*(?P<number>-?\d{1,6}|[a-z]+)"
    r"|(?:the\s+|my\s+)?(?P<ordinal>[a-z-]+|\d{1,6}(?:st|nd|rd|th))(?:\s+(?:place|position|spot|slot|one|rank))?"
    r"|(?P<bare>#?-?\d{1,6})"
)
_LINK = re.compile(r"\s*,?\s+(?:as|at|to|in|into|on|onto|up to|down to|back to)\s+(?=[^,]+$)", re.IGNORECASE)


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
