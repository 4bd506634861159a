"""The noun phrases of a sentence: where each begins and ends, its head, and what it is tied to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from souvenir.chat.rewriting.kinds import PLACES
from souvenir.chat.rewriting.tags import Tagged, tagged
from souvenir.chat.rewriting.words import is_most, is_plural

_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr"})
_SUPERLATIVES = frozenset({"best", "worst", "most", "least"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words `first` to `last` of a sentence. `head` is the noun, None in "the largest".

    `preposition` stands right before it; `joined` says that "and", "or" or a comma ties it to the phrase before;
    `owner` that it is followed by 's, and `owned` that the phrase before is its owner.
    """

    first: int
    last: int
    words: tuple[Tagged, ...]
    head: Tagged | None
    preposition: str = ""
    joined: bool = False
    owner: bool = False
    owned: bool = False

    @property
    def determiner(self) -> str:
        """Its article or possessive in small letters, or nothing."""
        return self.words[0].low if self.words[0].tag in {"det", "poss"} or self.words[0].low == "the" else ""

    @property
    def start(self) -> int:
        """Where it begins in the sentence."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.words[-1].end

    @property
    def noun(self) -> str:
        """Its head in small letters, or nothing."""
        return self.head.low if self.head is not None else ""

    @property
    def core(self) -> tuple[Tagged, ...]:
        """The words without the determiner."""
        return self.words[1:] if self.determiner and len(self.words) > 1 else self.words

    @property
    def proper(self) -> bool:
        """Whether it is a name."""
        return self.head is not None and any(word.capital and word.tag == "noun" for word in self.core)

    @property
    def plural(self) -> bool:
        """Whether its head is a plural; of names, only one with "the" is."""
        named = self.head is not None and self.head.capital
        return is_plural(self.noun) and (not named or self.words[0].low == "the")

    @property
    def superlative(self) -> bool:
        """Whether it says which of many by a superlative or an ordinal."""
        return any(is_superlative(word) for word in self.words)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its words and noun phrases."""

    text: str
    words: tuple[Tagged, ...]
    phrases: tuple[Phrase, ...]

    def low(self, place: int) -> str:
        """The word at a place in small letters; nothing where there is none."""
        return self.words[place].low if 0 <= place < len(self.words) else ""

    def tag(self, place: int) -> str:
        """What the word at a place is; a mark where there is none."""
        return self.words[place].tag if 0 <= place < len(self.words) else "mark"


def is_superlative(word: Tagged) -> bool:
    """Whether a word is a superlative or an ordinal."""
    if word.tag not in {"adj", "num", "adv"}:
        return False
    return is_most(word.low) or word.low in _SUPERLATIVES or word.low in _ORDINALS


_ORDINALS = frozenset({"first", "second", "third", "last", "next", "latest", "main", "only", "top"})


def parse(text: str) -> Sentence:
    """Read a sentence; one that is shouted is read in small letters, so that capitals mean names."""
    text = text.capitalize() if text.isascii() and text.isupper() and " " in text else text
    words = tuple(tagged(text))
    return Sentence(text, words, tuple(_phrases(words)))


def _phrases(words: Sequence[Tagged]) -> Iterator[Phrase]:
    place, before = 0, -1  # `before` is where the phrase before ended
    while place < len(words):
        place += _opens_with_doing(words, place)
        end = _end(words, place)
        trimmed = _trim(words, place, end)
        if trimmed is None:
            place = max(end, place + 1)
            continue
        last, head = trimmed
        yield Phrase(
            place,
            last,
            tuple(words[place : last + 1]),
            head,
            preposition=words[place - 1].low if place and words[place - 1].tag == "prep" else "",
            joined=_is_joined(words, before, place),
            owner=last + 1 < len(words) and words[last + 1].tag == "own",
            owned=0 <= before == place - 2 and words[place - 1].tag == "own",
        )
        before, place = last, last + 1


def _opens_with_doing(words: Sequence[Tagged], place: int) -> bool:
    """ "of consuming sugar" is about sugar."""
    if not 0 < place < len(words) - 1 or words[place].form != "ing":
        return False
    return words[place - 1].tag in {"prep", "verb"} and words[place + 1].tag in {"noun", "adj", "det", "poss"}


def _is_joined(words: Sequence[Tagged], before: int, place: int) -> bool:
    between = [word.low for word in words[before + 1 : place]]
    return before >= 0 and between in (["and"], ["or"], [","], [",", "and"], [",", "or"], ["vs"], ["versus"])


def _end(words: Sequence[Tagged], first: int) -> int:
    """The place after the last word that may belong to a phrase which begins here."""
    place = first
    while place < len(words):
        word = words[place]
        if place > first and words[place - 1].tag == "noun" and _begins_anew(words[place - 1], word):
            break
        if _goes_on(words, first, place):
            place += 1
        elif step := _bridge(words, first, place):
            place += step
        else:
            break
    return place


def _goes_on(words: Sequence[Tagged], first: int, place: int) -> bool:
    word = words[place]
    if word.tag == "adv":
        return first < place < len(words) - 1 and words[place + 1].tag == "adj"
    return word.tag in {"noun", "adj", "num"} or (word.tag in {"det", "poss"} and place == first)


def _begins_anew(noun: Tagged, word: Tagged) -> bool:
    """ "Berlin | last year", "the animals | Darwin described"."""
    return word.low in {"last", "next"} or (word.capital and not noun.capital and is_plural(noun.low))


def _bridge(words: Sequence[Tagged], first: int, place: int) -> int:
    """How many words join two parts of a phrase here."""
    if place == first or place + 1 >= len(words):
        return 0
    last, word, following = words[place - 1], words[place], words[place + 1]
    after = words[place + 2] if place + 2 < len(words) else None
    if word.low in {"and", "&", "or"}:
        return 1 if after is not None and _joins_modifiers(words[first], last, following, after) else 0
    if last.tag != "noun" or not last.capital:
        return 0
    if word.low == "." and (len(last.text) == 1 or last.low in _TITLES):
        return 1 if following.capital else 0  # "J. K. Rowling", "Dr. Smith"
    if word.low in {"of", "de", "von", "van"} and last.low not in PLACES:
        inner = following.low == "the" and after is not None and after.capital
        return 1 if following.capital else 2 if inner else 0  # "Museum of Art", "Lord of the Rings"
    return 0


def _joins_modifiers(opening: Tagged, last: Tagged, following: Tagged, after: Tagged) -> bool:
    """ "big and active dogs", "the Lewis and Clark expedition"."""
    if last.tag == "adj" and following.tag == "adj":
        return after.tag in {"noun", "adj"}
    named = last.tag == "noun" and last.capital and following.capital and last.low not in PLACES
    return named and opening.low == "the" and after.tag == "noun"


def _trim(words: Sequence[Tagged], first: int, end: int) -> tuple[int, Tagged | None] | None:
    """The last word of the phrase and its head; None where there is no phrase."""
    nouns = [place for place in range(first, end) if words[place].tag == "noun"]
    if not nouns:
        pointed = words[first].low == "the" and end > first + 1
        return (end - 1, None) if pointed else None
    last = nouns[-1]
    numbered = last + 1 < end and words[last + 1].text.isdigit() and words[last].capital
    if numbered and words[last].low not in PLACES:
        return last + 1, words[last]
    return last, words[last]
