"""How chats and messages are written in Redis: the keys of a space, and records as JSON."""

import json
import re
from typing import Any
from urllib.parse import quote, unquote

from souvenir.stores.chat_rules import time_of, time_text
from souvenir.stores.ports import Chat, Message
from souvenir.types import JsonObject, SpaceId

PREFIX = "souvenir:"

_CHATS_KEY = re.compile(r"souvenir:\{([^{}]+)\}:chats")


def keys_of(space: SpaceId, chat_id: str = "") -> tuple[str, str, str, str, str]:
    """The keys of a space's chats and activity, and of one chat's ids, messages and newest writes.

    The space is percent-encoded, so that the braces around it are the first and only ones that decide the slot.
    """
    of_space = f"{PREFIX}{{{quote(space, safe=':')}}}"
    of_chat = (f"{of_space}:{what}:{chat_id}" for what in ("ids", "messages", "writes"))
    ids, messages, writes = of_chat
    return f"{of_space}:chats", f"{of_space}:activity", ids, messages, writes


def space_of(key: str) -> SpaceId | None:
    """The space whose chats a key holds; None when the key is another one."""
    found = _CHATS_KEY.fullmatch(key)
    return SpaceId(unquote(found.group(1))) if found else None


def chat_text(chat: Chat) -> str:
    """A chat as it is stored, without its id."""
    return _json(
        {
            "title": chat.title,
            "last_message": chat.last_message,
            "created_at": time_text(chat.created_at),
            "updated_at": time_text(chat.updated_at),
            "message_count": chat.message_count,
            "last_message_id": chat.last_message_id,
            "summary": chat.summary,
            "summarized_until": chat.summarized_until,
        }
    )


def chat_of(chat_id: str, text: bytes) -> Chat:
    """The chat that was stored."""
    fields: JsonObject = json.loads(text)
    fields |= {name: time_of(fields[name]) for name in ("created_at", "updated_at")}
    return Chat(chat_id=chat_id, **fields)


def message_text(message: Message) -> str:
    """A message as it is stored, without its ids."""
    fields: JsonObject = {"role": message.role, "content": message.content, "created_at": time_text(message.created_at)}
    optional = {
        "tool_calls": message.tool_calls,
        "partial_tool_calls": message.partial_tool_calls,
        "error": message.error,
        "memories": message.memories,
    }
    if message.status != "complete":
        fields["status"] = message.status
    if message.alive_until is not None:
        fields["alive_until"] = time_text(message.alive_until)
    return _json(fields | {name: value for name, value in optional.items() if value not in (None, ())})


def message_of(chat_id: str, message_id: str, text: bytes) -> Message:
    """The message that was stored."""
    fields: JsonObject = json.loads(text)
    fields["created_at"] = time_of(fields["created_at"])
    if "alive_until" in fields:
        fields["alive_until"] = time_of(fields["alive_until"])
    for name in ("tool_calls", "partial_tool_calls", "memories"):
        fields[name] = tuple(fields.get(name, ()))
    return Message(message_id=message_id, chat_id=chat_id, **fields)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
