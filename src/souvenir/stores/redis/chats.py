"""Chats in Redis, behind the ChatStore port. What must be one step is one Lua script (see `scripts`)."""

import heapq
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.errors import TooLarge, Unavailable
from souvenir.stores.chat_rules import as_read, changed, number, preview_of, time_text, title_of
from souvenir.stores.ports import Chat, ChatPosition, Message, MessageChange, NewMessage, Page
from souvenir.stores.redis import scripts
from souvenir.stores.redis.connection import RedisConnection
from souvenir.stores.redis.records import (
    PREFIX,
    chat_of,
    chat_text,
    keys_of,
    message_of,
    message_text,
    space_of,
)
from souvenir.types import SpaceId

# each attempt fails only because another one succeeded, so as many writers as this can meet in one chat
_ATTEMPTS = 200
_ERASED_AT_ONCE = 100
# a server stands still while it takes a write, and drops a client whose commands are much larger
_MOST_CHARS = 64 * 1024 * 1024


class RedisChatStore:
    """A ChatStore and ChatArchive on one Redis or on a Cluster."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._redis = RedisConnection(settings)
        self._clock = clock

    async def open(self) -> None:
        """Reach and check the server. Raises DatabaseError."""
        await self._redis.open()

    async def aclose(self) -> None:
        """Close every connection. Calling it twice is fine."""
        await self._redis.aclose()

    async def ping(self) -> None:
        """One round trip to every server that holds chats. Raises Unavailable."""
        await self._redis.on_every_primary("PING")

    async def append(
        self, space: SpaceId, chat_id: str, messages: Sequence[NewMessage], *, create: bool = False
    ) -> tuple[Message, ...] | None:
        """Add messages; ids are those of this moment unless the chat has greater ones already."""
        now = self._clock.now()
        made = number(messages, chat_id, now, None)
        arguments = [
            chat_id, str(int(create)), time_text(now), title_of(messages), preview_of(messages[-1].content),
            secrets.token_hex(8), *_stored(made),
        ]  # fmt: skip
        # sent again it finds its own name among the newest writes, so that a lost answer does not double the messages
        status, *ids = await self._redis.run(scripts.APPEND, keys_of(space, chat_id), arguments, resend=True)
        if status != b"done":
            return None
        return tuple(replace(message, message_id=given.decode()) for message, given in zip(made, ids, strict=True))

    async def update_message(
        self, space: SpaceId, chat_id: str, message_id: str, change: MessageChange
    ) -> Message | None:
        """Change the message that was read, and read again if it is no longer that."""
        keys = keys_of(space, chat_id)
        text = await self._redis.execute("HGET", keys[3], message_id, resend=True)
        for _ in range(_ATTEMPTS):
            if text is None:
                return None
            message = changed(message_of(chat_id, message_id, text), change)
            new = message_text(message)
            _check_size([new])
            arguments = [
                chat_id, message_id, scripts.digest(text), new, time_text(self._clock.now()),
                preview_of(message.content),
            ]  # fmt: skip
            status, *rest = await self._redis.run(scripts.UPDATE, keys, arguments, resend=True)
            if status != b"changed":
                return message if status == b"done" else None
            text = rest[0]
        raise Unavailable("too many writers of one message at once")

    async def get_chat(self, space: SpaceId, chat_id: str) -> Chat | None:
        """The chat, None when the space has none of that id."""
        text = await self._redis.execute("HGET", keys_of(space)[0], chat_id, resend=True)
        return chat_of(chat_id, text) if text is not None else None

    async def list_chats(self, space: SpaceId, *, limit: int, after: ChatPosition | None = None) -> Page[Chat]:
        """One page, from its place in the sorted set on."""
        begin = "+" if after is None else f"({time_text(after.updated_at)}|{after.chat_id}"
        more, *found = await self._redis.run(scripts.LIST_CHATS, keys_of(space)[:2], [limit, begin], resend=True)
        return Page(tuple(chat_of(chat_id, text) for chat_id, text in _pairs(found)), more=bool(more))

    async def list_messages(
        self, space: SpaceId, chat_id: str, *, limit: int, before: str | None = None
    ) -> Page[Message] | None:
        """One page, from its place in the sorted set on; the chat is looked up in the same step."""
        begin = "+" if before is None else f"({before}"
        arguments = (chat_id, limit, begin)
        page = await self._redis.run(scripts.LIST_MESSAGES, keys_of(space, chat_id), arguments, resend=True)
        if page is None:
            return None
        more, *found = page
        now = self._clock.now()
        messages = tuple(as_read(message_of(chat_id, id_, text), now) for id_, text in _pairs(found))
        return Page(messages, more=bool(more))

    async def rename(self, space: SpaceId, chat_id: str, title: str) -> Chat | None:
        """Give the chat another title."""
        text = await self._redis.run(scripts.RENAME, keys_of(space)[:1], [chat_id, title], resend=True)
        return chat_of(chat_id, text) if text is not None else None

    async def delete(self, space: SpaceId, chat_id: str) -> bool:
        """Delete the chat; not sent again, because the second answer would be another."""
        return bool(await self._redis.run(scripts.DELETE, keys_of(space, chat_id), [chat_id], resend=False))

    async def fold(self, space: SpaceId, chat_id: str, summary: str, until: str) -> bool:
        """Let the summary reach further; not sent again, because the second answer would be another."""
        return bool(await self._redis.run(scripts.FOLD, keys_of(space)[:1], [chat_id, summary, until], resend=False))

    async def spaces(self, *, limit: int, after: SpaceId | None = None) -> tuple[SpaceId, ...]:
        """Walks all keys of all servers for each page: there is no list of spaces that would span a Cluster's slots."""
        keys = await self._redis.scan(f"{PREFIX}{{*}}:chats")
        found = {space for key in keys if (space := space_of(key.decode())) is not None}
        behind = b"" if after is None else after.encode()
        return tuple(heapq.nsmallest(limit, (space for space in found if space.encode() > behind), key=str.encode))

    async def put(self, space: SpaceId, chat: Chat, messages: Sequence[Message]) -> None:
        """Write a chat and some of its messages exactly as given."""
        arguments = [chat.chat_id, chat_text(chat), time_text(chat.updated_at), *_stored(messages)]
        await self._redis.run(scripts.PUT, keys_of(space, chat.chat_id), arguments, resend=True)

    async def erase(self, space: SpaceId) -> tuple[int, int]:
        """Chat by chat, each in one step; the keys of the space itself go with the last of them."""
        chats = messages = 0
        while found := (await self.list_chats(space, limit=_ERASED_AT_ONCE)).items:
            for chat in found:
                if await self._redis.run(scripts.DELETE, keys_of(space, chat.chat_id), [chat.chat_id], resend=True):
                    chats, messages = chats + 1, messages + chat.message_count
        return chats, messages


def _stored(messages: Sequence[Message]) -> list[str]:
    """Ids and stored messages in turn. Raises TooLarge."""
    texts = [message_text(message) for message in messages]
    _check_size(texts)
    return [part for message, text in zip(messages, texts, strict=True) for part in (message.message_id, text)]


def _check_size(texts: Sequence[str]) -> None:
    if sum(map(len, texts)) > _MOST_CHARS:
        raise TooLarge(f"the messages are longer than the {_MOST_CHARS} characters that Redis takes in one write")


def _pairs(flat: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    return ((key.decode(), text) for key, text in zip(flat[::2], flat[1::2], strict=True))
