"""Facts in Postgres: a row for each topic of a chat puts its writers in line, and each change is one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import psycopg
from psycopg.rows import DictRow

from souvenir.errors import BadInput
from souvenir.stores.fact_ports import Fact, FactKind, FactTopic, Revision
from souvenir.stores.postgres.database import Connection, PostgresDatabase
from souvenir.types import SpaceId

_FACT = "topic_key, kind, rank, value, chat_id, source_message_id, created_at"
_TOPIC = "space_id = %s and chat_id = %s and topic_key = %s and kind = %s"
_UNSTORABLE = (psycopg.DataError, UnicodeEncodeError)

_INSERT = f"insert into facts (space_id, {_FACT}) values (%s, %s, %s, %s, %s, %s, %s, %s)"

# the chat's own before others, in the order they are named, the one said last; of one that was cleared nothing is left
_FIND = f"""
with best as (
    select chat_id, topic_key from fact_topics
     where space_id = %s and topic_key = any(%s) and (%s or chat_id = %s) and said_at is not null
     order by chat_id = %s desc, array_position(%s, topic_key), said_at desc, chat_id
     limit 1)
select {_FACT} from facts join best using (chat_id, topic_key) where space_id = %s order by kind desc, rank
"""

_TOPICS = """
select f.topic_key, nullif(f.chat_id, '') as chat_id, count(*) filter (where f.kind = 'ranked') as ranked,
       count(*) filter (where f.kind = 'single') as single, max(t.said_at) as said_at
  from facts f join fact_topics t using (space_id, chat_id, topic_key, kind)
 where f.space_id = %s and (%s or f.chat_id = %s)
 group by f.topic_key, f.chat_id order by said_at desc, f.topic_key, chat_id limit %s
"""


_RECENT = """
select topic_key from fact_topics t where space_id = %s and chat_id = %s and touched_at is not null
   and exists (select from facts f where f.space_id = t.space_id and f.topic_key = t.topic_key)
 order by touched_at desc, topic_key limit 1
