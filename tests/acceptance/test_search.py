"""Search over HTTP: what it takes and refuses, whose spaces it sees, its filters, scores and citations."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from souvenir.config import Settings
from souvenir.storage import open_storage
from souvenir.stores.passage_ports import Kind, NewPassage
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token
from souvenir.types import SpaceId
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.remembering import Memory, message


@pytest.fixture
def memory(shared: RunningSouvenir) -> Iterator[Memory]:
    """A user of their own, on the module's server."""
    with Memory(shared.url) as memory:
        yield memory


# what it takes


@pytest.mark.req("ID-9", "SRCH-8")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": None}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n\t\u3000"}, "query"),
        ({"query": 7}, "query"),
        ({"query": ["x"]}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": -1}, "limit"),
        ({"query": "x", "limit": "10"}, "limit"),
        ({"query": "x", "limit": 1.5}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "limit": []}, "limit"),
        ({"query": "x", "threshold": -0.01}, "threshold"),
        ({"query": "x", "threshold": 1.01}, "threshold"),
        ({"query": "x", "threshold": "0.5"}, "threshold"),
        ({"query": "x", "threshold": True}, "threshold"),
        ({"query": "x", "kinds": ["zebra"]}, "kinds"),
        ({"query": "x", "kinds": ["message", "Memory"]}, "kinds"),
        ({"query": "x", "kinds": "message"}, "kinds"),
        ({"query": "x", "kinds": [7]}, "kinds[0]"),
        ({"query": "x", "tags": "a"}, "tags"),
        ({"query": "x", "tags": [1]}, "tags[0]"),
        ({"query": "x", "tags": ["a"] * 101}, "tags"),
        ({"query": "x", "all_tags": {"a": 1}}, "all_tags"),
        ({"query": "x", "categories": [None]}, "categories[0]"),
        ({"query": "x", "chat_id": "a b"}, "chat_id"),
        ({"query": "x", "chat_id": ""}, "chat_id"),
        ({"query": "x", "chat_id": "x" * 129}, "chat_id"),
        ({"query": "x", "chat_id": 7}, "chat_id"),
        ({"query": "x", "since": "2026-02-30"}, "since"),
        ({"query": "x", "since": "yesterday"}, "since"),
        ({"query": "x", "since": 1700000000}, "since"),
        ({"query": "x", "since": "1700000000"}, "since"),
        ({"query": "x", "until": "2026-13-01T00:00:00Z"}, "until"),
        ({"query": "x", "until": "2026-01-01T25:00:00Z"}, "until"),
        ({"query": "x", "as_of": ""}, "as_of"),
        ({"query": "x", "as_of": "2026-01-01T10:00:00+99:00"}, "as_of"),
        ({"query": "x", "as_of": "0001-01-01T00:00:00+14:00"}, "as_of"),
        ({"query": "x", "since": "2026-01-02", "until": "2026-01-01"}, "since"),
        ({"query": "x", "since": "2026-01-01", "until": "2026-01-01"}, "since"),
        ({"query": "x", "since": "2026-01-01T01:00:00+01:00", "until": "2026-01-01"}, "since"),
        ({"query": "x", "spaces": ["project"]}, "spaces"),
        ({"query": "x", "spaces": ["org"]}, "spaces"),
        ({"query": "x", "spaces": ["moon"]}, "spaces"),
        ({"query": "x", "spaces": []}, "spaces"),
        ({"query": "x", "spaces": "user"}, "spaces"),
        ({"query": "x", "project_id": ""}, "project_id"),
        ({"query": "x", "project_id": " p"}, "project_id"),
        ({"query": "x", "project_id": "p\u0085"}, "project_id"),
        ({"query": "x", "project_id": 7}, "project_id"),
        ([], "body"),
    ],
)
def test_a_wrong_search_is_400_and_names_the_field(client: httpx2.Client, body: Any, field: str) -> None:
    answer = client.post("/search", json=body)
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["field"] == field
    assert field in answer.json()["detail"]


