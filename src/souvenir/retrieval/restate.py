"""Of two passages that say the same of the same thing, the newer one is first: what was restated has changed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from souvenir.retrieval.question import Question
from souvenir.retrieval.space_index import Candidates
from souvenir.stores.passage_ports import Passage

_LOOKED_AT = 8  # from the top: further down it makes no difference to anybody
_SAME_SHARE = 0.5  # of the words of the shorter one
_NO_FURTHER = 2.5  # in score: below that it answers something else


def newest_first(found: Candidates, question: Question, stored: Mapping[int, Passage]) -> Candidates:
    """Lift each restatement just above the older statements it repeats.

    A restatement has every word of the question that the older one has, and half the words of the shorter one.
    """
    top = [stored[passage_id] for passage_id in found.ids[:_LOOKED_AT].tolist()]
    at = [passage.at for passage in top]
    before: list[float] = found.scores[:_LOOKED_AT].tolist()
    now = before.copy()
    needles = [(1 << place, f" {term} ") for place, term in enumerate(question.terms)]
    asked = [_asked(f" {passage.terms} ", needles) for passage in top]
    words: dict[int, frozenset[str]] = {}

    def said(place: int) -> frozenset[str]:
        if place not in words:
            words[place] = frozenset(top[place].terms.split())
        return words[place]

    # oldest first, so that the newest of several is lifted above what was lifted before it
    for newer in sorted(range(len(top)), key=at.__getitem__):
        since, missing, reach = at[newer], ~asked[newer], before[newer] + _NO_FURTHER
        for older, theirs in enumerate(asked):
            if (
                now[newer] <= now[older]
                and theirs
                and not theirs & missing
                and before[older] <= reach
                and since > at[older]
                and _much_the_same(said(newer), said(older))
            ):
                now[newer] = float(np.nextafter(np.float32(now[older]), np.float32(np.inf)))
    if now == before:
        return found
    scores = found.scores.copy()
    scores[:_LOOKED_AT] = now
    return replace(found, scores=scores).chosen(np.lexsort((-found.ids, -scores)))


def _asked(text: str, needles: Sequence[tuple[int, str]]) -> int:
    """The words of a question that a text has, each a bit."""
    return sum([bit for bit, needle in needles if needle in text])


def _much_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _SAME_SHARE * min(len(one), len(other))
