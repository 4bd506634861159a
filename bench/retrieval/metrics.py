"""How well a ranking finds what answers: shares of evidence within the top k, and where the first of it stands."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.retrieval.data import Question

DEPTHS = (5, 10, 20)


@dataclass(frozen=True, slots=True)
class Quality:
    """Averages over questions."""

    questions: int
    recall: dict[int, float]
    all_at_5: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and the ids that came back for it, best first."""

    question: Question
    ranking: tuple[str, ...]

    def recall(self, depth: int) -> float:
        """The share of the evidence within the top so many."""
        return len(set(self.ranking[:depth]) & set(self.question.evidence)) / len(self.question.evidence)

    @property
    def reciprocal_rank(self) -> float:
        """One over the place of the first evidence; nothing when none came back."""
        return next((1 / place for place, id_ in enumerate(self.ranking, 1) if id_ in self.question.evidence), 0.0)


def quality(answered: Iterable[Answered]) -> Quality:
    """The averages over the questions that have evidence."""
    counted = [one for one in answered if one.question.evidence]
    if not counted:
        return Quality(0, dict.fromkeys(DEPTHS, math.nan), math.nan, math.nan)
    return Quality(
        len(counted),
        {depth: statistics.fmean(one.recall(depth) for one in counted) for depth in DEPTHS},
        statistics.fmean(one.recall(5) == 1 for one in counted),
        statistics.fmean(one.reciprocal_rank for one in counted),
    )


def by_category(answered: Iterable[Answered]) -> dict[str, Quality]:
    """The averages of every category, in the order in which they first appear."""
    groups: dict[str, list[Answered]] = {}
    for one in answered:
        if one.question.evidence:
            groups.setdefault(one.question.category, []).append(one)
    return {category: quality(group) for category, group in groups.items()}


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
