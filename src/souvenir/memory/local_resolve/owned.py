"""Reads "User's R is V": the value of what there is one of, or the name of somebody's somebody."""

from dataclasses import replace

from souvenir.memory.local_resolve import attributes as attrs
from souvenir.memory.local_resolve.kinds import is_occupation
from souvenir.memory.local_resolve.notes import Items, Notes, Said
from souvenir.memory.local_resolve.statements import (
    employers,
    is_time,
    note_existence,
    note_name,
    note_state,
    takes_name,
    titles,
)
from souvenir.memory.local_resolve.values import exactly, names, places, things, whole
from souvenir.patterns import lazy_regex

_CALLED = lazy_regex(r"(?:named|called) (?P<v>.+)")
_WHERE = lazy_regex(r"^(?:in|at|near|located in|situated in|based in) ")
_PROPER = lazy_regex(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?\p{Lu}[^\s,]*(?: (?:\p{Lu}[^\s,]*|van|von|de|del|la|bin|al|of|the|and|&))*"
)
_NOBODY = ("",)


def note_value(notes: Notes, said: Said, phrase: attrs.Phrase, text: str) -> bool:
    """Note what `phrase` is said to be, if that is a value or a name; False if it is only something said of it."""
    called = _CALLED.fullmatch(text)
    value = called["v"] if called is not None else text
    if phrase.former:
        return _former(notes, said, phrase, value)
    if phrase.head == "name" and len(phrase.owner) > 1 and not phrase.rest:
        *owner, head = phrase.owner
        note_name(notes, said, attrs.Phrase(tuple(owner), head, ()), names(value))
        return True
    if _PROPER.fullmatch(value) and _named(notes, said, phrase, value, called=called is not None):
        return True
    return _attribute(notes, said, phrase, value)


def _former(notes: Notes, said: Said, phrase: attrs.Phrase, value: str) -> bool:
    """Whose ex-wife is called so is not married to her."""
    relation = attrs.relation_of(phrase)
    if relation is None or not phrase.ended or not _PROPER.fullmatch(value):
        return False
    notes.add(said.about(phrase.owner), relation, names(value), single=True, negative=True)
    return True


def _named(notes: Notes, said: Said, phrase: attrs.Phrase, value: str, *, called: bool) -> bool:
    if not phrase.owner or phrase.plural:
        return False
    if takes_name(phrase, called=called):
        note_name(notes, said, phrase, names(value))
        return True
    if phrase.head in attrs.MANY or attrs.is_kept(phrase) or attrs.slot_of(phrase) is not None:
        return False
    notes.add(said, "name" if called else "one", names(value), single=True)
    note_existence(notes, said, phrase)
    return True


def _attribute(notes: Notes, said: Said, phrase: attrs.Phrase, value: str) -> bool:
    found = attrs.slot_of(phrase)
    if found is None:
        return False
    slot, kind = found
    owner = said.about(phrase.owner or _NOBODY)
    if kind == "state":
        return note_state(notes, owner, value)
    items = _items("own" if kind == "auto" and phrase.owner else kind, _WHERE.sub("", value))
    if not items:
        return False
    notes.add(owner, slot, items, single=True)
    if attrs.is_favourite(phrase):
        notes.imply(owner, "like", items)
    return True


def _items(kind: str, text: str) -> Items:
    """The value of an attribute, if what is said is of the kind that the attribute takes."""
    if kind == "place":
        return places(text)[0]
    if kind == "title":
        items = titles(text)
        return items if items and is_occupation(items[0].head) else ()
    if kind in ("name", "employer"):
        reader = names if kind == "name" else employers
        return reader(text) if _PROPER.match(text) else ()
    if kind == "whole" or is_time(text):
        return whole(text) if is_time(text) else ()
    if kind != "own":
        return exactly(text)
    # the same name, whether it begins the sentence or not
    items = names(text) if _PROPER.match(text) else things(text)
    return tuple(replace(item, heads=item.heads | item.terms | {"*"}) for item in items)
