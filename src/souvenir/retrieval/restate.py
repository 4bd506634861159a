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
    words = [frozenset(passage.terms.split()) for passage in top]
    before = found.scores[:_LOOKED_AT].tolist()
    scores = found.scores.copy()
    lifted = False
    # oldest first, so that the newest of several is lifted above what was lifted before it
    for newer in sorted(range(len(top)), key=lambda place: top[place].at):
        for older in range(len(top)):
            if (
                top[newer].at > top[older].at
                and before[newer] >= before[older] - _NO_FURTHER
                and scores[newer] <= scores[older]
                and _restates(words[newer], words[older], asked)
            ):
                scores[newer] = np.nextafter(scores[older], np.float32(np.inf))
                lifted = True
    return replace(found, scores=scores).chosen(np.lexsort((-found.ids, -scores))) if lifted else found


def _restates(newer: frozenset[str], older: frozenset[str], asked: frozenset[str]) -> bool:
    shared = newer & older
    return bool(shared & asked) and older & asked <= newer and len(shared) >= _SAME_SHARE * min(len(newer), len(older))
