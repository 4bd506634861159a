"""Cursors that cannot be forged, and that open nothing but the list they were made for."""

import base64
import hashlib
import hmac
import json
from datetime import datetime

from souvenir.errors import BadInput
from souvenir.stores.chat_rules import is_ulid, time_of, time_text
from souvenir.stores.ports import ChatPosition
from souvenir.types import SpaceId

_TAG_BYTES = 16
_LONGEST = 1024


class CursorSigner:
    """Writes and reads cursors. One is bound to its list: a space's chats or memories, or one chat's messages."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def chats(self, space: SpaceId, position: ChatPosition) -> str:
        """A cursor behind this chat."""
        return self._write(["chats", space], [time_text(position.updated_at), position.chat_id])

    def read_chats(self, space: SpaceId, cursor: str) -> ChatPosition:
        """The position a cursor stands for. Raises BadInput for any cursor not made for this space's chats."""
        place = self._read(["chats", space], cursor, 2)
        return ChatPosition(_time(place[0]), place[1])

    def messages(self, space: SpaceId, chat_id: str, message_id: str) -> str:
        """A cursor before this message."""
        return self._write(["messages", space, chat_id], [message_id])

    def read_messages(self, space: SpaceId, chat_id: str, cursor: str) -> str:
        """The message id a cursor stands for. Raises BadInput for any cursor not made for this chat."""
        (message_id,) = self._read(["messages", space, chat_id], cursor, 1)
        if not is_ulid(message_id):
            raise _refusal()
        return message_id

    def memories(self, space: SpaceId, memory_id: str) -> str:
        """A cursor before this memory."""
        return self._write(["memories", space], [memory_id])

    def read_memories(self, space: SpaceId, cursor: str) -> str:
        """The memory id a cursor stands for. Raises BadInput for any cursor not made for this space's memories."""
        (memory_id,) = self._read(["memories", space], cursor, 1)
        return memory_id

    def _write(self, list_of: list[str], place: list[str]) -> str:
        payload = json.dumps(place, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._tag(list_of, payload) + payload).decode().rstrip("=")

    def _read(self, list_of: list[str], cursor: str, parts: int) -> list[str]:
        if len(cursor) > _LONGEST or not cursor.isascii():
            raise _refusal()
        try:
            data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raise _refusal() from None
        tag, payload = data[:_TAG_BYTES], data[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(list_of, payload)):
            raise _refusal()
        place: list[str] = json.loads(payload)
        if len(place) != parts:
            raise _refusal()
        return place

    def _tag(self, list_of: list[str], payload: bytes) -> bytes:
        # the list is signed and not sent: a cursor says nothing of whose it is
        bound = json.dumps(list_of).encode() + b"\0" + payload
        return hmac.digest(self._secret, bound, hashlib.sha256)[:_TAG_BYTES]


def _time(text: str) -> datetime:
    try:
        return time_of(text)
    except ValueError:
        raise _refusal() from None


def _refusal() -> BadInput:
    return BadInput("cursor", "is not one this list gave out")