@pytest.mark.req("ID-9", "SRCH-8")
def test_a_query_over_its_maximum_is_413_and_one_at_it_is_served(memory: Memory) -> None:
    assert memory.post("/search", query="x" * 100_001).status_code == 413
    memory.say("the needle")
    assert memory.post("/search", query="needle " * 14_285).status_code == 200


@pytest.mark.req("ID-9", "SRCH-8")
@pytest.mark.parametrize(
    "query",
    [
        "🦊", "👩‍👩‍👧‍👦🏳️‍🌈",
        "'; drop table passages; --", '" or 1=1', "%", "_%_", "\\", "(a+)+$", "[", ".*", "a & !b | (c",
        "<->", "fox:* & ' ' | !!", "%s %(x)s {} {0} $1 :name", "<script>alert(1)</script>", "\u202e\u200b", "e\u0301",
        "ﷺ" * 500, "?", "the of and", "1", "\ud7ff", "ᚠᛇᚻ 中文 שלום สวัสดี", "a" * 5000, "\n.\n",
    ],
)  # fmt: skip
def test_any_other_text_is_a_query(memory: Memory, query: str) -> None:
    memory.say(f"They wrote {query} on the wall.", chat_id="wall")
    memory.say("The weather is fine.", chat_id="weather")
    answer = memory.answer(query, threshold=0)
    assert answer["degraded"] is False
    assert len(answer["hits"]) == 2


@pytest.mark.req("SRCH-8")
def test_a_hit_has_a_score_an_origin_and_a_citation(memory: Memory) -> None:
    told = {"speaker": "Anna", "created_at": "2026-05-01T10:00:00+02:00", "external_id": "mail-7"}
    message_id = memory.say("The ferry to Naxos leaves at seven.", chat_id="trip", role="assistant", **told)
    other = memory.say("The ferry is blue.", chat_id="trip")
    first, second = memory.hits("ferry to Naxos", threshold=0)
    if first["message_id"] == other:
        first, second = second, first
    assert 0 < first.pop("score") < 1
    assert {first.pop("citation"), second["citation"]} == {"[M1]", "[M2]"}
    first["source"] = {name: value for name, value in first["source"].items() if value is not None}  # not of a file
    assert first == {
        "text": "The ferry to Naxos leaves at seven.",
        "kind": "message",
        "message_id": message_id,
        "external_id": "mail-7",
        "created_at": "2026-05-01T08:00:00Z",
        "speaker": "Anna",
        "role": "assistant",
        "tags": [],
        "source": {"chat_id": "trip", "message_id": message_id, "start": 0, "end": 35},
    }
    assert (second["external_id"], second["speaker"], second["role"]) == (None, None, "user")


@pytest.mark.req("SRCH-8")
def test_ten_hits_are_usual_and_a_hundred_the_most(memory: Memory) -> None:
    memory.say_all([message(f"Fox number {number}.", chat_id=f"c{number}") for number in range(120)])
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 10), ({"limit": None}, 10), ({"limit": 3}, 3), ({"limit": 100}, 100), ({"limit": 101}, 100),
        ({"limit": 10**30}, 100),
    ]  # fmt: skip
    for asked, expected in cases:
        hits = memory.hits("fox", threshold=0, **asked)
        assert len(hits) == expected
        assert [hit["citation"] for hit in hits] == [f"[M{place}]" for place in range(1, expected + 1)]


@pytest.mark.req("SRCH-3")
def test_hits_come_best_first_and_the_threshold_is_strictly_exceeded(memory: Memory) -> None:
    for number, text in enumerate(("fox fox fox", "a fox in the garden", "gardens", "something else altogether")):
        memory.say(text, chat_id=f"c{number}")
    scores = [hit["score"] for hit in memory.hits("a fox in the garden", threshold=0)]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for threshold in scores:
        kept = [hit["score"] for hit in memory.hits("a fox in the garden", threshold=threshold)]
        assert kept == [score for score in scores if score > threshold]
    assert memory.hits("a fox in the garden", threshold=1) == []


