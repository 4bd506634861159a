"""Memories in Postgres: a row lock on the space puts its writers in line, and each change is one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from souvenir.errors import Conflicting
from souvenir.stores.chat_rules import is_ulid, next_id
from souvenir.stores.memory_ports import (
    Audit,
    Conflict,
    FoundBy,
    Memory,
    MemoryCounts,
    MemoryFilter,
    NewMemory,
)
from souvenir.stores.memory_rules import fold, renewed
from souvenir.stores.ports import Page
from souvenir.stores.postgres import memory_rows as rows
from souvenir.stores.postgres.database import Connection
from souvenir.stores.postgres.memory_archive import PostgresMemoryArchive
from souvenir.types import SpaceId

_OF_ALL = f"""
select (select count(*) from memories where {{which}} {rows.ACTIVE}) as active,
       count(*) filter (where event = 'add') as added,
       count(*) filter (where event = 'replace') as replaced,
       count(*) filter (where event = 'ignore') as ignored
  from memory_audit where {{which}} event in ('add', 'replace', 'ignore')
"""
_COUNTS = _OF_ALL.format(which="space_id = %(space)s and")
_TOTALS = _OF_ALL.format(which="")


class PostgresMemoryStore(PostgresMemoryArchive):
    """The MemoryStore on Postgres."""

    async def add(
        self, space: SpaceId, memory: NewMemory, reason: str, by: str, key: str | None = None
    ) -> Memory | None:
        """A memory of its own."""
        found = _found_by(memory)
        async with self._writing(space, create=True) as (connection, now):
            known = await rows.saying(connection, space, memory.content)
            if await rows.key_used(connection, space, key) or (known is not None and known.is_active(now)):
                return None
            memory_id, _ = await rows.next_place(connection, space, None, now)
            stored = _memory(memory, memory_id, memory_id, 1, now)
            old = known.content if known is not None else None
            audit = Audit("add", memory_id, old, memory.content, reason, by, now, known.memory_id if known else None)
            await rows.use_key(connection, space, key, now)
            return await self._put(connection, space, stored, found, [known], audit)

    async def replace(
        self, space: SpaceId, target: str, memory: NewMemory, reason: str, by: str, key: str | None = None
    ) -> Memory | None:
        """The next version of a memory, or another memory that says the same in its place."""
        found = _found_by(memory)
        async with self._writing(space) as (connection, now):
            old = await rows.find(connection, space, target)
            if old is None or not old.is_active(now) or old.said_at >= memory.said_at:
                return None
            if await rows.key_used(connection, space, key):
                return None
            await rows.use_key(connection, space, key, now)
            known = await rows.saying(connection, space, memory.content)
            if known is not None and known.is_active(now) and known.memory_id != target:
                audit = Audit("replace", known.memory_id, old.content, known.content, reason, by, now, target)
                await self._supersede(connection, space, [old], known.memory_id, memory.said_at, now)
                await rows.note(connection, space, [audit])
                return known
            memory_id, version = await rows.next_place(connection, space, old.lineage, now)
            stored = _memory(memory, memory_id, old.lineage, version, now)
            audit = Audit("replace", memory_id, old.content, memory.content, reason, by, now, target)
            return await self._put(connection, space, stored, found, [old, known], audit)

    async def edit(
        self,
        space: SpaceId,
        memory_id: str,
        content: str,
        by: str,
        found_by: FoundBy,
        category: str | None = None,
    ) -> Memory | None:
        """The next version in somebody's own words."""
        async with self._writing(space) as (connection, now):
            old = await rows.find(connection, space, memory_id)
            if old is None or not old.is_active(now):
                return None
            known = await rows.saying(connection, space, content)
            if known is not None and known.memory_id != memory_id and known.is_active(now):
                raise Conflicting(f"the memory {known.memory_id} says that already")
            new_id, version = await rows.next_place(connection, space, old.lineage, now)
            stored = replace(
                old, memory_id=new_id, version=version, content=content, category=category or old.category,
                confidence=1.0, verified=True, reasoning="", path="user", said_at=now, created_at=now, updated_at=now,
                ups=0, downs=0, uses=0, used_at=None,
            )  # fmt: skip
            audit = Audit("edit", new_id, old.content, content, "", by, now, memory_id)
            return await self._put(connection, space, stored, found_by, [old, known], audit)

    async def undo(
        self, space: SpaceId, memory_id: str, to: str, by: str, vector: NDArray[np.float32] | None, model: str | None
    ) -> Memory | None:
        """The next version in the words of an earlier one."""
        async with self._writing(space) as (connection, now):
            versions = await rows.versions(connection, space, memory_id)
            wanted = next((version for version in versions if version.memory_id == to), None)
            if wanted is None or wanted.is_active(now):
                return None
            known = await rows.saying(connection, space, wanted.content)
            if known is not None and known.lineage != wanted.lineage and known.is_active(now):
                raise Conflicting(f"the memory {known.memory_id} says that already")
            head = next((one for one in versions if one.superseded_at is None and one.deleted_at is None), None)
            new_id, version = await rows.next_place(connection, space, wanted.lineage, now)
            stored = replace(
                wanted, memory_id=new_id, version=version, said_at=now, created_at=now, updated_at=now,
                expires_at=renewed(wanted, now), superseded_by=None, superseded_at=None, deleted_at=None,
            )  # fmt: skip
            old, other = (head.content, head.memory_id) if head is not None else (None, None)
            reason = f"back to version {wanted.version}"
            audit = Audit("undo", new_id, old, wanted.content, reason, by, now, other)
            found = replace(await rows.found_by(connection, space, wanted), vector=vector, model=model)
            return await self._put(connection, space, stored, found, [head, known], audit)

    async def share(self, space: SpaceId, memory_id: str, to: SpaceId, by: str) -> Memory | None:
        """A memory of its own there, or the next version of what an earlier copy became."""
        first, second = sorted((space, to))
        async with self._writing(first, create=first == to), self._writing(second, create=second == to) as (own, now):
            memory = await rows.find(own, space, memory_id)
            if memory is None or space == to:
                return memory
            if not memory.is_active(now):
                raise Conflicting(_ended(memory))
            known = await rows.saying(own, to, memory.content)
            copy = await rows.copy_of(own, to, memory.lineage)
            head = await rows.head(own, to, copy.lineage) if copy is not None else None
            old = head if head is not None and head.is_active(now) else None
            if known is not None and known.is_active(now):
                return known
            if old is not None and copy is not None and (copy.origin or {})[rows.SHARED]["memory_id"] == memory_id:
                return old
            new_id, version = await rows.next_place(own, to, old.lineage if old is not None else None, now)
            stored = replace(
                memory, memory_id=new_id, lineage=old.lineage if old is not None else new_id, version=version,
                reasoning="", origin={rows.SHARED: {"memory_id": memory_id, "lineage": memory.lineage, "by": by}},
                created_at=now, updated_at=now, ups=0, downs=0, uses=0, used_at=None,
            )  # fmt: skip
            taken = old or known
            audit = Audit(
                "share", new_id, taken.content if taken else None, memory.content, "", by, now,
                taken.memory_id if taken else None,
            )  # fmt: skip
            return await self._put(own, to, stored, await rows.found_by(own, space, memory), [old, known], audit)

    async def delete(self, space: SpaceId, memory_id: str, by: str) -> Memory | None:
        """Mark it, and end its passage."""
        async with self._writing(space) as (connection, now):
            old = await rows.find(connection, space, memory_id)
            if old is None or old.superseded_at is not None:
                return None
            if old.deleted_at is not None:
                return old
            await connection.execute(
                "update memories set deleted_at = %s, updated_at = %s where space_id = %s and memory_id = %s",
                [now, now, space, memory_id],
            )
            await self._passages.close(space, rows.passage_ids([old]), now)
            await rows.note(connection, space, [Audit("delete", memory_id, old.content, None, "", by, now)])
            return replace(old, deleted_at=now, updated_at=now)

    async def purge(self, space: SpaceId, memory_id: str) -> int:
        """Remove a lineage, and every row that names one of its versions."""
        async with self._writing(space) as (connection, _):
            versions = await rows.versions(connection, space, memory_id)
            await connection.execute(
                "delete from memory_audit where space_id = %(space)s and other = any(%(ids)s)",
                {"space": space, "ids": [version.memory_id for version in versions]},
            )
            await self._remove(connection, space, versions)
            return len(versions)

    async def get(self, space: SpaceId, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Memories by id."""
        async with self._database.transaction() as connection:
            return await rows.find_all(connection, space, memory_ids)

    async def by_passage(self, space: SpaceId, passage_ids: Sequence[int]) -> dict[int, Memory]:
        """Memories by passage."""
        found = await self._database.fetch(
            f"select {rows.MEMORY} from memories where space_id = %s and passage_id = any(%s::bigint[])",
            [space, list(passage_ids)],
        )
        return {row["passage_id"]: Memory(**row) for row in found}

    async def history(self, space: SpaceId, memory_id: str) -> tuple[Sequence[Memory], Sequence[Audit]]:
        """Versions, and what names any of them."""
        async with self._database.transaction() as connection:
            versions = await rows.versions(connection, space, memory_id)
            cursor = await connection.execute(
                f"select {rows.AUDIT} from memory_audit where space_id = %(space)s"
                " and (memory_id = any(%(ids)s) or other = any(%(ids)s)) order by at, number",
                {"space": space, "ids": [version.memory_id for version in versions]},
            )
            return versions, [Audit(**row) for row in await cursor.fetchall()]

    async def feedback(self, space: SpaceId, memory_id: str, up: bool, by: str) -> Memory | None:
        """One more up or down."""
        async with self._writing(space) as (connection, now):
            old = await rows.find(connection, space, memory_id)
            if old is None:
                return None
            await connection.execute(
                "update memories set ups = ups + %s, downs = downs + %s where space_id = %s and memory_id = %s",
                [int(up), int(not up), space, memory_id],
            )
            audit = Audit("feedback", memory_id, None, None, "up" if up else "down", by, now)
            await rows.note(connection, space, [audit])
            return replace(old, ups=old.ups + int(up), downs=old.downs + int(not up))

    async def used(self, space: SpaceId, memory_ids: Sequence[str], at: datetime) -> None:
        """One more use of each."""
        async with self._writing(space) as (connection, _):
            await connection.execute(
                "update memories set uses = uses + 1, used_at = greatest(used_at, %s)"
                " where space_id = %s and memory_id = any(%s)",
                [at, space, [memory_id for memory_id in memory_ids if is_ulid(memory_id)]],
            )

    async def open_conflict(self, space: SpaceId, older: str, newer: str, reason: str) -> Conflict | None:
        """Keep a pair, in one order or the other."""
        async with self._writing(space) as (connection, now):
            sides = await rows.find_all(connection, space, [older, newer])
            if len(sides) < 2 or not all(side.is_active(now) for side in sides.values()):
                return None
            state = await rows.one(
                connection,
                "select max(conflict_id) as last, bool_or(least(older, newer) = least(%(older)s, %(newer)s)"
                "  and greatest(older, newer) = greatest(%(older)s, %(newer)s)) as known"
                " from memory_conflicts where space_id = %(space)s",
                {"space": space, "older": older, "newer": newer},
            )
            if state["known"]:
                return None
            conflict = Conflict(next_id(now, state["last"]), older, newer, reason, now)
            await rows.put_conflicts(connection, space, [conflict])
            audit = Audit("conflict", newer, sides[older].content, sides[newer].content, reason, "souvenir", now, older)
            await rows.note(connection, space, [audit])
            return conflict

    async def conflicts(self, space: SpaceId, *, limit: int) -> Sequence[Conflict]:
        """Pairs whose sides are both active."""
        async with self._database.transaction() as connection:
            return await rows.open_conflicts(connection, space, self._clock.now(), limit)

    async def settle(self, space: SpaceId, conflict_id: str, keep: str, by: str) -> Memory | None:
        """One side in place of the other."""
        async with self._writing(space) as (connection, now):
            found = await rows.open_conflicts(connection, space, now, 1, conflict_id)
            if not found or keep not in {found[0].older, found[0].newer}:
                return None
            conflict = found[0]
            dropped = conflict.older if keep == conflict.newer else conflict.newer
            sides = await rows.find_all(connection, space, [keep, dropped])
            await self._supersede(connection, space, [sides[dropped]], keep, now, now)
            await connection.execute(
                "delete from memory_conflicts where space_id = %s and conflict_id = %s", [space, conflict_id]
            )
            old, new = sides[dropped].content, sides[keep].content
            await rows.note(connection, space, [Audit("settle", keep, old, new, conflict.reason, by, now, dropped)])
            return sides[keep]

    async def ignored(self, space: SpaceId, content: str, target: str | None, reason: str, key: str | None) -> None:
        """An audit row, of the memory that the candidate repeats."""
        async with self._writing(space, create=True) as (connection, now):
            if await rows.key_used(connection, space, key):
                return
            await rows.use_key(connection, space, key, now)
            repeated = await rows.find(connection, space, target or "")
            repeated = repeated or await rows.saying(connection, space, content)
            memory_id = repeated.memory_id if repeated is not None else ""
            await rows.note(connection, space, [Audit("ignore", memory_id, None, content, reason, "souvenir", now)])

    async def latest_change(self, spaces: Sequence[SpaceId]) -> int:
        """The number of the latest thing that happened."""
        rows = await self._database.fetch(
            "select max(number) as latest from unnest(%s::text[]) as given(space),"
            " lateral (select number from memory_audit where space_id = given.space order by number desc limit 1)"
            " as newest",
            [list(spaces)],
        )
        return int(rows[0]["latest"] or 0)

    async def counts(self, space: SpaceId) -> MemoryCounts:
        """What is active, and what the audit tells."""
        async with self._database.transaction() as connection:
            row = await rows.one(connection, _COUNTS, {"space": space, "now": self._clock.now()})
        return MemoryCounts(**row)

    async def totals(self) -> MemoryCounts:
        """The same of every space."""
        async with self._database.transaction() as connection:
            return MemoryCounts(**await rows.one(connection, _TOTALS, {"now": self._clock.now()}))

    async def list(self, space: SpaceId, only: MemoryFilter, *, limit: int, before: str | None = None) -> Page[Memory]:
        """Memories by id, backwards."""
        states = {
            rows.ACTIVE: True,
            "superseded_at is not null": only.superseded,
            f"{rows.STANDING} and expires_at <= %(now)s": only.expired,
            "deleted_at is not null": only.deleted,
        }
        rest = {
            # spelled out, so that the planner sees that the index of just those will do
            "category = 'identity'" if only.category == "identity" else "category = %(category)s": only.category,
            "strpos(folded, %(containing)s) > 0": only.containing,
            "memory_id < %(before)s": before,
        }
        values = {"space": space, "now": self._clock.now(), "limit": limit + 1, "before": before}
        values |= {"category": only.category, "containing": fold(only.containing or "")}
        query = rows.page_query(
            [state for state, shown in states.items() if shown],
            [condition for condition, value in rest.items() if value is not None],
        )
        try:
            found = await self._database.fetch(query, values)
        except rows.UNSTORABLE:
            return Page((), more=False)  # what cannot be stored is in no memory
        return Page(tuple(Memory(**row) for row in found[:limit]), more=len(found) > limit)

    async def _put(
        self,
        connection: Connection,
        space: SpaceId,
        memory: Memory,
        found: FoundBy,
        instead_of: Sequence[Memory | None],
        audit: Audit,
    ) -> Memory:
        """Write a memory with its passage and audit, in place of others."""
        # the audit first: a text that cannot be kept is refused as the memory's, not as its passage's
        await rows.note(connection, space, [audit])
        old = {one.memory_id: one for one in instead_of if one is not None}
        if old:
            said_at, now = memory.said_at, memory.created_at
            await self._supersede(connection, space, [*old.values()], memory.memory_id, said_at, now)
        (passage_id,) = await self._passages.add(space, [rows.passage_of(memory, found, memory.expires_at)])
        stored = replace(memory, passage_id=passage_id)
        await rows.insert(connection, space, [stored])
        return stored

    async def _supersede(
        self, connection: Connection, space: SpaceId, old: Sequence[Memory], by: str, said_at: datetime, now: datetime
    ) -> None:
        await rows.supersede(connection, space, [one.memory_id for one in old], by, now)
        await self._passages.close(space, rows.passage_ids(old), min(said_at, now))


def _memory(new: NewMemory, memory_id: str, lineage: str, version: int, now: datetime) -> Memory:
    return Memory(
        memory_id=memory_id,
        lineage=lineage,
        version=version,
        content=new.content,
        category=new.category,
        importance=new.importance,
        confidence=new.confidence,
        reasoning=new.reasoning,
        lifetime=new.lifetime,
        path=new.path,
        said_at=new.said_at,
        created_at=now,
        updated_at=now,
        expires_at=new.expires_at,
        origin=new.origin,
        verified=new.verified,
    )


def _found_by(new: NewMemory) -> FoundBy:
    return FoundBy(new.terms, new.signs, new.words, new.vector, new.model)


def _ended(memory: Memory) -> str:
    """Why a memory is not active."""
    if memory.superseded_by is not None:
        return f"it was replaced by the memory {memory.superseded_by}"
    return "it was forgotten" if memory.deleted_at is not None else "it has expired"
