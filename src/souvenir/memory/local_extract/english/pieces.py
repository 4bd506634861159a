"""The parts of a sentence: statements are told from questions and requests, and each is given its subject."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from souvenir.memory.local_extract.english.clause import Clause, after_adverbs, parse
from souvenir.memory.local_extract.english.continuing import continues_object, continues_predicate, continues_verb
from souvenir.memory.local_extract.english.having import had
from souvenir.memory.local_extract.english.joiners import (
    CAUSES,
    COORDINATE,
    DASHES,
    IMPERATIVES,
    JOINERS,
    REQUESTS,
    SUBORDINATE,
    asks,
    segment,
)
from souvenir.memory.local_extract.english.lexicon import FINITE
from souvenir.memory.local_extract.english.predicates import predicate_kind
from souvenir.memory.local_extract.english.subjects import subject_at
from souvenir.memory.local_extract.english.verb_groups import verb_after
from souvenir.memory.local_extract.english.verbs import verb_form
from souvenir.memory.local_extract.kinds import PASSING
from souvenir.memory.local_extract.words import Word, low_at, word_set

Role = Literal["statement", "continuation", "other", "request"]

_MOST_WORDS = 160  # of a sentence that are read: what is longer is none
_REASONS = CAUSES | {",", "-", "–", "—", "(", ";", "but", "though"}  # noqa: RUF001 - dashes that people type
_OTHERS = word_set("that this there you people everyone someone somebody these those")
_THEY = word_set("he she they his her its their")
_ASKING = word_set("is are do does should would could will")  # ", are oats safe?"
_THIRD_PERSON = word_set("is are was were has have had 's also")
_RELATIVE = word_set("which where")
_KEPT = word_set("not no only never also just mostly mainly without with which who that where when")
_INNER = word_set("that who which where when i we how what")
_REQUESTED = word_set("me us a an the some my your this it something out how what why with to for in on you our")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence with the words that it takes over from the part before. `link` is what joins it."""

    words: tuple[Word, ...]
    role: Role
    link: str


class _Opening(NamedTuple):
    role: Role
    taken: tuple[Word, ...] = ()


def pieces_of(text: str, words: Sequence[Word]) -> list[Piece]:
    """The parts of a sentence, in order."""
    words = words[:_MOST_WORDS]
    pieces: list[Piece] = []
    opening = _Opening("request" if asks(words, 0) else "statement")
    start, link = 0, ""
    place = _after_subject(words, 0)
    while place < len(words):
        if words[place].low not in JOINERS:
            place += 1
            continue
        aside = words[place].low == ")" and link == "("
        after = place + 1
        while low_at(words, after) in JOINERS:
            after += 1
        told = (*opening.taken, *words[start:place])
        previous = parse(text, told) if place > start and opening.role != "request" else None
        following = _opening(words, place, after, previous) if after < len(words) and not aside else None
        if aside and after < len(words):
            following = _Opening("other")
        if following is None:
            place += 1
            continue
        if place > start:
            pieces.append(Piece(told, opening.role, link))
        opening, start, link = following, after, words[after - 1].low
        place = _after_subject(words, after)
    if start < len(words):
        pieces.append(Piece((*opening.taken, *words[start:]), opening.role, link))
    return pieces


def statements_of(pieces: Sequence[Piece], *, asked: bool) -> set[int]:
    """The places of those that state something, in a sentence that may be a question."""
    stated = {place for place, piece in enumerate(pieces) if piece.role != "request"}
    if not pieces:
        return stated
    if pieces[0].role == "request" or pieces[0].words[0].low in IMPERATIVES:
        return _reasons(pieces)
    last = len(pieces) - 1
    tag = pieces[last].role == "request" and "n't" in {word.low for word in pieces[last].words[:2]}
    if asked and (last == 0 or tag):
        return set()
    return stated - {last} if asked else stated


def _reasons(pieces: Sequence[Piece]) -> set[int]:
    """The statements that are given as reasons of a request, and those that go on after one."""
    kept: set[int] = set()
    for place, piece in enumerate(pieces[1:], start=1):
        if piece.role not in {"statement", "continuation"}:
            continue
        if (piece.link in _REASONS and piece.role == "statement") or (place - 1 in kept and piece.link != "or"):
            kept.add(place)
    return kept


def _after_subject(words: Sequence[Word], place: int) -> int:
    """Past the subject, which has an "and" of its own in "my wife and I"."""
    subject = subject_at(words, place)
    return subject.end if subject is not None else place


