"""Chats in Postgres: a row lock on the chat puts parallel writers in line, and each write is one transaction."""

import functools
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import datetime
from itertools import chain
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from souvenir.clock import Clock
from souvenir.stores.chat_rules import as_read, number, preview_of, title_of
from souvenir.stores.ports import Chat, ChatPosition, Message, MessageChange, NewMessage, Page
from souvenir.stores.postgres.database import Connection, PostgresDatabase
from souvenir.types import SpaceId

_CHAT_FIELDS = tuple(field.name for field in fields(Chat))
_MESSAGE_FIELDS = tuple(field.name for field in fields(Message))
_CHAT = ", ".join(_CHAT_FIELDS)
_MESSAGE = ", ".join(_MESSAGE_FIELDS)
_JSON = {"tool_calls", "partial_tool_calls", "memories"}
_TIMES = {"created_at", "alive_until"}
_THIS = "where space_id = %s and chat_id = %s"
_TYPES = {**dict.fromkeys(_JSON, "jsonb"), **dict.fromkeys(_TIMES, "timestamptz")}
_ROW = "(%s, " + ", ".join(f"%s::{_TYPES.get(name, 'text')}" for name in _MESSAGE_FIELDS) + ")"
_AT_ONCE = 100  # messages in one statement
_SHOW = f"""
with shown as (
    update chats set title = case when title = '' then %s else title end, last_message = %s,
                     updated_at = greatest(updated_at, %s), message_count = message_count + %s, last_message_id = %s
     {_THIS} and last_message_id < %s returning 1)"""


class PostgresChatStore:
    """The ChatStore on Postgres."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def open(self) -> None:
        """The database is opened and closed by whoever owns it."""

    async def ping(self) -> None:
        """One round trip."""
        await self._database.ping()

    async def aclose(self) -> None:
        """Nothing of its own to close."""

    async def append(
        self, space: SpaceId, chat_id: str, messages: Sequence[NewMessage], *, create: bool = False
    ) -> tuple[Message, ...] | None:
        """Add messages at the end of a chat: as if it were there and earlier than now, which it mostly is."""
        async with self._database.joined() as connection:
            now = self._clock.now()
            added = number(messages, chat_id, now, None)
            if await _add(connection, space, chat_id, added, now):
                return added
            if create:
                made = await connection.execute(
                    f"insert into chats (space_id, {_CHAT}) values (%s, %s, '', '', %s, %s, 0, '', '', null)"
                    " on conflict do nothing",
                    [space, chat_id, now, now],
                )
                if made.rowcount:
                    await _add(connection, space, chat_id, added, now)
                    return added
            chat = await _locked(connection, space, chat_id)
            if chat is None:
                return None
            added = number(messages, chat_id, now, chat.last_message_id or None)
            await _add(connection, space, chat_id, added, now)
            return added

    async def update_message(
        self, space: SpaceId, chat_id: str, message_id: str, change: MessageChange
    ) -> Message | None:
        """Change a message, and what the chat shows of it."""
        changes = {name: value for name, value in asdict(change).items() if value is not None}
        async with self._database.transaction() as connection:
            chat = await _locked(connection, space, chat_id)
            if chat is None:
                return None
            ends = change.status is not None and change.status != "streaming"
            changes |= {"alive_until": None} if ends else {}
            assignments = ", ".join(f"{name} = %s" for name in changes) or "role = role"
            values = [_stored(name, value) for name, value in changes.items()]
            cursor = await connection.execute(
                f"update messages set {assignments} {_THIS} and message_id = %s returning {_MESSAGE}".encode(),
                [*values, space, chat_id, message_id],
            )
            row = await cursor.fetchone()
            if row is None:
                return None
            message = _message(row)
            shown = preview_of(message.content) if message_id == chat.last_message_id else chat.last_message
            await connection.execute(
                f"update chats set last_message = %s, updated_at = greatest(updated_at, %s) {_THIS}",
                [shown, self._clock.now(), space, chat_id],
            )
            return message

    async def get_chat(self, space: SpaceId, chat_id: str) -> Chat | None:
        """The chat, or None."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(f"select {_CHAT} from chats {_THIS}", [space, chat_id])
            row = await cursor.fetchone()
        return Chat(**row) if row is not None else None

    async def list_chats(self, space: SpaceId, *, limit: int, after: ChatPosition | None = None) -> Page[Chat]:
        """Chats by activity."""
        behind = "and (updated_at, chat_id) < (%s, %s)" if after is not None else ""
        position = [after.updated_at, after.chat_id] if after is not None else []
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                f"select {_CHAT} from chats where space_id = %s {behind}"
                " order by updated_at desc, chat_id desc limit %s".encode(),
                [space, *position, limit + 1],
            )
            rows = await cursor.fetchall()
        return Page(tuple(Chat(**row) for row in rows[:limit]), more=len(rows) > limit)

    async def list_messages(
        self, space: SpaceId, chat_id: str, *, limit: int, before: str | None = None
    ) -> Page[Message] | None:
        """Messages, newest first."""
        earlier = "and message_id < %s" if before is not None else ""
        async with self._database.transaction() as connection:
            known = await connection.execute(f"select 1 from chats {_THIS}", [space, chat_id])
            if await known.fetchone() is None:
                return None
            cursor = await connection.execute(
                f"select {_MESSAGE} from messages {_THIS} {earlier} order by message_id desc limit %s".encode(),
                [space, chat_id, *([before] if before is not None else []), limit + 1],
            )
            rows = await cursor.fetchall()
        now = self._clock.now()
        return Page(tuple(as_read(_message(row), now) for row in rows[:limit]), more=len(rows) > limit)

    async def rename(self, space: SpaceId, chat_id: str, title: str) -> Chat | None:
        """Another title, kept from then on."""
        return await self._change(space, chat_id, "title = %s", [title])

    async def delete(self, space: SpaceId, chat_id: str) -> bool:
        """The chat and, by its foreign key, its messages."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(f"delete from chats {_THIS}", [space, chat_id])
            return cursor.rowcount == 1

    async def fold(self, space: SpaceId, chat_id: str, summary: str, until: str) -> bool:
        """A summary that reaches further than the one before."""
        further = "and (summarized_until is null or summarized_until < %s)"
        changed = await self._change(
            space, chat_id, "summary = %s, summarized_until = %s", [summary, until], further, [until]
        )
        return changed is not None

    async def spaces(self, *, limit: int, after: SpaceId | None = None) -> tuple[SpaceId, ...]:
        """Spaces that have chats, by hopping from one to the next along the primary key."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "with recursive hop as ("
                " (select min(space_id) as space_id from chats where space_id > %s)"
                " union all"
                " select (select min(space_id) from chats where space_id > hop.space_id) from hop"
                "  where hop.space_id is not null)"
                " select space_id from hop where space_id is not null limit %s",
                [after or "", limit],
            )
            return tuple(SpaceId(row["space_id"]) for row in await cursor.fetchall())

    async def put(self, space: SpaceId, chat: Chat, messages: Sequence[Message]) -> None:
        """Write exactly what is given."""
        names = [name for name in _CHAT_FIELDS if name != "chat_id"]
        replaced = ", ".join(f"{name} = excluded.{name}" for name in names)
        marks = ", ".join(["%s"] * (len(_CHAT_FIELDS) + 1))
        async with self._database.transaction() as connection:
            await connection.execute(
                f"insert into chats (space_id, {_CHAT}) values ({marks})"
                f" on conflict (space_id, chat_id) do update set {replaced}".encode(),
                [space, *asdict(chat).values()],
            )
            await _put(connection, space, messages, "on conflict do nothing")

    async def erase(self, space: SpaceId) -> tuple[int, int]:
        """Messages first, to count them; the chats are locked before, as by every writer."""
        async with self._database.transaction() as connection:
            await connection.execute("select from chats where space_id = %s order by chat_id for update", [space])
            messages = await connection.execute("delete from messages where space_id = %s", [space])
            chats = await connection.execute("delete from chats where space_id = %s", [space])
            return chats.rowcount, messages.rowcount

    async def _change(
        self,
        space: SpaceId,
        chat_id: str,
        assignment: str,
        values: list[Any],
        only: str = "",
        bound: Sequence[Any] = (),
    ) -> Chat | None:
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                f"update chats set {assignment} {_THIS} {only} returning {_CHAT}".encode(),
                [*values, space, chat_id, *bound],
            )
            row = await cursor.fetchone()
        return Chat(**row) if row is not None else None


