"""How the value of a rule is read, for the kinds of value that are more than a list of things."""

from collections.abc import Callable
from dataclasses import replace

from souvenir.memory.local_resolve.attributes import Phrase, is_no_job, is_person, read_phrase
from souvenir.memory.local_resolve.frames import USER
from souvenir.memory.local_resolve.kinds import is_company, is_dwelling, is_occupation, is_tool, term
from souvenir.memory.local_resolve.notes import Notes, Said
from souvenir.memory.local_resolve.owned import note_value
from souvenir.memory.local_resolve.rules import Fill
from souvenir.memory.local_resolve.statements import (
    employers,
    is_time,
    note_job,
    note_kind,
    note_name,
    note_state,
    note_when,
    titles,
)
from souvenir.memory.local_resolve.values import make_item, names, places, things, whole
from souvenir.memory.local_resolve.words import canonical, tokens_of
from souvenir.patterns import lazy_regex

Groups = dict[str, str | None]
Reader = Callable[[Notes, Said, Fill, str, Groups], None]

_DEADLINE = term("deadline")
_MANAGER = term("manager")
_SUBSCRIPTION = term("subscription")
_COMPANY = lazy_regex(r" with (?P<w>(?:his|her|their|a|an|two|three|four|some|several|\p{Lu})?.+)$")
_ARTICLES = ("the", "a", "an")


def _place(notes: Notes, said: Said, fill: Fill, text: str, groups: Groups) -> None:
    found, dwellings = places(text)
    if found:
        notes.add(said, fill.slot, found, single=fill.single, dropped=places(groups.get("x") or "")[0])
    elif dwellings and is_dwelling(dwellings[0].head):
        notes.add(said, "dwelling", dwellings, single=True)
    elif dwellings:
        notes.add(said, f"{fill.slot} in", dwellings)
    if fill.slot == "residence" and (company := _COMPANY.search(text)) is not None:
        people = tuple(item for item in things(company["w"]) if is_person(item.head))
        notes.imply(said, "household", people)


def _move(notes: Notes, said: Said, fill: Fill, text: str, groups: Groups) -> None:
    """Where somebody moved to: a place, an employer, another tool; or something, to another day."""
    name = " ".join(canonical([token for token in tokens_of(text) if token.lower() not in _ARTICLES]))
    if is_tool(name):
        _switch(notes, said, fill, text, groups)
    elif is_company(name):
        notes.add(said, "employer", employers(text), single=True)
    elif said.subject.path != (USER,) and is_time(text):
        note_when(notes, said, text)
    else:
        _place(notes, said, fill, text, groups)


def _switch(notes: Notes, said: Said, _fill: Fill, text: str, groups: Groups) -> None:
    if not note_state(notes, said, text.removesuffix(" diet")):
        notes.add(said, "use", things(text), dropped=things(groups.get("x") or ""))


def _employer(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    notes.add(said, fill.slot, employers(text), single=True, negative=fill.negative)


def _title(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    notes.add(said, fill.slot, titles(text), single=True)


def _occupation(notes: Notes, said: Said, fill: Fill, text: str, groups: Groups) -> None:
    """ "is a T at E", "became a T": a job, unless T is something else that people are or become."""
    if note_state(notes, said, text):
        return
    items = titles(text)
    if items and (is_occupation(items[0].head) or (fill.changed and not is_no_job(items[0].head))):
        note_job(notes, said, items, groups.get("e") or "", sure=fill.changed)
    else:
        note_kind(notes, said, f"a {text}")


def _state(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    if not note_state(notes, said, text.removesuffix(" diet")):
        notes.add(said, fill.slot, things(text))


def _fluent(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    notes.add(
        said, fill.slot, tuple(make_item(item.head, item.terms, item.details | {"fluent"}) for item in things(text))
    )


def _attribute(notes: Notes, said: Said, _fill: Fill, text: str, groups: Groups) -> None:
    """ "changed his email to V" says that his email is V."""
    phrase = read_phrase(f"User's {groups['r']}")
    if phrase is None or not note_value(notes, said, replace(phrase, owner=said.subject.path), text):
        notes.add(said, "use", things(text), dropped=things(groups.get("x") or ""))


def _when(notes: Notes, said: Said, _fill: Fill, text: str, _groups: Groups) -> None:
    note_when(notes, said, text)


def _moment(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    """When something begins or ends; or who began to work where."""
    if is_time(text):
        note_when(notes, said, text, of=f"{fill.slot} ")
    elif fill.slot == "start":
        notes.add(said, "employer", employers(text), single=True)
    else:
        notes.add(said, f"{fill.slot} in", things(text))


def _manager(notes: Notes, said: Said, _fill: Fill, text: str, _groups: Groups) -> None:
    note_name(notes, said, Phrase(said.subject.path, _MANAGER, ()), names(text))


def _relation(notes: Notes, said: Said, _fill: Fill, text: str, groups: Groups) -> None:
    note_name(notes, said, Phrase(said.subject.path, term(groups["r"] or ""), ()), names(text))


def _due(notes: Notes, said: Said, _fill: Fill, text: str, _groups: Groups) -> None:
    """ "User's thesis is due on D" says that the deadline of it is D."""
    *owner, thing = said.subject.path
    if owner:
        slot = f"attr {_DEADLINE} {' '.join(sorted(thing.split()))}"
        notes.add(said.about(tuple(owner)), slot, whole(text), single=True)


def _subscription(notes: Notes, said: Said, fill: Fill, text: str, _groups: Groups) -> None:
    items = things(text)
    made = tuple(make_item(_SUBSCRIPTION, item.terms | {_SUBSCRIPTION}, item.details) for item in items)
    notes.add(said, "have", made, negative=fill.negative)
    if not fill.negative:
        notes.imply(said, "use", items)


READERS: dict[str, Reader] = {
    "place": _place,
    "move": _move,
    "switch": _switch,
    "employer": _employer,
    "title": _title,
    "occupation": _occupation,
    "state": _state,
    "fluent": _fluent,
    "attribute": _attribute,
    "when": _when,
    "moment": _moment,
    "manager": _manager,
    "relation": _relation,
    "due": _due,
    "subscription": _subscription,
}
