"""The conversations as spaces to ask: each whole, pieces of them, and several at once, asked about what is in them and
about what is not."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.retrieval.data import Conversation
from souvenir.embed.port import Embedder
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.question import Question, read_question
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.space_index import Candidates, SpaceIndex
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import Changes, Columns

NOW = datetime.now(UTC)
PIECES = (2, 5, 10, 30, 100)

_COUNT = 10
_EVENLY = {"LoCoMo": 1, "BEAM": 6}  # times a question is asked of pieces: the one has ten times as many as the other


class Asked(NamedTuple):
    """A question and what a space brings: `own` when that holds what answers it, of which some is `relevant`."""

    group: str
    where: str
    own: bool
    found: Candidates
    terms: list[str]
    relevant: NDArray[np.bool_]
    evidence: int


@dataclass(frozen=True, slots=True)
class Space:
    """An index, and the terms of its rows."""

    index: SpaceIndex
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Indexed:
    """A conversation in memory, with its questions read and embedded; evidence by place, from 0."""

    columns: Columns
    space: Space
    questions: list[tuple[Question, NDArray[np.float32], frozenset[int]]]

    def asked(self, number: int, group: str, where: str, space: Space, said: dict[int, int]) -> Asked:
        """One of the questions, asked of a space; `said` are the ids there of what was said here."""
        question, vector, evidence = self.questions[number]
        found = space.index.candidates(question, vector, Filter(), _COUNT)
        there = [said[one] for one in evidence if one in said]
        terms = [space.terms[row] for row in found.rows.tolist()]
        return Asked(group, where, bool(there), found, terms, np.isin(found.ids, there), len(there))


async def load(group: Sequence[Conversation], embedder: Embedder) -> list[Indexed]:
    """Index conversations as `/index-chat-messages` would."""
    indexed = []
    for conversation in group:
        vectors = await _embed(embedder, [item.text for item in conversation.items])
        columns = _columns(conversation, vectors)
        places = {item.id: place for place, item in enumerate(conversation.items)}
        asked = await _embed(embedder, [question.text for question in conversation.questions])
        questions = [
            (
                read_question(question.text, NOW),
                vector,
                frozenset(places[one] for one in question.evidence if one in places),
            )
            for question, vector in zip(conversation.questions, asked, strict=True)
        ]
        indexed.append(Indexed(columns, _space([columns]), questions))
    return indexed


def whole(name: str, group: Sequence[Indexed]) -> Iterator[Asked]:
    """Every question of its own conversation, and of all others."""
    for own in group:
        for other in group:
            said = {place: place + 1 for place in range(len(own.columns.ids))} if other is own else {}
            for number, (_, _, evidence) in enumerate(own.questions):
                if other is not own or evidence:
                    yield own.asked(number, name, "whole", other.space, said)


def pieces(name: str, group: Sequence[Indexed], size: int) -> Iterator[Asked]:
    """Every question of a piece that answers it, and of a piece of another conversation."""
    chance = random.Random(size)
    for own in group:
        for number in [number for number in range(len(own.questions)) for _ in range(_EVENLY.get(name, 1))]:
            other = chance.choice([one for one in group if one is not own])
            first = chance.randrange(len(other.columns.ids) - size)
            yield own.asked(number, name, f"{size} messages", _space([_cut(other.columns, first, size)]), {})
            if evidence := sorted(own.questions[number][2]):
                length = len(own.columns.ids)
                first = max(0, min(length - size, chance.choice(evidence) - chance.randrange(size)))
                said = {place: place - first + 1 for place in range(first, first + size)}
                yield own.asked(number, name, f"{size} messages", _space([_cut(own.columns, first, size)]), said)


def elsewhere(groups: dict[str, list[Indexed]]) -> Iterator[Asked]:
    """Every question of every conversation of the other sets, which are about nothing of the kind."""
    for name, group in groups.items():
        for own in group:
            for other in (one for title, rest in groups.items() if title != name for one in rest):
                for number in range(len(own.questions)):
                    yield own.asked(number, name, "another set", other.space, {})


def mixed(groups: dict[str, list[Indexed]]) -> Iterator[Asked]:
    """Every question of a space that holds all conversations, and of the same without its own."""
    everything = [(name, one) for name, group in groups.items() for one in group]
    together = _space([one.columns for _, one in everything])
    first = 1
    for name, own in everything:
        others = _space([one.columns for _, one in everything if one is not own])
        said = {place: first + place for place in range(len(own.columns.ids))}
        for number, (_, _, evidence) in enumerate(own.questions):
            yield own.asked(number, name, "all at once", others, {})
            if evidence:
                yield own.asked(number, name, "all at once", together, said)
        first += len(own.columns.ids)


async def _embed(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    parts = [(await embedder.embed(texts[start : start + 256])).vectors for start in range(0, len(texts), 256)]
    return np.concatenate(parts)


def _space(parts: Sequence[Columns]) -> Space:
    """Several chats; the ids of their messages count from 1."""
    index, first = SpaceIndex(parts[0].vectors.shape[1]), 1
    for number, part in enumerate(parts):
        count = len(part.ids)
        placed = replace(part, ids=np.arange(first, first + count), chat_ids=[f"chat {number}"] * count)
        index.apply([Changes(placed, np.zeros(0, np.int64))], 1)
        first += count
    return Space(index, [terms for part in parts for terms in part.terms])


def _cut(columns: Columns, first: int, size: int) -> Columns:
    part = slice(first, first + size)
    return replace(
        columns, **{field: getattr(columns, field)[part] for field in Columns.__slots__ if field != "details"}
    )


def _columns(conversation: Conversation, vectors: NDArray[np.float32]) -> Columns:
    items = conversation.items
    count = len(items)
    return Columns(
        ids=np.arange(1, count + 1),
        kinds=["message"] * count,
        terms=[" ".join(terms_of(f"{item.speaker or ''} {item.text}")) for item in items],
        at=np.array([item.at.timestamp() for item in items]),
        until=np.full(count, np.inf),
        signs=np.array([signs_of(item.text) for item in items], np.int16),
        words=np.array([words_of(item.text) for item in items], np.int32),
        chat_ids=["chat"] * count,
        roles=[item.role for item in items],
        speakers=[item.speaker for item in items],
        tags=[()] * count,
        categories=[None] * count,
        vectors=vectors.astype(np.float16),
        embedded=np.ones(count, np.bool_),
    )
