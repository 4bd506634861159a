"""Everything about a user over HTTP: taken out, erased from every table and engine, and brought back identical."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import redis
from psycopg import sql

from souvenir.app import Souvenir, open_souvenir
from souvenir.config import ChatEngineName, load_settings
from souvenir.retrieval.embedding import embed_missing
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import terms_of
from souvenir.stores.dynamodb.client import connect
from souvenir.stores.fact_ports import Fact
from souvenir.stores.passage_ports import NewPassage
from souvenir.stores.ports import NewMessage
from souvenir.stores.postgres.facts import PostgresFactStore
from souvenir.stores.postgres.large_spaces import PostgresLargeSpaceStore
from souvenir.testing.openai_server import Reply, ScriptedOpenAI, Stall
from souvenir.testing.passages import AT, passage
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import eventually
from souvenir.testing.redis import RedisForTests
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token
from souvenir.types import user_space
from tests.acceptance.remembering import Memory
from tests.acceptance.test_identity import create_key
from tests.contract.chats.conftest import ENGINES, servers

LINES = {"content-type": "application/jsonl"}
SEARCHED = "Which instrument do I play, and where do I live?"


def embedding(host: ScriptedOpenAI) -> dict[str, str]:
    """Settings of a process with the scripted embedder, which starts at once, and no model."""
    return {"SOUVENIR_EMBED_BASE_URL": host.base_url, "SOUVENIR_EMBED_MODEL": "scripted-embedder"}


@pytest.fixture(scope="module")
def environ(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[dict[str, str]]:
    with postgres.database() as url:
        folder = str(tmp_path_factory.mktemp("data"))
        yield {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": folder, **embedding(host)}


@pytest.fixture(scope="module")
def running(environ: dict[str, str]) -> Iterator[RunningSouvenir]:
    with RunningSouvenir(load_settings(environ)) as running:
        yield running


@pytest.fixture
def me(running: RunningSouvenir) -> Iterator[Memory]:
    with Memory(running.url) as me:
        yield me


@pytest.fixture
def you(running: RunningSouvenir) -> Iterator[Memory]:
    with Memory(running.url) as you:
        yield you


def inside(environ: dict[str, str], work: Callable[[Souvenir], Awaitable[Any]]) -> Any:
    """Do something as another process on the same data would."""

    async def run() -> Any:
        async with open_souvenir(load_settings(environ)) as souvenir:
            return await work(souvenir)

    return asyncio.run(run())


def remember(user: Memory, content: str, **more: Any) -> dict[str, Any]:
    answer = user.post("/memories", content=content, **more)
    assert answer.status_code == 200, answer.text
    memory: dict[str, Any] = answer.json()["memory"]
    return memory


def export(user: Memory) -> list[str]:
    answer = user.client.get("/memories/export")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/jsonl")
    return answer.text.splitlines()


def import_(user: Memory, lines: list[str]) -> Any:
    text = "".join(f"{line}\n" for line in lines)
    return user.client.post("/memories/import", content=text.encode(), headers=LINES)


def erase(user: Memory) -> dict[str, int]:
    answer = user.client.delete(f"/users/{user.user}/data")
    assert answer.status_code == 200, answer.text
    assert answer.json()["user_id"] == user.user
    removed: dict[str, int] = answer.json()["removed"]
    return removed


def of_type(lines: list[str], kind: str) -> list[dict[str, Any]]:
    return [record for record in map(json.loads, lines) if record["type"] == kind]


def live(user: Memory, environ: dict[str, str]) -> None:
    """Something of everything that can be kept about a user."""
    cello = remember(user, "User plays the cello", category="identity")
    loud = user.client.patch(f"/memories/{cello['memory_id']}", json={"content": "User plays the violin 🎻"}).json()
    user.post(f"/memories/{loud['memory_id']}/undo", to=cello["memory_id"])
    bike = remember(user, "User owns a red bike", category="context", lifetime="contextual")
    user.post(f"/memories/{bike['memory_id']}/feedback", useful=True)
    user.post(f"/memories/{bike['memory_id']}/feedback", useful=True)
    gone = remember(user, "User lives in Bonn at Straße 7")
    user.client.delete(f"/memories/{gone['memory_id']}")
    remember(user, "User owns a red bike.")
    said: list[dict[str, Any]] = [
        {"chat_id": "trip", "role": "user", "content": "The ferry leaves at seven.", "speaker": "Ann", "learn": True},
        {"chat_id": "trip", "role": "assistant", "content": "Noted.", "external_id": "e1"},
    ]
    user.say_all(said)
    user.say(f"word {'é🙂' * 4000}. " * 2, "long", created_at="2020-02-29T01:02:03.000004Z")
    for begin in range(0, 120, 60):
        user.say_all([{"chat_id": "many", "role": "user", "content": f"m{n}"} for n in range(begin, begin + 60)])
    user.client.patch("/chats/trip", json={"title": "Renamed"})
    space = user_space(user.user)

    async def more(souvenir: Souvenir) -> None:
        one, two = remember_id(bike), remember_id(remember(user, "User owns a green bike"))
        await souvenir.memories.open_conflict(space, one, two, "which?")
        await souvenir.memories.used(space, [one], souvenir.clock.now())
        await souvenir.memories.spend(space, AT.date(), "extract", 12)
        facts = PostgresFactStore(souvenir.database)
        for rank, color in enumerate(["Blue", "Grün"], start=1):
            await facts.put(space, Fact("favorite_colors", "ranked", rank, color, "trip", None, AT))
        await facts.put(space, Fact("editor", "single", None, "Vim", None, "m", AT))
        await facts.put(space, Fact("city", "single", None, "Bonn", None, None, AT))
        await facts.remove_topic(space, "city", souvenir.clock.now())
        call = {"id": "c", "name": "f", "arguments": {"b": [1.5, None], "a": "ü"}}
        unfound = NewMessage("assistant", "not to be found", tool_calls=(call,), status="error", error="broke")
        (made,) = await souvenir.chats.append(space, "many", [unfound]) or ()
        await souvenir.chats.fold(space, "many", "They counted.", made.message_id)
        changed = replace(searchable("said otherwise"), chat_id="many", message_id=made.message_id, tags=("x",))
        summary = replace(searchable("of a day"), kind="episode", origin={"day": "Monday"}, start=3, end=9)
        await souvenir.passages.add(space, [changed, summary, summary])
        await PostgresLargeSpaceStore(souvenir.database).index(space, souvenir.embedder.model, 8)

    inside(environ, more)


def searchable(text: str) -> NewPassage:
    return passage(text, terms=" ".join(terms_of(text)), signs=signs_of(text), words=words_of(text))


def embed(environ: dict[str, str], user: Memory) -> None:
    """What a worker does in the background."""

    async def work(souvenir: Souvenir) -> None:
        async for _ in embed_missing(souvenir.passages, souvenir.embedder, user_space(user.user)):
            pass

    inside(environ, work)


def remember_id(memory: dict[str, Any]) -> str:
    return str(memory["memory_id"])


def seen(user: Memory) -> dict[str, Any]:
    """What the routes show of a user."""
    listed = user.client.get("/memories", params={"include": "superseded,expired,deleted", "limit": 100}).json()
    chats = user.post("/chats/list", limit=50).json()["conversations"]
    messages = {
        chat["id"]: user.client.get("/chats/messages", params={"chat_id": chat["id"], "limit": 50}).json()["messages"]
        for chat in chats
    }
    histories = [user.client.get(f"/memories/{one['memory_id']}/history").json() for one in listed["memories"]]
    conflicts = user.client.get("/memories/conflicts").json()
    return {"memories": listed, "chats": chats, "messages": messages, "histories": histories, "conflicts": conflicts}


def found_by(user: Memory) -> list[tuple[str, str | None, float]]:
    """All that is found, and how well."""
    hits = user.hits(SEARCHED, threshold=0, limit=100)
    return sorted((hit["text"], hit["message_id"], round(hit["score"], 6)) for hit in hits)


def naming(environ: dict[str, str], text: str) -> list[str]:
    """The tables, and index definitions, of which a row contains a text."""
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        tables = connection.execute(
            "select table_name from information_schema.tables"
            " where table_schema = 'public' and table_type = 'BASE TABLE' order by 1"
        ).fetchall()
        assert len(tables) > 15
        found = []
        for (table,) in tables:
            query = sql.SQL("select from {0} where {0}::text like %s").format(sql.Identifier(table))
            found += [table] * (connection.execute(query, [f"%{text}%"]).rowcount > 0)
        indexes = connection.execute("select indexname from pg_indexes where indexdef like %s", [f"%{text}%"])
        return found + [name for (name,) in indexes]


def elsewhere(environ: dict[str, str], text: str) -> list[str]:
    """The keys of Redis and the items of DynamoDB that contain a text."""
    found = []
    if url := environ.get("SOUVENIR_REDIS_URL"):
        with redis.Redis.from_url(url) as client:
            found += [str(key) for key in client.scan_iter() if text.encode() in key + (client.dump(key) or b"")]
    if "SOUVENIR_DYNAMODB_ENDPOINT_URL" in environ:

        async def scan() -> list[str]:
            async with connect(load_settings(environ)) as client:
                pages = [await client.scan(TableName=f"souvenir-{name}") for name in ("Chats", "Messages")]
                return [repr(item) for page in pages for item in page["Items"]]

        items = asyncio.run(scan())
        assert items
        found += [item for item in items if text in item]
    return found


@pytest.fixture(params=ENGINES)
def engine_environ(
    request: pytest.FixtureRequest, postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> Iterator[dict[str, str]]:
    engine: ChatEngineName = request.param
    with servers([engine], postgres, tmp_path) as variables:
        yield variables | embedding(host) | {"SOUVENIR_CHAT_STORE": engine}


@pytest.mark.req("LIFE-7", "ID-8")
def test_a_user_is_taken_out_erased_and_brought_back_identical_on_every_engine(engine_environ: dict[str, str]) -> None:
    environ = engine_environ
    with RunningSouvenir(load_settings(environ)) as running, Memory(running.url) as me, Memory(running.url) as you:
        for user in (me, you):
            live(user, environ)
            embed(environ, user)
        lines, theirs = export(me), export(you)
        before, found, untouched = seen(me), found_by(me), seen(you)
        of_a_file = replace(searchable("of a file"), kind="chunk")
        inside(environ, lambda souvenir: souvenir.passages.add(user_space(me.user), [of_a_file]))
        assert export(me)[1:] == lines[1:]
        assert {"large_spaces", "passages", "procrastinate_jobs"} < set(naming(environ, me.user))
        assert sum(name.startswith("large_") and name.endswith("words") for name in naming(environ, me.user)) == 1
        assert (elsewhere(environ, me.user) == []) == (environ["SOUVENIR_CHAT_STORE"] == "postgres")

        removed = erase(me)
        assert naming(environ, me.user) == []
        assert elsewhere(environ, me.user) == []
        assert removed == {
            "chats": 3, "external_messages": 1, "fact_topics": 3, "facts": 3, "jobs": 1, "memories": 6,
            "memory_audit": len(of_type(lines, "audit")), "memory_conflicts": 1, "messages": 124,
            "passages": 6 + 125 + 4, "spend": 1,
        }  # fmt: skip
        assert [json.loads(line)["type"] for line in export(me)] == ["souvenir-export", "end"]
        assert me.hits(SEARCHED, threshold=0) == []
        assert erase(me) == {}

        answer = import_(me, lines)
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "lines": len(lines),
            "added": {"memories": 6, "facts": 3, "chats": 3, "messages": 124, "passages": 125 + 3, "spend": 1},
        }
        assert export(me)[1:] == lines[1:]
        assert seen(me) == before
        embed(environ, me)
        assert found_by(me) == found
        again = import_(me, lines)
        assert (again.status_code, set(again.json()["added"].values())) == (200, {0})
        assert export(me)[1:] == lines[1:]
        assert (export(you)[1:], seen(you)) == (theirs[1:], untouched)


@pytest.mark.req("LIFE-7")
def test_every_table_is_exported_or_follows_from_what_is(environ: dict[str, str], running: RunningSouvenir) -> None:
    """A table that is new here has to be thought of: its rows are a user's, and would be lost by export and import."""
    exported = {
        "memories", "memory_audit", "memory_conflicts", "spend", "facts", "fact_topics", "chats", "messages",
        "external_messages",
    }  # fmt: skip
    found_again = {"passages", "passage_spaces", "passage_removals", "large_spaces", "large_space_terms"}
    of_work = {"job_keys", "job_errors", "memory_keys"}
    of_files = {"sources", "source_files", "source_jobs"}
    of_nobody = {"api_keys", "embedding_models", "secrets"}
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        tables = connection.execute(
            "select table_name from information_schema.columns"
            " where column_name = 'space_id' and table_schema = 'public'"
        ).fetchall()
    assert {name for (name,) in tables} == exported | found_again | of_work | of_files | of_nobody


