"""The chat routes: pages, cursors, ownership, renaming and deleting, and what bad input gets."""

import asyncio
import uuid
from collections.abc import Coroutine, Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from souvenir.storage import open_chats
from souvenir.stores.ports import ChatEngine, NewMessage
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, User, token, two_users
from souvenir.types import project_space, user_space
from tests.acceptance.conftest import Serve

SOME_ID = "0190a2b0-0000-7000-8000-000000000000"


class Api:
    """One user's view of the server."""

    def __init__(self, running: RunningSouvenir, user: User) -> None:
        self.running = running
        self.user = user
        self.client = httpx2.Client(base_url=running.url, headers=user.headers, timeout=20)

    def add(self, *contents: str, chat_id: str | None = None) -> str:
        """Put messages into a chat, user and assistant in turn, as the turn will; returns the chat's id."""
        chat = chat_id or str(uuid.uuid4())
        roles = ("user", "assistant")

        async def work(store: ChatEngine) -> None:
            for number, content in enumerate(contents):
                message = NewMessage(roles[number % 2], content)  # type: ignore[arg-type]
                await store.append(user_space(self.user.id), chat, [message], create=True)

        with_store(self.running, work)
        return chat

    def chats(self, **body: Any) -> httpx2.Response:
        return self.client.post("/chats/list", json=body)

    def messages(self, chat_id: str, **params: Any) -> httpx2.Response:
        return self.client.get("/chats/messages", params={"chat_id": chat_id, **params})

    def walk(self, chat_id: str, limit: int) -> list[str]:
        seen: list[str] = []
        cursor = None
        while True:
            page = self.messages(chat_id, limit=limit, **({"cursor": cursor} if cursor else {})).json()
            assert page["messages"]
            seen += [message["content"] for message in page["messages"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return seen


def with_store(running: RunningSouvenir, work: Any) -> Any:
    async def run() -> Any:
        async with open_chats(running.souvenir.settings, running.souvenir.settings.chat_store) as store:
            return await work(store)

    coroutine: Coroutine[Any, Any, Any] = run()
    return asyncio.run(coroutine)


@pytest.fixture
def running(serve: Serve) -> RunningSouvenir:
    return serve(auth="jwt", jwt_secret=SECRET)


@pytest.fixture
def alice(running: RunningSouvenir) -> Iterator[Api]:
    api = Api(running, two_users()[0])
    with api.client:
        yield api


@pytest.fixture
def bob(running: RunningSouvenir) -> Iterator[Api]:
    api = Api(running, two_users()[1])
    with api.client:
        yield api


@pytest.mark.req("CHAT-3")
def test_no_chats_are_an_empty_list_and_no_cursor(alice: Api) -> None:
    assert alice.chats().json() == {"conversations": [], "next_cursor": None}
    assert alice.client.post("/chats/list").json() == {"conversations": [], "next_cursor": None}


@pytest.mark.req("CHAT-2", "CHAT-3")
def test_a_listed_chat_has_its_title_last_message_and_activity(alice: Api) -> None:
    chat_id = alice.add("What is the capital of Peru? " * 5, "Lima.")
    (chat,) = alice.chats().json()["conversations"]
    assert chat.keys() == {"id", "title", "last_message", "updated_at"}
    assert (chat["id"], chat["title"], chat["last_message"]) == (
        chat_id,
        ("What is the capital of Peru? " * 5)[:64],
        "Lima.",
    )
    assert chat["updated_at"].endswith("Z")


@pytest.mark.req("CHAT-3")
def test_pages_of_chats_follow_activity_and_end_in_null(alice: Api) -> None:
    ids = [alice.add(f"chat {number}") for number in range(7)]
    alice.add("active again", chat_id=ids[2])
    expected = [ids[2], ids[6], ids[5], ids[4], ids[3], ids[1], ids[0]]
    for limit in (1, 3, 7, 50):
        seen: list[str] = []
        cursor = None
        while True:
            page = alice.chats(limit=limit, cursor=cursor).json()
            assert 0 < len(page["conversations"]) <= limit
            seen += [chat["id"] for chat in page["conversations"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == expected


@pytest.mark.req("CHAT-3", "CHAT-4")
def test_the_usual_page_is_20_and_the_largest_50(alice: Api) -> None:
    chat_id = alice.add(*(f"m{number}" for number in range(60)))
    for number in range(55):
        alice.add(str(number))
    for given, expected in [(None, 20), (51, 50), (10**9, 50), (50, 50)]:
        body = {} if given is None else {"limit": given}
        assert len(alice.chats(**body).json()["conversations"]) == expected
        assert len(alice.messages(chat_id, **body).json()["messages"]) == expected


@pytest.mark.req("CHAT-3", "CHAT-4", "ID-9")
@pytest.mark.parametrize("limit", [0, -1, "x", "1.5", 1.5, True, [], {}, "", "10e2", "9" * 5000])
def test_a_limit_that_is_no_positive_number_is_400(alice: Api, limit: Any) -> None:
    chat_id = alice.add("x")
    answer = alice.chats(limit=limit)
    assert answer.status_code == 400
    assert answer.json()["field"] == "limit"
    if isinstance(limit, str | int) and not isinstance(limit, bool):
        answer = alice.messages(chat_id, limit=limit)
        assert answer.status_code == 400
        assert answer.json()["field"] == "limit"


@pytest.mark.req("CHAT-3", "CHAT-4")
def test_a_malformed_forged_truncated_or_foreign_cursor_is_400_and_shows_nothing(alice: Api, bob: Api) -> None:
    for api in (alice, bob):
        for number in range(3):
            chat_id = api.add(f"{api.user.id} {number}", "answer")
    hers = alice.chats(limit=1).json()["next_cursor"]
    in_chat = alice.messages(alice.chats().json()["conversations"][0]["id"], limit=1).json()["next_cursor"]
    for cursor in ("", "x", "%00", hers[:-4], hers[::-1], "A" + hers[1:], in_chat, "é" * 10, "a" * 100_000):
        answer = alice.chats(cursor=cursor)
        assert answer.status_code == 400, cursor
        assert answer.json()["field"] == "cursor"
    answer = bob.chats(cursor=hers)
    assert answer.status_code == 400
    assert "alice" not in answer.text
    for cursor in ("x", hers, in_chat):
        answer = bob.messages(chat_id, cursor=cursor)
        assert answer.status_code == 400
        assert answer.json()["field"] == "cursor"
    wrong: Any
    for wrong in (7, [], {"a": 1}, True):
        assert alice.chats(cursor=wrong).status_code == 400


@pytest.mark.req("CHAT-1", "CHAT-4")
def test_messages_come_newest_first_with_all_their_fields(alice: Api) -> None:
    chat_id = alice.add("question", "answer")
    page = alice.messages(chat_id).json()
    assert page["next_cursor"] is None
    first = page["messages"][0]
    assert first.keys() == {
        "message_id", "chat_id", "role", "content", "created_at", "status", "tool_calls", "partial_tool_calls", "error",
        "memories",
    }  # fmt: skip
    assert (first["role"], first["content"], first["status"], first["error"]) == (
        "assistant",
        "answer",
        "complete",
        None,
    )
    assert first["message_id"] > page["messages"][1]["message_id"]


@pytest.mark.req("CHAT-4")
@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_following_cursors_visits_every_message_once_and_ends_without_an_empty_page(alice: Api, limit: int) -> None:
    chat_id = alice.add(*"abcdef")
    assert alice.walk(chat_id, limit) == list("fedcba")


@pytest.mark.req("CHAT-4")
def test_a_walk_goes_on_undisturbed_while_new_messages_arrive(alice: Api) -> None:
    chat_id = alice.add(*"abcdef")
    page = alice.messages(chat_id, limit=2).json()
    alice.add("new", "newer", chat_id=chat_id)
    rest = alice.messages(chat_id, cursor=page["next_cursor"]).json()
    assert [message["content"] for message in page["messages"] + rest["messages"]] == list("fedcba")


@pytest.mark.req("ID-7", "ID-8")
def test_an_unknown_chat_and_somebody_elses_answer_alike_and_nothing_changes(alice: Api, bob: Api) -> None:
    hers = alice.add("private", "indeed")
    cursor = alice.messages(hers, limit=1).json()["next_cursor"]
    unknown = str(uuid.uuid4())
    for request in (
        bob.messages,
        lambda chat: bob.messages(chat, limit=1),
        lambda chat: bob.client.patch(f"/chats/{chat}", json={"title": "mine now"}),
        lambda chat: bob.client.delete(f"/chats/{chat}"),
    ):
        foreign, absent = request(hers), request(unknown)
        assert (foreign.status_code, absent.status_code) == (403, 403)
        assert foreign.text == absent.text
        assert foreign.headers["content-type"] == absent.headers["content-type"]
    assert bob.messages(hers, cursor=cursor).status_code == 400
    assert bob.chats().json()["conversations"] == []
    assert alice.walk(hers, 1) == ["indeed", "private"]
    assert alice.chats().json()["conversations"][0]["title"] == "private"


@pytest.mark.req("ID-9")
@pytest.mark.parametrize("bad", ["a b", "../x", "%00", "a/b", "a:b", "é", "a\n", "x" * 129, "list", "messages", ""])
def test_an_id_of_other_characters_is_400_and_named(alice: Api, bad: str) -> None:
    answer = alice.messages(bad)
    assert answer.status_code == 400
    assert answer.json()["field"] == "chat_id"
    if bad and "/" not in bad:
        # what names a route is no chat, whatever the method
        expected = 405 if bad in {"list", "messages"} else 400
        assert alice.client.delete(f"/chats/{quote(bad, safe='')}").status_code == expected
    assert alice.client.get("/chats/messages").json()["field"] == "chat_id"


@pytest.mark.req("CHAT-4", "CHAT-5", "ID-7")
@pytest.mark.parametrize("chat_id", ["x", "123", "a.b_c~d-e", "List", "-", "~", "x" * 128, SOME_ID, SOME_ID.upper()])
def test_any_id_of_url_characters_is_a_chats_and_unknown_until_there_is_one(alice: Api, chat_id: str) -> None:
    assert alice.messages(chat_id).status_code == 403
    assert alice.client.delete(f"/chats/{chat_id}").status_code == 403
    alice.add("hello", chat_id=chat_id)
    assert alice.walk(chat_id, 1) == ["hello"]
    assert alice.client.patch(f"/chats/{chat_id}", json={"title": "new"}).json()["id"] == chat_id
    assert alice.client.delete(f"/chats/{chat_id}").status_code == 204
    assert alice.messages(chat_id).status_code == 403


@pytest.mark.req("CHAT-5", "ID-6", "ID-8")
def test_a_projects_chats_are_listed_read_renamed_and_deleted_by_its_members_only(running: RunningSouvenir) -> None:
    space = project_space("apollo")
    with_store(running, lambda store: store.append(space, "plan", [NewMessage("user", "the plan")], create=True))
    member, stranger = (
        httpx2.Client(base_url=running.url, headers={"Authorization": f"Bearer {made}"}, timeout=20)
        for made in (token("ann", projects=["apollo"]), token("bob"))
    )
    query = {"project_id": "apollo"}
    with member, stranger:
        for client, status in [(stranger, 403), (member, 200)]:
            assert client.post("/chats/list", json=query).status_code == status
            assert client.get("/chats/messages", params={"chat_id": "plan", **query}).status_code == status
            assert client.patch("/chats/plan", params=query, json={"title": "Plan"}).status_code == status
        assert [chat["title"] for chat in member.post("/chats/list", json=query).json()["conversations"]] == ["Plan"]
        assert member.get("/chats/messages", params={"chat_id": "plan"}).status_code == 403
        assert member.delete("/chats/plan").status_code == 403
        assert stranger.delete("/chats/plan", params=query).status_code == 403
        assert member.delete("/chats/plan", params=query).status_code == 204
        assert member.post("/chats/list", json=query).json()["conversations"] == []


@pytest.mark.req("CHAT-5")
def test_a_chat_is_renamed_and_later_messages_keep_the_name(alice: Api) -> None:
    chat_id = alice.add("first")
    renamed = alice.client.patch(f"/chats/{chat_id}", json={"title": "  Trip to Peru  "})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Trip to Peru")
    alice.add("second", chat_id=chat_id)
    assert alice.chats().json()["conversations"][0]["title"] == "Trip to Peru"


@pytest.mark.req("CHAT-5", "ID-9")
def test_a_new_title_is_checked_and_cut_at_a_whole_character(alice: Api) -> None:
    chat_id = alice.add("first")
    for bad in ("", "   ", None, 7, "a\x00b", "x" * 1001):
        answer = alice.client.patch(f"/chats/{chat_id}", json={"title": bad})
        assert answer.status_code == 400
        assert answer.json()["field"] == "title"
    for given, kept in [("e\u0301" * 40, "e\u0301" * 32), ("👩‍👩‍👧‍👦" * 20, "👩‍👩‍👧‍👦" * 9), ("x" * 70, "x" * 64)]:
        assert alice.client.patch(f"/chats/{chat_id}", json={"title": given}).json()["title"] == kept


@pytest.mark.req("CHAT-5")
def test_a_deleted_chat_is_gone_with_its_messages(alice: Api) -> None:
    chat_id, other = alice.add("first", "answer"), alice.add("other")
    assert alice.client.delete(f"/chats/{chat_id}").status_code == 204
    assert alice.messages(chat_id).status_code == 403
    assert alice.client.delete(f"/chats/{chat_id}").status_code == 403
    assert [chat["id"] for chat in alice.chats().json()["conversations"]] == [other]


@pytest.mark.req("ID-3")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/chats/list"),
        ("GET", "/chats/messages"),
        ("PATCH", f"/chats/{SOME_ID}"),
        ("DELETE", f"/chats/{SOME_ID}"),
    ],
)
def test_without_a_credential_every_chat_route_is_401(running: RunningSouvenir, method: str, path: str) -> None:
    assert httpx2.request(method, running.url + path).status_code == 401


def test_an_anonymous_caller_has_no_chats_to_list(serve: Serve) -> None:
    anonymous = serve(default_user="")
    assert httpx2.post(f"{anonymous.url}/chats/list", json={}).status_code == 400
