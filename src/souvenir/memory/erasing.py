"""Erases a user: all that is theirs, from every table and engine, and their name from what they did elsewhere."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import structlog

from souvenir.stores.archive_ports import SpaceArchive
from souvenir.stores.memory_ports import MemoryStore
from souvenir.stores.passage_ports import LargeSpaceStore
from souvenir.stores.ports import ChatArchive, JobStore
from souvenir.types import user_space

log = structlog.get_logger(__name__)

Transaction = Callable[[], AbstractAsyncContextManager[object]]


class Erasing:
    """Erases one user at a time. What is interrupted is simply asked for again, and finishes.

    Jobs are taken away first, so that none can write after it; then the database's own rows go in one transaction,
    during which nobody writes to the user's chats; an engine of its own for chats is emptied within it.
    """

    def __init__(
        self,
        *,
        chats: ChatArchive,
        memories: MemoryStore,
        jobs: JobStore,
        archive: SpaceArchive,
        large: LargeSpaceStore,
        transaction: Transaction,
    ) -> None:
        self._chats = chats
        self._memories = memories
        self._jobs = jobs
        self._archive = archive
        self._large = large
        self._transaction = transaction

    async def erase(self, user_id: str) -> dict[str, int]:
        """Remove everything; how many rows of what, `named_elsewhere` those that stay and no longer name the user."""
        space = user_space(user_id)
        removed: Counter[str] = Counter()
        removed["jobs"] += await self._jobs.erase(space)
        await self._large.drop(space)
        async with self._transaction():
            await self._archive.hold(space)
            # those that were queued by whoever was waited for
            removed["jobs"] += await self._jobs.erase(space)
            chats, messages = await self._chats.erase(space)
            removed.update({"chats": chats, "messages": messages})
            removed.update(await self._memories.erase(space))
            removed.update(await self._archive.sweep(space, user_id))
        removed["named_elsewhere"] += await self._archive.unname(user_id)
        log.info("a user was erased", rows=removed.total())
        return {name: count for name, count in sorted(removed.items()) if count}
