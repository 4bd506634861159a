"""Whether a page costs the same however much there is: 100,000 messages in a chat, 10,000 chats of a user."""

import asyncio
import os
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from bench.report import Figure, table
from souvenir.config import ChatEngineName, load_settings
from souvenir.log import configure_logging
from souvenir.storage import create_chat_engine, create_dynamodb_tables, open_chats, open_storage
from souvenir.stores.chat_rules import next_id
from souvenir.stores.ports import Chat, ChatEngine, Message
from souvenir.testing.dynamodb import DynamoDbForTests
from souvenir.testing.redis import RedisForTests
from souvenir.testing.server import RunningSouvenir
from souvenir.types import SpaceId, user_space

MESSAGES, CHATS = 100_000, 10_000
ENGINES: tuple[ChatEngineName, ...] = ("postgres", "redis", "dynamodb")
ROUNDS = 200
LIMIT = 1.5
BOB = {"x-openwebui-user-id": "bob"}
AWS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


async def fill_chat(store: ChatEngine, space: SpaceId, count: int) -> str:
    """A chat of so many messages, put in directly."""
    chat_id, last = str(uuid.uuid4()), None
    batch: list[Message] = []
    for number in range(count):
        now = BEGAN + timedelta(seconds=number)
        last = next_id(now, last)
        batch.append(Message(last, chat_id, "user", f"message {number} of a long chat", now))
        if len(batch) == 50 or number == count - 1:
            await store.put(space, Chat(chat_id, "long", "last", BEGAN, now, number + 1, last), batch)
            batch = []
    return chat_id


async def fill_space(store: ChatEngine, space: SpaceId, count: int) -> None:
    """So many chats of one message each."""

    async def one(number: int) -> None:
        now = BEGAN + timedelta(seconds=number)
        message = Message(next_id(now, None), str(uuid.uuid4()), "user", "hello", now)
        await store.put(space, Chat(message.chat_id, "hello", "hello", now, now, 1, message.message_id), [message])

    for begin in range(0, count, 20):
        await asyncio.gather(*(one(number) for number in range(begin, min(begin + 20, count))))


async def ratio(small: Callable[[], Awaitable[object]], large: Callable[[], Awaitable[object]]) -> float:
    """The cost of the large over that of the small, turn about, by medians."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for work, taken in zip((small, large), times, strict=True):
            started = time.perf_counter()
            await work()
            taken.append(time.perf_counter() - started)
    return statistics.median(times[1]) / statistics.median(times[0])


async def read_ratio(
    store: ChatEngine, small: Callable[[], Awaitable[object]], large: Callable[[], Awaitable[object]]
) -> float:
    """For DynamoDB, where the stand-in's own time says nothing: items evaluated and requests made, large over small."""
    seen: list[int] = []

    def note(parsed: dict[str, Any], **_: object) -> None:
        seen.append(1 + parsed.get("ScannedCount", 0))

    events = store.client.meta.events  # type: ignore[attr-defined]
    events.register("after-call.dynamodb.*", note)
    costs = []
    for work in (small, large):
        seen.clear()
        await work()
        costs.append(sum(seen))
    events.unregister("after-call.dynamodb.*", note)
    return costs[1] / costs[0]


async def measure(name: ChatEngineName, environ: dict[str, str]) -> list[Figure]:
    settings = load_settings(environ)
    if name == "dynamodb":
        await create_dynamodb_tables(settings)
    async with AsyncExitStack() as stack:
        storage = await stack.enter_async_context(open_storage(settings))
        store = create_chat_engine(name, storage)
        stack.push_async_callback(store.aclose)
        await store.open()
        owner, few, many = (SpaceId(f"user:{user}") for user in ("owner", "few", "many"))
        short, long = await fill_chat(store, owner, 100), await fill_chat(store, owner, MESSAGES)
        await fill_space(store, few, 10)
        await fill_space(store, many, CHATS)
        compare = partial(read_ratio, store) if name == "dynamodb" else ratio
        page = await compare(
            lambda: store.list_messages(owner, short, limit=10), lambda: store.list_messages(owner, long, limit=10)
        )
        listing = await compare(lambda: store.list_chats(few, limit=10), lambda: store.list_chats(many, limit=10))
    cost = "reads for" if name == "dynamodb" else "time of"
    return [
        Figure(f"{name}: {cost} a page of messages, {MESSAGES:,} in the chat / 100", page, "≤", LIMIT, "times"),
        Figure(f"{name}: {cost} a page of chats, {CHATS:,} of the user / 10", listing, "≤", LIMIT, "times"),
    ]


def refusals(environ: dict[str, str]) -> Figure:
    """Whether the time of a 403 tells somebody else's chat from one that does not exist."""
    settings = load_settings(environ)
    configure_logging(settings)

    async def fill() -> str:
        async with open_chats(settings, "postgres") as store:
            return await fill_chat(store, user_space("alice"), 1000)

    theirs = asyncio.run(fill())
    times: dict[str, list[float]] = {"theirs": [], "unknown": []}
    with RunningSouvenir(settings) as running, httpx2.Client(base_url=running.url, headers=BOB) as client:
        for _ in range(ROUNDS):
            for what, chat_id in (("theirs", theirs), ("unknown", str(uuid.uuid4()))):
                started = time.perf_counter()
                client.get("/chats/messages", params={"chat_id": chat_id})
                times[what].append(time.perf_counter() - started)
    ratio = statistics.median(times["theirs"]) / statistics.median(times["unknown"])
    return Figure("time of a 403: somebody else's chat / an unknown one (p50)", ratio, "≤", 1.1, "times")


def run() -> str:
    """The figures as a Markdown table."""
    os.environ.update(AWS)
    figures: list[Figure] = []
    for name in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            environ = {"SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_LOG_LEVEL": "error"}
            if name == "redis":
                environ["SOUVENIR_REDIS_URL"] = stack.enter_context(RedisForTests(Path(folder) / "redis")).url
            if name == "dynamodb":
                server = stack.enter_context(DynamoDbForTests(Path(folder) / "dynamodb"))
                environ["SOUVENIR_DYNAMODB_ENDPOINT_URL"] = server.endpoint_url
                environ["SOUVENIR_DYNAMODB_REGION"] = "eu-west-1"
            figures += asyncio.run(measure(name, environ))
            if name == "postgres":
                figures.append(refusals(environ))
    note = "DynamoDB is counted in items evaluated and requests made: the time of the stand-in says nothing about AWS."
    return f"{table(figures)}\n\n{note}"


if __name__ == "__main__":
    print(run())
