"""The one scoring function: what a passage says, what surrounds it, who said it and when, weighed into one number.

It is in two parts, `said` and `score`, because the first need not wait for the question to be embedded.

Everything works on arrays in which the passages of a chat stand in the order in which they were said, so that the turn
before and after is the entry before and after. A whole space is scored like that, and a few candidates of a very large
one. Weights and their origin: docs/retrieval.md.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from souvenir.retrieval.question import Question
from souvenir.retrieval.signs import DATED, INSTRUCTION, NUMBERS, PREFERENCE, QUESTION
from souvenir.retrieval.times import TimeRange

Floats = NDArray[np.float32]

ASSISTANT = 2
ROLES = {"user": 1, "assistant": ASSISTANT, "system": 3, "tool": 4}

SESSION_GAP_SECONDS = 3600.0  # a pause that long begins another conversation within a chat
RRF_K = 60
_LESS_THAN_ANY = np.float32(-1000)  # than any value; a finite one, because arithmetic with others is slow
_STRETCH = 16_384
_ALONE = np.float32(-100)
REACH = 3  # turns before and after, in whose light a turn is seen


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign of relevance counts. Fitted on conversations, not on questions about any one of them."""

    cosine: float = 2.5
    lexical: float = 2.45
    cosine_before: float = 0.3
    lexical_before: float = 1.3
    cosine_after: float = 1.2
    lexical_after: float = 0.4
    surroundings: float = 1.6
    assistant: float = -1.95
    assistant_asked: float = 0.2
    assistant_together: float = -0.6
    instruction: float = 2.5
    preference: float = 0.4
    question: float = -0.7
    length: float = 0.3
    speaker: float = 0.55
    dated: float = 0.4
    number: float = 0.25
    time: float = 1.0


WEIGHTS = Weights()


class Surface(NamedTuple):
    """What is known of passages before anything is asked, in the order in which they were said."""

    linked: Floats  # 1 where the next entry is the next turn of the same session, else 0
    apart: tuple[Floats, ...]  # for each distance: 0 where the entry that far on is of the same session, else a penalty
    prior: Floats
    assistant: Floats
    numbers: Floats
    dated: Floats
    wishes: Floats
    speaker: NDArray[np.int32]
    at: NDArray[np.float64]


def surface(
    chats: NDArray[np.int32],
    at: NDArray[np.float64],
    roles: NDArray[np.int8],
    speakers: NDArray[np.int32],
    signs: NDArray[np.int16],
    words: NDArray[np.int32],
) -> Surface:
    """Prepare passages that stand in order; a negative chat is none."""
    same = np.zeros(len(chats), np.bool_)
    same[1:] = (chats[1:] == chats[:-1]) & (chats[1:] >= 0) & (np.abs(np.diff(at)) <= SESSION_GAP_SECONDS)
    assistant = (roles == ASSISTANT).astype(np.float32)
    own = 1 - assistant
    wishes = WEIGHTS.instruction * ((signs & INSTRUCTION) > 0) + WEIGHTS.preference * ((signs & PREFERENCE) > 0)
    prior = WEIGHTS.question * ((signs & QUESTION) > 0) + WEIGHTS.length * np.minimum(np.log1p(words), 3.0)
    return Surface(
        linked=same[1:].astype(np.float32),
        apart=_apart(same),
        prior=prior.astype(np.float32),
        assistant=assistant,
        numbers=((signs & NUMBERS) > 0) * own,
        dated=((signs & DATED) > 0) * own,
        wishes=wishes.astype(np.float32) * own,
        speaker=speakers,
        at=at,
    )


def _apart(follows: NDArray[np.bool_]) -> tuple[Floats, ...]:
    penalties = []
    together = follows[1:]
    for distance in range(1, min(REACH, len(follows) - 1) + 1):
        if distance > 1:
            together = together[:-1] & follows[distance:]
        penalties.append(np.where(together, np.float32(0), _LESS_THAN_ANY))
    return tuple(penalties)


