"""How long each kind of memory lasts."""

import contextlib
from datetime import UTC, date, datetime, time, timedelta

from souvenir.memory.port import Lifetime

CONTEXTUAL = timedelta(days=7)
TEMPORARY = timedelta(days=1)
GRACE = timedelta(days=7)  # what had a deadline is still of interest for a while after it


def expiry(lifetime: Lifetime, said_at: datetime, until: str | date | None = None) -> datetime | None:
    """When a memory said at `said_at` expires; None is never. A deadline whose date cannot be read is contextual."""
    if lifetime == "preference":
        return None
    if lifetime == "temporary":
        return said_at + TEMPORARY
    day = until if isinstance(until, date) else _day(until)
    if lifetime == "deadline" and day is not None:
        return datetime.combine(day, time.max, UTC).replace(microsecond=0) + GRACE
    return said_at + CONTEXTUAL


def _day(text: str | None) -> date | None:
    with contextlib.suppress(ValueError):
        return date.fromisoformat((text or "").strip()[:10])
    return None
