"""The connection to DynamoDB: AWS's or a compatible one, with errors a person or a caller can act on."""

import contextlib
import io
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aiobotocore.config import AioConfig  # type: ignore[import-untyped]
from aiobotocore.session import get_session  # type: ignore[import-untyped]
from botocore.exceptions import (  # type: ignore[import-untyped]
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
)

from souvenir.config import Settings
from souvenir.errors import DatabaseError, Unavailable

if TYPE_CHECKING:
    from types_aiobotocore_dynamodb import DynamoDBClient

# the SDK sends a request again with the same body, and so the same token, when no answer came
_TRIES = 3
_LONG_BODY = 500_000


@contextlib.asynccontextmanager
async def connect(settings: Settings) -> AsyncIterator["DynamoDBClient"]:
    """A client by the standard AWS chain of credentials and configuration; nothing is sent yet."""
    patience = settings.database_timeout_seconds / _TRIES
    config = AioConfig(
        connect_timeout=patience,
        read_timeout=patience,
        max_pool_connections=settings.database_pool_size,
        retries={"mode": "standard", "total_max_attempts": _TRIES},
    )
    async with get_session().create_client(
        "dynamodb",
        region_name=settings.dynamodb_region,
        endpoint_url=settings.dynamodb_endpoint_url,
        config=config,
    ) as client:
        client.meta.events.register("before-send.dynamodb", _send_in_pieces)
        yield client


def _send_in_pieces(request: Any, **_more: Any) -> None:
    """Let aiohttp send a long body piece by piece rather than hold up the event loop, of which it warns."""
    if isinstance(request.body, bytes) and len(request.body) > _LONG_BODY:
        request.body = io.BytesIO(request.body)


@contextlib.contextmanager
def starting(settings: Settings) -> Iterator[None]:
    """While nothing is served yet: what goes wrong becomes DatabaseError, one line without secrets."""
    try:
        yield
    except (BotoCoreError, ClientError, ValueError) as error:
        raise DatabaseError(f"cannot use DynamoDB at {place(settings)}: {_reason(error)}") from None


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """While serving: silence and refusals become Unavailable; a request that is wrong in itself stays an error."""
    try:
        yield
    except ParamValidationError:
        raise
    except BotoCoreError as error:
        raise Unavailable("the chat database does not answer") from error
    except ClientError as error:
        if code_of(error) == "ValidationException":
            raise
        raise Unavailable(f"the chat database refused: {code_of(error)}") from error


def code_of(error: ClientError) -> str:
    """The name DynamoDB gives an error."""
    return str(error.response.get("Error", {}).get("Code", "unknown"))


def place(settings: Settings) -> str:
    """Where the tables are, for people, without credentials."""
    if settings.dynamodb_endpoint_url is None:
        return f"AWS ({settings.dynamodb_region or 'its default region'})"
    parts = urlsplit(settings.dynamodb_endpoint_url)
    return parts.netloc.rpartition("@")[2]


def _reason(error: Exception) -> str:
    match error:
        case NoCredentialsError() | PartialCredentialsError():
            return "no AWS credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or an AWS profile"
        case NoRegionError():
            return "no region is configured; set SOUVENIR_DYNAMODB_REGION"
        case ClientError():
            return f"it answered {code_of(error)}; check the AWS credentials and their permissions"
    return f"it does not answer ({type(error).__name__}); check SOUVENIR_DYNAMODB_ENDPOINT_URL and the network"