def said(
    question: Question,
    surface: Surface,
    lexical: Floats,
    speakers: Collection[int],
    periods: Sequence[TimeRange],
) -> Floats:
    """The part of each passage's score that can be told before the question's vector is known.

    `lexical` is BM25 as a share of the question's whole, `speakers` are those the question names, each once, `periods`
    the times it speaks of.
    """
    w = WEIGHTS
    total: Floats = surface.prior + np.float32(w.lexical) * lexical
    total[1:] += np.float32(w.lexical_before) * surface.linked * lexical[:-1]
    total[:-1] += np.float32(w.lexical_after) * surface.linked * lexical[1:]
    total += np.float32(_assistant(question)) * surface.assistant
    if question.wants_help:
        total += surface.wishes
    if question.wants_time:
        total += np.float32(w.dated) * surface.dated
    if question.wants_number:
        total += np.float32(w.number) * surface.numbers
    for speaker in speakers:
        total += np.float32(w.speaker) * (surface.speaker == speaker)
    if periods:
        total += np.float32(w.time) * _within(periods, surface.at)
    return total


def alone(said: Floats, cosines: Floats) -> Floats:
    """What passages score without the cosines of what surrounds them; those that nothing surrounds compare by it."""
    return said + np.float32(WEIGHTS.cosine) * cosines


def score(question: Question, surface: Surface, said: Floats, cosines: Floats, lexical: Floats) -> Floats:
    """How well each passage answers; `said` is what is known without the cosines.

    Scores compare within and between questions, but mean nothing yet: see `souvenir.retrieval.calibrate`.
    """
    if question.fusion == "rrf":
        return _by_rank(cosines, lexical)
    w = WEIGHTS
    total = alone(said, cosines)
    total[1:] += np.float32(w.cosine_before) * surface.linked * cosines[:-1]
    total[:-1] += np.float32(w.cosine_after) * surface.linked * cosines[1:]
    total += np.float32(w.surroundings) * _surroundings(cosines + lexical, surface.apart)
    return total


def _by_rank(cosines: Floats, lexical: Floats) -> Floats:
    """Reciprocal rank fusion, brought to about the range of the other scores."""
    total = np.zeros(len(cosines), np.float32)
    for values in (cosines, lexical):
        ranks = np.empty(len(values), np.float32)
        ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
        total += 1 / (np.float32(RRF_K) + ranks)
    return total * np.float32(RRF_K * 3)


def _assistant(question: Question) -> float:
    """What the assistant said is mostly advice: it matters when it is asked for."""
    if question.about_assistant:
        return WEIGHTS.assistant_asked
    return WEIGHTS.assistant_together if question.about_both else WEIGHTS.assistant


def _surroundings(values: Floats, apart: Sequence[Floats]) -> Floats:
    """The mean of the best two within reach of each entry, itself included."""
    if len(values) <= _STRETCH:
        return _best_two(values, apart)
    means = np.empty_like(values)
    for start in range(0, len(values), _STRETCH):  # as much at a time as the processor keeps at hand
        first, end = max(0, start - REACH), min(len(values), start + _STRETCH + REACH)
        penalties = [penalty[first : end - distance] for distance, penalty in enumerate(apart, 1)]
        stop = min(len(values), start + _STRETCH)
        means[start:stop] = _best_two(values[first:end], penalties)[start - first : stop - first]
    return means


def _best_two(values: Floats, apart: Sequence[Floats]) -> Floats:
    best = values.copy()
    second = np.full_like(values, _LESS_THAN_ANY)
    room = np.empty_like(values), np.empty_like(values)  # large arrays cost more to get than to fill
    for distance, penalty in enumerate(apart, 1):
        others, lesser = room[0][distance:], room[1][distance:]
        for here, there in ((slice(None, -distance), slice(distance, None)), (slice(distance, None), slice(-distance))):
            np.add(values[there], penalty, out=others)
            np.minimum(best[here], others, out=lesser)
            np.maximum(second[here], lesser, out=second[here])
            np.maximum(best[here], others, out=best[here])
    np.maximum(second, np.float32(0), out=second, where=second < _ALONE)
    best += second
    best *= np.float32(0.5)
    return best


def _within(periods: Sequence[TimeRange], at: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside = np.zeros(len(at), np.bool_)
    for period in periods:
        inside |= (at >= period.start.timestamp()) & (at < period.end.timestamp())
    return inside
