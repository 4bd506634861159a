"""Forms memories of what was said, as a durable job: after the reply, never lost, and once however often it runs."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from ulid import ULID

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.jobs.queue import JobQueue
from souvenir.memory.formation import BEFORE, Formation
from souvenir.memory.port import Utterance
from souvenir.stores.memory_ports import MemoryStore
from souvenir.stores.ports import ChatStore, Job, Message
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

TASK = "form-memories"
EXPIRE_TASK = "expire-memories"


class Forming:
    """Queues formations and runs them. A job is keyed by its message, and what it stores by job and sentence."""

    def __init__(
        self,
        chats: ChatStore,
        formation: Formation,
        memories: MemoryStore,
        jobs: JobQueue,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._chats = chats
        self._formation = formation
        self._memories = memories
        self._jobs = jobs
        self._keep = timedelta(days=settings.memory_keep_days)
        self._clock = clock
        # in line: what was said later must not be resolved before what was said earlier, nor beside it
        jobs.register(TASK, self._form, in_line=True)
        jobs.register(EXPIRE_TASK, self._expire, cron="0 3 * * *")

    async def later(self, space: SpaceId, chat_id: str, message_id: str, at: datetime | None = None) -> None:
        """Form memories of a stored message soon, or from `at` on; joins the transaction that is open around it."""
        payload = {"chat_id": chat_id, "message_id": message_id}
        await self._jobs.enqueue(space, TASK, key=f"form:{chat_id}:{message_id}", payload=payload, at=at)

    async def later_of(
        self, space: SpaceId, said: Utterance, before: Sequence[Utterance], key: str, at: datetime | None = None
    ) -> None:
        """The same of a message that is kept nowhere; the key tells it from others."""
        payload: JsonObject = {"said": _plain(said), "before": [_plain(one) for one in before[-BEFORE:]]}
        await self._jobs.enqueue(space, TASK, key=f"form:{key}", payload=payload, at=at)

    async def _form(self, job: Job) -> None:
        if "said" in job.payload:
            context = [_spoken(one) for one in job.payload["before"]]
            await self._formation.form(job.space, _spoken(job.payload["said"]), context, job.key, {})
            return
        chat_id, message_id = str(job.payload["chat_id"]), str(job.payload["message_id"])
        said, before = await self._read(job.space, chat_id, message_id)
        if said is None:
            return  # deleted in the meantime, and then nothing of it is remembered
        origin = {"chat_id": chat_id, "message_id": message_id}
        await self._formation.form(job.space, said, before, f"form:{chat_id}:{message_id}", origin)

    async def _expire(self, _: Job) -> None:
        removed = await self._memories.expire(self._clock.now() - self._keep)
        log.info("memories that ended long ago were removed", memories=removed)

    async def _read(
        self, space: SpaceId, chat_id: str, message_id: str
    ) -> tuple[Utterance | None, tuple[Utterance, ...]]:
        """The message and those right before it, whatever came after."""
        after = str(ULID.from_int(int(ULID.from_str(message_id)) + 1))
        page = await self._chats.list_messages(space, chat_id, limit=BEFORE + 1, before=after)
        found = list(reversed(page.items)) if page is not None else []
        if not found or found[-1].message_id != message_id:
            return None, ()
        *before, said = (_utterance(message) for message in found)
        return said, tuple(before)


def _utterance(message: Message) -> Utterance:
    return Utterance(message.role, message.content, message.created_at, message.message_id)


def _plain(one: Utterance) -> JsonObject:
    return {"role": one.role, "content": one.content, "at": one.at.isoformat()}


def _spoken(plain: JsonObject) -> Utterance:
    return Utterance(plain["role"], plain["content"], datetime.fromisoformat(plain["at"]))
