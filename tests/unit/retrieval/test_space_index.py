"""The index of one space against the plain definition of what it computes."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from souvenir.retrieval.filters import Filter
from souvenir.retrieval.postings import K1, B
from souvenir.retrieval.score import _apart, _surroundings
from souvenir.retrieval.space_index import SpaceIndex
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Changes
from tests.unit.retrieval.made import DIMENSION, NOTHING, NOW, Row, ask, columns, index_of, vector_of

WORDS = ["tea", "coffee", "Anna", "Berlin", "Rust", "3.11", "dog", "run", "cake", "blue"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
HOUR = timedelta(hours=1)
ANY = Filter()


def found(index: SpaceIndex, text: str, only: Filter = ANY, count: int = 10) -> list[int]:
    return [int(one) for one in index.candidates(ask(text), vector_of(text), only, count).ids]


def bm25(rows: Sequence[Row], text: str) -> list[float]:
    """BM25 as the textbook has it, as a share of the weight of the question."""
    documents = [terms_of(row.text) for row in rows]
    average = sum(map(len, documents)) / len(documents)
    shares = [0.0] * len(rows)
    whole = 0.0
    for term in dict.fromkeys(terms_of(text)):
        holders = sum(term in document for document in documents)
        weight = math.log(1 + (len(rows) - holders + 0.5) / (holders + 0.5))
        whole += weight
        for place, document in enumerate(documents):
            frequency = Counter(document)[term]
            norm = K1 * (1 - B + B * len(document) / average)
            shares[place] += weight * frequency * (K1 + 1) / (frequency + norm)
    return [share / (whole or 1) for share in shares]


@pytest.mark.req("SRCH-1")
@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=20), TEXTS)
def test_the_lexical_side_is_bm25_as_the_textbook_has_it(texts: list[str], query: str) -> None:
    rows = [Row(id=number, text=text) for number, text in enumerate(texts, start=1)]
    glance = index_of(rows).glance(ask(query), Filter())
    assert glance.shares.tolist() == pytest.approx(bm25(rows, query), abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=20), TEXTS)
def test_cosines_are_those_of_the_vectors_to_two_thousandths(texts: list[str], query: str) -> None:
    rows = [Row(id=number, text=text) for number, text in enumerate(texts, start=1)]
    answer = index_of(rows).candidates(ask(query), vector_of(query), Filter(), len(rows))
    for passage_id, cosine in zip(answer.ids.tolist(), answer.cosines.tolist(), strict=True):
        exact = float(vector_of(rows[passage_id - 1].text) @ vector_of(query))
        assert cosine == pytest.approx(exact, abs=0.02)  # vectors of eight numbers are coarser than real ones


@given(
    st.lists(st.tuples(st.floats(-1, 2, width=32), st.booleans()), min_size=1, max_size=30),
)
def test_surroundings_are_the_mean_of_the_best_two_within_three_turns(entries: list[tuple[float, bool]]) -> None:
    values = np.array([value for value, _ in entries], np.float32)
    follows = np.array([follow for _, follow in entries], np.bool_)
    follows[0] = False
    sessions = np.cumsum(~follows)
    expected = []
    for place in range(len(values)):
        near = [
            float(values[other])
            for other in range(max(0, place - 3), min(len(values), place + 4))
            if sessions[other] == sessions[place]
        ]
        best = sorted(near, reverse=True)[:2]
        expected.append((best[0] + (best[1] if len(best) > 1 else 0.0)) / 2)
    assert _surroundings(values, _apart(follows)).tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.req("SRCH-5")
def test_an_answer_is_found_by_the_question_before_it() -> None:
    rows = [
        Row(1, "What is your favourite cake, Anna?", chat="c", speaker="Ben"),
        Row(2, "Definitely the one with lemon", at=NOW + timedelta(minutes=1), chat="c", speaker="Anna"),
        *(Row(number, f"blue dog number {number}", chat=f"other{number}") for number in range(3, 40)),
    ]
    assert set(found(index_of(rows), "Which cake does Anna like?")[:2]) == {1, 2}


def test_what_a_question_is_asked_without_lends_nothing_to_its_neighbours() -> None:
    rows = [
        Row(1, "What is your favourite cake, Anna?", chat="c", speaker="Ben"),
        Row(2, "Definitely the one with lemon", at=NOW + timedelta(minutes=1), chat="c", speaker="Anna"),
        *(Row(number, f"blue dog number {number}", chat=f"other{number}") for number in range(3, 40)),
    ]
    index = index_of(rows)
    alone = Filter(without=frozenset({1}))
    query = "Which cake does Anna like?"
    near = index.candidates(ask(query), vector_of(query), Filter(), 40)
    left = index.candidates(ask(query), vector_of(query), alone, 40)
    assert 1 not in left.ids
    before, after = (dict(zip(one.ids.tolist(), one.scores.tolist(), strict=True))[2] for one in (near, left))
    assert after < before


def test_a_pause_of_more_than_an_hour_separates_what_is_near() -> None:
    near = [Row(1, "favourite cake", chat="c"), Row(2, "lemon", at=NOW + timedelta(minutes=5), chat="c")]
    far = [Row(1, "favourite cake", chat="c"), Row(2, "lemon", at=NOW + 2 * HOUR, chat="c")]

    def lemon(rows: list[Row]) -> float:
        answer = index_of(rows).candidates(ask("cake"), vector_of("cake"), Filter(), 2)
        return float(answer.scores[answer.ids.tolist().index(2)])

    assert lemon(near) > lemon(far)


@pytest.mark.req("SRCH-2")
@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (Filter(), {1, 2, 3, 4, 7}),
        (Filter(kinds=frozenset({"memory"})), {3}),
        (Filter(tags_any=frozenset({"a", "b"})), {1, 2}),
        (Filter(tags_all=frozenset({"a", "b"})), {2}),
        (Filter(tags_any=frozenset({"unknown"})), set()),
        (Filter(categories=frozenset({"identity"})), {3}),
        (Filter(categories=frozenset({"unknown"})), set()),
        (Filter(chat_id="x"), {1, 4}),
        (Filter(chat_id="nobody's"), set()),
        (Filter(since=NOW), {2, 3, 4}),
        (Filter(until=NOW), {1, 7}),
        (Filter(since=NOW, until=NOW + HOUR), {2, 3}),
        (Filter(as_of=NOW), {1, 2, 3, 7}),
        (Filter(as_of=NOW - HOUR), {1, 6, 7}),
        (Filter(as_of=NOW - 2 * HOUR), {5}),
        (Filter(as_of=NOW - 4 * HOUR), set()),
        (Filter(as_of=NOW, tags_any=frozenset({"a"}), chat_id="x"), {1}),
    ],
    ids=[str(number) for number in range(17)],
)
def test_only_what_passes_the_filter_is_ranked(only: Filter, expected: set[int]) -> None:
    rows = [
        Row(1, "tea", at=NOW - HOUR, chat="x", tags=("a",)),
        Row(2, "tea", tags=("a", "b")),
        Row(3, "tea", kind="memory", category="identity"),
        Row(4, "tea", at=NOW + HOUR, chat="x"),
        Row(5, "tea", at=NOW - 3 * HOUR, until=NOW - HOUR),  # a version that ended
        Row(6, "tea", at=NOW - HOUR, until=NOW),  # one that ends as the question is asked
        Row(7, "tea", at=NOW - HOUR, until=NOW + HOUR),  # one that will
    ]
    assert set(found(index_of(rows), "tea", only)) == expected


@pytest.mark.req("SRCH-2")
def test_a_filter_applies_before_the_cut() -> None:
    rows = [Row(number, "tea tea tea") for number in range(1, 200)] + [Row(200, "coffee", tags=("rare",))]
    assert found(index_of(rows), "tea", Filter(tags_any=frozenset({"rare"})), count=3) == [200]


@pytest.mark.req("SRCH-2")
def test_what_was_not_known_yet_lends_its_neighbours_nothing() -> None:
    rows = [Row(1, "hello", chat="c"), Row(2, "Anna's cake", at=NOW + timedelta(minutes=1), chat="c")]
    alone = index_of(rows[:1]).candidates(ask("cake"), vector_of("cake"), Filter(as_of=NOW), 5)
    both = index_of(rows).candidates(ask("cake"), vector_of("cake"), Filter(as_of=NOW), 5)
    assert both.ids.tolist() == [1]
    assert both.cosines.tolist() == alone.cosines.tolist()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), TEXTS, st.booleans()), max_size=60), TEXTS)
def test_what_an_index_answers_depends_only_on_what_is_in_the_space(
    steps: list[tuple[int, str, bool]], query: str
) -> None:
    grown = SpaceIndex(DIMENSION)
    there: dict[int, Row] = {}
    for revision, (passage_id, text, add) in enumerate(steps, start=1):
        row = Row(passage_id, text, chat=f"c{passage_id % 3}", at=NOW + timedelta(minutes=passage_id))
        if add:
            there[passage_id] = row
            grown.apply([Changes(columns([row]), NOTHING)], revision)
        else:
            there.pop(passage_id, None)
            grown.apply([Changes(columns([]), np.array([passage_id]))], revision)
    fresh = index_of([there[key] for key in sorted(there)])
    one = grown.candidates(ask(query), vector_of(query), Filter(), 10)
    other = fresh.candidates(ask(query), vector_of(query), Filter(), 10)
    assert one.ids.tolist() == other.ids.tolist()
    assert one.scores.tolist() == pytest.approx(other.scores.tolist(), abs=1e-5)
    assert grown.count == len(there)
    assert grown.passages(one) == fresh.passages(other)
    assert {key: shown.text for key, shown in grown.passages(one).items()} == {
        key: there[key].text for key in one.ids.tolist()
    }


def test_what_is_gone_since_it_was_found_is_not_shown_and_takes_no_room() -> None:
    index = index_of([Row(1, "tea"), Row(2, "tea and cake" * 1000), Row(3, "coffee")])
    found = index.candidates(ask("tea"), vector_of("tea"), ANY, 3)
    before = index.size_bytes
    index.apply([Changes(columns([]), np.array([2]))], 2)
    assert set(index.passages(found)) == {1, 3}
    assert index.size_bytes < before - 10_000


def test_an_index_with_many_dead_rows_is_worn() -> None:
    index = index_of([Row(number, "tea") for number in range(1, 3001)])
    assert not index.is_worn
    index.apply([Changes(columns([]), np.arange(1, 1501))], 2)
    assert index.is_worn


@pytest.mark.req("SRCH-9")
def test_without_a_vector_words_decide() -> None:
    rows = [Row(1, "coffee"), Row(2, "tea with Anna"), Row(3, "blue dog")]
    answer = index_of(rows).candidates(ask("tea Anna"), None, Filter(), 3)
    assert answer.ids.tolist()[0] == 2


def test_a_passage_without_a_vector_yet_is_found_by_its_words() -> None:
    rows = [Row(1, "coffee"), Row(2, "tea with Anna", embedded=False), Row(3, "blue dog")]
    assert found(index_of(rows), "tea Anna")[0] == 2


def test_a_name_nobody_mentioned_is_noticed() -> None:
    index = index_of([Row(1, "Anna likes tea")])
    assert index.candidates(ask("what does Anna like"), None, Filter(), 1).named == 1
    assert index.candidates(ask("what does Zoltan like"), None, Filter(), 1).named == 0
    assert index.candidates(ask("what is there to like"), None, Filter(), 1).named == 1


def test_memory_is_about_what_it_says() -> None:
    index = index_of([Row(number, f"tea {number}") for number in range(1, 10_001)])
    assert 1e6 < index.size_bytes < 2e7
