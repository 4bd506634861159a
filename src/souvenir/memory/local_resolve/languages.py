"""Reads German, Spanish and French sentences about the user: the main slots, and any verb with what it is said of."""

from dataclasses import dataclass, replace

import regex

from souvenir.memory.local_resolve.chinese import read_chinese
from souvenir.memory.local_resolve.frames import USER, Frame, Item, Language, Subject
from souvenir.memory.local_resolve.tongues import TONGUES, Line, Tongue
from souvenir.memory.local_resolve.values import exactly, make_item, names, things, whole
from souvenir.memory.local_resolve.words import fold, term_of
from souvenir.patterns import lazy_regex

_HAN = lazy_regex(r"\p{Han}")
_NOBODY = ("",)
_WORD = lazy_regex(r"\S+")


@dataclass(frozen=True, slots=True)
class _Said:
    tongue: Tongue
    subject: Subject
    negative: bool
    changed: bool


def read_foreign(text: str) -> tuple[Language | None, tuple[Frame, ...]]:
    """The language of a sentence and its frames; no language when it is none of these."""
    if not text.isascii() and _HAN.search(text):
        return "zh", read_chinese(text)
    first = text.split(" ", 1)[0]
    for tongue in TONGUES:
        known = first in tongue.starts or (tongue.language == "fr" and first.startswith("L'"))
        frames = _read(tongue, text) if known else None
        if frames is not None:
            return tongue.language, tuple(frames)
    return None, ()


def _read(tongue: Tongue, text: str) -> list[Frame] | None:
    if (match := tongue.user.match(text)) is not None:
        return _predicate(tongue, Subject((USER,)), text[match.end() :])
    if text.startswith("User "):
        return None
    if (match := tongue.owned.match(text)) is not None:
        return _owned(tongue, _words(match["r"]), text[match.end() :])
    if (match := tongue.fact.fullmatch(text)) is not None:
        slot = f"attr {' '.join(_words(match['r']))} {' '.join(_words(match['z']))}"
        return [Frame(Subject(_NOBODY), slot, exactly(_bare(tongue, match["v"])), single=True)]
    return None


def _words(text: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(text)]


def _bare(tongue: Tongue, text: str) -> str:
    return tongue.article.sub("", text)


def _owned(tongue: Tongue, what: list[str], text: str) -> list[Frame]:
    """ "Die Frau des Nutzers heißt Jana": a value of the user's, or something said of what is the user's."""
    said, text = _mood(tongue, Subject((USER,)), text)
    head = next((word for word in what if word in tongue.relations), what[0])
    value = tongue.value.fullmatch(text)
    if value is not None and (slot := tongue.relations.get(head)) is not None:
        return _relation(said, slot, head, value["v"])
    if value is not None and any(tongue.attribute.search(word) for word in what):
        return [_frame(said, f"attr {' '.join(sorted(what))}", _auto(_bare(tongue, value["v"])), single=True)]
    return _predicate(tongue, Subject((USER, " ".join(what))), text)


def _relation(said: _Said, slot: str, head: str, value: str) -> list[Frame]:
    if not value[:1].isupper():
        return _predicate(said.tongue, Subject((USER, head)), value)
    if slot:
        return [_frame(said, slot, names(value), single=True)]
    terms = frozenset(term for item in names(value) for term in item.terms)
    return [_frame(said, "have", (make_item(head, frozenset((head,)), terms),))]


def _mood(tongue: Tongue, subject: Subject, text: str) -> tuple[_Said, str]:
    negative = tongue.negation.search(text) is not None
    plain = tongue.negation.sub(" ", text)
    changed = tongue.now.search(plain) is not None
    plain = " ".join(tongue.now.sub(" ", plain).split())
    return _Said(tongue, subject, negative, changed), plain


def _predicate(tongue: Tongue, subject: Subject, text: str) -> list[Frame]:
    said, text = _mood(tongue, subject, text)
    for line in tongue.lines:
        if (match := line.pattern.fullmatch(text)) is not None:
            return _fill(said, line, match)
    return _plain(said, text)


def _fill(said: _Said, line: Line, match: regex.Match[str]) -> list[Frame]:
    groups = match.groupdict()
    changed = said.changed or line.changed
    found = []
    if (title := groups.get("t")) is not None:
        found.append(_frame(said, "title", things(title, said.tongue.grammar), single=True, changed=changed))
    if (value := groups.get("v")) is not None:
        slot, items = _read_value(said.tongue, line, value)
        found.append(_frame(said, slot, items, single=line.single and slot == line.slot, changed=changed))
    elif line.value:
        found.append(_frame(said, line.slot, _constant(line.value), single=True, changed=changed))
    if line.negative:
        found = [replace(frame, negative=not frame.negative) for frame in found]
    return [frame for frame in found if frame.items]


def _read_value(tongue: Tongue, line: Line, value: str) -> tuple[str, tuple[Item, ...]]:
    if line.kind == "whole":
        return line.slot, whole(value)
    if line.kind == "thing":
        return line.slot, things(value, tongue.grammar)
    named, details = _cut(tongue, _bare(tongue, value))
    if not named[:1].isupper() or named != value[: len(named)]:
        return f"{line.slot} in", things(value, tongue.grammar)
    items = names(named) if line.kind == "name" else exactly(named)
    return line.slot, tuple(replace(item, details=details, reach=item.reach | details) for item in items)


def _cut(tongue: Tongue, text: str) -> tuple[str, frozenset[str]]:
    words = text.split(" ")
    for at, word in enumerate(words):
        if at and fold(word) in tongue.grammar.details:
            rest = frozenset(term_of(fold(one)) for one in words[at:] if fold(one) not in tongue.grammar.details)
            return " ".join(words[:at]).rstrip(","), rest - tongue.grammar.empty
    return text, frozenset()


def _plain(said: _Said, text: str) -> list[Frame]:
    """Any other verb: its own slot, with as many things as are said of it."""
    verb, _, rest = text.partition(" ")
    slot, contrary = said.tongue.verbs.get(fold(verb), (fold(verb), False))
    items = things(rest, said.tongue.grammar)
    if rest and not items:
        return []
    found = _frame(said, slot, items)
    return [replace(found, negative=found.negative != contrary)]


def _frame(said: _Said, slot: str, items: tuple[Item, ...], *, single: bool = False, changed: bool = False) -> Frame:
    return Frame(said.subject, slot, items, negative=said.negative, single=single, changed=changed or said.changed)


def _constant(value: str) -> tuple[Item, ...]:
    return (make_item(value, frozenset((value,))),)


def _auto(text: str) -> tuple[Item, ...]:
    return whole(text) if any(character.isdigit() for character in text) else exactly(text)
