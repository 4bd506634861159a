"""How chats and messages look as DynamoDB items: keys that spaces cannot share, and long messages in parts.

`Chats.user_id` is the whole space id. `Messages.chat_id` is `<length of space>#<space>#<chat id>#<incarnation>`: the
length says where the space ends whatever characters it has, so no two spaces ever name the same partition, and a chat
made anew under an old id is another incarnation, with an empty partition of its own.

A message is one JSON document. One too long for an item is compressed and cut into parts, in the same partition behind
every ULID (`~<ulid>#<digest>#<number>`), so that a page of messages never reads them; the digest of the document in
the key means that parts of two versions of a message cannot be taken for one another.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from souvenir.errors import BadInput
from souvenir.stores.chat_rules import time_of, time_text
from souvenir.stores.ports import Chat, ChatPosition, Message
from souvenir.types import SpaceId

Item = dict[str, Any]

# behind every ULID and before every part
END_OF_MESSAGES = "~"

# an item may have 400 KB, everything counted; some endpoints count a binary in its base64 form
_INLINE_BYTES = 300_000
_PART_BYTES = 280_000

# with the longest space id and the incarnation, within a partition key's 2048 bytes and a sort key's 1024
_MAX_CHAT_ID_BYTES = 900

_LISTS = ("tool_calls", "partial_tool_calls", "memories")


@dataclass(frozen=True, slots=True)
class StoredChat:
    """A chat, which of the chats of its id it is, and the token of the write that made it what it is."""

    chat: Chat
    incarnation: str
    write: str


def has_key(chat_id: str) -> bool:
    """Whether a chat of this id can be stored at all."""
    return 0 < len(chat_id.encode()) <= _MAX_CHAT_ID_BYTES


def check_key(chat_id: str) -> None:
    """Raise BadInput for an id that cannot be a key."""
    if not has_key(chat_id):
        raise BadInput("chat_id", f"must have 1 to {_MAX_CHAT_ID_BYTES} bytes")


def chat_key(space: SpaceId, chat_id: str) -> Item:
    """The key of a chat."""
    return {"user_id": {"S": space}, "chat_id": {"S": chat_id}}


def activity_of(position: ChatPosition) -> str:
    """A chat's place in its space; times have a fixed width, so ids only break ties."""
    return f"{time_text(position.updated_at)}#{position.chat_id}"


def chat_item(space: SpaceId, stored: StoredChat) -> Item:
    """A chat as it is stored."""
    chat = stored.chat
    item = chat_key(space, chat.chat_id) | {
        "activity": {"S": activity_of(ChatPosition(chat.updated_at, chat.chat_id))},
        "title": {"S": chat.title},
        "last_message": {"S": chat.last_message},
        "created_at": {"S": time_text(chat.created_at)},
        "updated_at": {"S": time_text(chat.updated_at)},
        "message_count": {"N": str(chat.message_count)},
        "last_message_id": {"S": chat.last_message_id},
        "summary": {"S": chat.summary},
        "incarnation": {"S": stored.incarnation},
        "write": {"S": stored.write},
    }
    if chat.summarized_until is not None:
        item["summarized_until"] = {"S": chat.summarized_until}
    return item


def chat_of(item: Mapping[str, Any]) -> StoredChat:
    """The chat that `chat_item` wrote."""
    chat = Chat(
        chat_id=item["chat_id"]["S"],
        title=item["title"]["S"],
        last_message=item["last_message"]["S"],
        created_at=time_of(item["created_at"]["S"]),
        updated_at=time_of(item["updated_at"]["S"]),
        message_count=int(item["message_count"]["N"]),
        last_message_id=item["last_message_id"]["S"],
        summary=item["summary"]["S"],
        summarized_until=item["summarized_until"]["S"] if "summarized_until" in item else None,
    )
    return StoredChat(chat, item["incarnation"]["S"], item["write"]["S"])


def partition_of(space: SpaceId, chat_id: str, incarnation: str) -> str:
    """The partition key of a chat's messages."""
    return f"{_of_space(space)}{chat_id}#{incarnation}"


def is_of(partition: str, space: SpaceId) -> bool:
    """Whether a partition is of a chat of this space."""
    return partition.startswith(_of_space(space))


def _of_space(space: SpaceId) -> str:
    return f"{len(space)}#{space}#"


def message_key(partition: str, sort: str) -> Item:
    """The key of a message, or of a part of one."""
    return {"chat_id": {"S": partition}, "ulid": {"S": sort}}


def message_items(partition: str, message: Message, write: str) -> list[Item]:
    """A message as it is stored, the item that pages show first; `write` is the token of the write that added it."""
    document = _document(message).encode()
    item = message_key(partition, message.message_id) | {"write": {"S": write}}
    if len(document) <= _INLINE_BYTES:
        return [item | {"document": {"S": document.decode()}}]
    digest = hashlib.sha256(document).hexdigest()
    # the quickest level: text shrinks to less than half, and nothing waits long for a megabyte
    packed = zlib.compress(document, 1)
    pieces = [packed[begin : begin + _PART_BYTES] for begin in range(0, len(packed), _PART_BYTES)]
    item |= {"digest": {"S": digest}, "parts": {"N": str(len(pieces))}}
    keys = part_keys(item)
    return [item, *(key | {"piece": {"B": piece}} for key, piece in zip(keys, pieces, strict=True))]


def part_keys(item: Mapping[str, Any]) -> list[Item]:
    """The keys of a stored message's parts, in order; none when it is whole."""
    if "parts" not in item:
        return []
    partition, ulid, digest = item["chat_id"]["S"], item["ulid"]["S"], item["digest"]["S"]
    return [message_key(partition, f"~{ulid}#{digest}#{n:04}") for n in range(int(item["parts"]["N"]))]


def message_of(item: Mapping[str, Any], chat_id: str, pieces: Sequence[bytes]) -> Message:
    """The message that `message_items` wrote."""
    values = json.loads(item["document"]["S"] if "document" in item else zlib.decompress(b"".join(pieces)))
    for name in ("created_at", "alive_until"):
        if name in values:
            values[name] = time_of(values[name])
    for name in _LISTS:
        values[name] = tuple(values.get(name, ()))
    return Message(message_id=item["ulid"]["S"], chat_id=chat_id, **values)


def size_of(item: Mapping[str, Any]) -> int:
    """What DynamoDB counts an item as, in bytes."""
    size = 0
    for name, typed in item.items():
        (value,) = typed.values()
        size += len(name) + len(value if isinstance(value, bytes) else value.encode())
    return size


def _document(message: Message) -> str:
    values = {
        field.name: getattr(message, field.name)
        for field in fields(message)
        if field.name not in {"message_id", "chat_id", "created_at", "alive_until"}
    }
    kept = {name: value for name, value in values.items() if name in {"role", "content", "status"} or value}
    kept["created_at"] = time_text(message.created_at)
    if message.error is not None:
        kept["error"] = message.error
    if message.alive_until is not None:
        kept["alive_until"] = time_text(message.alive_until)
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
