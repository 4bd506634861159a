"""The rewriter, offline, on TREC CAsT 2019: nearness to what people wrote, and what it leaves alone.

`python -m bench.rewriting [FOLDER]`, where FOLDER holds `cast_rewrites/`; see docs/rewriting.md.
"""

import argparse
import asyncio
import csv
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.report import Figure, table
from bench.retrieval.data import SHARED
from souvenir.chat.rewriting import LocalRewriter, Rewritten, Turn

F1, UNTOUCHED = 0.87, 0.95
_WORD = re.compile(r"\w+")
_EVERY = 3  # of the questions that stand alone, which are asked again in every other thread


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a topic, what people made of it, and what another system by rules did."""

    topic: int
    asked: str
    human: str
    other: str

    @property
    def stands_alone(self) -> bool:
        return self.asked.split() == self.human.split()


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    rewritten: Rewritten


def questions(folder: Path) -> list[Question]:
    """The questions in their order; topics come one after the other."""
    read = [_rows(folder / "cast_rewrites" / name) for name in ("1_Original.tsv", "10_Human.tsv", "4_Rule_based_Q.tsv")]
    asked, human, other = read
    return [Question(int(id_.split("_")[0]), asked[id_], human[id_], other[id_]) for id_ in asked]


def _rows(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["query"].strip() for row in csv.DictReader(file, delimiter="\t")}


def token_f1(one: str, other: str) -> float:
    """The harmonic mean of precision and recall of words in small letters, counted as often as they occur."""
    ones, others = (Counter(_WORD.findall(text.lower())) for text in (one, other))
    total = ones.total() + others.total()
    return 2 * (ones & others).total() / total if total else 1.0


async def rewrite_all(asked: Iterable[Question]) -> list[Answered]:
    """Each question after the earlier ones of its topic, as they were asked."""
    rewriter = LocalRewriter()
    threads: dict[int, list[Turn]] = {}
    answered = []
    for question in asked:
        thread = threads.setdefault(question.topic, [])
        answered.append(Answered(question, await rewriter.rewrite(question.asked, thread)))
        thread.append(Turn("user", question.asked))
    return answered


async def left_alone_elsewhere(asked: list[Question]) -> tuple[float, float]:
    """The share of questions that stand alone which stay as they are in every other thread, and the median time."""
    threads: dict[int, list[Turn]] = {}
    for question in asked:
        threads.setdefault(question.topic, []).append(Turn("user", question.asked))
    alone = [question for question in asked if question.stands_alone][::_EVERY]
    rewriter = LocalRewriter()
    kept, seconds = 0, []
    for question in alone:
        for topic, thread in threads.items():
            if topic == question.topic:
                continue
            started = time.perf_counter()
            kept += not (await rewriter.rewrite(question.asked, thread)).changed
            seconds.append(time.perf_counter() - started)
    return kept / len(seconds), statistics.median(seconds)


def mean_f1(answered: list[Answered], text: Callable[[Answered], str]) -> float:
    return statistics.fmean(token_f1(text(one), one.question.human) for one in answered)


def untouched(answered: list[Answered]) -> float:
    alone = [one for one in answered if one.question.stands_alone]
    return statistics.fmean(not one.rewritten.changed for one in alone)


async def measure(folder: Path) -> list[Figure]:
    asked = questions(folder)
    answered = await rewrite_all(asked)
    halves: Mapping[str, list[Answered]] = {
        "odd topics": [one for one in answered if one.question.topic % 2],
        "even topics": [one for one in answered if not one.question.topic % 2],
    }
    elsewhere, seconds = await left_alone_elsewhere(asked)
    figures = [
        Figure("token F1 to the human rewrites", mean_f1(answered, lambda one: one.rewritten.text), "≥", F1),
        Figure("questions that stand alone, left untouched", untouched(answered), "≥", UNTOUCHED, "share"),
        Figure("the same, asked in every other thread", elsewhere, "≥", UNTOUCHED, "share"),
        Figure("token F1 of copying the question", mean_f1(answered, lambda one: one.question.asked), "", None),
        Figure("token F1 of `4_Rule_based_Q`", mean_f1(answered, lambda one: one.question.other), "", None),
        Figure("left untouched by `4_Rule_based_Q`", _untouched_by_other(asked), "", None, "share"),
    ]
    for name, half in halves.items():
        figures += [
            Figure(f"{name}: token F1", mean_f1(half, lambda one: one.rewritten.text), "", None),
            Figure(f"{name}: of copying", mean_f1(half, lambda one: one.question.asked), "", None),
            Figure(f"{name}: of `4_Rule_based_Q`", mean_f1(half, lambda one: one.question.other), "", None),
            Figure(f"{name}: left untouched", untouched(half), "", None, "share"),
        ]
    return [*figures, Figure("time of one rewrite (p50)", seconds * 1000, "", None, "ms")]


def _untouched_by_other(asked: list[Question]) -> float:
    return statistics.fmean(one.other.split() == one.asked.split() for one in asked if one.stands_alone)


def run(folder: Path = SHARED) -> str:
    """The figures as a Markdown table; where the data is not there, a sentence that says so."""
    if not (folder / "cast_rewrites").exists():
        return f"Not measured: there is no cast_rewrites in {folder}; docs/rewriting.md says what it is."
    return table(asyncio.run(measure(folder)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=SHARED, help="the folder of the data sets")
    print(run(parser.parse_args().data))
