"""Memories over HTTP: formed of what is said, read, corrected, undone, judged and forgotten."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from souvenir.config import Settings
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory


@pytest.fixture(scope="module")
def offline(postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSouvenir]:
    """A Souvenir as a new user has it: no model, the built-in embedder."""
    with postgres.database() as url:
        settings = Settings(database_url=url, data_dir=tmp_path_factory.mktemp("data"))
        with RunningSouvenir(settings, works=True) as running:
            yield running


@pytest.fixture
def me(offline: RunningSouvenir) -> Iterator[Memory]:
    with Memory(offline.url) as me:
        yield me


@pytest.fixture
def you(offline: RunningSouvenir) -> Iterator[Memory]:
    with Memory(offline.url) as you:
        yield you


def memories(user: Memory, **query: Any) -> list[dict[str, Any]]:
    answer = user.client.get("/memories", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["memories"]
    return found


def contents(user: Memory, **query: Any) -> list[str]:
    return [memory["content"] for memory in memories(user, **query)]


def remember(user: Memory, content: str, **more: Any) -> dict[str, Any]:
    answer = user.post("/memories", content=content, **more)
    assert answer.status_code == 200, answer.text
    decided: dict[str, Any] = answer.json()
    return decided


def wait_for(user: Memory, expected: list[str]) -> None:
    deadline = time.monotonic() + 30
    while sorted(contents(user)) != sorted(expected) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sorted(contents(user)) == sorted(expected)


@pytest.mark.req("MEM-1", "MEM-6")
def test_what_is_said_is_remembered_in_the_background_when_asked_to_learn(me: Memory) -> None:
    message_id = me.say("I prefer TypeScript.", learn=True)
    me.say("I prefer Haskell.")
    wait_for(me, ["User prefers TypeScript"])
    [memory] = memories(me)
    assert memory["category"] == "preference"
    assert memory["path"] == "local"
    assert memory["importance"] >= 7
    assert memory["confidence"] >= 0.7
    assert memory["source"] == {"chat_id": "chat", "message_id": message_id}


@pytest.mark.req("MEM-5")
def test_a_contradiction_replaces_what_was_known(me: Memory) -> None:
    me.say("I live in New York.", created_at="2026-01-01T10:00:00Z", learn=True)
    wait_for(me, ["User lives in New York"])
    me.say("I moved to LA last week.", created_at="2026-02-01T10:00:00Z", learn=True)
    deadline = time.monotonic() + 30
    while "User lives in New York" in contents(me) and time.monotonic() < deadline:
        time.sleep(0.1)
    [now] = memories(me)
    assert "LA" in now["content"]
    assert now["version"] == 2
    history = me.client.get(f"/memories/{now['memory_id']}/history").json()
    assert history["versions"][0]["content"] == "User lives in New York"
    assert history["events"][-1]["event"] == "replace"
    assert {part["kind"] for part in history["events"][-1]["diff"]} >= {"added", "removed"}


def test_memories_are_found_by_search_beside_messages(me: Memory) -> None:
    remember(me, "User is allergic to peanuts", category="identity")
    [hit] = me.hits("Am I allergic to anything?", kinds=["memory"])
    assert hit["text"] == "User is allergic to peanuts"
    assert me.hits("Am I allergic to anything?", kinds=["message"]) == []


@pytest.mark.req("MEM-13")
def test_a_dry_run_tells_what_would_be_remembered_and_stores_nothing(me: Memory) -> None:
    answer = me.post("/memories/extract", text="My wife is Jane. I'm thinking about trying Rust. How are you?")
    found = answer.json()
    assert found["path"] == "local"
    by_content = {fact["content"]: fact for fact in found["facts"]}
    assert by_content["User's wife is named Jane"]["action"] == "add"
    [hedged] = [fact for content, fact in by_content.items() if "Rust" in content]
    assert hedged["action"] == "reject"
    assert "confidence" in hedged["reason"] or "importance" in hedged["reason"]
    assert contents(me) == []


@pytest.mark.parametrize(
    "text", ["Hello there!", "Write a poem about the sea.", "What time is it?", "I am testing this."]
)
def test_small_talk_requests_questions_and_tests_give_nothing(me: Memory, text: str) -> None:
    facts = me.post("/memories/extract", text=text).json()["facts"]
    assert [fact for fact in facts if fact["action"] != "reject"] == []


@pytest.mark.req("LIFE-3")
def test_an_edit_is_a_new_version_that_can_be_undone(me: Memory) -> None:
    first = remember(me, "User has a dog")["memory"]
    second = me.client.patch(f"/memories/{first['memory_id']}", json={"content": "User has a dog named Rex"}).json()
    assert (second["version"], second["confidence"], second["verified"]) == (2, 1.0, True)
    assert contents(me) == ["User has a dog named Rex"]
    assert sorted(contents(me, include="superseded")) == ["User has a dog", "User has a dog named Rex"]
    back = me.post(f"/memories/{second['memory_id']}/undo", to=first["memory_id"]).json()
    assert (back["content"], back["version"]) == ("User has a dog", 3)


@pytest.mark.req("LIFE-2", "LIFE-3")
def test_what_is_forgotten_is_no_longer_found_and_stays_in_its_history_until_it_is_purged(me: Memory) -> None:
    memory = remember(me, "User plays the cello")["memory"]
    assert me.client.delete(f"/memories/{memory['memory_id']}").status_code == 204
    assert contents(me) == []
    assert me.hits("Which instrument do I play, the cello?", kinds=["memory"]) == []
    assert contents(me, include="deleted") == ["User plays the cello"]
    assert me.client.get(f"/memories/{memory['memory_id']}/history").status_code == 200
    assert me.client.delete(f"/memories/{memory['memory_id']}", params={"purge": True}).status_code == 204
    assert me.client.get(f"/memories/{memory['memory_id']}/history").status_code == 404


@pytest.mark.req("MEM-5")
def test_the_same_again_is_known_already(me: Memory) -> None:
    assert remember(me, "User likes tea")["action"] == "add"
    again = remember(me, "user likes tea.")
    assert again["action"] == "ignore"
    assert contents(me) == ["User likes tea"]


@pytest.mark.req("LIFE-4")
def test_a_thumb_is_counted(me: Memory) -> None:
    memory = remember(me, "User likes tea")["memory"]
    judged = me.post(f"/memories/{memory['memory_id']}/feedback", useful=True).json()
    assert (judged["ups"], judged["downs"]) == (1, 0)


THINGS = ["a red bike", "a cello", "two cats", "a house in Bonn", "a sailing boat"]


@pytest.mark.req("MEM-14")
def test_pages_follow_one_another_and_end(me: Memory) -> None:
    for thing in THINGS:
        remember(me, f"User owns {thing}")
    seen, cursor = [], None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = me.client.get("/memories", params=params).json()
        assert page["memories"]
        seen += [memory["content"] for memory in page["memories"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [f"User owns {thing}" for thing in reversed(THINGS)]


@pytest.mark.req("ID-8")
def test_nobody_sees_or_changes_what_another_user_remembers(me: Memory, you: Memory) -> None:
    memory = remember(me, "User has a secret")["memory"]
    one = memory["memory_id"]
    assert memories(you) == []
    refused: list[httpx2.Response] = [
        you.client.get(f"/memories/{one}"),
        you.client.patch(f"/memories/{one}", json={"content": "x"}),
        you.client.delete(f"/memories/{one}"),
        you.client.delete(f"/memories/{one}", params={"purge": True}),
        you.client.get(f"/memories/{one}/history"),
        you.post(f"/memories/{one}/feedback", useful=False),
        you.post(f"/memories/{one}/undo", to=one),
    ]
    assert {answer.status_code for answer in refused} == {404}
    cursor = me.client.get("/memories", params={"limit": 1}).json()["next_cursor"]
    assert cursor is None
    assert contents(me) == ["User has a secret"]


@pytest.mark.req("ID-9")
@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/memories", {"content": " "}, "content"),
        ("POST", "/memories", {"content": "x", "category": "hobby"}, "category"),
        ("POST", "/memories", {"content": "x", "importance": 11}, "importance"),
        ("POST", "/memories", {"content": "x", "confidence": "high"}, "confidence"),
        ("POST", "/memories", {"content": "x", "expires_at": "2020-01-01"}, "expires_at"),
        ("POST", "/memories/extract", {}, "text"),
        ("POST", "/memories/extract", {"text": "a", "messages": [{"role": "user", "content": "b"}]}, "text"),
        ("POST", "/memories/extract", {"messages": [{"role": "assistant", "content": "b"}]}, "messages"),
        ("GET", "/memories?limit=0", None, "limit"),
        ("GET", "/memories?include=everything", None, "include"),
        ("GET", "/memories?cursor=forged", None, "cursor"),
        ("GET", "/memories?category=hobby", None, "category"),
    ],
    ids=str,
)
def test_bad_input_names_its_field(me: Memory, method: str, path: str, body: Any, field: str) -> None:
    answer = me.client.request(method, path, json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["field"].startswith(field)


def fact(content: Any, **more: Any) -> dict[str, Any]:
    return {
        "content": content, "category": "preference", "importance": 8, "confidence": 0.9,
        "reasoning": "said so", "lifetime": "preference", "until": None, **more,
    }  # fmt: skip


@pytest.mark.req("MEM-11")
@pytest.mark.parametrize(
    "answer",
    [
        "I found nothing, sorry!",
        '{"facts": [{"content": "User',
        json.dumps({"facts": [fact("x", importance="very")]}),
        json.dumps({"facts": [fact(f"User likes thing {number}") for number in range(500)]}),
        json.dumps({"memories": ["User likes tea"]}),
    ],
    ids=["prose", "half JSON", "a word for a number", "500 facts", "another shape"],
)
def test_a_model_that_gives_nonsense_is_replaced_by_rules(serve: Serve, host: ScriptedOpenAI, answer: str) -> None:
    host.script(answer, answer)
    with Memory(serve().url) as me:
        found = me.post("/memories/extract", text="My wife is Jane.").json()
    assert found["path"] == "local"
    assert [fact["content"] for fact in found["facts"] if fact["action"] == "add"] == ["User's wife is named Jane"]


def test_figures_out_of_range_are_never_kept(serve: Serve, host: ScriptedOpenAI) -> None:
    host.script(json.dumps({"facts": [fact("User likes tea", importance=11), fact("x" * 10_000)]}))
    with Memory(serve().url) as me:
        found = me.post("/memories/extract", text="I like tea").json()
    assert found["path"] == "model"
    assert {fact["action"] for fact in found["facts"]} == {"reject"}
