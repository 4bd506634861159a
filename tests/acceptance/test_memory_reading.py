"""Memories as they come back: asked for in so many words, checked again when read, fading, counted and watched over."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
import yaml  # type: ignore[import-untyped]
from prometheus_client.metrics import MetricWrapperBase

from souvenir.app import Souvenir, open_souvenir
from souvenir.chat.forming import EXPIRE_TASK, TASK
from souvenir.doctor import examine
from souvenir.errors import SettingsError
from souvenir.memory.asking import Asked
from souvenir.memory.port import Candidate, Utterance
from souvenir.metrics import Metrics
from souvenir.retrieval.filters import Filter
from souvenir.stores.memory_ports import Memory, MemoryFilter, NewMemory
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.passages import new_space
from souvenir.testing.processes import eventually
from souvenir.testing.server import RunningSouvenir
from souvenir.types import GLOBAL_SPACE, SpaceId
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.remembering import Memory as Caller
from tests.conftest import MakeSettings

MEMORIES = Filter(kinds=frozenset({"memory"}))
ALERTS = Path(__file__).parents[2] / "deploy" / "alerts.yaml"

Open = Callable[..., AbstractAsyncContextManager[Souvenir]]


@pytest.fixture
def opened(make_settings: MakeSettings, clock: ManualClock) -> Open:
    """Open Souvenirs on one database, each with settings of its own: no model, the built-in embedder."""

    @contextlib.asynccontextmanager
    async def start(**overrides: Any) -> AsyncIterator[Souvenir]:
        async with open_souvenir(make_settings(**overrides), clock) as souvenir:
            yield souvenir

    return start


@pytest.fixture
async def souvenir(opened: Open) -> AsyncIterator[Souvenir]:
    async with opened() as souvenir:
        yield souvenir


@pytest.fixture
def space() -> SpaceId:
    return new_space()


async def ask(souvenir: Souvenir, space: SpaceId, text: str, **origin: str) -> Asked:
    """Serve a message that certainly asks something of memory; each is said a minute after the one before."""
    if isinstance(souvenir.clock, ManualClock):
        souvenir.clock.advance(minutes=1)
    done = await souvenir.asking.serve(space, text, souvenir.clock.now(), "ann", origin)
    assert done is not None
    return done


async def store(souvenir: Souvenir, space: SpaceId, content: str, **fields: Any) -> Memory:
    """A memory as formation would have stored it, with whatever figures."""
    found = await souvenir.formation.found_by(content)
    given: dict[str, Any] = {
        "content": content, "category": "preference", "importance": 8, "confidence": 0.9, "reasoning": "",
        "lifetime": "preference", "said_at": souvenir.clock.now(), "path": "local", "terms": found.terms,
        "signs": found.signs, "words": found.words, "vector": found.vector, "model": found.model,
    }  # fmt: skip
    stored = await souvenir.memories.add(space, NewMemory(**(given | fields)), "said", "formation")
    assert stored is not None
    return stored


async def contents(souvenir: Souvenir, space: SpaceId) -> list[str]:
    page = await souvenir.memories.list(space, MemoryFilter(), limit=100)
    return [memory.content for memory in page.items]


async def hits(souvenir: Souvenir, space: SpaceId, query: str, **more: Any) -> list[str]:
    only = more.pop("only", MEMORIES)
    found = await souvenir.search.search([space], query, only, limit=more.pop("limit", 10), threshold=0.0, **more)
    return [hit.passage.text for hit in found.hits]


# asked for in so many words


@pytest.mark.req("MEM-9")
async def test_what_is_asked_to_be_remembered_is_stored_at_once_and_certain(souvenir: Souvenir, space: SpaceId) -> None:
    done = await ask(souvenir, space, "Please remember that my wife is Jane.", chat_id="c", message_id="m")
    assert (done.kind, done.text) == ("remembered", "I'll remember: User's wife is named Jane.")
    [memory] = done.memories
    assert (memory.importance, memory.confidence, memory.verified, memory.path) == (9, 1.0, True, "user")
    assert memory.origin == {"chat_id": "c", "message_id": "m"}
    assert await hits(souvenir, space, "Who is my wife?") == ["User's wife is named Jane"]
    history = await souvenir.memories.history(space, memory.memory_id)
    assert [event.by for event in history[1]] == ["ann"]


@pytest.mark.req("MEM-9")
async def test_the_same_message_again_or_formed_as_well_changes_nothing(souvenir: Souvenir, space: SpaceId) -> None:
    said = "Remember that I play the cello and that I live in Oslo."
    first = await ask(souvenir, space, said, chat_id="c", message_id="m")
    before = await contents(souvenir, space)
    assert len(before) == len(first.memories) == 2
    again = await ask(souvenir, space, said, chat_id="c", message_id="m")
    assert again.kind == "known"
    assert {memory.content for memory in again.memories} == set(before)
    utterance = Utterance("user", said, souvenir.clock.now())
    await souvenir.formation.form(space, utterance, (), "form:c:m", {"chat_id": "c", "message_id": "m"})
    assert await contents(souvenir, space) == before


@pytest.mark.req("MEM-9")
async def test_a_message_of_which_memories_were_formed_first_is_answered_all_the_same(
    souvenir: Souvenir, space: SpaceId, clock: ManualClock
) -> None:
    said = "Remember that I play the cello."
    at = clock.now()
    await souvenir.formation.form(space, Utterance("user", said, at), (), "form:c:m", {})
    done = await souvenir.asking.serve(space, said, at, "ann", {"chat_id": "c", "message_id": "m"})
    assert done is not None
    assert (done.kind, done.text) == ("remembered", "I'll remember: User plays the cello.")
    assert await contents(souvenir, space) == ["User plays the cello"]


@pytest.mark.req("MEM-9")
async def test_what_contradicts_what_was_known_replaces_it_and_says_so(souvenir: Souvenir, space: SpaceId) -> None:
    await ask(souvenir, space, "Remember that I live in Rome.")
    done = await ask(souvenir, space, "Remember that I live in Paris.")
    assert done.text == "I'll remember: User lives in Paris. This replaces: User lives in Rome."
    assert await contents(souvenir, space) == ["User lives in Paris"]


@pytest.mark.req("MEM-9")
async def test_a_reminder_is_a_plan_that_passes(souvenir: Souvenir, space: SpaceId, clock: ManualClock) -> None:
    [dated] = (await ask(souvenir, space, "Remember to call John tomorrow.")).memories
    [undated] = (await ask(souvenir, space, "Don't forget to buy milk.")).memories
    [answers] = (await ask(souvenir, space, "Remember to answer in French.")).memories
    assert (dated.content, dated.lifetime) == ("User needs to call John tomorrow", "deadline")
    assert (undated.content, undated.lifetime) == ("User needs to buy milk", "contextual")
    assert undated.expires_at == clock.now() - timedelta(minutes=1) + timedelta(days=7)
    assert (answers.content, answers.expires_at) == ("User wants the assistant to answer in French", None)


@pytest.mark.req("MEM-9", "MEM-12")
@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Merk dir bitte, dass meine Frau Anna heißt.", "Die Frau des Nutzers heißt Anna"),
        ("Recuerda que la clave del garaje es 1234.", "La clave del garaje es 1234"),
        ("N'oublie pas que je suis végétarien.", "L'utilisateur est végétarien"),
        ("请记住我对花生过敏。", "用户对花生过敏"),
    ],
)
async def test_a_memory_keeps_the_language_of_the_request(
    souvenir: Souvenir, space: SpaceId, said: str, content: str
) -> None:
    assert [memory.content for memory in (await ask(souvenir, space, said)).memories] == [content]


@pytest.mark.req("MEM-9")
@pytest.mark.parametrize("words", [210, 3000])
async def test_what_is_too_long_is_refused_in_words(souvenir: Souvenir, space: SpaceId, words: int) -> None:
    done = await ask(souvenir, space, f"Remember that I like {'very ' * words}long walks, and I live in Rome.")
    assert done.kind == "refused"
    assert await contents(souvenir, space) == []


@pytest.mark.req("MEM-9", "MEM-3")
async def test_what_was_too_doubtful_to_be_used_is_verified_when_the_user_insists(
    souvenir: Souvenir, space: SpaceId
) -> None:
    await store(souvenir, space, "User plays the cello", confidence=0.4)
    assert await hits(souvenir, space, "Which instrument do I play?") == []
    done = await ask(souvenir, space, "Remember that I play the cello.")
    assert (done.kind, done.memories[0].verified, done.memories[0].version) == ("remembered", True, 2)
    assert await hits(souvenir, space, "Which instrument do I play?") == ["User plays the cello"]
    assert await contents(souvenir, space) == ["User plays the cello"]


LIFE = (
    "I live in Berlin", "I work as a nurse", "my wife is Jane", "my wife is vegan", "I have a dog named Rex",
    "I like green tea", "I drive a red Toyota", "I am allergic to peanuts",
)  # fmt: skip


async def lived(souvenir: Souvenir, space: SpaceId) -> list[str]:
    for fact in LIFE:
        await ask(souvenir, space, f"Remember that {fact}.")
    return await contents(souvenir, space)


@pytest.mark.req("MEM-9")
async def test_a_forget_deletes_softly_what_is_certainly_meant_and_nothing_else(
    souvenir: Souvenir, space: SpaceId
) -> None:
    other = new_space()
    theirs = await lived(souvenir, other)
    left = await lived(souvenir, space)
    for said, gone in (
        ("Forget that I like green tea.", "User likes green tea"),
        ("Please forget where I live.", "User lives in Berlin"),
        ("Delete the memory about my dog.", "User has a dog named Rex"),
        ("You can forget my wife's name.", "User's wife is named Jane"),
    ):
        done = await ask(souvenir, space, said)
        assert (done.kind, done.text) == ("forgotten", f"I have forgotten: {gone}.")
        left.remove(gone)
        assert await contents(souvenir, space) == left
    assert "User lives in Berlin" not in await hits(souvenir, space, "Do I live in Berlin?")
    page = await souvenir.memories.list(space, MemoryFilter(deleted=True), limit=50)
    assert len([memory for memory in page.items if memory.deleted_at is not None]) == 4
    assert await contents(souvenir, other) == theirs


@pytest.mark.req("MEM-9")
@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("Forget about my wife.", {"User's wife is named Jane", "User's wife is vegan"}),
        ("Forget my car.", {"User drives a red Toyota"}),
        ("Forget about peanuts.", {"User is allergic to peanuts"}),
    ],
    ids=["several", "by meaning alone", "said of anything"],
)
async def test_a_forget_that_is_not_certain_gives_a_choice_and_deletes_nothing(
    souvenir: Souvenir, space: SpaceId, said: str, choices: set[str]
) -> None:
    before = await lived(souvenir, space)
    done = await ask(souvenir, space, said)
    assert done.is_choice
    assert {memory.content for memory in done.memories} == choices
    assert all(content in done.text for content in choices)
    assert await contents(souvenir, space) == before


@pytest.mark.req("MEM-9")
async def test_everything_is_never_forgotten_at_one_word(souvenir: Souvenir, space: SpaceId) -> None:
    before = await lived(souvenir, space)
    done = await ask(souvenir, space, "Forget everything you know about me.")
    assert done.is_choice
    assert {memory.content for memory in done.memories} == set(before)
    assert await contents(souvenir, space) == before


@pytest.mark.req("MEM-9")
async def test_a_forget_that_matches_nothing_says_so_and_one_said_of_something_else_is_none(
    souvenir: Souvenir, space: SpaceId
) -> None:
    before = await lived(souvenir, space)
    done = await ask(souvenir, space, "Forget that I own a sailing boat.")
    assert (done.kind, done.memories) == ("nothing", ())
    assert await souvenir.asking.serve(space, "Forget about Python.", souvenir.clock.now(), "ann", {}) is None
    assert await souvenir.asking.serve(space, "What do you know of me?", souvenir.clock.now(), "ann", {}) is None
    assert await contents(souvenir, space) == before


@pytest.mark.req("MEM-9")
async def test_what_is_to_be_forgotten_is_not_learned_from_the_request(
    opened: Open, space: SpaceId, host: ScriptedOpenAI
) -> None:
    fact = {
        "content": "User likes tea", "category": "preference", "importance": 8, "confidence": 0.9, "reasoning": "said",
        "lifetime": "preference", "until": None,
    }  # fmt: skip
    async with opened(llm_base_url=host.base_url, llm_model="scripted") as souvenir:
        host.script(json.dumps({"facts": [fact]}))
        utterance = Utterance("user", "Forget that I like tea.", souvenir.clock.now())
        formed = await souvenir.formation.form(space, utterance, (), "form:c:m", {})
        assert formed.decided == ()
        assert await contents(souvenir, space) == []


# checked again when read


@pytest.mark.req("MEM-3", "LIFE-2")
async def test_a_doubtful_memory_never_comes_back_and_stays_readable(souvenir: Souvenir, space: SpaceId) -> None:
    await store(souvenir, space, "User plays the cello", confidence=0.5)
    await store(souvenir, space, "User plays the trumpet", importance=3)
    await store(souvenir, space, "User plays the violin")
    await store(souvenir, space, "User plays the oboe", importance=1, verified=True)
    assert sorted(await hits(souvenir, space, "Which instruments does the user play?")) == [
        "User plays the oboe",
        "User plays the violin",
    ]
    assert len(await contents(souvenir, space)) == 4
    known = await souvenir.formation.near(space, "User plays the cello", 10)
    assert "User plays the cello" in [one.content for one in known]


@pytest.mark.req("MEM-3")
async def test_a_threshold_that_is_raised_counts_for_what_is_stored(opened: Open, space: SpaceId) -> None:
    async with opened() as souvenir:
        await store(souvenir, space, "User plays the cello", confidence=0.8, category="context")
        await store(souvenir, space, "User plays the violin", confidence=0.8)
        assert len(await hits(souvenir, space, "Which instruments do I play?")) == 2
    async with opened(memory_confidence_context=0.85) as stricter:
        assert await hits(stricter, space, "Which instruments do I play?") == ["User plays the violin"]


@pytest.mark.req("MEM-3")
async def test_doubtful_memories_take_no_place_from_good_ones(souvenir: Souvenir, space: SpaceId) -> None:
    for number in range(40):
        await store(souvenir, space, f"User plays the cello with friend number {number}", confidence=0.2)
    await store(souvenir, space, "User plays the cello on Sundays at church with the whole family")
    assert await hits(souvenir, space, "Do I play the cello with a friend?", limit=2) == [
        "User plays the cello on Sundays at church with the whole family"
    ]


@pytest.mark.req("LIFE-2")
async def test_what_expired_or_was_replaced_is_not_found_but_as_of_its_time(
    souvenir: Souvenir, space: SpaceId, clock: ManualClock
) -> None:
    await store(souvenir, space, "User is in Rome this week", expires_at=clock.now() + timedelta(days=7))
    await ask(souvenir, space, "Remember that I drink coffee.")
    then = clock.now()
    clock.advance(days=8)
    await ask(souvenir, space, "Remember that I no longer drink coffee.")
    assert "User drinks coffee" not in await hits(souvenir, space, "Do I drink coffee?")
    assert "User is in Rome this week" not in await hits(souvenir, space, "Is the user in Rome this week?")
    past = Filter(kinds=frozenset({"memory"}), as_of=then)
    assert "User drinks coffee" in await hits(souvenir, space, "Do I drink coffee?", only=past)
    assert "User is in Rome this week" in await hits(souvenir, space, "Is the user in Rome this week?", only=past)


@pytest.mark.req("MEM-3", "LIFE-2")
def test_the_search_route_checks_memories_too(serve: Serve) -> None:
    with Caller(serve().url) as me:
        me.post("/memories", content="User plays the cello", confidence=0.3)
        me.post("/memories", content="User plays the violin", importance=2)
        assert me.everything("Which instruments do I play?") == {"User plays the violin"}
        assert len(me.client.get("/memories").json()["memories"]) == 2


# fading


@pytest.mark.req("LIFE-4")
async def test_thumbs_change_the_order_and_nothing_else_does_by_itself(souvenir: Souvenir, space: SpaceId) -> None:
    for cake in ("apple", "plum"):
        await store(souvenir, space, f"User likes {cake} cake")
    query = "Which cake do I like?"
    first, second = await hits(souvenir, space, query)
    souvenir.clock.advance(days=2000)  # type: ignore[attr-defined]
    assert await hits(souvenir, space, query) == [first, second]
    page = await souvenir.memories.list(space, MemoryFilter(), limit=5)
    ids = {memory.content: memory.memory_id for memory in page.items}
    await souvenir.memories.feedback(space, ids[first], False, "ann")
    assert await hits(souvenir, space, query) == [second, first]
    for _ in range(3):
        await souvenir.memories.feedback(space, ids[first], True, "ann")
    assert await hits(souvenir, space, query) == [first, second]


@pytest.mark.req("LIFE-4")
async def test_with_decay_what_is_not_used_falls_behind(opened: Open, space: SpaceId, clock: ManualClock) -> None:
    async with opened(memory_decay_days=30) as souvenir:
        await store(souvenir, space, "User owns a red bicycle", category="context")
        query = "Which red bicycle does the user own?"
        clock.advance(days=400)
        await store(souvenir, space, "User owns a bicycle that is green", category="context")
        assert (await hits(souvenir, space, query))[0] == "User owns a bicycle that is green"
        page = await souvenir.memories.list(space, MemoryFilter(), limit=5)
        red = next(memory for memory in page.items if "red" in memory.content)
        await souvenir.memories.used(space, [red.memory_id], clock.now())
        assert (await hits(souvenir, space, query))[0] == "User owns a red bicycle"


# memories of everybody


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    file = tmp_path / "global.txt"
    file.write_text(
        "# what every newcomer should know\n\nThe cafeteria of the company is open from 11 to 14\n"
        "The VPN address is vpn.example.org\nHolidays are requested in the HR portal\n",
        encoding="utf-8",
    )
    return file


@pytest.mark.req("LIFE-6")
async def test_a_newcomer_is_served_from_the_operators_sentences_until_they_have_five_of_their_own(
    opened: Open, space: SpaceId, shipped: Path
) -> None:
    async with opened(global_memories_file=shipped) as souvenir:
        query = "When is the cafeteria open?"
        found = await souvenir.general.for_user(space, query, 3)
        assert found[0].content == "The cafeteria of the company is open from 11 to 14"
        assert (found[0].category, found[0].origin) == ("context", "global")
        assert 0 < found[0].score <= 1
        assert await contents(souvenir, space) == []
        for fact in LIFE[:4]:
            await ask(souvenir, space, f"Remember that {fact}.")
        assert await souvenir.general.for_user(space, query, 3) == found
        await ask(souvenir, space, f"Remember that {LIFE[4]}.")
        assert await souvenir.general.for_user(space, query, 3) == []
        assert await souvenir.general.for_user(new_space(), query, 3) == found


@pytest.mark.req("LIFE-6")
async def test_without_an_embedder_words_find_the_operators_sentences_and_without_a_file_there_are_none(
    opened: Open, space: SpaceId, shipped: Path
) -> None:
    away = {"embed_base_url": "http://127.0.0.1:1/v1", "embed_model": "away", "embed_timeout_seconds": 1}
    async with opened(global_memories_file=shipped, **away) as souvenir:
        [found, *_] = await souvenir.general.for_user(space, "What is the VPN address?", 3)
        assert "vpn.example.org" in found.content
    async with opened() as souvenir:
        assert await souvenir.general.for_user(space, "What is the VPN address?", 3) == []


@pytest.mark.req("LIFE-6")
async def test_a_file_that_cannot_be_read_is_an_error_at_the_start_that_names_it(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"GLOBAL_MEMORIES_FILE: .*missing.txt cannot be read"):
        async with opened(global_memories_file=tmp_path / "missing.txt"):
            pass


# counted and watched over


def figures(text: str) -> dict[str, float]:
    """The metrics without labels."""
    return {name: float(value) for name, value in re.findall(r"^(souvenir_\w+) (\S+)$", text, re.MULTILINE)}


@pytest.mark.req("MEM-8")
def test_four_figures_tell_how_memory_fares(serve: Serve) -> None:
    running = serve()
    with Caller(running.url) as me, Caller(running.url) as you:
        for content in ("User likes tea", "User likes tea.", "User lives in Rome", "User owns a boat"):
            me.post("/memories", content=content)
        you.post("/memories", content="User moved to Rome")
        you.post("/memories", content="User moved to Paris")
        me.hits("Do I like tea?", threshold=0)
        me.hits("Do I like tea?", threshold=1)
        found = figures(me.client.get("/metrics").text)
    assert found["souvenir_memory_total_count"] == 4
    assert found["souvenir_memory_replacement_rate"] == pytest.approx(1 / 6)
    assert found["souvenir_memory_dedup_rate"] == pytest.approx(1 / 6)
    assert found["souvenir_retrieval_hit_rate"] == pytest.approx(1 / 2)


@pytest.mark.req("MEM-8", "ID-10")
async def test_each_run_logs_one_decision_without_peoples_words(
    souvenir: Souvenir, space: SpaceId, clock: ManualClock
) -> None:
    await ask(souvenir, space, "Remember that I live in Rome.")
    said = "I moved to Paris. I prefer tea. Thanks!"
    clock.advance(minutes=1)
    with structlog.testing.capture_logs() as logs:
        await souvenir.formation.form(space, Utterance("user", said, clock.now()), (), "key", {})
    [line] = [entry for entry in logs if entry["event"] == "memory_decision"]
    assert (line["log_level"], line["user"], line["input_length"]) == ("info", space, len(said))
    assert line["extracted_count"] == len(line["decisions"]) == 2
    moved, prefers = line["decisions"]
    assert (moved["action"], prefers["action"]) == ("replace", "add")
    assert moved["target"] is not None
    assert all(set(one) == {"fact", "action", "target", "reason"} and one["reason"] for one in line["decisions"])
    assert not any(word in str(logs) for word in ("Paris", "Rome", "tea"))


def metric_labels() -> dict[str, set[str]]:
    """Every series that /metrics may show, and the labels it has."""
    known: dict[str, set[str]] = {}
    for instrument in vars(Metrics()).values():
        for family in instrument.describe() if isinstance(instrument, MetricWrapperBase) else ():
            endings = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}.get(family.type, ("",))
            known |= {family.name + ending: {*instrument._labelnames} for ending in endings}
    return known


@pytest.mark.req("OPS-2")
def test_every_alert_is_about_figures_that_exist_and_says_what_to_do() -> None:
    [group] = yaml.safe_load(ALERTS.read_text())["groups"]
    known = metric_labels()
    rules = group["rules"]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        named = re.findall(r"(souvenir_\w+)(?:\{(\w+)=)?", rule["expr"])
        assert named, rule
        for metric, label in named:
            assert metric in known, f"{rule['alert']} is about {metric}, which does not exist"
            assert not label or label in known[metric]
        assert re.search(r"[<>]", rule["expr"])
        assert re.fullmatch(r"\d+[mhd]", rule["for"])
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
    wanted = {"SouvenirRecallCacheMisses": "0.5", "SouvenirRerankIsSlow": "0.5"}
    wanted["SouvenirMemoryTakesTooMuchOfTheWindow"] = "0.2"
    assert all(bound in rule["expr"] for rule in rules if (bound := wanted.pop(rule["alert"], None)))
    assert not wanted


@pytest.mark.req("MEM-11")
async def test_the_doctor_tells_what_memory_costs_today_and_what_could_not_be_formed(
    make_settings: MakeSettings, host: ScriptedOpenAI
) -> None:
    settings = make_settings(**scripted(host), memory_tokens_per_day=5000)
    today = datetime.now(UTC).date()
    async with open_souvenir(settings) as souvenir:
        for user, purpose, tokens in (("a", "extract", 1000), ("b", "extract", 200), ("b", "resolve", 34)):
            await souvenir.memories.spend(SpaceId(f"user:{user}"), today, purpose, tokens)
        await souvenir.memories.spend(SpaceId("user:a"), today - timedelta(days=1), "extract", 999)
    found = {finding.part: finding async for finding in examine(settings)}["memory"]
    assert found.verdict == "ok"
    assert found.detail == "1,234 tokens spent today (1,200 to extract, 34 to resolve), at most 5,000 a user"
    async with open_souvenir(settings) as souvenir:
        await souvenir.database.fetch(
            "insert into procrastinate_jobs (queue_name, task_name, status, args) values ('default', %s, 'failed',"
            """ '{"space": "user:a", "key": "k", "payload": {}}') returning id""",
            [TASK],
        )
    found = {finding.part: finding async for finding in examine(settings)}["memory"]
    assert found.verdict == "warning"
    assert "1 message" in found.detail
    assert "souvenir jobs retry" in found.fix


@pytest.mark.req("MEM-11")
async def test_at_the_cap_of_a_day_rules_take_over_until_the_next(
    opened: Open, space: SpaceId, host: ScriptedOpenAI, clock: ManualClock
) -> None:
    model = {"llm_base_url": host.base_url, "llm_model": "scripted", "memory_tokens_per_day": 1}
    async with opened(**model) as souvenir:

        async def path(number: int) -> str:
            host.script(json.dumps({"facts": []}))
            utterance = Utterance("user", "I prefer tea.", clock.now())
            return (await souvenir.formation.form(space, utterance, (), f"form:c:{number}", {})).path

        assert await path(1) == "model"
        assert sum((await souvenir.memories.spent(space, clock.now().date())).values()) >= 1
        assert await path(2) == "local"
        assert len(host.chats) == 1
        assert await contents(souvenir, space) == ["User prefers tea"]
        clock.advance(days=1)
        assert await path(3) == "model"


@pytest.mark.req("LIFE-2")
async def test_a_daily_job_removes_for_good_what_ended_90_days_ago(
    souvenir: Souvenir, space: SpaceId, clock: ManualClock
) -> None:
    await store(souvenir, space, "User is in Rome", expires_at=clock.now() + timedelta(days=7))
    await ask(souvenir, space, "Remember that I live in Rome.")
    await ask(souvenir, space, "Remember that I live in Paris.")
    everything = MemoryFilter(superseded=True, expired=True, deleted=True)

    async def run_at(days: int) -> set[str]:
        clock.advance(days=days)
        await souvenir.jobs.enqueue(GLOBAL_SPACE, EXPIRE_TASK, key=str(clock.now()))
        working = asyncio.create_task(souvenir.jobs.work())
        while (counts := await souvenir.jobs.counts()).waiting or counts.running:
            await asyncio.sleep(0.01)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return {memory.content for memory in (await souvenir.memories.list(space, everything, limit=9)).items}

    assert await run_at(89) == {"User is in Rome", "User lives in Rome", "User lives in Paris"}
    assert await run_at(3) == {"User is in Rome", "User lives in Paris"}
    assert await run_at(10) == {"User lives in Paris"}


# what a model is shown, and contradictions nobody can decide


@pytest.mark.req("MEM-2")
async def test_a_model_sees_the_last_ten_messages_and_what_is_known_of_the_matter(
    opened: Open, space: SpaceId, host: ScriptedOpenAI, clock: ManualClock
) -> None:
    async with opened(llm_base_url=host.base_url, llm_model="scripted") as souvenir:
        await store(souvenir, space, "User's brother is named Karl", category="relationship")
        before = [
            Utterance("user" if number % 2 else "assistant", f"message number {number};", clock.now())
            for number in range(1, 13)
        ]
        fact = {
            "content": "User's brother Karl lives in Bonn", "category": "relationship", "importance": 8,
            "confidence": 0.9, "reasoning": "said so", "lifetime": "preference", "until": None,
        }  # fmt: skip
        host.script(json.dumps({"facts": [fact]}), json.dumps({"action": "add", "target": None, "reason": "new"}))
        said = Utterance("user", "My brother Karl lives in Bonn.", clock.now() + timedelta(minutes=1), "m1")
        formed = await souvenir.formation.form(space, said, before, "form:c:m1", {"chat_id": "c", "message_id": "m1"})
        shown = host.chats[0]["messages"][-1]["content"]
    assert [number for number in range(1, 13) if f"message number {number};" in shown] == list(range(3, 13))
    assert "User's brother is named Karl" in shown
    [decided] = formed.decided
    candidate = decided.candidate
    assert isinstance(candidate, Candidate)
    assert (candidate.category, candidate.importance, candidate.confidence) == ("relationship", 8, 0.9)
    assert (candidate.reasoning, candidate.lifetime, candidate.message_id) == ("said so", "preference", "m1")
    assert decided.memory is not None
    assert decided.memory.origin == {"chat_id": "c", "message_id": "m1"}


def conflicts(user: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = user.client.get("/memories/conflicts").json()["conflicts"]
    return found


@pytest.mark.req("LIFE-5")
def test_a_contradiction_that_cannot_be_decided_stays_open_until_the_user_chooses(make_settings: MakeSettings) -> None:
    with RunningSouvenir(make_settings(), works=True) as running, Caller(running.url) as me, Caller(running.url) as you:
        for place in ("Rome", "Paris"):
            me.say(f"I live in {place}.", created_at="2026-01-01T10:00:00Z", learn=True)
        eventually(lambda: len(conflicts(me)) == 1)
        [conflict] = conflicts(me)
        older, newer = conflict["older"], conflict["newer"]
        assert {older["content"], newer["content"]} == {"User lives in Rome", "User lives in Paris"}
        assert conflicts(you) == []
        refused = you.post(f"/memories/conflicts/{conflict['conflict_id']}", keep=older["memory_id"])
        assert refused.status_code == 404
        kept = me.post(f"/memories/conflicts/{conflict['conflict_id']}", keep=older["memory_id"]).json()
        assert kept["content"] == older["content"]
        assert conflicts(me) == []
        [left] = me.client.get("/memories").json()["memories"]
        assert left["memory_id"] == older["memory_id"]
