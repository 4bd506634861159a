"""The sentences of a message in its author's own words."""
# ruff: noqa: RUF001 - the punctuation that people type

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from souvenir.memory.local_extract.material import own_lines
from souvenir.memory.local_extract.words import Word, low_at, word_set, words_of

_ENDS = frozenset("!?…。！？｡；")
_ABBREVIATIONS = word_set(
    "dr mr mrs ms prof st vs etc e.g i.e approx inc ltd jr sr no vol dept est ca jan feb mar apr jun jul aug sep sept "
    "oct esp incl aka nov dec mon tue wed thu fri sat sun hr fr nr bzw z.b sra mme mlle u.s u.k ph.d a.m p.m"
)
_TITLES = word_set("dr mr mrs ms prof")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is the line the words' offsets are of; `mark` is what ends it, empty where nothing does."""

    text: str
    words: tuple[Word, ...]
    mark: str

    @property
    def asks(self) -> bool:
        """Whether it ends like a question."""
        return self.mark in {"?", "？"}


def sentences_of(message: str) -> list[Sentence]:
    """The sentences its author says, in order."""
    return [sentence for line in own_lines(message) for sentence in _split(_calm(line))]


def _calm(line: str) -> str:
    """Shouting in small letters, so that capitals mean names."""
    return line.capitalize() if len(line) > 12 and line.isupper() else line


def _split(line: str) -> Iterator[Sentence]:
    words = words_of(line)
    begin = 0
    for place in range(len(words)):
        if not _ends_here(line, words, place):
            continue
        if place > begin:
            yield Sentence(line, tuple(words[begin:place]), _mark(words, place))
        begin = place + 1
    if begin < len(words):
        yield Sentence(line, tuple(words[begin:]), "")


def _mark(words: Sequence[Word], place: int) -> str:
    """A sentence that ends in "?!" or "!?" asks."""
    asked = any(word.low in {"?", "？"} for word in words[place : place + 3] if word.low in _ENDS)
    return "?" if asked else words[place].low


def _ends_here(line: str, words: Sequence[Word], place: int) -> bool:
    low = words[place].low
    if low_at(words, place + 1) == ")":
        return False
    if low != ".":
        return low in _ENDS or low.startswith("..")
    following = line[words[place].end : words[place].end + 1]
    if following and not following.isspace() and following not in "\"'”’)":
        return False
    if place == 0 or words[place - 1].end != words[place].start or place + 1 == len(words):
        return True
    before = words[place - 1]
    if before.low in _ABBREVIATIONS:
        return words[place + 1].low in {"i", "my", "we"} and before.low not in _TITLES
    initial = len(before.text) == 1 and before.capital and before.low != "i"
    return not initial
