"""Every way a turn can fail, injected at both fronts; docs/failures.md tells what the client saw and what was kept."""

import asyncio
import contextlib
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from souvenir.config import Settings
from souvenir.retrieval.search import Search
from souvenir.testing.openai_server import (
    Abort,
    Cut,
    ErrorEvent,
    Garble,
    HttpError,
    Place,
    Reply,
    ScriptedOpenAI,
    Stall,
    ToolCall,
)
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.failing import (
    COUNT,
    FRONTS,
    QUESTION,
    STREAMED,
    THREAD,
    WHOLE,
    WRITES,
    Client,
    Page,
    combined,
    expect,
)
from tests.acceptance.remembering import Memory, message
from tests.acceptance.test_turns import until

THEIRS: dict[str, Any] = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
OURS = "getUserMemories"

PLACES: dict[str, Place] = {
    "before its headers": "headers",
    "before the first token": "start",
    "after the first token": "first",
    "in the middle": "middle",
    "after the last token": "last",
}
STALLS = {f"stalls {where}": Reply(COUNT, fault=Stall(at)) for where, at in PLACES.items()}
FAILS: dict[str, Any] = {
    **{f"breaks off the connection {where}": Reply(COUNT, fault=Abort(at)) for where, at in PLACES.items()},
    **{f"ends {where}, without a finish": Reply(COUNT, fault=Cut(at)) for where, at in list(PLACES.items())[1:]},
    **{f"sends an error {where}": Reply(COUNT, fault=ErrorEvent(at=at)) for where, at in list(PLACES.items())[1:]},
    **{f"sends a broken chunk {where}": Reply(COUNT, fault=Garble(at=at)) for where, at in list(PLACES.items())[1:]},
    "breaks off the connection after its finish": Reply(COUNT, fault=Abort("finish")),
    "answers with a page of HTML": HttpError(200, body="<html>It works!</html>", headers={"content-type": "text/html"}),
    "sends a good answer as text/html": Reply(COUNT, content_type="text/html"),
    "sends a good answer as text/plain": Reply(COUNT, content_type="text/plain"),
    "streams under application/json": Reply(COUNT, content_type="application/json"),
    "answers 500": HttpError(500, "Out of order."),
    "answers 429, Retry-After: 7": HttpError(429, "Slow down.", headers={"retry-after": "7"}),
    "answers 429, no Retry-After": HttpError(429, "Slow down."),
}
RECOVERS: dict[str, Any] = {
    "answers 429 once, Retry-After: 0": HttpError(429, "Slow down.", headers={"retry-after": "0"}),
    "answers 429 once, no Retry-After": HttpError(429, "Slow down."),
    "breaks off the connection before its headers, once": Abort("headers"),
}
SAME = ToolCall(OURS, {"query": "ferry"})
TOOLS: dict[str, list[Any]] = {
    "calls a tool that does not exist": [Reply(tool_calls=[ToolCall("nowhere", {"to": "go"})]), COUNT],
    "calls our tool with broken arguments": [Reply(tool_calls=[ToolCall(OURS, "{broken")]), COUNT],
    "makes the same call twice at once": [Reply(tool_calls=[SAME, ToolCall(OURS, SAME.text, "call_2")]), COUNT],
    "makes the same call twice under one id": [Reply(tool_calls=[SAME, SAME]), COUNT],
    "makes the same call again": [Reply(tool_calls=[SAME]), Reply(tool_calls=[SAME]), COUNT],
    "never stops calling": [Reply(tool_calls=[SAME])] * 8,
}
LEAVES_STREAM: dict[str, tuple[Place, bytes | None]] = {
    "leaves before the first byte": ("headers", None),
    "leaves at the first chunk": ("role", b'"role"'),
    "leaves at the first word": ("first", b"one"),
    "leaves in the middle": ("middle", b"three"),
    "leaves at the last word": ("last", b"six"),
    "leaves at the finish reason": ("finish", b'"finish_reason":"stop"'),
}
LEAVES_WHOLE: dict[str, Place] = {
    "leaves while the model thinks": "headers",
    "leaves while the model answers": "middle",
}
THREAD_EVENTS = ("thread", "memory", "route", "tool_call", "tool_result", "delta", "usage", "done")
LEAVES_THREAD = {f"leaves at `{event}`": event for event in THREAD_EVENTS}
TOO_LONG = "the model refuses a context over its window"
CUT_HISTORY = "a history of 200 messages, in a window of 1,024 tokens"
LONG_HISTORY = "a history of 10,000 messages in the request"
PARTS = (
    "memory search fails", "memory search hangs", "the embedder is down", "the embedder hangs", "the database is down",
    "the database hangs", "the database goes down during the answer", "the database hangs at the end of the answer",
)  # fmt: skip

