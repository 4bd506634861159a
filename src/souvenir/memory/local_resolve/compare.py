"""Holds one reading against another: the same, less, more, a contradiction, an open one, or nothing to do with it."""

from collections.abc import Iterable
from enum import IntEnum

from souvenir.memory.local_resolve.amounts import PERIODS, has_number, other_amount, same_date, tells_amount
from souvenir.memory.local_resolve.attributes import is_one_of_many, is_unique
from souvenir.memory.local_resolve.frames import USER, Frame, Item, Reading, Subject
from souvenir.memory.local_resolve.kinds import go_together, is_tool, rivalry, term
from souvenir.memory.local_resolve.lists import listed, word_set
from souvenir.memory.local_resolve.moods import MANNERS
from souvenir.memory.local_resolve.words import is_number


class Relation(IntEnum):
    """What a new sentence is to a known one."""

    NONE = 0
    OPEN = 1  # they contradict each other, but both may hold
    MORE = 2  # the new one says all that the known one says, and more
    CLASH = 3
    LESS = 4
    SAME = 5


# what "gave up X" and "quit X" may put an end to
_GIVEN_UP = frozenset(
    term(word) for word in listed("drink eat smoke use play have take do watch learn attend collect read practise diet")
)
# what "switched from X" may
_SWITCHED = _GIVEN_UP | word_set("like prefer employer residence drive school speak major commut title")
# what a tool is not
_NOT_TOOLS = frozenset(("employer", "residence", "school", "title"))
# denied without an object, these are denied altogether
_ANYTHING = frozenset(("employer", "spouse", "partner", "household", "smoke", "have"))
# denied, these are over: the more exact denial says more
_ENDED = frozenset(("employer", "spouse", "partner", "left"))
# what "left X" may put an end to
_LEFT = frozenset(("employer", "residence", "school"))
# where two opposites cannot both be said
_SAID_OF_ONE = word_set("be isa work sleep feel") | {"residence in", "be in", "be on", "live on"}
_OF_THE_BODY = frozenset(term(word) for word in listed("hair eyes skin beard vision health commute"))
_OF_THE_LIVING = frozenset(("residence", "employer", "age", "household", "school", "workplace"))
_PART_OF_THE_TIME = word_set(
    "weekend weekday weekends summer winter spring autumn fall holiday holidays part-time temporari"
    " temporarily season sometim sometimes occasion occasionally second half"
)
_ADDS = word_set(
    "of with in at for who which named called and because since every on from about during as especially such while"
    " when after before near without"
)
_MEMBER = term("member")
_OPEN_PATHS = (("",), (USER,))


def relate(old: Reading, new: Reading) -> Relation:
    """What `new` is to `old`, from their frames alone."""
    if old.language != new.language:
        return Relation.NONE
    if not old.frames or not new.frames:
        return Relation.MORE if continues(old, new) else Relation.NONE
    if covers(old, new):
        if not covers(new, old):
            return Relation.LESS
        # what a rule leaves out may still be worth knowing
        return Relation.MORE if continues(old, new) else Relation.SAME
    found = _contradiction(old, new)
    if found is not Relation.NONE:
        return found
    return Relation.MORE if covers(new, old) or continues(old, new) else Relation.NONE


def continues(old: Reading, new: Reading) -> bool:
    """Whether the new sentence is the old one, word for word, with something added at its end."""
    return new.key.startswith(f"{old.key} ") and new.key[len(old.key) + 1 :].split(" ", 1)[0] in _ADDS


def covers(one: Reading, other: Reading) -> bool:
    """Whether the one says all that the other says."""
    said = (*one.frames, *one.implied)
    return all(any(_entails(frame, wanted) for frame in said) for wanted in other.frames)


def _entails(frame: Frame, wanted: Frame) -> bool:
    if frame.negative != wanted.negative or frame.event != wanted.event or (frame.tentative and not wanted.tentative):
        return False
    if not _slot_of(frame, wanted) or not _subject_of(frame.subject, wanted.subject):
        return False
    if not all(any(says(item, it) for item in frame.dropped) for it in wanted.dropped):
        return False
    return _values_of(frame, wanted)


def _subject_of(subject: Subject, wanted: Subject) -> bool:
    return _same_subject(subject, wanted) and wanted.names <= subject.names


def _values_of(frame: Frame, wanted: Frame) -> bool:
    ended = frame.negative and frame.slot in _ENDED
    if not wanted.items:
        return not frame.items or frame.negative or frame.slot != wanted.slot or _at_large(wanted, frame)
    if not frame.items:
        return frame.negative and not ended
    entailed = denies if frame.negative and not ended else says
    return all(any(entailed(item, it) and it.reasons <= item.reasons for item in frame.items) for it in wanted.items)


