"""What is said of the user's things: their name and age, what they like best, what they own, make and have to do."""

from souvenir.memory.local_extract.english import lexicon, tables
from souvenir.memory.local_extract.english.clause import Clause
from souvenir.memory.local_extract.english.having import had
from souvenir.memory.local_extract.english.predicates import dated_kind
from souvenir.memory.local_extract.english.tables import POINTING, look_up
from souvenir.memory.local_extract.english.timing import AHEAD, is_technical
from souvenir.memory.local_extract.english.verbs import verb_form
from souvenir.memory.local_extract.kinds import (
    ATTRIBUTE,
    EVENT,
    FAMILY,
    GOAL,
    NAME,
    OPINION,
    PASSING,
    POSSESSION,
    PROJECT,
    SKILL,
    TASTE,
    THING,
    TOOL,
    UNKNOWN,
    VAGUE,
    Kind,
    lasting,
)
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import QUOTED, low_at, word_set

_NO_NAMES = lexicon.NO_VERBS | {"not"}
_TOLD_OF = word_set("protagonist hero heroine narrator character villain answer reply score")
_BEGINNING = word_set("expire start begin end launch open leave depart arrive")
_MEASURING = word_set("take include cost start end involve range")
_AIMS = word_set("goal goals dream ambition resolution")
_LIKED = word_set("hobby hobbies passion interests style pleasure peeve fear")
_JUDGED = word_set("job work schedule commute school routine shift role budget diet setup eyesight vision style life")
_DEGREES = word_set("very so too really pretty quite")
_STATED = compiled(
    r"""
    [$€£] ?\d|(a|an|the|called|named|about|written|based|built|made|my|in|on|from|located|\d[\d.,:]*|to|for|with|our|
    all|both|not a|no longer|one|two|three|four|five|six|seven|eight|nine|ten)\b
    """
)
_ON_DAY = compiled(r"due |on (january|february|march|april|may|june|july|august|september|october|november|december)\b")
_OPINED = compiled(
    r"(a|an|the) (\w+ )?(mess|disaster|nightmare|problem|joke|piece of|bit|pain|little|lot|failure|wreck|shame)\b"
)
_PLACED = compiled(r"(in the|on the|on fire|in a|in my|at)\b")
_NO_VALUE = compiled(r"(in the|in a|in my|at|to|for|about|with|from|on|all|not|both)\b")
_CLAUSAL = word_set("that i you it is was because how why what")
_FAILING = word_set(
    """
    crash fail break die stop freeze keep need hurt look smell feel sound seem return throw compile work want start
    end say mean show give close load happen turn come go
    """
)


def thing_kind(clause: Clause) -> Kind | None:
    """What a clause about a thing of the user says; None where it is better not kept."""
    subject = clause.subject
    noun = subject.owned or subject.noun
    if not lexicon.SECRETS.isdisjoint(subject.text.lower().split()):
        return None
    if POINTING.match(clause.low):
        return VAGUE
    if subject.owned:
        told = subject.about == "person" or noun in lexicon.ATTRIBUTES or noun in lexicon.DATED_THINGS
        return FAMILY if told else UNKNOWN
    if clause.verb.lemma == "be" and clause.verb.tense in {"present", "past"}:
        return _is(noun, clause)
    return _when(noun, clause) or _does(noun, clause)


def _is(noun: str, clause: Clause) -> Kind:
    low = clause.low
    if noun == "name":
        return NAME if 0 < len(clause.rest) <= 4 and clause.rest[0].low not in _NO_NAMES else VAGUE
    if not lexicon.FAVOURITE.isdisjoint(clause.subject.text.lower().split()):
        return TASTE if low and noun not in lexicon.FAVOURITE - {"go-to"} else VAGUE
    if _OPINED.match(low):
        return OPINION
    eventful = noun not in {"birthday", "anniversary"} and (_ON_DAY.match(low) or noun in lexicon.DATED_THINGS)
    dated = dated_kind(noun, low) if eventful else None
    if dated is not None:
        return dated
    return _attribute(noun, clause) if noun in lexicon.ATTRIBUTES else _value(noun, clause)


def _attribute(noun: str, clause: Clause) -> Kind:
    if noun in _AIMS:
        return GOAL
    if noun in _LIKED:
        return TASTE
    rest = clause.rest
    adjective = len(rest) == 1 and noun in _JUDGED and not rest[0].capital and not rest[0].low[0].isdigit()
    return OPINION if adjective or low_at(rest, 0) in _DEGREES else ATTRIBUTE


def _value(noun: str, clause: Clause) -> Kind:
    """What it is called, what it is, how much it is; not how it is just now."""
    low, rest = clause.low, clause.rest
    if noun in lexicon.DEMONYMS:
        return SKILL  # "my English is not great"
    stated = _STATED.match(low) or (rest and (rest[0].capital or rest[0].low == QUOTED))
    if noun in lexicon.PROJECTS:
        return PROJECT if stated else PASSING
    if noun in lexicon.POSSESSIONS:
        return POSSESSION if stated and not _PLACED.match(low) else PASSING
    lives = (
        noun not in _TOLD_OF
        and noun not in lexicon.PASSING_THINGS
        and noun not in lexicon.CONDITIONS
        and not is_technical(noun)
    )
    value = stated and not _NO_VALUE.match(low) and not any(word.low in _CLAUSAL for word in rest)
    value = value and clause.verb.tense == "present"
    return THING if lives and value else UNKNOWN


def _when(noun: str, clause: Clause) -> Kind | None:
    """ "My lease ends in May"."""
    if noun not in lexicon.DATED_THINGS and not (clause.verb.lemma in _BEGINNING and AHEAD.search(clause.low)):
        return None
    if clause.verb.lemma in _BEGINNING:
        return look_up(tables.PRESENT, clause.verb.lemma, clause.low) or UNKNOWN
    return EVENT if AHEAD.search(clause.low) or "until" in clause.low.split() else None


def _does(noun: str, clause: Clause) -> Kind:
    """What a team, a company or a machine of the user does."""
    verb, low, rest = clause.verb, clause.low, clause.rest
    if noun not in lexicon.PROJECTS and noun not in lexicon.POSSESSIONS:
        return ATTRIBUTE if low and noun in lexicon.ATTRIBUTES and verb.lemma in _MEASURING else UNKNOWN
    if verb.tense == "progressive":
        kind = look_up(tables.PROGRESSIVE, verb.lemma, low)
        return PROJECT if kind is not None and lasting(kind) else PASSING
    kind = TOOL if verb.lemma == "run" and rest and rest[0].capital else look_up(tables.PRESENT, verb.lemma, low)
    if kind is TASTE or kind is TOOL:
        return kind
    fails = verb.tense != "present" or verb.lemma in _FAILING or verb_form(verb.lemma) is None
    return UNKNOWN if fails or not low or (verb.lemma == "have" and had(rest) is PASSING) else THING
