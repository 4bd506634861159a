"""What was last recalled in each chat, for a few minutes: a follow-up then needs no search."""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from souvenir.metrics import Metrics
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

LIFETIME = timedelta(minutes=5)
MOST_IDS = 50
MOST_CHATS = 10_000

Key = tuple[SpaceId, str]
"""A user's space and a chat of theirs."""
Place = tuple[SpaceId, int]
"""Where a passage is: its space and its id."""


@dataclass(slots=True)
class _Recalled:
    version: Hashable
    at: datetime
    places: list[Place]  # the latest used first


class RecallCache:
    """Ids by chat; what they lead to is read, and judged, anew each time.

    `version` is whatever changes with the user's memories: what was put under another one is forgotten, so that a
    change in any process counts in all. Chats, and ids within one, that were not used for longest go first.
    """

    def __init__(self, metrics: Metrics, chats: int = MOST_CHATS) -> None:
        self._metrics = metrics
        self._most = chats
        self._chats: OrderedDict[Key, _Recalled] = OrderedDict()

    def get(
        self, key: Key, version: Hashable, now: datetime, readable: Collection[SpaceId]
    ) -> tuple[Place, ...] | None:
        """What was recalled less than five minutes ago, the latest first, of spaces the caller may read; else None."""
        found = self._current(key, version, now)
        places = tuple(place for place in found.places if place[0] in readable) if found is not None else ()
        return places or None

    def put(self, key: Key, version: Hashable, now: datetime, places: Sequence[Place]) -> None:
        """Keep what a search has found, with what is still kept of the chat."""
        found = self._current(key, version, now) or _Recalled(version, now, [])
        found.at = now
        found.places = _first(places, found.places)
        self._chats[key] = found
        self._chats.move_to_end(key)
        if len(self._chats) > self._most:
            self._chats.popitem(last=False)

    def hit(self, key: Key, now: datetime, used: Sequence[Place]) -> None:
        """What was got has served; that counts as use, and not as another search."""
        found = self._chats.get(key)
        if found is None:
            return
        found.places = _first(used, found.places)
        self._chats.move_to_end(key)
        age = max(0, int((now - found.at).total_seconds()))
        self._metrics.recall_cache.labels("hit").inc()
        log.info(f"[Memory] Cache HIT: {len(used)} memories, age={age}s")

    def miss(self) -> None:
        """Nothing was got, or nothing of it served."""
        self._metrics.recall_cache.labels("miss").inc()
        log.info("[Memory] Cache MISS")

    def clear(self, space: SpaceId) -> None:
        """Forget all chats of a space."""
        for key in [key for key in self._chats if key[0] == space]:
            del self._chats[key]

    def _current(self, key: Key, version: Hashable, now: datetime) -> _Recalled | None:
        found = self._chats.get(key)
        if found is not None and found.version == version and timedelta(0) <= now - found.at < LIFETIME:
            return found
        self._chats.pop(key, None)
        return None


def _first(new: Sequence[Place], old: Sequence[Place]) -> list[Place]:
    return list(dict.fromkeys([*new, *old]))[:MOST_IDS]
