"""What a deletion leaves to do: messages go in batches after their chat, and a note makes sure that they all go.

The note (`deleted` in the table of messages) is written in the transaction that deletes the chat and removed after the
last message. A process that dies in between leaves it behind, and a later deletion by any process finishes the work.
"""

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ulid import ULID

from souvenir.errors import Unavailable
from souvenir.stores.dynamodb.client import answering
from souvenir.stores.dynamodb.items import END_OF_MESSAGES, Item, is_of, message_key
from souvenir.stores.dynamodb.reads import query
from souvenir.stores.dynamodb.writes import pauses
from souvenir.types import SpaceId

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient

# partitions of messages begin with a number
_NOTES = "deleted"
_AT_A_TIME = 500
_BATCH = 25
# a younger note is most likely of a deletion that still runs
_LEFT_AFTER = timedelta(minutes=10)
_NOTES_PER_DELETION = 10


def bury(partition: str, now: datetime) -> Item:
    """The note that a partition's messages are to be removed."""
    return message_key(_NOTES, str(ULID.from_datetime(now))) | {"partition": {"S": partition}}


async def remove(client: "DynamoDBClient", table: str, note: Item, seconds: float) -> None:
    """Remove all messages of the partition that a note names, and then the note."""
    condition, values = "chat_id = :chat", {":chat": note["partition"]}
    while found := await query(client, _AT_A_TIME, table, condition, values, only="chat_id, ulid"):
        batches = [found[begin : begin + _BATCH] for begin in range(0, len(found), _BATCH)]
        await asyncio.gather(*(_delete(client, table, batch, seconds) for batch in batches))
    await _delete(client, table, [message_key(_NOTES, note["ulid"]["S"])], seconds)


async def remove_left_over(client: "DynamoDBClient", table: str, now: datetime, seconds: float) -> None:
    """Finish some deletions that were broken off."""
    values = {":notes": {"S": _NOTES}, ":old": {"S": str(ULID.from_datetime(now - _LEFT_AFTER))}}
    for note in await query(client, _NOTES_PER_DELETION, table, "chat_id = :notes AND ulid < :old", values):
        await remove(client, table, note, seconds)


async def remove_all_left_over(client: "DynamoDBClient", table: str, space: SpaceId, seconds: float) -> None:
    """Finish every deletion of a space's chats, also one that another process is at."""
    values: dict[str, Any] = {":notes": {"S": _NOTES}, ":before": {"S": END_OF_MESSAGES}}
    while notes := await query(client, _AT_A_TIME, table, "chat_id = :notes AND ulid < :before", values):
        for note in notes:
            if is_of(note["partition"]["S"], space):
                await remove(client, table, note, seconds)
        values[":before"] = notes[-1]["ulid"]


async def _delete(client: "DynamoDBClient", table: str, keys: list[Item], seconds: float) -> None:
    left: Any = [{"DeleteRequest": {"Key": key}} for key in keys]
    for pause in pauses(seconds):
        with answering():
            answer = await client.batch_write_item(RequestItems={table: left})
        left = answer["UnprocessedItems"].get(table)
        if not left:
            return
        await asyncio.sleep(pause)
    raise Unavailable("the chat database is too busy")