"""


class PostgresFactStore:
    """The FactStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def put(self, space: SpaceId, fact: Fact) -> bool:
        """One row, unless it or its topic is newer."""
        said = (fact.created_at, fact.source_message_id or "")
        try:
            async with self._database.transaction() as connection:
                topic = [space, fact.chat_id or "", fact.topic_key, fact.kind]
                revised = await _locked(connection, topic)
                cursor = await connection.execute(
                    f"select created_at, source_message_id from facts where {_TOPIC} and rank = %s",
                    [*topic, fact.rank or 0],
                )
                known = await cursor.fetchone()
                if (revised is not None and revised >= said) or (known is not None and _said(known) >= said):
                    return False
                await connection.execute(
                    f"{_INSERT} on conflict (space_id, chat_id, topic_key, kind, rank) do update set"
                    " value = excluded.value, source_message_id = excluded.source_message_id,"
                    " created_at = excluded.created_at",
                    _values(space, fact),
                )
                await connection.execute(
                    "update fact_topics set said_at = greatest(said_at, %s), touched_at = greatest(touched_at, %s)"
                    f" where {_TOPIC}",
                    [fact.created_at, fact.created_at, *topic],
                )
                return True
        except _UNSTORABLE as error:
            raise BadInput("value", "cannot be stored") from error

    async def revise(
        self,
        space: SpaceId,
        chat_id: str | None,
        topic_key: str,
        kind: FactKind,
        revision: Revision,
        *,
        at: datetime,
        message_id: str | None,
        adopt: bool = False,
    ) -> Sequence[Fact] | None:
        """Read, change and write a topic's facts of one kind under its row's lock."""
        topic = [space, chat_id or "", topic_key, kind]
        said = (at, message_id or "")
        try:
            async with self._database.transaction() as connection:
                revised = await _locked(connection, topic)
                cursor = await connection.execute(f"select {_FACT} from facts where {_TOPIC} order by rank", topic)
                rows = await cursor.fetchall()
                if (revised is not None and revised >= said) or any(_said(row) >= said for row in rows):
                    return None
                facts = [_fact(row) for row in rows]
                if not facts and adopt and revised is None:
                    facts = [fact for fact in await self.find(space, [topic_key]) if fact.kind == kind]
                    facts = (
                        facts if all((fact.created_at, fact.source_message_id or "") < said for fact in facts) else []
                    )
                changed = revision(facts)
                if changed is None:
                    return None
                written = [_of(fact, topic_key, kind, chat_id) for fact in changed]
                await connection.execute(f"delete from facts where {_TOPIC}", topic)
                async with connection.cursor() as writing:
                    await writing.executemany(_INSERT, [_values(space, fact) for fact in written])
                await connection.execute(
                    "update fact_topics set revised_at = %s, revised_by = %s, said_at = greatest(said_at, %s),"
                    f" touched_at = greatest(touched_at, %s) where {_TOPIC}",
                    [at, message_id or "", at, at, *topic],
                )
                return written
        except _UNSTORABLE as error:
            raise BadInput("value", "cannot be stored") from error

    async def find(self, space: SpaceId, topic_keys: Sequence[str], chat_id: str | None = None) -> Sequence[Fact]:
        """The chat's own facts of the first topic it has, else the space's that were said last."""
        return await self._find(space, topic_keys, chat_id, anywhere=True)

    async def of_chat(self, space: SpaceId, topic_keys: Sequence[str], chat_id: str | None) -> Sequence[Fact]:
        """The chat's own facts of the first topic it has."""
        return await self._find(space, topic_keys, chat_id or "", anywhere=False)

    async def topics(self, space: SpaceId, *, limit: int, chat_id: str | None = None) -> Sequence[FactTopic]:
        """Topics that have facts."""
        rows = await self._database.fetch(_TOPICS, [space, chat_id is None, chat_id, limit])
        return [FactTopic(**row) for row in rows]

    async def recent_topic(self, space: SpaceId, chat_id: str) -> str | None:
        """The topic whose row was touched last."""
        rows = await self._database.fetch(_RECENT, [space, chat_id])
        return str(rows[0]["topic_key"]) if rows else None

    async def recall(self, space: SpaceId, chat_id: str, topic_key: str, at: datetime) -> None:
        """Touch a topic's row, which is made if need be."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "insert into fact_topics (space_id, chat_id, topic_key, kind, revised_by, touched_at)"
                " values (%s, %s, %s, 'ranked', '', %s) on conflict (space_id, chat_id, topic_key, kind)"
                " do update set touched_at = greatest(fact_topics.touched_at, excluded.touched_at)",
                [space, chat_id, topic_key, at],
            )

    async def remove_topic(self, space: SpaceId, topic_key: str, at: datetime, chat_id: str | None = None) -> int:
        """Remove rows; the topic's own stay, to keep out what was said before."""
        only, values = ("and chat_id = %s", [chat_id]) if chat_id is not None else ("", [])
        async with self._database.transaction() as connection:
            await connection.execute(
                "update fact_topics set revised_at = greatest(revised_at, %s), said_at = null"
                f" where space_id = %s and topic_key = %s {only}".encode(),
                [at, space, topic_key, *values],
            )
            cursor = await connection.execute(
                f"delete from facts where space_id = %s and topic_key = %s {only}".encode(), [space, topic_key, *values]
            )
            return cursor.rowcount

    async def remove_chat(self, space: SpaceId, chat_id: str) -> int:
        """Remove the rows of a chat."""
        async with self._database.transaction() as connection:
            await connection.execute("delete from fact_topics where space_id = %s and chat_id = %s", [space, chat_id])
            cursor = await connection.execute(
                "delete from facts where space_id = %s and chat_id = %s", [space, chat_id]
            )
            return cursor.rowcount

    async def _find(
        self, space: SpaceId, keys: Sequence[str], chat_id: str | None, *, anywhere: bool
    ) -> Sequence[Fact]:
        named = [key for key in keys if "\x00" not in key]
        rows = await self._database.fetch(_FIND, [space, named, anywhere, chat_id, chat_id, named, space])
        return [_fact(row) for row in rows]


async def _locked(connection: Connection, topic: Sequence[str]) -> tuple[datetime, str] | None:
    """Take a topic's row, made if need be; when and by which message its facts were last revised."""
    await connection.execute(
        "insert into fact_topics (space_id, chat_id, topic_key, kind, revised_by) values (%s, %s, %s, %s, '')"
        " on conflict do nothing",
        topic,
    )
    cursor = await connection.execute(
        f"select revised_at, revised_by from fact_topics where {_TOPIC} for update", topic
    )
    row = await cursor.fetchone()
    return (row["revised_at"], row["revised_by"]) if row is not None and row["revised_at"] is not None else None


def _said(row: DictRow) -> tuple[datetime, str]:
    return row["created_at"], row["source_message_id"] or ""


def _fact(row: DictRow) -> Fact:
    return Fact(**row | {"rank": row["rank"] or None, "chat_id": row["chat_id"] or None})


def _of(fact: Fact, topic_key: str, kind: FactKind, chat_id: str | None) -> Fact:
    return replace(fact, topic_key=topic_key, kind=kind, chat_id=chat_id)


def _values(space: SpaceId, fact: Fact) -> list[object]:
    return [
        space, fact.topic_key, fact.kind, fact.rank or 0, fact.value, fact.chat_id or "", fact.source_message_id,
        fact.created_at,
    ]  # fmt: skip
