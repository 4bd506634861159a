"""Threads: a message in, its answer out as events that can be followed again, stopped, and read back afterwards."""

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from souvenir.testing.openai_server import HttpError, Reply, ScriptedOpenAI, Stall, ToolCall
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, two_users
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory
from tests.acceptance.test_turns import until

Event = tuple[str, str, dict[str, Any]]


@pytest.fixture
def memory(shared: RunningSouvenir) -> Iterator[Memory]:
    """Somebody nobody else is."""
    with Memory(shared.url) as memory:
        yield memory


def events(answer: httpx2.Response) -> Iterator[Event]:
    """Id, name and data of each event as it arrives."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield fields["id"], fields["event"], json.loads(fields["data"])
            fields = {}


def say(memory: Memory, content: str, thread: str = "new", **more: Any) -> list[Event]:
    body = {"content": content, **more}
    with memory.client.stream("POST", f"/threads/{thread}/messages/stream", json=body) as answer:
        assert answer.status_code == 200, answer.read()
        return list(events(answer))


def named(found: list[Event], name: str) -> list[dict[str, Any]]:
    return [data for _, own, data in found if own == name]


def words(found: list[Event]) -> str:
    return "".join(data["content"] for data in named(found, "delta"))


def thread_of(found: list[Event]) -> str:
    return str(named(found, "thread")[0]["thread_id"])


def kept(memory: Memory, thread: str) -> list[dict[str, Any]]:
    answer = memory.client.get("/chats/messages", params={"chat_id": thread})
    return list(reversed(answer.json()["messages"])) if answer.status_code == 200 else []


@pytest.mark.req("TURN-2")
def test_a_new_thread_tells_its_id_what_it_recalled_who_answers_the_words_and_the_end(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    memory.say("The ferry to Naxos leaves at 7:30.", "trip")
    host.script("At half past seven.")
    found = say(memory, "When does the ferry to Naxos leave?")
    assert [name for _, name, _ in found if name != "delta"] == ["thread", "memory", "route", "usage", "done"]
    assert named(found, "thread")[0]["created"] is True
    assert named(found, "memory")[0]["memories"][0]["content"] == "The ferry to Naxos leaves at 7:30."
    assert named(found, "route")[0] == {"provider": "default", "model": "scripted", "reason": "the default"}
    assert words(found) == "At half past seven."
    assert named(found, "usage")[0]["total_tokens"] > 0
    stored = kept(memory, thread_of(found))
    assert [one["content"] for one in stored] == ["When does the ferry to Naxos leave?", "At half past seven."]
    assert named(found, "done")[0]["message_id"] == stored[-1]["message_id"]


@pytest.mark.req("TURN-3")
@pytest.mark.req("TURN-4")
def test_the_next_message_sees_both_sides_of_the_last_one_and_not_itself(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("Ahoy.", "Two.")
    thread = thread_of(say(memory, "Good morning to you"))
    found = say(memory, "And how are you today?", thread)
    assert named(found, "thread")[0] == {"thread_id": thread, "created": False}
    said = [one for one in host.chats[-1]["messages"] if one["role"] != "system"]
    assert said == [
        {"role": "user", "content": "Good morning to you"},
        {"role": "assistant", "content": "Ahoy."},
        {"role": "user", "content": "And how are you today?"},
    ]
    assert len(kept(memory, thread)) == 4


@pytest.mark.req("TURN-4")
def test_the_system_prompt_comes_first_then_memory_then_the_conversation(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(system_prompt="You are a ship's cook.")
    with Memory(running.url) as memory:
        memory.say("The ferry to Naxos leaves at 7:30.", "trip")
        say(memory, "When does the ferry to Naxos leave?")
    first, second, last = host.chats[-1]["messages"]
    assert first == {"role": "system", "content": "You are a ship's cook."}
    assert second["content"].startswith("Long-term memory:")
    assert len(second["content"]) <= 2000
    assert last == {"role": "user", "content": "When does the ferry to Naxos leave?"}


@pytest.mark.req("TURN-5")
def test_his_children_are_asked_for_by_name(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("He is a politician.", "Five.")
    thread = thread_of(say(memory, "Who is Donald Trump?"))
    found = say(memory, "who are his children", thread)
    assert named(found, "rewrite") == [
        {"original": "who are his children", "rewritten": "Who are Donald Trump's children?"}
    ]
    said = host.chats[-1]["messages"]
    assert said[-1] == {"role": "user", "content": "who are his children"}
    assert "Who are Donald Trump's children?" in said[-2]["content"]
    assert kept(memory, thread)[-2]["content"] == "who are his children"


@pytest.mark.req("TURN-5")
def test_it_asks_whom_is_meant_where_the_caller_allows_it(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("A politician.", "Another one.", "Several.")
    thread = thread_of(say(memory, "Who is Donald Trump?"))
    say(memory, "Who is Joe Biden?", thread)
    asked = len(host.chats)
    found = say(memory, "Who are his children?", thread, allow_clarification=True)
    (unclear,) = named(found, "clarification")
    assert set(unclear["options"]) == {"Donald Trump", "Joe Biden"}
    assert words(found) == unclear["question"]
    assert len(host.chats) == asked


@pytest.mark.req("TURN-2")
def test_without_memory_and_rewriter_the_message_goes_as_it_is(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.say("The ferry to Naxos leaves at 7:30.", "trip")
    found = say(memory, "When does the ferry to Naxos leave?", use_memory=False, use_query_rewriter=False)
    assert named(found, "memory")[0]["memories"] == []
    assert host.chats[-1]["messages"] == [{"role": "user", "content": "When does the ferry to Naxos leave?"}]


@pytest.mark.req("TURN-2")
@pytest.mark.req("ID-7")
def test_a_thread_of_somebody_else_and_one_that_never_was_both_start_a_new_one(serve: Serve) -> None:
    running = serve(auth="jwt", jwt_secret=SECRET)
    ada, bob = two_users()
    with Memory(running.url, headers=ada.headers) as hers, Memory(running.url, headers=bob.headers) as his:
        thread = thread_of(say(hers, "This is my own thread"))
        for known in (thread, str(uuid.uuid4()), "no such thread", "x" * 500):
            found = say(his, "Let me in, please", known)
            assert named(found, "thread")[0]["created"] is True
            assert thread_of(found) not in {thread, known}
        assert kept(hers, thread)[0]["content"] == "This is my own thread"
        assert len(kept(hers, thread)) == 2


@pytest.mark.req("TURN-8")
def test_a_tool_is_seen_to_run_and_to_end_and_is_there_after_a_reload(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.say("The ferry to Naxos leaves at 7:30.", "trip")
    host.script(Reply(tool_calls=[ToolCall("getUserMemories", {"query": "ferry"})]), "At 7:30.")
    found = say(memory, "Hello, old friend of mine")
    (call,), (result,) = named(found, "tool_call"), named(found, "tool_result")
    assert call["name"] == "getUserMemories"
    assert result["id"] == call["id"]
    assert "7:30" in result["result"]
    answer = kept(memory, thread_of(found))[-1]
    assert [one["id"] for one in answer["tool_calls"]] == [call["id"]]
    assert answer["partial_tool_calls"] == []


@pytest.mark.req("TURN-8")
def test_while_a_tool_runs_a_reload_shows_it(
    serve: Serve, host: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio  # noqa: PLC0415
    import threading  # noqa: PLC0415

    from souvenir.chat.memory_tool import MemoryTool  # noqa: PLC0415

    go_on = threading.Event()

    async def slow(self: MemoryTool, arguments: str) -> str:
        await asyncio.to_thread(go_on.wait, 20)
        return "{}"

    monkeypatch.setattr(MemoryTool, "call", slow)
    host.script(Reply(tool_calls=[ToolCall("getUserMemories", {"query": "ferry"})]), "Done.")
    with Memory(serve().url) as memory:
        body = {"content": "Hello, old friend of mine"}
        with memory.client.stream("POST", "/threads/new/messages/stream", json=body) as answer:
            arriving = events(answer)
            thread = next(data for _, name, data in arriving if name == "thread")["thread_id"]
            next(data for _, name, data in arriving if name == "tool_call")
            with Memory(str(memory.client.base_url), memory.user) as reload:
                (running,) = kept(reload, thread)[-1]["partial_tool_calls"]
                assert running["name"] == "getUserMemories"
            go_on.set()
            assert [name for _, name, _ in arriving][-1] == "done"
        assert kept(memory, thread)[-1]["partial_tool_calls"] == []


@pytest.mark.req("TURN-2")
def test_a_dropped_connection_is_taken_up_again_from_any_event(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script(Reply("one two three four five six", fault=Stall("middle")))
    seen: list[Event] = []
    body = {"content": "Count for me, please"}
    with memory.client.stream("POST", "/threads/new/messages/stream", json=body) as answer:
        for event in events(answer):
            seen.append(event)
            if event[1] == "delta":
                break
    host.release()
    last = {"Last-Event-ID": seen[-1][0]}
    with memory.client.stream("GET", f"/threads/{thread_of(seen)}/messages/stream", headers=last) as answer:
        rest = list(events(answer))
    assert words(seen + rest) == "one two three four five six"
    assert rest[-1][1] == "done"
    again = {"content": "ignored", "use_memory": True}
    with memory.client.stream("POST", "/threads/new/messages/stream", json=again, headers=last) as answer:
        assert list(events(answer)) == rest
    assert len(kept(memory, thread_of(seen))) == 2


def test_nobody_else_can_follow_or_stop_an_answer(
    shared: RunningSouvenir, memory: Memory, host: ScriptedOpenAI
) -> None:
    host.script(Reply("one two three four", fault=Stall("middle")))
    body = {"content": "Count for me, please"}
    with (
        Memory(shared.url) as other,
        memory.client.stream("POST", "/threads/new/messages/stream", json=body) as answer,
    ):
        arriving = events(answer)
        event_id, _, data = next(arriving)
        next(one for one in arriving if one[1] == "delta")
        thread = data["thread_id"]
        refused = other.client.get(f"/threads/{thread}/messages/stream", headers={"Last-Event-ID": event_id})
        assert refused.status_code == 404
        assert other.client.get(f"/threads/{thread}/messages/stream").status_code == 404
        assert other.client.post(f"/threads/{thread}/stop").json() == {"stopped": 0}
        host.release()
        assert [name for _, name, _ in arriving][-1] == "done"


@pytest.mark.req("TURN-2")
def test_an_answer_can_be_stopped_and_what_was_said_stays(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script(Reply("one two three four five six", fault=Stall("middle")))
    body = {"content": "Count for me, please"}
    with memory.client.stream("POST", "/threads/new/messages/stream", json=body) as answer:
        arriving = events(answer)
        thread = next(arriving)[2]["thread_id"]
        next(one for one in arriving if one[1] == "delta")
        with Memory(str(memory.client.base_url), memory.user) as another:
            assert another.client.post(f"/threads/{thread}/stop").json() == {"stopped": 1}
        *_, last = arriving
    assert last[1] == "error"
    assert last[2]["code"] == "stopped"
    until(lambda: kept(memory, thread)[-1]["status"] == "error")
    assert kept(memory, thread)[-1]["content"].startswith("one")
    host.wait_for_disconnects(1)
    assert memory.client.post(f"/threads/{thread}/stop").json() == {"stopped": 0}


@pytest.mark.req("TURN-3")
def test_an_answer_goes_on_when_its_client_has_gone(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script(Reply("one two three four five six", fault=Stall("middle")))
    body = {"content": "Count for me, please"}
    with memory.client.stream("POST", "/threads/new/messages/stream", json=body) as answer:
        thread = next(events(answer))[2]["thread_id"]
        host.wait_for_stalls(1)
    time.sleep(0.1)
    host.release()
    until(lambda: kept(memory, thread)[-1]["status"] == "complete")
    assert kept(memory, thread)[-1]["content"] == "one two three four five six"


@pytest.mark.req("TURN-2")
def test_a_provider_that_says_no_is_an_error_event_and_the_question_is_kept(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    host.script(HttpError(402, "No credit left."))
    found = say(memory, "Count for me, please")
    assert found[-1][1] == "error"
    assert found[-1][2]["status"] == 402
    stored = kept(memory, thread_of(found))
    assert [one["status"] for one in stored] == ["complete", "error"]
    host.script("Now I can.")
    assert words(say(memory, "And now, once more?", thread_of(found))) == "Now I can."


@pytest.mark.req("TURN-2")
@pytest.mark.parametrize("after", ["7", "Wed, 21 Oct 2026 07:28:00 GMT", None])
def test_a_rate_limit_tells_when_to_come_back_as_the_host_said_it(
    serve: Serve, host: ScriptedOpenAI, after: str | None
) -> None:
    host.script(HttpError(429, "Slow down.", headers={"retry-after": after} if after else {}))
    with Memory(serve(llm_max_retries=0).url) as memory:
        error = say(memory, "Count for me, please")[-1]
    told = {"code": "ProviderError", "status": 429, "message": "default answered 429: Slow down."}
    assert error[1:] == ("error", told | ({"retry_after": after} if after else {}))


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize(
    ("pieces", "whole"),
    [(["So \ud83d", "\ude00!"], "So 😀!"), (["half \ud83d", " of one"], "half � of one"), (["a\0", "b"], "a�b")],
    ids=["two halves", "a half", "a zero byte"],
)
def test_what_no_database_takes_is_kept_as_near_as_can_be(
    memory: Memory, host: ScriptedOpenAI, pieces: list[str], whole: str
) -> None:
    arguments = json.dumps({"query": pieces[0]}, ensure_ascii=False)
    host.script(Reply(tool_calls=[ToolCall("getUserMemories", arguments)]), Reply("".join(pieces), pieces=pieces))
    found = say(memory, "Count for me, please")
    assert words(found) == "".join(pieces)
    assert found[-1][1] == "done"
    until(lambda: kept(memory, thread_of(found))[-1]["status"] == "complete")
    assert kept(memory, thread_of(found))[-1]["content"] == whole


@pytest.mark.req("TURN-2")
@pytest.mark.req("ID-9")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"content": ""}, 400),
        ({"content": "  \n"}, 400),
        ({"content": 7}, 400),
        ({"content": "Hi", "use_memory": "yes"}, 400),
        ({"content": "x" * 1_100_000}, 413),
    ],
    ids=["nothing", "empty", "blank", "a number", "a word for a switch", "too long"],
)
def test_bad_messages_are_refused_before_anything_starts(memory: Memory, body: dict[str, Any], status: int) -> None:
    assert memory.client.post("/threads/new/messages/stream", json=body).status_code == status


@pytest.mark.req("TURN-6")
def test_a_model_nobody_has_is_an_error_event_and_nothing_is_kept(memory: Memory) -> None:
    found = say(memory, "Count for me, please", model="no-such-model")
    assert found[-1][1] == "error"
    assert found[-1][2]["status"] == 400
    assert kept(memory, thread_of(found)) == []


@pytest.mark.req("TURN-9")
def test_a_follow_up_is_served_from_the_cache_until_memories_change(serve: Serve, host: ScriptedOpenAI) -> None:
    with Memory(serve().url) as memory:

        def cached(result: str) -> float:
            shown = httpx2.get(f"{memory.client.base_url}/metrics").text
            lines = [line for line in shown.splitlines() if line.startswith("souvenir_recall_cache_total")]
            return sum(float(line.rsplit(" ", 1)[1]) for line in lines if f'"{result}"' in line)

        memory.post("/memories", content="User takes the ferry to Naxos at 7:30.", category="context")
        question = "When do I take the ferry to Naxos?"
        thread = thread_of(say(memory, question))
        assert (cached("miss"), cached("hit")) == (1, 0)
        again = say(memory, question, thread)
        assert (cached("miss"), cached("hit")) == (1, 1)
        assert named(again, "memory")[0]["memories"][0]["content"] == "User takes the ferry to Naxos at 7:30."
        memory.post("/memories", content="User is afraid of spiders.", category="context")
        say(memory, question, thread)
        assert (cached("miss"), cached("hit")) == (2, 1)
