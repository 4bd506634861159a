"""`python -m bench.retrieval.fit`: where the numbers of `calibrate` come from, what each sign of relevance is worth.

Everything is fitted on four conversations of a set and judged on the fifth, so that the figures say how it holds on
conversations nobody has seen. The fitted values are printed beside those in the code; copying them over is a decision.
"""

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.retrieval.data import SHARED, Conversation, beam, locomo
from souvenir.app import create_embedder
from souvenir.config import load_settings
from souvenir.embed.port import Embedder
from souvenir.metrics import Metrics
from souvenir.retrieval import score
from souvenir.retrieval.calibrate import calibration_of, probabilities
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.question import Question, read_question
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.space_index import Candidates, SpaceIndex
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Changes, Columns

NOW = datetime.now(UTC)
Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """A question, and whom it was asked of: `own` is the conversation it is about."""

    group: str
    conversation: int
    own: bool
    found: Candidates
    relevant: NDArray[np.bool_]
    evidence: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A conversation in memory, with its questions read and embedded."""

    conversation: Conversation
    index: SpaceIndex
    ids: dict[str, int]
    questions: list[tuple[Question, NDArray[np.float32], frozenset[int]]]


async def load(group: list[Conversation], embedder: Embedder) -> list[Indexed]:
    """Index conversations as `/index-chat-messages` would."""
    indexed = []
    for conversation in group:
        vectors = await _embed(embedder, [item.text for item in conversation.items])
        index = SpaceIndex(vectors.shape[1])
        index.apply([Changes(_columns(conversation, vectors), np.zeros(0, np.int64))], 1)
        ids = {item.id: place for place, item in enumerate(conversation.items, start=1)}
        asked = await _embed(embedder, [question.text for question in conversation.questions])
        questions = [
            (
                read_question(question.text, NOW),
                vector,
                frozenset(ids[one] for one in question.evidence if one in ids),
            )
            for question, vector in zip(conversation.questions, asked, strict=True)
        ]
        indexed.append(Indexed(conversation, index, ids, questions))
    return indexed


async def _embed(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    parts = [(await embedder.embed(texts[start : start + 256])).vectors for start in range(0, len(texts), 256)]
    return np.concatenate(parts)


def _columns(conversation: Conversation, vectors: NDArray[np.float32]) -> Columns:
    items = conversation.items
    count = len(items)
    return Columns(
        ids=np.arange(1, count + 1),
        kinds=["message"] * count,
        terms=[" ".join(terms_of(f"{item.speaker or ''} {item.text}")) for item in items],
        at=np.array([item.at.timestamp() for item in items]),
        until=np.full(count, np.inf),
        signs=np.array([signs_of(item.text) for item in items], np.int16),
        words=np.array([words_of(item.text) for item in items], np.int32),
        chat_ids=["chat"] * count,
        roles=[item.role for item in items],
        speakers=[item.speaker for item in items],
        tags=[()] * count,
        categories=[None] * count,
        vectors=vectors.astype(np.float16),
        embedded=np.ones(count, np.bool_),
    )


def ask_all(name: str, group: list[Indexed], count: int = 10) -> Iterator[Asked]:
    """Every question of its own conversation, and of all others."""
    for place, own in enumerate(group):
        for other in group:
            for question, vector, evidence in own.questions:
                if other is own and not evidence:
                    continue
                found = other.index.candidates(question, vector, Filter(), count)
                relevant = np.isin(found.ids, list(evidence)) if other is own else np.zeros(len(found.ids), np.bool_)
                yield Asked(name, place, other is own, found, relevant, len(evidence) if other is own else 0)


def recall(group: list[Indexed], k: int) -> float:
    """The share of evidence within the first k."""
    shares = [
        len(evidence & set(one.index.candidates(question, vector, Filter(), k).ids.tolist())) / len(evidence)
        for one in group
        for question, vector, evidence in one.questions
        if evidence
    ]
    return float(np.mean(shares))


def logistic(signs: Floats, truth: Floats, weights: Floats) -> Floats:
    """Weights and bias of a logistic regression, by Newton's method with a touch of ridge."""
    inputs = np.column_stack([signs, np.ones(len(signs))])
    weights = weights / weights.sum()
    beta = np.zeros(inputs.shape[1])
    ridge = np.diag([*([1e-5] * signs.shape[1]), 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ beta, -30, 30)))
        slope = inputs.T @ (weights * (chance - truth)) + ridge @ beta
        curve = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + ridge + np.eye(len(beta)) * 1e-9
        step = np.linalg.solve(curve, slope)
        beta -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    return beta


def fit_said(asked: list[Asked]) -> Floats:
    """Was anything ever said about this?"""
    signs = np.array(
        [[one.found.cosines.max(), one.found.lexical.max(), float(one.found.named == 0)] for one in asked], float
    )
    truth = np.array([one.own for one in asked], float)
    groups = np.array([f"{one.group} {one.own}" for one in asked])
    sizes = {name: int((groups == name).sum()) for name in np.unique(groups)}
    return logistic(signs, truth, np.array([1 / sizes[name] for name in groups]))


def fit_this(asked: list[Asked]) -> Floats:
    """And if so, is it this passage?"""
    own = [one for one in asked if one.own]
    signs = np.concatenate([np.column_stack([s := one.found.scores, s - s.max()]) for one in own]).astype(float)
    truth = np.concatenate([one.relevant for one in own]).astype(float)
    weight = {"BEAM": 4.0, "LoCoMo": 1.0}
    return logistic(signs, truth, np.concatenate([np.full(len(one.relevant), weight[one.group]) for one in own]))


def judge(asked: list[Asked], model: str) -> Iterator[str]:
    """How the calibration in the code does: empty answers to what was never said, recall lost, and reliability."""
    calibration = calibration_of(model)
    scored = [(one, np.array(probabilities(one.found, calibration))) for one in asked]
    for name in dict.fromkeys(one.group for one in asked):
        never = [float(p.max()) <= calibration.threshold for one, p in scored if one.group == name and not one.own]
        own = [(one, p) for one, p in scored if one.group == name and one.own]
        whole = np.mean([one.relevant.sum() / one.evidence for one, _ in own])
        kept = np.mean([(one.relevant & (p > calibration.threshold)).sum() / one.evidence for one, p in own])
        yield f"{name}: never said -> empty {np.mean(never):.3f}; recall@10 {whole:.3f}, {whole - kept:.3f} lost"
    chance = np.concatenate([p for _, p in scored])
    truth = np.concatenate([one.relevant for one, _ in scored])
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
            one.index.prepare()
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
    asked = [one for name, group in groups.items() for one in ask_all(name, group)]
    # the weight of the size is fitted on pieces of the conversations, by hand: sets of one size cannot tell it
    print("said (cosine, lexical, unknown_names, said_bias):", fit_said(asked).round(2).tolist())
    print("this (score, behind, bias):", fit_this(asked).round(2).tolist())
    print("in the code:", calibration_of(embedder.model))
    for line in (*judge(asked, embedder.model), *worth(groups)):
        print(line)
    await embedder.aclose()


if __name__ == "__main__":
    asyncio.run(main())
