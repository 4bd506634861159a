"""Cutting texts for a tokenizer we do not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.embed.splitting import Passage, halve, split

FAMILY = "👩\u200d👩\u200d👧\u200d👦"
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("a .\n😀\u0301\u200d")), max_size=300)


def texts(passages: list[Passage]) -> list[str]:
    return [passage.text for passage in passages]


def test_a_text_that_fits_stays_whole() -> None:
    assert texts(split("Where did I leave my keys?", 64)) == ["Where did I leave my keys?"]


def test_an_empty_text_is_one_passage() -> None:
    assert split("", 64) == [Passage("", 1)]


def test_cuts_fall_between_sentences() -> None:
    parts = texts(split("We walked to the harbour. " * 20, 64))
    assert len(parts) > 1
    assert all(part.endswith("harbour. ") for part in parts)


def test_without_sentences_cuts_fall_between_words() -> None:
    parts = texts(split("harbour " * 100, 64))
    assert all(part.endswith("harbour ") for part in parts)


def test_without_words_cuts_fall_between_what_is_read_as_one_character() -> None:
    assert set(texts(split(FAMILY * 10, 40))) == {FAMILY}
    assert set(texts(split("🇵🇹" * 20, 24))) == {"🇵🇹🇵🇹"}
    assert set(texts(split("e\u0301" * 60, 20))) == {"e\u0301" * 6}


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("hello world " * 50, 100),
        ("1234567890", 10),
        ("我昨天把钥匙", 6),
        ("😀" * 5, 15),
        ("dGhpcyBpcyBiYXNlNjQ" * 20, 200),
    ],
    ids=["English", "digits", "Chinese", "emoji", "base64"],
)
def test_the_estimate_is_not_lower_than_what_tokenizers_count(text: str, least: int) -> None:
    assert sum(passage.tokens for passage in split(text, 10_000)) >= least


def test_the_estimate_for_prose_is_not_twice_too_high() -> None:
    prose = "The meeting moved from Tuesday to Thursday, and Priya books the small room for everyone. "  # 18 tokens
    assert 18 * 20 <= split(prose * 20, 100_000)[0].tokens <= 36 * 20


@given(TEXTS, st.integers(32, 100))
def test_nothing_is_lost_and_every_part_fits(text: str, window: int) -> None:
    passages = split(text, window)
    assert "".join(texts(passages)) == text
    assert all(passage.tokens <= window or len(passage.text) == 1 for passage in passages)
    assert all(texts(passages)) or not text


@given(TEXTS.filter(lambda text: len(text) > 1))
def test_halves_are_smaller_and_add_up(text: str) -> None:
    first, second = halve(Passage(text, 1))
    assert first.text + second.text == text
    assert first.text
    assert second.text
    assert len(second.text) <= max(len(text) * 0.8 + 1, len(text) / 2 + 33)


def test_one_character_cannot_be_halved() -> None:
    assert halve(Passage("x", 1)) == [Passage("x", 1)]


def test_halves_are_cut_between_words() -> None:
    assert texts(halve(Passage("one two three four five six", 9))) == ["one two ", "three four five six"]
