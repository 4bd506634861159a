"""What a clause says about the user, and so what it is worth."""

from souvenir.memory.local_extract.english import lexicon, tables
from souvenir.memory.local_extract.english.clause import Clause
from souvenir.memory.local_extract.english.having import had, object_noun
from souvenir.memory.local_extract.english.predicates import is_name, predicate_kind
from souvenir.memory.local_extract.english.tables import POINTING, look_up
from souvenir.memory.local_extract.english.things import thing_kind
from souvenir.memory.local_extract.english.timing import AHEAD, OFTEN, is_momentary, is_technical
from souvenir.memory.local_extract.english.verbs import verb_form
from souvenir.memory.local_extract.kinds import (
    AGE,
    DEADLINE,
    DIET,
    DOING,
    EPISODE,
    EVENT,
    FAMILY,
    GOAL,
    HABIT,
    NAME,
    PASSING,
    PAST,
    PET,
    PLAN,
    PROJECT,
    SITUATION,
    SKILL,
    TASK,
    TASTE,
    TOOL,
    TRAIT,
    UNKNOWN,
    VAGUE,
    WISH,
    Kind,
    hedged,
    lasting,
    of_someone,
)
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import lows, word_set

_NOW = compiled(
    r"""
    \b(today|tonight|right now|at the moment|this (morning|afternoon|evening|minute|second)|just now|yesterday|again|
    last night|for now|earlier|all day)\b
    """
)
_POINTING_AT = compiled(
    r"""
    \b(these|those|your|you|this(?! (year|week|month|spring|summer|fall|autumn|winter|semester|term|weekend|january|
    february|march|april|may|june|july|august|september|october|november|december|quarter|season|time|
    \w+day)))\b(?! days)
    """
)
_UNRESOLVED = compiled(r"(\S+ ){0,2}(it|them|him|they)( |$)(?!when )")
# what only they know who heard what was said before
_HEARD_BEFORE = compiled(
    r"""
    (their|his|her|its) |that(?! i\b| my\b)( |$)|.*\b(to|in|of|at|into|with|about|like|for|on) that\b|.*\bthere$|
    .*\bsomething (similar|like)\b|((in|on|with|for|to) )?(us|ourselves)$|(out|around|along)( a lot| often)?$
    """
)
_AMONG_US = compiled(r"(.*\b)?(one another|each other|together)\b(?! with\b)")
_SOME_PROJECT = compiled(
    r"""
    on (a|an|the|some|my|our|another|several|this) ((new|big|cool|fun|huge|little|small|great|exciting|personal|side|
    secret|few|other) )*(projects?|stuff|things?|something)( (lately|recently|now|at work|too|these days))*$
    """
)
_OUT = word_set("work eat sleep camp dine")  # verbs that say something with no more than "out"
_SOMEDAY = compiled(
    r"\b(someday|some day|one day|at some point|eventually|maybe|perhaps|i guess|i suppose|or something|if i|if my)\b"
)
_DATED = compiled(r"\b(next|in|on|this|tomorrow|until|by|over|from|starting|after|before|for)\b")
_ABOUT = compiled(
    r"(back|home|late|there|here|out|busy|available|around|free|fine|ok|okay|ready|done|able|happy|glad)\b"
)
_MEAL = compiled(r"\bfor (breakfast|lunch|dinner|dessert)\b")
_LONG = compiled(r"\b(for|since|all my life)\b")
_FOR_GOOD = word_set("die pass marry adopt")
_PLANNED = frozenset({PLAN, EVENT, PROJECT, GOAL, DEADLINE})
_NEEDS_MORE = word_set("practice practise train exercise help hike paint write perform travel")
_AIDS = lexicon.POSSESSIONS | lexicon.CONDITIONS | lexicon.AIDS
_SKILLS = word_set(
    "speak play read write swim drive ride cook bake code program sing dance juggle ski type sew knit fly whistle "
    "skate surf dive"
)
_UNABLE = word_set("swim drive sing dance cook walk smell taste whistle lift ride")
_INTAKE = word_set("eat drink have tolerate digest handle")
_AT_THE_MOMENT = compiled(r"\b(now|today|right now|for you|you)\b")
_NO_SKILL = compiled(
    r"""
    (better|more|faster|about|a lot|together|along)\b|(the|a|an|your) (?!piano|guitar|violin|drums|bit|little|
    \w+ drums)
    """
)
_NOT_TOLD = compiled(r"(the|a|an|if|when|because|but|and|as|,|\() ?")


