"""How memory fares as a whole, for those who watch over it: read from the database, and not at every look."""

from datetime import datetime, timedelta

from souvenir.clock import Clock
from souvenir.metrics import Metrics
from souvenir.stores.memory_ports import MemoryStore

_STALE = timedelta(minutes=1)


class Counting:
    """Keeps the gauges of memory up to date."""

    def __init__(self, memories: MemoryStore, metrics: Metrics, clock: Clock) -> None:
        self._memories = memories
        self._metrics = metrics
        self._clock = clock
        self._counted_at: datetime | None = None

    async def refresh(self) -> None:
        """Count anew unless that was done within the last minute. Raises Unavailable."""
        now = self._clock.now()
        if self._counted_at is not None and self._counted_at <= now < self._counted_at + _STALE:
            return
        counts = await self._memories.totals()
        self._counted_at = now
        decided = counts.added + counts.replaced + counts.ignored
        self._metrics.memory_total.set(counts.active)
        if decided:
            self._metrics.memory_replacement_rate.set(counts.replaced / decided)
            self._metrics.memory_dedup_rate.set(counts.ignored / decided)
