"""What time, use and thumbs make of a memory."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.memory.fading import decay, importance, weighed
from souvenir.stores.memory_ports import Memory
from souvenir.testing.passages import AT

HALF = timedelta(days=90)
MEMORY = Memory(
    "id", "id", 1, "User likes tea", "preference", 8, 0.9, "said so", "preference", "local", AT, AT, AT
)  # fmt: skip


@pytest.mark.req("LIFE-4")
def test_nothing_fades_with_age_unless_a_setting_says_so() -> None:
    years = AT + timedelta(days=4000)
    assert decay(MEMORY, years, None) == 1.0
    assert weighed(0.7, MEMORY, years, None) == 0.7
    assert importance(MEMORY, years, None) == 8


@pytest.mark.req("LIFE-4")
def test_a_memory_that_nobody_uses_counts_half_after_each_half_life() -> None:
    assert decay(MEMORY, AT, HALF) == 1.0
    assert decay(MEMORY, AT + HALF, HALF) == pytest.approx(0.5)
    assert decay(MEMORY, AT + 2 * HALF, HALF) == pytest.approx(0.25)
    assert weighed(0.8, MEMORY, AT + HALF, HALF) == pytest.approx(0.4)


@pytest.mark.req("LIFE-4")
def test_what_is_reinforced_does_not_fade() -> None:
    used = replace(MEMORY, uses=1, used_at=AT + HALF)
    liked = replace(MEMORY, ups=1)
    assert decay(used, AT + HALF, HALF) == 1.0
    assert decay(liked, AT + 10 * HALF, HALF) == 1.0
    assert importance(liked, AT + timedelta(days=4000), HALF) == 8


@pytest.mark.req("LIFE-4")
def test_what_was_of_no_use_fades_faster_and_counts_less_at_once() -> None:
    disliked = replace(MEMORY, downs=1)
    assert decay(disliked, AT + HALF, HALF) == pytest.approx(0.25)
    assert weighed(0.8, disliked, AT, None) == pytest.approx(0.4)
    assert weighed(0.8, replace(MEMORY, ups=1), AT, None) > 0.8
    assert weighed(0.8, replace(MEMORY, ups=2, downs=2), AT, None) == 0.8


@pytest.mark.req("LIFE-4")
def test_the_importance_of_an_old_preference_falls_by_one_in_half_a_year() -> None:
    after = [importance(MEMORY, AT + timedelta(days=days), HALF) for days in (0, 182, 183, 366, 4000)]
    assert after == [8, 8, 7, 6, 1]
    assert importance(replace(MEMORY, category="identity"), AT + timedelta(days=4000), HALF) == 8
    used = replace(MEMORY, uses=3, used_at=AT + timedelta(days=365))
    assert importance(used, AT + timedelta(days=366), HALF) == 8


@given(
    score=st.floats(0, 1),
    ups=st.integers(0, 10**6),
    downs=st.integers(0, 10**6),
    age=st.integers(-(10**4), 10**5),
    life=st.none() | st.floats(0.01, 36_500),
)
def test_a_score_stays_a_score(score: float, ups: int, downs: int, age: int, life: float | None) -> None:
    memory = replace(MEMORY, ups=ups, downs=downs)
    half_life = timedelta(days=life) if life is not None else None
    found = weighed(score, memory, AT + timedelta(days=age), half_life)
    assert 0 <= found <= 1
    assert found > 0 or score == 0 or half_life is not None or score < 1e-300
