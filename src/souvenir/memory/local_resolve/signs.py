"""The words of a sentence that no paraphrase of it may change: names, numbers, days, and whether it denies."""

import functools
from dataclasses import dataclass

from souvenir.memory.local_resolve.frames import Terms
from souvenir.memory.local_resolve.lists import word_set
from souvenir.memory.local_resolve.words import DAYS, canonical, fold, is_number, tokens_of

_DENIALS = word_set(
    "not no never none nobody nothing cannot without stopped quit longer anymore former formerly used"
    " left overcame overcome lost ended cancelled canceled recovered dropped abandoned sold hate hates"
    " hated dislike dislikes detest detests loathe loathes avoid avoids nicht kein keine keinen keinem"
    " keiner nie niemals ohne nunca ya jamas sin ne n pas plus jamais sans"
)
_EMPTY = word_set(
    "a an the of to in on at is are was were be user and or that s for with by as it has have had do does his her their"
)


@dataclass(frozen=True, slots=True)
class Signs:
    """What is to be the same in two sentences of one meaning; `terms` is all their content."""

    terms: Terms
    names: Terms
    numbers: Terms
    negative: bool


@functools.lru_cache(maxsize=1024)
def signs_of(text: str) -> Signs:
    """The signs of a sentence in its normal form."""
    tokens = tokens_of(text)
    terms = canonical(tokens)
    written = [word for word in tokens[1:] if word[:1].isupper() and word != "User" and fold(word) not in DAYS]
    if tokens and tokens[0] != "User" and tokens[0][:1].isupper() and fold(tokens[0]) not in _EMPTY:
        written.append(tokens[0])
    return Signs(
        terms=frozenset(term for term in terms if term not in _EMPTY),
        names=frozenset(canonical(written)),
        numbers=frozenset(term for term in terms if is_number(term) or term in DAYS),
        negative=any(fold(token) in _DENIALS for token in tokens),
    )
