"""How long a memory lasts: for good, a week, a day, or until a date that is named, and a week more."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.port import Lifetime

_READ = 400  # characters: a memory is short
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_SPANS: dict[Lifetime, timedelta] = {"contextual": _WEEK, "temporary": _DAY}

_MONTHS = (
    "jan(uary|uar|vier)?|enero",
    "feb(ruary|ruar|rero)?|février",
    "mar(ch|zo)?|märz|mars",
    "apr(il)?|abril|avril",
    "may|mai|mayo",
    "june?|juni|junio|juin",
    "july?|juli|julio|juillet",
    "aug(ust)?|agosto|août",
    "sept?(ember|iembre|embre)?",
    "o[ck]t(ober|ubre|obre)?",
    "nov(ember|iembre|embre)?",
    "de[cz](ember)?|diciembre|décembre",
)
_WEEKDAYS = (
    "monday|montag|lunes|lundi",
    "tuesday|dienstag|martes|mardi",
    "wednesday|mittwoch|miércoles|mercredi",
    "thursday|donnerstag|jueves|jeudi",
    "friday|freitag|viernes|vendredi",
    "saturday|samstag|sábado|samedi",
    "sunday|sonntag|domingo|dimanche",
)
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a": 1, "an": 1, "couple": 2, "few": 3, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "un": 1, "una": 1, "une": 1,
    "dos": 2, "deux": 2, "tres": 3, "trois": 3,
}  # fmt: skip
_UNITS = {
    "day": 1, "days": 1, "week": 7, "weeks": 7, "month": 30, "months": 30, "year": 365, "years": 365, "tagen": 1,
    "woche": 7, "wochen": 7, "monat": 30, "monaten": 30, "días": 1, "semana": 7, "semanas": 7, "meses": 30, "jours": 1,
    "semaine": 7, "semaines": 7, "mois": 30,
}  # fmt: skip
_SEASONS = {"spring": 5, "summer": 8, "fall": 11, "autumn": 11, "winter": 2}  # and the month each ends with
_HOLIDAYS = {
    "christmas": (12, 25), "xmas": (12, 25), "new year": (1, 1), "halloween": (10, 31), "thanksgiving": (11, 28),
}  # fmt: skip


def expiry(lifetime: Lifetime, said_at: datetime, date: datetime | None = None) -> datetime | None:
    """When a memory said at a time ends, or None for never; `date` is the day that a deadline speaks of."""
    if lifetime == "deadline":
        return date + _WEEK if date is not None else None
    return said_at + _SPANS[lifetime] if lifetime in _SPANS else None


def date_ahead(text: str, said_at: datetime) -> datetime | None:
    """The last day of the time a text speaks of, at midnight UTC: named without a year it is the next one to come."""
    today = said_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    low = text[:_READ].lower()
    for pattern, read in _RULES:
        found = pattern.search(low)
        if found is None:
            continue
        try:
            return read(found, today)
        except (ValueError, OverflowError):  # 30 February
            continue
    return None


def _month_end(year: int, month: int) -> datetime:
    """The last day of a month, which may be the thirteenth of a year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - _DAY


def _coming(month: int, day: int, today: datetime) -> datetime:
    date = datetime(today.year, month, day, tzinfo=UTC)
    return date if date >= today else date.replace(year=today.year + 1)


def _named(found: re.Match[str], prefix: str) -> int:
    """Which of the months or weekdays it is."""
    return int(next(name for name, text in found.groupdict().items() if text and name.startswith(prefix))[1:])


def _date(found: re.Match[str], _: datetime) -> datetime:
    return datetime(int(found["year"]), int(found["month"]), int(found["day"]), tzinfo=UTC)


def _figures(found: re.Match[str], today: datetime) -> datetime:
    """ "12/5/2024" with the month first, unless that cannot be; "5.12.2024" with the day first."""
    first, second, year = int(found["first"]), int(found["second"]), found["year"]
    month, day = (second, first) if found["mark"] == "." or first > 12 else (first, second)
    return datetime(int(year[-2:]) + 2000, month, day, tzinfo=UTC) if year else _coming(month, day, today)


def _day_of_month(found: re.Match[str], today: datetime) -> datetime:
    month, day, year = _named(found, "m"), int(found["day"]), found["year"]
    return datetime(int(year), month, day, tzinfo=UTC) if year else _coming(month, day, today)


def _month(found: re.Match[str], today: datetime) -> datetime:
    month, year = _named(found, "m"), found["year"]
    return _month_end(int(year) if year else today.year + (month < today.month), month)


def _weekday(found: re.Match[str], today: datetime) -> datetime:
    """ "Friday" is the next one to come; "next Friday" is that of next week."""
    day = _named(found, "w")
    if found["next"]:
        return today + timedelta(days=7 - today.weekday() + day)
    return today + timedelta(days=(day - today.weekday()) % 7)


def _after(found: re.Match[str], today: datetime) -> datetime:
    count = found["count"]
    return today + timedelta(days=_UNITS[found["unit"]]) * (int(count) if count.isdigit() else _NUMBERS[count])