def _slot_of(frame: Frame, wanted: Frame) -> bool:
    """ "travels" is said by "travels to Japan"."""
    return frame.slot == wanted.slot or (not wanted.items and frame.slot.startswith(f"{wanted.slot} "))


def says(one: Item, other: Item) -> bool:
    """Whether having, liking or being the one is having, liking or being the other."""
    heads = one.heads | one.soft
    if other.head not in heads or not other.terms <= one.reach | one.soft:
        return False
    if other.count is not None and other.count != one.count:
        return False
    return other.details <= one.reach


def denies(one: Item, other: Item) -> bool:
    """Whether not to have, like or be the one leaves no room for the other."""
    return one.head in other.heads and one.terms <= other.reach and one.details <= other.reach


def _same_subject(one: Subject, other: Subject) -> bool:
    if one.path != other.path and not (one.path in _OPEN_PATHS and other.path in _OPEN_PATHS):
        return False
    return not one.names or not other.names or one.names <= other.names or other.names <= one.names


def _contradiction(old: Reading, new: Reading) -> Relation:
    worst = Relation.NONE
    clashed: set[int] = set()
    for known, said in _pairs(old, new):
        found = _clash(known, said)
        worst = max(worst, found)
        if found is Relation.CLASH:
            clashed.add(known.clause)
    if worst is Relation.CLASH and _loses(old, new, clashed):
        return Relation.OPEN
    return worst


def _pairs(old: Reading, new: Reading) -> Iterable[tuple[Frame, Frame]]:
    """What is only implied on both sides contradicts nothing."""
    for said in new.frames:
        for known in (*old.frames, *old.implied):
            yield known, said
    for said in new.implied:
        for known in old.frames:
            yield known, said


def _loses(old: Reading, new: Reading, clashed: set[int]) -> bool:
    """Whether a known sentence says more, in other clauses, than what is contradicted."""
    said = (*new.frames, *new.implied)
    return any(
        frame.clause not in clashed and not any(_entails(other, frame) for other in said) for frame in old.frames
    )


def _clash(known: Frame, said: Frame) -> Relation:
    if not _same_subject(known.subject, said.subject):
        return Relation.NONE
    if _drops(known, said):
        return Relation.CLASH
    if not _same_slot(known, said):
        return Relation.CLASH if _outlived(known, said) or _wed(known, said) else Relation.NONE
    if known.negative != said.negative:
        return _flip(known, said)
    if known.negative or not known.items or not said.items:
        return Relation.NONE
    return _weigh(known, said, _rivals(known, said))


def _drops(known: Frame, said: Frame) -> bool:
    """Whether what is known is what the new sentence says is given up."""
    if known.negative or len(known.items) != 1 or said.negative or not said.dropped or not said.items:
        return False
    if known.slot == said.slot and known.items[0].terms == said.items[0].terms:
        return any(gone.terms <= known.items[0].details for gone in said.dropped)
    if known.slot not in _SWITCHED and not known.slot.startswith("attr "):
        return False
    if (said.slot == "prefer" and known.slot != "prefer") or said.slot.split(" ", 1)[0] in MANNERS:
        return False
    if known.slot in _NOT_TOOLS and any(is_tool(item.head) for item in said.items):
        return False
    return any(denies(gone, known.items[0]) or _same_words(gone, known.items[0]) for gone in said.dropped)


def _same_words(one: Item, other: Item) -> bool:
    return " ".join(sorted(one.terms)) == " ".join(sorted(other.terms))


def _same_slot(known: Frame, said: Frame) -> bool:
    if said.slot == "any":
        return known.slot in _GIVEN_UP
    if said.slot == "left":
        member = known.slot == "isa" and any(_MEMBER in item.terms for item in known.items)
        return known.slot in _LEFT or member
    return known.slot == said.slot


def _outlived(known: Frame, said: Frame) -> bool:
    """Who died lives and works nowhere."""
    died = said.slot == "state living" and not said.negative and any(item.head == "dead" for item in said.items)
    return died and known.slot in _OF_THE_LIVING and not known.negative


def _wed(known: Frame, said: Frame) -> bool:
    """Whom one marries is no longer only one's partner."""
    married = said.slot == "spouse" and known.slot == "partner" and not said.negative and not known.negative
    return married and any(says(new, old) for new in said.items for old in known.items)


