"""Cursors: what they open, and that nothing else does."""

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.chat.cursors import CursorSigner
from souvenir.errors import BadInput
from souvenir.stores.chat_rules import next_id
from souvenir.stores.ports import ChatPosition
from souvenir.types import SpaceId

SIGNER = CursorSigner(b"k" * 32)
ALICE, BOB = SpaceId("user:alice"), SpaceId("user:bob")
TIMES = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(TIMES, st.uuids(), st.text(max_size=30))
def test_a_cursor_reads_back_as_the_position_it_was_made_for(time: datetime, chat: object, name: str) -> None:
    space = SpaceId(f"user:{name}")
    position = ChatPosition(time, str(chat))
    assert SIGNER.read_chats(space, SIGNER.chats(space, position)) == position
    message = next_id(time, None)
    assert SIGNER.read_messages(space, str(chat), SIGNER.messages(space, str(chat), message)) == message


@pytest.mark.parametrize("cursor", ["", "x", "é", "a" * 2000, "AAAA", "=", "....", "null", "0" * 26])
def test_a_malformed_cursor_is_bad_input(cursor: str) -> None:
    with pytest.raises(BadInput, match="cursor"):
        SIGNER.read_chats(ALICE, cursor)
    with pytest.raises(BadInput, match="cursor"):
        SIGNER.read_messages(ALICE, "c", cursor)


@given(st.binary(max_size=80))
def test_random_bytes_are_no_cursor(data: bytes) -> None:
    with pytest.raises(BadInput):
        SIGNER.read_chats(ALICE, base64.urlsafe_b64encode(data).decode())


@given(st.data())
def test_a_cursor_with_one_character_changed_cut_or_added_is_no_cursor(data: st.DataObject) -> None:
    cursor = SIGNER.messages(ALICE, "c", next_id(datetime.now(UTC), None))
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from("ABCxyz012-_").filter(lambda letter: letter != cursor[place]))
    for forged in (cursor[:place] + other + cursor[place + 1 :], cursor[:place], cursor + other):
        if _bytes(forged) == _bytes(cursor):
            continue  # the last character's spare bits carry nothing
        with pytest.raises(BadInput):
            SIGNER.read_messages(ALICE, "c", forged)


def _bytes(cursor: str) -> bytes | None:
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        return None


def test_a_cursor_opens_no_other_list() -> None:
    chats = SIGNER.chats(ALICE, ChatPosition(datetime.now(UTC), "c"))
    messages = SIGNER.messages(ALICE, "c", next_id(datetime.now(UTC), None))
    for refused in (
        lambda: SIGNER.read_chats(BOB, chats),
        lambda: SIGNER.read_chats(ALICE, messages),
        lambda: SIGNER.read_messages(ALICE, "c", chats),
        lambda: SIGNER.read_messages(ALICE, "d", messages),
        lambda: SIGNER.read_messages(BOB, "c", messages),
        lambda: CursorSigner(b"other" * 7).read_chats(ALICE, chats),
    ):
        with pytest.raises(BadInput):
            refused()
