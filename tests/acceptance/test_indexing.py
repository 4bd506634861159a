"""Indexing over HTTP: what it takes and refuses, all or nothing, found at once, and gone at once when deleted."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory, message

ONE = "/index-chat-message"
MANY = "/index-chat-messages"
GOOD: dict[str, Any] = {"chat_id": "c", "role": "user", "content": "hello"}


@pytest.fixture
def memory(shared: RunningSouvenir) -> Iterator[Memory]:
    with Memory(shared.url) as memory:
        yield memory


def chats(memory: Memory, **body: Any) -> list[str]:
    return [chat["id"] for chat in memory.post("/chats/list", **body).json()["conversations"]]


def contents(memory: Memory, chat_id: str, **params: Any) -> list[str]:
    """What a chat holds, oldest first."""
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = memory.client.get("/chats/messages", params={"chat_id": chat_id, "limit": 50, **cursor, **params}).json()
        seen += [entry["content"] for entry in page["messages"]]
        if page["next_cursor"] is None:
            return seen[::-1]
        cursor = {"cursor": page["next_cursor"]}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"chat_id": None}, "chat_id"),
    ({"chat_id": ""}, "chat_id"),
    ({"chat_id": "a b"}, "chat_id"),
    ({"chat_id": "a/b"}, "chat_id"),
    ({"chat_id": "é"}, "chat_id"),
    ({"chat_id": "x" * 129}, "chat_id"),
    ({"chat_id": "list"}, "chat_id"),
    ({"chat_id": 7}, "chat_id"),
    ({"role": "robot"}, "role"),
    ({"role": "User"}, "role"),
    ({"role": None}, "role"),
    ({"content": ""}, "content"),
    ({"content": " \n\u3000"}, "content"),
    ({"content": None}, "content"),
    ({"content": 7}, "content"),
    ({"content": "a\x00b"}, "content"),
    ({"speaker": ""}, "speaker"),
    ({"speaker": " Anna"}, "speaker"),
    ({"speaker": "An\nna"}, "speaker"),
    ({"speaker": "x" * 256}, "speaker"),
    ({"speaker": 7}, "speaker"),
    ({"external_id": ""}, "external_id"),
    ({"external_id": "x" * 256}, "external_id"),
    ({"external_id": "a\tb"}, "external_id"),
    ({"external_id": 7}, "external_id"),
    ({"created_at": "2026-02-29"}, "created_at"),
    ({"created_at": "soon"}, "created_at"),
    ({"created_at": 1700000000}, "created_at"),
    ({"project_id": ""}, "project_id"),
    ({"project_id": "p "}, "project_id"),
    ({"learn": "false"}, "learn"),
    ({"learn": 0}, "learn"),
]


@pytest.mark.req("ID-9", "SRCH-8")
@pytest.mark.parametrize(("change", "field"), BAD)
def test_a_wrong_message_is_400_named_and_takes_its_whole_batch_with_it(
    memory: Memory, change: dict[str, Any], field: str
) -> None:
    bad = GOOD | change
    alone = memory.post(ONE, **bad)
    batch = memory.post(MANY, messages=[GOOD, GOOD, GOOD, bad, GOOD])
    assert (alone.status_code, batch.status_code) == (400, 400)
    assert alone.json()["field"] == field
    assert batch.json()["field"] == f"messages[3].{field}"
    assert chats(memory) == []
    assert memory.everything() == set()


@pytest.mark.req("ID-9", "SRCH-8")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": None}, "messages"),
        ({"messages": GOOD}, "messages"),
        ({"messages": [None]}, "messages[0]"),
        ({"messages": [GOOD, "x"]}, "messages[1]"),
        ({"messages": [GOOD], "project_id": " p"}, "project_id"),
    ],
)
def test_a_wrong_batch_is_400_and_names_the_field(memory: Memory, body: dict[str, Any], field: str) -> None:
    answer = memory.post(MANY, **body)
    assert answer.status_code == 400
    assert answer.json()["field"] == field


@pytest.mark.parametrize("missing", ["chat_id", "role", "content"])
def test_a_missing_field_is_named(memory: Memory, missing: str) -> None:
    body = {name: value for name, value in GOOD.items() if name != missing}
    assert memory.post(ONE, **body).json()["field"] == missing


@pytest.mark.req("ID-9", "SRCH-8")
def test_what_is_too_large_is_413_and_nothing_of_it_is_stored(memory: Memory) -> None:
    long = GOOD | {"content": "x" * 1_000_001}
    assert memory.post(ONE, **long).status_code == 413
    answer = memory.post(MANY, messages=[GOOD, long])
    assert answer.status_code == 413
    assert "messages[1].content" in answer.json()["detail"]
    assert memory.post(MANY, messages=[GOOD] * 1001).status_code == 413
    assert chats(memory) == []


@pytest.mark.req("SRCH-8")
def test_a_message_of_the_greatest_length_is_stored_and_found_in_pieces_that_know_their_place(memory: Memory) -> None:
    sentence = "The quick brown fox jumps over the lazy dog. "
    content = (sentence * 5000)[:150_000] + " The password of the vault is xylophone-77. " + sentence * 1000
    content = content[:200_000]
    message_id = memory.say(content)
    (hit,) = memory.hits("xylophone-77", threshold=0)
    start, end = hit["source"]["start"], hit["source"]["end"]
    assert hit["message_id"] == message_id
    assert "xylophone-77" in hit["text"] == content[start:end]
    assert contents(memory, "chat") == [content]


@pytest.mark.req("SRCH-8")
def test_a_thousand_messages_of_ordinary_size_are_stored_in_order(memory: Memory) -> None:
    told = [f"Entry {number}: {'word ' * 40}{number}" for number in range(1000)]
    ids = memory.say_all([message(text, external_id=str(number)) for number, text in enumerate(told)])
    assert ids == sorted(ids)
    assert len(set(ids)) == 1000
    assert contents(memory, "chat") == told
    assert memory.hits("Entry 637", threshold=0)[0]["external_id"] == "637"


@pytest.mark.req("SRCH-8", "CHAT-2")
def test_an_indexed_message_is_in_its_chat_with_what_it_said_of_itself(memory: Memory) -> None:
    for role in ("user", "assistant", "system", "tool"):
        memory.say(f"by {role}", chat_id="a.b_c~d-e", role=role, created_at="2026-05-01T12:00:00+02:00", speaker="Ann")
    assert contents(memory, "a.b_c~d-e") == ["by user", "by assistant", "by system", "by tool"]
    (chat,) = memory.post("/chats/list").json()["conversations"]
    assert (chat["title"], chat["last_message"]) == ("by user", "by tool")
    newest = memory.client.get("/chats/messages", params={"chat_id": "a.b_c~d-e"}).json()["messages"][0]
    assert (newest["role"], newest["created_at"]) == ("tool", "2026-05-01T10:00:00Z")


@pytest.mark.req("SRCH-8")
@pytest.mark.parametrize("when", ["0001-01-01", "0033-04-03T15:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"])
def test_a_message_may_be_of_any_year(memory: Memory, when: str) -> None:
    memory.say("said then", created_at=when)
    (hit,) = memory.hits("said then", threshold=0)
    assert hit["created_at"].startswith(when[:10])


@pytest.mark.req("SRCH-8")
def test_the_same_external_id_in_a_chat_changes_nothing_and_in_another_is_another(memory: Memory) -> None:
    first = memory.say("as it was said", external_id="e1")
    assert memory.say("something else", external_id="e1", role="assistant") == first
    assert memory.say_all([message("again", external_id="e1"), message("new", external_id="e2")])[0] == first
    other = memory.say("as it was said", chat_id="other", external_id="e1")
    assert other != first
    assert contents(memory, "chat") == ["as it was said", "new"]
    assert sorted(hit["text"] for hit in memory.hits("said", threshold=0)) == [
        "as it was said",
        "as it was said",
        "new",
    ]


@pytest.mark.req("SRCH-8")
def test_an_external_id_twice_in_one_batch_is_one_message(memory: Memory) -> None:
    one, two, three = memory.say_all(
        [message("first", external_id="e"), message("between"), message("second", external_id="e")]
    )
    assert one == three != two
    assert contents(memory, "chat") == ["first", "between"]


@pytest.mark.req("SRCH-8")
def test_many_who_send_the_same_message_at_once_store_it_once(memory: Memory) -> None:
    def send(number: int) -> str:
        return memory.say_all([message(f"by {number}", external_id="e"), message(f"only {number}", f"own-{number}")])[0]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(send, range(16)))) == 1
    assert len(contents(memory, "chat")) == 1
    assert len(memory.everything()) == 17


@pytest.mark.req("SRCH-5")
def test_a_message_is_found_the_moment_its_write_is_acknowledged(memory: Memory) -> None:
    for number in range(25):
        message_id = memory.say(f"The code of room {number} is quokka{number}.", chat_id=f"room-{number % 3}")
        assert message_id in {hit["message_id"] for hit in memory.hits(f"quokka{number}", threshold=0, limit=100)}


@pytest.mark.req("SRCH-5")
def test_two_servers_on_one_database_see_each_others_writes_and_deletions_at_once(serve: Serve) -> None:
    with Memory(serve().url, "ann") as here, Memory(serve().url, "ann") as there:
        for number in range(15):
            writer, reader = (here, there) if number % 2 else (there, here)
            writer.say(f"numbat{number} was here", chat_id=f"c{number}")
            assert f"numbat{number} was here" in reader.everything()
        for number in range(15):
            remover, reader = (here, there) if number % 2 else (there, here)
            assert remover.client.delete(f"/chats/c{number}").status_code == 204
            left = {f"numbat{rest} was here" for rest in range(number + 1, 15)}
            assert reader.everything() == remover.everything() == left


# projects


@pytest.fixture
def members(serve: Serve) -> Iterator[dict[str, Memory]]:
    running = serve(auth="jwt", jwt_secret=SECRET)
    belong = {"ann": ["apollo", "gemini"], "bob": ["apollo"], "eve": []}
    made = {
        name: Memory(running.url, name, {"Authorization": f"Bearer {token(name, projects=projects)}"})
        for name, projects in belong.items()
    }
    yield made
    for memory in made.values():
        memory.client.close()


@pytest.mark.req("SRCH-8", "ID-6", "ID-8")
def test_a_project_is_shared_by_its_members_and_isolated_from_everything_else(members: dict[str, Memory]) -> None:
    ann, bob, eve = members["ann"], members["bob"], members["eve"]
    for project in ("apollo", "gemini", None):
        ann.say(f"the plan of {project}", "plan", external_id="e", project_id=project)
    eve.say("the plan of eve", "plan", external_id="e")
    assert ann.everything(project_id="apollo") == bob.everything(project_id="apollo") == {"the plan of apollo"}
    assert ann.everything(project_id="gemini") == {"the plan of gemini"}
    assert ann.everything() == {"the plan of None"}
    assert ann.everything(project_id="gemini", spaces=["user", "project"]) == {"the plan of None", "the plan of gemini"}
    assert bob.everything() == set()
    assert eve.everything() == {"the plan of eve"}
    for who, project in [(bob, "gemini"), (eve, "apollo")]:
        assert who.post("/search", query="plan", project_id=project).status_code == 403
        assert who.post(ONE, **GOOD, project_id=project).status_code == 403


@pytest.mark.req("SRCH-8", "ID-6")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_message_of_a_project_of_others_refuses_the_whole_batch(members: dict[str, Memory], place: int) -> None:
    batch = [message("mine"), message("ours", project_id="apollo"), message("mine too", "other")]
    batch.insert(place, message("theirs", project_id="gemini"))
    assert members["bob"].post(MANY, messages=batch).status_code == 403
    assert members["bob"].everything() == members["bob"].everything(project_id="apollo") == set()
    assert members["ann"].everything(project_id="gemini") == set()
    assert chats(members["bob"]) == []


@pytest.mark.req("SRCH-8")
def test_a_batch_may_go_to_several_projects_and_says_where_each_message_is(members: dict[str, Memory]) -> None:
    ann = members["ann"]
    batch = [
        message(f"{project} {number}", project_id=project) for number in range(3) for project in ("gemini", "apollo")
    ]
    ids = ann.say_all([*batch, message("of the default")], project_id="apollo")
    for project in ("gemini", "apollo"):
        found = {hit["message_id"]: hit["text"] for hit in ann.hits("x", threshold=0, project_id=project)}
        expected = {
            one: sent["content"] for one, sent in zip(ids, batch, strict=False) if sent["project_id"] == project
        }
        assert found.items() >= expected.items()
    assert contents(ann, "chat", project_id="apollo") == ["apollo 0", "apollo 1", "apollo 2", "of the default"]
    assert ann.everything() == set()


@pytest.mark.req("SRCH-8")
def test_a_batch_to_several_projects_that_fails_half_way_leaves_nothing(
    members: dict[str, Memory], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = serve()
    store = type(running.souvenir.passages)
    add, calls = store.add, iter((False, True))

    async def fails_second(self: Any, space: Any, passages: Any) -> Any:
        if next(calls, False):
            raise httpx2.HTTPError("a bug")
        return await add(self, space, passages)

    monkeypatch.setattr(store, "add", fails_second)
    batch = [message("a", project_id="p"), message("b", project_id="q")]
    with Memory(running.url) as memory:
        assert memory.post(MANY, messages=batch).status_code == 500
        for project in ("p", "q"):
            assert memory.everything(project_id=project) == set()
            assert chats(memory, project_id=project) == []


# deleting


@pytest.mark.req("CHAT-5")
def test_a_deleted_chat_takes_its_hits_and_external_ids_with_it(memory: Memory) -> None:
    memory.say("the ferry leaves at seven", "trip", external_id="e")
    memory.say("the ferry is blue", "other")
    assert memory.client.delete("/chats/trip").status_code == 204
    assert memory.everything() == {"the ferry is blue"}
    assert memory.everything(chat_id="trip") == set()
    assert memory.client.delete("/chats/trip").status_code == 403
    memory.say("a new ferry", "trip", external_id="e")
    assert contents(memory, "trip") == ["a new ferry"]
    assert memory.everything(chat_id="trip") == {"a new ferry"}


@pytest.mark.req("CHAT-5", "ID-7", "ID-8")
def test_a_chat_of_the_same_name_of_somebody_else_stays(members: dict[str, Memory]) -> None:
    ann, bob, eve = members["ann"], members["bob"], members["eve"]
    for who in (ann, bob):
        who.say(f"by {who.user}", "plan")
    ann.say("by the project", "plan", project_id="apollo")
    assert eve.client.delete("/chats/plan").status_code == 403
    assert eve.client.delete("/chats/plan", params={"project_id": "apollo"}).status_code == 403
    assert bob.client.delete("/chats/plan").status_code == 204
    assert (ann.everything(), bob.everything()) == ({"by ann"}, set())
    assert bob.everything(project_id="apollo") == {"by the project"}
    assert bob.client.delete("/chats/plan", params={"project_id": "apollo"}).status_code == 204
    assert ann.everything(project_id="apollo") == set()
    assert ann.everything() == {"by ann"}
