"""The times a question speaks of, found by a small grammar: words become kinds, and rules are patterns of kinds.

Every word of the text becomes a token with a kind of one letter and a number ("May" is `m`, 5), so that a question
becomes a short string of letters, and a rule is a regular expression over those:

    M  a month that is nothing else        n  1 to 31             i  in, during         s  since
    m  a month that may be a name or word  N  another number      f  of, for            A  after
    v  `may`, `march` in small letters     h  8th                 F  from               b  before
    y  a year                              k  a, two, twelve      o  on, at, over       U  until
    d  a decade                            p  couple, few         t  the, my, our       B  between
    w  a weekday                           u  day, week, year     l  last, past         T  to
    S  a season                            a  ago                 z  this               &  and, or
    H  a holiday                           e  today, yesterday    x  next, every        Q  Q1
    g  what follows the verb `may`         c  euros, pages        q  early, mid, late   1  first
                                           C  people, times
    ,  a comma                             .  other punctuation   -  any other word

What a month or a day without a year means is the latest one that has begun. Weeks begin on Monday; all is in UTC.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from souvenir.patterns import lazy
from souvenir.retrieval.time_words import FEW, HOLIDAYS, SPAN, Token, Unit, may_tell_time, tokens

_LONGEST = 4_000  # characters that are read: a question is short, and a pasted page speaks of too many times
_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
_MIN = datetime.min.replace(tzinfo=UTC)
_MAX = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` up to but not including `end`, both aware and in UTC. An open side is datetime's own limit."""

    start: datetime
    end: datetime


def time_ranges(text: str, now: datetime) -> tuple[TimeRange, ...]:
    """The periods a question asked at `now` speaks of, in the order they are named, each once. Never raises."""
    text = text[:_LONGEST]
    if not may_tell_time(text):
        return ()
    reader = _Reader(list(tokens(text)), now.astimezone(UTC))
    return tuple(dict.fromkeys(reader.ranges()))


# what each rule means

_Values = Mapping[str, int]
_Handler = Callable[[_Values, datetime], TimeRange | None]


def _midnight(time: datetime) -> datetime:
    return time.replace(hour=0, minute=0, second=0, microsecond=0)