PAGE = Page(
    {
        "The model stalls": combined(list(STALLS)),
        "The model fails": combined(list(FAILS)),
        "The model fails once": combined(list(RECOVERS)),
        "The model's tool calls are wrong": combined(list(TOOLS)),
        "The client leaves": [
            *combined(list(LEAVES_STREAM), [STREAMED]),
            *combined(list(LEAVES_WHOLE), [WHOLE]),
            *combined(list(LEAVES_THREAD), [THREAD]),
        ],
        "There is too much": [
            *combined([TOO_LONG]),
            (CUT_HISTORY, THREAD),
            *combined([LONG_HISTORY], [STREAMED, WHOLE]),
        ],
        "A part of Souvenir fails": combined(PARTS),
    }
)
each_front = pytest.mark.parametrize("front", FRONTS)


@pytest.fixture(scope="module", autouse=True)
def _page() -> Iterator[None]:
    yield
    if WRITES:
        PAGE.write()


@contextlib.contextmanager
def serving(
    postgres: PostgresForTests, folder: pytest.TempPathFactory, settings: Mapping[str, Any]
) -> Iterator[RunningSouvenir]:
    with postgres.database() as url:
        made = Settings(database_url=url, data_dir=folder.mktemp("data"), llm_max_retries=0, **settings)
        with RunningSouvenir(made) as running:
            yield running


