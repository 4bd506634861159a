"""Memory: how fast it forms, what resolving costs in a large space, and what it makes of facts and conversations.

`python -m bench.memory` prints the figures; `--write` writes docs/memory.md, with a sample of what was stored.
"""

import argparse
import asyncio
import contextlib
import random
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psutil
import uvloop

from bench.memory_data import is_greeting, place_of, things_said, value_of
from bench.report import Figure, table
from bench.retrieval.data import SHARED, Conversation, Question, facts, locomo
from bench.search import turn_about
from souvenir.app import Souvenir, open_souvenir
from souvenir.chat.indexing import Said
from souvenir.clock import Clock
from souvenir.config import load_settings
from souvenir.log import configure_logging
from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.port import Candidate, Utterance
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import terms_of
from souvenir.stores.chat_rules import next_id
from souvenir.stores.memory_ports import FoundBy, Memory
from souvenir.stores.memory_rules import sentence_key
from souvenir.stores.postgres.embedded import EmbeddedPostgres
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId, user_space

PAGE = Path(__file__).parents[1] / "docs" / "memory.md"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PER_SECOND = 50.0
USERS, EACH, ALONE = 10, 60, 300
FEW, MANY, FLAT = 100, 10_000, 1.5
ROUNDS = 100
NEWEST = 0.9
SAME, ALIKE, DUPLICATES = 0.95, 0.9, 0.02
SAMPLE = 20
_MEMORIES = Filter(kinds=frozenset({"memory"}))


@contextlib.asynccontextmanager
async def opened(folder: Path, clock: Clock | None = None) -> AsyncIterator[Souvenir]:
    settings = load_settings({}, data_dir=folder, log_level="error")
    async with open_souvenir(settings, clock) as souvenir:
        yield souvenir


# how fast


async def speed(folder: Path) -> list[Figure]:
    """Messages that are each worth a memory, from the queue, as after `learn`."""
    async with opened(folder) as souvenir:
        texts = iter(things_said(USERS * EACH + ALONE))
        several = [(user_space(f"user-{number}"), [next(texts) for _ in range(EACH)]) for number in range(USERS)]
        alone = [(user_space("alone"), [next(texts) for _ in range(ALONE)])]
        before = _cpu_seconds(folder)
        by_many = await _rate(souvenir, several)
        cpu = (_cpu_seconds(folder) - before) / (USERS * EACH)
        by_one = await _rate(souvenir, alone)
    return [
        Figure(f"memories formed, {USERS} users at once", by_many, "≥", PER_SECOND, "per second"),
        Figure("memories formed, one user, in order", by_one, "≥", PER_SECOND, "per second"),
        Figure("time of a core for a memory, message indexed, Postgres included", cpu * 1000, "", None, "ms"),
    ]


async def _rate(souvenir: Souvenir, said: Sequence[tuple[SpaceId, Sequence[str]]]) -> float:
    for space, texts in said:
        messages = [Said("chat", "user", text, learn=True) for text in texts]
        await souvenir.indexing.index(space, messages)
    started = time.perf_counter()
    working = asyncio.create_task(souvenir.jobs.work())
    while (counts := await souvenir.jobs.counts()).waiting + counts.running:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.05)
    taken = time.perf_counter() - started
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    formed = [(await souvenir.memories.counts(space)).active for space, _ in said]
    assert sum(formed) == sum(len(texts) for _, texts in said), "each message is to give one memory"
    return sum(formed) / taken


