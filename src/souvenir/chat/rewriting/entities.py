"""What a sentence speaks of: people, places and things, with number and gender, the most important first."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from souvenir.chat.rewriting.kinds import (
    CLASSES,
    FEMALE,
    FEMALE_NAMES,
    MALE,
    MALE_NAMES,
    NAMING,
    OFTEN_ALONE,
    PERSONS,
    PLACES,
    RELATIONAL,
    SHARED,
    TITLES,
    VAGUE,
)
from souvenir.chat.rewriting.phrases import Phrase, Sentence, is_superlative
from souvenir.chat.rewriting.words import NUMBERS, PLURAL_AUXILIARIES, SINGULAR_AUXILIARIES, plural, singular
from souvenir.memory.local_extract.english.lexicon import BE
from souvenir.memory.local_extract.words import word_set
from souvenir.patterns import lazy

Kind = Literal["person", "place", "thing", ""]
Gender = Literal["male", "female", ""]

_LONGEST = 80  # characters of a name: what is longer is no name
_MOST_PARTS = 4
_ARTICLE = lazy(r"(?:the|an?|some|any|this|that) +", re.IGNORECASE)
_COMPARES = word_set(
    """
    same compare compared differ different difference differences similar similarities versus vs than better
    relationship between related
    """
)
_SHORTENED = lazy(r"\b\w(?:\.\w)+$")  # the last full stop of "D.C." is its own
_NO_DETERMINERS = frozenset({"his", "her", "its", "their", "your", "this", "that", "these", "those", "no", "such"})
_AROUND = frozenset({"in", "around", "near"})


@dataclass(frozen=True, slots=True)
class Entity:
    """`name` is how it stands in a sentence; `noun` is its head and `core` the name without article, both of one.

    `weak` says that it is a side of something else ("the symptoms of flu"), `aside` that it is named in passing ("in
    France"). `parts` are those of a pair.
    """

    name: str
    noun: str
    core: str
    plural: bool = False
    kind: Kind = ""
    gender: Gender = ""
    proper: bool = False
    weak: bool = False
    aside: bool = False
    parts: tuple["Entity", ...] = ()

    @property
    def key(self) -> str:
        """What tells it from others."""
        return without_article(self.name).lower()

    @property
    def countable(self) -> bool:
        """Whether it is one of many, as "a" says."""
        return not self.plural and not self.proper and self.name.lower().startswith(("a ", "an "))


def without_article(name: str) -> str:
    """A name without what introduces it."""
    return _ARTICLE.sub("", name, count=1) if _ARTICLE.match(name) else name


def owned_by(name: str) -> str:
    """The name as an owner's."""
    return name + ("'" if name.endswith("s") else "'s")


def many(entity: Entity) -> str:
    """Its name as a plural."""
    if entity.plural:
        return entity.name
    *before, last = without_article(entity.name).split(" ")
    return " ".join((*before, plural(last)))


def one_of(entity: Entity) -> str:
    """Its name as of one, with an article."""
    if not entity.plural or entity.proper:
        return entity.name
    *before, last = without_article(entity.name).split(" ")
    name = " ".join((*before, singular(last)))
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def pair(entities: Sequence[Entity]) -> Entity:
    """Several as one."""
    names = [one.name for one in entities]
    name = f"{', '.join(names[:-1])} and {names[-1]}"
    kinds = {one.kind for one in entities}
    return Entity(name, entities[0].noun, name, True, kinds.pop() if len(kinds) == 1 else "", parts=tuple(entities))


def entities_of(sentence: Sentence) -> list[Entity]:
    """What it speaks of: what stands by itself in its order, pairs before their parts, then sides of other things."""
    strong: list[Entity] = []
    weak: list[Entity] = []
    for run in _runs(sentence):
        strong += [both for both in (_two_names(sentence, place) for place in run) if both is not None]
        read = [entity for entity in (_entity(sentence, place) for place in run) if entity is not None]
        if 1 < len(read) <= _MOST_PARTS and not any(one.weak for one in read):
            strong.append(pair(read))
        for one in read:
            (weak if one.weak else strong).append(one)
    if len(strong) == 2 and not any(one.plural for one in strong) and compares(sentence):
        strong.append(pair(strong))
    return strong + weak


def _two_names(sentence: Sentence, place: int) -> Entity | None:
    """Those after whom something is called: "the Lewis and Clark expedition"."""
    words = sentence.phrases[place].core
    at = next((index for index, word in enumerate(words[1:-1], start=1) if word.low in {"and", "&"}), None)
    if at is None or not (words[at - 1].capital and words[at + 1].capital):
        return None
    two = (words[at - 1], words[at + 1])
    return pair([Entity(word.text, word.low, word.text, kind="person", proper=True) for word in two])


def compares(sentence: Sentence) -> bool:
    """Whether it holds two against each other."""
    shared = any((one.low, other.low) == ("in", "common") for one, other in pairwise(sentence.words))
    return shared or any(word.low in _COMPARES for word in sentence.words)


def _runs(sentence: Sentence) -> Iterator[list[int]]:
    """Phrases that "and" joins, together."""
    run: list[int] = []
    for place, phrase in enumerate(sentence.phrases):
        if run and not phrase.joined:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _entity(sentence: Sentence, place: int) -> Entity | None:
    phrase = sentence.phrases[place]
    if phrase.head is None or is_vague(phrase) or _is_said_of_name(sentence, place):
        return None
    if phrase.determiner in _NO_DETERMINERS:
        return _named_within(sentence, phrase)
    if _owns_topic(sentence, place) and not phrase.proper:
        return None  # "a physician's assistant" is not about a physician
    called = len(phrase.core) > 1 and phrase.core[0].low in NAMING  # "the term loo"
    start = phrase.core[1].start if called else phrase.start
    start = sentence.phrases[place - 1].start if phrase.owned else start
    end = _name_end(sentence, place)
    short = _SHORTENED.search(sentence.text[start:end]) and sentence.text[end : end + 1] == "."
    name = _said(sentence, phrase, sentence.text[start : end + bool(short)])
    if len(name) > _LONGEST:
        return None
    kind, gender = _kind(sentence, place)
    return Entity(
        name=name,
        noun=singular(phrase.noun),
        core=_core(phrase),
        plural=_is_plural(sentence, phrase),
        kind=kind,
        gender=gender,
        proper=phrase.proper and phrase.determiner not in {"a", "an"},
        weak=_is_weak(sentence, phrase),
        aside=_is_aside(sentence, place) or _owns_topic(sentence, place),
    )


def _named_within(sentence: Sentence, phrase: Phrase) -> Entity | None:
    """ "her husband Pierre" names Pierre."""
    names = [word for word in phrase.core if word.capital]
    if not names or names[-1] is not phrase.words[-1]:
        return None
    lows = [word.low for word in phrase.core]
    name = sentence.text[names[0].start : names[-1].end]
    kind: Kind = "person" if any(low in PERSONS for low in lows) else ""
    return Entity(name, names[-1].low, name, kind=kind, gender=gender_of(lows, True), proper=True)


def _is_said_of_name(sentence: Sentence, place: int) -> bool:
    """ "Ann is a lawyer" speaks of Ann."""
    phrase = sentence.phrases[place]
    told = phrase.determiner in {"a", "an", "the"} and sentence.low(phrase.first - 1) in BE
    return told and any(one.proper for one in sentence.phrases[:place])


def _said(sentence: Sentence, phrase: Phrase, name: str) -> str:
    """The name as it is said elsewhere: without the capital of a sentence, and "my cat" of who has a cat."""
    if phrase.first == 0 and phrase.determiner:
        name = name[:1].lower() + name[1:]
    lows = [word.low for word in sentence.words[: phrase.first]]
    has = lows[:1] in (["i"], ["we"]) and any(low in {"have", "'ve", "got", "own", "had"} for low in lows[1:3])
    if has and (len(lows) <= 3 or phrase.joined) and phrase.determiner in {"a", "an", ""}:
        return f"{'my' if lows[0] == 'i' else 'our'} {without_article(name)}"
    return name


def is_side(phrase: Phrase) -> bool:
    """Whether it is always of something: "the symptoms", "the main causes"."""
    if phrase.noun not in RELATIONAL or phrase.proper or phrase.determiner in {"my", "our"}:
        return False
    return phrase.noun not in OFTEN_ALONE or not any(word.tag == "noun" for word in phrase.core[:-1])


def _is_weak(sentence: Sentence, phrase: Phrase) -> bool:
    """ "the drinking age" is something to talk about, "the age of consent" and "the side effects of it" are not."""
    if not is_side(phrase):
        return False
    if phrase.owned:
        return phrase.noun not in OFTEN_ALONE  # "Darwin's theory" is not about Darwin
    told = sentence.low(phrase.last + 1) in {"of", "for", "between"}
    return told or not any(word.tag == "noun" for word in phrase.core[:-1])


def _owns_topic(sentence: Sentence, place: int) -> bool:
    """ "Darwin's theory" is about the theory."""
    owned = sentence.phrases[place + 1 : place + 2]
    return sentence.phrases[place].owner and bool(owned) and owned[0].owned and not _is_weak(sentence, owned[0])


def _is_aside(sentence: Sentence, place: int) -> bool:
    """Whether a preposition ties it to a sentence that speaks of something else."""
    phrase = sentence.phrases[place]
    before = sentence.phrases[:place]
    if phrase.words[0].low in {"many", "much"}:
        return True
    if not before:
        happens = any(word.low in {"happen", "happens", "happened", "occurred"} for word in sentence.words)
        return phrase.preposition == "in" and phrase.proper and not happens
    if not phrase.preposition:
        return False
    tied = before[-1].last + 2 == phrase.first
    return not (tied and (is_side(before[-1]) or is_vague(before[-1]) or before[-1].head is None))


def is_vague(phrase: Phrase) -> bool:
    """Whether nothing can be asked about it: "some things", "the world", "the first time"."""
    if phrase.proper:
        return False
    return phrase.noun in VAGUE or (phrase.noun in SHARED and len(phrase.core) == 1)


def _name_end(sentence: Sentence, place: int) -> int:
    """Where the name ends: that of a side or of a first among many goes on with what it is of."""
    phrase = sentence.phrases[place]
    following = sentence.phrases[place + 1] if place + 1 < len(sentence.phrases) else None
    if following is None or following.first != phrase.last + 2 or phrase.proper or phrase.owned:
        return phrase.end
    side = following.preposition == "of" and (phrase.noun in RELATIONAL or phrase.determiner == "the")
    goes_on = side or (phrase.superlative and following.preposition in {"of", "in"})
    return following.end if goes_on else phrase.end


def _core(phrase: Phrase) -> str:
    kept = [
        word
        for word in phrase.core
        if word.low not in NAMING | NUMBERS and not is_superlative(word) and word.tag in {"noun", "adj", "num"}
    ]
    texts = [word.text for word in kept if word.tag == "noun" or not phrase.superlative]
    return " ".join([*texts[:-1], singular(texts[-1])]) if texts else phrase.noun


def _is_plural(sentence: Sentence, phrase: Phrase) -> bool:
    """By the helper of a question where that tells: "Who are Queen?", "What is Kubernetes?"."""
    helper = sentence.low(phrase.first - 1)
    asked = sentence.tag(0) in {"ask", "aux"} and not phrase.owner
    if asked and helper in SINGULAR_AUXILIARIES:
        return False
    named = phrase.proper and phrase.head is not None and phrase.head.capital
    return phrase.plural or (asked and named and helper in PLURAL_AUXILIARIES)


def _kind(sentence: Sentence, place: int) -> tuple[Kind, Gender]:
    phrase = sentence.phrases[place]
    words = [word.low for word in phrase.core]
    gender = gender_of(words, phrase.proper)
    around = phrase.preposition in _AROUND and not phrase.determiner and not phrase.words[0].text.isupper()
    if phrase.proper and around and words[0] not in TITLES:
        return "place", ""
    named = phrase.proper and words[0] in MALE_NAMES | FEMALE_NAMES | TITLES and not phrase.determiner
    if named or phrase.noun in PERSONS or _who_is(sentence, phrase):
        return "person", gender
    if phrase.proper:
        said = _said_of(sentence, place)
        if said in PERSONS:
            return "person", gender_of([said], False)
        if any(word in PLACES for word in words[-2:]) or CLASSES.get(said) == "place" or said == "capital":
            return "place", ""
    return ("thing" if phrase.determiner or not phrase.proper else ""), ""


def gender_of(words: Sequence[str], proper: bool) -> Gender:
    """By title, noun or first name."""
    for word in words:
        if word in MALE:
            return "male"
        if word in FEMALE:
            return "female"
    male, female = words[0] in MALE_NAMES, words[0] in FEMALE_NAMES
    if not proper or male == female:
        return ""
    return "male" if male else "female"


def _who_is(sentence: Sentence, phrase: Phrase) -> bool:
    """ "Who is Ann Smith?", but not "Who are The Beatles?"."""
    asks = sentence.low(0) in {"who", "whom"} and phrase.first == 2
    return asks and sentence.low(1) in {"is", "was", "'s"} and not phrase.plural


def _said_of(sentence: Sentence, place: int) -> str:
    """The noun of what a name is said to be: "X is a city", "X, the singer"."""
    phrase, following = sentence.phrases[place], sentence.phrases[place + 1 : place + 2]
    if place and sentence.tag(phrase.first - 1) == "aux" and not sentence.phrases[0].proper:
        return singular(sentence.phrases[0].noun)  # "The capital is X"
    if not following or following[0].proper:
        return ""
    between = [word.low for word in sentence.words[phrase.last + 1 : following[0].first]]
    linked = between == [","] or between[-1:] == ["called"] or (between and between[0] in BE)
    asked = not between and sentence.tag(phrase.first - 1) == "aux"
    return singular(following[0].noun) if linked or asked else ""


def told_apart(entity: Entity, kind: Kind, gender: Gender) -> Entity:
    """The same with what was learned of it; what it is known for stays, but a thing may turn out to be a place."""
    known = kind if kind == "place" and entity.kind == "thing" else entity.kind or kind
    return replace(entity, kind=known, gender=entity.gender or gender)
