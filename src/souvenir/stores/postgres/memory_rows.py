"""Rows of memories, their audit and their keys: the statements that changes of a memory are made of.

Every change takes the row of its space first, which writers of passages stand in line for too: one lock for both, so
that no two transactions can wait for each other in whatever order they write.
"""

from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import numpy as np
import psycopg
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from souvenir.stores.chat_rules import is_ulid, next_id
from souvenir.stores.memory_ports import Audit, Conflict, FoundBy, Memory
from souvenir.stores.memory_rules import fold, sentence_key
from souvenir.stores.passage_ports import NewPassage
from souvenir.stores.postgres.database import Connection
from souvenir.stores.postgres.passages import BEGINNING
from souvenir.types import SpaceId

_FIELDS = tuple(field.name for field in fields(Memory))
MEMORY = ", ".join(_FIELDS)
AUDIT = "event, memory_id, old_text as old, new_text as new, reason, done_by as by, at, other"
CONFLICT = ", ".join(field.name for field in fields(Conflict))
STANDING = "superseded_at is null and deleted_at is null"
ACTIVE = f"{STANDING} and (expires_at is null or expires_at > %(now)s)"

SHARED = "shared"
"""Of an origin: which memory of another space this one is a copy of, and who shared it."""

UNSTORABLE = (psycopg.DataError, UnicodeEncodeError)
"""What a text with a NUL or half a surrogate pair, or a number out of range, raises."""

