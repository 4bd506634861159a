"""From a ranking's number to the probability that a passage answers.

Two questions are asked apart. Was anything ever said about this? The best cosine, the best share of words, and whether
all names in the question are unknown tell. And if so, is it this passage? Its score tells, and how far it is behind
the best. `python -m bench.retrieval.fit` fits both; docs/retrieval.md shows how well they hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from souvenir.retrieval.space_index import Candidates


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights for one embedding model, and the least probability worth showing."""

    cosine: float
    lexical: float
    unknown_names: float
    size: float
    few: float
    said_bias: float
    score: float
    behind: float
    bias: float
    threshold: float


_SHARPNESS = 4.0  # of the first question: when in doubt, nothing was said
_DOUBT = 0.3
_USUAL = 500  # passages the weights were fitted with
_FEW = 100  # below that chance falls faster
_MANY = 20_000  # beyond that nothing was measured

_MINILM = Calibration(
    cosine=10.5,
    lexical=4.9,
    unknown_names=-5.2,
    size=-0.3,
    few=-0.25,
    said_bias=-5.45,
    score=0.37,
    behind=1.2,
    bias=-2.85,
    threshold=0.003,
)
_BY_MODEL = {"all-MiniLM-L6-v2": _MINILM}


def calibration_of(model: str) -> Calibration:
    """The calibration of an embedding model; one that was never measured is taken to be like ours."""
    return _BY_MODEL.get(model.rsplit("/", 1)[-1], _MINILM)


def probabilities(found: Candidates, calibration: Calibration) -> NDArray[np.float32]:
    """How likely each candidate answers, between 0 and 1."""
    if not len(found.ids):
        return np.zeros(0, np.float32)
    c = calibration
    said = c.said_bias + c.cosine * float(found.cosines.max()) + c.lexical * float(found.lexical.max())
    # the more there is, the nearer the nearest is by chance
    among = min(max(found.among, 2), _MANY)
    said += c.size * float(np.log(among / _USUAL)) + c.few * min(0.0, float(np.log(among / _FEW)))
    if found.named == 0:
        said += c.unknown_names
    this = c.bias + c.score * found.scores + c.behind * (found.scores - found.scores.max())
    return (_logistic(_SHARPNESS * (said - _DOUBT)) * _logistic(this)).astype(np.float32)


def _logistic(values: NDArray[np.float32] | float) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -60, 60))), np.float32)