def _date(year: int, month: int, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def _days(start: datetime, count: int = 1) -> TimeRange:
    return TimeRange(start, start + count * _DAY)


def _months(year: int, month: int, count: int = 1) -> TimeRange:
    """So many whole months from one on; a month beyond 12, or below 1, is one of another year."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + count
    return TimeRange(_date(first // 12, first % 12 + 1), _date(last // 12, last % 12 + 1))


def _months_before(time: datetime, count: int) -> datetime:
    """The same day so many months earlier, or the last of a shorter month."""
    month = _months(time.year, time.month - count)
    first = time.replace(year=month.start.year, month=month.start.month, day=1)
    return first + min(time.day - 1, (month.end - month.start).days - 1) * _DAY


def _before(now: datetime, unit: int, count: int) -> datetime:
    if unit in _MONTHS:
        return _months_before(now, count * _MONTHS[unit])
    return now - count * _LENGTHS[unit]


_MONTHS: dict[int, int] = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}
_LENGTHS: dict[int, timedelta] = {
    Unit.HOUR: timedelta(hours=1), Unit.DAY: _DAY, Unit.NIGHT: _DAY, Unit.WEEK: 7 * _DAY, Unit.WEEKEND: 7 * _DAY,
    Unit.MONTH: 31 * _DAY, Unit.QUARTER: 91 * _DAY, Unit.YEAR: 365 * _DAY,
}  # fmt: skip


def _latest(begins: Callable[[int], TimeRange], values: _Values, now: datetime) -> TimeRange:
    """Of something that comes every year: that of the year named, or the latest that has begun."""
    if "y" in values:
        return begins(values["y"])
    this = begins(now.year)
    return this if this.start <= now else begins(now.year - 1)


def _day(values: _Values, now: datetime) -> TimeRange | None:
    if "y" in values:
        return _days(_date(values["y"], values["m"], values["n"]))
    for year in range(now.year, now.year - 9, -1):  # 29 February may be that far back
        try:
            day = _date(year, values["m"], values["n"])
        except ValueError:
            continue
        if day <= now:
            return _days(day)
    return None


def _month(values: _Values, now: datetime) -> TimeRange:
    return _latest(lambda year: _months(year, values["m"]), values, now)


def _month_of_this_year(values: _Values, now: datetime) -> TimeRange:
    return _months(now.year, values["m"])


def _end_of_month(values: _Values, now: datetime) -> TimeRange | None:
    """The first or last week of a month; "the last days" are taken for as long."""
    month = _month(values, now)
    if values["u"] not in {Unit.DAY, Unit.WEEK}:
        return None
    return _days(month.start, 7) if "1" in values else TimeRange(month.end - 7 * _DAY, month.end)


def _year(values: _Values, _: datetime) -> TimeRange:
    return _months(values["y"], 1, 12)


def _named_year(values: _Values, now: datetime) -> TimeRange | None:
    return _year(values, now) if values["u"] == Unit.YEAR else None


def _decade(values: _Values, _: datetime) -> TimeRange:
    return _months(values["d"], 1, 120)


def _quarter(values: _Values, now: datetime) -> TimeRange:
    return _latest(lambda year: _months(year, values["Q"] * 3 - 2, 3), values, now)


def _season(values: _Values, now: datetime) -> TimeRange:
    """As meteorologists count in the north; winter belongs to the year in which it begins."""
    return _latest(lambda year: _months(year, values["S"] * 3 or 12, 3), values, now)


def _last_season(values: _Values, now: datetime) -> TimeRange:
    latest = _season(values, now)
    return latest if latest.end <= now else _season({**values, "y": latest.start.year - 1}, now)


def _holiday(values: _Values, now: datetime) -> TimeRange:
    month, day, count = tuple(HOLIDAYS.values())[values["H"]]
    return _latest(lambda year: _days(_date(year, month, day), count), values, now)


def _weekday(values: _Values, now: datetime) -> TimeRange:
    return _days(_midnight(now) - (now.weekday() - values["w"]) % 7 * _DAY)


def _last_weekday(values: _Values, now: datetime) -> TimeRange:
    return _weekday(values, now - _DAY)


def _weekday_of_this_week(values: _Values, now: datetime) -> TimeRange:
    return _days(_midnight(now) - (now.weekday() - values["w"]) * _DAY)


def _named_day(values: _Values, now: datetime) -> TimeRange:
    return _days(_midnight(now) - values["e"] * _DAY)


def _day_before(values: _Values, now: datetime) -> TimeRange | None:
    return _named_day({"e": values["e"] + 1}, now) if values["u"] == Unit.DAY else None


def _this(values: _Values, now: datetime) -> TimeRange | None:
    """The whole calendar unit around now; mornings and nights are taken for the day."""
    unit, today = values["u"], _midnight(now)
    if unit == Unit.WEEK:
        return _days(today - today.weekday() * _DAY, 7)
    if unit == Unit.WEEKEND:
        return _days(today - (today.weekday() - 5) * _DAY, 2)
    if unit in _MONTHS:
        length = _MONTHS[unit]
        return _months(now.year, (now.month - 1) // length * length + 1, length)
    return _days(today) if unit == Unit.NIGHT else None


def _last(values: _Values, now: datetime) -> TimeRange | None:
    if values["l"] == SPAN:
        return _span({**values, "n": 1}, now) if values["u"] != Unit.HOUR else None
    if values["u"] == Unit.NIGHT:  # from noon to noon, as nobody's night is in UTC
        noon = _midnight(now) + _DAY / 2
        return TimeRange(noon - _DAY, noon)
    this = _this(values, now)
    return _this(values, _before(this.start, values["u"], 1)) if this is not None else None


def _count(values: _Values) -> tuple[int, int]:
    """How many at least and at most."""
    if "p" in values:
        return tuple(FEW.values())[values["p"]]
    return values["n"], values["n"]


def _span(values: _Values, now: datetime) -> TimeRange:
    """The last so many days or weeks, today included."""
    if values["u"] == Unit.HOUR:
        return TimeRange(now - _count(values)[1] * _LENGTHS[Unit.HOUR], now)
    return TimeRange(_midnight(_before(now, values["u"], _count(values)[1])), _midnight(now) + _DAY)


def _ago(values: _Values, now: datetime) -> TimeRange:
    """As wide as the unit, with the exact time in the middle: who says "two weeks ago" has not counted the days."""
    unit = Unit(values["u"])
    least, most = _count(values)
    start, end = _before(now, unit, most), _before(now, unit, least)
    half = _LENGTHS[unit] / 2
    if unit == Unit.HOUR:
        return TimeRange(start - half, end + half)
    margin = half.days * _DAY
    return TimeRange(_midnight(start) - margin, _midnight(end) + margin + _DAY)


def _beside(period: TimeRange, values: _Values, *, ahead: bool) -> TimeRange:
    """The week before it, or two days after it."""
    unit = values["u"]
    least, most = _count({"n": 1, **values})
    if ahead:
        return TimeRange(_before(period.start, unit, most), _before(period.start, unit, least - 1))
    return TimeRange(_before(period.end, unit, 1 - least), _before(period.end, unit, -most))


def _third(period: TimeRange, which: int) -> TimeRange:
    days = (period.end - period.start).days
    if days < 3:
        return period
    return TimeRange(period.start + days * which // 3 * _DAY, period.start + days * (which + 1) // 3 * _DAY)


# the rules

_MONTH = "(?:[Mm]|v(?!g))"
_YEAR = "y(?![cu])"
_COUNT = "(?:[nkN]|k?pf?)"

# complete by themselves; of those that match in one place the first counts
_WHOLE: tuple[tuple[str, _Handler], ...] = (
    (rf"[nh]f?{_MONTH}(?:[,.]?f?{_YEAR})?", _day),
    (rf"n\.{_MONTH}f?{_YEAR}", _day),
    (rf"{_MONTH}(?:n(?![cCu])|t?h)(?:,?{_YEAR})?", _day),
    (rf"[1l]uf{_MONTH}(?:,?f?{_YEAR})?", _end_of_month),
    (rf"{_MONTH}[,.]?f?{_YEAR}", _month),
    (rf"l{_MONTH}", _month),
    ("z[Mm]", _month_of_this_year),
    ("(?<!x)M", _month),
    (f"uf?{_YEAR}", _named_year),
    ("d", _decade),
    (f"Q,?f?{_YEAR}|yQ", _quarter),
    (f"S,?f?{_YEAR}", _season),
    ("lS", _last_season),
    ("zS", _season),
    (f"H,?f?{_YEAR}|[lz]H", _holiday),
    ("lw", _last_weekday),
    ("zw", _weekday_of_this_week),
    (f"{_COUNT}ua", _ago),
    (f"l{_COUNT}u", _span),
    ("lu", _last),
    ("zu", _this),
    ("ube", _day_before),
    ("e", _named_day),
)
# times only after a word like "in" or "since": that word, and the time
_PART: tuple[tuple[str, str, _Handler], ...] = (
    ("i", _MONTH, _month),
    ("[ifF]", _YEAR, _year),
    ("[ioF]", "w(?!,?t?[nhMm])", _weekday),
    ("it?", "S", _season),
    ("[iofF]t?", "H", _holiday),
    ("[if]", "Q", _quarter),
    ("t", rf"{_YEAR}(?=[-mM])", _year),
)


def _one_of(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


_RULES = [*_WHOLE, *((part, handler) for _, part, handler in _PART[:-1])]
_HANDLERS = {f"rule{place}": handler for place, (_, handler) in enumerate(_RULES)}
_RULE = lazy("|".join(f"(?P<rule{place}>{pattern})" for place, (pattern, _) in enumerate(_RULES)))

_COMPLETE = f"(?:qf?)?{_one_of(*(pattern for pattern, _ in _WHOLE))}"
_EARLY = f"q[if]?{_one_of(_MONTH, _YEAR)}"
_AFTER_WORD = _one_of(*(f"{word}(?:qf?)?{part}" for word, part, _ in _PART))
_ANY = f"(?:qf?)?{_one_of(*(pattern for pattern, _ in _RULES))}"

# how times combine; the groups are what is combined
_CLAUSES = tuple(
    (name, lazy(pattern))
    for name, pattern in (
        ("days", f"[BF]t?([nh])[T&U]t?({_one_of(*(pattern for pattern, meaning in _WHOLE if meaning is _day))})"),
        ("between", f"Bt?({_ANY}),?&t?({_ANY})"),
        ("between", f"Ft?({_ANY}),?[TU]t?({_ANY})"),
        ("between", f"({_COMPLETE})Tt?({_COMPLETE})"),
        ("both", f"[io]t?({_ANY})&[io]?t?({_ANY})"),
        ("ahead", f"(?:t|{_COUNT})ubt?({_ANY})"),
        ("behind", f"(?:t|{_COUNT})uAt?({_ANY})"),
        ("since", f"st?({_ANY})"),
        ("after", f"At?({_ANY})"),
        ("before", f"bt?({_ANY})"),
        ("until", f"Ut?({_ANY})"),
        ("alone", f"([iofF]?t?{_COMPLETE}|{_EARLY}|{_AFTER_WORD})"),
    )
)
_BEGINS = lazy("[^-.,&acCgkTx]|k(?=[up])")
_LEADING = "iofFt"
_VALUE_OF = {"M": "m", "v": "m", "h": "n", "k": "n", "N": "n"}
_YEARLY = lazy("[^lzy]*[MmvSHQw][^lzy]*")


class _Reader:
    """One text's tokens, and what they mean now."""

    def __init__(self, tokens: list[Token], now: datetime) -> None:
        self._tokens = tokens
        self._kinds = "".join(token.kind for token in tokens)
        self._now = now

    def ranges(self) -> Iterator[TimeRange]:
        """Every period, from left to right."""
        begin = _BEGINS.search(self._kinds)
        while begin is not None:
            end = begin.start() + 1
            for name, pattern in _CLAUSES:
                clause = pattern.match(self._kinds, begin.start())
                if clause is not None:
                    end = clause.end()
                    yield from self._mean(name, clause)
                    break
            begin = _BEGINS.search(self._kinds, end)

    def _mean(self, name: str, clause: re.Match[str]) -> Iterator[TimeRange]:
        try:
            found = self._clause(name, clause)
        except (ValueError, OverflowError):  # 30 February, or a year before the first
            return
        yield from (each for each in found if each.start < each.end)

    def _clause(self, name: str, clause: re.Match[str]) -> list[TimeRange]:
        last = self._point(*clause.span(clause.re.groups), self._now)
        if last is None:
            return []
        if name in {"ahead", "behind"}:
            return [_beside(last, self._values(clause.start(), clause.start(1)), ahead=name == "ahead")]
        if name in {"days", "between", "both"}:
            first = self._first(name, clause, last)
            if name == "both":
                return [first, last] if first is not None else [last]
            return [TimeRange(first.start, last.end)] if first is not None else []
        return [
            {
                "since": TimeRange(last.start, _MAX),
                "after": TimeRange(last.end, _MAX),
                "before": TimeRange(_MIN, last.start),
                "until": TimeRange(_MIN, last.end),
            }.get(name, last)
        ]

    def _first(self, name: str, clause: re.Match[str], last: TimeRange) -> TimeRange | None:
        start, end = clause.span(1)
        if name == "days":  # "between 3 and 10 May"
            return _days(last.start.replace(day=self._tokens[start].value))
        # "between November and February 2023": the first is the latest before the second
        yearly = _YEARLY.fullmatch(self._kinds, start, end)
        return self._point(start, end, last.end - _INSTANT if yearly else self._now)

    def _point(self, start: int, end: int, now: datetime) -> TimeRange | None:
        third: int | None = None
        while self._kinds[start] in _LEADING or self._kinds[start] == "q":
            third = self._tokens[start].value if self._kinds[start] == "q" else third
            start += 1
        rule = _RULE.fullmatch(self._kinds, start, end)
        if rule is None:
            return None
        found = _HANDLERS[str(rule.lastgroup)](self._values(start, end), now)
        return found if third is None or found is None else _third(found, third)

    def _values(self, start: int, end: int) -> dict[str, int]:
        return {_VALUE_OF.get(token.kind, token.kind): token.value for token in self._tokens[start:end]}
