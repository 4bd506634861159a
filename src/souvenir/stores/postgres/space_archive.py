"""Whole spaces in Postgres: held still, read for what only passages know, and removed from every table there is."""

from collections.abc import Sequence

from psycopg import sql

from souvenir.stores.archive_ports import FactState, Found
from souvenir.stores.fact_ports import Fact
from souvenir.stores.passage_ports import Passage, PassageStore
from souvenir.stores.postgres import memory_rows as rows
from souvenir.stores.postgres.database import BE_ALONE, PostgresDatabase
from souvenir.stores.postgres.passages import BEYOND
from souvenir.types import GLOBAL_SPACE, SpaceId

_NOBODY = "(erased)"
_BOOKKEEPING = {"passage_spaces", "passage_removals"}  # of indexes: nothing that anybody would miss

# those that refer to others first, since removing what they refer to would remove them uncounted
_TABLES = """
select tab.relname as name
  from pg_class tab
  join pg_attribute att on att.attrelid = tab.oid and att.attname = 'space_id'
 where tab.relkind in ('r', 'p') and tab.relnamespace = current_schema()::regnamespace
 order by (select count(*) from pg_constraint con where con.conrelid = tab.oid and con.contype = 'f') desc, tab.relname
"""

_GO_ON = """
insert into passage_spaces (space_id, revision, passages, removals_since)
select %(beyond)s, revision + 1, 0, 0 from passage_spaces where space_id = %(space)s
    on conflict (space_id) do update set revision = greatest(passage_spaces.revision, excluded.revision)
"""

_NAMING = """
select space_id from memories where origin -> 'shared' ->> 'by' = %(user)s
 union select space_id from memory_audit where done_by = %(user)s order by space_id
"""


_FACT = "chat_id, topic_key, kind, rank, value, source_message_id, created_at"
_STATE = "chat_id, topic_key, kind, revised_at, revised_by, said_at, touched_at"


class PostgresSpaceArchive:
    """The SpaceArchive on Postgres."""

    def __init__(self, database: PostgresDatabase, passages: PassageStore) -> None:
        self._database = database
        self._passage_store = passages

    async def hold(self, space: SpaceId) -> None:
        """An advisory lock, which they share."""
        async with self._database.transaction() as connection:
            await connection.execute(BE_ALONE, [space])

    async def found(self, space: SpaceId, chat_id: str, message_ids: Sequence[str]) -> Found:
        """By the indexes of messages."""
        these = "chat_id = %s and message_id = any(%s)"
        values = [chat_id, list(message_ids)]
        passages = await self._passages(space, f"{these} order by passage_id", values)
        external = await self._database.fetch(
            f"select external_id, message_id from external_messages where space_id = %s and {these}", [space, *values]
        )
        return Found(passages, {row["external_id"]: row["message_id"] for row in external})

    async def others(self, space: SpaceId, *, limit: int, after: int = 0) -> Sequence[Passage]:
        """Along the primary key."""
        chosen = (
            "passage_id > %s and kind not in ('memory', 'chunk') and message_id is null order by passage_id limit %s"
        )
        return await self._passages(space, chosen, [after, limit])

    async def facts(self, space: SpaceId) -> tuple[Sequence[Fact], Sequence[FactState]]:
        """Both tables, in the order of their keys."""
        facts, states = [
            await self._database.fetch(
                f"select {columns} from {table} where space_id = %s order by chat_id, topic_key, kind{rank}", [space]
            )
            for table, columns, rank in (("facts", _FACT, ", rank"), ("fact_topics", _STATE, ""))
        ]
        return (
            [Fact(**{**row, "rank": row["rank"] or None, "chat_id": row["chat_id"] or None}) for row in facts],
            [FactState(**{**row, "chat_id": row["chat_id"] or None}) for row in states],
        )

    async def restore_facts(self, space: SpaceId, facts: Sequence[Fact], states: Sequence[FactState]) -> int:
        """A topic's row first, as its writers do: who has that has its facts."""
        async with self._database.transaction() as connection:
            known, topics = await self.facts(space)
            taken = {_topic(one) for one in known} | {_topic(one) for one in topics}
            new = [one for one in facts if _topic(one) not in taken]
            others = [one for one in states if _topic(one) not in taken]
            for table, columns, given in (("fact_topics", _STATE, others), ("facts", _FACT, new)):
                marks = ", ".join(["%s"] * (columns.count(",") + 2))
                await rows.execute_all(
                    connection,
                    f"insert into {table} (space_id, {columns}) values ({marks}) on conflict do nothing",
                    [[space, *_values(one, columns)] for one in given],
                )
            return len(new)

    async def sweep(self, space: SpaceId, user_id: str) -> dict[str, int]:
        """Every table that has spaces, by asking the database which those are."""
        removed = {}
        async with self._database.transaction() as connection:
            await rows.lock(connection, space, create=True)
            await connection.execute(_GO_ON, {"space": space, "beyond": BEYOND})
            tables = [row["name"] for row in await (await connection.execute(_TABLES)).fetchall()]
            for table in tables:
                query = sql.SQL("delete from {} where space_id = %s").format(sql.Identifier(table))
                removed[table] = (await connection.execute(query, [space])).rowcount
            cursor = await connection.execute(
                "delete from api_keys where space_id = %s and user_id = %s", [GLOBAL_SPACE, user_id]
            )
            removed["api_keys"] += cursor.rowcount
        return {table: count for table, count in removed.items() if table not in _BOOKKEEPING}

    async def unname(self, user_id: str) -> int:
        """Space by space, so that nobody waits for all of them."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(_NAMING, {"user": user_id})
            spaces = [SpaceId(row["space_id"]) for row in await cursor.fetchall()]
        return sum([await self._unname(space, user_id) for space in spaces])

    async def _unname(self, space: SpaceId, user_id: str) -> int:
        values = {"space": space, "user": user_id, "nobody": _NOBODY}
        async with self._database.transaction() as connection:
            await rows.lock(connection, space)
            shared = await connection.execute(
                "update memories set origin = origin #- '{shared,by}'"
                " where space_id = %(space)s and origin -> 'shared' ->> 'by' = %(user)s",
                values,
            )
            done = await connection.execute(
                "update memory_audit set done_by = %(nobody)s where space_id = %(space)s and done_by = %(user)s", values
            )
            return shared.rowcount + done.rowcount

    async def _passages(self, space: SpaceId, chosen: str, values: Sequence[object]) -> tuple[Passage, ...]:
        query = f"select passage_id from passages where space_id = %s and {chosen}"
        ids = [row["passage_id"] for row in await self._database.fetch(query, [space, *values])]
        stored = await self._passage_store.get(space, ids)
        return tuple(stored[one] for one in ids if one in stored)


def _topic(one: Fact | FactState) -> tuple[str | None, str, str]:
    return one.chat_id, one.topic_key, one.kind


def _values(one: Fact | FactState, columns: str) -> list[object]:
    """In these tables what belongs to no chat, or has no rank, has an empty one."""
    empty: dict[str, object] = {"chat_id": "", "rank": 0}
    given = {name: getattr(one, name) for name in columns.split(", ")}
    return [empty.get(name) if value is None else value for name, value in given.items()]
