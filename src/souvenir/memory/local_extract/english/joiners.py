"""Words that join the parts of a sentence, and words that begin a question or a request."""

from collections.abc import Sequence

from souvenir.memory.local_extract.words import Word, low_at, word_set

DASHES = frozenset({"-", "–", "—", "...", "…", ";"})  # noqa: RUF001 - dashes that people type
CAUSES = word_set("because since as cause cuz bc")
SUBORDINATE = CAUSES | word_set("although though while whereas")
COORDINATE = frozenset({",", "and", "but", "or", "&", "plus", "yet", "then"})
JOINERS = DASHES | SUBORDINATE | COORDINATE | frozenset({"(", ")", ":", "so", "hence", "therefore", "except"})

_QUESTIONS = word_set("what how which where why who whose whom any")
_INVERTED = word_set("can could would will do does did is are am was were should shall may have has might")
_INVERTED_SUBJECTS = word_set("you i we it there this that he she they my someone anyone the a your")
_BEFORE_QUESTIONS = frozenset({"so", "and", "then", "ok", "now", ","})
IMPERATIVES = word_set("""
    suggest recommend tell give show explain help find list make create generate translate summarize summarise fix
    check write draft rewrite describe compare review plan let please propose design convert calculate compute solve
    outline proofread correct edit brainstorm search look think imagine pretend act consider assume suppose answer
    respond reply remind advise teach walk guide rate rank analyze analyse debug refactor implement provide keep use
    add remove include avoid do stop start continue send read play open close set get put take name choose pick
    simplify shorten
    """)
REQUESTS = word_set(
    "suggest recommend tell give show explain help find list make create generate translate summarize fix check please "
    "let write draft describe compare remind advise propose keep answer respond reply"
)


def asks(words: Sequence[Word], place: int) -> bool:
    """Whether a question or a polite request begins here."""
    while low_at(words, place) in _BEFORE_QUESTIONS:
        place += 1
    low = low_at(words, place)
    if low == "please" or low in _QUESTIONS:
        return True
    if low_at(words, place + 1) in {"n't", "not"}:
        place += 1
    return low in _INVERTED and low_at(words, place + 1) in _INVERTED_SUBJECTS


def segment(words: Sequence[Word], start: int) -> Sequence[Word]:
    """The words up to the next that joins."""
    end = next((place for place in range(start, len(words)) if words[place].low in JOINERS - {"-"}), len(words))
    return words[start:end]
