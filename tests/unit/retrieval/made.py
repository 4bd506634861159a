"""Passages for tests of the index, made of a few words each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from souvenir.retrieval.question import Question, read_question
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.space_index import SpaceIndex
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Changes, Columns, Details

NOW = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
DIMENSION = 8
NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Row:
    """One passage; its vector is made from its text."""

    id: int
    text: str
    at: datetime = NOW
    until: datetime | None = None
    chat: str | None = None
    kind: str = "message"
    role: str | None = "user"
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None
    embedded: bool = True


def vector_of(text: str) -> np.ndarray:
    """A unit vector that says a little about the words of a text."""
    total = np.full(DIMENSION, 0.01, np.float32)
    for term in terms_of(text):
        rng = np.random.default_rng(sum(ord(letter) * 31**place for place, letter in enumerate(term)) % 2**32)
        total += rng.normal(size=DIMENSION).astype(np.float32)
    return (total / np.linalg.norm(total)).astype(np.float32)


def columns(rows: Sequence[Row]) -> Columns:
    """The rows as the store would give them."""
    return Columns(
        ids=np.array([row.id for row in rows], np.int64),
        kinds=[row.kind for row in rows],
        terms=[" ".join(terms_of(f"{row.speaker or ''} {row.text}")) for row in rows],
        at=np.array([row.at.timestamp() for row in rows], np.float64),
        until=np.array([row.until.timestamp() if row.until else np.inf for row in rows], np.float64),
        signs=np.array([signs_of(row.text) for row in rows], np.int16),
        words=np.array([words_of(row.text) for row in rows], np.int32),
        chat_ids=[row.chat for row in rows],
        roles=[row.role for row in rows],
        speakers=[row.speaker for row in rows],
        tags=[row.tags for row in rows],
        categories=[row.category for row in rows],
        vectors=np.array(
            [vector_of(row.text) if row.embedded else np.zeros(DIMENSION) for row in rows], np.float16
        ).reshape(len(rows), DIMENSION),
        embedded=np.array([row.embedded for row in rows], np.bool_),
        details=Details(
            texts=[row.text for row in rows],
            starts=np.zeros(len(rows), np.int32),
            ends=np.array([len(row.text) for row in rows], np.int32),
            message_ids=[str(row.id) for row in rows],
            origins=[{"row": row.id} for row in rows],
        ),
    )


def index_of(rows: Sequence[Row]) -> SpaceIndex:
    """An index that holds the rows."""
    index = SpaceIndex(DIMENSION)
    index.apply([Changes(columns(rows), NOTHING)], 1)
    return index


def ask(text: str) -> Question:
    """A question asked on a Wednesday in June."""
    return read_question(text, NOW)
