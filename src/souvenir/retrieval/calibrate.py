"""From a ranking's number to the probability that a passage answers.

Two questions are asked apart. Was anything ever said about this? The best cosine, the best share of words, and whether
all names in the question are unknown tell. And if so, is it this passage? Its score tells, and how far it is behind
the best. `python -m bench.retrieval.fit` fits both; docs/retrieval.md shows how well they hold.
"""

from dataclasses import dataclass
from math import exp, log

from souvenir.retrieval.space_index import Candidates


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights for one embedding model, and the least probability worth showing."""

    cosine: float
    lexical: float
    unknown_names: float
    size: float
    few: float
    length: float
    said_bias: float
    score: float
    behind: float
    bias: float
    threshold: float


_SHARPNESS = 12.0  # of the first question: when in doubt, nothing was said
_DOUBT = 0.3
_USUAL = 500  # passages the weights were fitted with
_FEW = 100  # below that chance falls faster
_SHORT, _LONG = 15.0, 250.0  # terms of a passage: turns of a talk, pages of advice; others were not measured
_MANY = 20_000  # beyond that nothing was measured

_MINILM = Calibration(
    cosine=10.5,
    lexical=4.9,
    unknown_names=-5.2,
    size=-0.3,
    few=-0.25,
    length=-0.42,
    said_bias=-5.0,
    score=0.37,
    behind=1.2,
    bias=-2.85,
    threshold=0.001,
)
_BY_MODEL = {"all-MiniLM-L6-v2": _MINILM}


def calibration_of(model: str) -> Calibration:
    """The calibration of an embedding model; one that was never measured is taken to be like ours."""
    return _BY_MODEL.get(model.rsplit("/", 1)[-1], _MINILM)


def probabilities(found: Candidates, calibration: Calibration) -> list[float]:
    """How likely each candidate answers, between 0 and 1."""
    scores = found.scores.tolist()
    if not scores:
        return []
    c = calibration
    said = c.said_bias + c.cosine * float(found.cosines.max()) + c.lexical * float(found.lexical.max())
    # the more there is, the nearer the nearest is by chance
    among = min(max(found.among, 2), _MANY)
    said += c.size * log(among / _USUAL) + c.few * min(0.0, log(among / _FEW))
    # and the longer it is, the more words it shares by chance
    said += c.length * log(min(max(found.average, _SHORT), _LONG) / _SHORT)
    if found.named == 0:
        said += c.unknown_names
    anything, best = _logistic(_SHARPNESS * (said - _DOUBT)), max(scores)
    return [anything * _logistic(c.bias + c.score * score + c.behind * (score - best)) for score in scores]


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-min(max(value, -60.0), 60.0)))
