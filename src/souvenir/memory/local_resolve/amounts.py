"""Amounts and dates: when two of them are different answers to one question, and when they may both be right."""

from typing import Literal

import regex

from souvenir.memory.local_resolve.frames import Item, Terms
from souvenir.memory.local_resolve.words import DAYS, MONTHS, TIMES, WEEKDAYS, is_number
from souvenir.patterns import lazy_regex

PERIODS = frozenset(("hour", "day", "week", "month", "year"))
# days that are others when they are told on another day
_RELATIVE = frozenset(("today", "tomorrow", "yesterday", "tonight", "next", "this", "last"))
_AMOUNT = lazy_regex(r"\d[\d.,]*")
_YEAR = lazy_regex(r"(?:19|20)\d\d")
_CLOCK = lazy_regex(r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d|noon|midnight")
_DAY = lazy_regex(r"\d{1,2}")
_OLD = lazy_regex(r"([0-9]{1,3})-year-old")


def other_amount(old: Item, new: Item) -> bool:
    """Whether two things are the same but for how many or how much."""
    if _AMOUNT.sub("#", old.head) != _AMOUNT.sub("#", new.head):
        return False
    if old.terms == new.terms and old.details == new.details:
        return old.count is not None and new.count is not None and old.count != new.count
    return old.count == new.count and _differ(old.terms | old.details, new.terms | new.details)


def _differ(old: Terms, new: Terms) -> bool:
    """Dates are no amounts: there may be two appointments."""
    gone, come = old - new, new - old
    if len(gone) != 1 or len(come) != 1 or (old | new) & DAYS:
        return False
    (first,), (second,) = gone, come
    if not is_number(first) or not is_number(second) or _parts(gone) or _parts(come):
        return False
    return _AMOUNT.sub("#", first) == _AMOUNT.sub("#", second) and _may_be_older(first, second)


def _may_be_older(first: str, second: str) -> bool:
    """Somebody of another age may be somebody else; a year older is the same."""
    old, new = _OLD.fullmatch(first), _OLD.fullmatch(second)
    return old is None or new is None or int(old[1]) + 1 == int(new[1])


def has_number(terms: Terms) -> bool:
    """Whether words say how many or how much."""
    return any(is_number(term) for term in terms)


def tells_amount(terms: Terms) -> bool:
    """Whether words say when or how much."""
    return any(is_number(term) or term in TIMES for term in terms)


def same_date(old: Terms, new: Terms) -> Literal["yes", "no", "maybe"]:
    """Whether two dates are one, told in part: nothing of which both tell may differ. "no" if they are not dates."""
    if old & _RELATIVE or new & _RELATIVE:
        return "maybe"
    first, second = _parts(old), _parts(new)
    both = first.keys() & second.keys()
    if not first or not second or any(first[part] != second[part] for part in both):
        return "no"
    told = first.keys() | second.keys()
    return "maybe" if not both and {"weekday", "month"} <= told else "yes"


def _parts(terms: Terms) -> dict[str, Terms]:
    parts = {
        "weekday": terms & WEEKDAYS,
        "month": terms & MONTHS,
        "year": _matching(_YEAR, terms),
        "clock": _matching(_CLOCK, terms),
    }
    if parts["month"]:
        parts["day"] = _matching(_DAY, terms)
    return {part: found for part, found in parts.items() if found}


def _matching(pattern: regex.Pattern[str], terms: Terms) -> Terms:
    return frozenset(term for term in terms if pattern.fullmatch(term))