def kind_of(clause: Clause) -> Kind | None:
    """What a clause says, or None when it says nothing of the user."""
    kind = _kind(clause)
    if kind is None:
        return None
    low = clause.low
    when = f"{low} {lows(clause.tail)}"
    for_good = kind in {EVENT, DEADLINE, PLAN} or clause.verb.lemma in _FOR_GOOD or low.startswith("born")
    if lasting(kind) and not for_good and _NOW.search(when):
        return PASSING
    if lasting(kind) and (_POINTING_AT.search(low) or _UNRESOLVED.match(low) or low == "to" or _is_untold(clause)):
        return VAGUE
    return hedged(kind) if clause.hedged or clause.verb.hedged or _SOMEDAY.search(when) else kind


def _is_untold(clause: Clause) -> bool:
    """Whether it cannot be understood by itself, or is of "us" and not of the user: "We rely on each other"."""
    if clause.subject.about != "user":
        return False
    low = clause.low
    if clause.verb.lemma == "work" and _SOME_PROJECT.match(low):
        return True
    if clause.words[clause.subject.begin].low == "we" and _AMONG_US.match(low):
        return True
    return clause.verb.lemma not in _OUT and _HEARD_BEFORE.match(low) is not None


def named(clause: Clause) -> bool:
    """Whether it says what a person or an animal of the user is called."""
    subject, verb = clause.subject, clause.verb
    if subject.owned == "name":
        return True
    if subject.about not in {"person", "pet"} or verb.lemma != "be" or verb.tense not in {"present", "past"}:
        return False
    return bool(clause.rest) and (clause.rest[0].low in {"called", "named"} or is_name(clause.rest))


def _kind(clause: Clause) -> Kind | None:
    subject = clause.subject
    if subject.about == "other":
        return None
    if subject.owned or subject.about == "thing":
        return thing_kind(clause)
    kind = _said(clause)
    if kind is None or subject.about == "user":
        return kind
    if "late" in subject.text.split() and clause.verb.tense == "past":
        kind = look_up(tables.PRESENT, clause.verb.lemma, clause.low) or kind
    if subject.about == "pet":
        return PET if lasting(kind) else kind
    return of_someone(FAMILY if kind is NAME else kind)


def _said(clause: Clause) -> Kind | None:
    """What a verb says, by its time."""
    verb = clause.verb
    if verb.tense == "modal":
        return _modal(clause)
    if verb.tense == "future":
        return _future(clause)
    if verb.lemma == "be":
        return _being(clause)
    if verb.lemma == "have" and verb.tense == "present":
        return _having(clause)
    return {"progressive": _progressive, "past": _past, "perfect": _perfect}.get(verb.tense, _present)(clause)


def _modal(clause: Clause) -> Kind | None:
    verb, low = clause.verb, clause.low
    if verb.modal == "can":
        return _ability(verb.lemma, low, negated=verb.negated) or TASK
    if verb.modal == "would":
        if verb.lemma == "rather" and not low.startswith(("not", "you", "do it", "have")):
            return TASTE
        if verb.lemma in {"describe", "call", "consider"} and low.startswith("myself "):
            return TRAIT
        return WISH if verb.lemma in {"like", "love", "prefer", "rather"} else None
    if verb.modal == "must":
        return look_up(tables.PRESENT, "must", f"to {low}") or VAGUE
    return WISH if verb.modal in {"might", "may", "could"} else VAGUE


def _ability(lemma: str, low: str, *, negated: bool) -> Kind | None:
    """What one can or cannot do in general."""
    if POINTING.match(low) or _AT_THE_MOMENT.search(low):
        return None
    if not negated:
        return SKILL if lemma in _SKILLS and not _NO_SKILL.match(low) else None
    if lemma in {"stand", "bear"}:
        return TASTE if low else None
    if lemma in _INTAKE:
        return DIET if low and not low.startswith(("anymore", "more", "any more", "enough", "access")) else None
    return SKILL if lemma in _UNABLE else None


def _future(clause: Clause) -> Kind:
    low = clause.low
    if clause.verb.lemma == "be" and predicate_kind(clause.rest) is FAMILY:
        return FAMILY  # "I'm going to be a dad"
    if clause.verb.negated and clause.verb.lemma in {"eat", "drink"} and low:
        return DIET  # "won't eat fish"
    if not _DATED.search(low):
        return PASSING
    if clause.verb.lemma == "be":
        return PLAN if clause.rest and predicate_kind(clause.rest) is not VAGUE and not _ABOUT.match(low) else PASSING
    return PLAN if look_up(tables.PROGRESSIVE, clause.verb.lemma, low) in _PLANNED else PASSING


