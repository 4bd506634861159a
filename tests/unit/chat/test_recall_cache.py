"""What was last recalled in a chat serves again for five minutes, unless memories changed."""

from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from souvenir.chat.recall_cache import LIFETIME, MOST_IDS, RecallCache
from souvenir.metrics import Metrics
from souvenir.types import SpaceId, org_space, user_space

pytestmark = pytest.mark.req("TURN-9")

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
ANNA, BEN = user_space("anna"), user_space("ben")
CHAT = (ANNA, "chat")
READABLE = (ANNA,)


def places(*ids: int, space: SpaceId = ANNA) -> tuple[tuple[SpaceId, int], ...]:
    return tuple((space, one) for one in ids)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def cache(metrics: Metrics) -> RecallCache:
    return RecallCache(metrics)


def test_what_was_put_is_there_for_five_minutes(cache: RecallCache) -> None:
    assert cache.get(CHAT, 1, NOON, READABLE) is None
    cache.put(CHAT, 1, NOON, places(3, 1, 2))
    assert cache.get(CHAT, 1, NOON + LIFETIME - timedelta(seconds=1), READABLE) == places(3, 1, 2)
    assert cache.get(CHAT, 1, NOON + LIFETIME, READABLE) is None
    assert cache.get(CHAT, 1, NOON, READABLE) is None


def test_use_does_not_make_it_last_longer(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1))
    cache.hit(CHAT, NOON + timedelta(minutes=4), places(1))
    assert cache.get(CHAT, 1, NOON + LIFETIME, READABLE) is None


def test_any_change_of_memories_makes_it_void(cache: RecallCache) -> None:
    cache.put(CHAT, ("memories", 7), NOON, places(1))
    assert cache.get(CHAT, ("memories", 8), NOON, READABLE) is None
    assert cache.get(CHAT, ("memories", 7), NOON, READABLE) is None


def test_what_a_search_adds_stands_before_what_was_there(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1, 2))
    cache.put(CHAT, 1, NOON + timedelta(minutes=4), places(3, 2))
    assert cache.get(CHAT, 1, NOON + timedelta(minutes=8), READABLE) == places(3, 2, 1)


def test_what_was_found_under_another_version_is_not_kept_with_the_new(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1))
    cache.put(CHAT, 2, NOON, places(2))
    assert cache.get(CHAT, 2, NOON, READABLE) == places(2)


def test_of_more_than_fifty_the_least_recently_used_go(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(*range(MOST_IDS)))
    cache.hit(CHAT, NOON, places(49))
    cache.put(CHAT, 1, NOON, places(100))
    kept = cache.get(CHAT, 1, NOON, READABLE)
    assert kept is not None
    assert len(kept) == MOST_IDS
    assert kept[:2] == places(100, 49)
    assert places(48)[0] not in kept


def test_two_users_and_two_chats_have_nothing_in_common(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1))
    assert cache.get((BEN, "chat"), 1, NOON, (BEN,)) is None
    assert cache.get((ANNA, "other"), 1, NOON, READABLE) is None


def test_what_the_caller_may_no_longer_read_is_not_given(cache: RecallCache) -> None:
    acme = org_space("acme")
    cache.put(CHAT, 1, NOON, (*places(1), *places(2, space=acme)))
    assert cache.get(CHAT, 1, NOON, (ANNA, acme)) == (*places(1), *places(2, space=acme))
    assert cache.get(CHAT, 1, NOON, READABLE) == places(1)
    assert cache.get(CHAT, 1, NOON, ()) is None


def test_clearing_a_space_leaves_the_others(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1))
    cache.put((ANNA, "other"), 1, NOON, places(1))
    cache.put((BEN, "chat"), 1, NOON, places(1, space=BEN))
    cache.clear(ANNA)
    assert cache.get(CHAT, 1, NOON, READABLE) is None
    assert cache.get((ANNA, "other"), 1, NOON, READABLE) is None
    assert cache.get((BEN, "chat"), 1, NOON, (BEN,)) == places(1, space=BEN)


def test_of_too_many_chats_the_least_recently_used_go(metrics: Metrics) -> None:
    cache = RecallCache(metrics, chats=2)
    for chat in ("a", "b"):
        cache.put((ANNA, chat), 1, NOON, places(1))
    cache.hit((ANNA, "a"), NOON, places(1))
    cache.put((ANNA, "c"), 1, NOON, places(1))
    assert cache.get((ANNA, "b"), 1, NOON, READABLE) is None
    assert cache.get((ANNA, "a"), 1, NOON, READABLE) == places(1)


def test_nothing_found_is_nothing_kept(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, ())
    assert cache.get(CHAT, 1, NOON, READABLE) is None


def test_hits_and_misses_are_logged_and_counted(cache: RecallCache, metrics: Metrics) -> None:
    with capture_logs() as logs:
        cache.miss()
        cache.put(CHAT, 1, NOON, places(1, 2, 3))
        cache.hit(CHAT, NOON + timedelta(seconds=9.7), places(1, 2))
    assert [entry["event"] for entry in logs] == ["[Memory] Cache MISS", "[Memory] Cache HIT: 2 memories, age=9s"]
    for result in ("hit", "miss"):
        assert metrics.registry.get_sample_value("souvenir_recall_cache_total", {"result": result}) == 1


def test_a_clock_that_went_back_is_a_miss(cache: RecallCache) -> None:
    cache.put(CHAT, 1, NOON, places(1))
    assert cache.get(CHAT, 1, NOON - timedelta(seconds=1), READABLE) is None
