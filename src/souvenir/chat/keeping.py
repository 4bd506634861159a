"""Keeps an exchange: the user's message before the model is asked, the answer as it completes or breaks off."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from souvenir.chat.indexing import Indexing, Said
from souvenir.clock import Clock
from souvenir.embed.windows import readable
from souvenir.stores.ports import ChatStore, MessageChange
from souvenir.types import JsonObject, SpaceId

ALIVE_FOR = timedelta(seconds=30)  # without a sign of its writer, an answer counts as being written
RENEW_SECONDS = 10.0

_LEARN_AFTER = timedelta(seconds=1)  # forming memories must not compete with the answer's first words


@dataclass(slots=True)
class Exchange:
    """A message and the answer to it, as they are stored. `tool_calls` are those of the answer so far."""

    space: SpaceId
    chat_id: str
    message_id: str
    reply_id: str
    repeated: bool
    tool_calls: list[JsonObject] = field(default_factory=list)


class Keeping:
    """Writes exchanges. An exchange that is sent again under the same key is the same one, with a new answer."""

    def __init__(self, indexing: Indexing, chats: ChatStore, clock: Clock, embed_seconds: float) -> None:
        self._indexing = indexing
        self._chats = chats
        self._clock = clock
        self._embed_seconds = embed_seconds

    async def begin(
        self,
        space: SpaceId,
        chat_id: str,
        text: str,
        *,
        key: str | None = None,
        reply_key: str | None = None,
        learn: bool = True,
    ) -> Exchange:
        """Store what the user says, found from now on, and the place of the answer, in one write.

        An answer of its own is told from others to the same message by `reply_key`.
        """
        reply_key = reply_key or (f"{key}:answer" if key else None)
        asked, answer = await self._indexing.index(
            space,
            [
                Said(
                    chat_id,
                    "user",
                    text,
                    external_id=key,
                    learn=learn,
                    learn_at=self._clock.now() + _LEARN_AFTER,
                ),
                Said(
                    chat_id,
                    "assistant",
                    "",
                    external_id=reply_key,
                    status="streaming",
                    alive_until=self._alive_until(),
                ),
            ],
            embed_seconds=self._embed_seconds,
        )
        if not answer.added:
            begun = MessageChange(
                content="",
                status="streaming",
                tool_calls=(),
                partial_tool_calls=(),
                error="",
                alive_until=self._alive_until(),
            )
            await self._indexing.complete(space, chat_id, answer.message_id, begun)
        return Exchange(space, chat_id, asked.message_id, answer.message_id, repeated=not asked.added)

    async def renew(self, exchange: Exchange, text: str) -> None:
        """Tell that the answer is still being written, and how far it came: all that is left if this process dies."""
        change = MessageChange(content=storable(text) or None, alive_until=self._alive_until())
        await self._chats.update_message(exchange.space, exchange.chat_id, exchange.reply_id, change)

    async def called(self, exchange: Exchange, call: JsonObject) -> None:
        """A tool runs: its call is shown until it has completed."""
        change = MessageChange(tool_calls=tuple(exchange.tool_calls), partial_tool_calls=(storable(call),))
        await self._chats.update_message(exchange.space, exchange.chat_id, exchange.reply_id, change)

    async def returned(self, exchange: Exchange, call: JsonObject) -> None:
        """A tool has answered: the completed call takes the place of the one that ran."""
        exchange.tool_calls = [one for one in exchange.tool_calls if one["id"] != call["id"]] + [storable(call)]
        change = MessageChange(tool_calls=tuple(exchange.tool_calls), partial_tool_calls=())
        await self._chats.update_message(exchange.space, exchange.chat_id, exchange.reply_id, change)

    async def end(
        self,
        exchange: Exchange,
        text: str,
        *,
        memories: tuple[JsonObject, ...] = (),
        error: str | None = None,
        found: bool = True,
    ) -> None:
        """Store the answer, whole or as far as it came; one that only quotes what was said need not be `found`."""
        change = MessageChange(
            content=storable(text),
            status="complete" if error is None else "error",
            tool_calls=tuple(exchange.tool_calls),
            partial_tool_calls=(),
            error=storable(error),
            memories=memories,
        )
        await self._indexing.complete(
            exchange.space,
            exchange.chat_id,
            exchange.reply_id,
            change,
            embed_seconds=self._embed_seconds,
            found=found,
        )

    def _alive_until(self) -> datetime:
        return self._clock.now() + ALIVE_FOR


def storable(said: Any) -> Any:
    """What a model said as any engine takes it: halves of a character put together, what stays half or is NUL marked.

    Hosts send such halves, where an emoji was cut between two chunks.
    """
    if isinstance(said, dict):
        return {storable(name): storable(value) for name, value in said.items()}
    return readable(said) if isinstance(said, str) else said