@pytest.fixture(scope="module")
def steady(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    """A Souvenir that asks a model once."""
    with serving(postgres, tmp_path_factory, scripted(host)) as running:
        yield running


@pytest.fixture(scope="module")
def impatient(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    """A Souvenir that waits for nothing long."""
    hurry = {
        "llm_timeout_seconds": 1,
        "turn_stage_seconds": 1.5,
        "search_embed_timeout_seconds": 0.3,
        "embed_cache_size": 0,
    }
    with serving(postgres, tmp_path_factory, scripted(host) | hurry) as running:
        yield running


# the model


@pytest.mark.req("TURN-3")
@each_front
@pytest.mark.parametrize("failure", STALLS)
def test_a_model_that_stalls(impatient: RunningSouvenir, host: ScriptedOpenAI, failure: str, front: str) -> None:
    host.script(STALLS[failure])
    with Memory(impatient.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(failure, client.ask()))


@pytest.mark.req("TURN-3")
@each_front
@pytest.mark.parametrize("failure", FAILS)
def test_a_model_that_fails(steady: RunningSouvenir, host: ScriptedOpenAI, failure: str, front: str) -> None:
    host.script(FAILS[failure])
    with Memory(steady.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(failure, client.ask()))


@pytest.mark.req("TURN-6")
@each_front
@pytest.mark.parametrize("failure", RECOVERS)
def test_a_model_that_fails_once(shared: RunningSouvenir, host: ScriptedOpenAI, failure: str, front: str) -> None:
    trouble = RECOVERS[failure]
    host.script(Reply(fault=trouble) if isinstance(trouble, Abort) else trouble, COUNT)
    with Memory(shared.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(failure, client.ask()))


@pytest.mark.req("TURN-8")
@each_front
@pytest.mark.parametrize("failure", TOOLS)
def test_a_model_whose_tool_calls_are_wrong(
    steady: RunningSouvenir, host: ScriptedOpenAI, failure: str, front: str
) -> None:
    host.script(*TOOLS[failure])
    with Memory(steady.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(failure, client.ask(tools=[THEIRS])))
    assert len(host.chats) <= 6


# the client


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("failure", LEAVES_STREAM)
def test_a_client_that_leaves_a_stream(steady: RunningSouvenir, host: ScriptedOpenAI, failure: str) -> None:
    place, at = LEAVES_STREAM[failure]
    host.script(Reply(COUNT, fault=Stall(place)))
    with Memory(steady.url) as memory:
        client = Client(memory, STREAMED)
        client.leave(host, at)
        host.wait_for_disconnects(1)
        expect(PAGE, client.left(failure))


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("failure", LEAVES_WHOLE)
def test_a_client_that_leaves_before_a_whole_answer(
    steady: RunningSouvenir, host: ScriptedOpenAI, failure: str
) -> None:
    host.script(Reply(COUNT, fault=Stall(LEAVES_WHOLE[failure])))
    with Memory(steady.url) as memory:
        client = Client(memory, WHOLE)
        client.leave(host, None)
        host.wait_for_disconnects(1)
        expect(PAGE, client.left(failure))


@pytest.mark.req("TURN-2")
@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("failure", LEAVES_THREAD)
def test_a_client_that_leaves_a_thread(steady: RunningSouvenir, host: ScriptedOpenAI, failure: str) -> None:
    event = LEAVES_THREAD[failure]
    ends = event in {"usage", "done"}
    host.script(Reply(tool_calls=[SAME]), Reply(COUNT, fault=None if ends else Stall("middle")))
    with Memory(steady.url) as memory:
        client = Client(memory, THREAD)
        client.leave(host, f"event: {event}\n".encode())
        host.release()
        expect(PAGE, client.left(failure))


# too much


@each_front
def test_a_context_over_the_models_window(steady: RunningSouvenir, host: ScriptedOpenAI, front: str) -> None:
    host.script(HttpError(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"))
    # our tool is the first thing to be given up; then the model says it again
    host.script(HttpError(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"))
    with Memory(steady.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(TOO_LONG, client.ask()))


@pytest.mark.req("TURN-4")
def test_a_thread_over_the_window_is_cut_to_it(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(context_tokens=1024, history_messages=200)
    host.script(COUNT)
    with Memory(running.url) as memory:
        said = [message(f"{number}.{' word' * 40}", "long", ("user", "assistant")[number % 2]) for number in range(200)]
        memory.say_all(said)
        client = Client(memory, THREAD)
        seen = client.ask(thread="long")
        sent = [one["content"] for one in host.chats[-1]["messages"] if one["role"] != "system"]
        assert len(memory.client.get("/chats/messages", params={"chat_id": "long"}).json()["messages"]) > 2
        expect(PAGE, client.row(CUT_HISTORY, seen))
    assert sum(len(text.split()) for text in sent) < 768
    assert sent[:-1] == [one["content"] for one in said][-len(sent) + 1 :]


@pytest.mark.parametrize("front", [STREAMED, WHOLE])
def test_ten_thousand_messages_in_a_request(steady: RunningSouvenir, host: ScriptedOpenAI, front: str) -> None:
    host.script(COUNT)
    roles = ("user", "assistant")
    before = [{"role": roles[number % 2], "content": f"This is message {number} of many."} for number in range(10_000)]
    with Memory(steady.url) as memory:
        client = Client(memory, front)
        expect(PAGE, client.row(LONG_HISTORY, client.ask(before=before)))
    assert len(host.chats[-1]["messages"]) == 10_001


# a part of Souvenir


@pytest.mark.req("TURN-11")
@each_front
@pytest.mark.parametrize("how", ["fails", "hangs"])
def test_memory_search_that_does_not_answer(
    impatient: RunningSouvenir, host: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch, how: str, front: str
) -> None:
    async def broken(*_: object, **__: object) -> None:
        if how == "fails":
            raise ZeroDivisionError
        await asyncio.sleep(60)

    host.script(COUNT)
    with Memory(impatient.url) as memory:
        memory.say("Please count the sheep for me.", "sheep")
        monkeypatch.setattr(Search, "search", broken)
        client = Client(memory, front, shows_memories=True)
        expect(PAGE, client.row(f"memory search {how}", client.ask()))


@pytest.mark.req("TURN-11")
@each_front
@pytest.mark.parametrize("how", ["is down", "hangs"])
def test_an_embedder_that_does_not_answer(
    impatient: RunningSouvenir, host: ScriptedOpenAI, how: str, front: str
) -> None:
    host.script(COUNT)
    with Memory(impatient.url) as memory:
        memory.say("Please count the sheep for me.", "sheep")
        host.script_embeddings(*([HttpError(503) if how == "is down" else Stall("headers")] * 20))
        client = Client(memory, front, shows_memories=True)
        expect(PAGE, client.row(f"the embedder {how}", client.ask()))


@pytest.fixture
def database(database_url: str, postgres: PostgresForTests) -> "Database":
    return Database(database_url, postgres)


class Database:
    """The test's own database, taken away from Souvenir for a while."""

    def __init__(self, url: str, server: PostgresForTests) -> None:
        self._url = url
        self._server = server
        self._name = url.rpartition("/")[2].partition("?")[0]

    @contextlib.contextmanager
    def off(self, how: str) -> Iterator[None]:
        with self._down() if how == "down" else self._hanging():
            yield

    @contextlib.contextmanager
    def _down(self) -> Iterator[None]:
        self._server.execute(f"alter database {self._name} allow_connections false")
        self._server.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{self._name}'")
        try:
            yield
        finally:
            self._server.execute(f"alter database {self._name} allow_connections true")

    @contextlib.contextmanager
    def _hanging(self) -> Iterator[None]:
        with psycopg.connect(self._url) as connection:
            connection.execute("lock table chats, messages, passages, passage_spaces in access exclusive mode")
            yield
            connection.rollback()


def hurried(serve: Serve) -> RunningSouvenir:
    return serve(turn_stage_seconds=1, database_timeout_seconds=1, llm_max_retries=0)


@pytest.mark.req("TURN-11")
@each_front
@pytest.mark.parametrize("how", ["down", "hanging"])
def test_a_database_that_does_not_answer(
    serve: Serve, database: Database, host: ScriptedOpenAI, how: str, front: str
) -> None:
    failure = "the database is down" if how == "down" else "the database hangs"
    host.script(COUNT)
    with Memory(hurried(serve).url) as memory:
        memory.say("Please count the sheep for me.", "sheep")
        client = Client(memory, front, shows_memories=True)
        with database.off(how):
            seen = client.ask()
        expect(PAGE, client.row(failure, seen, 2))


@pytest.mark.req("TURN-2")
@pytest.mark.req("TURN-11")
@pytest.mark.parametrize("how", ["down", "hanging"])
def test_a_thread_goes_on_under_its_id_while_the_database_does_not_answer(
    serve: Serve, database: Database, host: ScriptedOpenAI, how: str
) -> None:
    # a database that hangs is given up by the turn long before it gives itself up
    patience = 20 if how == "hanging" else 1
    running = serve(turn_stage_seconds=1, database_timeout_seconds=patience, llm_max_retries=0)
    host.script("Ahoy.", COUNT, COUNT)
    with Memory(running.url) as memory, Memory(running.url) as other:
        client, stranger = Client(memory, THREAD), Client(other, THREAD)
        client.ask("Good morning to you")
        thread = client.chat_id
        with database.off(how):
            started = time.monotonic()
            assert client.ask(thread=thread).endswith("done")
            assert time.monotonic() - started < 10
            assert client.chat_id == thread
            # nobody can tell whose it is; what is said in it is kept with who says it
            assert stranger.ask(thread=thread).endswith("done")
            assert stranger.chat_id == thread
        until(lambda: contents(memory, thread) == [COUNT, QUESTION, "Ahoy.", "Good morning to you"], 30)
        until(lambda: contents(other, thread) == [COUNT, QUESTION], 30)


def contents(memory: Memory, chat_id: str) -> list[str]:
    """What is complete of a chat, newest first."""
    answer = memory.client.get("/chats/messages", params={"chat_id": chat_id})
    messages = answer.json()["messages"] if answer.status_code == 200 else []
    return [one["content"] for one in messages if one["status"] == "complete"]


@pytest.mark.req("TURN-2")
def test_what_is_no_id_starts_a_new_thread_while_the_database_does_not_answer(
    serve: Serve, database: Database, host: ScriptedOpenAI
) -> None:
    running = hurried(serve)

    def started(strange: str) -> str:
        with Memory(running.url) as memory:
            client = Client(memory, THREAD)
            assert client.ask(thread=strange).endswith("done")
            return client.chat_id

    strange = ("no such thread", "x" * 500, "list")
    with database.off("down"), ThreadPoolExecutor() as pool:
        assert not {*pool.map(started, strange)} & {*strange}


@pytest.mark.req("TURN-3")
@pytest.mark.req("TURN-11")
@each_front
@pytest.mark.parametrize("how", ["down", "hanging"])
def test_a_database_that_is_lost_during_the_answer(
    serve: Serve, database: Database, host: ScriptedOpenAI, how: str, front: str
) -> None:
    failure = f"the database {'goes down during' if how == 'down' else 'hangs at the end of'} the answer"
    with contextlib.ExitStack() as stack, Memory(hurried(serve).url) as memory:

        def lose(_: object) -> Reply:
            stack.enter_context(database.off(how))
            return Reply(COUNT)

        host.script(lose)
        memory.say("Please count the sheep for me.", "sheep")
        client = Client(memory, front, shows_memories=True)
        seen = client.ask()
        stack.close()
        expect(PAGE, client.row(failure, seen, 2))


def test_the_page_tells_of_every_failure_and_no_other() -> None:
    assert PAGE.is_whole()
