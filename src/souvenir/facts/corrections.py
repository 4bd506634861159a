"""Reads changes that are no commands: `Lisbon should be first`, `I meant Porto, not Rome`, `Rome replaces Oslo`."""

import re

from souvenir.facts.commands import READERS, ranked, removal
from souvenir.facts.edit_parts import (
    INSTEAD,
    NO_CORRECTION,
    is_sure,
    item_of,
    read_value_at_rank,
    topic_of,
    value_for,
    with_list,
)
from souvenir.facts.lists import clean
from souvenir.facts.operations import Operation, Replace, Swap, Tell
from souvenir.facts.phrases import read_phrase
from souvenir.facts.wording import APOSTROPHE, one_of
from souvenir.patterns import lazy

_NO_SUBJECT = one_of("my, our, it, this, that, these, those, he, she, they, we, you, i, what, which, who, there")
_WISHED = lazy(
    rf"(?!{_NO_SUBJECT}\b)(?P<item>.{{1,80}}?)\s+"
    r"(?:should (?:be|come|go|rank)|is now|belongs|(?:now )?(?:goes|comes))\s+"
    r"(?P<place>(?:(?:in|at|on|to)\s+)?(?:my\s+|the\s+)?"
    r"(?:number|no\.?|#|first|second|third|fourth|fifth|\d|last|top|bottom).*)",
    re.IGNORECASE,
)
_WISHED_BESIDE = lazy(
    rf"(?!{_NO_SUBJECT}\b)(?P<item>.{{1,80}}?)\s+(?:should|must|has to|needs to|ought to)\s+(?:come|be|go|rank|sit"
    r"|stand)\s+"
    r"(?:right |just |directly )?(?P<side>before|after|above|below|ahead of|behind|over|under)\s+(?P<other>.{1,80})",
    re.IGNORECASE,
)
_SAYS_MORE = lazy(r"\b(?:is|are|was|my|our|i|you|we)\b", re.IGNORECASE)
_HAVE_AS = lazy(
    rf"i(?:{APOSTROPHE}d|{APOSTROPHE}ve| would)?\s+(?:(?:also|really|now|still|just|would)\s+)*"
    r"(?:like|love|have|want|pick|choose|picked|chose|rank|put|count|consider|call|say|got)\s+(?P<value>.+?)\s+"
    r"(?:as|to be|at|for)\s+(?P<phrase>my\s.+)",
    re.IGNORECASE,
)
_TRADED = lazy(
    r"(?:(?:let|have|make)\s+)?(?P<one>.+?)\s+and\s+(?P<other>.+?)\s+(?:(?:should|must|need to|can)\s+)?"
    r"(?:swap|trade|switch|exchange|change)\s+(?:places?|positions?|spots?|ranks?)(?:\s+(?:on|in)\s+(?:the"
    r"|my)\s+list)?",
    re.IGNORECASE,
)
_ACTIVE = {
    "added": "add", "included": "add", "inserted": "insert", "removed": "remove", "deleted": "remove",
    "dropped": "remove", "moved": "move", "placed": "put", "put": "put", "replaced": "replace", "swapped": "swap",
    "changed": "change", "renamed": "rename", "cleared": "clear",
}  # fmt: skip
_PASSIVE = lazy(
    r"(?P<item>.{1,80}?)\s+(?:should|must|needs? to|has to|have to|can|could|is to|ought to)\s+(?:also\s+"
    r"|now\s+)?be\s+"
    rf"(?P<verb>{'|'.join(_ACTIVE)})(?P<rest>\s.+)?",
    re.IGNORECASE,
)
INSTEAD_FIRST = lazy(
    r"^instead of\s+(?P<old>[^,]{1,60}?)\s*,?\s+(?:put|use|have|write|make it|i want|it should be|say|add|i "
    r"meant)\s+(?P<new>.{1,80}?)[.!]*$",
    re.IGNORECASE,
)
_UNWANTED = lazy(
    rf"i\s+(?:really\s+)?(?:don{APOSTROPHE}?t|do not|no longer)\s+(?:want|like|love|need|have|count|consider)\s+"
    r"(?P<item>.{1,80}?)\s+"
    r"(?:(?:to be\s+)?(?:on|in|among|as one of|as part of|as)\s+)(?P<list>my\s.+?)(?:\s+(?:anymore|any more|any "
    r"longer))?",
    re.IGNORECASE,
)
_REPLACES = lazy(
    r"(?P<new>\S+(?:\s\S+){0,4}?)\s+(?:replaces|should replace|is replacing|takes the place of|goes in place of)\s+"
    r"(?P<old>\S+(?:\s\S+){0,4})",
    re.IGNORECASE,
)
LIKED_AT = lazy(
    rf"^i(?:{APOSTROPHE}d like|{APOSTROPHE}d prefer| want| would like| need)\s+(?P<item>(?!to\b).{{1,80}}?)\s+"
    r"(?:to be|to go|to come|to rank|moved to|to move to)\s+(?P<place>.{1,60})$",
    re.IGNORECASE,
)
_SAID_BUT = lazy(
    r"i\s+(?:said|wrote|typed|put)\s+(?P<old>.{1,60}?)\s*,?\s+(?:(?:but|when|and)\s+)?i\s+(?:actually\s+|really\s+)?"
    r"(?:meant|mean)(?:\s+to (?:say|write|put))?\s+(?P<new>.{1,60})",
    re.IGNORECASE,
)
_MOST_MEANT = 12
_MOST_CORRECTED = 4
_MEANT = lazy(
    rf"(?:(?:what\s+)?i\s+(?:actually\s+|really\s+)?(?:meant|mean)(?:\s+to\s+(?:say|write|type))?|i should have said"
    rf"|it{APOSTROPHE}s|it is|it should (?:be|say|read)|that should (?:be|say)|should be|make (?:it|that))\s+"
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
_NOT_BUT = lazy(
    r"(?:it is |it's )?not\s+(?P<old>[^,;]+?)(?:\s*[,;]\s*|\s+)(?:but|it's|it is)\s+(?P<new>.+)", re.IGNORECASE
)


def passive(body: str) -> str:
    """`Porto should be added to my list` as `add Porto to my list`; anything else as it is."""
    match = _PASSIVE.fullmatch(body)
    return f"{_ACTIVE[match['verb'].lower()]} {match['item']}{match['rest'] or ''}" if match is not None else body


def _wished(body: str) -> Operation | None:
    """`Lisbon should be number 1`."""
    match = _WISHED.fullmatch(body)
    return ranked(f"{match['item']} {match['place']}", adds=True) if match is not None else None


def _wished_beside(body: str) -> Operation | None:
    """`Lisbon should come before Rome`."""
    match = _WISHED_BESIDE.fullmatch(body)
    return READERS["move"](f"{match['item']} {match['side']} {match['other']}") if match is not None else None


def _traded(body: str) -> Operation | None:
    """`Porto and Rome should trade places`."""
    match = _TRADED.fullmatch(body)
    return Swap(None, False, item_of(match["one"]), item_of(match["other"])) if match is not None else None


def _unwanted(body: str) -> Operation | None:
    """`I don't want Rome in my favorite cities anymore`."""
    match = _UNWANTED.fullmatch(body)
    return removal(f"{match['item']} from {match['list']}") if match is not None else None


def _replaced(body: str) -> Operation | None:
    """`Porto replaces Rome`."""
    match = _REPLACES.fullmatch(body)
    return Replace(None, False, item_of(match["old"]), clean(match["new"])) if match is not None else None


def _had_as(body: str) -> Operation | None:
    """`I have Porto as my fourth favorite city`."""
    match = _HAVE_AS.fullmatch(body)
    phrase = read_phrase(match["phrase"]) if match is not None else None
    if match is None or phrase is None or not phrase.marked or _SAYS_MORE.search(match["value"]):
        return None
    return value_for(phrase, match["value"])


def _meant(body: str, *, corrected: bool) -> Operation | None:
    """`I meant Porto, not Rome`, `Porto instead of Rome`, `not Rome but Porto`; and `no wait, it's Porto`."""
    meant = _MEANT.fullmatch(body)
    rest = meant["rest"] if meant is not None else body
    if (sides := _NOT_BUT.fullmatch(body) or _SAID_BUT.fullmatch(body)) is not None:
        return Replace(None, False, item_of(sides["old"]), clean(sides["new"]))
    if meant is not None or corrected or "instead of" in body:
        shorter, named = with_list(rest)
        sides = INSTEAD.fullmatch(re.sub(r",\s*(?=not\s)", " ", shorter))
        if sides is not None and len(rest.split()) <= _MOST_MEANT and not _SAYS_MORE.search(rest):
            return Replace(topic_of(named), is_sure(named), item_of(sides["old"]), clean(sides["new"]))
    if meant is not None and corrected and len(rest.split()) <= _MOST_CORRECTED and not NO_CORRECTION.match(rest):
        return Tell(None, False, clean(rest))
    return None


def read_correction(body: str, *, corrects: bool) -> Operation | None:
    """What a sentence that is no command changes; one that begins with `no` or `actually` corrects something."""
    readings = (_wished, _wished_beside, _traded, _unwanted, _replaced, _had_as)
    read = next((found for reading in readings if (found := reading(body)) is not None), None)
    return read or _meant(body, corrected=corrects) or read_value_at_rank(body, polite=corrects)
