"""Whom a clause is about: the user, or somebody or something of theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from souvenir.memory.local_extract.english.lexicon import (
    ACQUAINTED,
    ADVERBS,
    FINITE,
    KIN,
    NUMBER_WORDS,
    PETS,
    POSSESSIONS,
    PROJECTS,
)
from souvenir.memory.local_extract.english.verbs import guess_form, verb_form
from souvenir.memory.local_extract.words import Word, low_at, word_set

About = Literal["user", "person", "pet", "thing", "other"]

_LONGEST = 10  # words of "my …": what is longer has no verb
_COUNTED = word_set("both all one two three most some neither none")
_PLURALS = word_set("children people folks men women grandchildren twins parents in-laws")
_PREPOSITIONS = word_set("of in at from with for on near by to about")
_NEVER_INSIDE = word_set("that who which i me mine myself you he she it we us they (")
_NO_VERB_AFTER = word_set("first last recent")
_IS_BEFORE = word_set(
    "a an the not n't in from on at also always very really so about almost never just now still called named my our "
    "his her their no into"
)
_ROLES = tuple(word_set("ist mate boss man woman sitter keeper worker player owner teacher mentor"))


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause is about: `text` in the third person, `noun` what they are to the user, empty for the user.

    `begin` and `end` are places of words; `owned` is what of a person is meant ("name" in "my wife's name").
    """

    text: str
    about: About
    noun: str
    plural: bool
    begin: int
    end: int
    owned: str = ""


USER = Subject("User", "user", "", plural=False, begin=0, end=0)
SOMETHING = Subject("", "thing", "", plural=False, begin=0, end=0)  # where "they" would not be the user


def subject_at(words: Sequence[Word], place: int) -> Subject | None:
    """The subject that begins at this place, if a verb follows it."""
    low = low_at(words, place)
    if low in {"i", "we"}:
        return _first_person(words, place)
    if low in {"my", "our"}:
        return _own(words, place, place + 1)
    if low in _COUNTED:
        my = place + 2 if low_at(words, place + 1) == "of" else place + 1
        return _own(words, place, my + 1) if low_at(words, my) in {"my", "our"} else None
    return None


def _first_person(words: Sequence[Word], place: int) -> Subject | None:
    end = place + 1
    if words[place].low == "we" and low_at(words, end) in {"all", "both"}:
        end += 1
    return Subject("User", "user", "", plural=False, begin=place, end=end) if end < len(words) else None


def _own(words: Sequence[Word], begin: int, first: int) -> Subject | None:
    """ "My …" up to its verb."""
    end = first
    while end < len(words) and end - first < _LONGEST:
        low = words[end].low
        if end > first and _is_finite(words, end):
            return _described(words, begin, first, end)
        if low == "and" and low_at(words, end + 1) in {"i", "me", "myself"}:
            return _pair(words, begin, first, end)
        if low == ",":
            after = _after_apposition(words, end)
            if after is None:
                return None
            end = after
        elif low in _NEVER_INSIDE or not (low[0].isalnum() or low == "'s"):
            return None
        else:
            end += 1
    return None


def _after_apposition(words: Sequence[Word], comma: int) -> int | None:
    """The place after "…, Anna," or "…, who lives in Ohio,", which is put between commas."""
    close = next((place for place in range(comma + 2, min(len(words), comma + 10)) if words[place].low == ","), None)
    if close is None:
        return None
    named = close <= comma + 4 and all(word.capital and word.low != "i" for word in words[comma + 1 : close])
    return close + 1 if named or words[comma + 1].low == "who" else None


def _pair(words: Sequence[Word], begin: int, first: int, end: int) -> Subject | None:
    """ "My wife and I"."""
    if end + 2 >= len(words):
        return None
    people = " ".join("their" if word.low in {"my", "our"} else word.text for word in words[first:end])
    return Subject(f"User and their {people}", "user", "", plural=True, begin=begin, end=end + 2)


