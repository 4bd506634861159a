"""Noun phrases that name somebody's something ("User's deadline for the thesis"), and which of them have one value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from souvenir.memory.local_resolve.frames import NOTHING, USER, Item, Terms
from souvenir.memory.local_resolve.kinds import kinds_of, term
from souvenir.memory.local_resolve.lists import word_set
from souvenir.memory.local_resolve.words import canonical, tokens_of
from souvenir.patterns import lazy_regex


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: whose, what (`head`), which (`rest`), called what; `changed` when it is called new or current.

    `former`: it is no longer that. `plural`: there are several.
    """

    owner: tuple[str, ...]
    head: str
    rest: tuple[str, ...]
    names: Terms = NOTHING
    changed: bool = False
    former: bool = False
    plural: bool = False
    ended: bool = False  # former, and not merely another

    @property
    def path(self) -> tuple[str, ...]:
        """The phrase as the subject of something said of it."""
        return (*self.owner, " ".join((*sorted(self.rest), self.head)))


def _set(words: str) -> frozenset[str]:
    return frozenset(term(word) for word in words.split())


# of one person one at a time, whatever is said before them ("work phone number")
_ATTRIBUTES = _set(
    "name surname nickname username handle age birthday birthplace hometown address email number timezone height weight"
    " size salary income rent budget deadline date time title job occupation profession employer company workplace"
    " school university college major department religion tongue pronouns sign type password pin limit level score rank"
    " diet bedtime currency anniversary capital language colour theme os editor browser bank location"
    " residence home city"
    " nationality ethnicity gender zodiac role destination password plate ceo president goal-weight salary wage pension"
    " allowance frequency dosage dose temperature speed duration length width price cost value rate total"
    " balance version"
    " model grade gpa rating quota target status priority layout font"
)
_PEOPLE = _set(
    "wife husband spouse partner girlfriend boyfriend fiance mother father manager landlord landlady dentist therapist"
    " doctor advisor adviser trainer ceo president chairperson chairman director mentor hairdresser accountant lawyer"
    " gp godmother godfather stepmother stepfather mother-in-law father-in-law psychologist psychiatrist vet"
)
_SPOUSES = _set("wife husband spouse")
_PARTNERS = _set("partner girlfriend boyfriend fiance")
# of which many are said one by one
MANY = _set(
    "hobby interest skill allergy goal dream problem issue concern passion strength weakness habit advantage"
    " disadvantage"
    " benefit feature reason example part purpose member drawback symptom cause ingredient challenge plan idea project"
    " pet friend colleague colleagues child son daughter sister brother cousin aunt uncle nephew niece"
    " neighbour neighbor"
    " classmate coworker roommate flatmate grandson granddaughter sibling dislike like preference tip way thing point"
    " side-effect effect consequence risk task topic subject aspect element component principle rule step"
    " option joy fear"
)
_FAMILY = _set(
    "friend colleague child son daughter sister brother cousin aunt uncle nephew niece neighbour neighbor classmate"
    " coworker roommate flatmate grandson granddaughter sibling student client teacher"
)
_ACQUAINTANCES = _set(
    "friend colleague cousin aunt uncle nephew niece neighbour neighbor classmate coworker client student"
    " teacher patient"
)
_HOUSEHOLD = _set("parents family housemates relatives kids friends boyfriend girlfriend people students")
_KEPT = _set("pet animal vehicle boat")
# attributes that other predicates tell too: the slot they share, and how their value is read
_SLOTS: dict[tuple[str, ...], tuple[str, str]] = {
    tuple(canonical(word.split("_"))): (slot, kind)
    for words, slot, kind in (
        ("name", "name", "name"),
        ("age", "age", "whole"),
        ("birthday birth_year", "birthday", "whole"),
        ("birthplace", "birthplace", "place"),
        ("hometown", "hometown", "place"),
        ("employer company workplace", "employer", "employer"),
        ("job job_title occupation profession", "title", "title"),
        ("residence home home_city city location", "residence", "place"),
        ("height", "height", "whole"),
        ("weight", "weight", "whole"),
        ("salary income", "income", "whole"),
        ("rent", "rent paid", "whole"),
        ("school university college", "school", "name"),
        ("major", "major", "thing"),
        ("religion", "religion", "state"),
        ("diet", "diet", "state"),
        ("bedtime", "bedtime", "whole"),
    )
    for word in words.split()
}
_ADJUSTING = word_set("new current latest present own dear beloved lovely full legal real actual")
_FORMER = word_set("old past late first second third last next other upcoming future")
_ENDED = frozenset(["former", "ex", "previous"])
_NO_JOB = _set(
    "father mother parent dad mum grandfather grandmother uncle aunt citizen member fan vegetarian vegan friend widow"
    " widower millionaire expert adult resident person man woman christian muslim buddhist homeowner smoker"
    " morning lover"
)
_LINKS = word_set("for of to with in at on from about between by where that who which whose during against")
_SILENT = word_set("of for to on in at")
_EMPTY = word_set("the a an his her their its this that")
_CHOSEN = _set("favourite preferred go-to main primary default usual")
_WORDS = lazy_regex(r"[^\s,()]+")


