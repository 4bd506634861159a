"""A rerank endpoint over real HTTP: its three forms, what it may get wrong, and what it is never sent."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from structlog.testing import capture_logs

from souvenir.config import load_settings
from souvenir.errors import SettingsError, Unavailable
from souvenir.llm.rerank import EndpointReranker
from souvenir.metrics import Metrics
from souvenir.retrieval.rerank import Reranked, Reranker, reranked

pytestmark = pytest.mark.req("SRCH-6")

ITEMS = ["alpha", "beta", "gamma"]
KEY = "rk-very-secret-0123456789"


@dataclass
class Scripted:
    """A `/rerank` route that answers what it is told to; `hold` keeps every answer back until `go` is set."""

    answer: bytes = b"[]"
    status: int = 200
    hold: bool = False
    go: threading.Event = field(default_factory=threading.Event)
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def say(self, answer: object, status: int = 200) -> None:
        self.answer = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.status = status


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            scripted.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
            if scripted.hold:
                scripted.go.wait(10)
                return
            self.send_response(scripted.status)
            self.send_header("content-length", str(len(scripted.answer)))
            self.end_headers()
            self.wfile.write(scripted.answer)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{listening.server_port}/v1/rerank"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield scripted
    scripted.go.set()
    listening.shutdown()
    thread.join()
    listening.server_close()


Connect = Callable[..., EndpointReranker]


@pytest.fixture
async def connect(server: Scripted) -> AsyncIterator[Connect]:
    made: list[EndpointReranker] = []

    def make(**overrides: Any) -> EndpointReranker:
        settings = load_settings({}, **({"rerank": "endpoint", "rerank_url": server.url} | overrides))
        made.append(EndpointReranker(settings))
        return made[-1]

    yield make
    for reranker in made:
        await reranker.aclose()
        await reranker.aclose()


async def rerank(reranker: Reranker, metrics: Metrics, timeout: float = 5) -> Reranked[str]:
    return await reranked(reranker, "which?", ITEMS, str, metrics=metrics, timeout=timeout)


def row(index: Any, score: Any, name: str = "relevance_score") -> dict[str, Any]:
    return {"index": index, name: score}


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("cohere", {"model": "m", "query": "which?", "documents": ITEMS, "top_n": 3}),
        ("jina", {"model": "m", "query": "which?", "documents": ITEMS, "top_n": 3, "return_documents": False}),
        ("tei", {"query": "which?", "texts": ITEMS, "truncate": True}),
    ],
)
async def test_each_form_is_asked_as_it_wants_and_understood(
    server: Scripted, connect: Connect, form: str, body: dict[str, Any]
) -> None:
    rows = [row(0, 0.1), row(2, 0.9), row(1, -3)]
    tei = [row(0, 0.1, "score"), row(2, 0.9, "score"), row(1, -3, "score")]
    server.say(tei if form == "tei" else {"id": "x", "results": rows, "usage": {"total_tokens": 3}})
    metrics = Metrics()
    assert await rerank(connect(rerank_form=form, rerank_model="m"), metrics) == (["gamma", "alpha", "beta"], False)
    assert server.bodies == [body]
    assert metrics.registry.get_sample_value("souvenir_rerank_seconds_count", {"reranker": "endpoint"}) == 1


async def test_without_a_model_none_is_named(server: Scripted, connect: Connect) -> None:
    server.say({"results": [row(0, 1)]})
    await connect().rank("q", ITEMS)
    assert "model" not in server.bodies[0]


async def test_texts_of_the_same_score_stay_in_order(server: Scripted, connect: Connect) -> None:
    server.say({"results": [row(2, 0.5), row(1, 0.5), row(0, 0.1)]})
    assert await connect().rank("q", ITEMS) == [1, 2, 0]


async def test_a_partial_ranking_is_followed_by_the_rest(server: Scripted, connect: Connect) -> None:
    server.say({"results": [row(1, 0.5)]})
    assert await rerank(connect(), Metrics()) == (["beta", "alpha", "gamma"], False)


async def test_what_no_json_reader_takes_is_not_sent(server: Scripted, connect: Connect) -> None:
    server.say({"results": [row(0, 1)]})
    await connect().rank("wo\ud800rd", ["a\x00b", " \n", "\ud83d\ude00"])
    assert server.bodies[0]["query"] == "wo\ufffdrd"
    assert server.bodies[0]["documents"] == ["a\ufffdb", ".", "😀"]


BROKEN: dict[str, object] = {
    "html": b"<html>Welcome</html>",
    "nothing": b"",
    "half a JSON": b'{"results": [{"index": 0, "rele',
    "deep JSON": b"[" * 100_000,
    "not UTF-8": b'{"results": "\xff"}',
    "null": None,
    "a number": 3,
    "a string": "results",
    "no results": {"data": []},
    "results null": {"results": None},
    "results an object": {"results": {"index": 0, "relevance_score": 1}},
    "rows that are numbers": {"results": [0, 1]},
    "rows that are lists": {"results": [[0, 0.5]]},
    "no score": {"results": [{"index": 0}]},
    "no index": {"results": [{"relevance_score": 0.5}]},
    "a score in words": {"results": [row(0, "high")]},
    "a score of null": {"results": [row(0, None)]},
    "a score of true": {"results": [row(0, True)]},
    "NaN": b'{"results": [{"index": 0, "relevance_score": NaN}, {"index": 1, "relevance_score": 1}]}',
    "Infinity": b'{"results": [{"index": 0, "relevance_score": Infinity}]}',
    "a score too large": b'{"results": [{"index": 0, "relevance_score": 1e999}]}',
    "an integer too large": b'{"results": [{"index": 0, "relevance_score": ' + b"9" * 400 + b"}]}",
    "true as an index": {"results": [row(True, 0.5), row(0, 0.1)]},
    "an index in words": {"results": [row("0", 0.5)]},
    "a fraction as an index": {"results": [row(1.0, 0.5)]},
}
MALFORMED: dict[str, object] = {
    "empty": {"results": []},
    "an empty list": [],
    "repeated": {"results": [row(1, 0.9), row(1, 0.8), row(0, 0.1)]},
    "out of range": {"results": [row(0, 0.9), row(3, 0.8)]},
    "negative": {"results": [row(-1, 0.9), row(0, 0.8)]},
    "far out of range": {"results": [row(10**30, 0.9)]},
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
async def test_an_answer_that_is_no_ranking_leaves_the_order(
    server: Scripted, connect: Connect, answer: object
) -> None:
    server.say(answer)
    with pytest.raises(Unavailable, match="not a ranking"):
        await connect().rank("which?", ITEMS)
    assert await rerank(connect(), Metrics()) == (ITEMS, True)


@pytest.mark.parametrize("answer", MALFORMED.values(), ids=MALFORMED)
async def test_a_ranking_that_cannot_be_followed_leaves_the_order(
    server: Scripted, connect: Connect, answer: object
) -> None:
    server.say(answer)
    metrics = Metrics()
    assert await rerank(connect(), metrics) == (ITEMS, True)
    labels = {"reranker": "endpoint", "reason": "malformed"}
    assert metrics.registry.get_sample_value("souvenir_rerank_fallbacks_total", labels) == 1


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (500, "answered 500"),
        (503, "answered 503"),
        (429, "answered 429"),
        (401, "SOUVENIR_RERANK_API_KEY"),
        (404, "SOUVENIR_RERANK_URL"),
        (422, "SOUVENIR_RERANK_FORM"),
        (302, "answered 302"),
    ],
)
async def test_a_refusal_names_the_status_and_the_remedy_but_not_what_was_sent(
    server: Scripted, connect: Connect, status: int, says: str
) -> None:
    server.say({"detail": f"bad key {KEY} for alpha"}, status)
    reranker = connect(rerank_api_key=KEY)
    with capture_logs() as logs:
        with pytest.raises(Unavailable, match=says) as error:
            await reranker.rank("which?", ITEMS)
        assert await rerank(reranker, Metrics()) == (ITEMS, True)
    assert "alpha" not in str(error.value)
    assert "alpha" not in str([entry for entry in logs if entry["log_level"] != "debug"])
    assert KEY not in f"{error.value}{logs}"
    assert len(server.bodies) == 2  # one try each


async def test_an_endpoint_that_is_slow_is_not_waited_for(server: Scripted, connect: Connect) -> None:
    server.hold = True
    metrics = Metrics()
    assert await rerank(connect(rerank_timeout_seconds=30), metrics, timeout=0.05) == (ITEMS, True)
    labels = {"reranker": "endpoint", "reason": "timeout"}
    assert metrics.registry.get_sample_value("souvenir_rerank_fallbacks_total", labels) == 1
    with pytest.raises(Unavailable, match=r"silent for 0\.05 s"):
        await connect(rerank_timeout_seconds=0.05).rank("q", ITEMS)


async def test_an_endpoint_that_hangs_up_is_unavailable(server: Scripted, connect: Connect) -> None:
    server.hold = True
    server.go.set()
    with pytest.raises(Unavailable, match="broke off"):
        await connect().rank("q", ITEMS)


async def test_an_endpoint_that_is_not_there_is_unavailable(connect: Connect) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        reranker = connect(rerank_url=f"http://user:hush@127.0.0.1:{unused.getsockname()[1]}/rerank")
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1") as error:
            await reranker.rank("q", ITEMS)
    assert "hush" not in str(error.value)


async def test_searches_at_the_same_time_get_their_own_rankings(server: Scripted, connect: Connect) -> None:
    server.say({"results": [row(1, 1)]})
    reranker = connect()
    assert await asyncio.gather(*(reranker.rank("q", ITEMS) for _ in range(8))) == [[1]] * 8


async def test_nothing_meant_for_other_programs_is_sent(
    server: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "COHERE_API_KEY", "JINA_API_KEY"):
        monkeypatch.setenv(name, "somebody-elses")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: somebody-elses")
    server.say({"results": [row(0, 1)]})
    await connect().rank("q", ITEMS)
    await connect(rerank_api_key=KEY).rank("q", ITEMS)
    assert "authorization" not in server.headers[0]
    assert server.headers[1]["authorization"] == f"Bearer {KEY}"
    assert "somebody-elses" not in str(server.headers)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"rerank": "off", "rerank_url": None}, "RERANK_URL"),
        ({"rerank_url": "http://"}, "RERANK_URL"),
        ({"rerank_url": "http://[::1/rerank"}, "RERANK_URL"),
        ({"rerank_api_key": "schlüssel"}, "RERANK_API_KEY"),
        ({"rerank_api_key": "two\nlines"}, "RERANK_API_KEY"),
    ],
)
async def test_an_endpoint_that_cannot_be_called_is_refused_at_start(
    connect: Connect, settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        connect(**settings)
