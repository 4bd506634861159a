"""How many memories a message calls for, by its words and length."""

# ruff: noqa: RUF001 - messages as people write them

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.chat.selection import amount, asks_about_the_past, continues

pytestmark = pytest.mark.req("TURN-7")

PAST = [
    "Do you remember my dog?",
    "remember?",
    "Can you recall the name of the hotel?",
    "What did we decide?",
    "What did I tell you about Anna?",
    "Did I tell you about the ferry?",
    "Where were we?",
    "Last time you had a better idea",
    "What was that film from yesterday?",
    "Have I ever been to Rome?",
    "What do you know about me?",
    "Remind me of the plan",
    "You said it was blue",
    "As we discussed",
    "When was my last holiday?",
    "Yes, remember?",
    "REMEMBER?",
    "Weißt du noch, wo ich wohne?",
    "Erinnerst du dich?",
    "Was habe ich dir gesagt?",
    "Und gestern?",
    "¿Te acuerdas de mi perro?",
    "¿Recuerdas?",
    "¿Qué te dije ayer?",
    "Tu te souviens ?",
    "Qu’est-ce que je t’ai dit ?",
    "Rappelle-moi son nom",
    "你还记得吗？",
    "上次说到哪里",
    "我告诉过你吗",
]
GOES_ON = [
    "yes",
    "Yes.",
    "ok",
    "OK!",
    "okay",
    "go on",
    "Go on…",
    "continue",
    "and?",
    "and then?",
    "yes please, go on",
    "sure",
    "no",
    "why?",
    "👍",
    "ja",
    "mach weiter",
    "und dann?",
    "sí",
    "sí, sigue",
    "¿y?",
    "oui",
    "d’accord, vas-y",
    "et ensuite ?",
    "好的。",
    "继续",
    "然后呢？",
]
SHORT = ["", "   ", "hi", "Hello!", "thanks", "What's my name?", "good morning", "lol", "Danke!", "?", "12", "你好"]
USUAL = [
    "Where do I live these days?",
    "Which car should I buy?",
    "Did you know that bees dance?",
    "Ich bin jetzt hier in Berlin angekommen",
    "I bought a souvenir for Anna",
    "How much does a good bicycle cost?",
]


@pytest.mark.parametrize("text", PAST)
def test_what_asks_about_the_past_gets_ten(text: str) -> None:
    assert amount(text) == 10


@pytest.mark.parametrize("text", GOES_ON)
def test_what_only_goes_on_gets_three(text: str) -> None:
    assert amount(text) == 3
    assert continues(text)


@pytest.mark.parametrize("text", SHORT)
def test_other_few_words_get_none(text: str) -> None:
    assert amount(text) == 0


@pytest.mark.parametrize("text", USUAL)
def test_the_rest_gets_three(text: str) -> None:
    assert amount(text) == 3
    assert not continues(text)


@pytest.mark.parametrize(("length", "expected"), [(19, 0), (20, 3), (100, 3), (101, 10), (1_000_000, 10)])
def test_the_bounds_are_those_of_the_text_without_outer_spaces(length: int, expected: int) -> None:
    assert amount("x" * length) == expected
    assert amount("  " + "x" * length + "\n") == expected


@pytest.mark.parametrize("text", ["I forgot my keys", "the memories of this town", "Sie hat es vergessen"])
def test_words_of_memory_count_wherever_they_stand(text: str) -> None:
    assert asks_about_the_past(text)


@given(st.text())
def test_any_text_gets_one_of_three_amounts(text: str) -> None:
    assert amount(text) in {0, 3, 10}
