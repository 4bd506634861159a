"""Where time comes from: injected, so that tests can hold it still."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The current time, always aware and in UTC."""

    def now(self) -> datetime:
        """The time now."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)
