"""Lists as people write them, in one line and in several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.facts.lists import MOST_VALUE_CHARS, read_lines, read_list, split_row

THREE = ((1, "Blue"), (2, "Green"), (3, "Black"))


@pytest.mark.req("FACT-1")
@pytest.mark.parametrize(
    "row",
    [
        "1) Blue, 2) Green, 3) Black",
        "1. Blue, 2. Green, 3. Black.",
        "1: Blue, 2: Green, 3: Black",
        "#1 Blue, #2 Green, #3 Black",
        "(1) Blue (2) Green (3) Black",
        "1 - Blue, 2 - Green, 3 - Black",
        "1st: Blue, 2nd: Green, 3rd: Black",
        "1.Blue 2.Green 3.Black",
        "first Blue, second Green and third Black",
        "firstly, Blue, secondly, Green, and thirdly, Black",
        "a) Blue b) Green c) Black",
        "number one Blue, number two Green, number three Black",
        "one: Blue, two: Green, three: Black",
        "3) Black 2) Green 1) Blue",
        "Blue (1), Green (2), Black (3)",
        "Blue first, Green second, Black third",
        "Green second, Blue first and Black third",
    ],
)
def test_a_numbered_row_in_any_notation(row: str) -> None:
    listed = read_list(row)
    assert listed.items == THREE
    assert listed.numbered
    assert listed.notes == ()


@pytest.mark.req("FACT-1")
@pytest.mark.parametrize(
    "row",
    [
        "Blue, Green, Black",
        "Blue, Green and Black",
        "Blue, Green, and Black.",
        "Blue, Green & Black",
        "Blue and Green and Black",
        "Blue; Green; Black",
        "Blue > Green > Black",
        "Blue, then Green, then Black",
        "Blue / Green / Black",
        "Blue/Green/Black",
        '"Blue", "Green" and "Black"',
        "Blue, Green, Black, but not Pink",
        "Blue, Green and Black. More later.",
        "Blue, Green and Black, in that order",
        "Blue, followed by Green and Black",
    ],
)
def test_a_plain_row(row: str) -> None:
    listed = read_list(row)
    assert listed.items == THREE
    assert not listed.numbered


@pytest.mark.parametrize(
    ("row", "values"),
    [
        ("1) Paris, France 2) Rome, Italy", ["Paris, France", "Rome, Italy"]),
        ('"The Good, the Bad and the Ugly", Heat', ["The Good, the Bad and the Ugly", "Heat"]),
        ("Arsenal (London, England), Ajax", ["Arsenal (London, England)", "Ajax"]),
        ("mac and cheese, pho", ["mac and cheese", "pho"]),
        ("1) Monsters, Inc. 2) E.T. 3) Up", ["Monsters, Inc.", "E.T.", "Up"]),
        (
            "1) Blade Runner 2049 2) Alien 3 3) 2001: A Space Odyssey",
            ["Blade Runner 2049", "Alien 3", "2001: A Space Odyssey"],
        ),
        ("Yahoo!, Panic! at the Disco and Neu!", ["Yahoo!", "Panic! at the Disco", "Neu"]),
        ("9:30, 11:45", ["9:30", "11:45"]),
        ("1:2 and 3:4", ["1:2", "3:4"]),
    ],
)
def test_commas_and_numbers_within_values_stay(row: str, values: list[str]) -> None:
    assert [value for _, value in read_list(row).items] == values


@pytest.mark.parametrize(
    ("row", "items", "note"),
    [
        ("0) Red, 1) Blue", ((1, "Blue"),), "Number 0 was left out"),
        ("-1) Red, 1) Blue", ((1, "Blue"),), "Number -1 was left out"),
        ("1) Blue, 1) Green, 2) Black", ((1, "Blue"), (2, "Black")), "Number 1 was given twice"),
        ("1) Blue 2) blue", ((1, "Blue"), (2, "blue")), "was named twice"),
        ("Blue, Green, blue", ((1, "Blue"), (2, "Green")), "was named twice"),
        ("999999999) Blue, 1) Green", ((1, "Green"),), "Number 999999999 was left out"),
        (f"1) {'x' * (MOST_VALUE_CHARS + 1)} 2) Blue", ((2, "Blue"),), "more than 1000 characters"),
    ],
)
def test_what_cannot_be_kept_is_left_out_and_named(row: str, items: tuple[tuple[int, str], ...], note: str) -> None:
    listed = read_list(row)
    assert listed.items == items
    assert any(note in told for told in listed.notes)


def test_a_list_of_a_thousand_in_a_row_and_in_lines() -> None:
    values = [f"value {number}" for number in range(1, 1001)]
    row = ", ".join(f"{rank}) {value}" for rank, value in enumerate(values, start=1))
    lines = [f"{rank}. {value}" for rank, value in enumerate(values, start=1)]
    assert [value for _, value in read_list(row).items] == values
    assert [value for _, value in read_lines(lines)[0].items] == values
    assert [value for _, value in read_list(", ".join(values)).items] == values


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("1. Blue\n2. Green\n3. Black", 3),
        ("- Blue\n- Green\n- Black\n\nThanks!", 3),
        ("* Blue\n\n* Green\n\n* Black", 5),
        ("1) Blue\n   - navy\n   - sky\n2) Green\n3) Black\nand so on", 5),
        ("1. Blue\n1. Green\n1. Black", 3),
        ("#1 Blue\n#2 Green\n#3 Black", 3),
        ("- 1) Blue\n- 2) Green\n- 3) Black", 3),
        ("Blue\nGreen\nBlack\n\nmore", 3),
        ("1. Blue\n   1. navy\n2. Green\n3. Black", 4),
    ],
)
def test_a_list_in_lines_with_what_is_nested_left_to_its_item(text: str, taken: int) -> None:
    listed, used = read_lines(text.split("\n"))
    assert listed.items == THREE
    assert used == taken


WORDS = st.text(st.characters(categories=("Lu", "Ll")), min_size=1, max_size=10).map(lambda word: f"V{word}")


@given(
    st.lists(WORDS, min_size=1, max_size=30, unique_by=str.casefold),
    st.sampled_from(["{}) {}", "{}. {}", "#{} {}", "({}) {}"]),
)
def test_any_words_come_back_from_a_numbered_row(words: list[str], style: str) -> None:
    row = ", ".join(style.format(rank, word) for rank, word in enumerate(words, start=1))
    assert [value for _, value in read_list(row).items] == words


@given(st.text(max_size=300))
def test_any_text_can_be_read_as_a_list(text: str) -> None:
    for listed in (read_list(text), read_lines(text.split("\n"))[0]):
        ranks = [rank for rank, _ in listed.items]
        assert ranks == sorted(set(ranks))
        assert all(0 < len(value) <= MOST_VALUE_CHARS for _, value in listed.items)
    assert all(split_row(text))