@pytest.mark.req("SRCH-3")
def test_the_threshold_of_the_settings_holds_where_a_search_names_none(serve: Serve) -> None:
    for configured, found in [(0.0, 1), (1.0, 0)]:
        with Memory(serve(search_threshold=configured).url) as memory:
            memory.say("a fox")
            assert len(memory.hits("a fox")) == found
            assert len(memory.hits("a fox", threshold=0)) == 1


def test_a_user_who_never_said_anything_finds_nothing(memory: Memory) -> None:
    assert memory.answer("anything", threshold=0) == {"hits": [], "degraded": False}


# what it finds, with the embedder people have


@pytest.fixture(scope="module")
def told(postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with (
        postgres.database() as url,
        RunningSouvenir(Settings(database_url=url, data_dir=tmp_path_factory.mktemp("minilm"))) as running,
        Memory(running.url) as memory,
    ):
        memory.say_all(
            [
                message("Our cat Minka sleeps on the radiator all day.", chat_id="home", speaker="Lea"),
                message("We fly to Reykjavik on the 3rd of August, booking code KX47QP.", chat_id="trip"),
                message("The invoice for the new roof came to 14,300 euros.", chat_id="house"),
                message("What would you like for your birthday dinner?", chat_id="dinner", role="assistant"),
                message("Definitely ramen.", chat_id="dinner", speaker="Lea"),
                message("Please upgrade the build server to Python 3.11.9 this week.", chat_id="work"),
            ]
        )
        yield memory


@pytest.mark.req("SRCH-5", "SRCH-8")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Which pet do we have?", "Minka"),
        ("When is our flight to Iceland?", "Reykjavik"),
        ("KX47QP", "Reykjavik"),
        ("How much did the roof cost?", "14,300"),
        ("python 3.11.9", "Python 3.11.9"),
        ("What does Lea want to eat for her birthday?", "ramen"),
    ],
)
def test_the_answer_to_a_question_ranks_first(told: Memory, query: str, text: str) -> None:
    assert text in told.hits(query, threshold=0)[0]["text"]


@pytest.mark.req("SRCH-3", "SRCH-5", "SRCH-8")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("KX47QP", "Reykjavik"),
        ("How much did the roof cost?", "14,300"),
        ("python 3.11.9", "Python 3.11.9"),
        ("What does Lea want to eat for her birthday?", "ramen"),
    ],
)
def test_an_answer_that_shares_a_word_or_a_name_exceeds_the_usual_threshold(
    told: Memory, query: str, text: str
) -> None:
    assert text in told.hits(query)[0]["text"]


@pytest.mark.req("SRCH-3")
@pytest.mark.parametrize("query", ["How do I whip egg whites?", "What is the capital of Mongolia?", "zxqv 99-B"])
def test_where_nothing_relevant_is_known_nothing_comes_back(told: Memory, query: str) -> None:
    assert told.hits(query) == []


# whose spaces it sees


@dataclass(frozen=True)
class Seed:
    """A passage that is in every space alike."""

    number: int
    kind: Kind
    chat_id: str | None
    at: datetime
    until: datetime | None
    tags: tuple[str, ...]
    category: str | None


JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
SPACES = ("user:alice", "user:bob", "project:apollo", "project:gemini", "org:acme", "org:zeta", "global")
SEEDED_KINDS: tuple[Kind, ...] = ("message", "memory", "chunk")
SEEDS = [
    Seed(number, kind, chat, JANUARY + timedelta(days=number), JANUARY + timedelta(days=end) if end else None, tags, of)
    for number, (kind, (chat, end), (tags, of)) in enumerate(
        itertools.product(
            SEEDED_KINDS,
            (("c1", None), ("c2", None), (None, 20)),
            (((), None), (("red",), "identity"), (("red", "blue"), "preference")),
        )
    )
]


