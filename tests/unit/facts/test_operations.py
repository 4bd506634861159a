"""Steps from one ranking to the next: ranks stay without gaps, and what cannot be done is said."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.facts.operations import Add, Clear, Move, Operation, Outcome, Place, Remove, Replace, Restate, Swap, apply
from souvenir.stores.fact_ports import Fact

AT = datetime(2026, 1, 1, tzinfo=UTC)


def make(value: str) -> Fact:
    return Fact("favorite_cities", "ranked", None, value, "chat", "message", AT)


def done(operation: Operation, *values: str) -> Outcome:
    return apply(operation, {rank: make(value) for rank, value in enumerate(values, start=1)}, make)


def listed(outcome: Outcome) -> list[tuple[int, str]] | None:
    if outcome.ranking is None:
        return None
    return [(rank, fact.value) for rank, fact in sorted(outcome.ranking.items())]


def counted(*values: str) -> list[tuple[int, str]]:
    return list(enumerate(values, start=1))


@pytest.mark.req("FACT-3")
@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (Add(None, values=("X",)), counted("A", "B", "C", "X")),
        (Add(None, values=("X", "Y"), rank=2), counted("A", "X", "Y", "B", "C")),
        (Add(None, values=("X",), beside="B", below=True), counted("A", "B", "X", "C")),
        (Add(None, values=("X",), rank=9), counted("A", "B", "C", "X")),
        (Remove(None, items=("B",)), counted("A", "C")),
        (Remove(None, items=(1, "c")), counted("B")),
        (Remove(None, items=(-1,)), counted("A", "B")),
        (Move(None, item="C", rank=1), counted("C", "A", "B")),
        (Move(None, item=1, rank=-1), counted("B", "C", "A")),
        (Move(None, item="C", by=-1), counted("A", "C", "B")),
        (Move(None, item="A", by=9), counted("B", "C", "A")),
        (Move(None, item="A", beside="B", below=True), counted("B", "A", "C")),
        (Move(None, item="X", rank=1, adds=True), counted("X", "A", "B", "C")),
        (Swap(None, one=1, other="C"), counted("C", "B", "A")),
        (Replace(None, item="B", value="X"), counted("A", "X", "C")),
        (Place(None, rank=2, value="X"), counted("A", "X", "C")),
        (Place(None, rank=1, value="C"), counted("C", "A", "B")),
        (Place(None, rank=5, value="X"), [*counted("A", "B", "C"), (5, "X")]),
        (Restate(None, items=((1, "X"),)), counted("X")),
        (Clear(None), []),
    ],
)
def test_a_step_keeps_ranks_contiguous(operation: Operation, result: list[tuple[int, str]]) -> None:
    assert listed(done(operation, "A", "B", "C")) == result


@pytest.mark.req("FACT-3")
@pytest.mark.parametrize(
    ("operation", "note"),
    [
        (Add(None, values=("b",)), "B is number 2 already."),
        (Add(None, values=("X",), rank=0), "There is no number 0: ranks begin at 1."),
        (Remove(None, items=("X",)), "X is not there."),
        (Remove(None, items=(9,)), "There is no number 9."),
        (Move(None, item="X", rank=1), "X is not there."),
        (Move(None, item="A", rank=0), "There is no number 0: ranks begin at 1."),
        (Swap(None, one="A", other="X"), "X is not there."),
        (Replace(None, item="A", value="b"), "B is number 2 already."),
        (Replace(None, item="X", value="Y"), "X is not there."),
    ],
)
def test_what_cannot_be_done_changes_nothing_and_is_said(operation: Operation, note: str) -> None:
    outcome = done(operation, "A", "B", "C")
    assert outcome.ranking is None
    assert outcome.notes == (note,)


def test_of_several_to_add_those_that_are_there_already_are_named() -> None:
    outcome = done(Add(None, values=("B", "X")), "A", "B")
    assert listed(outcome) == counted("A", "B", "X")
    assert outcome.notes == ("B is number 2 already.",)


ITEMS = st.one_of(st.integers(-3, 9), st.sampled_from("ABCDEX"))
STEPS = st.one_of(
    st.builds(
        Add,
        st.none(),
        st.just(True),
        st.lists(st.sampled_from("ABCDEX"), max_size=3).map(tuple),
        st.none() | st.integers(-1, 9),
    ),
    st.builds(Remove, st.none(), st.just(True), st.lists(ITEMS, max_size=3).map(tuple)),
    st.builds(Move, st.none(), st.just(True), ITEMS, st.integers(-1, 9)),
    st.builds(Move, st.none(), st.just(True), ITEMS, st.none(), st.integers(-4, 4)),
    st.builds(Swap, st.none(), st.just(True), ITEMS, ITEMS),
    st.builds(Replace, st.none(), st.just(True), ITEMS, st.sampled_from("ABCDEX")),
)


@pytest.mark.req("FACT-3")
@given(st.lists(st.sampled_from("ABCDE"), unique=True), st.lists(STEPS, max_size=8))
def test_whatever_is_done_ranks_are_contiguous_and_nothing_is_there_twice(
    first: list[str], steps: list[Operation]
) -> None:
    ranking = {rank: make(value) for rank, value in enumerate(first, start=1)}
    for step in steps:
        outcome = apply(step, ranking, make)
        ranking = outcome.ranking if outcome.ranking is not None else ranking
        assert sorted(ranking) == list(range(1, len(ranking) + 1))
        assert len({fact.value for fact in ranking.values()}) == len(ranking)
