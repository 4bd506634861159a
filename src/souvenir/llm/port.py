"""The one seam to any chat model: OpenAI-shaped objects in, OpenAI-shaped objects out, nothing lost on the way."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from souvenir.types import JsonObject

OFFLINE = "offline"
"""The name of the provider that stands in where none is configured; settings let no other have it."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model as `GET /v1/models` lists it."""

    id: str
    owned_by: str
    created: int = 0


class Provider(Protocol):
    """A host of chat models.

    `body` is a whole `/chat/completions` request with the host's own model name in it; fields this program does not
    know go through untouched, and so do unknown fields of what comes back.
    Errors: ProviderError (the host said no), ProviderUnreachable, ProviderTimeout.
    """

    @property
    def name(self) -> str:
        """The name it is configured under."""
        ...

    async def complete(self, body: JsonObject) -> JsonObject:
        """A `chat.completion` object. Cancelling the call closes the connection to the host."""
        ...

    def stream(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """The `chat.completion.chunk` objects as they arrive, without the closing `[DONE]`.

        What fails before the first chunk is raised by the first step, so that the caller can still choose another
        host; what fails later is raised where it happens. Closing the generator closes the connection to the host.
        """
        ...

    async def models(self) -> list[ModelInfo]:
        """What the host offers."""
        ...

    async def aclose(self) -> None:
        """Close connections. Calling it twice is fine."""
        ...
