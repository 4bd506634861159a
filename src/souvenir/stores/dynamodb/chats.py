"""DynamoDB behind the ChatStore port: every write one transaction, every read consistent."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.errors import Unavailable
from souvenir.stores.chat_rules import as_read, changed, is_ulid, number, preview_of, title_of
from souvenir.stores.dynamodb.client import answering, connect, starting
from souvenir.stores.dynamodb.items import (
    END_OF_MESSAGES,
    Item,
    StoredChat,
    activity_of,
    chat_key,
    chat_of,
    check_key,
    has_key,
    message_items,
    message_key,
    message_of,
    part_keys,
    partition_of,
)
from souvenir.stores.dynamodb.reads import fetch, query
from souvenir.stores.dynamodb.remains import bury, remove, remove_all_left_over, remove_left_over
from souvenir.stores.dynamodb.tables import ACTIVITY_INDEX, chats_table, messages_table, verify_tables
from souvenir.stores.dynamodb.writes import Outrun, Transaction, pauses
from souvenir.stores.ports import Chat, ChatPosition, Message, MessageChange, NewMessage, Page
from souvenir.types import SpaceId

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient

T = TypeVar("T")

_REREADS = 5
_ERASED_AT_ONCE = 100


class DynamoDbChatStore:
    """Chats and messages in two tables; `items` says how their keys keep spaces apart, `writes` how none is doubled.

    Writers of one chat in this process take turns, so that only those of several processes ever outrun each other.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._patience = settings.database_timeout_seconds
        self._messages = messages_table(settings)
        self._chats = chats_table(settings)
        self._client: DynamoDBClient | None = None
        self._closing = contextlib.AsyncExitStack()
        self._turns: WeakValueDictionary[tuple[SpaceId, str], asyncio.Lock] = WeakValueDictionary()

    @property
    def client(self) -> "DynamoDBClient":
        """The open client."""
        if self._client is None:
            raise Unavailable("the chat database is not open")
        return self._client

    async def open(self) -> None:
        """Reach DynamoDB and check the tables. Raises DatabaseError."""
        with starting(self._settings):
            try:
                self._client = await self._closing.enter_async_context(connect(self._settings))
                await verify_tables(self._client, self._settings)
            except BaseException:
                await self.aclose()
                raise

    async def aclose(self) -> None:
        """Close the client. Calling it twice is fine."""
        self._client = None
        await self._closing.aclose()

    async def ping(self) -> None:
        """One round trip. Raises Unavailable."""
        with answering():
            await self.client.get_item(TableName=self._chats, Key=chat_key(SpaceId("ping"), "ping"))

    # writing

    async def append(
        self, space: SpaceId, chat_id: str, messages: Sequence[NewMessage], *, create: bool = False
    ) -> tuple[Message, ...] | None:
        """Add messages at the end of a chat; see ChatStore."""
        if create:
            check_key(chat_id)

        async def attempt() -> tuple[Message, ...] | None:
            seen = await self._read(space, chat_id)
            return await self._add(space, chat_id, messages, seen) if seen is not None or create else None

        return await self._until_first(space, chat_id, attempt)

    async def _add(
        self, space: SpaceId, chat_id: str, new: Sequence[NewMessage], seen: StoredChat | None
    ) -> tuple[Message, ...]:
        now = self._clock.now()
        old = seen.chat if seen is not None else Chat(chat_id, "", "", now, now, 0, "")
        numbered = number(new, chat_id, now, old.last_message_id or None)
        chat = replace(
            old,
            title=old.title or title_of(numbered),
            last_message=preview_of(numbered[-1].content),
            updated_at=max(old.updated_at, now),
            message_count=old.message_count + len(numbered),
            last_message_id=numbered[-1].message_id,
        )
        write = self._transaction()
        stored = self._with(write, space, chat, seen)
        partition = partition_of(space, chat_id, stored.incarnation)
        for message in numbered:
            for item in message_items(partition, message, write.token):
                write.put(item)
        try:
            await write.commit(self.client, self._patience)
        except Outrun:
            # an endpoint that forgets tokens refuses its own write when it is sent again after a lost answer
            if not await self._has(message_key(partition, numbered[0].message_id), write.token):
                raise
        return numbered

    async def update_message(
        self, space: SpaceId, chat_id: str, message_id: str, change: MessageChange
    ) -> Message | None:
        """Change a message and its chat; see ChatStore."""

        async def attempt() -> Message | None:
            seen = await self._read(space, chat_id)
            if seen is None or not is_ulid(message_id):
                return None
            partition = partition_of(space, chat_id, seen.incarnation)
            (item,) = await fetch(self.client, self._messages, [message_key(partition, message_id)])
            if item is None:
                return None
            (message,) = await self._join(chat_id, [item])
            new = changed(message, change)
            await self._rewrite(space, seen, item, new)
            return new

        return await self._until_first(space, chat_id, attempt)

    async def _rewrite(self, space: SpaceId, seen: StoredChat, old: Item, message: Message) -> None:
        chat = replace(seen.chat, updated_at=max(seen.chat.updated_at, self._clock.now()))
        if message.message_id == chat.last_message_id:
            chat = replace(chat, last_message=preview_of(message.content))
        write = self._transaction()
        self._with(write, space, chat, seen)
        items = message_items(old["chat_id"]["S"], message, old["write"]["S"])
        for item in items:
            write.put(item)
        kept = part_keys(items[0])
        for key in part_keys(old):
            if key not in kept:
                write.delete(key)
        await write.commit(self.client, self._patience)

    async def rename(self, space: SpaceId, chat_id: str, title: str) -> Chat | None:
        """Give the chat another title; see ChatStore."""
        return await self._change(space, chat_id, lambda chat: replace(chat, title=title))

    async def fold(self, space: SpaceId, chat_id: str, summary: str, until: str) -> bool:
        """Let the summary reach further; see ChatStore."""

        def further(chat: Chat) -> Chat | None:
            if chat.summarized_until is not None and chat.summarized_until >= until:
                return None
            return replace(chat, summary=summary, summarized_until=until)

        return await self._change(space, chat_id, further) is not None

    async def _change(self, space: SpaceId, chat_id: str, change: Callable[[Chat], Chat | None]) -> Chat | None:
        """Change a chat's own fields; None when there is none or the change declines."""

        async def attempt() -> Chat | None:
            seen = await self._read(space, chat_id)
            chat = change(seen.chat) if seen is not None else None
            if chat is not None:
                write = self._transaction()
                self._with(write, space, chat, seen)
                await write.commit(self.client, self._patience)
            return chat

        return await self._until_first(space, chat_id, attempt)

    async def delete(self, space: SpaceId, chat_id: str) -> bool:
        """Delete the chat, at once for every reader, and then its messages; see ChatStore."""

        async def attempt() -> Item | None:
            seen = await self._read(space, chat_id)
            if seen is None:
                return None
            write = self._transaction()
            write.delete_chat(space, seen)
            grave = bury(partition_of(space, chat_id, seen.incarnation), self._clock.now())
            write.put(grave)
            await write.commit(self.client, self._patience)
            return grave

        grave = await self._until_first(space, chat_id, attempt)
        if grave is None:
            return False
        # the chat is gone already; what cannot be removed now is found by a later deletion
        with contextlib.suppress(Unavailable):
            await remove(self.client, self._messages, grave, self._patience)
            await remove_left_over(self.client, self._messages, self._clock.now(), self._patience)
        return True

    # reading

    async def get_chat(self, space: SpaceId, chat_id: str) -> Chat | None:
        """The chat; see ChatStore."""
        stored = await self._read(space, chat_id)
        return stored.chat if stored is not None else None

    async def list_chats(self, space: SpaceId, *, limit: int, after: ChatPosition | None = None) -> Page[Chat]:
        """The space's chats by activity; see ChatStore."""
        condition, values = "user_id = :space", {":space": {"S": str(space)}}
        if after is not None:
            condition += " AND activity < :after"
            values[":after"] = {"S": activity_of(after)}
        found = await query(self.client, limit + 1, self._chats, condition, values, index=ACTIVITY_INDEX)
        return Page(tuple(chat_of(item).chat for item in found[:limit]), more=len(found) > limit)

    async def list_messages(
        self, space: SpaceId, chat_id: str, *, limit: int, before: str | None = None
    ) -> Page[Message] | None:
        """A chat's messages, newest first; see ChatStore."""
        for _ in range(_REREADS):
            stored = await self._read(space, chat_id)
            if stored is None:
                return None
            partition = partition_of(space, chat_id, stored.incarnation)
            values = {":chat": {"S": partition}, ":before": {"S": min(before or END_OF_MESSAGES, END_OF_MESSAGES)}}
            found = await query(self.client, limit + 1, self._messages, "chat_id = :chat AND ulid < :before", values)
            with contextlib.suppress(Outrun):
                messages = await self._join(chat_id, found[:limit])
                now = self._clock.now()
                return Page(tuple(as_read(message, now) for message in messages), more=len(found) > limit)
        raise Unavailable("the chat changes too quickly to be read")

    # copying

    async def spaces(self, *, limit: int, after: SpaceId | None = None) -> tuple[SpaceId, ...]:
        """Spaces that have chats; see ChatArchive. Reads the keys of all chats each time: DynamoDB has no order."""
        found: set[SpaceId] = set()
        with answering():
            pages = self.client.get_paginator("scan").paginate(
                TableName=self._chats, ProjectionExpression="user_id", ConsistentRead=True
            )
            async for page in pages:
                found |= {SpaceId(item["user_id"]["S"]) for item in page["Items"]}
        return tuple(sorted(space for space in found if after is None or space > after)[:limit])

    async def put(self, space: SpaceId, chat: Chat, messages: Sequence[Message]) -> None:
        """Write a chat and some of its messages as they are; see ChatArchive.

        What is more than one transaction takes is written in several; after a failure, put it again.
        """
        check_key(chat.chat_id)
        rest = await self._until_first(space, chat.chat_id, partial(self._put_some, space, chat, messages))
        while rest:
            rest = await self._until_first(space, chat.chat_id, partial(self._put_some, space, chat, rest))

    async def _put_some(self, space: SpaceId, chat: Chat, messages: Sequence[Message]) -> Sequence[Message]:
        """Write the chat with as many of the messages as fit, at least one; returns the rest."""
        seen = await self._read(space, chat.chat_id)
        write = self._transaction()
        stored = self._with(write, space, chat, seen)
        partition = partition_of(space, chat.chat_id, stored.incarnation)
        taken = 0
        for message in messages:
            items = message_items(partition, message, write.token)
            if taken and not write.has_room(items):
                break
            taken += 1
            for item in items:
                write.put(item)
        await write.commit(self.client, self._patience)
        return messages[taken:]

    async def erase(self, space: SpaceId) -> tuple[int, int]:
        """Chat by chat, and then what deletions left behind, these and earlier ones; see ChatArchive."""
        chats = messages = 0
        while found := (await self.list_chats(space, limit=_ERASED_AT_ONCE)).items:
            for chat in found:
                if await self.delete(space, chat.chat_id):
                    chats, messages = chats + 1, messages + chat.message_count
        await remove_all_left_over(self.client, self._messages, space, self._patience)
        return chats, messages

    # what the methods share

    def _transaction(self) -> Transaction:
        return Transaction(self._messages, self._chats)

    def _with(self, write: Transaction, space: SpaceId, chat: Chat, seen: StoredChat | None) -> StoredChat:
        """Let a transaction write the chat over the one that was seen; a new one begins a new incarnation."""
        incarnation = seen.incarnation if seen is not None else uuid.uuid4().hex
        stored = StoredChat(chat, incarnation, write.token)
        write.put_chat(space, stored, seen)
        return stored

    async def _read(self, space: SpaceId, chat_id: str) -> StoredChat | None:
        if not has_key(chat_id):
            return None
        (item,) = await fetch(self.client, self._chats, [chat_key(space, chat_id)])
        return chat_of(item) if item is not None else None

    async def _has(self, key: Item, token: str) -> bool:
        (item,) = await fetch(self.client, self._messages, [key])
        return item is not None and item["write"]["S"] == token

    async def _join(self, chat_id: str, items: Sequence[Item]) -> tuple[Message, ...]:
        """Messages from their items and parts. Raises Outrun when a part is of another version by now."""
        keys = [key for item in items for key in part_keys(item)]
        parts = iter(await fetch(self.client, self._messages, keys))
        joined: list[Message] = []
        for item in items:
            mine = [next(parts) for _ in part_keys(item)]
            pieces = [bytes(part["piece"]["B"]) for part in mine if part is not None]
            if len(pieces) < len(mine):
                raise Outrun
            joined.append(message_of(item, chat_id, pieces))
        return tuple(joined)

    async def _until_first(self, space: SpaceId, chat_id: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Attempt a write again and again, from a fresh read, as long as other processes come first."""
        async with self._turn(space, chat_id):
            for pause in pauses(self._patience):
                try:
                    return await attempt()
                except Outrun:
                    await asyncio.sleep(pause)
        raise Unavailable("too many write to this chat at once")

    @contextlib.asynccontextmanager
    async def _turn(self, space: SpaceId, chat_id: str) -> AsyncIterator[None]:
        lock = self._turns.setdefault((space, chat_id), asyncio.Lock())
        try:
            async with asyncio.timeout(self._patience):
                await lock.acquire()
        except TimeoutError:
            raise Unavailable("too many write to this chat at once") from None
        try:
            yield
        finally:
            lock.release()
