"""Answers in progress: they go on when their client goes away, can be followed again from any event, and stopped."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import structlog

from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

_KEPT_SECONDS = 300.0  # after its end an answer can be followed for so long
_MOST_ENDED = 1000


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a turn; numbered from 1."""

    number: int
    name: str
    data: JsonObject


@dataclass(slots=True)
class Run:
    """One answer. Whoever follows it gets every event from the one after `since` on, past ones at once."""

    run_id: str
    space: SpaceId
    chat_id: str
    events: list[Event] = field(default_factory=list)
    ended: bool = False
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def add(self, name: str, data: JsonObject) -> None:
        """Tell all who follow."""
        self.events.append(Event(len(self.events) + 1, name, data))
        self._wake()

    def end(self) -> None:
        """Nothing more will come."""
        self.ended = True
        self._wake()

    async def follow(self, since: int = 0) -> AsyncGenerator[Event, None]:
        """The events after number `since`, until the end."""
        place = max(0, since)
        while True:
            changed = self._changed
            while place < len(self.events):
                yield self.events[place]
                place += 1
            if self.ended:
                return
            await changed.wait()

    def stop(self) -> bool:
        """Break the answer off; False when it has ended already."""
        if self.ended or self._task is None:
            return False
        return self._task.cancel()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Runs:
    """The answers of this process, those that ended lately included."""

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[SpaceId, str], Run] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, run: Run, work: AsyncGenerator[tuple[str, JsonObject], None]) -> Run:
        """Let a turn run by itself; its events are the run's."""
        self._runs[run.space, run.run_id] = run
        run._task = asyncio.create_task(self._go(run, work))
        self._tasks.add(run._task)
        run._task.add_done_callback(self._tasks.discard)
        return run

    def get(self, space: SpaceId, run_id: str) -> Run | None:
        """A run of a space by its id."""
        return self._runs.get((space, run_id))

    def of_chat(self, space: SpaceId, chat_id: str) -> list[Run]:
        """The runs of a chat that have not ended."""
        return [run for run in self._runs.values() if not run.ended and (run.space, run.chat_id) == (space, chat_id)]

    async def aclose(self) -> None:
        """Break off what runs, and wait until it is stored."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _go(self, run: Run, work: AsyncGenerator[tuple[str, JsonObject], None]) -> None:
        try:
            async for name, data in work:
                run.add(name, data)
        except asyncio.CancelledError:
            run.add("error", {"code": "stopped", "message": "the answer was stopped"})
        except Exception:
            log.exception("a turn failed")
            run.add("error", {"code": "internal_error", "message": "the answer broke off"})
        finally:
            await work.aclose()
            run.end()
            self._forget_later(run)

    def _forget_later(self, run: Run) -> None:
        key = (run.space, run.run_id)
        asyncio.get_running_loop().call_later(_KEPT_SECONDS, self._runs.pop, key, None)
        ended = [one for one, held in self._runs.items() if held.ended]
        for old in ended[: max(0, len(ended) - _MOST_ENDED)]:
            del self._runs[old]
