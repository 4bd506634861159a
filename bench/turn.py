"""A turn with memory: what it adds to the model's own time to the first token, and 64 streams of 16 users at once.

`python -m bench.turn`. The user has 10,000 memories; no question comes twice, so every one is embedded.
"""

import asyncio
import contextlib
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import uvloop

from bench.memory import fill
from bench.memory_data import things_said
from bench.report import Figure, table
from bench.search import turn_about
from souvenir.app import Souvenir, open_souvenir
from souvenir.config import load_settings
from souvenir.log import configure_logging
from souvenir.testing.openai_server import Reply, ScriptedOpenAI
from souvenir.testing.processes import SouvenirProcess, environment, running
from souvenir.types import user_space

MEMORIES = 10_000
ROUNDS = 150
LIMIT_MS = 8.0
USERS, EACH, TIMES = 16, 4, 3

_PATH = "/v1/chat/completions"
_NAME = re.compile(r"[A-Z]\w+ [A-Z]\w+")
_SECRET = re.compile(r"secret-\d{2}-word")


class Asking:
    """The leanest client there is, on one connection; `memories` counts what came with its answers."""

    def __init__(self, url: str, chats: Iterator[str] | None = None) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._chats = chats
        self.memories: list[int] = []

    def first_token(self, question: str) -> float:
        """Seconds until the first word; the rest is read, and not counted."""
        body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": question}]}
        chat = {"x-openwebui-chat-id": next(self._chats)} if self._chats is not None else {}
        started, first = time.perf_counter(), 0.0
        self._connection.request("POST", _PATH, json.dumps(body), {"Content-Type": "application/json", **chat})
        answer = self._connection.getresponse()
        assert answer.status == HTTPStatus.OK, answer.read()
        while line := answer.readline():
            if not first and _has_word(line):
                first = time.perf_counter() - started
            if b'"memories"' in line:
                self.memories.append(len(json.loads(line.removeprefix(b"data: "))["memories"]))
        assert first, "no word came"
        return first

    def close(self) -> None:
        self._connection.close()


def _has_word(line: bytes) -> bool:
    compact = line.replace(b'": ', b'":')
    return b'"content":' in compact and b'"delta":' in compact and b'"content":""' not in compact


def questions(said: Sequence[str]) -> Iterator[str]:
    """About people who are known, each in words of its own."""
    for number, text in enumerate(said):
        found = _NAME.search(text)
        if found is not None:
            yield f"What do you know about {found[0]}, in {number % 90 + 10} words or less?"


