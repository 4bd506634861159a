"""Memories over HTTP: formed of what is said, read, corrected, undone, judged and forgotten."""

import json
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from souvenir.config import Settings
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory
from tests.acceptance.test_memory_archive import naming
from tests.conftest import MakeSettings


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


@pytest.mark.req("LIFE-3")
def test_history_tells_every_version_word_by_word_and_why(me: Memory) -> None:
    first = remember(me, "User has a dog")["memory"]["memory_id"]
    second = me.client.patch(f"/memories/{first}", json={"content": "User has a dog named Rex"}).json()["memory_id"]
    third = me.post(f"/memories/{second}/undo", to=first).json()["memory_id"]
    me.client.delete(f"/memories/{third}")
    assert me.client.patch(f"/memories/{third}", json={"content": "User has a cat"}).status_code == 404
    assert me.post(f"/memories/{third}/undo", to="7" + "Z" * 25).status_code == 404
    back = me.post(f"/memories/{third}/undo", to=second).json()
    assert (back["version"], contents(me)) == (4, ["User has a dog named Rex"])
    history = me.client.get(f"/memories/{first}/history").json()
    assert [(one["version"], one["content"], one["superseded_by"]) for one in history["versions"]] == [
        (1, "User has a dog", second),
        (2, "User has a dog named Rex", third),
        (3, "User has a dog", None),
        (4, "User has a dog named Rex", None),
    ]
    told = [(event["event"], event["reason"], event["by"] == me.user) for event in history["events"]]
    assert told == [
        ("add", told[0][1], True), ("edit", "", True), ("undo", "back to version 1", True), ("delete", "", True),
        ("undo", "back to version 2", True),
    ]  # fmt: skip
    words = [{part["kind"]: part["text"] for part in event["diff"]} for event in history["events"]]
    assert words[1] == {"same": "User has a dog", "added": " named Rex"}
    assert words[2] == {"same": "User has a dog", "removed": " named Rex"}


@pytest.mark.req("LIFE-3")
def test_what_is_purged_is_in_no_table_any_more(me: Memory, offline: RunningSouvenir) -> None:
    words = [f"{name}{uuid.uuid4().hex}" for name in ("zither", "harp", "lute")]
    first = remember(me, f"User plays the {words[0]}")["memory"]["memory_id"]
    second = me.client.patch(f"/memories/{first}", json={"content": f"User plays the {words[1]}"}).json()["memory_id"]
    me.post(f"/memories/{second}/undo", to=first)
    remember(me, f"User plays the {words[0]}.")
    other = remember(me, f"User owns a {words[2]}")["memory"]["memory_id"]
    url = {"SOUVENIR_DATABASE_URL": offline.souvenir.settings.database_url.get_secret_value()}  # type: ignore[union-attr]
    assert set(naming(url, words[0])) >= {"memories", "memory_audit", "passages"}
    assert me.client.delete(f"/memories/{second}", params={"purge": True}).status_code == 204
    assert naming(url, words[0]) == naming(url, words[1]) == naming(url, first) == naming(url, second) == []
    assert contents(me, include="superseded,deleted") == [f"User owns a {words[2]}"]
    assert me.client.get(f"/memories/{other}/history").status_code == 200
    assert me.client.delete(f"/memories/{second}", params={"purge": True}).status_code == 404


@pytest.mark.req("MEM-7")
def test_a_shared_memory_lives_a_life_of_its_own_in_each_space(me: Memory, you: Memory) -> None:
    project, org = f"p-{uuid.uuid4()}", {"x-org-id": f"o-{uuid.uuid4()}"}
    memory = remember(me, "The launch is in May")["memory"]
    path = f"/memories/{memory['memory_id']}"
    shared = me.post(f"{path}/share", project_id=project).json()
    assert (shared["content"], shared["version"], shared["path"]) == ("The launch is in May", 1, "user")
    assert shared["source"] == {"memory_id": memory["memory_id"], "shared_by": me.user}
    assert me.post(f"{path}/share", project_id=project).json() == shared
    in_org = me.client.post(f"{path}/share", json={"org": True}, headers=org).json()
    edited = you.client.patch(
        f"/memories/{shared['memory_id']}", json={"content": "The launch is in June"}, params={"project_id": project}
    )
    assert edited.json()["version"] == 2
    assert contents(me) == ["The launch is in May"]
    assert contents(you, project_id=project) == ["The launch is in June"]
    listed = you.client.get("/memories", params={"org": True}, headers=org).json()["memories"]
    assert listed == [in_org]
    assert me.post(f"{path}/share", project_id=project).json() == edited.json()
    me.client.patch(path, json={"content": "The launch is in July"})
    assert contents(you, project_id=project) == ["The launch is in June"]
    assert contents(you) == []
    (hit,) = you.client.post("/search", json={"query": "When is the launch?"}, headers=org).json()["hits"]
    assert hit["text"] == "The launch is in May"