async def _locked(connection: Connection, space: SpaceId, chat_id: str) -> Chat | None:
    cursor = await connection.execute(f"select {_CHAT} from chats {_THIS} for update", [space, chat_id])
    row = await cursor.fetchone()
    return Chat(**row) if row is not None else None


async def _add(connection: Connection, space: SpaceId, chat_id: str, added: Sequence[Message], now: datetime) -> bool:
    """Write messages behind all others of their chat; nothing when the chat is not there or has a later one."""
    first, last = added[0].message_id, added[-1]
    shown = [title_of(added), preview_of(last.content), now, len(added), last.message_id, space, chat_id, first]
    beginning = added[:_AT_ONCE]
    cursor = await connection.execute(
        f"{_SHOW} {_insert(len(beginning))} where exists (select from shown)".encode(),
        [*shown, *_values(space, beginning)],
    )
    if not cursor.rowcount:
        return False
    await _put(connection, space, added[_AT_ONCE:], "")
    return True


async def _put(connection: Connection, space: SpaceId, messages: Sequence[Message], on_conflict: str) -> None:
    """Write messages, and nothing beside them."""
    for start in range(0, len(messages), _AT_ONCE):
        part = messages[start : start + _AT_ONCE]
        await connection.execute(f"{_insert(len(part))} {on_conflict}".encode(), _values(space, part))


@functools.lru_cache
def _insert(count: int) -> str:
    rows = ", ".join([_ROW] * count)
    return f"insert into messages (space_id, {_MESSAGE}) select * from (values {rows}) as given"


def _values(space: SpaceId, messages: Sequence[Message]) -> list[Any]:
    rows = ((space, *(_stored(name, getattr(message, name)) for name in _MESSAGE_FIELDS)) for message in messages)
    return list(chain.from_iterable(rows))


def _stored(name: str, value: Any) -> Any:
    return Jsonb(list(value)) if name in _JSON else value


def _message(row: DictRow) -> Message:
    values: dict[str, Any] = {name: tuple(value) if name in _JSON else value for name, value in row.items()}
    return Message(**values)
