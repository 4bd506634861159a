"""What a query is taken to ask."""

from datetime import UTC, datetime

import pytest

from tests.unit.retrieval.made import ask


def test_names_numbers_and_codes_are_told_from_other_words() -> None:
    assert ask("When did Caroline meet the WHO about ABC-123 in a cafe?").names >= {"carolin", "abc-123"}
    assert "cafe" not in ask("When did Caroline meet in a cafe?").names


@pytest.mark.parametrize("text", ["What did I do in June?", "What was there on Monday?", "How many in 2023?"])
def test_a_time_is_nobodys_name(text: str) -> None:
    assert ask(text).names == frozenset()


def test_the_first_word_is_no_name_for_being_capitalised() -> None:
    assert ask("Where is my umbrella?").names == frozenset()


@pytest.mark.parametrize("text", ["What did you recommend?", "your advice on tea", "the plan you suggested"])
def test_a_question_about_what_the_assistant_said(text: str) -> None:
    assert ask(text).about_assistant


@pytest.mark.parametrize("text", ["What would you suggest?", "Can you explain tea?", "When did I say that?"])
def test_a_request_is_not_a_question_about_what_the_assistant_said(text: str) -> None:
    assert not ask(text).about_assistant


@pytest.mark.parametrize("text", ["How do I sort a list?", "Can you help me with tea?", "Which pan should I buy?"])
def test_a_request_for_help_brings_up_standing_wishes(text: str) -> None:
    assert ask(text).wants_help


def test_a_summary_is_about_what_both_said() -> None:
    assert ask("Can you give me a summary of my project?").about_both


def test_times_are_those_of_the_conversation_when_it_ended_long_ago() -> None:
    question = ask("What happened last May?")
    assert [period.start for period in question.periods(datetime(2023, 8, 1, tzinfo=UTC))] == [
        datetime(2023, 5, 1, tzinfo=UTC)
    ]
    assert [period.start for period in question.periods(datetime(2030, 8, 1, tzinfo=UTC))] == [
        datetime(2026, 5, 1, tzinfo=UTC)
    ]
