"""64 streams of 16 users at once: every one is whole, and nobody's memory is in anybody else's."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from souvenir.testing.openai_server import Reply, ScriptedOpenAI
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory

USERS, EACH = 16, 4
SECRET = re.compile(r"secret-\d{2}-word")
QUESTION = "What is the secret word of my locker?"


@pytest.fixture
def unhurried(serve: Serve) -> RunningSouvenir:
    """A Souvenir that does without memory only where it fails, however busy the machine is."""
    return serve(turn_stage_seconds=60, search_embed_timeout_seconds=60)


@pytest.fixture
def people(unhurried: RunningSouvenir) -> Iterator[list[Memory]]:
    """Users who each told a secret of their own."""
    found = [Memory(unhurried.url) for _ in range(USERS)]
    for number, memory in enumerate(found):
        memory.post("/memories", content=f"User's locker opens with {secret(number)}.", category="context")
        memory.say(f"The secret word of my locker is {secret(number)}.", "locker")
    yield found
    for memory in found:
        memory.client.close()


def secret(number: int) -> str:
    return f"secret-{number:02}-word"


def everything_told(body: dict[str, Any]) -> Reply:
    """All that the model was told, so that what leaks into a prompt leaks into an answer."""
    return Reply(" ".join(str(message["content"]) for message in body["messages"]), delay_seconds=0.001)


async def streamed(client: httpx2.AsyncClient, path: str, body: dict[str, Any], headers: dict[str, str]) -> str:
    async with client.stream("POST", path, json=body, headers=headers) as answer:
        text = "".join([piece async for piece in answer.aiter_text()])
    assert answer.status_code == 200, text
    return text


async def gateway(client: httpx2.AsyncClient, user: str, chat: int) -> tuple[str, str]:
    """The words of an answer, and the memories it came with."""
    body = {"model": "souvenir", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    headers = {"x-openwebui-user-id": user, "x-openwebui-chat-id": f"chat-{chat}"}
    *lines, end = (await streamed(client, "/v1/chat/completions", body, headers)).strip().split("\n\n")
    assert end == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines]
    assert all("error" not in chunk for chunk in chunks)
    words = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])
    return words, json.dumps(chunks[0]["memories"])


async def thread(client: httpx2.AsyncClient, user: str, _: int) -> tuple[str, str]:
    """The same from a new thread."""
    headers = {"x-openwebui-user-id": user}
    text = await streamed(client, "/threads/new/messages/stream", {"content": QUESTION}, headers)
    events = [dict(line.split(": ", 1) for line in event.split("\n")) for event in text.strip().split("\n\n")]
    assert events[-1]["event"] == "done"
    words = "".join(json.loads(one["data"])["content"] for one in events if one["event"] == "delta")
    return words, next(one["data"] for one in events if one["event"] == "memory")


@pytest.mark.req("ID-7")
@pytest.mark.req("ID-8")
@pytest.mark.parametrize("front", [gateway, thread], ids=["gateway", "thread"])
async def test_sixty_four_streams_at_once_hold_and_nothing_of_one_user_is_in_anothers(
    unhurried: RunningSouvenir,
    host: ScriptedOpenAI,
    people: list[Memory],
    front: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "default", everything_told)
    limits = httpx2.Limits(max_connections=USERS * EACH)
    async with httpx2.AsyncClient(base_url=unhurried.url, timeout=60, limits=limits) as client:
        turns = [front(client, memory.user, chat) for chat in range(EACH) for memory in people]
        answers = await asyncio.gather(*turns)
    assert len(answers) == USERS * EACH
    for place, (words, memories) in enumerate(answers):
        own = {secret(place % USERS)}
        assert set(SECRET.findall(words)) == own
        assert set(SECRET.findall(memories)) == own