def _described(words: Sequence[Word], begin: int, first: int, end: int) -> Subject:
    inner = _without_relative(words[first:end])
    genitive = next((place for place, word in enumerate(inner) if word.low == "'s"), None)
    noun = _head(inner[:genitive])
    owned = _head(inner[genitive + 1 :]) if genitive is not None else ""
    if owned and noun not in KIN and noun not in ACQUAINTED and noun not in PETS:
        noun, owned = owned, ""  # "my New Year's resolution"
    distant = owned in ACQUAINTED or (noun in ACQUAINTED and owned not in {"", "name"})
    about: About = "other" if distant else _about(noun)
    if owned in KIN or owned in PETS:  # "my sister's husband" is somebody too
        noun, owned = owned, ""
    plural = _is_plural(inner[-1].low) or any(word.low == "and" for word in inner)
    counted = " ".join(word.text for word in words[begin : first - 1])
    text = f"{counted[:1].upper()}{counted[1:]} User's {_joined(inner)}".strip()
    return Subject(text, about, noun, plural=plural, begin=begin, end=end, owned=owned)


def _without_relative(words: Sequence[Word]) -> list[Word]:
    comma = next((place for place, word in enumerate(words) if word.low == ","), len(words))
    said = words[:comma] if low_at(words, comma + 1) == "who" else words
    return [word for word in said if word.low != ","]


def _joined(words: Sequence[Word]) -> str:
    out = ""
    for word in words:
        text = "User's" if word.low in {"my", "our"} else word.text
        out += text if word.low == "'s" or not out else f" {text}"
    return out


def _head(words: Sequence[Word]) -> str:
    """The noun that says what it is: of those before "of" the last that is somebody, else the last that is no name."""
    stop = next((place for place, word in enumerate(words) if place and word.low in _PREPOSITIONS), len(words))
    somebody = [word.low for word in words[:stop] if word.low in KIN or word.low in ACQUAINTED or word.low in PETS]
    if somebody:
        return somebody[-1] if somebody[-1] != "pet" else somebody[0]
    plain = [word.low for word in words[:stop] if not word.capital]
    last = plain[-1] if plain else words[-1].low if words else ""
    return "child" if last in {"eldest", "oldest", "youngest"} else last


def _about(noun: str) -> About:
    if noun in KIN or noun in ACQUAINTED:
        return "person"
    if noun in PETS:
        return "pet"
    role = len(noun) > 5 and noun.endswith(_ROLES)
    return "person" if role and noun not in POSSESSIONS and noun not in PROJECTS else "thing"


def _is_plural(noun: str) -> bool:
    return noun in _PLURALS or (noun.endswith("s") and not noun.endswith(("ss", "us", "is")))


def _is_finite(words: Sequence[Word], place: int) -> bool:
    """Whether the verb of "my …" stands here."""
    low, following, before = words[place].low, low_at(words, place + 1), words[place - 1].low
    if low == "'s":
        return _is_verb(words, place)
    if low in FINITE:
        return True
    if low in ADVERBS and following:
        return _is_finite([*words[:place], *words[place + 1 :]], place)
    if verb_form(low) is None or following in FINITE or words[place].capital:
        return False
    form = guess_form(low).form
    if form == "base":
        both = any(word.low == "and" for word in words[max(0, place - 6) : place])
        return (_is_plural(before) or both) and following != "'s"
    return form == "s" or (form == "past" and not before.endswith("ly") and before not in _NO_VERB_AFTER)


def _is_verb(words: Sequence[Word], place: int) -> bool:
    """Whether "'s" is "is" or "has" and no genitive."""
    rest = words[place + 1 : place + 8]
    if not rest:
        return False
    following = rest[0].low
    form = verb_form(following)
    if following in _IS_BEFORE or following[0].isdigit() or following in NUMBER_WORDS:
        return True
    if form is not None and form.form in {"ing", "participle"}:
        return True
    return not any(_is_main(rest, place) for place in range(1, len(rest)))


def _is_main(words: Sequence[Word], place: int) -> bool:
    """Whether a verb after "'s" makes that a genitive."""
    low = words[place].low
    form = verb_form(low)
    plural = form is not None and form.form == "base" and _is_plural(words[place - 1].low)  # "my sister's kids live"
    return plural or low in FINITE or low == "'s" or (form is not None and form.form == "s")