def _flip(known: Frame, said: Frame) -> Relation:
    """One says it, the other denies it. A narrower denial is none: who likes meat may not like red meat."""
    negative, positive = (known, said) if known.negative else (said, known)
    if (known.event and not known.negative) or said.tentative:
        return Relation.OPEN if _denied(negative, positive) and said.tentative else Relation.NONE
    if not negative.items:
        return Relation.CLASH if _at_large(negative, positive) else Relation.NONE
    denied = _denied(negative, positive)
    if denied == 0:
        return Relation.NONE
    return Relation.CLASH if denied == len(positive.items) and _certain(known, said) else Relation.OPEN


def _at_large(bare: Frame, frame: Frame) -> bool:
    """Whether what is said without an object is said of another's objects too: to run is not to run a bakery."""
    if bare.slot in _ANYTHING or bare.slot.startswith("state "):
        return True
    return all(item.head == "" or is_number(item.head) for item in frame.items)


def _denied(negative: Frame, positive: Frame) -> int:
    if not positive.items:
        return 0 if negative.items else 1
    return sum(
        any(denies(gone, item) or (negative.slot == "left" and _left(gone, item)) for gone in negative.items)
        for item in positive.items
    )


def _left(gone: Item, item: Item) -> bool:
    named = item.head == "*" or _MEMBER in item.terms
    return gone.terms == item.terms or (named and gone.terms <= item.terms)


def _rivals(known: Frame, said: Frame) -> Relation:
    """Whether two values of one slot exclude each other."""
    old, new = known.items[0], said.items[0]
    several = len(known.items) > 1 or len(said.items) > 1
    if not several and not known.event and not said.event and other_amount(old, new):
        return Relation.CLASH
    if said.slot == "prefer":
        return _preferred(known, said)
    marks = rivalry(old.terms, new.terms)
    if "!" in marks and (said.slot in _SAID_OF_ONE or new.head in _OF_THE_BODY) and not known.event:
        return Relation.CLASH
    if said.slot == "use" and ("=" in marks or "~" in marks) and not known.event and not said.dropped:
        return Relation.CLASH if "=" in marks or said.changed else Relation.OPEN
    return _other_value(said, old, new) if said.single else Relation.NONE


def _other_value(said: Frame, old: Item, new: Item) -> Relation:
    slot = said.slot
    if _compatible(old, new) or (slot.startswith("state ") and go_together(old.head, new.head)):
        return Relation.NONE
    if slot == "dwelling" and old.head == new.head:
        return Relation.NONE
    if (old.terms ^ new.terms) & PERIODS and has_number(old.terms) and has_number(new.terms):
        return Relation.OPEN
    match same_date(old.terms, new.terms):
        case "maybe":
            return Relation.CLASH if said.changed else Relation.OPEN
        case "yes":
            return Relation.NONE
        case _:
            return Relation.OPEN if old.head != "?" and new.head == "?" else Relation.CLASH


def _preferred(known: Frame, said: Frame) -> Relation:
    old, new = known.items[0], said.items[0]
    if any(says(it, new) for it in known.dropped) or any(says(it, old) for it in said.dropped):
        return Relation.CLASH
    if known.dropped or said.dropped:
        return Relation.NONE
    found = rivalry(old.terms | old.details, new.terms | new.details)
    return Relation.CLASH if found else Relation.NONE


def _compatible(old: Item, new: Item) -> bool:
    """Whether two values of a single slot may be the same one, said in two ways."""
    core_old, core_new = old.heads | old.reach, new.heads | new.reach
    if old.terms <= core_new or new.terms <= core_old:
        return True
    return old.head == new.head == "*" and tells_amount(old.terms) != tells_amount(new.terms)


def _weigh(known: Frame, said: Frame, found: Relation) -> Relation:
    """A contradiction in the light of what says that both may hold."""
    if found is not Relation.CLASH or said.also:
        return Relation.NONE if said.also else found
    several = len(known.items) > 1 or len(said.items) > 1
    partly = any(item.details & _PART_OF_THE_TIME for item in (*known.items, *said.items))
    loose = said.loose and not said.changed and known.items[0].head != said.items[0].head
    if several or partly or said.tentative or loose or not _certain(known, said):
        return Relation.OPEN
    return Relation.CLASH


def _certain(known: Frame, said: Frame) -> bool:
    """Whether both are surely about the same person: "User's sister" may be another than "User's sister Anna"."""
    if len(said.subject.path) < 2:
        return True
    if known.subject.names != said.subject.names:
        return is_unique(said.subject.path[-1])
    return said.changed or bool(said.subject.names) or not is_one_of_many(said.subject.path[-1])
