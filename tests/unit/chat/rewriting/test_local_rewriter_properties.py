"""What holds of the local rewriter for any text: it never fails, never empties, never runs on, and settles."""

import asyncio
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from souvenir.chat.rewriting import LocalRewriter, Rewritten, Turn

WORDS = """
    What Who How Why When Which about is are was does did do can 's ' it its they them their he she his her him this
    that these those one ones the The a an my of in on for to with between and or but , . ? ! " ( ) symptoms cause
    causes types difference history children wife largest most first latter former Trump Donald Netflix Berlin U.S.
    cancer throat movie city dogs dog 529 plan largest compare differ help Tell me there in Europe how much should I
    take variety 👍 é ß And So if because mining being used used -ing It I'm you
""".split()  # noqa: SIM905 - a list of words is read as a text
SPOKEN = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
ANY = st.text(max_size=200)
TURNS = st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), SPOKEN | ANY), max_size=6)


def rewrite(question: str, history: Sequence[Turn]) -> Rewritten:
    return asyncio.run(LocalRewriter().rewrite(question, history))


@settings(max_examples=300, deadline=None)
@given(SPOKEN | ANY, TURNS)
@example("Who is the most powerful?", [Turn("user", "Who are The Avengers?")])
@example("'", [Turn("assistant", "'s")])
@example("How about the", [Turn("user", "Is the oldest?")])
def test_any_question_in_any_thread_gets_a_sound_answer(question: str, history: list[Turn]) -> None:
    found = rewrite(question, history)
    assert found == rewrite(question, history)
    assert found.changed == (found.text != question)
    assert bool(found.text) == bool(question)
    assert len(found.text) <= len(question) + 400
    assert len(found.ambiguous) != 1
    assert len(set(found.ambiguous)) == len(found.ambiguous)
    if not found.changed:
        assert found.entities == ()


@settings(max_examples=300, deadline=None)
@given(SPOKEN, TURNS)
def test_what_stands_alone_stays_as_it_is_however_often_it_is_asked(question: str, history: list[Turn]) -> None:
    found = rewrite(question, history)
    if not found.changed:
        assert rewrite(found.text, history) == found


@settings(deadline=None)
@given(SPOKEN | ANY, TURNS)
def test_nothing_is_rewritten_where_nothing_was_said(question: str, history: list[Turn]) -> None:
    silent = [Turn(turn.role, " ") for turn in history]
    assert not rewrite(question, silent).changed
