"""Exact facts over HTTP and on the command line: stored, read, removed, by topic, chat, project and user."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.processes import run_to_end
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, two_users
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.remembering import Memory


@pytest.fixture
def me(shared: RunningSouvenir) -> Iterator[Memory]:
    with Memory(shared.url) as me:
        yield me


@pytest.fixture
def you(shared: RunningSouvenir) -> Iterator[Memory]:
    with Memory(shared.url) as you:
        yield you


def store(user: Memory, value: str, rank: int | None = None, **more: Any) -> dict[str, Any]:
    kind = "single" if rank is None else "ranked"
    answer = user.post(
        "/facts/store", **{"topic": "favorite colors", "kind": kind, "rank": rank, "value": value} | more
    )
    assert answer.status_code == 200, answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def facts(user: Memory, topic: str = "favorite_colors", path: str = "get", **query: Any) -> list[dict[str, Any]]:
    answer = user.client.get(f"/facts/{path}", params={"topic": topic, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["facts"]
    return found


def values(user: Memory, topic: str = "favorite_colors", **query: Any) -> list[tuple[int | None, str]]:
    return [(fact["rank"], fact["value"]) for fact in facts(user, topic, **query)]


def topics(user: Memory, **query: Any) -> list[dict[str, Any]]:
    answer = user.client.get("/facts/topics", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["topics"]
    return found


@pytest.mark.req("FACT-5")
def test_a_fact_comes_back_as_the_specification_says(me: Memory) -> None:
    stored = store(
        me, "Green", 2, chat_id="chat", source_message_id="m1", created_at="2026-01-31T12:00:00Z", topic="Fav Colours"
    )
    expected = {
        "topic_key": "favorite_colors",
        "kind": "ranked",
        "rank": 2,
        "value": "Green",
        "chat_id": "chat",
        "source_message_id": "m1",
        "created_at": "2026-01-31T12:00:00Z",
    }
    assert stored == {"stored": True, "fact": expected}
    assert facts(me, "favorite_colors", chat_id="chat") == [expected]
    assert facts(me, "my favourite color") == [expected]
    assert facts(me, path="get-by-rank", rank=2) == [expected]
    assert facts(me, path="get-by-rank", rank=1) == []


@pytest.mark.req("FACT-5")
def test_facts_come_by_rank_and_a_single_one_before_them(me: Memory) -> None:
    for rank, value in ((3, "Black"), (1, "Blue"), (2, "Green")):
        store(me, value, rank)
    store(me, "Teal")
    assert values(me) == [(None, "Teal"), (1, "Blue"), (2, "Green"), (3, "Black")]


@pytest.mark.req("FACT-3", "FACT-5")
def test_a_newer_message_wins_and_an_older_one_changes_nothing(me: Memory) -> None:
    store(me, "Blue", 1, created_at="2026-01-02T00:00:00Z")
    older = store(me, "Red", 1, created_at="2026-01-01T00:00:00Z")
    assert (older["stored"], older["fact"]["value"]) == (False, "Blue")
    assert values(me) == [(1, "Blue")]
    assert store(me, "Green", 1, created_at="2026-01-03T00:00:00Z")["stored"]
    assert values(me) == [(1, "Green")]


@pytest.mark.req("FACT-3", "FACT-5")
def test_removing_a_rank_closes_the_gap_and_removing_a_topic_removes_it(me: Memory) -> None:
    for rank, value in enumerate(("Blue", "Green", "Black"), start=1):
        store(me, value, rank)
    assert me.client.delete("/facts", params={"topic": "favorite colors", "rank": 2}).status_code == 204
    assert values(me) == [(1, "Blue"), (2, "Black")]
    assert me.client.delete("/facts", params={"topic": "favorite colors", "rank": 9}).status_code == 404
    assert me.client.delete("/facts", params={"topic": "favorite colors"}).status_code == 204
    assert values(me) == []
    gone = me.client.delete("/facts", params={"topic": "favorite colors"})
    assert (gone.status_code, gone.json()["detail"]) == (404, "there is no such fact")
    store(me, "Red", 1)
    assert values(me) == [(1, "Red")]


@pytest.mark.req("FACT-5")
def test_a_fact_said_to_be_from_the_future_can_be_removed(me: Memory) -> None:
    for rank, value in enumerate(("Blue", "Green"), start=1):
        store(me, value, rank, created_at="2126-01-01T00:00:00Z")
    assert me.client.delete("/facts", params={"topic": "favorite colors", "rank": 1}).status_code == 204
    assert values(me) == [(1, "Green")]


@pytest.mark.req("FACT-5")
def test_chats_and_projects_have_facts_of_their_own(me: Memory) -> None:
    store(me, "Blue", 1, chat_id="a", created_at="2026-01-01")
    store(me, "Red", 1, chat_id="b", created_at="2026-01-02")
    store(me, "Gold", 1, project_id="apollo")
    assert values(me, chat_id="a") == [(1, "Blue")]
    assert values(me, chat_id="c") == []
    assert values(me) == [(1, "Red")]
    assert values(me, project_id="apollo") == [(1, "Gold")]
    assert values(me, project_id="zeus") == []
    me.client.delete("/facts", params={"topic": "colors", "chat_id": "b"})
    assert values(me) == [(1, "Blue")]


@pytest.mark.req("FACT-5")
def test_topics_are_listed_with_what_they_have(me: Memory) -> None:
    store(me, "Blue", 1, chat_id="a", created_at="2026-01-01")
    store(me, "Teal", chat_id="a", created_at="2026-01-03")
    store(me, "Rome", 1, topic="top cities", created_at="2026-01-02")
    assert topics(me) == [
        {
            "topic_key": "favorite_colors",
            "chat_id": "a",
            "ranked": 1,
            "single": 1,
            "updated_at": "2026-01-03T00:00:00Z",
        },
        {
            "topic_key": "favorite_cities",
            "chat_id": None,
            "ranked": 1,
            "single": 0,
            "updated_at": "2026-01-02T00:00:00Z",
        },
    ]
    assert [topic["topic_key"] for topic in topics(me, chat_id="a")] == ["favorite_colors"]
    assert len(topics(me, limit=1)) == 1


@pytest.mark.req("ID-8", "FACT-5")
def test_two_users_with_the_same_facts_see_and_change_nothing_of_each_others(me: Memory, you: Memory) -> None:
    for user in (me, you):
        for rank, value in enumerate(("Blue", "Green"), start=1):
            store(user, value, rank, chat_id="chat")
    before = facts(you), topics(you)
    store(me, "Red", 1, chat_id="chat")
    me.client.delete("/facts", params={"topic": "favorite colors", "rank": 2, "chat_id": "chat"})
    me.client.delete("/facts", params={"topic": "favorite colors"})
    assert (facts(you), topics(you)) == before
    assert (facts(me), topics(me)) == ([], [])


@pytest.mark.req("ID-6", "FACT-5")
def test_a_project_of_others_is_403_and_no_credential_401(serve: Serve) -> None:
    url = serve(auth="jwt", jwt_secret=SECRET).url
    alice, bob = two_users(projects=["apollo"])
    good = {"topic": "colors", "rank": 1, "value": "Blue"}
    with httpx2.Client(base_url=url, headers=alice.headers, timeout=30) as client:
        assert client.post("/facts/store", json=good | {"project_id": "apollo"}).status_code == 200
        assert client.post("/facts/store", json=good | {"project_id": "zeus"}).status_code == 403
        for path in ("get", "topics"):
            query = {"topic": "colors", "project_id": "zeus"}
            assert client.get(f"/facts/{path}", params=query).status_code == 403
    with httpx2.Client(base_url=url, headers=bob.headers, timeout=30) as client:
        assert client.get("/facts/get", params={"topic": "colors"}).json() == {"facts": []}
    assert httpx2.get(f"{url}/facts/topics").status_code == 401


@pytest.mark.req("ID-9", "FACT-5")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"rank": 0}, "rank"),
        ({"rank": -1}, "rank"),
        ({"rank": None}, "rank"),
        ({"rank": 10**6}, "rank"),
        ({"rank": 1.5}, "rank"),
        ({"rank": "1"}, "rank"),
        ({"kind": "single"}, "rank"),
        ({"kind": "odd"}, "kind"),
        ({"topic": ""}, "topic"),
        ({"topic": "!?"}, "topic"),
        ({"topic": "x" * 201}, "topic"),
        ({"topic": None}, "topic"),
        ({"value": ""}, "value"),
        ({"value": "  "}, "value"),
        ({"value": "x" * 1001}, "value"),
        ({"value": 7}, "value"),
        ({"value": "a\x00b"}, "value"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"chat_id": "a b"}, "chat_id"),
        ({"project_id": " x"}, "project_id"),
        ({"source_message_id": ""}, "source_message_id"),
    ],
)
def test_a_wrong_fact_is_400_and_names_the_field(me: Memory, body: dict[str, Any], field: str) -> None:
    answer = me.post("/facts/store", **{"topic": "colors", "kind": "ranked", "rank": 1, "value": "Blue"} | body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["field"] == field
    assert topics(me) == []


@pytest.mark.req("ID-9", "FACT-5")
@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("get", {}, "topic"),
        ("get", {"topic": "?"}, "topic"),
        ("get", {"topic": "x" * 300}, "topic"),
        ("get", {"topic": "colors", "chat_id": "a b"}, "chat_id"),
        ("get-by-rank", {"topic": "colors"}, "rank"),
        ("get-by-rank", {"topic": "colors", "rank": 0}, "rank"),
        ("get-by-rank", {"topic": "colors", "rank": "x"}, "rank"),
        ("topics", {"limit": 0}, "limit"),
    ],
)
def test_a_wrong_query_is_400_and_names_the_field(me: Memory, path: str, query: dict[str, Any], field: str) -> None:
    store(me, "Blue", 1)
    answer = me.client.get(f"/facts/{path}", params=query)
    assert answer.status_code == 400, answer.text
    assert answer.json()["field"] == field


# in a chat


def say(user: Memory, text: str, chat: str | None = "seed") -> str:
    body = {"model": "souvenir", "messages": [{"role": "user", "content": text}]}
    named = {"x-openwebui-chat-id": chat} if chat is not None else {}
    answer = user.client.post("/v1/chat/completions", json=body, headers=named)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


@pytest.mark.req("FACT-1", "FACT-4")
def test_the_seeds_examples_in_a_chat_to_the_letter_with_no_model_called(me: Memory, host: ScriptedOpenAI) -> None:
    say(me, "My favorite colors are 1) Blue, 2) Green, 3) Black")
    (message_id,) = {fact["source_message_id"] for fact in facts(me, "favorite_colors", chat_id="seed")}
    assert [(fact["kind"], fact["rank"], fact["value"]) for fact in facts(me, "favorite_colors", chat_id="seed")] == [
        ("ranked", 1, "Blue"),
        ("ranked", 2, "Green"),
        ("ranked", 3, "Black"),
    ]
    stored = me.client.get("/chats/messages", params={"chat_id": "seed"}).json()["messages"]
    assert message_id in {message["message_id"] for message in stored if message["role"] == "user"}
    called = len(host.chats)
    assert say(me, "second favorite color") == "Your second favorite color is Green."
    assert say(me, "list my favorite colors") == "Your favorite colors are 1) Blue, 2) Green, 3) Black."
    assert say(me, "what are my favorite colors") == "Your favorite colors are 1) Blue, 2) Green, 3) Black."
    assert say(me, "what is my second favorite tv show?") == "I don't have that stored yet."
    missing = "I don't have that stored yet. I have 3 favorite colors of yours stored."
    assert say(me, "what's my fifth favorite color?") == missing
    assert say(me, "what's my second favorite?") == "Your second favorite color is Green."
    assert say(me, "what is my second favorite color?", chat="another") == "Your second favorite color is Green."
    assert len(host.chats) == called


@pytest.mark.req("FACT-4")
def test_somebody_elses_facts_answer_nothing_and_ordinary_words_go_to_the_model(
    me: Memory, you: Memory, host: ScriptedOpenAI
) -> None:
    say(me, "My favorite colors are 1) Blue, 2) Green, 3) Black")
    assert say(you, "what is my second favorite color?") == "I don't have that stored yet."
    called = len(host.chats)
    for text in ("wait a second", "list the files", "my second thought"):
        say(me, text)
    assert len(host.chats) == called + 3


@pytest.mark.req("FACT-3", "FACT-4")
def test_a_client_that_names_no_chat_is_heard_and_answered_too(me: Memory, you: Memory, host: ScriptedOpenAI) -> None:
    say(me, "My favorite colors are 1) Blue, 2) Green, 3) Black", chat=None)
    say(me, "swap my first and second favorite color", chat=None)
    assert [(fact["rank"], fact["value"], fact["chat_id"]) for fact in facts(me)] == [
        (1, "Green", None),
        (2, "Blue", None),
        (3, "Black", None),
    ]
    called = len(host.chats)
    assert say(me, "second favorite color", chat=None) == "Your second favorite color is Blue."
    assert say(me, "second favorite color", chat="any") == "Your second favorite color is Blue."
    assert say(you, "second favorite color", chat=None) == "I don't have that stored yet."
    assert len(host.chats) == called


@pytest.mark.req("FACT-2", "FACT-4")
def test_a_code_that_was_said_is_told_to_the_letter_and_one_that_was_not_goes_to_the_model(
    me: Memory, host: ScriptedOpenAI
) -> None:
    say(me, "The door code is 4417.")
    called = len(host.chats)
    assert say(me, "What's the door code again?") == "Your door code is 4417."
    assert len(host.chats) == called
    say(me, "What's the alarm code?")
    assert len(host.chats) == called + 1


@pytest.mark.req("FACT-2")
def test_what_is_remembered_and_forgotten_is_so_as_a_memory_and_as_a_fact(me: Memory) -> None:
    def memories() -> list[str]:
        return [memory["content"] for memory in me.client.get("/memories").json()["memories"]]

    say(me, "Remember that my locker code is 9921.")
    assert values(me, "locker code") == [(None, "9921")]
    assert any("9921" in content for content in memories())
    say(me, "Forget my locker code.")
    assert values(me, "locker code") == []
    assert not any("9921" in content for content in memories())


# the command line


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI) -> dict[str, str]:
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {**names, "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_DATA_DIR": str(folder)}


@pytest.mark.req("FACT-5", "OPS-1")
def test_the_command_sets_lists_gets_and_removes(environ: dict[str, str], tmp_path: Path) -> None:
    def command(*words: str) -> Any:
        ended = run_to_end(["facts", *words, "--json"], environ, tmp_path)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    for rank, value in enumerate(("Blue", "Green", "Black"), start=1):
        command("set", "favorite colors", value, "--rank", str(rank), "--user", "ann")
    command("set", "favorite editor", "Vim", "--user", "ann")
    assert [fact["value"] for fact in command("get", "colours", "--user", "ann")] == ["Blue", "Green", "Black"]
    assert [fact["value"] for fact in command("get", "colours", "--rank", "2", "--user", "ann")] == ["Green"]
    assert command("remove", "colors", "--rank", "2", "--user", "ann") == {"removed": 1}
    listed = {(fact["topic_key"], fact["rank"], fact["value"]) for fact in command("list", "--user", "ann")}
    assert listed == {
        ("favorite_colors", 1, "Blue"),
        ("favorite_colors", 2, "Black"),
        ("favorite_editors", None, "Vim"),
    }
    assert {topic["topic_key"] for topic in command("topics", "--user", "ann")} == {
        "favorite_colors",
        "favorite_editors",
    }
    assert command("list", "--user", "bob") == []


@pytest.mark.req("FACT-5", "OPS-1")
def test_the_command_speaks_to_people_and_says_what_is_wrong(environ: dict[str, str], tmp_path: Path) -> None:
    assert "No facts yet" in run_to_end(["facts", "topics"], environ, tmp_path).stdout
    assert run_to_end(["facts", "set", "favorite city", "Rome"], environ, tmp_path).returncode == 0
    assert "Rome" in run_to_end(["facts", "list"], environ, tmp_path).stdout
    assert "favorite_cities" in run_to_end(["facts", "topics"], environ, tmp_path).stdout
    missing = run_to_end(["facts", "remove", "favorite foods"], environ, tmp_path)
    assert (missing.returncode, missing.stderr.strip()) == (1, "souvenir: there is no such fact")
    wrong = run_to_end(["facts", "set", "cities", "Rome", "--rank", "0"], environ, tmp_path)
    assert (wrong.returncode, wrong.stderr.strip()) == (1, "souvenir: rank: must be a number from 1 to 10000")
