"""Chats for tests: spaces and ids nobody else uses, and walks over all pages."""

import uuid

from souvenir.stores.ports import Chat, ChatEngine, ChatPosition, Message, NewMessage, Page
from souvenir.types import SpaceId

Store = ChatEngine

HIGHEST = "7" + "Z" * 25


def new_space() -> SpaceId:
    """A space no other test uses."""
    return SpaceId(f"user:{uuid.uuid4()}")


def new_id() -> str:
    """A chat id no other test uses."""
    return str(uuid.uuid4())


def said(content: str) -> NewMessage:
    """A user's message."""
    return NewMessage("user", content)


async def start(store: Store, space: SpaceId, *contents: str) -> str:
    """A new chat with these user messages; returns its id."""
    chat_id = new_id()
    assert await store.append(space, chat_id, [said(content) for content in contents], create=True)
    return chat_id


async def all_messages(store: Store, space: SpaceId, chat_id: str, page: int = 50) -> list[Message]:
    """Every message, newest first, by walking pages."""
    found: list[Message] = []
    before: str | None = None
    while True:
        step = await store.list_messages(space, chat_id, limit=page, before=before)
        assert step is not None
        assert step.items or before is None, "a page after the first was empty"
        found += step.items
        if not step.more:
            return found
        before = step.items[-1].message_id


async def all_chats(store: Store, space: SpaceId, page: int = 50) -> list[Chat]:
    """Every chat by activity, by walking pages."""
    found: list[Chat] = []
    after: ChatPosition | None = None
    while True:
        step: Page[Chat] = await store.list_chats(space, limit=page, after=after)
        assert step.items or after is None, "a page after the first was empty"
        found += step.items
        if not step.more:
            return found
        after = ChatPosition(step.items[-1].updated_at, step.items[-1].chat_id)
