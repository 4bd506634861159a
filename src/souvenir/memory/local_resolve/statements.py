"""What several predicates say in the same way: a state, a job, a name, a day."""

from dataclasses import replace

from souvenir.memory.local_resolve.attributes import Phrase, is_family, is_kept, relation_of, slot_of
from souvenir.memory.local_resolve.frames import NOTHING, USER
from souvenir.memory.local_resolve.kinds import is_occupation, is_sideline, state_of, term
from souvenir.memory.local_resolve.lists import listed
from souvenir.memory.local_resolve.notes import Items, Notes, Said
from souvenir.memory.local_resolve.values import content, make_item, names, things, whole
from souvenir.memory.local_resolve.words import DAYS, TIMES, canonical, is_number, tokens_of
from souvenir.patterns import lazy_regex

_EMPLOYER_END = lazy_regex(
    r",? (?:in|since|near|on|from|where|which|who|for (?:\w+ )*years?|last|this) .*|,? (?:full-time|part-time)$"
)
_TITLE_END = lazy_regex(r",? (?:since|from|where|for (?:the past |over |about )?[\w-]+ years?|last|this)\b.*")
_ARTICLE = lazy_regex(r"^(?:the|an?|his|her|their) ")
_AT = lazy_regex(r"(?P<t>[^,]+?) (?:at|for) (?P<e>.+)")
_OF = lazy_regex(r"(?P<t>[^,]+?) of (?P<e>\p{Lu}.+)")
_HEAD_OF = lazy_regex(r"(?:\p{Ll}+ )*(?P<head>\p{Ll}+) of (?P<what>\p{Ll}.*)")
_CLOCK = lazy_regex(r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d|noon|midnight")
_ORDINAL = lazy_regex(r"\d{1,2}(?:st|nd|rd|th)\b")
_PLAYERS = {
    term(player): thing
    for player, thing in {
        "guitarist": "guitar",
        "pianist": "piano",
        "violinist": "violin",
        "drummer": "drums",
        "cellist": "cello",
        "flutist": "flute",
        "bassist": "bass",
    }.items()
}


def constant(value: str) -> Items:
    """A word as the one thing that fills a slot."""
    return (make_item(term(value), frozenset((term(value),))),)


# who is a former or future something works as something else; who is a volunteer or certified may
_NOT_NOW = frozenset(term(word) for word in listed("former ex retired future aspiring prospective"))
_BESIDE = frozenset(
    term(word)
    for word in listed("volunteer amateur hobby certified licensed trained self-taught passionate avid part-time")
)
_EMPLOYED = constant("employed")
_DEAD = constant("dead")
_FOOD = (constant("meat"), constant("fish"))
_WITHOUT_MEAT = (term("vegan"), term("vegetarian"))


def note_state(notes: Notes, said: Said, text: str) -> bool:
    """ "single", "a vegetarian", "Catholic": one of several states that exclude each other. False if it is none."""
    items = things(text)
    found = state_of(items[0].head) if len(items) == 1 and len(items[0].terms) <= 2 else None
    if found is None:
        return False
    group, value = found
    state = make_item(value, frozenset((value,)), items[0].details, items[0].reasons)
    notes.add(said, f"state {group}", (state,), single=True)
    if value in _WITHOUT_MEAT:
        for food in _FOOD:
            notes.imply(said, "eat", food, negative=True)
    return True


def note_kind(notes: Notes, said: Said, text: str) -> bool:
    """ "a nurse", "a father", "the CEO of Acme": what somebody works as, or else what they are."""
    article, _, noun = text.partition(" ")
    if article not in ("a", "an", "the") or not noun:
        return False
    match = _AT.fullmatch(noun) or (_OF.fullmatch(noun) if article == "the" else None)
    items = _head_of(match["t"] if match is not None else noun) or things(match["t"] if match is not None else noun)
    if items and is_occupation(items[0].head) and items[0].terms.isdisjoint(_NOT_NOW):
        note_job(notes, said, items, match["e"] if match is not None else "", sure=False)
        return True
    if items and (played := _PLAYERS.get(items[0].head)) is not None:
        notes.add(said, "play", things(played))
    elif len(said.subject.path) > 1 and article != "the" and any(word[0].isupper() for word in noun.split()):
        notes.add(said, "model", things(noun), single=True)
    else:
        notes.add(said, "isa", things(noun))
    if len(said.subject.path) == 2 and said.subject.path[0] == USER:
        notes.imply(said.about((USER,)), "have", things(noun))
    return True


def _head_of(text: str) -> Items:
    """ "head of design": a head, of design."""
    match = _HEAD_OF.fullmatch(text)
    if match is None or not is_occupation(term(match["head"])):
        return ()
    head = term(match["head"])
    return (make_item(head, content(text) | {head}),)


def note_job(notes: Notes, said: Said, items: Items, employer: str, *, sure: bool) -> None:
    """What somebody works as and where. Not `sure`: it may be what they are beside their work."""
    beside = any(is_sideline(item.head) or not item.terms.isdisjoint(_BESIDE) for item in items)
    loose = beside and not sure and not said.mood.changed
    notes.add(said, "title", items, single=True, loose=loose)
    if employer:
        notes.add(said, "employer", employers(employer), single=True)
    if not any(item.head == "student" for item in items):
        notes.imply(said, "state employment", _EMPLOYED, single=True)


def employers(text: str) -> Items:
    """An employer by name, or (head "?") by what it is."""
    end = _EMPLOYER_END.search(text)
    found = names(text[: end.start()] if end is not None else text)
    details = content(text[end.start() :]) if end is not None else NOTHING
    head = "?" if _ARTICLE.sub("", text)[:1].islower() else "*"
    return tuple(
        replace(item, head=head, heads=item.heads | {"?"}, details=item.details | details, reach=item.reach | details)
        for item in found
    )


def titles(text: str) -> Items:
    """What somebody works as."""
    return things(_TITLE_END.sub("", text))


def note_name(notes: Notes, said: Said, phrase: Phrase, items: Items) -> None:
    """Somebody's somebody is called so: one value if there is one of them, else one more that they have."""
    owner = said.about(phrase.owner)
    terms = frozenset(term for item in items for term in item.terms)
    notes.named[phrase.path] = terms
    had = (make_item(phrase.head, frozenset((phrase.head, *phrase.rest)), terms),)
    slot = relation_of(phrase)
    if slot is None:
        notes.add(owner, "have", had)
        return
    notes.add(owner, slot, items, single=True)
    notes.imply(owner, "have", had)
    if (state := {"spouse": "married", "partner": "partnered"}.get(slot)) is not None:
        notes.imply(owner, "state marital", constant(state), single=True)


def takes_name(phrase: Phrase, *, called: bool) -> bool:
    """Whether what is somebody's is a person, or an animal that is said to be called so."""
    return relation_of(phrase) is not None or is_family(phrase) or (called and is_kept(phrase))


def note_existence(notes: Notes, said: Said, phrase: Phrase, *, gone: bool = False) -> None:
    """Whose sister lives somewhere has a sister; whose dog died, or whose flight was cancelled, has it no longer."""
    if phrase.owner != (USER,) or phrase.former or phrase.plural or slot_of(phrase) is not None:
        return
    died = any(frame.slot == "state living" and frame.items == _DEAD for frame in notes.frames)
    had = make_item(phrase.head, frozenset((phrase.head, *phrase.rest)), said.subject.names)
    owner = Said(said.subject, said.clause).about((USER,))
    if gone:
        notes.add(owner, "have", (had,), negative=True)
    else:
        notes.imply(owner, "have", (had,), negative=died)


def note_when(notes: Notes, said: Said, text: str, of: str = "") -> None:
    """The day or the hour of something; a person has many."""
    terms = frozenset(canonical(tokens_of(text)))
    if terms & DAYS - {"noon", "midnight"} or _ORDINAL.search(text):
        slot = "date"
    elif _CLOCK.search(text):
        slot = "time"
    else:
        notes.add(said, "be on", things(text))
        return
    notes.add(said, f"{of}{slot}", whole(text), single=said.subject.path != (USER,))


def is_time(text: str) -> bool:
    """Whether a phrase says when or how much."""
    return any(is_number(found) or found in TIMES for found in canonical(tokens_of(text)))