def read_phrase(text: str) -> Phrase | None:
    """A noun phrase in parts; None when there is nothing in it."""
    owner: tuple[str, ...] = ()
    pieces = regex.split(r"(?<=\w)'s? (?=\S)|(?<=s)' (?=\S)", text)
    for piece in pieces[:-1]:
        owner = (USER,) if piece == "User" else (*owner, *_named(piece))
    words = _WORDS.findall(pieces[-1])
    inner = _of_user(words)
    if inner is not None and not owner:
        owner, words = inner
    found = _phrase(owner, words)
    if found is not None and owner and owner[0] != USER:
        # "Germany's capital" is the capital of Germany
        return replace(found, owner=(), rest=(*found.rest, *(word for name in owner for word in name.split(" "))))
    return found


def _of_user(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]] | None:
    """ "The name of User" is User's name."""
    if len(words) > 2 and words[-1] == "User" and words[-2] in ("of", "for"):
        return (USER,), list(words[:-2])
    return None


def _named(piece: str) -> tuple[str, ...]:
    found = _phrase((), _WORDS.findall(piece))
    return (" ".join((*sorted(found.rest), found.head)),) if found is not None else ()


def _phrase(owner: tuple[str, ...], words: Sequence[str]) -> Phrase | None:
    lower = [word for at, word in enumerate(words) if word not in _EMPTY and (at or word.lower() not in _EMPTY)]
    changed = any(word in _ADJUSTING for word in lower)
    ended = any(word in _ENDED or word.startswith("ex-") for word in lower)
    former = ended or (any(word in _FORMER for word in lower) and "name" not in lower)
    lower = [word.removeprefix("ex-") for word in lower if word not in _ENDED]
    lower = [word for word in lower if word not in _ADJUSTING]
    core, scope = _cut(lower)
    core, names = _names_of(core) if owner else (core, [])
    terms = canonical([token for word in core for token in tokens_of(word)])
    if not terms:
        return None
    linked = canonical([token for word in scope for token in tokens_of(word) if word not in _SILENT])
    return Phrase(
        owner=owner,
        head=terms[-1],
        rest=(*terms[:-1], *linked),
        names=frozenset(canonical(names)),
        changed=changed,
        former=former,
        ended=ended,
        plural=_is_plural(core[-1]),
    )


def _cut(words: Sequence[str]) -> tuple[list[str], list[str]]:
    for at, word in enumerate(words):
        if at and word in _LINKS:
            return list(words[:at]), list(words[at:])
    return list(words), []


def _names_of(core: Sequence[str]) -> tuple[list[str], list[str]]:
    """The common nouns of a phrase and the name that follows them: "sister Anna"."""
    at = len(core)
    while at > 1 and core[at - 1][0].isupper() and not core[at - 1].isupper():
        at -= 1
    if at == len(core) or not core[at - 1][0].islower():
        return list(core), []
    return list(core[:at]), list(core[at:])


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word[0].islower()


def slot_of(phrase: Phrase) -> tuple[str, str] | None:
    """The slot that "… is V" fills and how V is read, when the phrase names something there is one of."""
    attribute = _last(phrase.head) in _ATTRIBUTES
    if phrase.former or (phrase.plural and not attribute):
        return None
    if phrase.owner and (found := _SLOTS.get((*phrase.rest, phrase.head))) is not None:
        return found
    one = is_favourite(phrase) or any(word.endswith("est") for word in phrase.rest)
    one = one or (phrase.head not in MANY and (attribute or (not phrase.owner and bool(phrase.rest))))
    return (f"attr {phrase.head} {' '.join(sorted(phrase.rest))}", "auto") if one else None


def _last(head: str) -> str:
    """What a head of several words is: a phone number is a number."""
    return term(head.rsplit(" ", 1)[-1]) if " " in head else head


def is_favourite(phrase: Phrase) -> bool:
    """Whether it is the one liked best."""
    return not _CHOSEN.isdisjoint(phrase.rest) or phrase.head in _CHOSEN


def relation_of(phrase: Phrase) -> str | None:
    """The slot that a name given to somebody's somebody fills, when there is only one of them."""
    if phrase.head in _SPOUSES:
        return "spouse"
    if phrase.head in _PARTNERS:
        return "partner"
    if phrase.head in _PEOPLE or (phrase.head == "friend" and "best" in phrase.rest):
        return f"name of {phrase.path[-1]}"
    return None


def state_with(items: Sequence[Item]) -> str | None:
    """The marital state of who has these."""
    heads = {item.head for item in items}
    return "married" if heads & _SPOUSES else "partnered" if heads & _PARTNERS else None


def is_unique(element: str) -> bool:
    """Whether a person has only one of these."""
    head = element.rsplit(" ", 1)[-1]
    return head in _PEOPLE or head in _ATTRIBUTES


def is_no_job(head: str) -> bool:
    """Whether people become that without working as it."""
    return head in _NO_JOB


def is_person(head: str) -> bool:
    """Whether it is somebody that people live with."""
    return head in _PEOPLE or head in _FAMILY or head in _HOUSEHOLD


def is_kept(phrase: Phrase) -> bool:
    """Whether it is an animal or a vehicle, of which people have several."""
    return bool((kinds_of(phrase.head) | {phrase.head}) & _KEPT)


def is_one_of_many(element: str) -> bool:
    """Whether people have so many of these that one is seldom the same as another."""
    return element.rsplit(" ", 1)[-1] in _ACQUAINTANCES


def is_family(phrase: Phrase) -> bool:
    """Whether people have several of these, each with a name of their own."""
    return phrase.head in _FAMILY
