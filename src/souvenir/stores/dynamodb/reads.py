"""Reads: always consistent, and whole where DynamoDB answers in pieces."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from souvenir.errors import Unavailable
from souvenir.stores.dynamodb.client import answering
from souvenir.stores.dynamodb.items import Item
from souvenir.stores.dynamodb.writes import pauses

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient

_MOST_KEYS = 100
_BATCH_SECONDS = 10.0


async def query(
    client: "DynamoDBClient",
    most: int,
    table: str,
    condition: str,
    values: Mapping[str, Any],
    *,
    index: str | None = None,
    only: str | None = None,
) -> list[Item]:
    """At most so many items that meet a condition on keys, in descending order, with `only` some attributes."""
    request: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
        "ConsistentRead": True,
        "ScanIndexForward": False,
    }
    if index is not None:
        request["IndexName"] = index
    if only is not None:
        request["ProjectionExpression"] = only
    found: list[Item] = []
    with answering():
        while True:
            answer = await client.query(**request, Limit=most - len(found))
            found += answer["Items"]
            # an answer ends at 1 MB, however few those are
            if len(found) >= most or "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


async def fetch(client: "DynamoDBClient", table: str, keys: Sequence[Item]) -> list[Item | None]:
    """The items of these keys, in their order; None for those that are not there."""
    if len(keys) == 1:
        with answering():
            answer = await client.get_item(TableName=table, Key=keys[0], ConsistentRead=True)
        return [answer.get("Item")]
    found: dict[str, Item] = {}
    for begin in range(0, len(keys), _MOST_KEYS):
        found |= await _fetch_batch(client, table, keys[begin : begin + _MOST_KEYS])
    return [found.get(_identity(key, key)) for key in keys]


async def _fetch_batch(client: "DynamoDBClient", table: str, keys: Sequence[Item]) -> dict[str, Item]:
    """One batch, asked again for what it left out: an answer ends at 16 MB and gives what capacity allows."""
    found: dict[str, Item] = {}
    left: Any = list(keys)
    for pause in pauses(_BATCH_SECONDS):
        with answering():
            answer = await client.batch_get_item(RequestItems={table: {"Keys": left, "ConsistentRead": True}})
        for item in answer["Responses"].get(table, ()):
            found[_identity(item, keys[0])] = item
        if table not in answer["UnprocessedKeys"]:
            return found
        left = answer["UnprocessedKeys"][table]["Keys"]
        await asyncio.sleep(pause)
    raise Unavailable("the chat database is too busy")


def _identity(item: Mapping[str, Any], key: Item) -> str:
    return repr([item[name]["S"] for name in sorted(key)])