@pytest.fixture(scope="module")
def seeded(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    """Identical passages of all kinds in seven spaces; a hit's `message_id` says which one it is, and where."""
    with postgres.database() as url:
        options = Settings(
            database_url=url,
            data_dir=tmp_path_factory.mktemp("seeded"),
            auth="jwt",
            jwt_secret=SECRET,
            **scripted(host),
        )
        with RunningSouvenir(options) as running:
            asyncio.run(_seed(running))
            yield running


async def _seed(running: RunningSouvenir) -> None:
    async with open_storage(running.souvenir.settings) as storage:
        for name in SPACES:
            space = SpaceId(name)
            passages = [
                NewPassage(
                    kind=seed.kind,
                    text=f"A fox of kind {seed.number}.",
                    terms="fox kind",
                    at=seed.at,
                    end=20,
                    chat_id=seed.chat_id,
                    message_id=f"{seed.number}@{name}",
                    role="user",
                    tags=seed.tags,
                    category=seed.category,
                )
                for seed in SEEDS
            ]
            ids = await storage.passages.add(space, passages)
            for seed, passage_id in zip(SEEDS, ids, strict=True):
                if seed.until is not None:
                    await storage.passages.close(space, [passage_id], seed.until)


def some(values: list[str]) -> st.SearchStrategy[list[str] | None]:
    return st.none() | st.lists(st.sampled_from(values), max_size=3)


DAYS = st.none() | st.integers(-1, 30).map(lambda day: JANUARY + timedelta(days=day))
FILTERS = st.fixed_dictionaries(
    {
        "kinds": some(["message", "memory", "chunk", "picture"]),
        "tags": some(["red", "blue", "green"]),
        "all_tags": some(["red", "blue", "green"]),
        "categories": some(["identity", "preference", "nonsense"]),
        "chat_id": st.sampled_from([None, "c1", "c2", "unknown"]),
        "since": DAYS,
        "until": DAYS,
        "as_of": DAYS,
    }
)
CALLERS = st.fixed_dictionaries(
    {
        "user": st.sampled_from(["alice", "bob"]),
        "project_id": st.sampled_from([None, "apollo", "gemini"]),
        "org": st.sampled_from([None, "acme", "zeta"]),
        "spaces": st.none() | st.lists(st.sampled_from(["user", "project", "org", "global"]), min_size=1, max_size=5),
    }
)


def passes(seed: Seed, only: dict[str, Any]) -> bool:
    """Whether a seed passes the filters: the specification in its plainest form."""
    moment = only["as_of"]
    stands = (
        seed.until is None
        if moment is None
        else seed.at <= moment and (seed.until or datetime.max.replace(tzinfo=UTC)) > moment
    )
    return (
        stands
        and (not only["kinds"] or seed.kind in only["kinds"])
        and (not only["tags"] or bool(set(seed.tags) & set(only["tags"])))
        and (not only["all_tags"] or set(only["all_tags"]) <= set(seed.tags))
        and (not only["categories"] or seed.category in only["categories"])
        and (only["chat_id"] is None or seed.chat_id == only["chat_id"])
        and (only["since"] is None or seed.at >= only["since"])
        and (only["until"] is None or seed.at < only["until"])
    )


def expected_spaces(caller: dict[str, Any]) -> set[str] | None:
    """The spaces a search sees; None when it must be refused."""
    places = {"user": f"user:{caller['user']}", "global": "global"}
    if caller["project_id"]:
        places["project"] = f"project:{caller['project_id']}"
    if caller["org"]:
        places["org"] = f"org:{caller['org']}"
    if caller["spaces"] is not None:
        return {places[name] for name in caller["spaces"]} if set(caller["spaces"]) <= set(places) else None
    return {places["project"]} if caller["project_id"] else {places[name] for name in ("user", "org") if name in places}


@pytest.mark.req("SRCH-2", "SRCH-8", "ID-6", "ID-8")
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(caller=CALLERS, only=FILTERS)
def test_a_search_sees_its_own_spaces_and_what_passes_its_filters_and_nothing_else(
    seeded: RunningSouvenir, caller: dict[str, Any], only: dict[str, Any]
) -> None:
    made = token(caller["user"], orgs=["acme", "zeta"], projects=["apollo", "gemini"])
    headers = {"Authorization": f"Bearer {made}"} | ({"X-Org-Id": caller["org"]} if caller["org"] else {})
    body = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in only.items()}
    body |= {"query": "fox", "threshold": 0, "limit": 100, "user_id": "bob"}
    body |= {name: caller[name] for name in ("project_id", "spaces")}
    answer = httpx2.post(f"{seeded.url}/search", json=body, headers=headers)
    spaces = expected_spaces(caller)
    backwards = only["since"] is not None and only["until"] is not None and only["since"] >= only["until"]
    if spaces is None or backwards:
        assert answer.status_code == 400
        assert answer.json()["field"] == ("spaces" if spaces is None else "since")
        return
    expected = {f"{seed.number}@{space}" for seed in SEEDS if passes(seed, only) for space in spaces}
    hits = answer.json()["hits"]
    found = [hit["message_id"] for hit in hits]
    assert len(found) == len(set(found)) == min(100, len(expected))
    assert set(found) <= expected
    # the same passage scores the same wherever it is
    scores: dict[str, set[float]] = {}
    for hit in hits:
        scores.setdefault(hit["text"], set()).add(hit["score"])
    assert all(len(of_one) == 1 for of_one in scores.values())


