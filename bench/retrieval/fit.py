"""`python -m bench.retrieval.fit`: where the numbers of `calibrate` come from, what each sign of relevance is worth.

The values are printed beside those in the code; copying them over is a decision. What is printed below them is how the
code's own do.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.retrieval.data import SHARED, beam, locomo
from bench.retrieval.spaces import PIECES, Asked, Indexed, elsewhere, load, mixed, pieces, whole
from souvenir.app import create_embedder
from souvenir.config import load_settings
from souvenir.metrics import Metrics
from souvenir.retrieval import score
from souvenir.retrieval.calibrate import Calibration, Evidence, calibration_of, evidence, probabilities
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.question import Question

Floats = NDArray[np.float64]


def recall(group: Sequence[Indexed], k: int) -> float:
    """The share of evidence within the first k."""
    shares = [
        len({place + 1 for place in evidence} & set(_ids(one, question, vector, k))) / len(evidence)
        for one in group
        for question, vector, evidence in one.questions
        if evidence
    ]
    return float(np.mean(shares))


def _ids(one: Indexed, question: Question, vector: NDArray[np.float32], k: int) -> list[int]:
    ids: list[int] = one.space.index.candidates(question, vector, Filter(), k).ids.tolist()
    return ids


def logistic(signs: Floats, truth: Floats, weights: Floats, given: Floats | float = 0.0) -> Floats:
    """Weights and bias of a logistic regression, by Newton's method with a touch of ridge; `given` is added as is."""
    inputs = np.column_stack([signs, np.ones(len(signs))])
    weights = weights / weights.sum()
    beta = np.zeros(inputs.shape[1])
    ridge = np.diag([*([1e-5] * signs.shape[1]), 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ beta + given, -30, 30)))
        slope = inputs.T @ (weights * (chance - truth)) + ridge @ beta
        curve = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + ridge + np.eye(len(beta)) * 1e-9
        step = np.linalg.solve(curve, slope)
        beta -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    return beta


def fit_said(asked: Sequence[Asked], calibration: Calibration) -> dict[str, float]:
    """Was anything ever said about this?

    What size and length count is not fitted: each set has a size and a length of its own, so a fit would tell the sets
    apart by them and be wrong where both are one space ("all at once").
    """
    signs = np.array([evidence(one.found, one.terms) for one in asked])
    free = [Evidence._fields.index(name) for name in ("cosine", "together", "alone", "unknown_names", "few")]
    given = sum(getattr(calibration.said, name) * signs[:, Evidence._fields.index(name)] for name in ("size", "length"))
    kinds = np.array([f"{one.group} {one.where} {one.own}" for one in asked])
    amounts = {name: int((kinds == name).sum()) for name in np.unique(kinds)}
    weights = np.array([(3 if " whole " in name else 1) / amounts[name] for name in kinds])
    fitted = logistic(signs[:, free], np.array([one.own for one in asked], float), weights, given)
    names = [*(Evidence._fields[place] for place in free), "said_bias"]
    return dict(zip(names, fitted.round(2).tolist(), strict=True))


def fit_this(asked: Sequence[Asked]) -> dict[str, float]:
    """And if so, is it this passage?"""
    own = [one for one in asked if one.own and one.where == "whole"]
    signs = np.concatenate([np.column_stack([s := one.found.scores, s - s.max()]) for one in own]).astype(float)
    truth = np.concatenate([one.relevant for one in own]).astype(float)
    weight = {"BEAM": 4.0, "LoCoMo": 1.0}
    fitted = logistic(signs, truth, np.concatenate([np.full(len(one.relevant), weight[one.group]) for one in own]))
    return dict(zip(("score", "behind", "bias"), fitted.round(2).tolist(), strict=True))


def judge(asked: Sequence[Asked], calibration: Calibration) -> Iterator[str]:
    """How the calibration in the code does: empty answers to what was never said, recall lost, and reliability."""
    scored = [(one, np.array(probabilities(one.found, one.terms, calibration))) for one in asked]
    for group, where in dict.fromkeys((one.group, one.where) for one in asked):
        here = [(one, p) for one, p in scored if (one.group, one.where) == (group, where)]
        never = np.mean([float(p.max()) <= calibration.threshold for one, p in here if not one.own])
        own = [(one, p) for one, p in here if one.own]
        if not own:
            yield f"{group}, {where}: never said -> empty {never:.3f}"
            continue
        found = np.mean([one.relevant.sum() / one.evidence for one, _ in own])
        kept = np.mean([(one.relevant & (p > calibration.threshold)).sum() / one.evidence for one, p in own])
        yield f"{group}, {where}: never said -> empty {never:.3f}; recall@10 {found:.3f}, {found - kept:.3f} lost"
    alone = [(one, p) for one, p in scored if one.where == "whole"]
    chance, truth = np.concatenate([p for _, p in alone]), np.concatenate([one.relevant for one, _ in alone])
    edges = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.01]
    for low, high in pairwise(edges):
        inside = (chance >= low) & (chance < high)
        if inside.any():
            yield f"score {low:.2f} to {min(high, 1):.2f}: {inside.sum()} passages, {truth[inside].mean():.3f} relevant"


def worth(groups: dict[str, list[Indexed]]) -> Iterator[str]:
    """Recall@10 with each weight set to nothing in turn."""
    weights = score.WEIGHTS
    for name in ["", *(field.name for field in fields(weights))]:
        score.WEIGHTS = replace(weights, **{name: 0.0}) if name else weights
        for one in (one for group in groups.values() for one in group):
            one.space.index.prepare()
        figures = ", ".join(f"{title} {recall(group, 10):.3f}" for title, group in groups.items())
        yield f"{'without ' + name if name else 'all weights'}: {figures}"
    score.WEIGHTS = weights


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED)
    folder = parser.parse_args().data
    embedder = create_embedder(load_settings({}), Metrics())
    await embedder.start()
    groups = {"LoCoMo": await load(locomo(folder), embedder), "BEAM": await load(beam(folder), embedder)}
    asked = [one for name, group in groups.items() for one in whole(name, group)]
    asked += [one for name, group in groups.items() for size in PIECES for one in pieces(name, group, size)]
    asked += mixed(groups)
    calibration = calibration_of(embedder.model)
    print("said:", fit_said(asked, calibration))
    asked += elsewhere(groups)
    print("this:", fit_this(asked))
    print("in the code:", calibration)
    for line in (*judge(asked, calibration), *worth(groups)):
        print(line)
    await embedder.aclose()


if __name__ == "__main__":
    asyncio.run(main())
