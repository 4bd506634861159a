"""Reads one English clause: what its predicate says of its subject, by the tables of predicates."""

from dataclasses import replace

from souvenir.memory.local_resolve.attributes import Phrase, slot_of, state_with
from souvenir.memory.local_resolve.be_rules import BE_RULES, HAVE_RULES
from souvenir.memory.local_resolve.frames import NOTHING, Item
from souvenir.memory.local_resolve.moods import adverbs, is_past, lemma, peel
from souvenir.memory.local_resolve.notes import Items, Notes, Said
from souvenir.memory.local_resolve.owned import note_value
from souvenir.memory.local_resolve.predicates import PREPOSITIONS, VERB_CLASS, VERB_RULES
from souvenir.memory.local_resolve.readers import READERS, Groups
from souvenir.memory.local_resolve.rules import Fill, Rule
from souvenir.memory.local_resolve.statements import (
    constant,
    is_time,
    note_existence,
    note_kind,
    note_state,
    note_when,
)
from souvenir.memory.local_resolve.values import ENGLISH, content, exactly, is_aside, make_item, names, things, whole
from souvenir.patterns import lazy_regex

_INSTEAD = lazy_regex(r",? (?:instead of|rather than|in place of|and not|not) (?P<x>.+)$")
_BUT_NOT = lazy_regex(r",? but not (?P<n>.+)$")
_DOING = lazy_regex(r"(?P<v>\p{Ll}{2,}ing)\b(?: (?P<rest>.+))?$")
_COPULA = frozenset(("is", "are", "was", "were", "be", "been", "'s"))
_PAST = frozenset(("was", "were"))
_PRESENT = frozenset(("is", "are"))
_CANCELLED = lazy_regex(r"(?:(?:is|was|has been|been|got) )?(?:cancell?ed|called off)(?: .*)?")
_MOVED = lazy_regex(
    r"(?:(?:is|was|has been|been) )?(?:now )?(?:moved|postponed|rescheduled|pushed(?: back)?|changed|extended|delayed"
    r"|shifted|brought forward) (?:from .+? )?(?:to|until) (?P<v>.+)"
)
_IMPLIED = {"prefer": "like", "drive": "have"}
_PRONOUNS = frozenset(("one", "1", "it", "them", "that", "this", "so", "any"))
_GO = lemma("go")
_WORK = lemma("work")
# said without an object these say nothing
_EMPTY_ALONE = frozenset(("do", "have", "use", "like", "want", "prefer"))


def read_predicate(notes: Notes, said: Said, text: str) -> None:
    """Note what a clause says of its subject."""
    mood, text = peel(text)
    verb, _, rest = text.partition(" ")
    _read_verb(notes, replace(said, mood=mood), verb, rest)


def read_owned(notes: Notes, said: Said, phrase: Phrase, text: str) -> None:
    """Note what a clause says of somebody's something: its value if it has one, else what holds of it."""
    if not said.subject.names:
        said = replace(said, subject=replace(said.subject, names=notes.named.get(phrase.path, NOTHING)))
    if slot_of(phrase) is not None and _read_attribute(notes, said, phrase, text):
        return
    mood, text = peel(text)
    said = replace(said, mood=replace(mood, changed=mood.changed or phrase.changed))
    if _CANCELLED.fullmatch(text):
        note_existence(notes, said, phrase, gone=True)
        return
    if (moved := _MOVED.fullmatch(text)) is not None and is_time(moved["v"]):
        _read_moved(notes, said.changed(), phrase, moved["v"])
        return
    verb, _, rest = text.partition(" ")
    if verb in _COPULA:
        mood, rest = adverbs(said.mood, rest)
        said = replace(said, mood=mood)
        if note_value(notes, said, phrase, rest):
            return
    _read_verb(notes, said, verb, rest)
    note_existence(notes, said, phrase)


def _read_attribute(notes: Notes, said: Said, phrase: Phrase, text: str) -> bool:
    """ "is engineering manager" is no verb where a value is due."""
    verb, _, rest = text.partition(" ")
    if verb not in _PRESENT:
        return False
    mood, rest = adverbs(replace(said.mood, changed=phrase.changed), rest)
    return note_value(notes, replace(said, mood=mood), phrase, rest)


def _read_moved(notes: Notes, said: Said, phrase: Phrase, value: str) -> None:
    if not note_value(notes, said, phrase, value):
        note_when(notes, said, value)


