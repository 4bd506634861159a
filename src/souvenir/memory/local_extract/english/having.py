"""What "I have …" says: people, animals, illnesses, things, appointments, or something of the moment."""

from collections.abc import Sequence

from souvenir.memory.local_extract.english import lexicon
from souvenir.memory.local_extract.english.tables import POINTING
from souvenir.memory.local_extract.kinds import (
    EVENT,
    FAMILY,
    HEALTH,
    PASSING,
    PET,
    POSSESSION,
    SKILL,
    TASK,
    VAGUE,
    Kind,
)
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import Word, lows, word_set
from souvenir.patterns import lazy

_AFTER_NOUN = word_set(
    "of at in for from with who that which and but on by named called , - where because since so to or ( : when this "
    "next tomorrow today about due as now coming later if using without under over aged between living during"
)
_NOT_LAST = word_set("too now already here there anymore left disease")
_CHILD = lazy(r"\d+-(?:year|month|week)-olds?")
_ILLNESSES = tuple(
    word_set("itis osis emia aemia pathy oma algia plegia philia phobia ysema esia degeneration deficiency failure")
)
_BAD = lazy(r"an? (?:bad|weak|broken|artificial|prosthetic|sprained)")
_EXPERIENCE = compiled(
    r"""
    ((over |about |almost |more than )?\S+ years?( of|') |(some|no|little|a lot of|extensive|lots of|prior) )?
    (\w+ ){0,2}experience\b
    """
)
_WHEN = compiled(
    r"""
    \b(next|tomorrow|on|in|this|by|at|coming|due|scheduled|tonight|today|monday|tuesday|wednesday|thursday|friday|
    saturday|sunday)\b
    """
)
# in order: the first that has the noun
_BY_NOUN: tuple[tuple[frozenset[str], Kind], ...] = (
    (lexicon.KIN, FAMILY),
    (lexicon.CONDITIONS, HEALTH),
    (lexicon.PETS, PET),
    (lexicon.EVENTS, EVENT),
    (lexicon.PASSING_THINGS | lexicon.AILMENTS, PASSING),
    (lexicon.ACQUAINTED, FAMILY),
    (lexicon.POSSESSIONS | lexicon.PROJECTS, POSSESSION),
)


def object_noun(rest: Sequence[Word]) -> str:
    """The noun of what somebody has: "dog" in "a very old dog named Rex"."""
    end = next((place for place, word in enumerate(rest) if place and word.low in _AFTER_NOUN), len(rest))
    noun = [word.low for word in rest[:end]]
    while len(noun) > 1 and (noun[-1] in _NOT_LAST or not noun[-1][0].isalnum()):
        noun.pop()
    return noun[-1] if noun else ""


def had(rest: Sequence[Word]) -> Kind:
    """What having it says of the user."""
    low = lows(rest)
    if not rest or (POINTING.match(lows(rest[:3])) and rest[0].low != "both"):
        return VAGUE
    noun = object_noun(rest)
    if _CHILD.fullmatch(noun):
        return FAMILY
    if _EXPERIENCE.match(low):
        return SKILL
    if noun in lexicon.BODY:
        return HEALTH if _BAD.match(low) else PASSING
    kind = next((kind for nouns, kind in _BY_NOUN if noun in nouns), VAGUE)
    if kind is EVENT and not _WHEN.search(low):
        return TASK
    ill = noun.endswith(_ILLNESSES) or any(word.low in lexicon.CONDITIONS for word in rest[:5])
    return HEALTH if kind is VAGUE and ill else kind
