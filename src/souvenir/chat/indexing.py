"""Writes what is said so that it can be found at once: message, passages and external id in one transaction."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
import structlog
from ulid import ULID

from souvenir.chat.forming import Forming
from souvenir.clock import Clock
from souvenir.embed.meanwhile import once_embedding_began
from souvenir.embed.port import Embedder, Vectors
from souvenir.errors import Unavailable
from souvenir.facts.service import Facts
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.retrieval.embedding import TASK as EMBED_TASK
from souvenir.retrieval.embedding import embed_missing
from souvenir.retrieval.passages import PIECE_CHARACTERS, message_passages, pieces
from souvenir.stores.passage_ports import NewPassage, PassageStore
from souvenir.stores.ports import ChatStore, Job, Message, MessageChange, MessageStatus, NewMessage, Role
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

FORGET_TASK = "forget-chat"
TIDY_TASK = "tidy-removals"

_WHILE_EMBEDDING = 4  # messages whose embedding takes no longer than writing all else of them
_REMOVALS_KEPT = timedelta(days=7)  # an index that was not asked for so long reads its space anew

Transaction = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class Said:
    """A message to store and to find again. Without `created_at` it is said now.

    `learn` forms memories of it, from `learn_at` on. An answer that is only begun has no content yet, and is taken for
    broken off after `alive_until`.
    """

    chat_id: str
    role: Role
    content: str
    speaker: str | None = None
    created_at: datetime | None = None
    external_id: str | None = None
    learn: bool = False
    learn_at: datetime | None = None
    status: MessageStatus = "complete"
    memories: tuple[JsonObject, ...] = ()
    alive_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Indexed:
    """Where a message is; `added` is False when its external id was there before and nothing changed."""

    message_id: str
    external_id: str | None
    added: bool


class Indexing:
    """Keeps chats and what is found of them together.

    With chats in Postgres a message and its passages are one write. With another engine the message is written first
    and the passages before anything is acknowledged; what was not acknowledged may be in the chat and not be found.
    """

    def __init__(  # noqa: PLR0913 - named parts, put together in one place
        self,
        chats: ChatStore,
        passages: PassageStore,
        embedder: Embedder,
        jobs: JobQueue,
        transaction: Transaction,
        metrics: Metrics,
        clock: Clock,
        *,
        forming: Forming | None = None,
        facts: Facts | None = None,
    ) -> None:
        self._chats = chats
        self._passages = passages
        self._embedder = embedder
        self._jobs = jobs
        self._transaction = transaction
        self._metrics = metrics
        self._clock = clock
        self._forming = forming
        self._facts = facts
        jobs.register(EMBED_TASK, self._embed)
        jobs.register(FORGET_TASK, self._forget)
        jobs.register(TIDY_TASK, self._tidy, cron="29 3 * * *")

    async def index(
        self, space: SpaceId, messages: Sequence[Said], *, embed_seconds: float | None = None
    ) -> tuple[Indexed, ...]:
        """Store messages at the end of their chats, all or none, in the order given; chats are made as needed.

        A message whose external id its chat has already, from before or from this call, is not stored again. What is
        not embedded within `embed_seconds` is embedded later.
        """
        embedding = asyncio.create_task(self._vectors([message.content for message in messages], embed_seconds))
        try:
            await (embedding if len(messages) > _WHILE_EMBEDDING else once_embedding_began(embedding))
            by_chat: dict[str, list[int]] = {}
            for place, message in enumerate(messages):
                by_chat.setdefault(message.chat_id, []).append(place)
            indexed: dict[int, Indexed] = {}
            async with self._transaction():
                # in one order everywhere, so that two calls with the same chats do not wait for each other
                for chat_id in sorted(by_chat):
                    await self._passages.lock_chat(space, chat_id)
                for chat_id, places in by_chat.items():
                    chosen = {place: messages[place] for place in places}
                    indexed |= await self._append(space, chat_id, chosen, embedding)
                if await embedding is None:
                    await self.embed_later(space)
            return tuple(indexed[place] for place in range(len(messages)))
        finally:
            embedding.cancel()

    async def complete(
        self,
        space: SpaceId,
        chat_id: str,
        message_id: str,
        change: MessageChange,
        *,
        embed_seconds: float | None = None,
        found: bool = True,
    ) -> bool:
        """Change a message that was begun; what it says from now on is what is found of it. False when it is gone.

        Not `found`, it is only read in its chat.
        """
        anew = found and change.content is not None
        vectors = await self._vectors([change.content or ""], embed_seconds) if anew else None
        async with self._transaction():
            await self._passages.lock_chat(space, chat_id)
            message = await self._chats.update_message(space, chat_id, message_id, change)
            if message is None:
                return False
            if change.content is not None:
                await self._passages.remove_message(space, chat_id, message_id)
            if anew:
                said = Said(chat_id, message.role, message.content)
                await self._write(space, {0: said}, [message], vectors)
                if vectors is None:
                    await self.embed_later(space)
        return True

    async def forget_chat(self, space: SpaceId, chat_id: str) -> bool:
        """Delete a chat with its messages and passages; False when there was none."""
        # queued first: should this process die between an engine's delete and ours, the job finishes it
        await self._jobs.enqueue(space, FORGET_TASK, key=f"forget:{ULID()}", payload={"chat_id": chat_id})
        async with self._transaction():
            deleted = await self._chats.delete(space, chat_id)
            if deleted:
                await self._remove(space, chat_id)
        return deleted

    async def embed_later(self, space: SpaceId) -> None:
        """Queue the embedding of what a space has without vectors."""
        await self._jobs.enqueue(space, EMBED_TASK, key=f"embed:{ULID()}", payload={})

    async def catch_up(self) -> None:
        """Queue what a change of the embedding model left to do."""
        missing, _ = await self._passages.count_unembedded(self._embedder.model)
        if not missing:
            return
        log.info("passages have no vector of this model yet", model=self._embedder.model, passages=missing)
        for passage in await self._passages.unembedded(self._embedder.model, limit=1):
            await self._jobs.enqueue(passage.space, EMBED_TASK, key=f"embed:{ULID()}", payload={"everywhere": True})

    async def _append(
        self, space: SpaceId, chat_id: str, said: dict[int, Said], embedding: "asyncio.Task[list[Vectors] | None]"
    ) -> dict[int, Indexed]:
        wanted = [message.external_id for message in said.values() if message.external_id is not None]
        known = await self._passages.external_ids(space, chat_id, wanted) if wanted else {}
        fresh: dict[int, Said] = {}
        seen: set[str] = set(known)
        for place, message in said.items():
            if message.external_id is None or message.external_id not in seen:
                fresh[place] = message
                seen.add(message.external_id or "")
        stored: tuple[Message, ...] = ()
        if fresh:
            new = [
                NewMessage(
                    one.role,
                    one.content,
                    one.created_at,
                    one.status,
                    memories=one.memories,
                    alive_until=one.alive_until,
                )
                for one in fresh.values()
            ]
            stored = await self._chats.append(space, chat_id, new, create=True) or ()
            await self._record(space, chat_id, fresh, stored)
            await self._learn(space, chat_id, fresh, stored)
            await self._write(space, fresh, stored, await embedding)
        added = dict(zip(fresh, stored, strict=True))
        known |= {one.external_id: added[place].message_id for place, one in fresh.items() if one.external_id}
        return {
            place: Indexed(
                message_id=added[place].message_id if place in added else known[message.external_id or ""],
                external_id=message.external_id,
                added=place in added,
            )
            for place, message in said.items()
        }

    async def _write(
        self, space: SpaceId, said: dict[int, Said], stored: Sequence[Message], vectors: list[Vectors] | None
    ) -> None:
        passages: list[NewPassage] = []
        for (place, one), message in zip(said.items(), stored, strict=True):
            made = message_passages(message, one.speaker, one.external_id)
            if vectors is not None:
                made = [
                    replace(passage, vector=vector, model=self._embedder.model)
                    for passage, vector in zip(made, vectors[place], strict=True)
                ]
            passages += made
        if passages:
            await self._passages.add(space, passages)
        self._metrics.indexed_passages.labels("message").inc(len(passages))

    async def _record(self, space: SpaceId, chat_id: str, said: dict[int, Said], stored: Sequence[Message]) -> None:
        external = {
            one.external_id: message.message_id
            for one, message in zip(said.values(), stored, strict=True)
            if one.external_id is not None
        }
        if external:
            await self._passages.record_external_ids(space, chat_id, external)

    async def _learn(self, space: SpaceId, chat_id: str, said: dict[int, Said], stored: Sequence[Message]) -> None:
        for one, message in zip(said.values(), stored, strict=True):
            if one.learn and one.role == "user" and self._forming is not None:
                await self._forming.later(space, chat_id, message.message_id, one.learn_at)

    async def _vectors(self, texts: Sequence[str], seconds: float | None) -> list[Vectors] | None:
        """One row per piece of each text; None when no embedder answers: then they are found by their words."""
        cut = [
            [text[start:end] for start, end in pieces(text, PIECE_CHARACTERS)] if text.strip() else [] for text in texts
        ]
        try:
            async with asyncio.timeout(seconds):
                rows = (await self._embedder.embed([piece for text in cut for piece in text])).vectors
        except (Unavailable, TimeoutError) as error:
            reason = str(error) or "the embedder took too long"
            log.warning("messages are indexed without vectors for now", messages=len(texts), reason=reason)
            return None
        ends = np.cumsum([len(text) for text in cut])
        return np.split(rows, ends[:-1])

    async def _embed(self, job: Job) -> None:
        async for _ in embed_missing(
            self._passages, self._embedder, None if job.payload.get("everywhere") else job.space
        ):
            pass

    async def _tidy(self, _: Job) -> None:
        await self._passages.forget_removals(self._clock.now() - _REMOVALS_KEPT)

    async def _forget(self, job: Job) -> None:
        chat_id = str(job.payload["chat_id"])
        async with self._transaction():
            await self._passages.lock_chat(job.space, chat_id)
            if await self._chats.get_chat(job.space, chat_id) is None:
                await self._remove(job.space, chat_id)

    async def _remove(self, space: SpaceId, chat_id: str) -> None:
        await self._passages.remove_chat(space, chat_id)
        if self._facts is not None:
            await self._facts.forget_chat(space, chat_id)
