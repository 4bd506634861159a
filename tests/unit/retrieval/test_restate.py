"""What was restated stands above what it restates."""

from datetime import timedelta

import numpy as np

from souvenir.retrieval.restate import newest_first
from souvenir.retrieval.space_index import Candidates
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Passage
from tests.unit.retrieval.made import NOW, ask


def passage(passage_id: int, text: str, minutes: int) -> Passage:
    return Passage(
        passage_id=passage_id,
        kind="message",
        text=text,
        terms=" ".join(terms_of(text)),
        at=NOW + timedelta(minutes=minutes),
        start=0,
        end=len(text),
        chat_id=None,
        message_id=None,
        role="user",
        speaker=None,
        tags=(),
        category=None,
        origin={},
    )


def order(query: str, *passages: Passage, scores: tuple[float, ...] = ()) -> list[int]:
    given = np.array(scores or [5.0 - 0.1 * place for place in range(len(passages))], np.float32)
    zeros = np.zeros(len(passages), np.float32)
    ids = np.array([one.passage_id for one in passages])
    found = Candidates(ids, ids, given, given, zeros, weights={}, named=1.0, among=len(passages), average=5.0)
    return [int(one) for one in newest_first(found, ask(query), {one.passage_id: one for one in passages}).ids]


def test_the_newer_of_two_statements_of_one_thing_is_first() -> None:
    old = passage(1, "The capital of Germany is Bonn.", 0)
    new = passage(2, "The capital of Germany is Berlin.", 9)
    assert order("What is the capital of Germany?", old, new) == [2, 1]


def test_of_three_the_newest_is_first_and_the_oldest_last() -> None:
    said = [passage(number, f"The capital of Germany is {city}.", number) for number, city in enumerate("XYZ", 1)]
    assert order("What is the capital of Germany?", *said) == [3, 2, 1]


def test_a_newer_statement_of_something_else_stays_where_it_is() -> None:
    old = passage(1, "The capital of Germany is Bonn.", 0)
    new = passage(2, "The capital of France is Paris.", 9)
    assert order("What is the capital of Germany?", old, new) == [1, 2]


def test_what_is_far_behind_is_not_lifted() -> None:
    old = passage(1, "The capital of Germany is Bonn.", 0)
    new = passage(2, "The capital of Germany is Berlin.", 9)
    assert order("What is the capital of Germany?", old, new, scores=(9.0, 1.0)) == [1, 2]
