"""Whether a sentence goes on with the same subject: "I live in Berlin and work", but not "I like food and travel"."""

from collections.abc import Sequence

from souvenir.memory.local_extract.english.clause import Clause
from souvenir.memory.local_extract.english.having import had
from souvenir.memory.local_extract.english.joiners import JOINERS, segment
from souvenir.memory.local_extract.english.lexicon import DEMONYMS, FINITE
from souvenir.memory.local_extract.english.predicates import predicate_kind
from souvenir.memory.local_extract.english.verbs import NOUNS_TOO, Reading, guess_form, verb_form
from souvenir.memory.local_extract.kinds import NAME, lasting
from souvenir.memory.local_extract.words import Word, low_at, word_set

_TAKE_NOUNS = word_set("like love enjoy hate prefer dislike adore have be need want")
_FOR_ITSELF = word_set("live work love like hate prefer own have study need want enjoy")
_STATES = word_set(
    "retired married divorced separated engaged interested based tired trained certified licensed employed excited "
    "bored worried scared born raised"
)
_FIRST_PERSON = word_set("am have do was had did can will could")
_MODALS = word_set("will 'll would can could should may might must")
_THIRD_PERSON = FINITE - frozenset({"am", "may", "might", "'d", "'re", "'ve", "'ll"})
_AFTER_VERB = word_set(
    "in at as for on with the a an my our from to every about near by part full remotely two three four several some "
    "nights also mostly only it them of out up alone guitar piano bass violin drums tennis football soccer basketball "
    "chess golf yoga law medicine custody"
)
_AFTER_PAST = _AFTER_VERB | {"here", "back"}
_PREDICATES = word_set("from originally based born not currently in on")
_AFTER_ADJECTIVE = word_set("to with from in at since for now intolerant old")


def continues_verb(words: Sequence[Word], begin: int, joiner: str, previous: Clause) -> tuple[Word, ...] | None:
    """The helping verbs that a further verb of the same subject shares; None where there is no such verb."""
    low = low_at(words, begin)
    if low in (_FIRST_PERSON if previous.subject.about == "user" else _THIRD_PERSON):
        return ()
    if verb_form(low) is None or words[begin].capital or (low == "like" and joiner == ","):
        return None
    if not _is_surely_verb(words, begin, previous) or _shares_nothing(words, begin, previous):
        return None
    if _shares_helpers(guess_form(low), joiner, previous):
        return previous.words[previous.subject.end : previous.verb.end - 1]
    return ()


def _shares_helpers(reading: Reading, joiner: str, previous: Clause) -> bool:
    """Whether it goes on after the same "can" or "am": "I can swim and dive"."""
    verb = previous.verb
    if reading.form == "base":
        negated = verb.negated and joiner == "or"
        able = verb.tense in {"modal", "future"} and reading.lemma not in _FOR_ITSELF
        return negated or able or "used to" in verb.text
    return reading.form == "ing" or (verb.tense == "perfect" and reading.form in {"past", "participle"})


def _shares_nothing(words: Sequence[Word], begin: int, previous: Clause) -> bool:
    """Whether its form does not fit the subject, or rather goes on with another verb than the main one."""
    low, rest, tense = words[begin].low, previous.rest, previous.verb.tense
    form = guess_form(low).form
    if form == "ing":
        return tense != "progressive" or begin + 1 == len(words) or any(word.low.endswith("ing") for word in rest)
    if form in {"base", "s"}:
        many = previous.subject.about == "user" or previous.subject.plural
        other = form == "base" and tense in {"present", "past"} and (_has_infinitive(rest) or _has_modal(rest))
        return many != (form == "base") or other
    return (form == "participle" and tense != "perfect") or (previous.verb.lemma == "be" and low in _STATES)


def _has_infinitive(words: Sequence[Word]) -> bool:
    """Whether a further verb may go on with "to": "I want to learn Spanish and move to Spain"."""
    forms = ["base" if word.low == "be" else (verb_form(word.low) or ("", ""))[1] for word in words[1:]]
    return any(word.low == "to" and form == "base" for word, form in zip(words, forms, strict=False))


def _has_modal(words: Sequence[Word]) -> bool:
    """Whether a further verb may go on with another's: "I'm sure people will buy it and love it"."""
    return any(word.low in _MODALS for word in words)


def _is_surely_verb(words: Sequence[Word], place: int, previous: Clause) -> bool:
    """Whether a word that may be a noun or an adjective is none."""
    lemma, form = guess_form(words[place].low)
    following = low_at(words, place + 1)
    if form in {"past", "participle"}:
        paired = bool(previous.rest) and guess_form(previous.rest[-1].low).form == "past"  # "supported and valued"
        return previous.verb.tense != "present" or (following in _AFTER_PAST and not paired)
    told = form == "s" and following not in FINITE | JOINERS | {""}  # "and loves trains"
    if form == "ing" or told or lemma not in NOUNS_TOO:
        return True
    if following in FINITE or following in {"i", "'s"} or (lemma == "support" and following in {"for", "on", "of"}):
        return False
    if not following or following in JOINERS:
        return previous.verb.lemma not in _TAKE_NOUNS
    named = words[place + 1].capital or following[0].isdigit()
    return named or following in _AFTER_VERB or words[place - 1].low == "but"


def continues_predicate(words: Sequence[Word], after: int, joiner: str, previous: Clause) -> bool:
    """Whether "… and from Porto" says what else somebody is."""
    part, rest = segment(words, after), previous.rest
    told = predicate_kind(rest)
    kind = predicate_kind(part)
    if not lasting(told) or not lasting(kind) or kind is NAME:
        return False
    low = part[0].low
    listed = low in DEMONYMS and any(word.low in {"in", "at", "of", "with", "to"} for word in rest)  # "in Arabic and"
    aged = previous.subject.plural and low[0].isdigit()
    if listed or aged or (rest[-1].low == "born" and low == "raised"):
        return False
    if low in {"a", "an"}:
        return told is NAME or joiner == "and" or len(rest) <= 3
    return low[0].isdigit() or low in _PREDICATES or len(part) == 1 or part[1].low in _AFTER_ADJECTIVE


def continues_object(words: Sequence[Word], after: int, previous: Clause) -> bool:
    """Whether "two kids and a dog" are two things to know."""
    part = segment(words, after)
    if not part or not lasting(had(previous.rest)) or not lasting(had(part)):
        return False
    return had(part).category != had(previous.rest).category
