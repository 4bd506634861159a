"""What asks to have something remembered or forgotten, and what only looks like it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.memory.asking import Forget, Remember, asked
from souvenir.memory.asking_match import matches
from souvenir.memory.asking_phrases import standalone
from souvenir.memory.port import Known
from souvenir.testing.passages import AT

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data" / "asking.jsonl").read_text().splitlines()
]
REQUESTS = [row for row in ROWS if row["kind"] is not None]
ORDINARY = [row for row in ROWS if row["kind"] is None]


def plain(text: str) -> str:
    return text.lower().replace("’", "'").strip(" .!?。")  # noqa: RUF001 - the apostrophe that people type


def test_the_set_is_large_and_mixed_enough() -> None:
    assert len(ROWS) >= 120
    assert len(ORDINARY) >= 60
    assert {row["lang"] for row in REQUESTS} == {row["lang"] for row in ORDINARY} == {"en", "de", "es", "fr", "zh"}


@pytest.mark.req("MEM-9")
@pytest.mark.parametrize("row", REQUESTS, ids=lambda row: row["text"][:60])
def test_a_request_is_understood_with_what_it_is_about(row: dict[str, Any]) -> None:
    found = asked(row["text"])
    assert isinstance(found, Remember if row["kind"] == "remember" else Forget)
    assert plain(found.content) == plain(row["content"])
    assert found.form == row["form"]
    assert found.language == row["lang"]


@pytest.mark.req("MEM-9")
@pytest.mark.parametrize("row", ORDINARY, ids=lambda row: row["text"][:60])
def test_an_ordinary_message_asks_nothing_of_memory(row: dict[str, Any]) -> None:
    assert asked(row["text"]) is None


def test_what_else_a_message_says_is_kept_apart() -> None:
    found = asked("Hi there. Remember that I'm vegan. What can I cook tonight?")
    assert found == Remember("I'm vegan", "Hi there\nWhat can I cook tonight", "en", "statement")
    alone = asked("Remember that I'm vegan.")
    assert alone is not None
    assert alone.rest == ""


def test_only_what_can_hardly_mean_anything_else_is_sure() -> None:
    sure, other = asked("Forget about my ex."), asked("Forget about Python.")
    assert isinstance(sure, Forget)
    assert isinstance(other, Forget)
    assert (sure.sure, other.sure) == (True, False)


@pytest.mark.parametrize(
    "unit", ["remember that ", "forget about my, ", "请你", "bitte merk dir ", "a", "? ", "\n- x:"]
)
def test_a_hundred_thousand_characters_are_read_to_no_purpose(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    assert asked(text) is None or len(asked(text).content) <= 16_000  # type: ignore[union-attr]


@given(
    st.text(max_size=200), st.sampled_from(["", "Remember that ", "Forget ", "Merk dir, dass ", "Oublie que ", "忘记"])
)
def test_any_text_is_answered(text: str, opening: str) -> None:
    found = asked(opening + text)
    assert found is None or found.form in {"all", "above", "below"} or found.content.strip()
    if found is not None and found.content:
        assert standalone(found)


@pytest.mark.req("MEM-12")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Merk dir, dass der Code 1234 ist.", "Der Code ist 1234"),
        ("Merk dir, dass ich morgens jogge.", "Der Nutzer sagt, dass er morgens jogge"),
        ("Denk daran, Milch zu kaufen.", "Der Nutzer muss daran denken, Milch zu kaufen"),
        ("Recuerda que la clave es 1234.", "La clave es 1234"),
        ("Recuerda que entreno los lunes.", "El usuario dice: «entreno los lunes»"),
        ("Recuerda comprar leche.", "El usuario tiene que comprar leche"),
        ("Retiens que le code est 1234.", "Le code est 1234"),
        ("N'oublie pas d'acheter du pain.", "L'utilisateur doit acheter du pain"),
        ("记住密码是1234", "密码是1234"),
        ("记得明天给我妈妈打电话", "用户要明天给用户妈妈打电话"),
    ],
)
def test_what_no_rule_rephrases_stays_in_its_language(said: str, kept: str) -> None:
    found = asked(said)
    assert isinstance(found, Remember)
    assert standalone(found) == kept


# which memories are meant

LIFE = [
    "User lives in Berlin", "User works at Google as a nurse", "User's wife is named Jane", "User's wife is vegan",
    "User has a dog named Rex", "User likes green tea", "User hates mushrooms", "User's birthday is May 3rd",
    "User plays the cello", "User is allergic to peanuts", "User's brother lives in Munich",
    "User had knee surgery in March", "User earns 50000 a year", "User's sister Anna is a doctor",
]  # fmt: skip


def meant(text: str, sentences: list[str], memories: list[str]) -> list[str]:
    """The memories that are meant for certain, with no vectors to help."""
    request = asked(text)
    assert isinstance(request, Forget)
    known = [Known(content, content, "context", AT) for content in memories]
    return list(matches(request, sentences, None, known).meant)


@pytest.mark.req("MEM-9")
@pytest.mark.parametrize(
    ("said", "sentences", "expected"),
    [
        ("Forget that I live in Berlin", ["User lives in Berlin"], ["User lives in Berlin"]),
        ("Forget that I live in Paris", ["User lives in Paris"], []),
        ("Forget where I live", [], ["User lives in Berlin"]),
        ("Forget my address", [], ["User lives in Berlin"]),
        ("Forget that I live in Munich", ["User lives in Munich"], []),
        ("Forget my job", [], ["User works at Google as a nurse"]),
        ("Forget my job at Google", [], ["User works at Google as a nurse"]),
        ("Forget my job at Siemens", [], []),
        ("Forget about my wife", [], ["User's wife is named Jane", "User's wife is vegan"]),
        ("Forget my wife's name", [], ["User's wife is named Jane"]),
        ("Forget that I dislike mushrooms", ["User dislikes mushrooms"], ["User hates mushrooms"]),
        ("Forget that I like mushrooms", ["User likes mushrooms"], []),
        ("Forget that I like tea", ["User likes tea"], ["User likes green tea"]),
        ("Forget that I don't like tea", ["User does not like tea"], []),
        ("Forget that I have a pet", ["User has a pet"], []),
        ("Forget my birthday", [], ["User's birthday is May 3rd"]),
        ("Forget what I told you about my surgery", [], ["User had knee surgery in March"]),
        ("Forget my salary", [], ["User earns 50000 a year"]),
        ("Forget my brother's birthday", [], []),
        ("Forget my boat", [], []),
    ],
)
def test_only_what_is_meant_for_certain_is_matched(said: str, sentences: list[str], expected: list[str]) -> None:
    assert meant(said, sentences, LIFE) == expected


def test_the_very_sentence_goes_before_one_that_says_more() -> None:
    both = ["User likes green tea", "User likes tea"]
    assert meant("Forget that I like tea", ["User likes tea"], both) == ["User likes tea"]


def test_other_languages_are_matched_too() -> None:
    assert meant("Vergiss, wo ich wohne", [], ["Der Nutzer wohnt in Berlin"]) == ["Der Nutzer wohnt in Berlin"]
    assert meant("忘记我的狗", [], ["用户有一只狗", "用户喜欢喝茶"]) == ["用户有一只狗"]
    assert meant("Olvida que vivo en Madrid", ["El usuario vive en Madrid"], ["El usuario vive en Madrid"])
