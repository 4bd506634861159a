"""Words that point back: pronouns, "the former", "this one", "there". Each is replaced by what it stands for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from souvenir.chat.rewriting.choosing import Choice, both, several, someone, something
from souvenir.chat.rewriting.entities import Entity, Gender, compares, owned_by
from souvenir.chat.rewriting.kinds import PERSONS
from souvenir.chat.rewriting.phrases import Sentence
from souvenir.chat.rewriting.thread import Thread

MOST_EDITS = 4
"""References of one sentence that are resolved: one with more has lost its reader too."""

_LONG_NAME = 5  # words, from which on "the size of …" reads better than an owner

Number = Literal["one", "many", "male", "female"]


class Edit(NamedTuple):
    """What stands in the place of a part of the sentence."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Draft:
    """A sentence on its way to stand alone."""

    sentence: Sentence
    edits: list[Edit] = field(default_factory=list)
    used: list[Entity] = field(default_factory=list)
    rivals: tuple[Entity, ...] = ()

    @property
    def entities(self) -> tuple[Entity, ...]:
        """What was put in, each once."""
        return tuple({one.key: one for one in self.used}.values())

    @property
    def text(self) -> str:
        """The sentence with all edits made."""
        text = self.sentence.text
        for edit in sorted(self.edits, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        return text

    def put(self, start: int, end: int, text: str, entity: Entity) -> None:
        """Replace a part; at the beginning of the sentence with a capital."""
        begins = not self.sentence.text[:start].strip()
        self.edits.append(Edit(start, end, text[:1].upper() + text[1:] if begins else text))
        self.used.append(entity)


_NUMBERS: dict[str, Number] = {
    "it": "one", "its": "one", "they": "many", "them": "many", "their": "many", "theirs": "many", "he": "male",
    "him": "male", "his": "male", "she": "female", "her": "female", "hers": "female",
}  # fmt: skip
_CHOOSERS: dict[Number, Callable[[Thread], Choice | None]] = {
    "one": something,
    "many": several,
    "male": lambda thread: someone(thread, "male"),
    "female": lambda thread: someone(thread, "female"),
}
_BOUNDARIES = frozenset({"ask", "conj"})


def resolve_pronouns(draft: Draft, thread: Thread) -> None:
    """Replace the pronouns whose meaning the sentence itself does not give."""
    sentence = draft.sentence
    settled: set[Number] = set()
    for place, word in enumerate(sentence.words):
        number = _NUMBERS.get(word.low)
        if number is None or number in settled or len(draft.edits) >= MOST_EDITS:
            continue
        if word.tag not in {"pron", "poss"} or means_nothing(sentence, place):
            continue
        settled.add(number)
        if has_antecedent(sentence, place, number):
            continue
        choose = both if number == "many" and compares(sentence) else _CHOOSERS[number]
        choice = choose(thread)
        if choice is not None:
            _replace(draft, place, choice)
            _settle(draft, thread, choice, number)


def _settle(draft: Draft, thread: Thread, choice: Choice, number: Number) -> None:
    draft.rivals = draft.rivals or ((choice.entity, *choice.rivals) if choice.rivals else ())
    gender: Gender = "male" if number == "male" else "female" if number == "female" else ""
    if number != "many" and not choice.rivals:
        thread.learn(choice.entity, "person" if gender else "thing", gender)
    thread.centre = choice.entity


def _replace(draft: Draft, place: int, choice: Choice) -> None:
    sentence = draft.sentence
    word = sentence.words[place]
    owns = word.tag == "poss" or word.low in {"theirs", "hers"}
    mistaken = sentence.tag(place + 1) == "own"  # "it's" for "its"
    end = sentence.words[place + 1].end if mistaken else word.end
    if not (owns or mistaken):
        short = sentence.tag(place + 1) == "aux" and sentence.low(place + 1) == "'s"  # a name takes no "'s" for "is"
        name = f"{choice.name} is" if short else choice.name
        draft.put(word.start, sentence.words[place + 1].end if short else end, name, choice.entity)
        return
    phrase = next((one for one in sentence.phrases if one.first <= place + mistaken <= one.last), None)
    long = len(choice.name.split()) > _LONG_NAME
    if phrase is not None and long and sentence.low(phrase.last + 1) != "of":
        draft.put(word.start, end, "the", choice.entity)
        draft.put(phrase.end, phrase.end, f" of {choice.name}", choice.entity)
    else:
        draft.put(word.start, end, owned_by(choice.name), choice.entity)


_NO_REFERENCES = frozenset({"so", "true", "right", "correct", "all", "it", "ok", "okay", "possible", "normal", "why"})


def resolve_pointers(draft: Draft, thread: Thread) -> None:
    """Replace "this" and "that" where they stand alone for a thing: "How does that work?", "the cause of this"."""
    sentence = draft.sentence
    for place, word in enumerate(sentence.words):
        if word.low not in {"this", "that", "these", "those"} or not _points(sentence, place):
            continue
        choice = something(thread) if word.low in {"this", "that"} else several(thread)
        if choice is not None and not choice.rivals:
            draft.put(word.start, word.end, choice.name, choice.entity)
            return


def _points(sentence: Sentence, place: int) -> bool:
    if any(phrase.first <= place <= phrase.last for phrase in sentence.phrases) or sentence.tag(place) == "conj":
        return False
    following = sentence.low(place + 1)
    if following in _NO_REFERENCES or sentence.low(place - 1) in {"like", "than", "as"}:
        return False
    done = sentence.low(place - 1) in {"do", "does", "did", "can", "could", "will", "would"}
    if done:
        return sentence.tag(place + 1) in {"verb", "adv"}
    return sentence.tag(place - 1) == "prep" and sentence.tag(place + 1) in {"mark", "conj", "prep"}


def means_nothing(sentence: Sentence, place: int) -> bool:
    """ "it" that stands for nothing ("Is it safe to …?", "What time is it?") and "they" that is everybody."""
    low = sentence.words[place].low
    rest = [word.low for word in sentence.words[place + 1 :]]
    if low == "they":
        return rest[:1] in (["say"], ["call"])
    if low != "it":
        return False
    if sentence.low(place - 1) == "do" and sentence.tag(place - 1) == "verb":
        return True
    before = [word.low for word in sentence.words[:place]]
    if before[-2:] in (["time", "is"], ["day", "is"], ["'s", "how"], ["how", "'s"], ["how", "is"]):
        return before[-2] in {"time", "day"} or rest[:1] == ["going"]
    return _is_filler(sentence, place)


_WEATHER = frozenset({"rain", "raining", "snow", "snowing", "sunny", "cloudy", "windy", "dark", "late", "true", "ok"})
_TAKING = frozenset({"take", "takes", "took", "mean", "means", "cost", "feel", "matter"})


def _is_filler(sentence: Sentence, place: int) -> bool:
    """Whether the true subject follows: "it" … "to do something", "that something is"."""
    at = place + 1
    while sentence.tag(at) in {"aux", "adv"}:
        at += 1
    if sentence.low(at) in _WEATHER:
        return True
    if sentence.tag(at) != "adj" and sentence.low(at) not in _TAKING:
        return False
    for later in range(at + 1, min(len(sentence.words), at + 6)):
        if sentence.low(later) in {"that", "if", "whether"}:
            return True
        if sentence.low(later) == "to" and sentence.words[later + 1 : later + 2]:
            doing = sentence.words[later + 1]
            # "Is it safe to eat?" is of what is eaten
            ends = sentence.tag(later + 2) == "mark" or sentence.low(later + 2) in {"than", "as", "for", "and", "or"}
            return (doing.tag == "verb" or doing.low in {"be", "have", "do"}) and not ends
    return False


def has_antecedent(sentence: Sentence, place: int, number: Number) -> bool:
    """Whether the sentence names what its pronoun stands for: in a clause before, or as the owner's own subject."""
    pronoun = sentence.words[place]
    for index, phrase in enumerate(sentence.phrases):
        if phrase.last >= place:
            break
        if not _agrees(sentence, index, number):
            continue
        between = sentence.words[phrase.last + 1 : place]
        if len(between) == 1 and between[0].low in {"that", "which", "who", "whom"}:
            continue  # "the people that they met"
        if any(_is_boundary(sentence, at, place) for at in range(phrase.last + 1, place)):
            return True
        governed = between and between[-1].tag == "prep" and len(between) == 1
        if pronoun.tag == "poss" and not governed and any(word.tag == "verb" for word in between):
            return True
    return False


def _is_boundary(sentence: Sentence, place: int, pronoun: int) -> bool:
    """Whether a clause ends here; "and" between two phrases joins them only, unless it is "tea and its history"."""
    word = sentence.words[place]
    if word.low in {"and", "or"} and place + 1 != pronoun:
        return not any(phrase.joined and phrase.first == place + 1 for phrase in sentence.phrases)
    return word.tag in _BOUNDARIES or word.low in {",", ";"}


def _agrees(sentence: Sentence, at: int, number: Number) -> bool:
    phrase = sentence.phrases[at]
    if phrase.head is None:
        return False
    person = phrase.noun in PERSONS
    if number == "many":
        joined = phrase.joined or any(one.joined for one in sentence.phrases[at + 1 : at + 2])
        return phrase.plural or joined
    if number == "one":
        return not phrase.plural and not person
    return person or phrase.proper
