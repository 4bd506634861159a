"""The benchmark's arithmetic and its reading of the data."""

from pathlib import Path

import pytest

from bench import rewriting

HEAD = "conversation_id\tturn_id\tid\tquery\toriginal\n"


def test_token_f1_counts_words_as_often_as_they_occur() -> None:
    assert rewriting.token_f1("Is it, it?", "is it") == pytest.approx(0.8)
    assert rewriting.token_f1("", "") == 1
    assert rewriting.token_f1("a", "b") == 0


def test_the_questions_are_read_by_their_ids(tmp_path: Path) -> None:
    folder = tmp_path / "cast_rewrites"
    folder.mkdir()
    (folder / "1_Original.tsv").write_text(HEAD + "31\t1\t31_1\tWhat is flu?\t\n31\t2\t31_2\tIs it bad? \t\n")
    (folder / "10_Human.tsv").write_text(HEAD + "31\t2\t31_2\tIs flu bad?\t\n31\t1\t31_1\tWhat is flu?\t\n")
    (folder / "4_Rule_based_Q.tsv").write_text(HEAD + "31\t1\t31_1\tWhat is flu?\t\n31\t2\t31_2\tIs it bad?\t\n")
    first, second = rewriting.questions(tmp_path)
    assert first.stands_alone
    assert (second.topic, second.asked, second.human, second.stands_alone) == (31, "Is it bad?", "Is flu bad?", False)


async def test_a_question_is_rewritten_after_the_earlier_ones_of_its_topic() -> None:
    asked = [rewriting.Question(topic, text, text, text) for topic, text in ((1, "What is flu?"), (2, "Is it bad?"))]
    asked.append(rewriting.Question(1, "Is it bad?", "Is flu bad?", "Is it bad?"))
    answered = await rewriting.rewrite_all(asked)
    assert [one.rewritten.text for one in answered] == ["What is flu?", "Is it bad?", "Is flu bad?"]
    assert rewriting.untouched(answered) == 1


def test_without_the_data_it_says_so(tmp_path: Path) -> None:
    assert rewriting.run(tmp_path).startswith("Not measured: there is no cast_rewrites")