def _unit(found: re.Match[str], today: datetime) -> datetime:
    """The end of this week, of next month, of the year."""
    ahead, unit = int(bool(found["next"])), found["unit"]
    if unit.startswith("week"):
        return today + timedelta(days=6 - today.weekday()) + ahead * _WEEK
    if unit == "month":
        return _month_end(today.year, today.month + ahead)
    if unit == "quarter":
        return _month_end(today.year, ((today.month - 1) // 3 + 1 + ahead) * 3)
    return _month_end(today.year + ahead, 12)


def _quarter(found: re.Match[str], today: datetime) -> datetime:
    month = int(found["quarter"]) * 3
    return _month_end(int(found["year"]) if found["year"] else today.year + (month < today.month), month)


def _season(found: re.Match[str], today: datetime) -> datetime:
    month = _SEASONS[found["season"]]
    return _month_end(int(found["year"]) if found["year"] else today.year + (month < today.month), month)


def _holiday(found: re.Match[str], today: datetime) -> datetime:
    return _coming(*_HOLIDAYS[found["holiday"]], today)


def _day_alone(found: re.Match[str], today: datetime) -> datetime:
    day = int(found["day"])
    month = today.month + (day < today.day)
    return datetime(today.year + month // 13, (month - 1) % 12 + 1, day, tzinfo=UTC)


def _year(found: re.Match[str], _: datetime) -> datetime:
    return _month_end(int(found["year"]), 12)


def _tomorrow(_: re.Match[str], today: datetime) -> datetime:
    return today + _DAY


def _today(_: re.Match[str], today: datetime) -> datetime:
    return today


def _one_of(names: tuple[str, ...], prefix: str, first: int) -> str:
    return f"({'|'.join(f'(?P<{prefix}{number}>{name})' for number, name in enumerate(names, first))})\\b"


_MONTH = _one_of(_MONTHS, "m", 1) + r"\.?"
_WEEKDAY = _one_of(_WEEKDAYS, "w", 0)
_IN_YEAR = r"((,|of)?\s*(?P<year>20\d\d))?"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_OF_UNITS = rf"(?P<unit>{'|'.join(_UNITS)})"
_FIGURES = r"(?<![\d.])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})"

# in order: the first that is found counts
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], datetime]], ...] = tuple(
    (compiled(pattern), read)
    for pattern, read in (
        (r"\b(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)", _date),
        (rf"{_FIGURES}(?P=mark)(?P<year>20\d\d|\d\d)\b(?!\.\d)", _figures),
        (rf"{_FIGURES}(?P<year>)((?<=/\d)|(?<=/\d\d)|\.)(?![\d/])", _figures),
        (rf"\b{_MONTH}\s+(the\s+)?(?P<day>\d{{1,2}})(st|nd|rd|th)?\b(?!\s*(%|am|pm|:)){_IN_YEAR}", _day_of_month),
        (rf"\b(?P<day>\d{{1,2}})(st|nd|rd|th|\.|er)?\s+(of\s+|de\s+)?{_MONTH}{_IN_YEAR}", _day_of_month),
        (rf"\b{_MONTH}\s*(,|of|de)?\s*(?P<year>20\d\d)\b", _month),
        (rf"(\b(?P<next>next|nächsten|próximo)\s+)?\b{_WEEKDAY}", _weekday),
        (
            rf"""
            \b(in|within|next|over the next|dans|en)\s+(the next\s+|a\s+(?=few|couple))?{_COUNT}\s+(of\s+|more\s+)?
            {_OF_UNITS}\b(?!\s+ago)
            """,
            _after,
        ),
        (r"\bend of ((?P<next>next)|this|the)?\s*(?P<unit>week|month|quarter|year)\b", _unit),
        (r"\b((?P<next>next)|this|coming)\s+(?P<unit>weekend|week|month|quarter|year)\b", _unit),
        (rf"\bq(?P<quarter>[1-4])\b{_IN_YEAR}", _quarter),
        (
            rf"""
            \b(in|by|this|next|during|until|till|before|since|early|late|mid|im|en|ab|bis|of|for|coming)[ -]+{_MONTH}
            (?P<year>)
            """,
            _month,
        ),
        (rf"\b(in|by|this|next|over|before|the|coming)\s+(?P<season>{'|'.join(_SEASONS)})\b{_IN_YEAR}", _season),
        (r"\b(tomorrow|morgen|mañana|demain)\b|明天", _tomorrow),
        (r"\b(today|tonight|heute|hoy|aujourd'hui|eod|end of day)\b|今天", _today),
        (rf"\b(?P<holiday>{'|'.join(_HOLIDAYS)})\b", _holiday),
        (r"\b(on|by|until|due|before)\s+the\s+(?P<day>\d{1,2})(st|nd|rd|th)\b", _day_alone),
        (r"\b(in|by|until|before|for)\s+(?P<year>20\d\d)\b", _year),
        (
            r"(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]",
            lambda found, today: _coming(int(found[1]), int(found[2]), today),
        ),
        (r"下个?(周|星期)", lambda _, today: today + timedelta(days=13 - today.weekday())),
        (r"明年", lambda _, today: _month_end(today.year + 1, 12)),
    )
)
