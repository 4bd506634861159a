"""The words a text is found by."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from souvenir.retrieval.terms import MAX_TERMS, question_terms, terms_of


@pytest.mark.req("SRCH-1")
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("She was running and runs", ["run", "run"]),
        ("Python 3.11.2", ["python", "3.11.2", "3", "11", "2"]),
        ("order ABC-123", ["order", "abc-123", "abc", "123"]),
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("Caroline's café", ["carolin", "cafe"]),
        ("CAROLINE\N{RIGHT SINGLE QUOTATION MARK}S CAFÉ", ["carolin", "cafe"]),
        ("C++ and C#", ["c++", "c", "c#"]),
        ("我喜欢咖啡", ["我喜", "喜欢", "欢咖", "咖啡"]),
        ("I don't", []),
        ("🍕", ["🍕"]),
        ("", []),
        ("the and of", []),
        ("Straße", ["strass"]),
    ],
    ids=str,
)
def test_a_text_is_found_by_these_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_a_question_is_asked_without_its_words_of_asking() -> None:
    assert question_terms("Can you tell me what we discussed about Rust?", 64) == ["rust"]


def test_a_question_of_nothing_but_words_of_asking_keeps_them() -> None:
    assert question_terms("show the list", 64) == ["show", "list"]


def test_each_term_of_a_question_counts_once_and_long_questions_are_cut() -> None:
    assert question_terms("tea tea tea coffee", 64) == ["tea", "coffe"]
    assert len(question_terms(" ".join(f"word{number}" for number in range(500)), 64)) <= 64


@given(st.text(max_size=300))
def test_any_text_has_terms_without_spaces_or_none(text: str) -> None:
    assert all(term and not term.isspace() and " " not in term for term in terms_of(text))


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
def test_ascii_case_never_matters(text: str) -> None:
    assert terms_of(text.upper()) == terms_of(text.lower())


def test_a_very_long_text_is_read_up_to_a_limit_and_quickly() -> None:
    started = time.perf_counter()
    for nasty in ("a" * 200_000, "a-" * 100_000, "a.b@" * 50_000, "我" * 100_000, "é" * 100_000, "' " * 100_000):
        assert len(terms_of(nasty)) <= MAX_TERMS
    assert time.perf_counter() - started < 10


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
@example("it's c++, C# and x_y-2: e@mail.org/a&b 'tis __ 3.14")
def test_ascii_is_read_as_it_is_beside_other_letters(text: str) -> None:
    assert terms_of(f"{text} \N{LATIN SMALL LETTER SHARP S}") == [*terms_of(f"{text} "), *terms_of("ss")]