async def overhead(souvenir: Souvenir, said: Sequence[str], direct: str, gateway: str) -> list[Figure]:
    asked = questions(said)
    plain, through = Asking(direct), Asking(gateway)
    kept = Asking(gateway, (f"chat-{number}" for number in range(10**6)))
    timed: list[list[float]] = [[], [], []]

    def of(asking: Asking, times: list[float]) -> Callable[[], Any]:
        async def work() -> None:
            times.append(asking.first_token(next(asked)))

        return work

    works = [of(one, times) for one, times in zip((plain, through, kept), timed, strict=True)]
    embedding, *_ = await turn_about([lambda: souvenir.embedder.embed([next(asked)]), *works], ROUNDS, warm_up=20)
    for one in (plain, through, kept):
        one.close()
    base, added, stored = (sorted(times[20:])[len(times[20:]) // 2] for times in timed)
    spare = embedding + base
    return [
        Figure("first token beyond direct + embedding, no chat id (p50)", (added - spare) * 1000, "≤", LIMIT_MS, "ms"),
        Figure("… with a chat id, so that it is kept (p50)", (stored - spare) * 1000, "≤", LIMIT_MS, "ms"),
        Figure("first token of the model itself (p50)", base * 1000, "", None, "ms"),
        Figure("first token through Souvenir (p50)", added * 1000, "", None, "ms"),
        Figure("one query embedding (p50)", embedding * 1000, "", None, "ms"),
        Figure("memories that came with an answer (mean)", sum(through.memories) / len(through.memories), "", None),
    ]


def everything_told(body: dict[str, Any]) -> Reply:
    """All that the model was told, so that what leaks into a prompt leaks into an answer."""
    return Reply(" ".join(str(message["content"]) for message in body["messages"]))


async def many(url: str) -> list[Figure]:
    limits = httpx2.Limits(max_connections=USERS * EACH)
    async with httpx2.AsyncClient(base_url=url, timeout=120, limits=limits) as client:
        for user in range(USERS):
            told = {"content": f"User's locker opens with {_secret(user)}.", "category": "context"}
            answer = await client.post("/memories", json=told, headers={"x-openwebui-user-id": f"user-{user}"})
            answer.raise_for_status()
        started = time.perf_counter()
        ended = []
        for time_ in range(TIMES):
            turns = [_stream(client, user, time_ * EACH + chat) for chat in range(EACH) for user in range(USERS)]
            ended += await asyncio.gather(*turns)
        taken = time.perf_counter() - started
    whole = [one for one in ended if one is not None]
    leaked = sum(bool(found - {own}) for own, found in whole)
    recalled = sum(own in found for own, found in whole)
    return [
        Figure(
            f"{USERS * EACH} streams of {USERS} users at once, {TIMES} times: errors",
            len(ended) - len(whole), "≤", 0,
        ),
        Figure("… with a memory of somebody else in them", leaked, "≤", 0),
        Figure("… with their user's own memory, which may not take too long", recalled / len(ended), "", None, "share"),
        Figure("… streams", len(ended) / taken, "", None, "per second"),
    ]  # fmt: skip


def _secret(user: int) -> str:
    return f"secret-{user:02}-word"


async def _stream(client: httpx2.AsyncClient, user: int, chat: int) -> tuple[str, set[str]] | None:
    """A user's secret, and those in an answer and its memories; None for an answer that failed."""
    asked = "What does my locker open with?"
    body = {"model": "souvenir", "stream": True, "messages": [{"role": "user", "content": asked}]}
    headers = {"x-openwebui-user-id": f"user-{user}", "x-openwebui-chat-id": f"chat-{chat}"}
    try:
        answer = await client.post(_PATH, json=body, headers=headers)
    except httpx2.HTTPError:
        return None
    if answer.status_code != HTTPStatus.OK or "data: [DONE]" not in answer.text:
        return None
    *lines, _ = answer.text.strip().split("\n\n")
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines]
    words = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])
    return _secret(user), set(_SECRET.findall(words + json.dumps(chunks[0]["memories"])))


@contextlib.contextmanager
def model(folder: Path) -> Iterator[str]:
    """A model that echoes, in a process of its own."""
    host = SouvenirProcess([sys.executable, "-m", "souvenir.testing.openai_server"], environment({}), folder)
    try:
        yield host.wait_for(r"(http://\S+/v1)").group(1)
    finally:
        try:
            host.stop(5)
        except subprocess.TimeoutExpired:
            host.kill()


@contextlib.asynccontextmanager
async def filled(folder: Path, said: Sequence[str]) -> AsyncIterator[Souvenir]:
    """A Souvenir whose only user has told all this."""
    settings = load_settings({}, data_dir=folder / "data", log_level="error")
    async with open_souvenir(settings) as souvenir:
        await fill(souvenir, user_space("local"), said)
        yield souvenir


async def measure(folder: Path) -> list[Figure]:
    said = things_said(MEMORIES)
    settings = {
        "SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_PORT": "0", "SOUVENIR_LOG_LEVEL": "error",
        "SOUVENIR_LLM_MODEL": "scripted",
        # memories are formed a second after a message: of the one before, in a row of questions without a pause
        "SOUVENIR_WORKER": "false",
    }  # fmt: skip
    with model(folder) as base_url:
        async with filled(folder, said) as souvenir:
            with running(["serve"], settings | {"SOUVENIR_LLM_BASE_URL": base_url}, folder) as server:
                figures = await overhead(souvenir, said, base_url.removesuffix("/v1"), server.url)
    with ScriptedOpenAI() as host:
        host.default = everything_told
        with running(["serve"], settings | {"SOUVENIR_LLM_BASE_URL": host.base_url}, folder) as server:
            return figures + await many(server.url)


def run() -> str:
    """The figures as a Markdown table."""
    configure_logging(load_settings({}, log_level="error"))
    with (
        tempfile.TemporaryDirectory(prefix="souvenir-bench-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,  # as the program has it
    ):
        return table(runner.run(measure(Path(folder))))


if __name__ == "__main__":
    print(run())
