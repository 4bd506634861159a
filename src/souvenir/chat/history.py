"""What the model sees of a chat: its newest messages, and the summary that stands for the older ones."""

from dataclasses import dataclass

from souvenir.stores.ports import ChatStore, Message
from souvenir.types import SpaceId


@dataclass(frozen=True, slots=True)
class History:
    """A chat as the model gets it, oldest message first.

    `unfolded` tells that there are messages older than these which `summary` does not stand for yet. A message may be
    both here and in the summary, never in neither unless `unfolded` says so.
    """

    messages: tuple[Message, ...] = ()
    summary: str = ""
    unfolded: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """The newest messages that say something, oldest first, and the id of the one right before them."""

    messages: tuple[Message, ...]
    edge: str | None


async def load_history(store: ChatStore, space: SpaceId, chat_id: str, window: int) -> History:
    """The last `window` messages and the summary of the chat; an unknown chat has an empty history and stays unknown.

    Messages that say nothing (see `says_something`) are left out and not counted.
    """
    newest = await read_window(store, space, chat_id, window)
    # after the messages: were one folded in between it would be in both, and the other way round in neither
    chat = await store.get_chat(space, chat_id) if newest is not None else None
    if newest is None or chat is None:
        return History()
    unfolded = newest.edge is not None and newest.edge > (chat.summarized_until or "")
    return History(newest.messages, chat.summary, unfolded)


async def read_window(store: ChatStore, space: SpaceId, chat_id: str, window: int) -> Window | None:
    """The last `window` messages that say something; None when the space has no such chat."""
    shown: list[Message] = []
    before: str | None = None
    while True:
        page = await store.list_messages(space, chat_id, limit=window + 1, before=before)
        if page is None:
            return None
        for message in page.items:
            if len(shown) == window:
                return Window(tuple(reversed(shown)), message.message_id)
            if says_something(message):
                shown.append(message)
        if not page.more:
            return Window(tuple(reversed(shown)), None)
        before = page.items[-1].message_id


def says_something(message: Message) -> bool:
    """Whether a model can make anything of a message, whatever its status.

    An answer that broke off after some words keeps them; one that failed before its first, or has not begun, is left
    out: hosts refuse empty messages.
    """
    return bool(message.content.strip() or message.tool_calls)
