"""A clause: whom it is about, its verb, and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from souvenir.memory.local_extract.english.lexicon import ADVERBS, FILLERS, FINITE, HEDGES, MEANT
from souvenir.memory.local_extract.english.subjects import Subject, subject_at
from souvenir.memory.local_extract.english.verb_groups import Verb, verb_after
from souvenir.memory.local_extract.words import Word, low_at, lows, word_set

_MAY_FOLLOW = word_set("do can will may")


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement, made of `words` of `text`. `tail` is what was said before the subject."""

    text: str
    words: tuple[Word, ...]
    subject: Subject
    verb: Verb
    rest: tuple[Word, ...]
    tail: tuple[Word, ...] = ()
    hedged: bool = False

    @property
    def low(self) -> str:
        """What follows the verb, in small letters."""
        return lows(self.rest)


def parse(text: str, words: Sequence[Word]) -> Clause | None:
    """A clause that begins with its subject, but for adverbs."""
    begin = 0 if subject_at(words, 0) is not None else after_adverbs(words, 0)
    subject = subject_at(words, begin)
    verb = verb_after(words, subject) if subject is not None else None
    if subject is None or verb is None:
        return None
    if verb.lemma != "be" and low_at(words, verb.end) in FINITE - _MAY_FOLLOW:
        return None  # "what I love is …"
    tail = tuple(word for word in words[:begin] if word.low in MEANT)
    unsure = any(word.low in HEDGES for word in words[:begin])
    return Clause(text, tuple(words), subject, verb, tuple(words[verb.end :]), tail, unsure)


def after_adverbs(words: Sequence[Word], place: int) -> int:
    """The next place that is no adverb."""
    while low_at(words, place) in ADVERBS or low_at(words, place) in FILLERS:
        place += 1
    return place
