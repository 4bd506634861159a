"""Passages for tests: spaces nobody else uses, vectors that follow from a number, and an index that follows a space."""

import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from souvenir.stores.passage_ports import Columns, NewPassage, PassageStore, SpaceState
from souvenir.types import SpaceId

Transaction = Callable[[], AbstractAsyncContextManager[object]]

MODEL, DIMENSION = "model-a", 4
AT = datetime(2026, 1, 1, 8, 30, 0, 123457, tzinfo=UTC)


def new_space() -> SpaceId:
    """A space no other test uses."""
    return SpaceId(f"user:{uuid.uuid4()}")


def unit(seed: int, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """A vector of length one, the same for the same seed."""
    vector = np.random.default_rng(seed).standard_normal(dimension)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def passage(text: str = "x", model: str | None = None, **fields: Any) -> NewPassage:
    """A passage; with a model, it has a vector that follows from the text."""
    if model is not None:
        fields = {"vector": unit(sum(text.encode())), "model": model, **fields}
    return NewPassage(**{"kind": "message", "text": text, "terms": text, "at": AT, "end": len(text), **fields})


def entries(columns: Columns) -> dict[int, tuple[Any, ...]]:
    """Every field of every passage by id; checks that no column is longer or shorter than another."""
    details = columns.details
    assert details is not None
    rows = zip(
        columns.kinds, columns.terms, columns.at, columns.until, details.starts, columns.signs, columns.words,
        columns.chat_ids, details.message_ids, columns.roles, columns.speakers, map(tuple, columns.tags),
        columns.categories, map(bytes, columns.vectors), columns.embedded, details.texts, details.ends,
        details.origins, strict=True,
    )  # fmt: skip
    return dict(zip(columns.ids.tolist(), rows, strict=True))


@dataclass
class Follower:
    """An index of one space, as another process keeps it: it reads what has changed since it read last."""

    store: PassageStore
    space: SpaceId
    model: str = MODEL
    dimension: int = DIMENSION
    revision: int = 0
    known: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    again: int = 0

    async def refresh(self) -> SpaceState:
        """Catch up; from the beginning if removals are no longer on record."""
        state = (await states_of(self.store, [self.space]))[self.space]
        try:
            await self.read(self.revision, state.revision)
        except LookupError:
            self.known, self.again = {}, self.again + 1
            await self.read(0, state.revision)
        return state

    async def read(self, since: int, until: int) -> tuple[set[int], set[int]]:
        """Apply what happened in between; returns the ids that came and those that went."""
        came: list[int] = []
        gone: set[int] = set()
        async for change in self.store.changes(self.space, since, until, self.model, self.dimension):
            ids = change.columns.ids.tolist()
            assert ids == sorted(set(ids))
            came += ids
            gone |= set(change.removed.tolist())
            self.known.update(entries(change.columns))
        assert len(came) == len(set(came)), "a passage came twice"
        assert not gone & set(came), "a passage came and went at once"
        for passage_id in gone:
            self.known.pop(passage_id, None)
        self.revision = until
        return set(came), gone


async def states_of(store: PassageStore, spaces: Sequence[SpaceId]) -> dict[SpaceId, SpaceState]:
    """How far spaces have come."""
    async with store.states(spaces) as asked:
        return await asked.answer()


async def everything(store: PassageStore, space: SpaceId, model: str = MODEL) -> dict[int, tuple[Any, ...]]:
    """A space as read from the beginning."""
    follower = Follower(store, space, model)
    await follower.refresh()
    return follower.known


async def revision_of(store: PassageStore, space: SpaceId) -> int:
    """How far a space has come."""
    return (await states_of(store, [space]))[space].revision
