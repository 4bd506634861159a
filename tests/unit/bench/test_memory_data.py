"""How the memory benchmark reads what it is measured on."""

import pytest

from bench.memory_data import is_greeting, place_of, things_said, value_of


@pytest.mark.parametrize(
    "text", ["Hi!", "Hey Jon!", "Thanks, Maria!", "Good morning", "See you later", "thank you so much"]
)
def test_a_greeting_is_one(text: str) -> None:
    assert is_greeting(text)


@pytest.mark.parametrize("text", ["", "Hey, I moved to Porto", "I live here", "Thanks for the rye bread", "Oslo"])
def test_what_says_more_is_no_greeting(text: str) -> None:
    assert not is_greeting(text)


@pytest.mark.parametrize(
    ("fact", "place", "value"),
    [
        ("The capital of Verdania is Lowmere.", "The capital of Verdania is ", "Lowmere"),
        ("Orla Kade is married to Petra Nuss.", "Orla Kade is married to ", "Petra Nuss"),
        ("The head of Isis is Odo Finch, Jr..", "The head of Isis is ", "Odo Finch, Jr"),
        ("Nothing of this kind", "Nothing of this kind", ""),
    ],
)
def test_a_fact_has_a_place_and_a_value(fact: str, place: str, value: str) -> None:
    assert (place_of(fact), value_of(fact)) == (place, value)


def test_what_is_said_never_repeats() -> None:
    said = things_said(5000)
    assert len(set(said)) == 5000
    assert said[:100] == things_said(100)
