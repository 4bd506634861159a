"""How memories fade: with age where a setting asks for it, and by what people and answers made of them."""

from datetime import datetime, timedelta

from souvenir.stores.memory_ports import Memory

_HALF_A_YEAR = timedelta(days=182.5)
_MOST_THUMBS = 4  # that count: one person's insistence hides nothing for good
_LIFTED = 1.5  # what a thumb up does to the odds that a memory answers


def reinforced_at(memory: Memory) -> datetime:
    """When it last proved right: said, or used in an answer."""
    return max(memory.said_at, memory.used_at or memory.said_at)


def decay(memory: Memory, now: datetime, half_life: timedelta | None) -> float:
    """What age leaves of it, between 0 and 1; without a half-life all of it.

    One that people found useful does not fade, one that they did not fades so much faster.
    """
    net = memory.ups - memory.downs
    if half_life is None or net > 0:
        return 1.0
    age = max(now - reinforced_at(memory), timedelta())
    lives: float = age / half_life * (1 + min(-net, _MOST_THUMBS))
    return float(0.5**lives)


def weighed(score: float, memory: Memory, now: datetime, half_life: timedelta | None) -> float:
    """A score with all that speaks for and against the memory; between 0 and 1 as it was, and 0 and 1 stay."""
    net = max(-_MOST_THUMBS, min(memory.ups - memory.downs, _MOST_THUMBS))
    if net > 0:
        odds = _LIFTED**net
        score = score * odds / (1 - score + score * odds)
    elif net < 0:
        score *= 0.5**-net
    return score * decay(memory, now, half_life)


def importance(memory: Memory, now: datetime, half_life: timedelta | None) -> int:
    """Its importance today: where memories fade, that of a preference falls by one in half a year without use."""
    if half_life is None or memory.category != "preference" or memory.ups > memory.downs:
        return memory.importance
    halves = max(now - reinforced_at(memory), timedelta()) // _HALF_A_YEAR
    return max(1, memory.importance - halves)
