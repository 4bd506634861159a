"""Ids in order, titles and previews."""

from datetime import UTC, datetime, timedelta

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from souvenir.stores.chat_rules import beginning, is_ulid, next_id, time_of, time_text

NOW = datetime(2026, 1, 15, 12, 0, 0, 500, tzinfo=UTC)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)


@pytest.mark.req("CHAT-1")
@given(st.lists(st.integers(-5000, 5000), max_size=50))
def test_ids_increase_whatever_the_clock_does(steps: list[int]) -> None:
    now, last = NOW, None
    for step in steps:
        now += timedelta(milliseconds=step)
        made = next_id(now, last)
        assert is_ulid(made)
        assert last is None or made > last
        last = made


def test_an_id_carries_its_time() -> None:
    assert next_id(NOW, None)[:10] == next_id(NOW, None)[:10]
    assert next_id(NOW, None) < next_id(NOW + timedelta(milliseconds=1), None)


@pytest.mark.parametrize("text", ["", "x", "0" * 25, "8" + "Z" * 25, "0" * 25 + "U", "o" * 26, "0" * 27, "é" * 26])
def test_what_is_not_a_ulid_is_told_apart(text: str) -> None:
    assert not is_ulid(text)


@pytest.mark.req("CHAT-2")
@given(TEXTS, st.integers(1, 64))
def test_a_beginning_is_short_and_ends_with_a_whole_character(text: str, most: int) -> None:
    cut = beginning(text, most)
    assert text.startswith(cut)
    assert len(cut) <= most
    if len(text) <= most:
        assert cut == text
        return
    graphemes = regex.findall(r"\X", text)
    if len(graphemes[0]) <= most:
        assert cut == "".join(graphemes[: len(regex.findall(r"\X", cut))])
    else:
        assert cut == text[:most]


@given(st.datetimes(max_value=datetime(9999, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_times_read_back_and_sort_as_their_texts(time: datetime) -> None:
    assert time_of(time_text(time)) == time
    assert time_text(time) < time_text(time + timedelta(microseconds=1))
