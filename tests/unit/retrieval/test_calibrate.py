"""From a ranking to probabilities: was anything said about this, and is it this passage."""

from dataclasses import replace

import numpy as np
import pytest

from souvenir.retrieval.calibrate import JUDGED, calibration_of, evidence, probabilities
from souvenir.retrieval.space_index import Candidates

OURS = calibration_of("all-MiniLM-L6-v2")
FOUND = Candidates(
    ids=np.array([1, 2]),
    rows=np.array([0, 1]),
    scores=np.array([3.0, 2.0], np.float32),
    alone=np.array([1.8, 1.2], np.float32),
    cosines=np.array([0.4, 0.3], np.float32),
    weights={"dog": 0.5, "park": 0.3, "sunday": 0.2},
    named=1.0,
    among=500,
    average=15.0,
)


@pytest.mark.req("SRCH-3")
def test_words_that_stand_together_count_and_the_same_words_far_apart_do_not() -> None:
    far = " ".join(["dog", *["other"] * 50, "park", *["other"] * 50, "sunday"])
    assert evidence(FOUND, [far, "x"]).together == pytest.approx(0.5)
    assert evidence(FOUND, [far, "walk dog park sunday"]).together == pytest.approx(1.0)
    assert evidence(FOUND, ["dog a b c d e f park", "x"]).together == pytest.approx(0.8)
    assert evidence(FOUND, ["dog a b c d e f g park", "x"]).together == pytest.approx(0.5)


def test_a_word_said_twice_counts_once() -> None:
    assert evidence(FOUND, ["dog dog dog park", "dog"]).together == pytest.approx(0.8)
    assert evidence(FOUND, ["park a b c dog d e f g dog sunday", ""]).together == pytest.approx(0.8)


@pytest.mark.req("SRCH-3")
def test_the_better_it_fits_the_likelier_it_answers_and_all_stays_within_0_and_1() -> None:
    fits = ["walk dog park sunday", "x"]
    good = probabilities(replace(FOUND, cosines=np.array([0.7, 0.3], np.float32)), fits, OURS)
    poor = probabilities(FOUND, ["nothing of it", "x"], OURS)
    assert 1 > good[0] > good[1] > poor[0] > poor[1] >= 0
    assert good[0] > OURS.threshold > poor[0]


def test_what_a_passage_scores_by_itself_makes_it_likelier() -> None:
    fits = ["walk dog park", "x"]
    more = replace(FOUND, alone=FOUND.alone + 1)
    assert probabilities(more, fits, OURS)[0] > probabilities(FOUND, fits, OURS)[0]


def test_names_nobody_mentioned_make_it_less_likely() -> None:
    fits = ["walk dog park sunday", "x"]
    assert probabilities(replace(FOUND, named=0.0), fits, OURS)[0] < probabilities(FOUND, fits, OURS)[0]


def test_only_the_first_candidates_are_judged_by() -> None:
    count = JUDGED + 5
    many = replace(
        FOUND,
        ids=np.arange(count),
        rows=np.arange(count),
        scores=np.linspace(3, 1, count, dtype=np.float32),
        alone=np.linspace(1, 3, count, dtype=np.float32),
        cosines=np.linspace(0.2, 0.9, count, dtype=np.float32),
    )
    seen = evidence(many, ["x"] * JUDGED + ["dog park sunday"] * 5)
    assert seen.together == 0
    assert seen.alone == pytest.approx(float(many.alone[JUDGED - 1]))
    assert seen.cosine == pytest.approx(float(many.cosines[JUDGED - 1]))


def test_nothing_found_is_nothing_to_judge() -> None:
    none = FOUND.chosen(np.zeros(2, np.bool_))
    assert probabilities(none, [], OURS) == []


@pytest.mark.req("SRCH-3")
def test_the_first_few_messages_do_not_answer_whatever_is_asked() -> None:
    """A cosine of 0.2 is chance, also where there is little to be near to by chance."""
    few = replace(FOUND, among=4, average=6.0)
    chance = replace(few, cosines=np.array([0.21, 0.13], np.float32), alone=np.array([1.1, 0.9], np.float32))
    near = replace(few, cosines=np.array([0.43, 0.1], np.float32), alone=np.array([1.7, 0.9], np.float32))
    assert probabilities(chance, ["x", "y"], OURS)[0] < OURS.threshold < probabilities(near, ["x", "y"], OURS)[0]