def _opening(words: Sequence[Word], place: int, after: int, previous: Clause | None) -> _Opening | None:
    """What begins after a joining word; None where nothing does."""
    joiner = words[after - 1].low
    begin = after_adverbs(words, after)
    if _is_statement(words, begin) and not (joiner == "since" and _has_lasted(previous)):
        return _Opening("statement")
    if joiner in SUBORDINATE:
        return None
    if _is_request(words, after, joiner, previous):
        return _Opening("request")
    taken = _taken(words, after, begin, joiner, previous) if previous is not None else None
    if taken is not None:
        return _Opening("continuation", taken)
    comma = place + 1 < after
    aside = joiner in DASHES or _is_about_others(words, begin, joiner) or _passes(words, after, joiner, previous)
    if joiner == "so":
        aside = aside or comma or words[after].low.endswith("ing")
    elif joiner in {",", "but", "and"}:
        aside = aside or _has_own_verb(words, after)
    return _Opening("other") if aside else None


def _has_lasted(previous: Clause | None) -> bool:
    """Whether "since" is of the time: "I've played since I was six"."""
    return previous is not None and previous.verb.text.startswith(("has ", "have "))


def _is_statement(words: Sequence[Word], place: int) -> bool:
    subject = subject_at(words, place)
    if subject is None:
        return False
    if subject.about == "user":
        return low_at(words, subject.end) not in {"", ",", "and"}
    return verb_after(words, subject) is not None


def _is_request(words: Sequence[Word], place: int, joiner: str, previous: Clause | None) -> bool:
    if asks(words, place):
        return not (previous is not None and joiner == "," and _is_relative(words, place))
    being = previous is not None and previous.verb.lemma == "be"
    if joiner in {"and", "but", "or"} and previous is not None:
        return False
    low = words[place].low
    if low in REQUESTS or (low in _ASKING and joiner in {",", *DASHES}):
        return True
    stated = previous is None or being or joiner == "so"
    return stated and low in IMPERATIVES and (joiner == "so" or low_at(words, place + 1) in _REQUESTED)


def _is_relative(words: Sequence[Word], place: int) -> bool:
    """Whether "who" goes on about somebody: "my mother, who has asthma"."""
    following = low_at(words, place + 1)
    form = verb_form(following)
    return words[place].low == "who" and (following in _THIRD_PERSON or (form is not None and form.form == "s"))


def _taken(words: Sequence[Word], after: int, begin: int, joiner: str, previous: Clause) -> tuple[Word, ...] | None:
    """What goes on with the same subject takes it over, and the verb where it has none."""
    if joiner not in COORDINATE:
        return None
    subject, verb = previous.subject, previous.verb
    helpers = continues_verb(words, begin, joiner, previous)
    if helpers is not None:
        return (*previous.words[subject.begin : subject.end], *helpers)
    whole = previous.words[subject.begin : verb.end]
    if verb.lemma == "be" and verb.tense in {"present", "past"} and continues_predicate(words, after, joiner, previous):
        return whole
    if verb.lemma == "have" and verb.tense == "present" and continues_object(words, after, previous):
        return whole
    return None


def _passes(words: Sequence[Word], after: int, joiner: str, previous: Clause | None) -> bool:
    """Whether it only adds how one feels, or is a list: "I'm a student, super stressed"."""
    if previous is None or previous.verb.lemma != "be" or joiner != ",":
        return False
    part = segment(words, after)
    return predicate_kind(part) is PASSING or had(part).category == "relationship"


def _is_about_others(words: Sequence[Word], place: int, joiner: str) -> bool:
    low = low_at(words, place)
    following = low_at(words, after_adverbs(words, place + 1))
    if low in _RELATIVE:
        return joiner == ","
    if low in _THEY or (low == "it" and following.isalpha()):
        return True
    if low in _OTHERS or low == "it":
        return following in FINITE or following == "'s" or verb_form(following) is not None
    return low in {"hence", "same", "thanks", "no"} and joiner in {",", "so"}


def _has_own_verb(words: Sequence[Word], start: int) -> bool:
    """Whether it is a clause about something else: ", the food is great"."""
    part = segment(words, start)
    doing = part[0].low.endswith("ing")
    if part[0].low in _KEPT or (verb_form(part[0].low) is not None and not doing):
        return False
    for place, word in enumerate(part[1:8], start=1):
        if word.low in _INNER:
            return False
        form = verb_form(word.low)
        acts = doing and form is not None and form.form == "s"
        if word.low in FINITE or acts or (word.low == "'s" and place == 1):
            return True
    return False
