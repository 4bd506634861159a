"""Which memories may be used, by the settings of today."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from souvenir.config import load_settings
from souvenir.memory.reading import Reading
from souvenir.stores.memory_ports import Memory
from souvenir.testing.passages import AT

MEMORY = Memory(
    "id", "id", 1, "User likes tea", "preference", 8, 0.9, "said so", "preference", "local", AT, AT, AT
)  # fmt: skip
LATER = AT + timedelta(days=1)


def usable(settings: dict[str, Any] | None = None, *, past: bool = False, **fields: Any) -> bool:
    return Reading(load_settings({}, **(settings or {}))).usable(replace(MEMORY, **fields), LATER, past=past)


@pytest.mark.req("MEM-3", "LIFE-2")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"confidence": 0.7}, True),
        ({"confidence": 0.69}, False),
        ({"confidence": 0.0}, False),
        ({"importance": 6}, False),
        ({"importance": 1, "verified": True}, True),
        ({"importance": 1, "verified": True, "confidence": 0.5}, False),
        ({"deleted_at": AT}, False),
        ({"superseded_at": AT, "superseded_by": "other"}, False),
        ({"expires_at": LATER}, False),
        ({"expires_at": LATER + timedelta(seconds=1)}, True),
    ],
    ids=str,
)
def test_what_is_not_active_or_too_doubtful_is_not_used(fields: dict[str, Any], expected: bool) -> None:
    assert usable(**fields) is expected


@pytest.mark.req("MEM-3")
def test_a_category_has_a_threshold_of_its_own_and_a_setting_counts_for_what_is_stored_already() -> None:
    assert not usable({"memory_min_confidence": 0.95})
    assert not usable({"memory_confidence_preference": 0.95})
    assert usable({"memory_confidence_identity": 0.95})
    assert usable({"memory_confidence_preference": 0.3}, confidence=0.4)
    assert not usable({"memory_min_importance": 9})


@pytest.mark.req("LIFE-2")
def test_of_the_past_what_was_replaced_since_may_be_used_but_nothing_doubtful() -> None:
    assert usable(past=True, superseded_at=AT, superseded_by="other")
    assert not usable(past=True, superseded_at=AT, superseded_by="other", confidence=0.5)


@pytest.mark.req("LIFE-4")
def test_where_memories_fade_an_old_preference_is_no_longer_used_until_it_is_confirmed() -> None:
    old = AT - timedelta(days=400)
    assert usable(said_at=old)
    assert not usable({"memory_decay_days": 90}, said_at=old)
    assert usable({"memory_decay_days": 90}, said_at=old, ups=1)
    assert usable({"memory_decay_days": 90}, said_at=old, verified=True)
    assert usable({"memory_decay_days": 90}, said_at=old, uses=1, used_at=AT)


def test_many_are_looked_through_in_their_order() -> None:
    reading = Reading(load_settings({}))
    memories = [
        replace(MEMORY, memory_id=name, confidence=value) for name, value in (("a", 0.9), ("b", 0.1), ("c", 1.0))
    ]
    assert [memory.memory_id for memory in reading.of(memories, LATER)] == ["a", "c"]
