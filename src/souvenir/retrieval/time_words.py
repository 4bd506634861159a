"""The vocabulary of time: words and figures become tokens, which `times` reads by rule."""

# ruff: noqa: RUF001 - the quotation marks and dashes that people type

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from souvenir.patterns import lazy


class Unit(IntEnum):
    """A length of time, in the order of length."""

    HOUR = 0
    DAY = 1
    NIGHT = 2
    WEEK = 3
    WEEKEND = 4
    MONTH = 5
    QUARTER = 6
    YEAR = 7


class Token(NamedTuple):
    """A word as rules see it: a kind of one letter, and a number."""

    kind: str
    value: int


FEW = {"couple": (2, 3), "few": (2, 6), "several": (3, 9)}
HOLIDAYS = {"christmas": (12, 24, 3), "xmas": (12, 24, 3), "halloween": (10, 31, 1), "valentine": (2, 14, 1)}
SPAN = 1  # the value of "past": "the past week" ends now, "last week" with the week


def _vocabulary() -> dict[str, Token]:
    words: dict[str, Token] = {}

    def add(kind: str, text: str, first: int = 0) -> None:
        """Words of one kind; `|` joins those with the same value, which counts up."""
        for value, group in enumerate(text.split(), start=first):
            words.update((word, Token(kind, value)) for word in group.split("|"))

    add("m", "jan|januar|enero|janvier feb|februar|febrero|février mar|march|märz|marzo|mars apr|april|abril|avril", 1)
    add("m", "may|mai|mayo jun|june|juni|junio|juin jul|juli|julio|juillet aug|august|agosto|août", 5)
    add("m", "sep|sept|septiembre|septembre oct|okt|oktober|octubre|octobre nov|noviembre|novembre", 9)
    add("m", "dec|dez|dezember|diciembre|décembre", 12)
    for month, name in ((1, "january"), (2, "february"), (7, "july")):
        add("M", name, month)
    add("M", "september october november december", 9)
    add("w", "monday|montag|lunes|lundi tuesday|dienstag|martes|mardi wednesday|mittwoch|miércoles|mercredi")
    add("w", "thursday|donnerstag|jueves|jeudi friday|freitag|viernes|vendredi saturday|samstag|sábado|samedi", 3)
    add("w", "sunday|sonntag|domingo|dimanche", 6)
    add("S", "winter spring summer autumn|fall")
    add("H", " ".join(HOLIDAYS))
    add("e", "today|tonight|heute|hoy|aujourd'hui yesterday|gestern|ayer|hier vorgestern|anteayer|avant-hier")
    add(
        "u",
        "hour|hours day|days night|nights|evening|morning|afternoon week|weeks weekend month|months quarter year|years",
    )
    add("Q", "q1 q2 q3 q4", 1)
    add("k", "a|an|one two three four five six seven eight nine ten eleven twelve", 1)
    add("p", " ".join(FEW))
    add("l", "last|previous past")
    add("q", "early|beginning|start mid|middle late|end")
    for kind, text in {
        "a": "ago", "z": "this|current", "x": "next|every|each|coming|following", "1": "first",
        "i": "in|during|throughout|around|im|en", "f": "of|for|de", "F": "from", "o": "on|at|over|am",
        "t": "the|my|our|your|his|her|their", "s": "since", "A": "after", "b": "before", "U": "until|till|til",
        "B": "between", "T": "to|through|-|–", "&": "and|or",
        "g": "be|have|not|also|well|never|come|need|want|seem|get|take|contain",
        "c": "€|$|£|%|percent|km|kg|euros|dollars|pounds|words|steps|meters|metres|miles|calories|pages|lines"
        "|characters|tokens|points|pieces|items|files|rows|minutes|seconds|word|euro|dollar|page|line"
        "|step|mile|token|piece|meter",
        "C": "people|users|guests|participants|employees|friends|times",
    }.items():  # fmt: skip
        add(kind, text)
    return words


_WORDS = _vocabulary()
_VERBS = {"may", "march"}
_ABBREVIATIONS = {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
_FRENCH = lazy(
    r"\b(?:je|tu|il|elle|nous|vous|ils|elles|est|le|les|des|du|que|qui|quoi)\b|\b(?:[cdjlmnst]|qu)'", re.IGNORECASE
)

_HINT = lazy(r"[^\W\d_]+|[0-9]")
# without one of these there is no time in a text
_TELLING = frozenset("0123456789").union(
    *(_HINT.findall(word) for word, token in _WORDS.items() if token.kind in "MmwSHeu")
)
_PIECE = lazy(r"mid-(?=[^\W\d])|[^\s,;:!?()\[\]\"“”„«»…]+|[,;:!?()…\n]", re.IGNORECASE)
_PUNCTUATION = frozenset(",;:!?()…\n")
_NUMERAL = lazy(
    r"(?P<d>(?:19|20)[0-9]0)['’]?s|(?P<y>(?:19|20)[0-9]{2})(?:['’]s)?|(?P<n>0?[1-9]|[12][0-9]|3[01])|(?P<N>[0-9]{1,3})"
    r"|(?P<h>[0-9]{1,2})(?:st|nd|rd|th)",
    re.IGNORECASE,
)
_NUMERIC_DATES = (
    lazy(r"(?P<y>(?:19|20)[0-9]{2})-(?P<m>0[1-9]|1[0-2])(?:-(?P<n>[0-9]{2})(?:T.*)?)?"),
    lazy(r"(?P<n>[0-9]{1,2})\.(?P<m>0?[1-9]|1[0-2])\.(?P<y>(?:19|20)[0-9]{2})"),
    lazy(r"(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)[0-9]{2})"),
)
_OTHER = Token("-", 0)
_STOP = Token(".", 0)
_COMMA = Token(",", 0)


def tokens(text: str) -> Iterator[Token]:
    """The words of a text as tokens, punctuation included."""
    here = "hier" in text.lower() and not _FRENCH.search(text)  # what it means in German
    for piece in _PIECE.findall(text):
        if piece in _PUNCTUATION:
            yield _COMMA if piece == "," else _STOP
            continue
        word = piece.strip("'‘’").rstrip(".")
        if word[:1] in "0123456789":
            yield from _numeral(word)
        else:
            yield _word(word) if not (here and word.lower() == "hier") else _OTHER
        if piece.endswith(".") and word.lower() not in _ABBREVIATIONS:
            yield _STOP


def _word(word: str) -> Token:
    lower = word.lower()
    token = _WORDS.get(lower) or _WORDS.get(lower.rstrip("-").removesuffix("'s").removesuffix("’s"))
    if token is None:
        return _OTHER
    return Token("v", token.value) if word in _VERBS else token


def _numeral(word: str) -> Iterator[Token]:
    """A number, or a date in figures, which reads as its words would: day, month, year."""
    number = _NUMERAL.fullmatch(word)
    if number is not None:
        kind = str(number.lastgroup)
        yield Token(kind, int(number[kind]))
        return
    date = next(filter(None, (form.fullmatch(word) for form in _NUMERIC_DATES)), None)
    if date is None:
        yield _OTHER
        return
    parts = date.groupdict()
    yield from (Token(kind, int(parts[kind])) for kind in "nmy" if parts.get(kind) is not None)


def may_tell_time(text: str) -> bool:
    """Whether a text has any word that could be part of a time; told quickly, as most texts have none."""
    return not _TELLING.isdisjoint(_HINT.findall(text.lower()))