# erasing


@pytest.mark.req("LIFE-7", "MEM-1")
def test_a_job_that_runs_while_its_user_is_erased_brings_nothing_back(
    postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> None:
    fact = {
        "content": "User plays the cello", "category": "identity", "importance": 9, "confidence": 0.9,
        "reasoning": "said so", "lifetime": "preference", "until": None,
    }  # fmt: skip
    host.script(Reply(json.dumps({"facts": [fact]}), fault=Stall("headers")))
    model = {"SOUVENIR_LLM_BASE_URL": host.base_url, "SOUVENIR_LLM_MODEL": "scripted"}
    with postgres.database() as url:
        environ = {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": str(tmp_path), **embedding(host), **model}
        with RunningSouvenir(load_settings(environ), works=True) as running, Memory(running.url) as me:
            me.say("I play the cello.", learn=True)
            eventually(lambda: len(host.chats) == 1)
            assert erase(me)["jobs"] == 1
            assert naming(environ, me.user) == []
            host.release()
            eventually(lambda: statuses(environ) == ["succeeded"])
            assert naming(environ, me.user) == []
            assert naming(environ, "cello") == []
            assert [json.loads(line)["type"] for line in export(me)] == ["souvenir-export", "end"]
            me.say("I play the drums.", learn=True)
            eventually(lambda: statuses(environ) == ["succeeded", "succeeded"])
            assert me.everything() >= {"I play the drums."}


def statuses(environ: dict[str, str]) -> list[str]:
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        rows = connection.execute(
            "select status::text from procrastinate_jobs where not args ? 'timestamp' order by id"
        ).fetchall()
    return [row[0] for row in rows]


@pytest.mark.req("LIFE-7")
def test_jobs_that_wait_or_failed_go_and_one_that_works_for_all_stays(
    environ: dict[str, str], running: RunningSouvenir, me: Memory
) -> None:
    me.say("I play the cello.", learn=True)

    async def more(souvenir: Souvenir) -> None:
        space = user_space(me.user)
        job = await souvenir.jobs.enqueue(space, "form-memories", key="failed", payload={"said": me.user})
        await souvenir.jobs.enqueue(space, "embed-passages", key="all", payload={"everywhere": True})
        async with souvenir.database.transaction() as connection:
            await connection.execute("update procrastinate_jobs set status = 'failed' where id = %s", [job])
            await connection.execute(
                "insert into job_errors (space_id, job_id, error, failed_at) values ('global', %s, %s, now())",
                [job, f"KeyError: {me.user}"],
            )

    inside(environ, more)
    with psycopg.connect(environ["SOUVENIR_DATABASE_URL"]) as connection:
        before = connection.execute("select count(*) from procrastinate_jobs").fetchone()
        assert erase(me)["jobs"] == 2
        left = connection.execute(
            "select count(*), count(*) filter (where args -> 'payload' ? 'everywhere' and args ->> 'space' = 'global')"
            " from procrastinate_jobs"
        ).fetchone()
    assert before is not None
    assert left == (before[0] - 2, 1)
    assert naming(environ, me.user) == []


@pytest.mark.req("LIFE-7", "ID-1", "ID-4", "ID-8")
def test_nobody_erases_anybody_but_themself(postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI) -> None:
    with postgres.database() as url:
        environ = {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": str(tmp_path), **embedding(host)}
        settings = load_settings({**environ, "SOUVENIR_AUTH": "jwt", "SOUVENIR_JWT_SECRET": SECRET})
        with RunningSouvenir(settings) as running:
            _, service = create_key(running)
            own_id, own = create_key(running, user="bob/x y")
            named = {"x-openwebui-user-id": "alice"}
            callers = {
                "token": {"Authorization": f"Bearer {token('alice')}"},
                "service": {"Authorization": f"Bearer {service}", **named},
                "bob": {"Authorization": f"Bearer {own}", **named},
                "nobody": {"Authorization": f"Bearer {service}"},
            }
            users = {name: Memory(running.url, "alice", headers) for name, headers in callers.items()}
            remember(users["token"], "User plays the cello")
            remember(users["bob"], "User plays the drums")
            kept = export(users["token"])[1:]
            statuses = {name: user.client.delete("/users/alice/data").status_code for name, user in users.items()
                        if name in {"bob", "nobody"}}  # fmt: skip
            assert statuses == {"bob": 403, "nobody": 400}
            assert users["token"].client.delete("/users/bob%2Fx%20y/data").status_code == 403
            assert users["token"].client.delete("/users/nobody/data").status_code == 403
            assert users["token"].client.delete("/users//data").status_code == 403
            for method, path in (
                ("DELETE", "/users/alice/data"),
                ("GET", "/memories/export"),
                ("POST", "/memories/import"),
            ):
                assert httpx2.request(method, f"{running.url}{path}", headers=named).status_code == 401
            assert export(users["token"])[1:] == kept
            assert users["service"].client.delete("/users/alice/data").json()["removed"]["memories"] == 1
            assert len(export(users["token"])) == 2
            removed = users["bob"].client.delete("/users/bob%2Fx%20y/data").json()["removed"]
            assert (removed["memories"], removed["api_keys"]) == (1, 1)
            assert users["bob"].client.get("/memories").status_code == 401
            assert naming(environ, own_id) == naming(environ, "bob/x y") == []
            for user in users.values():
                user.client.close()


@pytest.mark.req("LIFE-7", "MEM-7")
def test_what_was_shared_stays_and_no_longer_names_who_shared_it(
    environ: dict[str, str], me: Memory, you: Memory
) -> None:
    project = f"p-{uuid.uuid4()}"
    memory = remember(me, "The launch is in May")
    shared = me.post(f"/memories/{memory['memory_id']}/share", project_id=project).json()
    remember(me, "The budget is small", project_id=project)
    edited = me.client.patch(
        f"/memories/{shared['memory_id']}", json={"content": "The launch is in June"}, params={"project_id": project}
    ).json()
    assert edited["source"] == {"memory_id": memory["memory_id"], "shared_by": me.user}
    assert erase(me)["named_elsewhere"] == 5
    assert naming(environ, me.user) == []
    listed = you.client.get("/memories", params={"project_id": project}).json()["memories"]
    assert [one["content"] for one in listed] == ["The launch is in June", "The budget is small"]
    assert listed[0]["source"] == {"memory_id": memory["memory_id"], "shared_by": None}
    history = you.client.get(f"/memories/{edited['memory_id']}/history", params={"project_id": project}).json()
    assert {event["by"] for event in history["events"]} == {"(erased)"}
    hits = you.hits("When is the launch?", project_id=project, threshold=0)
    assert "The launch is in June" in {hit["text"] for hit in hits}


@pytest.mark.req("LIFE-7")
def test_an_engine_that_is_away_leaves_all_in_place_and_asking_again_finishes(
    postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> None:
    with postgres.database() as url, RedisForTests(tmp_path / "redis", options={"appendfsync": "always"}) as engine:
        environ = {
            "SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": str(tmp_path), "SOUVENIR_CHAT_STORE": "redis",
            "SOUVENIR_REDIS_URL": engine.url, "SOUVENIR_DATABASE_TIMEOUT_SECONDS": "2", **embedding(host),
        }  # fmt: skip
        with RunningSouvenir(load_settings(environ)) as running, Memory(running.url) as me:
            remember(me, "User plays the cello")
            me.say("The ferry leaves at seven.")
            lines = export(me)
            engine.kill()
            assert me.client.delete(f"/users/{me.user}/data").status_code == 503
            assert import_(me, lines).status_code == 503
            engine.restart()
            assert export(me)[1:] == lines[1:]
            assert erase(me).keys() >= {"chats", "memories"}
            assert naming(environ, me.user) == elsewhere(environ, me.user) == []


# bringing back


def small(me: Memory) -> list[str]:
    """An export with a memory that was corrected, and a chat of two messages."""
    memory = remember(me, "User plays the cello")
    me.client.patch(f"/memories/{memory['memory_id']}", json={"content": "User plays the violin"})
    me.say("The ferry leaves at seven.", "trip", external_id="e1")
    me.say("The roof is new.", "trip")
    return export(me)


def changed(line: str, **fields: Any) -> str:
    return json.dumps({**json.loads(line), **fields})


def places(lines: list[str]) -> dict[str, int]:
    """Where the first record of each type is."""
    return {kind: next(place for place, line in enumerate(lines) if json.loads(line)["type"] == kind)
            for kind in {json.loads(line)["type"] for line in lines}}  # fmt: skip


BAD: dict[str, tuple[str, Any, str]] = {
    "half a line": ("memory", lambda line: line[: len(line) // 2], "is not valid JSON"),
    "no line": ("memory", lambda _: "", "is not valid JSON"),
    "not an object": ("memory", lambda _: "[1]", "is not a JSON object"),
    "another type": ("memory", lambda line: changed(line, type="wish"), "type: "),
    "an unknown field": ("memory", lambda line: changed(line, mood="good"), "mood: "),
    "a field that is missing": ("audit", lambda _: '{"type": "audit"}', "event: "),
    "an id that is none": ("memory", lambda line: changed(line, memory_id="x"), "memory_id: must be an id"),
    "an id of the future": ("memory", lambda line: changed(line, memory_id="7" + "Z" * 25), "memory_id: must be an id"),
    "importance 11": ("memory", lambda line: changed(line, importance=11), "importance: "),
    "a word for a number": ("memory", lambda line: changed(line, confidence="high"), "confidence: "),
    "no number": ("memory", lambda line: line.replace('"confidence":1.0', '"confidence":NaN'), "is not valid JSON"),
    "a NUL": ("memory", lambda line: changed(line, content="a\x00b"), "content: holds a NUL"),
    "half a pair": ("memory", lambda line: line.replace("cello", "\\ud800"), "is not valid JSON"),
    "a time that is none": ("memory", lambda line: changed(line, said_at="2026-02-30"), "said_at: "),
    "superseded by nobody": ("memory", lambda line: changed(line, superseded_by=None), "superseded_by: "),
    "an origin of numbers": ("memory", lambda line: changed(line, origin={"chat_id": 7}), "origin.chat_id: "),
    "a million and one characters": ("memory", lambda line: changed(line, content="x" * 1_000_001), "content: "),
    "an event that never happens": ("audit", lambda line: changed(line, event="wish"), "event: "),
    "a message of another chat": ("message", lambda line: changed(line, chat_id="other"), "chat_id: is not that of"),
    "a message by a robot": ("message", lambda line: changed(line, role="robot"), "role: "),
    "a chat id that is none": ("chat", lambda line: changed(line, chat_id="a/b"), "chat_id: "),
    "another version": ("souvenir-export", lambda line: changed(line, version=2), "version: is 2, and this Souvenir"),
    "another count": ("end", lambda line: changed(line, records=1), "records: 1 were written"),
}  # fmt: skip


@pytest.mark.req("LIFE-7", "ID-9")
@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_and_nothing_is_imported(me: Memory, you: Memory, name: str) -> None:
    lines = small(me)
    kind, change, says = BAD[name]
    place = places(lines)[kind]
    lines[place] = change(lines[place])
    answer = import_(you, lines)
    assert answer.status_code == 400, answer.text
    problem = answer.json()
    assert problem["field"] == f"line {place + 1}"
    assert problem["detail"].startswith(f"line {place + 1}: {says}")
    assert len(problem["detail"]) < 500
    assert len(export(you)) == 2


@pytest.mark.req("LIFE-7", "ID-9")
def test_lines_out_of_place_are_refused(me: Memory, you: Memory) -> None:
    lines = small(me)
    place = places(lines)
    for wrong, number, says in [
        (lines[1:], 1, "type: the first line"),
        ([*lines, lines[1]], len(lines) + 1, "type: nothing comes after"),
        (lines[:-1], len(lines), "is missing"),
        ([], 1, "is missing"),
        ([lines[0], lines[0], *lines[1:]], 2, "type: the first line"),
        ([*lines[:2], lines[1], *lines[2:]], 3, "memory_id: is there already, in line 2"),
        ([*lines[:-1], lines[place["chat"]], lines[-1]], len(lines), "chat_id: is there already"),
        ([lines[0], *lines[place["message"] :]], 2, "chat_id: is not that of the chat before it"),
    ]:
        answer = import_(you, wrong)
        assert answer.status_code == 400, answer.text
        assert answer.json()["detail"].startswith(f"line {number}: {says}")
    swapped = [*lines]
    swapped[place["message"]], swapped[place["message"] + 1] = lines[place["message"] + 1], lines[place["message"]]
    assert "message_id: is not greater" in import_(you, swapped).json()["detail"]
    assert len(export(you)) == 2


@pytest.mark.req("LIFE-7")
def test_an_export_of_somebody_else_becomes_ones_own(environ: dict[str, str], me: Memory, you: Memory) -> None:
    lines = small(me)
    before = export(me)
    text = "\ufeff" + "\r\n".join(lines)
    answer = you.client.post("/memories/import", content=text.encode(), headers=LINES)
    assert answer.status_code == 200, answer.text
    mine, theirs = export(you), export(me)
    assert [line.replace(me.user, you.user) for line in lines[1:]] == mine[1:]
    assert before[1:] == theirs[1:]
    erase(me)
    assert naming(environ, me.user) == []
    assert export(you)[1:] == mine[1:]


@pytest.mark.req("LIFE-7")
def test_what_is_another_thing_here_is_not_overwritten(me: Memory, you: Memory) -> None:
    lines = small(me)
    place = places(lines)
    you.say("Something else.", "trip")
    kept = export(you)[1:]
    answer = import_(you, lines)
    assert (answer.status_code, "trip is another chat here" in answer.json()["detail"]) == (409, True)
    assert answer.json()["detail"].startswith(f"line {place['chat'] + 1}: ")
    assert export(you)[1:] == kept
    for kind, changes in {"memory": {"content": "User plays the drums"}, "message": {"content": "Otherwise."}}.items():
        wrong = [*lines]
        wrong[place[kind]] = changed(lines[place[kind]], **changes)
        answer = import_(me, wrong)
        assert (answer.status_code, answer.json()["detail"].split(":")[0]) == (409, f"line {place[kind] + 1}")
        assert export(me)[1:] == lines[1:]


@pytest.mark.req("LIFE-7")
def test_what_happened_since_an_export_stays_when_it_is_imported(me: Memory) -> None:
    lines = small(me)
    (head,) = (one for one in me.client.get("/memories").json()["memories"])
    me.client.patch(f"/memories/{head['memory_id']}", json={"content": "User plays the drums"})
    me.say("And the garden is wild.", "trip")
    now = export(me)[1:]
    assert set(import_(me, lines).json()["added"].values()) == {0}
    assert export(me)[1:] == now


@pytest.mark.req("LIFE-7")
def test_imports_at_once_bring_everything_once(me: Memory, you: Memory) -> None:
    lines = small(me)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: import_(you, lines), range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert sorted(answer.json()["added"]["memories"] for answer in answers) == [0, 0, 0, 2]
    assert [line.replace(me.user, you.user) for line in lines[1:]] == export(you)[1:]


@pytest.mark.req("LIFE-7", "ID-9")
def test_a_body_over_its_maximum_or_of_another_type_is_refused(
    postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI
) -> None:
    with postgres.database() as url:
        small_limits = {"SOUVENIR_MAX_IMPORT_BYTES": "5000", "SOUVENIR_MAX_BODY_BYTES": "2000"}
        environ = {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": str(tmp_path), **embedding(host), **small_limits}
        with RunningSouvenir(load_settings(environ)) as running, Memory(running.url) as me:
            me.say("x" * 1000)
            lines = export(me)
            assert import_(me, lines).status_code == 200
            assert import_(me, [*lines[:2], "x" * 6000]).status_code == 413
            over = import_(me, [*lines[:2], "x" * 2500])
            assert (over.status_code, over.json()["detail"]) == (400, "line 3: is over 2000 bytes")
            for kind in ("application/json", "text/plain", ""):
                answer = me.client.post("/memories/import", content=b"x", headers={"content-type": kind})
                assert (answer.status_code, answer.json()["field"]) == (400, "content-type")
            assert me.client.patch("/memories/export", json={}).status_code == 405


def test_an_export_is_asked_for_with_a_user(postgres: PostgresForTests, tmp_path: Path, host: ScriptedOpenAI) -> None:
    with postgres.database() as url:
        environ = {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATA_DIR": str(tmp_path), "SOUVENIR_DEFAULT_USER": ""}
        with RunningSouvenir(load_settings(environ | embedding(host))) as running:
            nobody = Memory(running.url, headers={})
            assert nobody.client.get("/memories/export").status_code == 400
            assert nobody.client.post("/memories/import", content=b"", headers=LINES).status_code == 400
            assert nobody.client.delete("/users/x/data").status_code == 400
            nobody.client.close()
