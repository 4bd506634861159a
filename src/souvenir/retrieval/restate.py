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
    asked = frozenset(question.terms)
    top = [stored[passage_id] for passage_id in found.ids[:_LOOKED_AT].tolist()]
    at = [passage.at for passage in top]
    before: list[float] = found.scores[:_LOOKED_AT].tolist()
    now = before.copy()
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
                and _restates(said(newer), said(older), asked)
            ):
                now[newer] = float(np.nextafter(np.float32(now[older]), np.float32(np.inf)))
    if now == before:
        return found
    scores = found.scores.copy()
    scores[:_LOOKED_AT] = now
    return replace(found, scores=scores).chosen(np.lexsort((-found.ids, -scores)))


def _restates(newer: frozenset[str], older: frozenset[str], asked: frozenset[str]) -> bool:
    shared = newer & older
    return bool(shared & asked) and older & asked <= newer and len(shared) >= _SAME_SHARE * min(len(newer), len(older))
