"""Reads a third-person sentence into frames: of whom, which slot, filled with what."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from souvenir.memory.local_resolve import attributes as attrs
from souvenir.memory.local_resolve.clauses import read_owned, read_predicate
from souvenir.memory.local_resolve.entities import agent_slot, entity_frame, entity_name
from souvenir.memory.local_resolve.frames import USER, Frame, Reading, Subject
from souvenir.memory.local_resolve.languages import read_foreign
from souvenir.memory.local_resolve.lists import word_set
from souvenir.memory.local_resolve.moods import is_past, lemma
from souvenir.memory.local_resolve.notes import Notes, Said
from souvenir.memory.local_resolve.predicates import AUXILIARIES, KNOWN_VERBS
from souvenir.memory.local_resolve.values import exactly
from souvenir.memory.local_resolve.words import key_of, normalise
from souvenir.patterns import lazy_regex

_CACHED = 8192
_WITH = "User & "
_LONGEST = 600  # characters; a longer text is no sentence

_INVERTED = lazy_regex(
    r"(?P<v>[^,]+?) (?P<be>is|are|was) (?P<np>User's .+|the (?!\p{Ll}+ (?:one|same)\b)[^,]+? (?:of|for)"
    r" (?=\p{Lu}|the \p{Lu}).+|the (?:most \p{Ll}+|\p{Ll}+est) [^,]+? in \p{Lu}.+)"
)
_JOINT = lazy_regex(
    r"User and (?P<who>(?:(?:his|her|their) )?[\p{L}\-']+(?: \p{Lu}[\p{L}\-']*)*) (?=\p{Ll})(?P<rest>.+)"
)
_CLAUSE = lazy_regex(
    r"(?:,? (?:and|but|while|although|though)|[;,])(?: then)? (?=(?:(?P<who>User|he|she|they) )?(?:now |also"
    r" |currently |has |is )?"
    r"(?P<verb>no|does|\p{Ll}[\p{Ll}']+)\b(?P<more> \S)?)"
)
_AFTER_VERB = word_set("on at in to with for from a an the his her its their about into every each by as")
_BEFORE_NOUN = word_set("the a an his her their its of for and User's")
_FINITE = lazy_regex(r"\p{Ll}+(?:s|ed)$")


@dataclass(frozen=True, slots=True)
class _Clause:
    number: int
    subject: str
    predicate: str


@functools.lru_cache(maxsize=_CACHED)
def read(text: str) -> Reading:
    """What a sentence says. One that is not understood has no frames; it still has words."""
    plain = normalise(text)
    found: tuple[Frame, ...] = ()
    implied: tuple[Frame, ...] = ()
    language = None
    if 0 < len(plain) <= _LONGEST:
        language, found = read_foreign(plain)
        if language is None:
            language = "en"
            found, implied = _english(plain)
    return Reading(plain, language, found, implied, key_of(plain))


def _english(text: str) -> tuple[tuple[Frame, ...], tuple[Frame, ...]]:
    notes = Notes()
    if (whole := _whole(text)) is not None:
        return (whole,), ()
    if (inverted := _invert(text)) is not None:
        text = inverted
    for clause in _clauses(text):
        _read_clause(clause, notes)
    return tuple(notes.frames), tuple(notes.implied)


def _whole(text: str) -> Frame | None:
    return None if text.startswith("User") else entity_frame(text)


def _invert(text: str) -> str | None:
    """ "Jane is User's wife" says that User's wife is Jane."""
    match = _INVERTED.fullmatch(text)
    if match is None or match["v"].startswith("User") or match["v"].lower().startswith(("there", "it ", "the ")):
        return None
    return f"{match['np'][0].upper()}{match['np'][1:]} {match['be']} {match['v']}"


def _clauses(text: str) -> Iterator[_Clause]:
    subject, predicate = _split_subject(text)
    if subject is None:
        return
    start = 0
    number = 0
    for match in _CLAUSE.finditer(predicate):
        if match["who"] is None and not _begins_clause(match["verb"], match["more"]):
            continue
        yield _Clause(number, subject, predicate[start : match.start()])
        start = match.end() + (len(match["who"]) + 1 if match["who"] else 0)
        number += 1
    yield _Clause(number, subject, predicate[start:])


def _begins_clause(verb: str, more: str | None) -> bool:
    if verb in ("no", "does", "is", "has", "was", "will", "can", "cannot"):
        return more is not None
    return more is not None and (bool(_FINITE.match(verb)) or is_past(verb)) and lemma(verb) in KNOWN_VERBS


def _split_subject(text: str) -> tuple[str | None, str]:
    """The subject of a sentence and the rest of it; no subject when no verb is found."""
    if text.startswith("User "):
        joint = _JOINT.fullmatch(text)
        return (_WITH + joint["who"], joint["rest"]) if joint is not None else ("User", text[5:])
    words = text.split(" ")
    at = next((at for at in range(1, len(words)) if _is_finite(words, at)), None)
    if at is None:
        at = next((at for at in range(2, len(words) - 1) if _looks_finite(words, at)), None)
    if at is None:
        return None, text
    return " ".join(words[:at]), " ".join(words[at:])


def _looks_finite(words: Sequence[str], at: int) -> bool:
    """Whether a word that is not known is a verb, by its ending and by what follows it."""
    follows = words[at + 1]
    if not _FINITE.match(words[at]) or words[at - 1] in _BEFORE_NOUN:
        return False
    return follows in _AFTER_VERB or follows[:1].isdigit()


def _is_finite(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if word in AUXILIARIES:
        return True
    if not word[:1].islower() or lemma(word) not in KNOWN_VERBS or (at == 1 and words[0].endswith("'s")):
        return False
    follows = words[at + 1] if at + 1 < len(words) else ""
    if follows in ("is", "are", "was", "were", "for", "of"):
        return False
    plural = words[at - 1].endswith("s") and not words[at - 1].endswith("'s")
    return bool(_FINITE.match(word)) or is_past(word) or (plural and not word.endswith("ing"))


def _read_clause(clause: _Clause, notes: Notes) -> None:
    said = Said(Subject((USER,)), clause.number)
    if clause.subject == "User":
        read_predicate(notes, said, clause.predicate)
    elif clause.subject.startswith(_WITH):
        # what User and another do is said of User; of a parting, the other is whom from
        read_predicate(notes, replace(said, other=clause.subject.removeprefix(_WITH)), clause.predicate)
    elif (phrase := attrs.read_phrase(clause.subject)) is not None and not _read_agent(clause, phrase, notes):
        path = phrase.path if phrase.owner else (entity_name(clause.subject),)
        read_owned(notes, replace(said, subject=Subject(path, phrase.names)), phrase, clause.predicate)


def _read_agent(clause: _Clause, phrase: attrs.Phrase, notes: Notes) -> bool:
    """ "The author of Z is V" says that Z was written by V."""
    slot = agent_slot(phrase.head) if not phrase.owner else None
    _, of, thing = clause.subject.partition(" of ")
    be, _, value = clause.predicate.partition(" ")
    items = exactly(value)
    if slot is None or not of or be not in ("is", "was") or not items:
        return False
    notes.add(Said(Subject((entity_name(thing),)), clause.number), slot, items, single=True)
    return True
