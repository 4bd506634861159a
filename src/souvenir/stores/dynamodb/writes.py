"""Writes: one transaction each, sent until it is certain what became of it, never applied twice.

A transaction has a token of its own and is only ever sent again unchanged, by the SDK when no answer came and by
`commit` when DynamoDB was busy; the token makes that one write. A chat item carries the token of its latest write, and
each transaction requires the one it was made for: where another writer came first it can never succeed any more, not
even late, so that the caller may read again and make a new one. When no answer comes at all, nobody tries again.
"""

import asyncio
import random
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from souvenir.errors import TooLarge, Unavailable
from souvenir.stores.dynamodb.client import answering, code_of
from souvenir.stores.dynamodb.items import Item, StoredChat, chat_item, chat_key, size_of
from souvenir.types import SpaceId

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient
    from types_aiobotocore_dynamodb.type_defs import TransactWriteItemTypeDef

MOST_ITEMS = 100
# 4 MB and 400 KB are the limits, of whichever kind of megabyte
MOST_BYTES = 4_000_000
MOST_ITEM_BYTES = 400_000

_BUSY = {"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"}
_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.5


class Outrun(Exception):
    """Another writer changed the chat first; nothing was written."""


class Transaction:
    """What is to be written together. Its token is also what the chat will carry as its latest write."""

    def __init__(self, messages: str, chats: str) -> None:
        self.token = uuid.uuid4().hex
        self._messages = messages
        self._chats = chats
        self._items: list[TransactWriteItemTypeDef] = []
        self._bytes = 0

    def put_chat(self, space: SpaceId, stored: StoredChat, seen: StoredChat | None) -> None:
        """Write the chat, provided that it still is as it was seen, or is not there if it was not."""
        item = chat_item(space, stored)
        self._count(item)
        if seen is None:
            self._items.append(
                {
                    "Put": {
                        "TableName": self._chats,
                        "Item": item,
                        "ConditionExpression": "attribute_not_exists(chat_id)",
                    }
                }
            )
            return
        self._items.append(
            {
                "Put": {
                    "TableName": self._chats,
                    "Item": item,
                    "ConditionExpression": "#write = :seen",
                    "ExpressionAttributeNames": {"#write": "write"},
                    "ExpressionAttributeValues": {":seen": {"S": seen.write}},
                }
            }
        )

    def delete_chat(self, space: SpaceId, seen: StoredChat) -> None:
        """Delete the chat, provided that it is still the same one, however much was added to it."""
        self._items.append(
            {
                "Delete": {
                    "TableName": self._chats,
                    "Key": chat_key(space, seen.chat.chat_id),
                    "ConditionExpression": "incarnation = :seen",
                    "ExpressionAttributeValues": {":seen": {"S": seen.incarnation}},
                }
            }
        )

    def put(self, item: Item) -> None:
        """Write an item of the table of messages."""
        self._count(item)
        self._items.append({"Put": {"TableName": self._messages, "Item": item}})

    def has_room(self, items: Sequence[Item]) -> bool:
        """Whether these can be written in the same transaction."""
        size = self._bytes + sum(size_of(item) for item in items)
        return len(self._items) + len(items) <= MOST_ITEMS and size <= MOST_BYTES

    def delete(self, key: Item) -> None:
        """Delete an item of the table of messages."""
        self._items.append({"Delete": {"TableName": self._messages, "Key": key}})

    def _count(self, item: Item) -> None:
        size = size_of(item)
        self._bytes += size
        if size > MOST_ITEM_BYTES:
            raise TooLarge("the chat's title or summary is longer than DynamoDB takes")

    async def commit(self, client: "DynamoDBClient", seconds: float) -> None:
        """Write all or nothing. Raises TooLarge, Outrun, or Unavailable when it stays busy or does not answer."""
        if not self.has_room(()):
            raise TooLarge(
                "this is more than DynamoDB takes in one write (100 items, 4 MB): send fewer or shorter ones"
            )
        for pause in pauses(seconds):
            try:
                with answering():
                    await self._send(client)
            except Busy:
                await asyncio.sleep(pause)
            else:
                return
        raise Unavailable("the chat database is too busy")

    async def _send(self, client: "DynamoDBClient") -> None:
        try:
            await client.transact_write_items(TransactItems=self._items, ClientRequestToken=self.token)
        except ClientError as error:
            if code_of(error) != "TransactionCanceledException":
                raise
            reasons = {reason.get("Code") for reason in error.response.get("CancellationReasons", ())}
            if "ConditionalCheckFailed" in reasons:
                raise Outrun from None
            if "ItemCollectionSizeLimitExceeded" in reasons:
                raise TooLarge("the chats of this space have reached DynamoDB's 10 GB") from None
            if reasons & _BUSY:
                raise Busy from None
            raise


class Busy(Exception):
    """DynamoDB cancelled the transaction because of others in flight or too many of them; nothing was written."""


def pauses(seconds: float) -> Iterator[float]:
    """Growing random pauses until the time is up; the first attempt is always made."""
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    longest = _FIRST_PAUSE
    while True:
        yield random.uniform(0, longest)  # noqa: S311 - spreads writers out, hides nothing
        longest = min(2 * longest, _LONGEST_PAUSE)
        if clock() > end:
            return