def _read_verb(notes: Notes, said: Said, verb: str, rest: str) -> None:
    if verb in _COPULA:
        _read_be(notes, said, rest, past=verb in _PAST)
        return
    name = lemma(verb)
    if (but := _BUT_NOT.search(rest)) is not None:
        _read_verb(notes, said.denied(), verb, but["n"])
        rest = rest[: but.start()]
    if name == _GO and (doing := _DOING.match(rest)) is not None:
        _read_verb(notes, said, doing["v"], doing["rest"] or "")
        return
    if rest.startswith("no ") and name != "have":
        said, rest = said.denied(), rest[3:]
    if name == _WORK:
        rest = rest.removeprefix("hard ")
    if VERB_CLASS.get(name, ("",))[0] == "like":
        rest = rest.removeprefix("to ")
    rules = HAVE_RULES if name == "have" else VERB_RULES.get(name, ())
    if not _apply(notes, said, rules, rest):
        _read_plain(notes, said, name, rest, event=is_past(verb))


def _apply(notes: Notes, said: Said, rules: tuple[Rule, ...], rest: str, *, past: bool = False) -> bool:
    for rule in rules:
        if (match := rule.pattern.fullmatch(rest)) is not None:
            if past and not rule.ever:
                said = said.past()
            elif rule.ever and said.mood.manner == "past":
                said = replace(said, mood=replace(said.mood, manner=""))
            for fill in rule.fills:
                _fill(notes, said, fill, match.groupdict())
            return True
    return False


def _read_plain(notes: Notes, said: Said, name: str, rest: str, *, event: bool) -> None:
    """A verb without rules: it fills the slot of its own name, with as many things as are said."""
    slot, contrary = VERB_CLASS.get(name, (name, False))
    lead = rest.split(" ", 1)[0]
    if lead in PREPOSITIONS and slot != "have":
        slot, rest = f"{slot} {lead}", rest[len(lead) + 1 :]
    rest, dropped = _instead(rest)
    items = _objects(rest, denied=said.mood.negative)
    if items is None or (not items and slot in _EMPTY_ALONE):
        return
    notes.add(said, slot, items, negative=contrary, event=event and slot != "have", dropped=dropped)
    if slot == "have" and (state := state_with(items)) is not None:
        notes.imply(said, "state marital", constant(state), single=True)
    if slot == "like" and not contrary and any(" mode" in item.head for item in items):
        notes.imply(said, "prefer", items)


def _objects(text: str, *, denied: bool) -> Items | None:
    """What a verb is done to: nothing in particular, or how often or when; None if that is not understood."""
    if not text or (denied and is_aside(text)):
        return ()
    if is_aside(text):
        return (make_item("", NOTHING, NOTHING, content(text)),)
    if text.split(" ", 1)[0] in ENGLISH.details:
        return (make_item("", NOTHING, content(text)),)
    return tuple(item for item in things(text) if item.head not in _PRONOUNS) or None


def _read_be(notes: Notes, said: Said, rest: str, *, past: bool) -> None:
    mood, rest = adverbs(said.mood, rest)
    said = replace(said, mood=mood)
    if not rest or _apply(notes, said, BE_RULES, rest, past=past):
        return
    if past:
        said = said.past()
    if note_state(notes, said, rest) or note_kind(notes, said, rest):
        return
    lead = rest.split(" ", 1)[0]
    slot, rest = (f"be {lead}", rest[len(lead) + 1 :]) if lead in PREPOSITIONS else ("be", rest)
    if items := things(rest):
        notes.add(said, slot, items)


def _fill(notes: Notes, said: Said, fill: Fill, groups: Groups) -> None:
    if fill.unless is not None and groups.get(fill.unless) is not None:
        return
    said = said.changed() if fill.changed else said
    text = groups.get(fill.group) if fill.group is not None else None
    if fill.value is not None:
        # of whom one parted is told: that says nothing of another
        parted = fill.value == "divorced" and (groups.get("v") is not None or bool(_others(said)))
        note = notes.imply if fill.implied or parted else notes.add
        note(said, fill.slot, constant(fill.value), single=fill.single)
    elif text is not None:
        _fill_with(notes, said, fill, text.strip(), groups)
    elif fill.negative or fill.group is None:
        notes.add(said, fill.slot, _others(said), single=fill.single, negative=fill.negative)


def _fill_with(notes: Notes, said: Said, fill: Fill, text: str, groups: Groups) -> None:
    if (reader := READERS.get(fill.kind)) is not None:
        reader(notes, said, fill, text, groups)
        return
    text, dropped = _instead(text)
    dropped = (*dropped, *things(groups.get("x") or ""))
    items = {"name": names, "whole": whole, "exact": exactly}.get(fill.kind, things)(text)
    if not items:
        return
    notes.add(said, fill.slot, items, single=fill.single, negative=fill.negative, loose=fill.loose, dropped=dropped)
    if (also := _IMPLIED.get(fill.slot)) is not None:
        notes.imply(said, also, items)


def _instead(text: str) -> tuple[str, tuple[Item, ...]]:
    match = _INSTEAD.search(text)
    return (text, ()) if match is None else (text[: match.start()], things(match["x"]))


def _others(said: Said) -> Items:
    """Whom User parted from, when both are named as doing it."""
    return names(said.other) if said.other[:1].isupper() else ()
