"""Every saying of tests/data/facts.jsonl is understood: what is stated, asked and changed, and what is none of that."""

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from souvenir.facts.answers import Answer
from souvenir.facts.messages import read_message
from souvenir.facts.questions import read_questions
from souvenir.facts.service import Facts
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.facts import PostgresFactStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.passages import new_space
from souvenir.types import SpaceId

SAYINGS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "facts.jsonl").read_text().splitlines()
]
LISTS = (
    "My favorite colors are 1) Blue, 2) Green, 3) Black",
    "My top cities are Paris, Rome and Lisbon",
    "My favorite editor is Vim",
)
CHAT = "chat"
START = datetime(2026, 1, 1, tzinfo=UTC)


def sayings(*kinds: str) -> list[dict[str, Any]]:
    return [saying for saying in SAYINGS if saying["kind"] in kinds]


class Listener:
    """One chat of somebody nobody else is."""

    def __init__(self, database: PostgresDatabase) -> None:
        self.facts = Facts(PostgresFactStore(database), ManualClock())
        self.space: SpaceId = new_space()
        self.said = 0

    async def hear(self, *messages: str) -> Answer | None:
        """Say messages, as a turn takes them; returns the answer to the last."""
        answer = None
        for message in messages:
            self.said += 1
            at = START + timedelta(seconds=self.said)
            await self.facts.hear(self.space, CHAT, message, f"{self.said:026}", at)
            answer = await self.facts.answer((self.space,), CHAT, message, at)
        return answer

    async def stored(self) -> dict[str, Any]:
        """By topic: a list, a dict where ranks are missing, a text for a single fact, both in a list."""
        found: dict[str, Any] = {}
        for topic in await self.facts.topics(self.space, limit=100):
            facts = await self.facts.get(self.space, topic.topic_key, chat_id=CHAT)
            ranked = {str(fact.rank): fact.value for fact in facts if fact.rank is not None}
            whole = list(ranked) == [str(rank) for rank in range(1, len(ranked) + 1)]
            kinds: list[Any] = [list(ranked.values()) if whole else ranked] if ranked else []
            kinds += [fact.value for fact in facts if fact.kind == "single"]
            found[topic.topic_key] = kinds[0] if len(kinds) == 1 else kinds
        return found


async def _asked(listener: Listener, saying: dict[str, Any]) -> object:
    """What is wrong with the answer, None when nothing is."""
    answer = await listener.hear(saying["text"])
    if answer is None:
        return "no answer"
    if "values" in saying:
        told = [fact.value for fact in answer.facts]
        right = told == saying["values"] and all(value in answer.text for value in told)
        return None if right and all(fact.source_message_id for fact in answer.facts) else answer.text
    if saying.get("which"):
        return None if answer.status == "which" else answer.text
    count = saying["missing"]
    right = answer.status == "missing" and not answer.facts and answer.text.startswith("I don't have that stored yet.")
    counted = f" I have {count} " in answer.text if count is not None else " I have " not in answer.text
    return None if right and counted else answer.text


async def _understood(listener: Listener, saying: dict[str, Any]) -> object:
    await listener.hear(*saying.get("given", ()))
    if saying["kind"] == "question":
        return await _asked(listener, saying)
    await listener.hear(saying["text"])
    stored = await listener.stored()
    return None if stored == saying["facts"] else stored


@pytest.mark.req("FACT-1", "FACT-2", "FACT-3", "FACT-4")
@pytest.mark.parametrize("kind", ["statement", "question", "edit"])
async def test_what_is_said_about_facts_is_understood(database: PostgresDatabase, kind: str) -> None:
    wrong = []
    for saying in sayings(kind):
        problem = await _understood(Listener(database), saying)
        if problem is not None:
            wrong.append((saying, problem))
    assert wrong == []


CONTEXTS = {
    "in an empty chat": (),
    "after a single fact": LISTS,
    "after a numbered list": LISTS[::-1],
    "after a row": (LISTS[0], LISTS[2], LISTS[1]),
}


@pytest.mark.req("FACT-4")
@pytest.mark.parametrize("context", CONTEXTS)
async def test_ordinary_messages_are_neither_answered_nor_change_anything(
    database: PostgresDatabase, context: str
) -> None:
    """All of them in an empty chat, and each after one of the others."""
    place = list(CONTEXTS).index(context)
    said = sayings("ordinary")
    await assert_ordinary(database, CONTEXTS[context], said[place - 1 :: len(CONTEXTS) - 1] if place else said)


@pytest.mark.soak
@pytest.mark.parametrize("context", CONTEXTS)
async def test_every_ordinary_message_is_one_in_every_context(database: PostgresDatabase, context: str) -> None:
    await assert_ordinary(database, CONTEXTS[context], sayings("ordinary"))


async def assert_ordinary(database: PostgresDatabase, before: Sequence[str], said: Sequence[dict[str, Any]]) -> None:
    wrong = []
    for saying in said:
        listener = Listener(database)
        await listener.hear(*before)
        stored = await listener.stored()
        answer = await listener.hear(saying["text"])
        if answer is not None or await listener.stored() != stored:
            wrong.append((saying["text"], answer, await listener.stored()))
    assert wrong == []


LONG = {
    "names": "my sister's name is " * 5000,
    "codes of": "the code of the " * 6000,
    "ranks": "my #1 car is a, #2 is b, " * 4000,
    "dashes": "my favorite cars are " + "a - " * 25_000,
    "a list and its name": "1. a\n" * 20_000 + "Those are my favorite cars.",
    "commands": "add a to my favorite cars, then " * 3000,
    "corrections": "instead of a, put b " * 5000,
    "bare numbers": "my favorite cars are " + "1 a 2 b " * 12_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_hundred_thousand_characters_are_read_in_a_moment(name: str) -> None:
    started = time.process_time()
    read_message(LONG[name])
    read_questions(LONG[name])
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "words", ["what is ", "is my favorite ", "on my list ", "after ", "'s rank ", "and the ", "not "]
)
def test_no_question_of_repeated_words_takes_long(words: str) -> None:
    started = time.process_time()
    for text in ((words * 100)[:295] + end for end in ("?", " my list?", "x")):
        read_message(text)
        read_questions(text)
    assert time.process_time() - started < 2


def test_there_are_enough_sayings_of_every_kind() -> None:
    assert len(sayings("statement", "question", "edit")) >= 200
    assert len(sayings("ordinary")) >= 200
    assert min(len(sayings(kind)) for kind in ("statement", "question", "edit")) >= 40
