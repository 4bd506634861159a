"""The two tables: their names and keys, made once by `create_tables`, checked at every start."""

import asyncio
from typing import TYPE_CHECKING, Any

import structlog
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from souvenir.config import Settings
from souvenir.errors import DatabaseError
from souvenir.stores.dynamodb.client import code_of, connect, starting

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient
    from types_aiobotocore_dynamodb.type_defs import CreateTableInputTypeDef, TableDescriptionTypeDef

log = structlog.get_logger(__name__)

ACTIVITY_INDEX = "activity"

_HOW = "run `souvenir dynamodb create-tables`"
_WAIT_SECONDS = 1
_WAIT_TRIES = 120
_BACKUP_TRIES = 10


def messages_table(settings: Settings) -> str:
    """The name of the table of messages."""
    return f"{settings.dynamodb_table_prefix}Messages"


def chats_table(settings: Settings) -> str:
    """The name of the table of chats."""
    return f"{settings.dynamodb_table_prefix}Chats"


def table_definitions(settings: Settings) -> "tuple[CreateTableInputTypeDef, CreateTableInputTypeDef]":
    """Both tables as CreateTable takes them; `deploy/dynamodb.yaml` says the same to CloudFormation."""
    messages: CreateTableInputTypeDef = {
        "TableName": messages_table(settings),
        "AttributeDefinitions": [
            {"AttributeName": "chat_id", "AttributeType": "S"},
            {"AttributeName": "ulid", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "chat_id", "KeyType": "HASH"},
            {"AttributeName": "ulid", "KeyType": "RANGE"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    chats: CreateTableInputTypeDef = {
        "TableName": chats_table(settings),
        "AttributeDefinitions": [
            {"AttributeName": "user_id", "AttributeType": "S"},
            {"AttributeName": "chat_id", "AttributeType": "S"},
            {"AttributeName": "activity", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "user_id", "KeyType": "HASH"},
            {"AttributeName": "chat_id", "KeyType": "RANGE"},
        ],
        # a local index, because only those can be read consistently
        "LocalSecondaryIndexes": [
            {
                "IndexName": ACTIVITY_INDEX,
                "KeySchema": [
                    {"AttributeName": "user_id", "KeyType": "HASH"},
                    {"AttributeName": "activity", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    return messages, chats


async def create_tables(settings: Settings) -> tuple[str, ...]:
    """Make what is missing and wait until it can be used; returns the tables' names. Raises DatabaseError."""
    with starting(settings):
        async with connect(settings) as client:
            for definition in table_definitions(settings):
                await _create(client, definition)
                await client.get_waiter("table_exists").wait(
                    TableName=definition["TableName"],
                    WaiterConfig={"Delay": _WAIT_SECONDS, "MaxAttempts": _WAIT_TRIES},
                )
            await verify_tables(client, settings)
            for definition in table_definitions(settings):
                await _keep_backups(client, definition["TableName"])
    return messages_table(settings), chats_table(settings)


async def verify_tables(client: "DynamoDBClient", settings: Settings) -> None:
    """Both tables exist, can be used, and have our keys. Raises DatabaseError, or what the SDK raises."""
    for definition in table_definitions(settings):
        name = definition["TableName"]
        try:
            found = (await client.describe_table(TableName=name))["Table"]
        except ClientError as error:
            if code_of(error) != "ResourceNotFoundException":
                raise
            raise DatabaseError(f"DynamoDB has no table {name}: {_HOW}") from None
        if found.get("TableStatus") not in {"ACTIVE", "UPDATING"}:
            raise DatabaseError(f"the DynamoDB table {name} is not ready ({found.get('TableStatus')}): {_HOW}")
        if not _serves(shape(found), shape(definition)):
            raise DatabaseError(
                f"the DynamoDB table {name} has other keys than Souvenir's: "
                f"set another SOUVENIR_DYNAMODB_TABLE_PREFIX and {_HOW}"
            )


def shape(table: "CreateTableInputTypeDef | TableDescriptionTypeDef") -> dict[str, Any]:
    """What of a table our reads and writes rest on: its keys, their types, and the local indexes."""
    return {
        "keys": _keys(table.get("KeySchema")),
        "types": {each["AttributeName"]: each["AttributeType"] for each in table.get("AttributeDefinitions") or ()},
        "indexes": {
            index.get("IndexName"): (
                _keys(index.get("KeySchema")),
                (index.get("Projection") or {}).get("ProjectionType"),
            )
            for index in table.get("LocalSecondaryIndexes") or ()
        },
    }


def _serves(found: dict[str, Any], needed: dict[str, Any]) -> bool:
    """Whether a table will do; it may have more indexes than ours."""
    return found["keys"] == needed["keys"] and all(
        found[kind].items() >= needed[kind].items() for kind in ("types", "indexes")
    )


def _keys(schema: Any) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in schema or ()}


async def _create(client: "DynamoDBClient", definition: "CreateTableInputTypeDef") -> None:
    try:
        await client.create_table(**definition)
    except ClientError as error:
        if code_of(error) != "ResourceInUseException":
            raise


async def _keep_backups(client: "DynamoDBClient", table: str) -> None:
    """Turn point-in-time recovery on; an endpoint that has none is told of and accepted."""
    for _ in range(_BACKUP_TRIES):
        try:
            await client.update_continuous_backups(
                TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
            )
        except ClientError as error:
            # a new table takes some seconds until it can be backed up
            if code_of(error) != "ContinuousBackupsUnavailableException":
                log.warning("point-in-time recovery is not on", table=table, error=code_of(error))
                return
            await asyncio.sleep(_WAIT_SECONDS)
        else:
            return
    log.warning("point-in-time recovery is not on yet: run create-tables again", table=table)