def _being(clause: Clause) -> Kind:
    verb, low = clause.verb, clause.low
    been = "been" in verb.text
    kind = look_up(tables.PERFECT, "be", low) if been else None
    if kind is not None:
        return EPISODE if verb.negated and low.endswith("yet") else kind
    kind = predicate_kind(clause.rest)
    away = (
        clause.subject.about == "person" and len(clause.rest) > 1 and low.startswith("in ") and clause.rest[1].capital
    )
    if kind is UNKNOWN and (away or OFTEN.search(low)):
        return SITUATION
    return EPISODE if kind is AGE and (been or verb.tense == "past") else kind


def _having(clause: Clause) -> Kind:
    low = clause.low
    kind = look_up(tables.PRESENT, "have", low) or had(clause.rest)
    often = clause.verb.habitual or OFTEN.search(low) or _MEAL.search(low)
    return HABIT if kind is VAGUE and often and not POINTING.match(low) else kind


def _progressive(clause: Clause) -> Kind:
    verb, low = clause.verb, clause.low
    if verb.text.startswith(("was ", "were ")):
        return EPISODE
    kind = look_up(tables.PROGRESSIVE, verb.lemma, low)
    if "been" in verb.text and _LONG.search(low):
        if kind is None:
            kind = look_up(tables.PRESENT, verb.lemma, low)
        elif kind is TASK and ("since" in low or "years" in low):
            kind = TOOL
    if kind is None and AHEAD.search(low) and not is_momentary(verb.lemma, chat_only=True) and not is_technical(low):
        return PLAN._replace(confidence=DOING.confidence)
    return kind or PASSING


def _past(clause: Clause) -> Kind:
    verb, low, rest = clause.verb, clause.low, clause.rest
    if "used to" in verb.text:
        return PAST if _was_lasting(clause) else EPISODE
    if verb.negated and "never" not in verb.text:
        return EPISODE
    kind = look_up(tables.PAST, verb.lemma, low)
    if kind is None and verb.negated:
        kind = look_up(tables.PRESENT, verb.lemma, low)
    if kind is None and verb.lemma == "leave" and rest and rest[0].capital:
        kind = look_up(tables.PAST, "join", low)  # a company
    return kind or EPISODE


def _was_lasting(clause: Clause) -> bool:
    """Whether what somebody used to do says something of them."""
    if clause.verb.lemma == "be":
        return lasting(predicate_kind(clause.rest))
    if clause.verb.lemma == "have":
        return lasting(had(clause.rest))
    kind = look_up(tables.PRESENT, clause.verb.lemma, clause.low)
    return kind is not None and lasting(kind)


def _perfect(clause: Clause) -> Kind:
    verb, low = clause.verb, clause.low
    kind = look_up(tables.PERFECT, verb.lemma, low) or look_up(tables.PAST, verb.lemma, low)
    if kind is None and ("never" in verb.text or "always" in verb.text):
        kind = look_up(tables.PRESENT, verb.lemma, low)
    return kind or EPISODE


def _present(clause: Clause) -> Kind:
    verb, low, rest = clause.verb, clause.low, clause.rest
    proper = bool(rest) and rest[0].capital
    if verb.lemma == "want" and tables.GOAL.match(low) and not verb.negated:
        return GOAL
    if verb.lemma == "know" and proper and not verb.negated:
        return SKILL
    if verb.lemma == "run" and proper:
        return TOOL
    if verb.lemma == "use" and len(rest) > 1 and rest[0].low in {"a", "an"}:
        return TOOL if not rest[1].text.islower() or object_noun(rest) in _AIDS else TASK
    kind = look_up(tables.PRESENT, verb.lemma, low)
    if kind is HABIT and verb.lemma in _NEEDS_MORE and not (rest or clause.tail or verb.habitual):
        return VAGUE
    return kind or _doing(clause)


def _doing(clause: Clause) -> Kind:
    """A verb that no table has: a plain present tells what somebody does in their life, when it names things."""
    verb, low = clause.verb, clause.low
    if is_momentary(verb.lemma, chat_only=True) or POINTING.match(low):
        return UNKNOWN
    if (verb.habitual and low) or OFTEN.search(low) or OFTEN.search(lows(clause.tail)):
        return HABIT
    known = verb_form(verb.lemma) is not None and not is_momentary(verb.lemma)
    told = bool(low) and not _NOT_TOLD.match(low) and not is_technical(low)
    return DOING if known and told else UNKNOWN