_INSERT = (
    f"insert into memories (space_id, {MEMORY}, folded, content_key) values ({', '.join(['%s'] * (len(_FIELDS) + 3))})"
)
_NOTE = (
    "insert into memory_audit (space_id, event, memory_id, old_text, new_text, reason, done_by, at, other)"
    " values (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)


async def lock(connection: Connection, space: SpaceId, *, create: bool = False) -> None:
    """Wait for other writers of the space, and keep them waiting until the transaction ends.

    Without `create` a space that nobody wrote to stays so: there is nothing in it to change.
    """
    query = "select from passage_spaces where space_id = %s for update"
    cursor = await connection.execute(query, [space])
    if create and cursor.rowcount == 0:
        await connection.execute(
            "insert into passage_spaces (space_id, revision, passages, removals_since)"
            f" values (%s, {BEGINNING}, 0, {BEGINNING}) on conflict do nothing",
            [space],
        )
        await connection.execute(query, [space])


async def find(connection: Connection, space: SpaceId, memory_id: str) -> Memory | None:
    """A memory by its id, whatever became of it."""
    return (await find_all(connection, space, [memory_id])).get(memory_id)


async def find_all(connection: Connection, space: SpaceId, memory_ids: Collection[str]) -> dict[str, Memory]:
    """Memories by their ids."""
    wanted = [memory_id for memory_id in memory_ids if is_ulid(memory_id)]
    if not wanted:
        return {}
    cursor = await connection.execute(
        f"select {MEMORY} from memories where space_id = %s and memory_id = any(%s)", [space, wanted]
    )
    return {row["memory_id"]: Memory(**row) for row in await cursor.fetchall()}


async def saying(connection: Connection, space: SpaceId, content: str) -> Memory | None:
    """The memory that stands of this sentence, expired or not."""
    cursor = await connection.execute(
        f"select {MEMORY} from memories where space_id = %s and content_key = %s and {STANDING}",
        [space, sentence_key(content)],
    )
    row = await cursor.fetchone()
    return Memory(**row) if row is not None else None


async def versions(connection: Connection, space: SpaceId, memory_id: str) -> list[Memory]:
    """All of a memory's lineage, oldest first."""
    if not is_ulid(memory_id):
        return []
    cursor = await connection.execute(
        f"select {MEMORY} from memories where space_id = %(space)s and lineage ="
        " (select lineage from memories where space_id = %(space)s and memory_id = %(memory)s) order by version",
        {"space": space, "memory": memory_id},
    )
    return [Memory(**row) for row in await cursor.fetchall()]


async def next_place(connection: Connection, space: SpaceId, lineage: str | None, now: datetime) -> tuple[str, int]:
    """The id of a memory that comes now, and its version in a lineage."""
    cursor = await connection.execute(
        "select (select max(memory_id) from memories where space_id = %(space)s) as last,"
        " (select max(version) from memories where space_id = %(space)s and lineage = %(lineage)s) as version",
        {"space": space, "lineage": lineage},
    )
    row = await cursor.fetchone() or {}
    return next_id(now, row["last"]), (row["version"] or 0) + 1


async def insert(connection: Connection, space: SpaceId, memories: Sequence[Memory]) -> None:
    """Write memories exactly as they are."""
    await execute_all(connection, _INSERT, [_values(space, memory) for memory in memories])


async def execute_all(connection: Connection, query: str, values: Sequence[Sequence[Any]]) -> None:
    """One statement with many rows' values."""
    async with connection.cursor() as cursor:
        # a pipeline pays for many rows and costs twice as much for one
        if len(values) == 1:
            await cursor.execute(query.encode(), values[0])
        else:
            await cursor.executemany(query.encode(), values)


def _values(space: SpaceId, memory: Memory) -> list[Any]:
    values = {name: getattr(memory, name) for name in _FIELDS}
    values["origin"] = Jsonb(memory.origin) if memory.origin is not None else None
    return [space, *values.values(), fold(memory.content), sentence_key(memory.content)]


async def supersede(
    connection: Connection, space: SpaceId, memory_ids: Collection[str], by: str, now: datetime
) -> None:
    """Let a memory take the place of others."""
    await connection.execute(
        "update memories set superseded_by = %s, superseded_at = %s, updated_at = %s"
        " where space_id = %s and memory_id = any(%s)",
        [by, now, now, space, list(memory_ids)],
    )


async def note(connection: Connection, space: SpaceId, audit: Sequence[Audit]) -> None:
    """Add to what happened."""
    await execute_all(
        connection,
        _NOTE,
        [[space, one.event, one.memory_id, one.old, one.new, one.reason, one.by, one.at, one.other] for one in audit],
    )


async def put_conflicts(connection: Connection, space: SpaceId, conflicts: Sequence[Conflict]) -> None:
    """Write conflicts exactly as they are; those that are there stay."""
    await execute_all(
        connection,
        f"insert into memory_conflicts (space_id, {CONFLICT}) values (%s, %s, %s, %s, %s, %s) on conflict do nothing",
        [[space, one.conflict_id, one.older, one.newer, one.reason, one.opened_at] for one in conflicts],
    )


async def open_conflicts(
    connection: Connection, space: SpaceId, now: datetime, limit: int, conflict_id: str | None = None
) -> list[Conflict]:
    """Conflicts between active memories, newest first; all, or that of an id."""
    if conflict_id is not None and not is_ulid(conflict_id):
        return []
    active = f"exists (select from memories where space_id = %(space)s and memory_id = {{side}} and {ACTIVE})"
    cursor = await connection.execute(
        f"select {CONFLICT} from memory_conflicts where space_id = %(space)s"
        f" and {active.format(side='older')} and {active.format(side='newer')}"
        f" {'and conflict_id = %(conflict)s' if conflict_id is not None else ''}"
        " order by conflict_id desc limit %(limit)s".encode(),
        {"space": space, "now": now, "limit": limit, "conflict": conflict_id},
    )
    return [Conflict(**row) for row in await cursor.fetchall()]


async def key_used(connection: Connection, space: SpaceId, key: str | None) -> bool:
    """Whether a key was used in the space; no key never is."""
    if key is None:
        return False
    cursor = await connection.execute("select from memory_keys where space_id = %s and key = %s", [space, key])
    return cursor.rowcount > 0


async def use_key(connection: Connection, space: SpaceId, key: str | None, now: datetime) -> None:
    """Use a key up."""
    if key is not None:
        await connection.execute("insert into memory_keys (space_id, key, at) values (%s, %s, %s)", [space, key, now])


async def found_by(connection: Connection, space: SpaceId, memory: Memory) -> FoundBy:
    """What search finds a memory by."""
    cursor = await connection.execute(
        "select terms, signs, words, model, substr(halfvec_send(embedding), 5) as vector"
        " from passages where space_id = %s and passage_id = %s",
        [space, memory.passage_id],
    )
    row = await cursor.fetchone()
    if row is None:
        return FoundBy()
    vector = np.frombuffer(row["vector"], ">f2").astype(np.float32) if row["vector"] is not None else None
    return FoundBy(**{**row, "vector": vector})


async def copy_of(connection: Connection, space: SpaceId, lineage: str) -> Memory | None:
    """The newest memory of a space that came by sharing one of a lineage elsewhere, whatever became of it."""
    cursor = await connection.execute(
        f"select {MEMORY} from memories where space_id = %s and origin -> 'shared' ->> 'lineage' = %s"
        " order by memory_id desc limit 1",
        [space, lineage],
    )
    row = await cursor.fetchone()
    return Memory(**row) if row is not None else None


async def head(connection: Connection, space: SpaceId, lineage: str) -> Memory | None:
    """The version of a lineage that stands."""
    cursor = await connection.execute(
        f"select {MEMORY} from memories where space_id = %s and lineage = %s and {STANDING}", [space, lineage]
    )
    row = await cursor.fetchone()
    return Memory(**row) if row is not None else None


def passage_of(memory: Memory, found: FoundBy, until: datetime | None) -> NewPassage:
    """The passage of a memory. Of no chat: a memory stays when the chat it came from is deleted."""
    return NewPassage(
        kind="memory",
        text=memory.content,
        terms=found.terms,
        at=memory.said_at,
        until=until,
        end=len(memory.content),
        signs=found.signs,
        words=found.words,
        category=memory.category,
        origin={name: value for name, value in (memory.origin or {}).items() if name != SHARED}
        | {"memory_id": memory.memory_id},
        vector=found.vector,
        model=found.model,
    )


def passage_ids(memories: Sequence[Memory]) -> list[int]:
    """The passages that stand for memories."""
    return [memory.passage_id for memory in memories if memory.passage_id is not None]


def page_query(only_states: Sequence[str], rest: Sequence[str]) -> str:
    """The query of a page of memories."""
    states = " or ".join(f"({state})" for state in only_states)
    where = " and ".join(["space_id = %(space)s", f"({states})", *rest])
    return f"select {MEMORY} from memories where {where} order by memory_id desc limit %(limit)s"


async def one(connection: Connection, query: str, values: dict[str, Any]) -> DictRow:
    """The only row of a query that always has one."""
    cursor = await connection.execute(query.encode(), values)
    row = await cursor.fetchone()
    if row is None:
        raise LookupError(query)
    return row
