"""Memories that an operator ships for everybody, used while somebody has few of their own; they are stored nowhere."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from souvenir.clock import Clock
from souvenir.embed.port import Embedder
from souvenir.errors import SettingsError, Unavailable
from souvenir.retrieval.calibrate import calibration_of, probabilities
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.question import read_question
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.space_index import SpaceIndex
from souvenir.retrieval.terms import terms_of
from souvenir.stores.memory_ports import MemoryFilter, MemoryStore
from souvenir.stores.passage_ports import Changes, Columns
from souvenir.types import SpaceId

ENOUGH = 5
"""Memories of one's own with which nobody needs those of everybody."""

ORIGIN = "global"

_CATEGORY = "context"
_MOST = 1000
_LONGEST = 1000
_QUERY_CHARACTERS = 8000
_COMMENT = "#"
_ANY = Filter()


@dataclass(frozen=True, slots=True)
class GlobalMemory:
    """A sentence of everybody's, how likely it answers, and since when it stands."""

    content: str
    score: float
    at: datetime
    category: str = _CATEGORY
    origin: str = ORIGIN


class GlobalMemories:
    """Searches a few sentences as any space is searched, by the one scoring function.

    They are embedded when first asked for; while there is no embedder, words alone find them.
    """

    def __init__(
        self, sentences: tuple[str, ...], at: datetime, memories: MemoryStore, embedder: Embedder, clock: Clock
    ) -> None:
        self._sentences = sentences
        self._at = at
        self._memories = memories
        self._embedder = embedder
        self._clock = clock
        self._lock = asyncio.Lock()
        self._index: SpaceIndex | None = None

    @classmethod
    def load(cls, file: Path | None, memories: MemoryStore, embedder: Embedder, clock: Clock) -> "GlobalMemories":
        """Those of a file, one sentence a line. Raises SettingsError for a file that cannot be used."""
        if file is None:
            return cls((), clock.now(), memories, embedder, clock)
        return cls(read_sentences(file), _written(file), memories, embedder, clock)

    async def for_user(self, space: SpaceId, query: str, limit: int) -> list[GlobalMemory]:
        """What answers a query, best first; nothing for who has memories enough of their own."""
        if not self._sentences or limit < 1 or not query.strip():
            return []
        own = await self._memories.list(space, MemoryFilter(), limit=ENOUGH)
        if len(own.items) >= ENOUGH:
            return []
        vector = await self._vector(query[:_QUERY_CHARACTERS])
        index = await self._indexed() if vector is not None else None
        if index is None:
            index, vector = _index_of(self._sentences, self._at, None), None
        question = read_question(query[:_QUERY_CHARACTERS], self._clock.now(), "weighed")
        found = index.candidates(question, vector, _ANY, limit)
        calibration = calibration_of(self._embedder.model)
        places: list[int] = found.ids.tolist()
        scores = probabilities(found, [_terms(self._sentences[place]) for place in places], calibration)
        return [
            GlobalMemory(self._sentences[place], score, self._at)
            for place, score in zip(places, scores, strict=True)
            if score > calibration.threshold
        ]

    async def _vector(self, text: str) -> NDArray[np.float32] | None:
        try:
            vector: NDArray[np.float32] = (await self._embedder.embed([text])).vectors[0]
        except Unavailable:
            return None
        return vector

    async def _indexed(self) -> SpaceIndex | None:
        """The sentences with their vectors; None while there is nobody to make them."""
        async with self._lock:
            if self._index is None:
                try:
                    made = await self._embedder.embed(list(self._sentences))
                except Unavailable:
                    return None
                self._index = _index_of(self._sentences, self._at, made.vectors)
            return self._index


def read_sentences(file: Path) -> tuple[str, ...]:
    """The sentences of a file, each once; empty lines and those that begin with # say nothing. Raises SettingsError."""
    name = "SOUVENIR_GLOBAL_MEMORIES_FILE"
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{name}: {file} cannot be read: {error}") from None
    said = [" ".join(line.split()) for line in lines]
    sentences = tuple(dict.fromkeys(line for line in said if line and not line.startswith(_COMMENT)))
    if len(sentences) > _MOST:
        raise SettingsError(f"{name}: {file} has {len(sentences)} sentences; at most {_MOST} are used")
    for number, line in enumerate(said, start=1):
        if len(line) > _LONGEST and not line.startswith(_COMMENT):
            raise SettingsError(f"{name}: line {number} of {file} is over {_LONGEST} characters: one sentence a line")
    return sentences


def _terms(sentence: str) -> str:
    return " ".join(terms_of(sentence))


def _written(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _index_of(sentences: tuple[str, ...], at: datetime, vectors: NDArray[np.float32] | None) -> SpaceIndex:
    """An index whose ids are the places of the sentences."""
    count = len(sentences)
    rows = vectors if vectors is not None else np.zeros((count, 1), np.float32)
    nothing = [None] * count
    columns = Columns(
        ids=np.arange(count, dtype=np.int64),
        kinds=["memory"] * count,
        terms=[_terms(sentence) for sentence in sentences],
        at=np.full(count, at.timestamp()),
        until=np.full(count, np.inf),
        signs=np.array([signs_of(sentence) for sentence in sentences], np.int16),
        words=np.array([words_of(sentence) for sentence in sentences], np.int32),
        chat_ids=nothing,
        roles=nothing,
        speakers=nothing,
        tags=[()] * count,
        categories=[_CATEGORY] * count,
        vectors=rows.astype(np.float16),
        embedded=np.full(count, vectors is not None),
    )
    index = SpaceIndex(rows.shape[1])
    index.apply([Changes(columns, np.empty(0, np.int64))], 1)
    return index
