"""What the local extraction keeps of what people say: a corpus, the seeds' own sentences, and whole messages."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.port import Candidate, Utterance

AT = datetime(2024, 6, 12, 10, 0, tzinfo=UTC)  # a Wednesday
CORPUS = Path(__file__).parents[2] / "data" / "extraction.jsonl"


async def candidates(said: str, *before: tuple[str, str], at: datetime = AT) -> tuple[Candidate, ...]:
    """What is found in a message after others, each a role and a text."""
    earlier = [Utterance(role, text, at - timedelta(minutes=1)) for role, text in before]  # type: ignore[arg-type]
    extraction = await LocalExtractor().extract(Utterance("user", said, at, "m1"), earlier, [])
    assert extraction.path == "local"
    return extraction.candidates


def kept(found: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in found if each.importance >= 7 and each.confidence >= 0.7]


async def saved(said: str, *before: tuple[str, str]) -> list[str]:
    return [each.content for each in kept(await candidates(said, *before))]


# the corpus


def normalised(content: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", content.casefold()).split())


@dataclass
class Score:
    """How the facts that were found compare with those that were expected, word for word."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    alike: int = 0  # of those that are right, in the same category

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)


def corpus(**where: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in CORPUS.read_text().splitlines()]
    return [row for row in rows if all(row[key] == value for key, value in where.items())]


async def score(rows: Sequence[dict[str, Any]]) -> Score:
    total = Score()
    for row in rows:
        before = [("assistant", row["asked"])] if "asked" in row else []
        found = {normalised(each.content): each.category for each in kept(await candidates(row["said"], *before))}
        expected = {normalised(fact["content"]): fact["category"] for fact in row["facts"]}
        right = found.keys() & expected.keys()
        total.right += len(right)
        total.wrong += len(found) - len(right)
        total.missed += len(expected) - len(right)
        total.alike += sum(found[content] == expected[content] for content in right)
    return total


def test_the_corpus_is_of_many_kinds() -> None:
    rows = corpus()
    assert len(rows) >= 300
    assert len({row["user"] for row in rows}) >= 10
    assert sum(not row["facts"] for row in rows) / len(rows) > 0.3
    assert {row["language"] for row in rows} >= {"en", "de", "es", "fr", "zh"}
    assert len({row["said"] for row in corpus(split="dev")} & {row["said"] for row in corpus(split="held")}) <= 3


@pytest.mark.req("MEM-4")
@pytest.mark.parametrize("split", ["dev", "held"])
async def test_extraction_is_precise_and_finds_most(split: str) -> None:
    result = await score(corpus(split=split))
    assert result.precision >= 0.95, result
    assert result.recall >= 0.80, result
    assert result.alike / result.right >= 0.8, result


@pytest.mark.req("MEM-12")
@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh"])
async def test_every_language_is_precise(language: str) -> None:
    result = await score(corpus(language=language))
    assert result.precision >= 0.95, result
    assert result.recall >= 0.80, result


async def test_other_languages_give_nothing_rather_than_something_wrong() -> None:
    for said in ("Vivo a Roma con mia moglie.", "Eu moro em Lisboa.", "Ik woon in Gent.", "私は東京に住んでいます。"):
        assert await candidates(said) == ()


# the sentences of the seeds


@pytest.mark.req("MEM-4")
@pytest.mark.parametrize(
    ("said", "content", "category"),
    [
        ("I prefer TypeScript", "User prefers TypeScript", "preference"),
        ("I prefer TypeScript over JavaScript", "User prefers TypeScript over JavaScript", "preference"),
        ("My wife is Jane", "User's wife is named Jane", "relationship"),
        ("Hi, I'm John", "User's name is John", "identity"),
        ("I live in NY", "User lives in NY", "identity"),
        ("I moved to LA", "User moved to LA", "identity"),
        ("I like JS", "User likes JS", "preference"),
        ("I like TypeScript", "User likes TypeScript", "preference"),
        ("I like coffee", "User likes coffee", "preference"),
        ("I hate coffee", "User hates coffee", "preference"),
        ("I switched from Bun to Node", "User switched from Bun to Node", "preference"),
        ("I'm a software engineer using Bun.", "User is a software engineer using Bun", "identity"),
        ("Our team prefers React", "User's team prefers React", "preference"),
        ("my favorite editor is Vim", "User's favorite editor is Vim", "preference"),
        (
            "My favorite colors are 1) Blue, 2) Green, 3) Black",
            "User's favorite colors are 1) Blue, 2) Green, 3) Black",
            "preference",
        ),
    ],
)
async def test_what_the_seeds_keep(said: str, content: str, category: str) -> None:
    [fact] = await candidates(said)
    assert (fact.content, fact.category) == (content, category)
    assert fact.importance >= 7
    assert 0.8 <= fact.confidence < 1
    assert (fact.lifetime, fact.expires_at, fact.message_id) == ("preference", None, "m1")
    assert fact.reasoning


@pytest.mark.req("MEM-4")
@pytest.mark.parametrize(
    "said",
    [
        "Hello",
        "How are you?",
        "Write a poem",
        "I am testing this",
        "What do I like?",
        "What programming languages do I know?",
        "John works with Sarah on X",
    ],
)
async def test_what_the_seeds_pass_over(said: str) -> None:
    assert await candidates(said) == ()


@pytest.mark.req("MEM-4")
async def test_a_hedged_wish_is_a_candidate_that_is_not_kept() -> None:
    [wish] = await candidates("I'm thinking about trying Rust")
    assert wish.content == "User is thinking about trying Rust"
    assert wish.confidence == 0.5
    assert wish.reasoning


