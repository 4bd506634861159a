"""Memories of whole spaces in Postgres: taken out, written back, removed when their time is over; and their spend."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from souvenir.clock import Clock
from souvenir.errors import BadInput
from souvenir.stores.memory_ports import Audit, Conflict, FoundBy, Memory, Spent
from souvenir.stores.memory_rules import check_id, check_memory, ends_at, sentence_key
from souvenir.stores.passage_ports import PassageStore
from souvenir.stores.postgres import memory_rows as rows
from souvenir.stores.postgres.database import Connection, PostgresDatabase
from souvenir.types import SpaceId

_TABLES = ("memories", "memory_audit", "memory_conflicts", "memory_keys", "spend")
_ENDED = "least(expires_at, superseded_at, deleted_at) < %(before)s"
_OF_NONE = "memory_id = '' and at < %(before)s"
_OVER = f"""
select space_id from memories where {_ENDED}
union select space_id from memory_audit where {_OF_NONE} order by space_id
"""


class PostgresMemoryArchive:
    """The part of PostgresMemoryStore that is about spaces rather than memories; use the whole."""

    def __init__(self, database: PostgresDatabase, passages: PassageStore, clock: Clock) -> None:
        self._database = database
        self._passages = passages
        self._clock = clock

    async def expire(self, before: datetime) -> int:
        """Space by space, so that nobody waits for all of them."""
        values = {"before": before}
        async with self._database.transaction() as connection:
            cursor = await connection.execute(_OVER.encode(), values)
            spaces = [SpaceId(row["space_id"]) for row in await cursor.fetchall()]
        return sum([await self._expire(space, before) for space in spaces])

    async def _expire(self, space: SpaceId, before: datetime) -> int:
        values = {"space": space, "before": before}
        async with self._writing(space) as (connection, _):
            cursor = await connection.execute(
                f"select {rows.MEMORY} from memories where space_id = %(space)s and {_ENDED}", values
            )
            over = [Memory(**row) for row in await cursor.fetchall()]
            await self._remove(connection, space, over)
            await connection.execute(f"delete from memory_audit where space_id = %(space)s and {_OF_NONE}", values)
            return len(over)

    async def spend(self, space: SpaceId, day: date, purpose: str, tokens: int) -> int:
        """Add to a day's count."""
        async with self._database.transaction() as connection:
            row = await rows.one(
                connection,
                "insert into spend (space_id, day, purpose, tokens)"
                " values (%(space)s, %(day)s, %(purpose)s, %(tokens)s)"
                " on conflict (space_id, day, purpose) do update set tokens = spend.tokens + excluded.tokens"
                " returning tokens",
                {"space": space, "day": day, "purpose": purpose, "tokens": tokens},
            )
            return int(row["tokens"])

    async def spent(self, space: SpaceId, day: date) -> dict[str, int]:
        """A day's counts."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "select purpose, tokens from spend where space_id = %s and day = %s order by purpose", [space, day]
            )
            return {row["purpose"]: row["tokens"] for row in await cursor.fetchall()}

    async def spent_by_all(self, day: date) -> dict[str, int]:
        """A day's counts, added up."""
        found = await self._database.fetch(
            "select purpose, sum(tokens)::bigint as tokens from spend where day = %s group by purpose order by purpose",
            [day],
        )
        return {row["purpose"]: row["tokens"] for row in found}

    async def spending(self, space: SpaceId) -> Sequence[Spent]:
        """All counts."""
        found = await self._database.fetch(
            "select day, purpose, tokens from spend where space_id = %s order by day, purpose", [space]
        )
        return [Spent(**row) for row in found]

    async def restore_spending(self, space: SpaceId, spent: Sequence[Spent]) -> int:
        """The higher of two figures."""
        async with self._writing(space, create=True) as (connection, _):
            known = {(one.day, one.purpose) for one in await self.spending(space)}
            await rows.execute_all(
                connection,
                "insert into spend (space_id, day, purpose, tokens) values (%s, %s, %s, %s)"
                " on conflict (space_id, day, purpose) do update set tokens = greatest(spend.tokens, excluded.tokens)",
                [[space, one.day, one.purpose, one.tokens] for one in spent],
            )
            return len({(one.day, one.purpose) for one in spent} - known)

    async def export(self, space: SpaceId) -> tuple[Sequence[Memory], Sequence[Audit], Sequence[Conflict]]:
        """All rows, while no writer changes them."""
        async with self._writing(space) as (connection, _):
            return await _everything(connection, space)

    async def restore(
        self,
        space: SpaceId,
        memories: Sequence[Memory],
        audit: Sequence[Audit],
        conflicts: Sequence[Conflict],
        found_by: Mapping[str, FoundBy],
    ) -> int:
        """What is not there yet, with new passages."""
        now = self._clock.now()
        for memory in memories:
            check_memory(memory, now)
        for conflict in conflicts:
            check_id("conflict_id", conflict.conflict_id, now)
        async with self._writing(space, create=True) as (connection, _):
            there, happened, _ = await _everything(connection, space)
            new = _missing(memories, there)
            known = {memory.memory_id: memory for memory in (*there, *new)}
            passages = await self._passages.add(
                space,
                [
                    rows.passage_of(
                        memory,
                        found_by.get(memory.memory_id, FoundBy()),
                        ends_at(memory, known.get(memory.superseded_by or "")),
                    )
                    for memory in new
                ],
            )
            await rows.insert(
                connection, space, [replace(one, passage_id=place) for one, place in zip(new, passages, strict=True)]
            )
            # the same may well have happened twice: what counts is how often
            noted = Counter(happened)
            missing = []
            for one in audit:
                noted[one] -= 1
                if noted[one] < 0 and (one.memory_id in known or not one.memory_id):
                    missing.append(one)
            await rows.note(connection, space, missing)
            both = [one for one in conflicts if one.older in known and one.newer in known]
            await rows.put_conflicts(connection, space, both)
            return len(new)

    async def erase(self, space: SpaceId) -> dict[str, int]:
        """Every row that names the space, and every passage of a memory, whether or not its memory is there."""
        removed = {}
        # with a row to lock even where there is none: somebody may be writing the first memory
        async with self._writing(space, create=True) as (connection, _):
            for table in _TABLES:
                cursor = await connection.execute(f"delete from {table} where space_id = %s".encode(), [space])
                removed[table] = cursor.rowcount
            cursor = await connection.execute(
                "select passage_id from passages where space_id = %s and kind = 'memory'", [space]
            )
            ids = [row["passage_id"] for row in await cursor.fetchall()]
            removed["passages"] = await self._passages.remove(space, ids)
        return removed

    @contextlib.asynccontextmanager
    async def _writing(self, space: SpaceId, *, create: bool = False) -> AsyncIterator[tuple[Connection, datetime]]:
        """A transaction that has the space to itself, and its time."""
        try:
            async with self._database.transaction() as connection:
                await rows.lock(connection, space, create=create)
                yield connection, self._clock.now()
        except rows.UNSTORABLE as error:
            raise BadInput(
                "content",
                "cannot be stored: it, or what comes with it, holds a NUL character, half a surrogate pair or a number"
                " out of range",
            ) from error

    async def _remove(self, connection: Connection, space: SpaceId, memories: Sequence[Memory]) -> None:
        """Remove versions for good, with their own audit, their conflicts and their passages."""
        values = {"space": space, "ids": [memory.memory_id for memory in memories]}
        for table, names_them in (
            ("memory_audit", "memory_id = any(%(ids)s)"),
            ("memory_conflicts", "(older = any(%(ids)s) or newer = any(%(ids)s))"),
            ("memories", "memory_id = any(%(ids)s)"),
        ):
            await connection.execute(
                f"delete from {table} where space_id = %(space)s and {names_them}".encode(), values
            )
        await self._passages.remove(space, rows.passage_ids(memories))


