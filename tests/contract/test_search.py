"""Search and indexing together on a real database, with an embedder that knows words."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import pytest

from souvenir.chat.indexing import Indexing, Said
from souvenir.config import Settings
from souvenir.embed.port import Embedding
from souvenir.errors import Unavailable
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.retrieval.embedding import embed_missing
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.rerank import Reranker
from souvenir.retrieval.search import Found, Search
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.stores.passage_ports import NewPassage
from souvenir.stores.postgres.chats import PostgresChatStore
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.stores.postgres.passages import PostgresPassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.passages import new_space, states_of
from souvenir.types import SpaceId
from tests.unit.retrieval.made import DIMENSION, vector_of

ANY = Filter()


class WordEmbedder:
    """Vectors that follow from the words of a text; it can be unplugged."""

    def __init__(self, model: str = "words") -> None:
        self.model = model
        self.dimension = DIMENSION
        self.down = False

    async def start(self) -> None:
        return

    async def embed(self, texts: Sequence[str]) -> Embedding:
        if self.down:
            raise Unavailable("unplugged")
        rows = [vector_of(f"{text} {self.model}") for text in texts]
        return Embedding(np.array(rows, np.float32).reshape(len(rows), DIMENSION), len(rows))

    async def aclose(self) -> None:
        return


@dataclass
class Process:
    """What one process has of search."""

    embedder: WordEmbedder
    indexing: Indexing
    search: Search
    indexes: SpaceIndexes
    passages: PostgresPassageStore

    async def say(self, space: SpaceId, *texts: str, chat: str = "chat", at: datetime | None = None) -> list[str]:
        said = [Said(chat_id=chat, role="user", content=text, created_at=at) for text in texts]
        return [one.message_id for one in await self.indexing.index(space, said)]

    async def ask(self, space: SpaceId, query: str, **more: object) -> Found:
        options = {"limit": 10, "threshold": 0.0, **more}
        return await self.search.search([space], query, ANY, **options)  # type: ignore[arg-type]

    async def texts(self, space: SpaceId, query: str, **more: object) -> list[str]:
        return [hit.passage.text for hit in (await self.ask(space, query, **more)).hits]


async def process(
    database: PostgresDatabase, settings: Settings, clock: ManualClock, reranker: Reranker | None = None
) -> Process:
    metrics = Metrics()
    passages = PostgresPassageStore(database, clock)
    jobs = JobQueue(PostgresJobStore(database), settings, clock, metrics)
    await jobs.open(database.pool)
    embedder = WordEmbedder()
    chats = PostgresChatStore(database, clock)
    indexing = Indexing(chats, passages, embedder, jobs, database.transaction, metrics, clock)
    indexes = SpaceIndexes(passages, settings.index_memory_mb * 2**20, metrics)
    search = Search(
        passages=passages,
        indexes=indexes,
        large=LargeSpaces.__new__(LargeSpaces),
        embedder=embedder,
        reranker=reranker,
        settings=settings,
        clock=clock,
        metrics=metrics,
    )
    return Process(embedder, indexing, search, indexes, passages)


@pytest.fixture
async def here(database: PostgresDatabase, settings: Settings, clock: ManualClock) -> Process:
    return await process(database, settings, clock)


@pytest.fixture
async def there(settings: Settings, clock: ManualClock) -> AsyncIterator[Process]:
    """A second process on the same database."""
    database = PostgresDatabase(settings)
    await database.open()
    yield await process(database, settings, clock)
    await database.close()


@pytest.fixture
def space() -> SpaceId:
    return new_space()


@pytest.mark.req("SRCH-5")
async def test_what_one_process_wrote_the_other_finds_at_once(here: Process, there: Process, space: SpaceId) -> None:
    for number in range(5):
        text = f"the secret word of round {number} is tangerine{number}"
        await here.say(space, text)
        assert (await there.texts(space, f"tangerine{number}"))[0] == text
        await there.say(space, f"and answer {number} is plum{number}")
        assert (await here.texts(space, f"plum{number}"))[0] == f"and answer {number} is plum{number}"


@pytest.mark.req("CHAT-5")
async def test_a_deleted_chat_is_found_by_nobody_from_then_on(here: Process, there: Process, space: SpaceId) -> None:
    await here.say(space, "tangerine", chat="one")
    await here.say(space, "tangerine too", chat="two")
    assert len(await there.texts(space, "tangerine")) == 2
    assert await here.indexing.forget_chat(space, "one")
    assert await there.texts(space, "tangerine") == ["tangerine too"]
    assert await here.texts(space, "tangerine") == ["tangerine too"]


async def test_a_space_that_was_let_go_and_read_again_answers_the_same(here: Process, space: SpaceId) -> None:
    for number in range(30):
        await here.say(space, f"note {number} about tea", f"note {number} about cake", chat=f"c{number % 4}")
    before = await here.ask(space, "cake note 7")
    here.indexes.forget()
    after = await here.ask(space, "cake note 7")
    assert [(hit.passage.passage_id, hit.score) for hit in before.hits] == [
        (hit.passage.passage_id, hit.score) for hit in after.hits
    ]


async def test_what_a_hit_shows_is_what_the_database_has(here: Process, space: SpaceId, clock: ManualClock) -> None:
    at = clock.now().replace(microsecond=123_457)
    odd = NewPassage(
        "chunk", "Grüße 🙂 tangerine\u2028", "grüße tangerine", at, 40, 3, 5, 7, "chat", "", "tool", "Anna Ö",
        ("b", 'q"u,o{t}e', ""), "c", {"path": "/a/ü", "deep": [None, 1.5, {"x": True}]}, until=at + timedelta(days=1),
    )  # fmt: skip
    ids = await here.passages.add(space, [odd, NewPassage("message", "tangerine", "tangerine", at, 9)])
    shown = {hit.passage.passage_id: hit.passage for hit in (await here.ask(space, "tangerine")).hits}
    assert shown == await here.passages.get(space, ids)
    await here.passages.close(space, ids[1:], at + timedelta(days=2))
    shown = {hit.passage.passage_id: hit.passage for hit in (await here.ask(space, "tangerine")).hits}
    assert shown == await here.passages.get(space, ids)
    assert shown[ids[1]].until == at + timedelta(days=2)


async def test_the_least_recently_asked_spaces_are_let_go_first(
    database: PostgresDatabase, settings: Settings, clock: ManualClock
) -> None:
    one = await process(database, settings, clock)
    metrics = Metrics()
    small = SpaceIndexes(one.passages, 60_000, metrics)
    spaces = [new_space() for _ in range(8)]
    for space in spaces:
        await one.say(space, *(f"note {number}" for number in range(40)))
    states = await states_of(one.passages, spaces)
    for space in spaces:
        await small.current(space, states[space], "words", DIMENSION)
    assert metrics.index_evictions._value.get() > 0
    reads = metrics.index_reads.labels("whole")._value.get()
    await small.current(spaces[-1], states[spaces[-1]], "words", DIMENSION)
    assert metrics.index_reads.labels("whole")._value.get() == reads
    await small.current(spaces[0], states[spaces[0]], "words", DIMENSION)
    assert metrics.index_reads.labels("whole")._value.get() == reads + 1


async def test_many_at_once_read_a_space_once(here: Process, space: SpaceId) -> None:
    await here.say(space, "tangerine")
    found = await asyncio.gather(*(here.texts(space, "tangerine") for _ in range(20)))
    assert all(texts == ["tangerine"] for texts in found)


@pytest.mark.req("SRCH-9")
async def test_without_an_embedder_words_find_and_the_answer_says_so(here: Process, space: SpaceId) -> None:
    await here.say(space, "the tangerine is ripe", "nothing else of note")
    here.embedder.down = True
    found = await here.ask(space, "tangerine")
    assert found.degraded
    assert found.hits[0].passage.text == "the tangerine is ripe"


@pytest.mark.req("SRCH-9")
async def test_what_was_said_while_the_embedder_was_down_is_embedded_later(here: Process, space: SpaceId) -> None:
    here.embedder.down = True
    await here.say(space, "the tangerine is ripe")
    here.embedder.down = False
    assert await here.texts(space, "tangerine") == ["the tangerine is ripe"]
    assert [progress.done async for progress in embed_missing(here.passages, here.embedder, space)] == [1]
    assert await here.passages.unembedded(here.embedder.model, limit=9, space=space) == []
    assert await here.texts(space, "tangerine") == ["the tangerine is ripe"]


@pytest.mark.req("SRCH-7")
async def test_a_change_of_model_is_caught_up_while_search_goes_on(here: Process, space: SpaceId) -> None:
    for number in range(3):
        await here.say(space, *(f"note {number} {other} of tangerine" for other in range(100)))
    here.embedder.model = "other-words"
    assert await here.texts(space, "tangerine", limit=5)
    steps = 0
    async for _ in embed_missing(here.passages, here.embedder, space):
        assert await here.texts(space, "tangerine", limit=5)
        steps += 1
    assert steps > 1
    assert await here.passages.unembedded("other-words", limit=1, space=space) == []


@pytest.mark.req("SRCH-3")
async def test_a_threshold_is_exceeded_strictly(here: Process, space: SpaceId) -> None:
    await here.say(space, "tangerine", "cake")
    best = (await here.ask(space, "tangerine")).hits[0]
    assert best.score > 0
    assert (await here.ask(space, "tangerine", threshold=best.score)).hits == ()
    assert (await here.ask(space, "tangerine", threshold=best.score - 1e-6)).hits[0].passage.text == best.passage.text


@pytest.mark.req("SRCH-3")
async def test_names_nobody_ever_mentioned_find_nothing(here: Process, space: SpaceId) -> None:
    await here.say(space, "Anna bakes a cake", "Ben drinks tea")
    assert await here.texts(space, "what did Zoltan think of Vladivostok", threshold=None) == []


async def test_an_external_id_is_stored_once_also_when_two_come_at_once(
    here: Process, there: Process, space: SpaceId
) -> None:
    said = [Said(chat_id="chat", role="user", content="tangerine", external_id="x")]
    results = await asyncio.gather(*(side.indexing.index(space, said) for side in (here, there) * 4))
    assert len({one.message_id for [one] in results}) == 1
    assert sum(one.added for [one] in results) == 1
    assert await here.texts(space, "tangerine") == ["tangerine"]


async def test_a_message_twice_in_one_call_is_stored_once(here: Process, space: SpaceId) -> None:
    said = [Said(chat_id="chat", role="user", content="tangerine", external_id="x")] * 2
    first, second = await here.indexing.index(space, said)
    assert first.message_id == second.message_id
    assert (first.added, second.added) == (True, False)


async def test_a_long_message_is_found_once_by_the_piece_that_matters(here: Process, space: SpaceId) -> None:
    text = "\n\n".join(["tea " * 300, "tangerine " * 300, "cake " * 1800])
    await here.say(space, text)
    [hit] = (await here.ask(space, "tangerine")).hits
    assert "tangerine" in hit.passage.text
    assert text[hit.passage.start : hit.passage.end] == hit.passage.text


async def test_nothing_is_stored_when_a_part_of_a_batch_fails(
    here: Process, space: SpaceId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise Unavailable("gone")

    monkeypatch.setattr(here.passages, "record_external_ids", refuse)
    said = [Said(chat_id=f"c{n}", role="user", content="tangerine", external_id=f"x{n}") for n in range(3)]
    with pytest.raises(Unavailable):
        await here.indexing.index(space, said)
    assert await here.texts(space, "tangerine") == []


@pytest.mark.req("SRCH-6")
async def test_a_reranker_decides_the_order_and_a_broken_one_does_not(
    database: PostgresDatabase, settings: Settings, clock: ManualClock, space: SpaceId
) -> None:
    class Backwards:
        name = "backwards"
        broken = False

        async def rank(self, _query: str, texts: Sequence[str]) -> Sequence[int]:
            return [0, 0] if self.broken else list(reversed(range(len(texts))))

        async def aclose(self) -> None:
            return

    reranker = Backwards()
    plain = await process(database, settings, clock)
    turned = await process(database, settings, clock, reranker)
    await plain.say(space, "tangerine cake", "tangerine", "cake")
    order = await plain.texts(space, "tangerine cake")
    assert await turned.texts(space, "tangerine cake") == order[::-1]
    assert await turned.texts(space, "tangerine cake", rerank=False) == order
    reranker.broken = True
    assert await turned.texts(space, "tangerine cake") == order


@pytest.mark.req("SRCH-1")
async def test_fusion_by_rank_is_there_for_those_who_want_it(
    database: PostgresDatabase, settings: Settings, clock: ManualClock, space: SpaceId
) -> None:
    by_rank = await process(database, settings.model_copy(update={"search_fusion": "rrf"}), clock)
    await by_rank.say(space, "tangerine", "cake", "tea")
    assert (await by_rank.texts(space, "tangerine"))[0] == "tangerine"