@pytest.mark.req("MEM-7", "ID-8", "ID-9")
def test_only_what_is_ones_own_and_active_is_shared(me: Memory, you: Memory, offline: RunningSouvenir) -> None:
    first = remember(me, "User has a dog")["memory"]["memory_id"]
    second = me.client.patch(f"/memories/{first}", json={"content": "User has a dog named Rex"}).json()["memory_id"]
    gone = remember(me, "User plays the cello")["memory"]["memory_id"]
    me.client.delete(f"/memories/{gone}")
    project = f"p-{uuid.uuid4()}"
    for user, memory_id, status, says in [
        (me, first, 409, f"replaced by the memory {second}"),
        (me, gone, 409, "forgotten"),
        (me, "7" + "Z" * 25, 404, "no such memory"),
        (me, "nonsense", 404, "no such memory"),
        (you, second, 404, "no such memory"),
    ]:
        answer = user.post(f"/memories/{memory_id}/share", project_id=project)
        assert (answer.status_code, says in answer.json()["detail"]) == (status, True)
    for body, field in [
        ({}, "project_id"), ({"project_id": project, "org": True}, "project_id"), ({"org": True}, "org"),
        ({"project_id": " p"}, "project_id"), ({"project_id": 7}, "project_id"), ({"org": "yes"}, "org"),
    ]:  # fmt: skip
        answer = me.client.post(f"/memories/{second}/share", json=body)
        assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert me.client.get("/memories", params={"org": True}).json()["field"] == "org"
    assert contents(you, project_id=project) == []


@pytest.mark.req("MEM-7", "ID-6")
def test_nothing_is_shared_with_a_project_or_org_one_is_not_in(serve: Serve) -> None:
    running = serve(auth="jwt", jwt_secret=SECRET)
    alice = {"Authorization": f"Bearer {token('alice', projects=['apollo'], orgs=['acme'])}"}
    with Memory(running.url, headers=alice) as me:
        memory = remember(me, "User has a dog")["memory"]["memory_id"]
        statuses = [
            me.client.post(f"/memories/{memory}/share", json=body, headers=headers).status_code
            for body, headers in [
                ({"project_id": "apollo"}, {}), ({"org": True}, {"x-org-id": "acme"}), ({"project_id": "gemini"}, {}),
                ({"org": True}, {"x-org-id": "zeta"}),
            ]
        ]  # fmt: skip
        assert statuses == [200, 200, 403, 403]
        assert me.client.get("/memories", params={"project_id": "gemini"}).status_code == 403


@pytest.mark.req("LIFE-2")
def test_what_a_process_whose_clock_is_ahead_ended_is_found_by_nobody(
    make_settings: MakeSettings, host: ScriptedOpenAI
) -> None:
    settings = make_settings(embed_base_url=host.base_url, embed_model="scripted-embedder")
    now = datetime.now(UTC)
    with (
        RunningSouvenir(settings, ManualClock(now + timedelta(hours=1))) as ahead,
        RunningSouvenir(settings, ManualClock(now)) as right,
        Memory(ahead.url, "ann") as there,
        Memory(right.url, "ann") as here,
    ):
        ferry, roof, tea = [remember(here, text)["memory"]["memory_id"] for text in ("Ferry", "A roof", "Mint tea")]
        assert there.client.delete(f"/memories/{ferry}").status_code == 204
        edited = there.client.patch(f"/memories/{roof}", json={"content": "A new roof"})
        assert edited.status_code == 200
        assert here.everything(kinds=["memory"]) == {"A new roof", "Mint tea"} == set(contents(here))
        assert {one["target_id"] for one in here.post("/memories/extract", text="I like a ferry.").json()["facts"]} <= {
            None, tea, edited.json()["memory_id"],
        }  # fmt: skip
        before = (now + timedelta(minutes=30)).isoformat()
        assert here.everything(kinds=["memory"], as_of=before) == {"Ferry", "A roof", "Mint tea"}


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
        you.post(f"/memories/{one}/share", project_id="p"),
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