async def _everything(connection: Connection, space: SpaceId) -> tuple[list[Memory], list[Audit], list[Conflict]]:
    memories, audit, conflicts = [
        await (await connection.execute(query.encode(), [space])).fetchall()
        for query in (
            f"select {rows.MEMORY} from memories where space_id = %s order by memory_id",
            f"select {rows.AUDIT} from memory_audit where space_id = %s order by at, number",
            f"select {rows.CONFLICT} from memory_conflicts where space_id = %s order by conflict_id",
        )
    ]
    return (
        [Memory(**row) for row in memories],
        [Audit(**row) for row in audit],
        [Conflict(**row) for row in conflicts],
    )


def _missing(memories: Sequence[Memory], there: Sequence[Memory]) -> list[Memory]:
    """Those that what is there, or one before in the row, leaves room for, by id."""
    taken: set[object] = set()
    for memory in there:
        taken |= _places(memory)
    missing = []
    for memory in sorted(memories, key=lambda memory: memory.memory_id):
        places = _places(memory)
        if not places & taken:
            taken |= places
            missing.append(memory)
    return missing


def _places(memory: Memory) -> set[object]:
    """What no other memory of the space can have too."""
    places: set[object] = {memory.memory_id, (memory.lineage, memory.version)}
    if memory.superseded_at is None and memory.deleted_at is None:
        places |= {sentence_key(memory.content), (memory.lineage, "stands")}
    return places
