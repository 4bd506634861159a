"""`souvenir chats copy`: from each engine to the next, verified, resumable after a kill, and repeatable."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from souvenir.chat.copying import copy_chats
from souvenir.config import ChatEngineName, load_settings
from souvenir.storage import open_chats
from souvenir.stores.ports import Chat, ChatEngine, Message, NewMessage
from souvenir.testing.chats import all_chats, all_messages
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import run_to_end, running
from souvenir.types import SpaceId
from tests.contract.chats.conftest import ENGINES, servers

Content = dict[SpaceId, list[tuple[Chat, list[Message]]]]


@pytest.fixture
def environ(postgres: PostgresForTests, tmp_path: Path) -> Iterator[dict[str, str]]:
    with servers(ENGINES, postgres, tmp_path) as variables:
        yield variables


def on(environ: dict[str, str], engine: ChatEngineName, work: Callable[[ChatEngine], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with open_chats(load_settings(environ), engine) as store:
            return await work(store)

    return asyncio.run(run())


async def fill(store: ChatEngine) -> None:
    for user in range(3):
        space = SpaceId(f"user:{user}")
        for number in range(4):
            chat_id = str(uuid.uuid4())
            for place in range(1 + 30 * number):
                await store.append(space, chat_id, [NewMessage("user", f"{user} {number} {place}")], create=True)
            if number == 2:
                await store.rename(space, chat_id, "renamed")
                await store.append(space, chat_id, [NewMessage("assistant", "z" * 500_000, tool_calls=({"a": 1.5},))])


async def read(store: ChatEngine) -> Content:
    content: Content = {}
    for space in await store.spaces(limit=100):
        chats = await all_chats(store, space)
        content[space] = [(chat, await all_messages(store, space, chat.chat_id)) for chat in chats]
    return content


def copy(environ: dict[str, str], tmp_path: Path, source: str, target: str) -> dict[str, Any]:
    ended = run_to_end(["chats", "copy", "--from", source, "--to", target, "--json"], environ, tmp_path, seconds=120)
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    return report


@pytest.mark.req("CHAT-6")
def test_chats_copied_around_all_engines_come_back_identical(environ: dict[str, str], tmp_path: Path) -> None:
    on(environ, "postgres", fill)
    original: Content = on(environ, "postgres", read)
    assert sum(len(messages) for chats in original.values() for _, messages in chats) == 3 * (1 + 31 + 62 + 91)
    for source, target in pairwise(("postgres", "redis", "dynamodb")):
        assert copy(environ, tmp_path, source, target) == {"copied": 12, "present": 0, "gone": 0, "differs": []}
        assert on(environ, target, read) == original  # type: ignore[arg-type]
    assert copy(environ, tmp_path, "dynamodb", "postgres") == {"copied": 0, "present": 12, "gone": 0, "differs": []}
    for name in ENGINES:
        assert on(environ, name, read) == original


def test_a_copy_that_was_killed_goes_on_where_it_stopped(environ: dict[str, str], tmp_path: Path) -> None:
    on(environ, "postgres", fill)
    original: Content = on(environ, "postgres", read)
    with running(["chats", "copy", "--from", "postgres", "--to", "dynamodb"], environ, tmp_path) as command:
        command.wait_for("1/12")
        command.kill()
    report = copy(environ, tmp_path, "postgres", "dynamodb")
    assert report["copied"] + report["present"] == 12
    assert report["present"] >= 1
    assert on(environ, "dynamodb", read) == original


def test_half_a_chat_in_the_target_is_not_taken_for_a_whole_one(environ: dict[str, str]) -> None:
    async def work(source: ChatEngine, target: ChatEngine) -> None:
        space, chat_id = SpaceId("user:a"), str(uuid.uuid4())
        await source.append(space, chat_id, [NewMessage("user", str(n)) for n in range(10)], create=True)
        chat = await source.get_chat(space, chat_id)
        assert chat is not None
        messages = await all_messages(source, space, chat_id)
        await target.put(space, replace(chat, message_count=3), messages[:3])
        assert [copied.outcome async for copied in copy_chats(source, target)] == ["copied"]
        assert await all_messages(target, space, chat_id) == messages

    async def run() -> None:
        settings = load_settings(environ)
        async with open_chats(settings, "postgres") as source, open_chats(settings, "redis") as target:
            await work(source, target)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("source", "target", "says"), [("redis", "redis", "another engine"), ("redis", "paper", "paper")]
)
def test_a_copy_from_or_to_nowhere_is_refused(
    environ: dict[str, str], tmp_path: Path, source: str, target: str, says: str
) -> None:
    ended = run_to_end(["chats", "copy", "--from", source, "--to", target], environ, tmp_path)
    assert ended.returncode != 0
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr
