"""Of two passages that say the same of the same thing, the newer one is first: what was restated has changed."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from souvenir.retrieval.question import Question
from souvenir.retrieval.space_index import Candidates
from souvenir.stores.passage_ports import Passage

_LOOKED_AT = 8  # from the top: further down it makes no difference to anybody
_SAME_SHARE = 0.5  # of the words of the shorter one, which has at least half as many as the other
_NO_FURTHER = 2.5  # in score: below that it answers something else


def newest_first(found: Candidates, question: Question, stored: Mapping[int, Passage]) -> Candidates:
    """Lift each restatement just above the older statements it repeats.

    A restatement has every word of the question that the older one has, half of its other words, and is about as long.
    """
    top = [stored[passage_id] for passage_id in found.ids[:_LOOKED_AT].tolist()]
    at = [passage.at for passage in top]
    before: list[float] = found.scores[:_LOOKED_AT].tolist()
    now = before.copy()
    asked = [_asked(passage, question) for passage in top]
    words: dict[int, frozenset[str]] = {}

    def said(place: int) -> frozenset[str]:
        if place not in words:
            words[place] = frozenset(top[place].terms.split())
        return words[place]

    # oldest first, so that the newest of several is lifted above what was lifted before it
    for newer in sorted(range(len(top)), key=at.__getitem__):
        for older in range(len(top)):
            if (
                now[newer] <= now[older]
                and at[newer] > at[older]
                and before[newer] >= before[older] - _NO_FURTHER
                and asked[older]
                and asked[older] <= asked[newer]
                and _much_the_same(said(newer), said(older))
            ):
                now[newer] = float(np.nextafter(np.float32(now[older]), np.float32(np.inf)))
    if now == before:
        return found
    scores = found.scores.copy()
    scores[:_LOOKED_AT] = now
    return replace(found, scores=scores).chosen(np.lexsort((-found.ids, -scores)))


def _asked(passage: Passage, question: Question) -> frozenset[str]:
    """The words of the question that a passage has."""
    terms = f" {passage.terms} "
    return frozenset([term for term in question.terms if f" {term} " in terms])


def _much_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _SAME_SHARE * min(len(one), len(other))
