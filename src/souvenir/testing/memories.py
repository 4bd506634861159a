"""Memories for tests: made of a sentence, and a space's memories and passages as one value to compare."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from souvenir.stores.memory_ports import FoundBy, Memory, MemoryFilter, MemoryStore, NewMemory
from souvenir.stores.passage_ports import PassageStore
from souvenir.testing.passages import AT, MODEL, everything, states_of, unit
from souvenir.types import SpaceId

ALL = MemoryFilter(superseded=True, expired=True, deleted=True)


def memory(content: str = "User likes tea", **fields: Any) -> NewMemory:
    """A memory that was said at AT, with a vector that follows from its text."""
    found = found_by(content)
    given = {
        "category": "preference", "importance": 8, "confidence": 0.9, "reasoning": "said so", "lifetime": "preference",
        "said_at": AT, "path": "local", "terms": found.terms, "signs": found.signs, "words": found.words,
        "vector": found.vector, "model": found.model,
    }  # fmt: skip
    return NewMemory(**{"content": content, **given, **fields})


def found_by(content: str) -> FoundBy:
    """What search would make of a text, more or less."""
    return FoundBy(content.lower(), 1, len(content.split()), unit(sum(content.encode("utf-8", "replace"))), MODEL)


async def added(store: MemoryStore, space: SpaceId, content: str = "User likes tea", **fields: Any) -> Memory:
    """A memory that is certainly new."""
    stored = await store.add(space, memory(content, **fields), "because", "ann")
    assert stored is not None
    return stored


async def replaced(store: MemoryStore, space: SpaceId, target: str, content: str, said_at: datetime) -> Memory:
    """A new version that certainly takes the target's place."""
    stored = await store.replace(space, target, memory(content, said_at=said_at), "because", "ann")
    assert stored is not None
    return stored


async def contents(store: MemoryStore, space: SpaceId, only: MemoryFilter | None = None) -> list[str]:
    """The texts of a list, newest first, by walking pages of two."""
    found: list[Memory] = []
    before: str | None = None
    while True:
        page = await store.list(space, only or MemoryFilter(), limit=2, before=before)
        assert len(page.items) == 2 or not page.more
        found += page.items
        if not page.more:
            return [one.content for one in found]
        before = page.items[-1].memory_id


async def ends(passages: PassageStore, space: SpaceId) -> list[tuple[str, datetime | None]]:
    """The texts of a space's passages in the order they came, and when each ends."""
    found = await passages.get(space, sorted(await everything(passages, space)))
    return [(one.text, one.until) for _, one in sorted(found.items())]


async def state(store: MemoryStore, passages: PassageStore, space: SpaceId) -> tuple[object, ...]:
    """Everything that can be seen of a space."""
    return (
        await store.export(space),
        await store.list(space, ALL, limit=1000),
        await store.conflicts(space, limit=1000),
        await store.counts(space),
        await states_of(passages, [space]),
        await everything(passages, space),
    )


def without_passages(memories: Sequence[Memory]) -> list[Memory]:
    """Memories but for the ids of their passages, which are made anew by `restore`."""
    return [replace(one, passage_id=None) for one in memories]
