"""From a ranking's number to the probability that a passage answers.

Two questions are asked apart. Was anything ever said about this? The best cosine, the best share of the question's
words that stand together, and whether all names in the question are unknown tell. And if so, is it this passage? Its
score tells, and how far it is behind the best. `python -m bench.retrieval.fit` fits both; docs/retrieval.md shows how
well they hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

from souvenir.retrieval.space_index import Candidates


class Evidence(NamedTuple):
    """Signs that something was said, or what each of them weighs.

    The more there is, the nearer the nearest is by chance; and the longer it is, the more words it shares by chance.
    """

    cosine: float
    together: float
    unknown_names: float
    size: float
    few: float
    length: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights for one embedding model, those of each sign among them, and the least probability worth showing."""

    said: Evidence
    said_bias: float
    score: float
    behind: float
    bias: float
    threshold: float


JUDGED = 10  # candidates, from the top, by which it is judged whether anything was said
_TOGETHER = 8  # terms that are about one thing; a long text has any words somewhere
_SHARPNESS = 12.0  # of the first question: it is answered yes or no, not perhaps
_USUAL = 500  # passages the weights were fitted with
_FEW = 100  # below that chance falls faster
_SHORT, _LONG = 15.0, 250.0  # terms of a passage: turns of a talk, pages of advice; others were not measured
_MANY = 20_000  # beyond that nothing was measured

_MINILM = Calibration(
    said=Evidence(cosine=11.15, together=6.14, unknown_names=-5.16, size=-0.3, few=-0.3, length=-0.55),
    said_bias=-5.38,
    score=0.37,
    behind=1.2,
    bias=-2.85,
    threshold=0.001,
)
_BY_MODEL = {"all-MiniLM-L6-v2": _MINILM}


def calibration_of(model: str) -> Calibration:
    """The calibration of an embedding model; one that was never measured is taken to be like ours."""
    return _BY_MODEL.get(model.rsplit("/", 1)[-1], _MINILM)


def probabilities(found: Candidates, terms: Sequence[str], calibration: Calibration) -> list[float]:
    """How likely each candidate answers, between 0 and 1; `terms` are those of the first, `JUDGED` of them or more."""
    scores = found.scores.tolist()
    if not scores:
        return []
    c = calibration
    said = c.said_bias + sum(weight * sign for weight, sign in zip(c.said, evidence(found, terms), strict=True))
    anything, best = _logistic(_SHARPNESS * said), max(scores)
    return [anything * _logistic(c.bias + c.score * score + c.behind * (score - best)) for score in scores]


def evidence(found: Candidates, terms: Sequence[str]) -> Evidence:
    """What tells whether anything was said; of at least one candidate."""
    among = min(max(found.among, 2), _MANY)
    return Evidence(
        cosine=float(found.cosines[:JUDGED].max()),
        together=max(_together(own, found.weights) for own in terms[:JUDGED]),
        unknown_names=float(found.named == 0),
        size=log(among / _USUAL),
        few=min(0.0, log(among / _FEW)),
        length=log(min(max(found.average, _SHORT), _LONG) / _SHORT),
    )


def _together(terms: str, weights: Mapping[str, float]) -> float:
    """The most that different words of a question which stand together in a text weigh."""
    places = [(place, term) for place, term in enumerate(terms.split(" ")) if term in weights]
    best = 0.0
    for number, (start, _) in enumerate(places):
        near = {term for place, term in places[number : number + _TOGETHER] if place < start + _TOGETHER}
        best = max(best, sum([weights[term] for term in near]))
    return best


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-min(max(value, -60.0), 60.0)))