@pytest.mark.req("SRCH-8", "ID-6")
@pytest.mark.parametrize("spaces", [None, ["user"], ["project"], ["user", "project", "global"]])
def test_a_project_of_others_is_403_existing_or_not(seeded: RunningSouvenir, spaces: list[str] | None) -> None:
    headers = {"Authorization": f"Bearer {token('alice', projects=['apollo'])}"}
    answers = [
        httpx2.post(
            f"{seeded.url}/search", json={"query": "fox", "project_id": project, "spaces": spaces}, headers=headers
        )
        for project in ("gemini", "never made")
    ]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert answers[0].text == answers[1].text


@pytest.mark.req("ID-5")
def test_a_caller_without_a_user_has_nothing_to_search(serve: Serve) -> None:
    anonymous = serve(default_user="")
    for path, body in [
        ("/search", {"query": "x"}),
        ("/search", {"query": "x", "spaces": ["global"]}),
        ("/index-chat-message", message("x")),
        ("/index-chat-messages", {"messages": [message("x")]}),
    ]:
        answer = httpx2.post(anonymous.url + path, json=body)
        assert answer.status_code == 400
        assert answer.json()["field"] == "x-openwebui-user-id"


# times


@pytest.mark.req("SRCH-2", "SRCH-8")
def test_times_may_be_written_in_many_ways(memory: Memory) -> None:
    for day in (1, 2, 3):
        memory.say(f"day {day}", created_at=f"2026-03-0{day}T12:00:00Z")
    for since in ("2026-03-02", "2026-03-02T00:00:00", "2026-03-02T02:00:00+02:00", "2026-03-02 00:00Z", "20260302",
                  "2026-03-02t00:00:00.000z", "2026-03-01T19:00-05:00"):  # fmt: skip
        assert memory.everything(since=since) == {"day 2", "day 3"}
        assert memory.everything(until=since) == {"day 1"}
        assert memory.everything(as_of=since) == {"day 1"}
    assert memory.everything(since="2026-03-02T12:00:00Z") == {"day 2", "day 3"}
    assert memory.everything(until="2026-03-02T12:00:00Z") == {"day 1"}
    assert memory.everything(as_of="2026-03-02T12:00:00Z") == {"day 1", "day 2"}
    assert memory.everything(as_of="2026-03-02T11:59:59.999999Z") == {"day 1"}
    assert memory.everything(since="0001-01-01", until="9999-12-31") == {"day 1", "day 2", "day 3"}


@pytest.mark.req("SRCH-2")
def test_what_came_later_lends_nothing_to_what_was_known_then(memory: Memory) -> None:
    memory.say("We should name the boat.", chat_id="boat", created_at="2026-01-01T10:00:00Z")
    then = memory.hits("What is the boat called?", threshold=0)
    memory.say("The boat is called Albatross.", chat_id="boat", created_at="2026-01-01T10:05:00Z")
    (again,) = memory.hits("What is the boat called?", threshold=0, as_of="2026-01-01T10:01:00Z")
    assert again["text"] == then[0]["text"]
    assert len(memory.hits("What is the boat called?", threshold=0)) == 2
