"""What the shares mean, worked out by hand."""

import math

import pytest

from bench.retrieval.data import Question
from bench.retrieval.metrics import Answered, by_category, percentile, quality
from bench.retrieval.page import placed
from bench.retrieval.plot import Row, chart


def answered(evidence: tuple[str, ...], ranking: str, category: str = "one") -> Answered:
    return Answered(Question("?", category, evidence), tuple(ranking))


BOTH = answered(("a", "c"), "abcdef")
LATE = answered(("k", "z"), "abcdefghijklm", "two")


def test_recall_is_the_share_of_evidence_within_the_top() -> None:
    assert [BOTH.recall(depth) for depth in (1, 2, 3, 5)] == [0.5, 0.5, 1, 1]
    assert [LATE.recall(depth) for depth in (5, 10, 20)] == [0, 0, 0.5]


def test_averages_are_over_questions_with_evidence() -> None:
    found = quality([BOTH, LATE, answered((), "abc")])
    assert found.questions == 2
    assert found.recall == {5: 0.5, 10: 0.5, 20: 0.75}
    assert found.all_at_5 == 0.5
    assert found.mrr == pytest.approx((1 + 1 / 11) / 2)


def test_nothing_found_counts_as_nothing() -> None:
    assert quality([answered(("x",), "")]).mrr == 0
    assert math.isnan(quality([]).mrr)


def test_categories_are_apart() -> None:
    groups = by_category([BOTH, LATE, answered((), "abc", "three")])
    assert {name: group.recall[20] for name, group in groups.items()} == {"one": 1, "two": 0.5}


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (95, 4), (100, 4), (0, 1)])
def test_a_percentile_is_a_measured_value(percent: float, value: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == value


def test_a_chart_names_everybody_and_escapes_them() -> None:
    drawn = chart("Share", ("A", "B"), [Row("ours", (0.8, 0.5), ours=True), Row("<them>", (0.4, 0.25))])
    assert "&lt;them&gt;" in drawn
    assert 'width="336.0"' in drawn
    assert drawn.count("<rect") == 2 + 4


def test_what_people_wrote_around_the_generated_part_stays() -> None:
    first = placed("one\n", "")
    again = placed("two\n", f"before\n{first}after\n")
    assert again == f"before\n{placed('two' + chr(10), '')}after\n"
    assert placed("one\n", "by hand\n").startswith("by hand\n")
