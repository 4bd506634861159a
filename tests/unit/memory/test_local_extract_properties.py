"""What holds of the local extraction for any text: it never fails, is quick, and never speaks in the first person."""

# ruff: noqa: RUF001 - the quotation marks that people type

import asyncio
import re
import timeit
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.port import Candidate, Utterance

AT = datetime(2024, 6, 12, tzinfo=UTC)
FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
WORDS = """
    I I'm I've I'd my My our we We're me mine myself us am is are was have had do don't can't will live work like
    love hate prefer know want need think remember that because since when if and or but so , . ? ! ; : - wife dog
    name son's 34 years old from in at as a an the Berlin Anna nurse vegan allergic to nuts it she he they never
    always really maybe please what how call forget favorite color car team deadline Friday next week being given
    even though every morning both of
""".split()  # noqa: SIM905 - a list of words is read as a text


def candidates(said: str, asked: str | None = None) -> tuple[Candidate, ...]:
    before = [Utterance("assistant", asked, AT)] if asked is not None else []
    return asyncio.run(LocalExtractor().extract(Utterance("user", said, AT), before, [])).candidates


@given(st.text(max_size=300), st.none() | st.text(max_size=60).map(lambda text: f"{text}?"))
def test_any_text_gives_sound_candidates(said: str, asked: str | None) -> None:
    found = candidates(said, asked)
    assert found == candidates(said, asked)
    assert len({each.content for each in found}) == len(found)
    for each in found:
        assert each.content == each.content.strip() != ""
        assert 1 <= each.importance <= 10
        assert 0 < each.confidence <= 1
        assert each.reasoning
        ends = {"preference": None, "contextual": AT + timedelta(days=7), "temporary": AT + timedelta(days=1)}
        assert each.lifetime == "deadline" or each.expires_at == ends[each.lifetime]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=25).map(" ".join))
def test_what_is_said_of_the_user_is_never_in_the_first_person(said: str) -> None:
    for each in candidates(said):
        assert not FIRST_PERSON.search(each.content), (said, each.content)


@pytest.mark.parametrize(
    "said",
    [
        "I live in Berlin and work as a nurse at Charité.",
        "I'm vegetarian, can you suggest a recipe for tonight that my kids will eat?",
        "Ich wohne in Berlin und arbeite als Lehrer.",
        "Can you explain how monads work, with a small example?",
    ],
)
def test_a_message_takes_less_than_a_millisecond(said: str) -> None:
    extractor = LocalExtractor()

    async def run() -> float:
        said_now = Utterance("user", said, AT)
        await extractor.extract(said_now, [], [])
        begin = timeit.default_timer()
        for _ in range(20):
            await extractor.extract(said_now, [], [])
        return (timeit.default_timer() - begin) / 20

    assert min(asyncio.run(run()) for _ in range(5)) < 0.001


@pytest.mark.parametrize(
    "unit",
    [
        "a", " ", "\n", "(", '"', "'a ", '"a ', "“", "‘a", "`a", "[a](", "<code>", "```", "*a", "- a\n", "A: b\n",
        "x = ", "I like a and ", "I like a, ", "my ", "my a: ", "I'm ", "i ", "hi ", "please ", "remember ", "the a ",
        "1,", "a-", "a'", "I'm vegan, I work at X and my wife is Jane; I like tea. ", "translate a: ", "my a:\n- b\n",
        "depuis ", "ich wohne und ", "seit ", "desde ", "我在", "我,", "很", "🙂",
    ],
)  # fmt: skip
def test_a_hundred_thousand_characters_take_less_than_a_second(unit: str) -> None:
    said = (unit * (100_000 // len(unit) + 1))[:100_000]
    begin = timeit.default_timer()
    candidates(said)
    candidates(f"I like {said}")
    assert timeit.default_timer() - begin < 1
