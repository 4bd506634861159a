"""From a ranking's number to the probability that a passage answers.

Two questions are asked apart. Was anything ever said about this? The best cosine, the best share of the question's
words that stand together, the best score of a passage by itself, and whether all names in the question are unknown
tell. And if so, is it this passage? Its score tells, and how far it is behind the best. `python -m bench.retrieval.fit`
fits both; docs/retrieval.md shows how well they hold.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
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
    alone: float
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
_NEVER = 60.0  # log odds against something, at most: whoever asks for all there is, above 0, gets it
_MANY = 20_000  # beyond that nothing was measured

_MINILM = Calibration(
    said=Evidence(cosine=9.2, together=5.03, alone=0.75, unknown_names=-4.28, size=-0.3, few=-0.5, length=-0.55),
    said_bias=-6.7,
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
    anything, slope, bias = _logistic(_SHARPNESS * said), c.score + c.behind, c.bias - c.behind * max(scores)
    return [anything * _logistic(bias + slope * score) for score in scores]


def evidence(found: Candidates, terms: Sequence[str]) -> Evidence:
    """What tells whether anything was said; of at least one candidate."""
    among = min(max(found.among, 2), _MANY)
    return Evidence(
        cosine=float(found.cosines[:JUDGED].max()),
        together=_together(terms[:JUDGED], found.weights),
        alone=float(found.alone[:JUDGED].max()),
        unknown_names=float(found.named == 0),
        size=log(among / _USUAL),
        few=min(0.0, log(among / _FEW)),
        length=log(min(max(found.average, _SHORT), _LONG) / _SHORT),
    )


def _together(texts: Sequence[str], weights: Mapping[str, float]) -> float:
    """The most that different words of a question which stand together in a text weigh."""
    needles = {f" {term} ": weight for term, weight in weights.items()}
    padded = [f" {text} " for text in texts]
    reach = [sum([weight for needle, weight in needles.items() if needle in text]) for text in padded]
    best = 0.0
    for text, most in sorted(zip(padded, reach, strict=True), key=lambda one: -one[1]):
        if most <= best:  # the rest cannot have more together, wherever it stands
            break
        best = max(best, _nearby(text, needles))
    return best


def _nearby(text: str, needles: Mapping[str, float]) -> float:
    best = weight = 0.0
    near: deque[tuple[int, str]] = deque()
    times = dict.fromkeys(needles, 0)
    place = last = 0
    for at, needle in sorted([(at, own) for own in needles for at in _places(text, own)]):
        place, last = place + text.count(" ", last, at), at
        near.append((place, needle))
        if not times[needle]:
            weight += needles[needle]
        times[needle] += 1
        while near[0][0] <= place - _TOGETHER:
            _, gone = near.popleft()
            times[gone] -= 1
            if not times[gone]:
                weight -= needles[gone]
        best = max(best, weight)
    return best


def _places(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle) - 1)  # the space behind it may be the one before the next


def _logistic(value: float) -> float:
    return 1 / (1 + exp(min(-value, _NEVER)))
