"""Souvenir's whole pipeline over HTTP: a real server, messages posted in batches, every question asked of it."""

import contextlib
import re
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from bench.retrieval.data import Conversation, Item, Question
from bench.retrieval.metrics import Answered, quality
from bench.retrieval.peers.common import TOP, tree_memory
from bench.retrieval.side_by_side import Measured
from souvenir.testing.processes import SouvenirProcess, running

BATCH = 100
_SINGLES = 200
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Own:
    """What Souvenir found in a data set; `measured` leaves embedding out of its times, as for everybody else."""

    measured: Measured
    thresholded: tuple[Answered, ...]
    never_said: dict[tuple[str, str], float]
    route_ms: tuple[float, ...]
    batch_adds_per_second: float
    embedded_adds_per_second: float

    @property
    def recall_lost(self) -> float:
        """How much recall@10 the default threshold costs."""
        return quality(self.measured.answered).recall[10] - quality(self.thresholded).recall[10]

    @property
    def empty(self) -> float:
        """The share of never-said questions that bring nothing back, the mean over pairs of conversations."""
        return sum(self.never_said.values()) / len(self.never_said)


class Server:
    """A running Souvenir as its clients see it, and its memory."""

    def __init__(self, process: SouvenirProcess, data: Path) -> None:
        self._process = process
        self._data = data
        self._client = httpx2.Client(base_url=process.url, timeout=_SECONDS)

    def close(self) -> None:
        self._client.close()

    def add(self, user: str, items: Sequence[Item]) -> None:
        """Store the items as messages of one chat, in batches."""
        chat = chat_of(user)
        for start in range(0, len(items), BATCH):
            messages = [message(chat, item) for item in items[start : start + BATCH]]
            self._post(user, "/index-chat-messages", {"messages": messages})

    def add_one(self, user: str, item: Item) -> None:
        """Store one item by itself."""
        self._post(user, "/index-chat-message", message(chat_of(user), item))

    def search(self, user: str, question: Question, threshold: float | None = None) -> list[dict[str, Any]]:
        """The hits; without a threshold, the server's own is in force."""
        asked: dict[str, Any] = {"query": question.text, "limit": TOP}
        if threshold is not None:
            asked["threshold"] = threshold
        answer = self._post(user, "/search", asked)
        if answer["degraded"]:
            raise RuntimeError("the search went by words alone: its figures would say nothing")
        hits: list[dict[str, Any]] = answer["hits"]
        return hits

    def embedding_seconds(self) -> float:
        """How long the embedder has worked so far."""
        text = self._client.get("/metrics").raise_for_status().text
        return sum(float(value) for value in re.findall(r"^souvenir_embed_seconds_sum\S* (\S+)$", text, re.MULTILINE))

    def memory(self) -> int:
        """The memory of the server and its database."""
        clusters = [int(path.read_text().split()[0]) for path in self._data.rglob("postmaster.pid")]
        return sum(tree_memory(process) for process in [self._process.process.pid, *clusters])

    def _post(self, user: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.post(path, json=body, headers={"x-openwebui-user-id": user})
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:500]}")
        read: dict[str, Any] = answer.json()
        return read


def chat_of(user: str) -> str:
    """The one chat of a conversation."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, user))


def message(chat: str, item: Item) -> dict[str, Any]:
    """An item as the routes take it."""
    said: dict[str, Any] = {
        "chat_id": chat, "role": item.role, "content": item.text,
        "created_at": item.at.isoformat(), "external_id": item.id,
    }  # fmt: skip
    return {**said, "speaker": item.speaker} if item.speaker else said


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """A server with an empty database."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_PORT": "0", "SOUVENIR_LOG_LEVEL": "warning"}
        with (
            running(["serve"], settings, Path(folder)) as process,
            contextlib.closing(Server(process, Path(folder))) as server,
        ):
            yield server


def measure(conversations: Sequence[Conversation]) -> Own:
    """Everything about one data set, on a server of its own."""
    with serving() as server:
        before = server.memory()
        embedded = server.embedding_seconds()
        started = time.perf_counter()
        for one in conversations:
            server.add(one.name, one.items)
        whole = time.perf_counter() - started
        embedding = server.embedding_seconds() - embedded
        answered, route, search = ask(server, conversations)
        memory = server.memory() - before
        adds = sum(len(one.items) for one in conversations)
        singles = single_adds(server, conversations[0])
        measured = Measured("**Souvenir**", answered, search, adds, adds, singles, memory / 2**20)
        return Own(
            measured, thresholded(server, conversations), never_said(server, conversations), route,
            batch_adds_per_second=adds / (whole - embedding), embedded_adds_per_second=adds / whole,
        )  # fmt: skip


def ask(
    server: Server, conversations: Sequence[Conversation]
) -> tuple[tuple[Answered, ...], tuple[float, ...], tuple[float, ...]]:
    """Every question, with the milliseconds of the route, and of the route once the query's vector is cached."""
    answered: list[Answered] = []
    times: tuple[list[float], list[float]] = ([], [])
    for one in conversations:
        for question in one.questions:
            for taken in times:
                started = time.perf_counter()
                hits = server.search(one.name, question, threshold=0)
                taken.append((time.perf_counter() - started) * 1000)
            answered.append(Answered(question, ranking(hits)))
    return tuple(answered), tuple(times[0]), tuple(times[1])


def ranking(hits: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The messages of the hits, best first, each once."""
    return tuple(dict.fromkeys(hit["external_id"] for hit in hits))


def thresholded(server: Server, conversations: Sequence[Conversation]) -> tuple[Answered, ...]:
    """The questions that have evidence, under the default threshold."""
    return tuple(
        Answered(question, ranking(server.search(one.name, question)))
        for one in conversations
        for question in one.answerable
    )


def never_said(server: Server, conversations: Sequence[Conversation]) -> dict[tuple[str, str], float]:
    """For each pair, the share of one's questions that bring nothing back when they are asked of the other."""
    return {
        (one.name, other.name): sum(not server.search(other.name, question) for question in one.questions)
        / len(one.questions)
        for one in conversations
        for other in conversations
        if other is not one
    }


def single_adds(server: Server, one: Conversation) -> float:
    """Messages stored in a second, one by one, the embedder's time left out."""
    embedded, started = server.embedding_seconds(), time.perf_counter()
    for item in one.items[:_SINGLES]:
        server.add_one(f"{one.name}-again", item)
    taken = time.perf_counter() - started - (server.embedding_seconds() - embedded)
    return min(_SINGLES, len(one.items)) / taken


def newest_first(server: Server, facts: Conversation) -> float:
    """The share of questions whose best hit holds the answer, which is in the newest fact."""
    server.add(facts.name, facts.items)
    right = [holds(server.search(facts.name, question, threshold=0), question) for question in facts.questions]
    return sum(right) / len(right)


def holds(hits: Sequence[dict[str, Any]], question: Question) -> bool:
    """Whether the best hit's text holds an answer."""
    text = hits[0]["text"].lower() if hits else ""
    return any(answer.lower() in text for answer in question.answers)
