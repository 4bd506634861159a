"""What a message states and changes, read off its words alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.facts.messages import MOST_OPERATIONS, read_message
from souvenir.facts.operations import Add, Move, Operation, Place, Remove, Replace, Restate, Swap, Tell
from souvenir.facts.questions import MOST_CHARS, read_questions

COLORS = ((1, "Blue"), (2, "Green"), (3, "Black"))


def only(text: str) -> Operation:
    (operation,) = read_message(text)
    return operation


@pytest.mark.req("FACT-1")
def test_the_seeds_statement_is_three_ranked_facts_of_the_seeds_topic() -> None:
    operation = only("My favorite colors are 1) Blue, 2) Green, 3) Black")
    assert isinstance(operation, Restate)
    assert operation.topic is not None
    assert operation.topic.key == "favorite_colors"
    assert operation.items == COLORS


@pytest.mark.req("FACT-1")
@pytest.mark.parametrize(
    "text",
    [
        "## My favorite colors\n1. **Blue** [M1]\n2. *Green* [2]\n3. `Black`",
        "**Favorite colors**\n- Blue\n- Green\n- Black",
        "Favorite colors\n- [x] Blue\n- [ ] Green\n- [ ] Black",
        "My favorite colors are 1) Blue[M1], 2) Green [M2] , 3) [Black](https://example.com).",
        "Here are my favourite colours:\r\n\r\n1️⃣ Blue\r\n2️⃣ Green\r\n3️⃣ Black\r\n",
        "My favorite colors are Blue,\nGreen and\nBlack.",
    ],
)
def test_markdown_headings_and_citations_are_not_part_of_it(text: str) -> None:
    operation = only(text)
    assert isinstance(operation, Restate)
    assert operation.items == COLORS


@pytest.mark.req("FACT-2")
def test_a_single_fact_is_one() -> None:
    operation = only("my favorite editor is Vim")
    assert operation == Tell(operation.topic, True, "Vim")
    assert operation.topic is not None
    assert operation.topic.key == "favorite_editors"


def test_two_lists_in_a_message_are_two() -> None:
    first, second = read_message("My favorite colors are 1) Blue 2) Red and my favorite cities are Paris and Rome.")
    assert isinstance(first, Restate)
    assert isinstance(second, Restate)
    assert (first.items, second.items) == (((1, "Blue"), (2, "Red")), ((1, "Paris"), (2, "Rome")))


@pytest.mark.req("FACT-3")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("swap my first and second color", Swap),
        ("add Lisbon to my favorite cities", Add),
        ("add X as number 2", Add),
        ("remove Rome from my favorite cities", Remove),
        ("remove Rome", Remove),
        ("move X to number 1", Move),
        ("replace Rome with Lisbon in my favorite cities", Replace),
        ("actually my second favorite color is red", Place),
        ("Lime is one of my favorite colors", Add),
        ("Rome is no longer one of my favorite cities", Remove),
    ],
)
def test_a_sentence_can_change_a_list(text: str, kind: type[Operation]) -> None:
    assert isinstance(only(text), kind)


@pytest.mark.parametrize(
    "text",
    [
        "```\nMy favorite colors are Blue and Green\n```",
        "> My favorite colors are Blue and Green",
        'He wrote "my favorite colors are Blue and Green".',
        "Translate: my favorite colors are Blue and Green",
        "Is my favorite color blue?",
        "My favorite colors are Blue and Green?",
        "If my favorite color is Blue, then what?",
        "My favorite color isn't Blue",
        "My favorite color was Blue",
        "Your favorite colors are Blue and Green",
        "My favorite colors are",
        "My favorite colors:",
        "My favorite color is not Blue.",
    ],
)
def test_what_is_quoted_asked_denied_or_anothers_states_nothing(text: str) -> None:
    assert read_message(text) == []


LONG = {
    "prose": "I took my dog to the park, and my friend was there. " * 2000,
    "statements": "".join(f"My favorite thing{number} is y{number}. " for number in range(3500)),
    "one line": "".join(f"my favorite thing{number} is y{number} and " for number in range(3000)),
    "a row": "My favorite colors are " + "a, " * 30_000,
    "brackets": "My favorite colors are " + "([" * 40_000,
    "quotes": 'my favorite colors are "' * 4000,
    "endings": "my favorite colors are a" + " now" * 25_000,
    "lines": "My favorite colors:\n" + "- a\n" * 25_000,
    "titles": "my favorite colors\n- a\n" * 4000,
    "fillers": "and " * 25_000 + "my favorite color is blue",
    "spaces": "my" + " " * 100_000 + "favorite",
    "points": "my favorite colors are " + ". " * 40_000,
    "owners": "my " * 33_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_message_of_a_hundred_thousand_characters_is_read(name: str) -> None:
    assert len(read_message(LONG[name])) <= MOST_OPERATIONS
    assert read_questions(LONG[name]) == ()


@given(
    st.text(max_size=300),
    st.sampled_from(["", "My favorite colors are ", "swap ", "add ", "what is my second favorite "]),
)
def test_any_text_can_be_said(text: str, opening: str) -> None:
    for operation in read_message(opening + text):
        assert operation.topic is None or operation.topic.key
    assert len(read_questions(opening + text)) <= 2


@pytest.mark.req("FACT-4")
@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("second favorite color", ("ranks", "favorite_colors", (2,), None)),
        ("what are my favorite colors", ("list", "favorite_colors", (), None)),
        ("top 2 cities", ("some", "favorite_cities", (), 2)),
        ("list my favorite colors", ("list", "favorite_colors", (), None)),
        ("What's my favourite colour?", ("single", "favorite_colors", (), None)),
        ("what's my second favorite?", ("ranks", None, (2,), None)),
        ("list my favorites", ("list", None, (), None)),
        ("what are my favorite series?", ("list", "favorite_series", (), None)),
        ("list my favorite sheep", ("list", "favorite_sheep", (), None)),
        ("what is my favorite series?", ("single", "favorite_series", (), None)),
    ],
)
def test_a_question_about_facts_is_told_by_its_words(
    text: str, asked: tuple[str, str | None, tuple[int, ...], int | None]
) -> None:
    (question,) = read_questions(text)
    key = question.topic.key if question.topic is not None else None
    assert (question.asked, key, question.ranks, question.count) == asked


@pytest.mark.req("FACT-4")
@pytest.mark.parametrize(
    "text",
    [
        "wait a second",
        "list the files",
        "my second thought",
        "give me a second",
        "top of the page",
        "x" * (MOST_CHARS + 1),
    ],
)
def test_what_only_sounds_like_one_is_no_question_about_facts(text: str) -> None:
    assert read_questions(text) == ()
