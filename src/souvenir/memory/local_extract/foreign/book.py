"""What a sentence in German, Spanish or French says about its author: one way to read, and a book of rules each."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from souvenir.memory.local_extract import kinds
from souvenir.memory.local_extract.english.rephrase import tidy
from souvenir.memory.local_extract.kinds import (
    AGE,
    FAMILY,
    NAME,
    PASSING,
    PET,
    TASTE,
    UNKNOWN,
    Found,
    Kind,
    hedged,
    lasting,
)
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.sentences import Sentence
from souvenir.memory.local_extract.words import word_set
from souvenir.patterns import lazy

Verbs = Mapping[str, tuple[str, Kind]]
Rules = Mapping[str, Sequence[tuple[re.Pattern[str], Kind]]]

_WORD = lazy(r"[^\W\d_]+['’]?")  # noqa: RUF001 - an apostrophe that people type
_NAMES = word_set("name vorname nachname nombre nom prénom")


class Said(NamedTuple):
    """A clause about the user: `begin` is its subject and verb in the third person, `verb` the verb alone."""

    begin: str
    verb: str
    rest: str


class Owned(NamedTuple):
    """A clause about somebody or something of the user, whose `noun` it is."""

    subject: str
    noun: str
    verb: str
    rest: str


@dataclass(frozen=True, slots=True)
class Book:
    """The rules of a language: words that are left out, that ask, doubt or pass, and how its clauses are read.

    `verbs` leads from the first person to the third and to what the verb says by itself; `rules` says more, by what
    follows. `swaps` are the words that change in what follows.
    """

    verbs: Verbs
    rules: Rules
    swaps: Mapping[str, str]
    people: frozenset[str]
    pets: frozenset[str]
    leads: re.Pattern[str]
    explicit: re.Pattern[str]
    asks: re.Pattern[str]
    hedges: re.Pattern[str]
    passing: re.Pattern[str]
    joints: re.Pattern[str]
    favourite: re.Pattern[str]
    years_old: str
    called: str
    third: re.Pattern[str]
    said: Callable[["Book", str, bool], Said | None]
    owned: Callable[["Book", str], Owned | None]
    join: Callable[[str], str] = tidy


def verb_table(text: str) -> dict[str, tuple[str, Kind]]:
    """A table of "wohne>wohnt" by kind, a kind a line."""
    table: dict[str, tuple[str, Kind]] = {}
    for line in text.strip().splitlines():
        name, *pairs = line.split()
        for pair in pairs:
            first, _, third = pair.partition(">")
            table[first] = (third, getattr(kinds, name))
    return table


def rule_table(text: str) -> dict[str, list[tuple[re.Pattern[str], Kind]]]:
    """What a verb says by what follows: rows of a kind, verbs in the third person and a pattern."""
    table: dict[str, list[tuple[re.Pattern[str], Kind]]] = {}
    for row in re.sub(r"\|\n +", "|", text).strip().splitlines():
        head, _, pattern = row.partition(":")
        name, *verbs = head.split()
        for verb in verbs:
            table.setdefault(verb.replace("_", " "), []).append((compiled(pattern), getattr(kinds, name)))
    return table


def read_foreign(book: Book, sentence: Sentence) -> Iterator[Found]:
    """Everything a sentence says of the user."""
    text = sentence.text[sentence.words[0].start : sentence.words[-1].end].lstrip("¿¡ ")
    text = book.leads.sub("", text)
    explicit = book.explicit.match(text)
    if explicit is not None:
        text = text[explicit.end() :]
    clauses = [clause for clause in book.joints.split(text) if clause and clause.strip(" ,;")]
    if sentence.asks and explicit is None:
        clauses.pop()
    going_on, doubtful = False, False
    spoken_of: Owned | None = None
    for part in clauses:
        clause = book.leads.sub("", part.strip(" ,;:-–—¿¡."))  # noqa: RUF001 - dashes that people type
        if not clause or book.asks.match(clause.lower()):
            going_on, spoken_of = False, None
            continue
        spoken_of = book.owned(book, clause) or _going_on(book, clause, spoken_of)
        found = _of_theirs(book, spoken_of) if spoken_of is not None else _clause(book, clause, going_on=going_on)
        if found is not None:
            kind = hedged(found.kind) if doubtful else found.kind
            yield found._replace(kind=kind, explicit=explicit is not None)
        going_on = going_on or found is not None
        doubtful = found is None and book.hedges.search(clause.lower()) is not None


def _going_on(book: Book, clause: str, spoken_of: Owned | None) -> Owned | None:
    """ "My son is 8 and plays football": the second of somebody."""
    found = book.third.match(clause) if spoken_of is not None else None
    return spoken_of._replace(verb=found["verb"].lower(), rest=found["rest"].strip()) if spoken_of and found else None


def _clause(book: Book, clause: str, *, going_on: bool) -> Found | None:
    said = book.said(book, clause, going_on)
    if said is None:
        return None
    kind = _kind(book, said.verb, said.rest.lower())
    rest = said.rest if kind is NAME else _swapped(book, said.rest)
    aged = kind is AGE and said.rest.isdigit()
    content = book.join(f"{said.begin} {rest}{' ' + book.years_old if aged else ''}")
    return Found(content, _weighed(book, kind, clause))


def _of_theirs(book: Book, owned: Owned) -> Found:
    """ "My wife is called Jane" and the like."""
    if owned.noun in _NAMES:
        return Found(book.join(f"{book.called} {owned.rest}"), NAME)
    content = book.join(f"{owned.subject} {owned.verb} {_swapped(book, owned.rest)}")
    kind = _kind(book, owned.verb, owned.rest.lower())
    if book.favourite.search(owned.subject.lower()):
        kind = TASTE
    elif owned.noun in book.people:
        kind = FAMILY if lasting(kind) else kind
    elif owned.noun in book.pets:
        kind = PET if lasting(kind) else kind
    else:
        kind = UNKNOWN
    return Found(content, _weighed(book, kind, owned.rest))


def _kind(book: Book, verb: str, low: str) -> Kind:
    for pattern, kind in book.rules.get(verb, ()):
        if pattern.match(low):
            return kind
    return next((kind for third, kind in book.verbs.values() if third == verb), UNKNOWN)


def _weighed(book: Book, kind: Kind, clause: str) -> Kind:
    low = clause.lower()
    if lasting(kind) and book.passing.search(low):
        return PASSING
    return hedged(kind) if book.hedges.search(low) else kind


def _swapped(book: Book, rest: str) -> str:
    return _WORD.sub(lambda word: book.swaps.get(word.group().lower(), word.group()), rest)
