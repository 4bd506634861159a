"""Spaces too large for memory answer as the in-memory index would, alone, at once, and while they are being indexed."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from souvenir.config import Settings
from souvenir.embed.port import Embedding
from souvenir.errors import Unavailable
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.retrieval import large as large_module
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.question import read_question
from souvenir.retrieval.search import Hit, Search
from souvenir.retrieval.signs import signs_of
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Kind, NewPassage
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.stores.postgres.large_spaces import PostgresLargeSpaceStore
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId
from tests.conftest import MakeSettings

MODEL, DIMENSION = "model-a", 24
BEGAN = datetime(2025, 1, 1, 8, tzinfo=UTC)
BIG = SpaceId("user:big")

_WORDS = [first + second for first in "bdfgklmnprst" for second in ("ando", "irel", "opt", "ulm", "eska", "att", "ing")]
_NAMES = ["Marta", "Jonas", "Priya", "Diego"]


class Talk:
    """Chats about a few subjects, some of it tagged, closed or not embedded yet; words follow Zipf's law."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.noise = np.random.default_rng(seed)
        self.subjects = self.noise.standard_normal((12, DIMENSION))

    def vector(self, subject: int) -> NDArray[np.float32]:
        made = self.subjects[subject] + 0.9 * self.noise.standard_normal(DIMENSION)
        return np.asarray(made / np.linalg.norm(made), np.float32)

    def text(self, subject: int, length: int) -> str:
        own = _WORDS[subject * 7 : subject * 7 + 7]
        words = [self.random.choice(own if self.random.random() < 0.4 else _WORDS) for _ in range(length)]
        return " ".join(words)

    def question(self) -> tuple[str, NDArray[np.float32]]:
        subject = self.random.randrange(12)
        beginning = self.random.choice(["When was", "How many", f"What did {self.random.choice(_NAMES)} say about", ""])
        end = self.random.choice(["", "", "in March", "last week"])
        return f"{beginning} {self.text(subject, self.random.randint(1, 4))} {end}?", self.vector(subject)

    def passages(self, count: int, chats: str = "chat") -> list[NewPassage]:
        return [made for chat in range(count // 20) for made in self._chat(f"{chats}-{chat}")]

    def _chat(self, chat_id: str) -> list[NewPassage]:
        subject, name = self.random.randrange(12), self.random.choice(_NAMES)
        at = BEGAN + timedelta(hours=self.random.randrange(8000))
        made = []
        for number in range(20):
            at += timedelta(seconds=self.random.choice((30, 300, 4000)))
            made.append(self._turn(subject, chat_id, number, name, at))
        return made

    def _turn(self, subject: int, chat_id: str, number: int, name: str, at: datetime) -> NewPassage:
        draw = self.random
        text = self.text(subject, draw.randint(2, 12)) + draw.choice([".", "?", " 42.", " on Monday."])
        kind: Kind = "message" if draw.random() < 0.9 else "memory"
        embedded = draw.random() < 0.95
        speaker = name if number % 2 == 0 and kind == "message" else None
        return NewPassage(
            kind=kind,
            text=text,
            terms=" ".join(terms_of(f"{speaker or ''} {text}")),
            at=at,
            end=len(text),
            signs=signs_of(text),
            words=len(text.split()),
            chat_id=chat_id if kind == "message" else None,
            message_id=f"{number:04}" if kind == "message" else None,
            role=("user", "assistant")[number % 2] if kind == "message" else None,
            speaker=speaker,
            tags=tuple(tag for tag in ("starred", "work", "rare'; --") if draw.random() < 0.2),
            category=draw.choice(["identity", "preference"]) if kind == "memory" else None,
            vector=self.vector(subject) if embedded else None,
            model=MODEL if embedded else None,
        )


class Given:
    """An embedder that knows the vectors of the questions, or does not answer at all."""

    model = MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.down = False

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...

    async def embed(self, texts: Sequence[str]) -> Embedding:
        if self.down:
            raise Unavailable("down")
        return Embedding(np.array([self.vectors[text] for text in texts]), len(texts))


class World:
    """Two searches over the same passages: through memory, and through the database's indexes."""

    def __init__(self, database: PostgresDatabase, settings: Settings, clock: ManualClock) -> None:
        self.clock = clock
        self.passages = PostgresPassageStore(database, clock)
        self.store = PostgresLargeSpaceStore(database)
        self.jobs = JobQueue(PostgresJobStore(database), settings, clock, Metrics())
        self.embedder = Given()
        self.large = LargeSpaces(self.store, self.embedder, self.jobs, settings.index_largest_space)
        self.talk = Talk(7)
        self._in_memory = self._search(settings.model_copy(update={"index_largest_space": 10**6}))
        self._narrowed = self._search(settings)

    def _search(self, settings: Settings) -> Search:
        metrics = Metrics()
        return Search(
            passages=self.passages,
            indexes=SpaceIndexes(self.passages, 2**30, metrics),
            large=self.large,
            embedder=self.embedder,
            reranker=None,
            settings=settings,
            clock=self.clock,
            metrics=metrics,
        )

    async def both(self, query: str, only: Filter, space: SpaceId = BIG) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        """What memory finds, and what the indexes find: all that they rank, likely or not."""
        found = [
            await search.search([space], query, only, limit=10, threshold=-1.0)
            for search in (self._in_memory, self._narrowed)
        ]
        return found[0].hits, found[1].hits

    def ask(self) -> str:
        text, vector = self.talk.question()
        self.embedder.vectors[text] = vector
        return text

    async def recall(self, questions: int, filters: Sequence[Filter], space: SpaceId = BIG) -> float:
        shares = []
        for _ in range(questions):
            for only in filters:
                exact, narrowed = await self.both(self.ask(), only, space)
                expected = {hit.passage.passage_id for hit in exact}
                assert len(narrowed) == len(exact)
                shares.append(
                    len(expected & {hit.passage.passage_id for hit in narrowed}) / len(expected) if expected else 1.0
                )
        return float(np.mean(shares))


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    return make_settings(index_largest_space=1000, job_heartbeat_seconds=0.2)


@pytest.fixture
async def world(database: PostgresDatabase, settings: Settings) -> World:
    world = World(database, settings, ManualClock(datetime(2026, 1, 15, tzinfo=UTC)))
    await world.jobs.open(database.pool)
    return world


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a few thousand passages reach, as millions reach the real ones."""
    monkeypatch.setattr(large_module, "_NEAREST", 300)
    monkeypatch.setattr(large_module, "_HOLDERS", 1500)
    monkeypatch.setattr(large_module, "_TOO_MANY_HOLDERS", 2000)
    monkeypatch.setattr(large_module, "_SECOND_LOOK", 80)


async def fill(world: World, space: SpaceId = BIG, count: int = 4000, seed: int = 1) -> list[int]:
    """Passages, some of which ended: one day after they spoke, or in days to come."""
    made = Talk(seed).passages(count)
    ids = list(await world.passages.add(space, made))
    for first in range(0, len(ids), 40):
        await world.passages.close(space, ids[first : first + 2], made[first].at + timedelta(days=1))
    await world.passages.close(space, ids[5::50], world.clock.now() + timedelta(days=1))
    return ids


FILTERS = [
    Filter(),
    Filter(kinds=frozenset({"memory"})),
    Filter(kinds=frozenset({"memory", "message"}), categories=frozenset({"identity", "nothing"})),
    Filter(tags_any=frozenset({"starred", "work"})),
    Filter(tags_all=frozenset({"starred", "rare'; --"})),
    Filter(tags_any=frozenset({"absent"})),
    Filter(chat_id="chat-3"),
    Filter(since=BEGAN + timedelta(days=100)),
    Filter(until=BEGAN + timedelta(days=20)),
    Filter(since=BEGAN + timedelta(days=50), until=BEGAN + timedelta(days=52)),
    Filter(as_of=BEGAN + timedelta(days=120)),
    Filter(as_of=BEGAN + timedelta(days=200), kinds=frozenset({"message"}), tags_any=frozenset({"work"})),
]


@pytest.mark.req("SRCH-2", "SRCH-4")
@pytest.mark.parametrize("indexed", [False, True], ids=["not indexed yet", "indexed"])
async def test_a_large_space_answers_as_memory_would(world: World, indexed: bool) -> None:
    await fill(world)
    if indexed:
        await world.store.index(BIG, MODEL, DIMENSION)
    assert await world.recall(12, FILTERS) >= 0.99


@pytest.mark.req("SRCH-2", "SRCH-4")
@pytest.mark.usefixtures("narrow")
async def test_narrowing_and_a_second_look_lose_next_to_nothing(world: World) -> None:
    await fill(world, count=8000)
    await world.store.index(BIG, MODEL, DIMENSION)
    assert await world.recall(60, [Filter()]) >= 0.95
    assert await world.recall(5, FILTERS[1:]) >= 0.985


async def test_scores_are_those_of_a_full_scan(world: World) -> None:
    await fill(world)
    await world.store.index(BIG, MODEL, DIMENSION)
    for _ in range(10):
        exact, narrowed = await world.both(world.ask(), Filter())
        scores = {hit.passage.passage_id: hit.score for hit in exact}
        for hit in narrowed:
            assert hit.score == pytest.approx(scores.get(hit.passage.passage_id, hit.score), abs=5e-3)


@pytest.mark.req("SRCH-9")
@pytest.mark.parametrize("indexed", [False, True])
async def test_without_an_embedder_words_decide(world: World, indexed: bool) -> None:
    await fill(world)
    if indexed:
        await world.store.index(BIG, MODEL, DIMENSION)
    world.embedder.down = True
    assert await world.recall(25, FILTERS[:4]) >= 0.99


@pytest.mark.req("SRCH-3")
async def test_a_question_that_shares_nothing_with_the_space_finds_what_memory_finds(world: World) -> None:
    await fill(world)
    await world.store.index(BIG, MODEL, DIMENSION)
    for text in ("the of and", "zyzzyva quux", "?", "x" * 300):
        world.embedder.vectors[text] = world.talk.vector(3)
        exact, narrowed = await world.both(text, Filter())
        assert len(narrowed) == len(exact) == 10


@pytest.mark.req("ID-8", "SRCH-8")
async def test_two_large_spaces_with_the_same_data_never_cross(world: World) -> None:
    other = SpaceId("user:other")
    mine, theirs = set(await fill(world)), set(await fill(world, other))
    for built in (None, BIG, other):
        if built is not None:
            await world.store.index(built, MODEL, DIMENSION)
        for _ in range(5):
            query = world.ask()
            for space, ids in ((BIG, mine), (other, theirs)):
                _, narrowed = await world.both(query, Filter(), space)
                assert len(narrowed) == 10
                assert {hit.passage.passage_id for hit in narrowed} <= ids


@pytest.mark.parametrize(
    "name",
    [
        "user:o'brien",
        'user:"quoted"',
        r"user:back\slash\'",
        "user:100%s %(space)s {space} $1 ; drop table passages --",
        "user:naïve 日本語 🐙",
        "user:" + "é" * 250,
    ],
)
async def test_any_name_of_a_space_will_do(world: World, name: str) -> None:
    space = SpaceId(name)
    ids = set(await fill(world, space, 1200))
    await fill(world, SpaceId("user:obrien"), 1200)
    for _ in range(2):
        exact, narrowed = await world.both(world.ask(), Filter(), space)
        assert {hit.passage.passage_id for hit in narrowed} <= ids
        assert len(narrowed) == len(exact) == 10
        await world.store.index(space, MODEL, DIMENSION)
    assert await invalid(world) == []
    assert len(await indexes(world)) == 4
    await world.store.drop(space)
    assert await indexes(world) == []
    assert await world.recall(3, [Filter()], space) == 1.0


async def test_the_indexes_are_used(world: World, database: PostgresDatabase) -> None:
    await fill(world, count=8000)
    await world.store.index(BIG, MODEL, DIMENSION)
    query = world.ask()
    async with database.transaction() as connection:
        await connection.execute("select pg_stat_reset_shared()")
    await world.both(query, Filter())

    async def used() -> set[str]:
        async with database.transaction() as connection:
            await connection.execute("select pg_stat_force_next_flush()")
            cursor = await connection.execute(
                "select indexrelname from pg_stat_user_indexes where indexrelname like 'large%' and idx_scan > 0"
            )
            return {row["indexrelname"].split("_")[2] for row in await cursor.fetchall()}

    async with asyncio.timeout(20):
        while not {"words", "vectors", "times", "chats"} <= await used():
            await world.both(world.ask(), Filter())


@pytest.mark.req("SRCH-5")
@pytest.mark.parametrize("indexed", [False, True])
async def test_what_is_written_is_found_at_once_and_what_is_deleted_is_not(world: World, indexed: bool) -> None:
    await fill(world)
    if indexed:
        await world.store.index(BIG, MODEL, DIMENSION)
    vector = world.talk.vector(0) * -1
    world.embedder.vectors["Where is the xylophone?"] = vector
    new = NewPassage(
        kind="message", text="The xylophone is in the attic", terms="xylophon attic", at=world.clock.now(), end=29,
        words=6, chat_id="new", message_id="1", role="user", vector=vector, model=MODEL,
    )  # fmt: skip
    by_words = replace(new, text="Another xylophone", message_id="2", vector=None, model=None)
    (first,) = await world.passages.add(BIG, [new])
    (second,) = await world.passages.add(BIG, [by_words])

    async def found() -> list[int]:
        _, hits = await world.both("Where is the xylophone?", Filter())
        return [hit.passage.passage_id for hit in hits]

    assert set((await found())[:2]) == {first, second}
    await world.passages.close(BIG, [first], world.clock.now())
    assert first not in await found()
    assert second in await found()
    await world.passages.remove(BIG, [second])
    assert not {first, second} & set(await found())


async def test_search_goes_on_while_the_indexes_are_built(world: World) -> None:
    await fill(world)
    building = asyncio.create_task(world.store.index(BIG, MODEL, DIMENSION))
    rounds = 0
    while not building.done() or rounds < 5:
        assert await world.recall(1, FILTERS[:2]) >= 0.8
        await world.passages.add(BIG, world.talk.passages(20, f"later{rounds}"))
        rounds += 1
    await building
    assert await invalid(world) == []
    assert await world.recall(10, [Filter()]) >= 0.95


async def test_two_processes_that_build_at_once_build_once(world: World, settings: Settings) -> None:
    await fill(world)
    other = PostgresDatabase(settings)
    await other.open()
    try:
        async with asyncio.timeout(60):
            await asyncio.gather(
                *(store.index(BIG, MODEL, DIMENSION) for store in (world.store, PostgresLargeSpaceStore(other)))
            )
    finally:
        await other.close()
    assert await invalid(world) == []
    assert len(await indexes(world)) == 4
    assert await world.recall(10, [Filter()]) >= 0.99


async def test_an_index_that_was_left_unfinished_is_built_anew(world: World, database: PostgresDatabase) -> None:
    await fill(world)
    await world.store.index(BIG, MODEL, DIMENSION)
    async with database.transaction() as connection:
        await connection.execute(
            "update pg_index set indisvalid = false from pg_class"
            " where pg_class.oid = indexrelid and indrelid = 'passages'::regclass and relname like 'large%'"
        )
    assert len(await invalid(world)) == 4
    assert await world.recall(2, [Filter()]) >= 0.99
    await world.store.index(BIG, MODEL, DIMENSION)
    assert await invalid(world) == []
    assert len(await indexes(world)) == 4


async def test_another_model_gets_an_index_of_its_own_and_the_old_one_goes(world: World) -> None:
    ids = await fill(world)
    await world.store.index(BIG, MODEL, DIMENSION)
    before = await indexes(world)
    world.embedder.model = "model-b"
    vectors = {passage_id: world.talk.vector(passage_id % 12)[:12] for passage_id in ids[:2000]}
    await world.passages.set_vectors(
        BIG, "model-b", {one: (vector / np.linalg.norm(vector)).astype(np.float32) for one, vector in vectors.items()}
    )
    world.embedder.dimension = 12
    for _ in range(2):
        for _ in range(5):
            text, vector = world.talk.question()
            world.embedder.vectors[text] = (vector[:12] / np.linalg.norm(vector[:12])).astype(np.float32)
            exact, narrowed = await world.both(text, Filter())
            assert len({h.passage.passage_id for h in exact} & {h.passage.passage_id for h in narrowed}) >= 9
        await world.store.index(BIG, "model-b", 12)
    after = await indexes(world)
    assert len(after) == 4
    assert set(before) & set(after) == {name for name in before if "vectors" not in name}


async def test_a_space_that_crossed_the_limit_is_indexed_by_one_job(world: World) -> None:
    await fill(world)
    await asyncio.gather(*(world.both(world.ask(), Filter()) for _ in range(5)))
    other = LargeSpaces(world.store, world.embedder, Unregistered(world.jobs), 1000)
    await (await other.look(BIG, read_question("x", world.clock.now()), Filter())).best(None, 10)
    assert (await world.jobs.counts()).waiting == 1
    await work(world)
    assert len(await indexes(world)) == 4
    await world.both(world.ask(), Filter())
    assert (await world.jobs.counts()).waiting == 0
    await world.passages.add(BIG, Talk(99).passages(600, "more"))
    await world.both(world.ask(), Filter())
    assert (await world.jobs.counts()).waiting == 0
    await world.passages.add(BIG, Talk(100).passages(600, "still more"))
    await world.both(world.ask(), Filter())
    await world.both(world.ask(), Filter())
    assert (await world.jobs.counts()).waiting == 1
    await work(world)
    assert (await world.store.survey(BIG, [], Filter(), world.clock.now())).counted == 5200


async def test_what_was_made_for_a_space_that_is_small_again_goes(world: World) -> None:
    ids = await fill(world, count=1200)
    kept = SpaceId("user:kept")
    await fill(world, kept, 1200)
    for space in (BIG, kept):
        await world.store.index(space, MODEL, DIMENSION)
    await world.passages.remove(BIG, ids[:800])
    assert await world.store.spaces() == {BIG: 400, kept: 1200}
    await world.jobs.enqueue(BIG, large_module.TIDY_TASK, key="now")
    await work(world)
    assert await world.store.spaces() == {kept: 1200}
    assert len(await indexes(world)) == 4


async def test_counts_lag_behind_but_never_leave_the_possible(world: World) -> None:
    ids = await fill(world, count=1200)
    await world.store.index(BIG, MODEL, DIMENSION)
    terms = ["marta", "nando", "never-said"]
    before = await world.store.survey(BIG, terms, Filter(), world.clock.now())
    assert before.holders["never-said"] == 0
    assert before.holders["marta"] > 100
    await world.passages.remove(BIG, ids[:1190])
    after = await world.store.survey(BIG, terms, Filter(), world.clock.now())
    assert all(0 <= count <= after.passages == 10 for count in after.holders.values())


async def test_a_space_nobody_wrote_to_is_empty(world: World) -> None:
    nobody = SpaceId("user:nobody")
    question = read_question("anything at all", world.clock.now())
    found = await (await world.large.look(nobody, question, Filter())).best(world.talk.vector(1), 10)
    assert len(found.ids) == 0


async def test_a_closed_database_is_unavailable(world: World, database: PostgresDatabase) -> None:
    await database.close()
    with pytest.raises(Unavailable):
        await world.store.survey(BIG, [], Filter(), world.clock.now())


class Unregistered:
    """A queue whose tasks are known already, as a second process has it."""

    def __init__(self, jobs: JobQueue) -> None:
        self.enqueue = jobs.enqueue

    def register(self, name: str, handler: object, *, cron: str | None = None) -> None: ...


async def work(world: World) -> None:
    """Run a worker until nothing waits or runs."""
    task = asyncio.create_task(world.jobs.work())
    try:
        async with asyncio.timeout(60):
            while (counts := await world.jobs.counts()).waiting or counts.running:
                await asyncio.sleep(0.05)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert counts.failed == 0


async def indexes(world: World, *, only_invalid: bool = False) -> list[str]:
    async with world.store._database.transaction() as connection:
        cursor = await connection.execute(
            "select relname from pg_index join pg_class on pg_class.oid = indexrelid"
            f" where indrelid = 'passages'::regclass and relname like 'large%' {'and not indisvalid' * only_invalid}"
        )
        return sorted(row["relname"] for row in await cursor.fetchall())


async def invalid(world: World) -> list[str]:
    return await indexes(world, only_invalid=True)
