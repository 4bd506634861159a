"""The part of ChatStoreContract on answers whose writer may have died; inherit the whole."""

from datetime import timedelta

import pytest

from souvenir.stores.chat_rules import STOPPED
from souvenir.stores.ports import Message, MessageChange, NewMessage
from souvenir.testing.chats import Store, all_messages, new_id, new_space, said
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId

_LEASE = timedelta(seconds=30)


class ChatAnswersContract:
    """What a reader is told of an answer that nobody has completed."""

    @pytest.mark.req("TURN-3")
    async def test_an_answer_is_in_progress_as_long_as_its_writer_says_so(
        self, store: Store, clock: ManualClock
    ) -> None:
        """Each time it is put off counts from then on."""
        space, chat_id, answer = await _begun(store, clock)
        for _ in range(3):
            clock.advance(seconds=30)
            assert (await all_messages(store, space, chat_id))[0].status == "streaming"
            change = MessageChange(content="so far", alive_until=clock.now() + _LEASE)
            assert await store.update_message(space, chat_id, answer.message_id, change)
        (read, *_) = await all_messages(store, space, chat_id)
        assert (read.status, read.content, read.alive_until) == ("streaming", "so far", clock.now() + _LEASE)

    @pytest.mark.req("TURN-3")
    async def test_an_answer_whose_writer_fell_silent_reads_as_an_error_with_what_there_is_of_it(
        self, store: Store, clock: ManualClock
    ) -> None:
        """Its tools run no more; what they gave stays. The question is as it was."""
        space, chat_id, answer = await _begun(store, clock)
        done = ({"id": "a", "name": "f", "arguments": "{}", "result": "r"},)
        running = ({"id": "b", "name": "g", "arguments": "{}"},)
        change = MessageChange(content="It is in the", tool_calls=done, partial_tool_calls=running)
        await store.update_message(space, chat_id, answer.message_id, change)
        clock.advance(seconds=31)
        read, question = await all_messages(store, space, chat_id, page=1)
        assert (read.status, read.error, read.content) == ("error", STOPPED, "It is in the")
        assert (read.tool_calls, read.partial_tool_calls) == (done, ())
        assert (question.status, question.error) == ("complete", None)

    @pytest.mark.req("TURN-3")
    async def test_a_writer_who_was_only_late_has_the_last_word(self, store: Store, clock: ManualClock) -> None:
        """It is in progress again when it is put off, and complete when it is completed, for ever."""
        space, chat_id, answer = await _begun(store, clock)
        clock.advance(minutes=5)
        assert (await all_messages(store, space, chat_id))[0].status == "error"
        late = MessageChange(alive_until=clock.now() + _LEASE)
        await store.update_message(space, chat_id, answer.message_id, late)
        read, _ = await all_messages(store, space, chat_id)
        assert (read.status, read.error) == ("streaming", None)
        clock.advance(minutes=5)
        ended = MessageChange(content="Here.", status="complete", partial_tool_calls=())
        changed = await store.update_message(space, chat_id, answer.message_id, ended)
        clock.advance(days=9)
        read, _ = await all_messages(store, space, chat_id)
        assert read == changed
        assert (read.status, read.error, read.content, read.alive_until) == ("complete", None, "Here.", None)

    @pytest.mark.req("TURN-3")
    async def test_an_answer_of_which_nobody_told_how_long_it_lives_is_given_a_day(
        self, store: Store, clock: ManualClock
    ) -> None:
        """As earlier versions wrote them."""
        space, chat_id = new_space(), new_id()
        await store.append(space, chat_id, [NewMessage("assistant", "", status="streaming")], create=True)
        clock.advance(hours=24)
        assert (await all_messages(store, space, chat_id))[0].status == "streaming"
        clock.advance(seconds=1)
        assert (await all_messages(store, space, chat_id))[0].status == "error"

    async def test_how_long_an_answer_lives_is_copied_with_it(self, store: Store, clock: ManualClock) -> None:
        """To another space here."""
        space, chat_id, answer = await _begun(store, clock)
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        target = new_space()
        await store.put(target, chat, [answer])
        assert await all_messages(store, target, chat_id) == [answer]


async def _begun(store: Store, clock: ManualClock) -> tuple[SpaceId, str, Message]:
    space, chat_id = new_space(), new_id()
    answer = NewMessage("assistant", "", status="streaming", alive_until=clock.now() + _LEASE)
    made = await store.append(space, chat_id, [said("Where is it?"), answer], create=True)
    assert made is not None
    return space, chat_id, made[1]