@pytest.mark.req("LIFE-1")
async def test_the_deadline_of_the_seeds() -> None:
    [deadline] = await candidates("Deadline: Dec 2024")
    assert deadline.content == "User's deadline is Dec 2024"
    assert deadline.lifetime == "deadline"
    assert deadline.expires_at == datetime(2025, 1, 7, tzinfo=UTC)


# whole messages


async def test_a_mixed_message_keeps_its_facts() -> None:
    assert await saved("I'm vegetarian, can you suggest a recipe?") == ["User is vegetarian"]
    assert await saved("Suggest a gift for my wife. She loves gardening.") == ["User's wife loves gardening"]
    assert await saved("Can you help me with my CV? I worked at Bosch as an engineer for ten years.") == [
        "User worked at Bosch as an engineer for ten years"
    ]


async def test_several_facts_of_one_sentence_are_split() -> None:
    said = "I'm Ahmed, 34, from Cairo, and I work as a nurse at Charité but I hate night shifts."
    assert await saved(said) == [
        "User's name is Ahmed",
        "User is 34 years old",
        "User is from Cairo",
        "User works as a nurse at Charité",
        "User hates night shifts",
    ]


async def test_who_was_spoken_of_is_remembered_within_a_message() -> None:
    assert await saved("I have a sister. She lives in Rome. Her name is Pia.") == [
        "User has a sister",
        "User's sister lives in Rome",
        "User's sister is named Pia",
    ]
    assert await saved("He lives in Rome.") == []


async def test_an_introduction_with_a_list() -> None:
    said = (
        "A bit about me:\n- Allergic to peanuts\n- Live in Ghent\n- Love hiking\n\nMy hobbies are:\n- chess\n- sailing"
    )
    assert await saved(said) == [
        "User is allergic to peanuts",
        "User lives in Ghent",
        "User loves hiking",
        "User's hobbies are: chess, sailing",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "```python\nmy_name = 'Bob'  # I live in Rome\n```",
        "> I live in Paris\n\nIs this quotation right?",
        "User: I live in Rome\nBot: Nice!\nUser: I have a dog",
        "Summarize this:\n\nI was born in Kenya. I have two dogs. My wife is called Ada.",
        "I was born in Kenya. I have two dogs.\n\nCan you summarize this text?",
        "Please proofread my letter.\n\nDear Sir, I live in Ghent and I am a nurse.",
        'He said "I live in Rome and I love cats".',
        "Let's role play: you are a king. I am a knight. I live in Camelot.",
        "I'm a billionaire. Just kidding.",
        "This is a test: my name is Foo.",
        "If I lived in Rome, I would have a dog.",
        "The city council met on Monday. " * 60 + "I live in the past, the mayor said.",
        "My password is hunter2",
    ],
)
async def test_what_is_not_said_of_oneself_is_passed_over(said: str) -> None:
    assert await candidates(said) == ()


async def test_a_game_of_make_believe_lasts_for_the_chat() -> None:
    game = [("user", "Let's pretend I'm a pirate."), ("assistant", "Arr, welcome aboard!")]
    assert await saved("My ship is called the Black Pearl and I live in Tortuga.", *game) == []
    assert await saved("Remember that I'm allergic to nuts.", *game) == ["User is allergic to nuts"]


async def test_short_answers_are_read_with_their_question() -> None:
    asked = ("assistant", "Got it! What's your favourite editor?")
    assert await saved("Vim", asked) == ["User's favourite editor is Vim"]
    assert await saved("Vim") == []
    assert await saved("yes", ("assistant", "Are you vegetarian?")) == ["User is vegetarian"]
    assert await saved("yes", ("assistant", "You live in Berlin, right?")) == []
    assert await saved("Vim", asked, ("user", "wait")) == []


async def test_nobody_but_the_user_is_a_source() -> None:
    for role in ("assistant", "system", "tool"):
        said = Utterance(role, "I live in Berlin.", AT)
        assert (await LocalExtractor().extract(said, [], [])).candidates == ()
    block = "Long-term memory:\n- User lives in Berlin\n- User prefers tea\n\nWhat should I cook?"
    assert await candidates(block) == ()
    assert await candidates("You said I live in Berlin and that my wife is Jane.") == ()


async def test_what_is_asked_to_be_remembered_is_certain() -> None:
    for said in (
        "Remember that I hate cilantro.",
        "I hate cilantro, remember that.",
        "I hate cilantro. Please remember that.",
    ):
        [fact] = await candidates(said)
        assert (fact.content, fact.importance, fact.confidence) == ("User hates cilantro", 9, 1.0)
        assert (fact.lifetime, fact.expires_at) == ("preference", None)
    assert await saved("Remember that the gate code is 1234.") == ["The gate code is 1234"]
    assert await saved("Please remember to answer in French.") == ["User wants the assistant to answer in French"]
    assert await candidates("Forget that I live in Berlin.") == ()
    assert await candidates("Do you remember that I hate cilantro?") == ()


async def test_passing_things_are_candidates_that_are_not_kept() -> None:
    for said in ("I'm tired.", "I'm back!", "I'm making risotto tonight.", "I might move to Rome."):
        [passing] = await candidates(said)
        assert passing.importance < 7 or passing.confidence < 0.7
        assert passing.reasoning


@pytest.mark.req("MEM-12")
async def test_languages_are_kept_within_one_message() -> None:
    said = "I live in Vienna.\nMein Bruder heißt Lukas.\n我喜欢喝茶。"
    assert await saved(said) == ["User lives in Vienna", "Der Bruder des Nutzers heißt Lukas", "用户喜欢喝茶"]
