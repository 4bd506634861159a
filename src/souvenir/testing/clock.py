"""A clock that stands still until it is told otherwise."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """A Clock for tests: starts at a fixed time, moves only when asked."""

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime(2026, 1, 15, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The time it was set to."""
        return self._now

    def advance(self, **delta: float) -> None:
        """Move by a timedelta's arguments: `clock.advance(days=7)`; negative values go back."""
        self._now += timedelta(**delta)

    def set(self, now: datetime) -> None:
        """Jump to a time."""
        self._now = now
