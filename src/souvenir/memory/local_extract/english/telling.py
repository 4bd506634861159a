"""A clause in the third person, with what kind of thing it says: "My wife is Jane" is "User's wife is named Jane"."""

import re
from collections.abc import Iterator, Sequence

from souvenir.memory.local_extract.english.assess import kind_of, named
from souvenir.memory.local_extract.english.clause import Clause
from souvenir.memory.local_extract.english.predicates import is_bare_age, is_name
from souvenir.memory.local_extract.english.rephrase import statement, third_person_text, tidy
from souvenir.memory.local_extract.english.subjects import USER
from souvenir.memory.local_extract.kinds import NAME, ORIGIN, Found
from souvenir.memory.local_extract.words import Word, low_at

_OWN_NAMES = frozenset(f"User's {which}name" for which in ("", "first ", "full ", "real ", "given "))
_AFTER_NAME = frozenset({"from", "here", "by", "btw"})


def told(clause: Clause) -> Iterator[Found]:
    """What a clause says of the user; nothing where it says nothing."""
    kind = kind_of(clause)
    if kind is None:
        return
    subject, verb, rest = clause.subject, clause.verb, clause.rest
    alone = subject.about == "user" and clause.words[subject.begin].low == "i"
    introduces = alone and verb.lemma == "be" and verb.tense == "present" and not verb.negated
    names = _names_first(rest) if introduces and not (clause.hedged or verb.hedged) else 0
    if not names:
        yield Found(_content(clause), kind)
        return
    yield Found(f"User's name is {name_of(rest[:names])}", NAME)
    if low_at(rest, names) == "from":
        yield Found(f"User is {tidy(third_person_text(clause.text, rest[names:], USER))}", ORIGIN)


def name_of(words: Sequence[Word]) -> str:
    """A name as it is written, with capitals where it had none."""
    text = " ".join(word.text for word in words).replace(" .", ".")
    return text if words[0].capital else text.title()


def _names_first(rest: Sequence[Word]) -> int:
    """How many words of "Anna from Leeds" are a name; 0 where it is none."""
    end = next((place for place, word in enumerate(rest) if word.low in _AFTER_NAME), len(rest))
    return end if is_name(rest[:end]) and not any(word.low == "and" for word in rest[:end]) else 0


def _content(clause: Clause) -> str:
    subject, verb, rest = clause.subject, clause.verb, clause.rest
    if named(clause):
        return _named(clause)
    if subject.text in _OWN_NAMES:
        return f"User's name is {name_of(_after_called(rest))}" if rest else subject.text
    if verb.lemma == "be" and clause.words[subject.begin].low == "we" and len(rest) == 1 and rest[0].low.endswith("s"):
        one = rest[0].text[:-1]  # "we're vegetarians"
        return f"{subject.text} {verb.text} {'an' if one[0] in 'aeiou' else 'a'} {one}"
    said = statement(clause.text, subject, verb, rest, clause.tail)
    aged = verb.lemma == "be" and subject.about in {"user", "person", "pet"} and is_bare_age(clause.low)
    return f"{said} years old" if aged else said


def _named(clause: Clause) -> str:
    subject, verb = clause.subject, clause.verb
    who = re.sub(r"'s? (?:\w+ )?name$", "", subject.text) if subject.owned == "name" else subject.text
    be = "are" if subject.plural and not subject.owned else "was" if verb.tense == "past" else "is"
    no = " not" if verb.negated else ""
    name = third_person_text(clause.text, _after_called(clause.rest), subject)
    return tidy(f"{who} {be}{no} named {name}")


def _after_called(rest: Sequence[Word]) -> Sequence[Word]:
    return rest[1:] if low_at(rest, 0) in {"called", "named"} else rest
