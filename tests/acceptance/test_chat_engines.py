"""The server on each chat engine, by its setting: the same routes, the same answers, clear words when it is away."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from souvenir.config import ChatEngineName, load_settings
from souvenir.storage import open_chats
from souvenir.stores.ports import NewMessage
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import run_to_end
from souvenir.testing.server import RunningSouvenir
from souvenir.types import user_space
from tests.acceptance.conftest import scripted
from tests.acceptance.remembering import Memory, message
from tests.contract.chats.conftest import ENGINES, servers


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> ChatEngineName:
    name: ChatEngineName = request.param
    return name


@pytest.fixture
def environ(
    engine: ChatEngineName, postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> Iterator[dict[str, str]]:
    models = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    with servers([engine], postgres, tmp_path) as variables:
        yield variables | models | {"SOUVENIR_CHAT_STORE": engine}


@pytest.mark.req("CHAT-6", "ID-7", "ID-8")
def test_the_routes_answer_alike_on_every_engine(environ: dict[str, str], engine: ChatEngineName) -> None:
    settings = load_settings(environ)
    chat_id = str(uuid.uuid4())

    async def fill() -> None:
        async with open_chats(settings, engine) as store:
            for number in range(5):
                await store.append(user_space("alice"), chat_id, [NewMessage("user", f"m{number}")], create=True)

    asyncio.run(fill())
    alice, bob = ({"x-openwebui-user-id": name} for name in ("alice", "bob"))
    with RunningSouvenir(settings) as running, httpx2.Client(base_url=running.url, timeout=20) as client:
        assert client.get("/ready").json()["checks"]["chats"] == "ok"
        (chat,) = client.post("/chats/list", json={}, headers=alice).json()["conversations"]
        assert (chat["id"], chat["title"], chat["last_message"]) == (chat_id, "m0", "m4")
        page = client.get("/chats/messages", params={"chat_id": chat_id, "limit": 2}, headers=alice).json()
        rest = client.get(
            "/chats/messages", params={"chat_id": chat_id, "cursor": page["next_cursor"]}, headers=alice
        ).json()
        assert [message["content"] for message in page["messages"] + rest["messages"]] == ["m4", "m3", "m2", "m1", "m0"]
        assert rest["next_cursor"] is None
        foreign = client.get("/chats/messages", params={"chat_id": chat_id}, headers=bob)
        unknown = client.get("/chats/messages", params={"chat_id": str(uuid.uuid4())}, headers=bob)
        assert (foreign.status_code, foreign.text) == (403, unknown.text)
        assert client.patch(f"/chats/{chat_id}", json={"title": "new"}, headers=bob).status_code == 403
        assert client.patch(f"/chats/{chat_id}", json={"title": "new"}, headers=alice).json()["title"] == "new"
        assert client.delete(f"/chats/{chat_id}", headers=alice).status_code == 204
        assert client.post("/chats/list", json={}, headers=alice).json()["conversations"] == []


@pytest.mark.req("CHAT-5", "CHAT-6", "SRCH-5", "SRCH-8")
def test_messages_are_indexed_found_and_forgotten_on_every_engine(environ: dict[str, str], tmp_path: Path) -> None:
    with (
        RunningSouvenir(load_settings(environ)) as running,
        Memory(running.url, "ann") as ann,
        Memory(running.url) as bob,
    ):
        first = ann.say("The ferry leaves at seven.", "trip", external_id="e")
        assert ann.say("Something else.", "trip", external_id="e") == first
        ann.say_all([message(f"m{number}", f"c{number % 3}") for number in range(99)])
        ann.say("Long ago.", "history", created_at="0033-04-03T15:00:00Z")
        assert ann.everything(chat_id="trip") == {"The ferry leaves at seven."}
        assert len(ann.everything(chat_id="c1")) == 33
        page = ann.client.get("/chats/messages", params={"chat_id": "history"}).json()
        assert page["messages"][0]["created_at"] == "0033-04-03T15:00:00Z"
        assert bob.everything() == set()
        assert bob.client.delete("/chats/trip").status_code == 403
        assert ann.client.delete("/chats/trip").status_code == 204
        assert ann.everything(chat_id="trip") == set()
        # more lines than every engine takes in one write
        file = tmp_path / "chat.jsonl"
        file.write_text("".join(f"{json.dumps(message(f'line {number}', 'file'))}\n" for number in range(250)))
        ended = run_to_end(["index", str(file), "--user", "ann"], environ, tmp_path)
        assert ended.stdout == "250 stored, 0 there already.\n"
        assert len(ann.everything(chat_id="file")) == 100


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"SOUVENIR_CHAT_STORE": "redis", "SOUVENIR_REDIS_URL": "redis://:hush@127.0.0.1:1/0"}, "SOUVENIR_REDIS_URL"),
        (
            {
                "SOUVENIR_CHAT_STORE": "dynamodb",
                "SOUVENIR_DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:1",
                "SOUVENIR_DYNAMODB_REGION": "eu-west-1",
                "AWS_ACCESS_KEY_ID": "hush",
                "AWS_SECRET_ACCESS_KEY": "hush",
            },
            "DynamoDB",
        ),
    ],
    ids=["redis", "dynamodb"],
)
def test_an_engine_that_is_away_stops_the_start_in_one_line(
    database_url: str, tmp_path: Path, host: ScriptedOpenAI, changes: dict[str, str], says: str
) -> None:
    models = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    base = {"SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_PORT": "0", "SOUVENIR_DATABASE_TIMEOUT_SECONDS": "2"}
    ended = run_to_end(["serve"], base | models | changes, tmp_path)
    assert ended.returncode == 1
    line = ended.stderr.strip().splitlines()[-1]
    assert line.startswith("souvenir: ")
    assert says in line
    assert "hush" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_tables_of_dynamodb_are_made_by_a_command_that_can_be_repeated(
    postgres: PostgresForTests, tmp_path: Path
) -> None:
    with servers(["dynamodb"], postgres, tmp_path) as variables:
        for _ in range(2):
            ended = run_to_end(
                ["dynamodb", "create-tables"], variables | {"SOUVENIR_DYNAMODB_TABLE_PREFIX": "other-"}, tmp_path
            )
            assert ended.returncode == 0, ended.stderr
            assert "other-Chats" in ended.stdout
            assert "other-Messages" in ended.stdout
