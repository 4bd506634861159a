"""What each word of a sentence is: a noun, a verb, a helper. Read from left to right, by lists, endings and place."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from souvenir.chat.rewriting.words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    AUXILIARIES,
    COMMANDS,
    CONJUNCTIONS,
    DETERMINERS,
    MORE_VERBS,
    NO_ADJECTIVES,
    NO_ADVERBS,
    NUMBERS,
    ORDINALS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    is_most,
    is_plural,
)
from souvenir.memory.local_extract.english.lexicon import BE, DEMONYMS, DO, HAVE, MODALS
from souvenir.memory.local_extract.english.verbs import Form, verb_form
from souvenir.memory.local_extract.words import QUOTED, Word, words_of

Tag = Literal["det", "poss", "pron", "prep", "conj", "ask", "aux", "adv", "num", "adj", "noun", "verb", "mark", "own"]
_Wanted = Literal["finite", "base", "predicate", "participle", "nothing"]

_OF_SEVERAL_KINDS = frozenset({"her", "that", "about", "like", "one"})
_LISTS: tuple[tuple[Tag, frozenset[str]], ...] = (
    ("det", DETERMINERS),
    ("poss", POSSESSIVES),
    ("pron", PRONOUNS),
    ("aux", AUXILIARIES),
    ("ask", QUESTION_WORDS),
    ("prep", PREPOSITIONS),
    ("conj", CONJUNCTIONS),
    ("num", NUMBERS | ORDINALS),
    ("adv", ADVERBS),
    ("adj", ADJECTIVES),
)
# a word in several lists is what the first of them says
_CLOSED: dict[str, Tag] = {word: tag for tag, words in reversed(_LISTS) for word in words - _OF_SEVERAL_KINDS}
_OPENS_PHRASE: frozenset[Tag] = frozenset({"det", "poss", "adj", "num", "own"})
_ENDS_SUBJECT: frozenset[Tag] = frozenset({"noun", "pron", "adv", "num", "adj"})
_BE = BE | {"be", "been", "being"}
_ASKS_WITH_IS = QUESTION_WORDS | {"he", "she", "there", "that", "here"}
_AFTER_IT_IS = AUXILIARIES | DETERMINERS | ADVERBS | PREPOSITIONS | {"going", "called", "made"}
_NEVER_OPEN = (
    PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | PRONOUNS | QUESTION_WORDS | DETERMINERS | (ADVERBS - {"first", "most"})
)
_ENDINGS: tuple[tuple[str, Form], ...] = (("ing", "ing"), ("ed", "past"), ("es", "s"), ("s", "s"))


class Tagged(NamedTuple):
    """A word, and what it is; `form` is that of a verb, which a noun may be too. Offsets are of the sentence."""

    text: str
    low: str
    start: int
    end: int
    tag: Tag
    form: Form | None = None

    @property
    def capital(self) -> bool:
        """Whether it is written as a name is, "iPhone" too."""
        return has_capital(self.text)


def has_capital(text: str) -> bool:
    """Whether a word has a capital in it."""
    return text != text.lower()


def tagged(sentence: str) -> list[Tagged]:
    """The words of a sentence with their tags."""
    words = words_of(sentence)
    reader = _Reader(words)
    return [reader.read(place) for place in range(len(words))]


def form_of(low: str) -> Form | None:
    """Which form of a verb a word is, if it can be one."""
    known = verb_form(low)
    if known is not None:
        return known.form
    if low in MORE_VERBS:
        return "base"
    for ending, form in _ENDINGS:
        stem = low.removesuffix(ending)
        if stem != low and any(base in MORE_VERBS for base in (stem, stem + "e", stem[:-1])):
            return form
    if low.endswith("ed") and len(low) > 4:
        return "past"
    return "ing" if low.endswith("ing") and len(low) > 5 else None


def _may_open(low: str) -> bool:
    """Whether a phrase can go on with the word after "her" or "that"."""
    return low[:1].isalnum() and (low not in _NEVER_OPEN or low == "most")


class _Reader:
    """Remembers which form of a verb is to come."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._tags: list[Tag] = []
        self._wanted: _Wanted = "finite"

    def read(self, place: int) -> Tagged:
        word = self._words[place]
        form = form_of(word.low)
        tag = self._plain(place, word) or self._listed(place, word, form) or self._open(place, word.low, form)
        self._want(tag, word.low)
        self._tags.append(tag)
        return Tagged(word.text, word.low, word.start, word.end, tag, form)

    def _low(self, place: int) -> str:
        return self._words[place].low if 0 <= place < len(self._words) else ""

    def _last(self) -> Tag:
        return self._tags[-1] if self._tags else "mark"

    def _plain(self, place: int, word: Word) -> Tag | None:
        """What its letters alone tell: marks, quotations and names."""
        low = word.low
        if low in {"'s", "'"}:
            return self._apostrophe(place)
        if low == QUOTED:
            return "noun"
        if not (low[0].isalnum() or low[0] == "'"):
            return "mark"
        if low in _OF_SEVERAL_KINDS:
            return None
        return "noun" if self._is_name(place, word) else None

    def _apostrophe(self, place: int) -> Tag:
        before = self._low(place - 1)
        if before == "it":  # "it's" for "its" is the commonest of mistakes
            return "own" if self._wanted in {"nothing", "base"} and self._low(place + 1) not in _AFTER_IT_IS else "aux"
        return "aux" if before in _ASKS_WITH_IS else "own"

    def _is_name(self, place: int, word: Word) -> bool:
        """Capitals inside a sentence are names, also of words that are none: "The Who", "US"."""
        if not has_capital(word.text) or word.low in {"i", "'m"}:
            return False
        following = self._words[place + 1].text if place + 1 < len(self._words) else ""
        if place and self._tags[-1] != "mark":
            return word.low not in DETERMINERS or has_capital(following)
        if word.low in _NEVER_OPEN | POSSESSIVES | COMMANDS | ADVERBS:
            return False
        shouted = len(word.text) > 1 and word.text.isupper()
        return shouted or has_capital(following)  # "Mark Twain wrote …"

    def _listed(self, place: int, word: Word, form: Form | None) -> Tag | None:
        """What lists tell."""
        low = word.low
        if low in _OF_SEVERAL_KINDS:
            return self._of_several_kinds(place, low)
        if self._low(place - 1) == "how" and self._low(place + 1) in AUXILIARIES and low not in ADVERBS:
            return "adj"
        closed = _CLOSED.get(low)
        main_verb = low in {"do", "have", "did", "had"} and self._wanted == "base"
        if main_verb or (closed == "adj" and form is not None and self._is_verb(place, low, form)):
            return "verb"
        if closed is None and low[0].isdigit():
            return "noun" if any(map(str.isalpha, low)) else "num"
        return closed

    def _of_several_kinds(self, place: int, low: str) -> Tag:
        following = self._low(place + 1)
        if low == "her":
            return "poss" if _may_open(following) else "pron"
        if low == "about":
            return "adv" if following[:1].isdigit() and self._last() != "verb" else "prep"
        if low == "like":
            return "verb" if self._wanted == "base" and self._last() in _ENDS_SUBJECT else "prep"
        if low == "one":
            return "noun" if self._last() in {"det", "adj", "num"} else "num"
        return self._that(following)

    def _that(self, following: str) -> Tag:
        if self._wanted == "base" and self._last() == "aux" and form_of(following) == "base":
            return "pron"  # "How does that work?"
        clause = self._last() == "noun" and (following in AUXILIARIES or form_of(following) is not None)
        if clause or self._last() == "adj" or is_plural(following):
            return "conj"
        return "det" if _may_open(following) and self._last() != "verb" else "pron"

    def _open(self, place: int, low: str, form: Form | None) -> Tag:
        """What its ending and its place tell."""
        if form is not None:
            return self._with_form(place, low, form)
        if low.endswith("ly") and len(low) > 4 and low not in NO_ADVERBS:
            return "adv"
        if self._wanted == "finite" and self._is_between_names(place):
            return "verb"
        return "adj" if self._is_adjective(place, low) else "noun"

    def _is_between_names(self, place: int) -> bool:
        """Whether an unknown word does what one name does to another: "Ann outwits Bob"."""
        if not 0 < place < len(self._words) - 1 or self._last() != "noun":
            return False
        return has_capital(self._words[place - 1].text) and has_capital(self._words[place + 1].text)

    def _is_adjective(self, place: int, low: str) -> bool:
        if low in DEMONYMS or (is_most(low) and self._last() in {"det", "own", "poss"}):
            return True
        if len(low) <= 5 or low in NO_ADJECTIVES:
            return False
        if low.endswith(("ier", "iest")):
            return self._last() != "det"
        return low.endswith(ADJECTIVE_ENDINGS) or (low.endswith(("al", "ic")) and self._describes(place))

    def _describes(self, place: int) -> bool:
        """Whether a word that may be a noun or an adjective stands before a noun, or is all that is said."""
        following = self._low(place + 1)
        if following in {"and", "or"}:
            following = self._low(place + 2)
        goes_on = following[:1].isalnum() and following not in _NEVER_OPEN
        return goes_on or self._last() in {"pron", "adv", "aux"}

    def _with_form(self, place: int, low: str, form: Form) -> Tag:
        if self._is_verb(place, low, form):
            return "verb"
        if form in {"past", "participle"}:
            if self._tags == ["conj"]:
                return "adj"  # "And unsupervised learning?"
            return "adj" if self._last() in _OPENS_PHRASE or self._last() in {"adv", "prep"} else "verb"
        return "adj" if is_most(low) and self._last() == "det" else "noun"

    def _is_verb(self, place: int, low: str, form: Form) -> bool:
        last, before, following = self._last(), self._low(place - 1), self._low(place + 1)
        if not self._tags:
            return form == "base" and following not in AUXILIARIES and (following[:1].isalnum() or low in COMMANDS)
        if before == "to" or last == "pron":
            return form == "base" or (last == "pron" and self._wanted != "base" and form != "ing")
        if last in _OPENS_PHRASE and before not in ORDINALS:
            return False
        return self._is_wanted(place, form)

    def _is_wanted(self, place: int, form: Form) -> bool:
        """Whether it is the form that the sentence waits for."""
        last, before, following = self._last(), self._low(place - 1), self._low(place + 1)
        if self._wanted == "base":
            return form == "base" and (last in _ENDS_SUBJECT or last == "aux") and form_of(following) != "base"
        if self._wanted == "predicate":
            if form == "ing" and last == "noun" and self._names_activity(place):
                return False
            return form in {"past", "participle", "ing"} and (last in _ENDS_SUBJECT or before in _BE)
        if self._wanted == "participle":
            return form in {"past", "participle"}
        return self._wanted == "finite" and following not in AUXILIARIES and self._is_finite(form, last, before)

    @staticmethod
    def _is_finite(form: Form, last: Tag, before: str) -> bool:
        if last == "ask":
            return form in {"s", "past"}
        agrees = form != "base" or last != "noun" or is_plural(before)
        return last in {"noun", "pron", "adv"} and form != "ing" and agrees

    def _names_activity(self, place: int) -> bool:
        """Whether it is a noun, as in "What is data mining?", and not a verb, as in "What is Ann doing?"."""
        helper = max((index for index, tag in enumerate(self._tags) if tag == "aux"), default=0)
        if "prep" in self._tags[helper:] or form_of(self._low(place + 1)) in {"past", "participle"}:
            return True
        return self._low(place + 1) in {"", "?"} and not has_capital(self._words[place - 1].text)

    def _want(self, tag: Tag, low: str) -> None:
        if tag == "aux":
            self._wanted = _AFTER_AUXILIARY.get(low, self._wanted)
        elif tag == "verb" or (low == "about" and self._tags == ["ask"]):
            self._wanted = "nothing"
        elif (tag == "conj" and low not in {"and", "or"}) or (tag == "ask" and self._tags) or low in {",", ";"}:
            self._wanted = "finite"


_AFTER_AUXILIARY: dict[str, _Wanted] = {
    **dict.fromkeys(DO | MODALS, "base"),
    **dict.fromkeys(HAVE, "participle"),
    **dict.fromkeys(_BE, "predicate"),
}
