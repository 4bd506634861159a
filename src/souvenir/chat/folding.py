"""Folds messages that have left the model's window into their chat's summary, in the background and step by step."""

import asyncio
from collections.abc import Sequence

import structlog
from ulid import ULID

from souvenir.chat.history import read_window
from souvenir.chat.summary import ask_model, extract, spoken
from souvenir.config import Settings
from souvenir.jobs.queue import JobQueue
from souvenir.llm.providers import DEFAULT_MODEL, Providers
from souvenir.stores.ports import Chat, ChatStore, Job, Message
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

TASK = "fold-chat"

_PAGE = 32  # messages per step: what is in memory at a time, and what one call of the model reads
_MODEL_STEPS = 16  # of a longer backlog (an import, say) only the newest steps are worth a call of the model
_OFFLINE = ["offline"]


class Folding:
    """Keeps summaries up with their chats. Stored messages are only read.

    A summary that is stored always stands for everything up to its `until`, whoever made it; so parallel jobs may
    overtake each other, and a job that runs again goes on where the summary ends.
    """

    def __init__(self, store: ChatStore, jobs: JobQueue, providers: Providers, settings: Settings) -> None:
        self._store = store
        self._jobs = jobs
        self._providers = providers
        self._settings = settings
        self._window = settings.history_messages
        # half a window: a call of the model every three exchanges at the default, rather than with each
        self._batch = max(2, self._window // 2)
        jobs.register(TASK, self._fold)

    async def consider(self, space: SpaceId, chat_id: str) -> bool:
        """After messages were added: queue a fold if half a window of messages is neither shown nor summarised.

        False when nothing is due, or a job for just this is or was queued already.
        """
        until = await self._due(space, chat_id)
        if until is None:
            return False
        payload = {"chat_id": chat_id, "until": until}
        return await self._jobs.enqueue(space, TASK, key=f"fold:{chat_id}:{until}", payload=payload) is not None

    async def _due(self, space: SpaceId, chat_id: str) -> str | None:
        """The id up to which it is time to fold."""
        chat = await self._store.get_chat(space, chat_id)
        if chat is None or chat.message_count < self._window + self._batch:
            return None
        newest = await read_window(self._store, space, chat_id, self._window)
        if newest is None or newest.edge is None:
            return None
        older = await self._store.list_messages(space, chat_id, limit=self._batch, before=_after(newest.edge))
        if older is None or len(older.items) < self._batch or older.items[-1].message_id <= _reach(chat):
            return None
        return newest.edge

    async def _fold(self, job: Job) -> None:
        """The job. A chat that is gone, or is folded that far already, is no failure."""
        chat_id, until = str(job.payload["chat_id"]), str(job.payload["until"])
        chat = await self._store.get_chat(job.space, chat_id)
        steps = await self._steps(job.space, chat, until) if chat is not None else []
        summarizer = _Summarizer(self._providers, self._settings)
        for left in range(len(steps), 0, -1):
            if not await self._step(job.space, chat_id, steps[left - 1], summarizer, with_model=left <= _MODEL_STEPS):
                return

    async def _steps(self, space: SpaceId, chat: Chat, until: str) -> list[str]:
        """Positions right behind each page from `until` back to the summary's end; of the pages only these are kept.

        None at all for less than a batch: several jobs may have been queued while the first was running.
        """
        steps: list[str] = []
        count = 0
        position, more = _after(until), True
        while more:
            page = await self._store.list_messages(space, chat.chat_id, limit=_PAGE, before=position)
            unfolded = [item for item in page.items if item.message_id > _reach(chat)] if page is not None else []
            if page is None or not unfolded:
                break
            steps.append(position)
            count += len(unfolded)
            position, more = unfolded[-1].message_id, page.more
        return steps if count >= self._batch else []

    async def _step(
        self, space: SpaceId, chat_id: str, position: str, summarizer: "_Summarizer", *, with_model: bool
    ) -> bool:
        """Fold the page before a position; False when the chat is gone."""
        chat = await self._store.get_chat(space, chat_id)
        page = await self._store.list_messages(space, chat_id, limit=_PAGE, before=position)
        if chat is None or page is None:
            return False
        messages = [item for item in reversed(page.items) if item.message_id > _reach(chat)]
        if not messages:
            return True
        summary = await summarizer.merge(chat.summary, messages, with_model=with_model)
        until = messages[-1].message_id
        # a model takes its time: a chat made anew meanwhile under this id must not get the old one's summary
        if not await self._is_there(space, chat_id, until):
            return False
        if await self._store.fold(space, chat_id, summary, until):
            log.info("chat folded", messages=len(messages), chars=len(summary))
        return True

    async def _is_there(self, space: SpaceId, chat_id: str, message_id: str) -> bool:
        page = await self._store.list_messages(space, chat_id, limit=1, before=_after(message_id))
        return page is not None and any(item.message_id == message_id for item in page.items)


class _Summarizer:
    """Makes the summaries of one job: by the model until it fails once, from then on locally."""

    def __init__(self, providers: Providers, settings: Settings) -> None:
        self._providers = providers
        self._most = settings.summary_chars
        self._seconds = settings.llm_timeout_seconds
        self._has_model = providers.names != _OFFLINE

    async def merge(self, previous: str, messages: Sequence[Message], *, with_model: bool) -> str:
        """The summary that stands for what the previous one did and for these messages."""
        if not any(map(spoken, messages)):
            return previous
        if self._has_model and with_model:
            try:
                return await self._ask(previous, messages)
            except Exception as error:  # noqa: BLE001 - whatever ails the model, the chat gets its summary
                self._has_model = False
                log.warning("the model made no summary; making it locally", error=type(error).__name__)
        # in a thread: long messages take a while to read
        return await asyncio.to_thread(extract, previous, messages, self._most)

    async def _ask(self, previous: str, messages: Sequence[Message]) -> str:
        # the provider's own limit is on silence, and a host may trickle
        async with asyncio.timeout(self._seconds):
            found = await self._providers.resolve(DEFAULT_MODEL)
            return await ask_model(found.provider, found.model, previous, messages, self._most)


def _reach(chat: Chat) -> str:
    """The id up to which the summary stands, comparable with every message's."""
    return chat.summarized_until or ""


def _after(message_id: str) -> str:
    """The position right behind a message: `before` it come that message and all older ones."""
    return str(ULID.from_int(int(ULID.from_str(message_id)) + 1))
