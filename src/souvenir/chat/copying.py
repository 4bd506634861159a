"""Copies all chats from one engine to another: resumable, verified chat by chat, safe to run again."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Literal

from souvenir.stores.ports import Chat, ChatEngine, ChatPosition, Message
from souvenir.types import SpaceId

_PAGE = 50
_TRIES = 3

Outcome = Literal["copied", "present", "gone", "differs"]


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of a chat: `present` was there before, `gone` is deleted meanwhile, `differs` did not settle."""

    space: SpaceId
    chat_id: str
    messages: int
    outcome: Outcome


async def count_chats(engine: ChatEngine) -> int:
    """How many chats there are, for a progress bar."""
    return sum([1 async for _ in _all_chats(engine)])


async def copy_chats(source: ChatEngine, target: ChatEngine) -> AsyncIterator[Copied]:
    """Copy chat after chat. One that is written to meanwhile is copied again; nothing in the source changes."""
    async for space, chat in _all_chats(source):
        yield await _settle(source, target, space, chat)


async def _settle(source: ChatEngine, target: ChatEngine, space: SpaceId, chat: Chat) -> Copied:
    if await target.get_chat(space, chat.chat_id) == chat:
        return Copied(space, chat.chat_id, chat.message_count, "present")
    for _ in range(_TRIES):
        await _copy(source, target, space, chat)
        newest = await source.get_chat(space, chat.chat_id)
        if newest is None:
            await target.delete(space, chat.chat_id)
            return Copied(space, chat.chat_id, 0, "gone")
        if newest == chat and await _equal(source, target, space, chat):
            return Copied(space, chat.chat_id, chat.message_count, "copied")
        chat = newest
    return Copied(space, chat.chat_id, chat.message_count, "differs")


async def _copy(source: ChatEngine, target: ChatEngine, space: SpaceId, chat: Chat) -> None:
    written = 0
    async for page in _pages(source, space, chat.chat_id):
        written += len(page)
        # until the last page the count is short, so that an interrupted copy is never taken for a whole one
        await target.put(space, replace(chat, message_count=min(written, chat.message_count - 1)), page)
    await target.put(space, chat, ())


async def _equal(source: ChatEngine, target: ChatEngine, space: SpaceId, chat: Chat) -> bool:
    if await target.get_chat(space, chat.chat_id) != chat:
        return False
    theirs = _pages(target, space, chat.chat_id)
    async for page in _pages(source, space, chat.chat_id):
        if page != await anext(theirs, ()):
            return False
    return await anext(theirs, None) is None


async def _pages(engine: ChatEngine, space: SpaceId, chat_id: str) -> AsyncIterator[tuple[Message, ...]]:
    before: str | None = None
    while page := await engine.list_messages(space, chat_id, limit=_PAGE, before=before):
        if page.items:
            yield page.items
        if not page.more:
            return
        before = page.items[-1].message_id


async def _all_chats(engine: ChatEngine) -> AsyncIterator[tuple[SpaceId, Chat]]:
    after: SpaceId | None = None
    while spaces := await engine.spaces(limit=_PAGE, after=after):
        for space in spaces:
            position: ChatPosition | None = None
            while True:
                page = await engine.list_chats(space, limit=_PAGE, after=position)
                for chat in page.items:
                    yield space, chat
                if not page.more:
                    break
                position = ChatPosition(page.items[-1].updated_at, page.items[-1].chat_id)
        after = spaces[-1]
