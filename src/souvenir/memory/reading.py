"""Which memories may be used, and how much each counts: asked again of every memory whenever one is read."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from souvenir.config import Settings
from souvenir.memory.fading import importance, weighed
from souvenir.memory.thresholds import rejection
from souvenir.stores.memory_ports import Memory


class Reading:
    """The judgement of one process, by its settings of today: what was stored under others is held against these."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        days = settings.memory_decay_days
        self._half_life = timedelta(days=days) if days is not None else None

    def usable(self, memory: Memory, now: datetime, *, past: bool = False) -> bool:
        """Whether it may come back: active, and still worth keeping. Of the `past` versions that were replaced too.

        What the user wrote or confirmed needs no importance, but confidence.
        """
        if not past and not memory.is_active(now):
            return False
        weight = self._settings.memory_min_importance if memory.verified else self.importance(memory, now)
        return rejection(memory.category, weight, memory.confidence, self._settings) is None

    def weighed(self, score: float, memory: Memory, now: datetime) -> float:
        """How likely it answers, after what time, use and thumbs made of it."""
        return weighed(score, memory, now, self._half_life)

    def importance(self, memory: Memory, now: datetime) -> int:
        """How important it is today."""
        return importance(memory, now, self._half_life)

    def of(self, memories: Iterable[Memory], now: datetime) -> list[Memory]:
        """Those that may be used, in their order."""
        return [memory for memory in memories if self.usable(memory, now)]
