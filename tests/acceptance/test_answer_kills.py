"""A process that is killed while it answers leaves no answer that seems to come for ever."""

import asyncio
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from souvenir.chat import turn
from souvenir.chat.keeping import Exchange, Keeping
from souvenir.config import ChatEngineName, load_settings
from souvenir.stores.chat_rules import STOPPED
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import Reply, ScriptedOpenAI, Stall
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import eventually, running
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.remembering import Memory
from tests.acceptance.test_threads import events, kept, say, thread_of, words
from tests.contract.chats.conftest import ENGINES, servers

QUESTION = "Count for me, please"
COUNT = "one two three four five six"


@pytest.fixture(params=ENGINES)
def environ(
    request: pytest.FixtureRequest, postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> Iterator[dict[str, str]]:
    engine: ChatEngineName = request.param
    models = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    with servers([engine], postgres, tmp_path) as variables:
        yield variables | models | {"SOUVENIR_CHAT_STORE": engine}


def shown(memory: Memory, thread: str) -> list[tuple[Any, ...]]:
    return [(one["role"], one["content"], one["status"], one["error"]) for one in kept(memory, thread)]


@pytest.mark.req("TURN-3")
def test_an_answer_whose_process_was_killed_is_an_error_soon_after(
    environ: dict[str, str], host: ScriptedOpenAI, tmp_path: Path
) -> None:
    host.script(Reply(COUNT, fault=Stall("middle")), "Seven.")
    asked = ("user", QUESTION, "complete", None)
    with running(["serve"], environ, tmp_path) as process, Memory(process.url) as memory:
        with memory.client.stream("POST", "/threads/new/messages/stream", json={"content": QUESTION}) as answer:
            arriving = events(answer)
            thread = next(arriving)[2]["thread_id"]
            assert next(data for _, name, data in arriving if name == "delta") == {"content": "one "}
            with Memory(process.url, memory.user) as another:
                eventually(lambda: shown(another, thread)[1:] == [("assistant", "", "streaming", None)])
            process.kill()
            with pytest.raises(httpx2.HTTPError):
                list(arriving)
        user = memory.user
    clock = ManualClock(datetime.now(UTC))
    with RunningSouvenir(load_settings(environ), clock) as again, Memory(again.url, user) as memory:
        assert shown(memory, thread) == [asked, ("assistant", "", "streaming", None)], "it might live elsewhere"
        clock.advance(seconds=31)
        assert shown(memory, thread) == [asked, ("assistant", "", "error", STOPPED)]
        found = say(memory, "And then?", thread)
        assert (words(found), thread_of(found)) == ("Seven.", thread)
        assert [one["status"] for one in kept(memory, thread)] == ["complete", "error", "complete", "complete"]


@pytest.mark.req("TURN-3")
def test_an_answer_that_takes_long_stays_in_progress_and_shows_how_far_it_came(
    environ: dict[str, str], host: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "RENEW_SECONDS", 0.05)
    clock = ManualClock(datetime.now(UTC))
    settings = load_settings(environ)
    host.script(Reply(COUNT, fault=Stall("middle")))
    with (
        RunningSouvenir(settings, clock) as writing,
        RunningSouvenir(settings, clock) as reading,
        Memory(writing.url) as memory,
        Memory(reading.url, memory.user) as elsewhere,
    ):
        found: list[Any] = []
        asking = threading.Thread(target=lambda: found.extend(say(memory, QUESTION)))
        asking.start()
        host.wait_for_stalls(1)
        eventually(lambda: bool(elsewhere.client.post("/chats/list", json={}).json()["conversations"]))
        thread = elsewhere.client.post("/chats/list", json={}).json()["conversations"][0]["id"]
        eventually(lambda: shown(elsewhere, thread)[-1] == ("assistant", "one two three ", "streaming", None))
        for _ in range(4):
            clock.advance(seconds=20)
            time.sleep(0.5)
            assert shown(elsewhere, thread)[-1] == ("assistant", "one two three ", "streaming", None)
        host.release()
        asking.join(20)
        assert found[-1][1] == "done"
        clock.advance(days=1)
        assert shown(elsewhere, thread)[-1] == ("assistant", COUNT, "complete", None)


@pytest.mark.req("TURN-3")
def test_no_sign_of_life_comes_after_the_end(
    serve: Serve, host: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    renew = Keeping.renew

    async def late(self: Keeping, exchange: Exchange, text: str) -> None:
        await asyncio.sleep(0.02)
        await renew(self, exchange, text)
        written.append(text)

    monkeypatch.setattr(turn, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(Keeping, "renew", late)
    with Memory(serve().url) as memory:
        for number in range(10):
            host.script(Reply(f"{COUNT} {number}", delay_seconds=0.03))
            thread = thread_of(say(memory, QUESTION))
            signs = len(written)
            assert signs > 0
            time.sleep(0.1)
            assert shown(memory, thread)[-1] == ("assistant", f"{COUNT} {number}", "complete", None)
            assert len(written) == signs