def _cpu_seconds(folder: Path) -> float:
    """What this process and its database have used so far; a backend that ended counts no more."""
    server = psutil.Process(EmbeddedPostgres(folder / "postgres").pid)
    total = 0.0
    for process in (psutil.Process(), server, *server.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


# what resolving costs


async def flatness(folder: Path) -> list[Figure]:
    """The same candidates held against a hundred memories and against ten thousand."""
    clock = ManualClock(BEGAN)
    async with opened(folder, clock) as souvenir:
        said = things_said(MANY + 5 * ROUNDS)
        small, large = user_space("few"), user_space("many")
        await fill(souvenir, small, said[:FEW])
        await fill(souvenir, large, said[:MANY])
        clock.advance(days=1)
        fresh = iter(said[MANY:])
        extractor, number = LocalExtractor(), iter(range(10**6))

        def next_said() -> Utterance:
            return Utterance("user", next(fresh), clock.now())

        extracting, few, many = await turn_about(
            [
                lambda: extractor.extract(next_said(), (), ()),
                lambda: souvenir.formation.consider(small, next_said(), ()),
                lambda: souvenir.formation.consider(large, next_said(), ()),
            ],
            ROUNDS // 2,
        )
        whole_few, whole_many = await turn_about(
            [
                lambda: souvenir.formation.form(small, next_said(), (), f"key-{next(number)}", {}),
                lambda: souvenir.formation.form(large, next_said(), (), f"key-{next(number)}", {}),
            ],
            ROUNDS // 2,
        )
    return [
        Figure(
            f"resolving with {MANY:,} memories of a user / with {FEW}", (many - extracting) / (few - extracting),
            "≤", FLAT,
        ),
        Figure(f"resolving with {FEW} memories (p50)", (few - extracting) * 1000, "", None, "ms"),
        Figure(f"a message formed with {MANY:,} memories of a user / with {FEW}", whole_many / whole_few, "≤", FLAT),
    ]  # fmt: skip


async def fill(souvenir: Souvenir, space: SpaceId, said: Sequence[str]) -> None:
    """A user of whom all this is known."""
    contents = [found.content for text in said for found in await _extracted(text)]
    vectors = (await souvenir.embedder.embed(contents)).vectors
    memories, found_by, last = [], {}, None
    for content, vector in zip(contents, vectors, strict=True):
        last = next_id(BEGAN, last)
        memories.append(
            Memory(
                last, last, 1, content, "relationship", 8, 0.9, "", "preference", "local", BEGAN, BEGAN, BEGAN,
                origin={},
            )
        )  # fmt: skip
        terms = " ".join(terms_of(content))
        found_by[last] = FoundBy(terms, signs_of(content), words_of(content), vector, souvenir.embedder.model)
    written = await souvenir.memories.restore(space, memories, (), (), found_by)
    assert written == len(said), f"{written} of {len(said)} sentences were memories"


async def _extracted(text: str) -> Sequence[Candidate]:
    return (await LocalExtractor().extract(Utterance("user", text, BEGAN), (), ())).candidates


# facts of which later ones override earlier ones


async def newest(folder: Path, data: Path) -> list[Figure]:
    """FactConsolidation, told one by one; then what its questions bring back."""
    told = facts(data)
    clock = ManualClock(told.items[0].at)
    space = user_space("facts")
    async with opened(folder, clock) as souvenir:
        for item in told.items:
            clock.set(item.at)
            candidate = Candidate(item.text, "context", 9, 1.0, "", "preference")
            await souvenir.formation.remember(space, candidate, item.at, "bench", {"fact": item.id})
        memories, _, _ = await souvenir.memories.export(space)
        right = [await _only_newest(souvenir, space, told, question, memories) for question in told.questions]
    contents = {one.memory_id: one.content for one in memories}
    replaced = [(one.content, contents[one.superseded_by]) for one in memories if one.superseded_by is not None]
    wrong = [(old, new) for old, new in replaced if place_of(old) != place_of(new)]
    for old, new in wrong:
        print(f"  superseded though unrelated: {old} | {new}", flush=True)
    return [
        Figure(
            "FactConsolidation: the old fact is superseded and only the newest comes back",
            sum(right) / len(right), "≥", NEWEST, "share",
        ),
        Figure("FactConsolidation: facts superseded", len(replaced), "", None),
        Figure("FactConsolidation: unrelated facts superseded", len(wrong), "≤", 0),
    ]  # fmt: skip


async def _only_newest(
    souvenir: Souvenir, space: SpaceId, told: Conversation, question: Question, memories: Sequence[Memory]
) -> bool:
    place = _asked_for(told, question)
    about = [one for one in memories if place_of(one.content) == place]
    standing = [one.content for one in about if one.superseded_by is None]
    found = await souvenir.search.search([space], question.text, _MEMORIES, limit=10)
    back = [hit.passage.text for hit in found.hits if place_of(hit.passage.text) == place]
    newest_one = max(about, key=lambda one: one.said_at).content
    return standing == back == [newest_one] and _answers(newest_one, question)


def _answers(fact: str, question: Question) -> bool:
    return value_of(fact) in {answer.rstrip(".") for answer in question.answers}


def _asked_for(told: Conversation, question: Question) -> str:
    """The place that a question is about: of the facts with its answer, the one it shares most words with."""
    asked = set(question.text.rstrip("?").split())
    answering = [item.text for item in told.items if _answers(item.text, question)]
    return place_of(max(answering, key=lambda text: len(asked & set(place_of(text).split()))))


# conversations


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known after a conversation: active memories, where each is from, and pairs that are nearly the same."""

    name: str
    turns: int
    contents: tuple[str, ...]
    sources: tuple[str, ...]
    pairs: tuple[tuple[float, str, str], ...]

    def doubled(self, cosine: float) -> int:
        """How many say what one before them says."""
        return len({second for near, _, second in self.pairs if near >= cosine})

    @property
    def greetings(self) -> int:
        """How many come from a message that only greets or thanks."""
        return sum(map(is_greeting, self.sources))


async def remembered(folder: Path, data: Path) -> list[Remembered]:
    """Each LoCoMo conversation told turn by turn, all of it as messages of one user, by the clock of the time."""
    clock = ManualClock(BEGAN)
    known = []
    async with opened(folder, clock) as souvenir:
        for conversation in locomo(data):
            space, before = user_space(conversation.name), list[Utterance]()
            for item in conversation.items:
                clock.set(item.at)
                said = Utterance("user", item.text, item.at, item.id)
                await souvenir.formation.form(space, said, before[-10:], item.id, {"message_id": item.id})
                before.append(said)
            known.append(await _known(souvenir, space, conversation))
    return known


async def _known(souvenir: Souvenir, space: SpaceId, conversation: Conversation) -> Remembered:
    memories, _, _ = await souvenir.memories.export(space)
    active = [one for one in memories if one.is_active(souvenir.clock.now())]
    contents = [one.content for one in active]
    vectors = (await souvenir.embedder.embed(contents)).vectors
    cosines = vectors @ vectors.T
    pairs = [
        (_nearness(contents[a], contents[b], cosines[a, b]), contents[a], contents[b])
        for a, b in zip(*np.triu_indices(len(contents), 1), strict=True)
        if cosines[a, b] >= ALIKE
    ]
    texts = {item.id: item.text for item in conversation.items}
    sources = tuple(texts[(one.origin or {})["message_id"]] for one in active)
    return Remembered(
        conversation.name, len(conversation.items), tuple(contents), sources, tuple(sorted(pairs, reverse=True))
    )


def _nearness(one: str, other: str, cosine: float) -> float:
    return 1.0 if sentence_key(one) == sentence_key(other) else float(cosine)


def conversation_figures(known: Sequence[Remembered]) -> list[Figure]:
    total = sum(len(one.contents) for one in known)
    return [
        Figure(f"LoCoMo: active memories of {sum(one.turns for one in known):,} turns", total, "", None),
        Figure(
            f"LoCoMo: active memories that say what another says (cosine ≥ {SAME}, or the same words)",
            sum(one.doubled(SAME) for one in known) / total, "≤", DUPLICATES, "share",
        ),
        Figure(
            f"LoCoMo: the same with a cosine ≥ {ALIKE}", sum(one.doubled(ALIKE) for one in known) / total, "", None,
            "share",
        ),
        Figure("LoCoMo: memories that come from a greeting", sum(one.greetings for one in known), "≤", 0),
    ]  # fmt: skip


# the page


def page(figures: Sequence[Figure], known: Sequence[Remembered]) -> str:
    """docs/memory.md."""
    rows = [(text, one.name) for one in known for text in one.contents]
    sample = random.Random(1).sample(rows, min(SAMPLE, len(rows)))
    parts = [
        "# Memory, measured\n",
        "`python -m bench.memory --write` wrote this page, on 2 cores with nothing but the rules and the embedder that",
        "Souvenir comes with: no model was asked. [What memory is](guides/memory.md).\n",
        table(figures),
        "\n## What is told\n",
        "Speed: messages wait in the queue with `learn`; the clock runs from the first job to the last.",
        "FactConsolidation (MemoryAgentBench, 6k, single-hop) is told fact by fact, as by `POST /memories`; a",
        "question counts when every older fact of its place is superseded and the newest alone comes back. LoCoMo's",
        "conversations (Maharana et al., 2024, CC BY-NC 4.0) are told turn by turn, both speakers as one user, with",
        "the clock of the time; what had expired by the end of a conversation is not counted.\n",
        "## What LoCoMo leaves\n",
        "| conversation | turns | active memories |",
        "|---|---|---|",
        *(f"| {one.name} | {one.turns} | {len(one.contents)} |" for one in known),
        f"\nThe nearest pairs, for people to judge (cosine ≥ {ALIKE}):\n",
        *(f"- {near:.3f}: {first} | {second}" for one in known for near, first, second in one.pairs),
        f"\nA sample, chosen by lot ({len(sample)} of {len(rows)}):\n",
        *(f"- {text} ({name})" for text, name in sample),
    ]
    return "\n".join(parts) + "\n"


# running


async def measure(folder: Path, data: Path | None) -> tuple[list[Figure], list[Remembered]]:
    """All figures; those of the public data only where it is."""
    figures = await speed(folder / "speed")
    figures += await flatness(folder / "flat")
    if data is None:
        return figures, []
    figures += await newest(folder / "facts", data)
    known = await remembered(folder / "conversations", data)
    return figures + conversation_figures(known), known


def run() -> str:
    """The figures as a Markdown table."""
    return table(_run()[0])


def _run() -> tuple[list[Figure], list[Remembered]]:
    configure_logging(load_settings({}, log_level="error"))
    with (
        tempfile.TemporaryDirectory(prefix="souvenir-bench-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,  # as the program has it
    ):
        if not SHARED.exists():
            print(f"  not measured on public data: there is none in {SHARED}", flush=True)
        return runner.run(measure(Path(folder), SHARED if SHARED.exists() else None))


def main() -> None:
    """The command line of `python -m bench.memory`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/memory.md too")
    write = parser.parse_args().write
    figures, known = _run()
    print(table(figures))
    if write:
        PAGE.write_text(page(figures, known), encoding="utf-8")


if __name__ == "__main__":
    main()
