"""What a ChatStore promises, as tests to inherit: every engine passes all of them, none is skipped.

    class TestMyChatStore(ChatStoreContract):
        @pytest.fixture
        async def store(self, clock: ManualClock) -> AsyncIterator[MyChatStore]:
            ...  # an open store that uses this clock; other tests' data may be in it, under other spaces

Each test works in spaces of its own, so that one engine can serve a whole run.
"""

import asyncio
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from souvenir.stores.chat_rules import is_ulid
from souvenir.stores.ports import (
    ChatPosition,
    Message,
    MessageChange,
    NewMessage,
    Page,
)
from souvenir.testing.chat_answers_contract import ChatAnswersContract
from souvenir.testing.chat_erase_contract import ChatEraseContract
from souvenir.testing.chats import HIGHEST, Store, all_chats, all_messages, new_id, new_space, said, start
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId

__all__ = ["ChatStoreContract"]


class ChatStoreContract(ChatAnswersContract, ChatEraseContract):
    """Inherit, and give a `store` fixture."""

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The clock the store must use."""
        return ManualClock(datetime(2026, 1, 15, 12, 0, 0, 123456, tzinfo=UTC))

    # adding

    async def test_a_message_comes_back_as_it_was_said(self, store: Store, clock: ManualClock) -> None:
        """Every field, with nothing added or lost."""
        space, chat_id = new_space(), new_id()
        calls = ({"id": "c1", "name": "f", "arguments": {"ü": [1, None, 1.5, {"x": True}]}, "result": "r", "ms": 3},)
        new = NewMessage(
            "assistant", "Grüße 🙂\n\t\u2028 \u202eabc", datetime(2020, 2, 29, 1, 2, 3, 4, tzinfo=UTC), "error", calls,
            ({"id": "p", "name": "g", "arguments": ""},), "it broke", ({"memory_id": "m", "text": "t"},),
        )  # fmt: skip
        (made,) = await store.append(space, chat_id, [new], create=True) or ()
        assert is_ulid(made.message_id)
        assert made == Message(
            made.message_id, chat_id, new.role, new.content, new.created_at or clock.now(), new.status, new.tool_calls,
            new.partial_tool_calls, new.error, new.memories,
        )  # fmt: skip
        assert await all_messages(store, space, chat_id) == [made]

    @pytest.mark.parametrize(
        "content",
        [
            "",
            " ",
            "x" * 1_000_000,
            "😀" * 1000,
            "👩‍👩‍👧‍👦" * 20,
            "e\u0301" * 100,
            "{}[]\"'\\%s$1;--",
            "\ufffd\ufeff\u200b",
            "\x01\x1f\x7f",
        ],
        ids=["empty", "space", "a megabyte", "emoji", "families", "combining", "syntax", "odd", "controls"],
    )
    async def test_any_text_is_kept(self, store: Store, content: str) -> None:
        """From nothing to a megabyte."""
        space = new_space()
        chat_id = await start(store, space, content)
        assert [message.content for message in await all_messages(store, space, chat_id)] == [content]

    async def test_a_message_without_a_time_is_said_now(self, store: Store, clock: ManualClock) -> None:
        """The injected clock, to the microsecond."""
        space = new_space()
        chat_id = await start(store, space, "hello")
        (message,) = await all_messages(store, space, chat_id)
        assert message.created_at == clock.now()

    async def test_ids_increase_within_one_millisecond_and_when_the_clock_goes_back(
        self, store: Store, clock: ManualClock
    ) -> None:
        """In the order in which the messages were added."""
        space, chat_id = new_space(), new_id()
        made: list[Message] = []
        for step in (0, 0, -5000, 0, 1, -1):
            clock.advance(milliseconds=step)
            made += await store.append(space, chat_id, [said("a"), said("b")], create=True) or ()
        ids = [message.message_id for message in made]
        assert ids == sorted(set(ids))
        assert await all_messages(store, space, chat_id) == made[::-1]

    async def test_adding_to_an_unknown_chat_adds_nothing_unless_it_shall_be_made(self, store: Store) -> None:
        """None, and still unknown."""
        space, chat_id = new_space(), new_id()
        assert await store.append(space, chat_id, [said("x")]) is None
        assert await store.get_chat(space, chat_id) is None
        assert (await store.list_chats(space, limit=10)).items == ()

    async def test_an_exchange_is_added_whole_and_in_order(self, store: Store) -> None:
        """Two messages, one write."""
        space, chat_id = new_space(), new_id()
        await store.append(space, chat_id, [said("question"), NewMessage("assistant", "answer")], create=True)
        messages = await all_messages(store, space, chat_id)
        assert [(message.role, message.content) for message in messages] == [
            ("assistant", "answer"),
            ("user", "question"),
        ]

    async def test_twenty_messages_can_be_added_at_once(self, store: Store) -> None:
        """All or none, in order."""
        space, chat_id = new_space(), new_id()
        await store.append(space, chat_id, [said(str(number)) for number in range(20)], create=True)
        messages = await all_messages(store, space, chat_id)
        assert [message.content for message in messages] == [str(number) for number in reversed(range(20))]

    async def test_parallel_adds_to_one_chat_lose_nothing_and_keep_order(self, store: Store) -> None:
        """Forty at once, exchanges unbroken."""
        space = new_space()
        chat_id = await start(store, space, "first")
        made = await asyncio.gather(
            *(store.append(space, chat_id, [said(f"q{n}"), NewMessage("assistant", f"a{n}")]) for n in range(40))
        )
        listed = (await all_messages(store, space, chat_id))[::-1]
        assert [message.message_id for message in listed] == sorted(message.message_id for message in listed)
        assert len({message.message_id for message in listed}) == 81
        contents = [message.content for message in listed]
        for number in range(40):
            place = contents.index(f"q{number}")
            assert contents[place + 1] == f"a{number}"
        returned = {message.message_id for batch in made for message in batch or ()}
        assert returned == {message.message_id for message in listed[1:]}
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.message_count, chat.last_message_id) == (81, listed[-1].message_id)
        assert chat.last_message == listed[-1].content

    async def test_parallel_first_messages_make_one_chat(self, store: Store) -> None:
        """Whoever comes second adds to it."""
        space, chat_id = new_space(), new_id()
        await asyncio.gather(*(store.append(space, chat_id, [said(str(n))], create=True) for n in range(10)))
        assert len(await all_messages(store, space, chat_id)) == 10
        (chat,) = await all_chats(store, space)
        assert (chat.chat_id, chat.message_count) == (chat_id, 10)

    # the chat's own fields

    async def test_the_title_is_the_first_user_message_and_stays(self, store: Store) -> None:
        """64 characters, whatever comes before or after."""
        space, chat_id = new_space(), new_id()
        await store.append(space, chat_id, [NewMessage("system", "Be brief.")], create=True)
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.title, chat.last_message) == ("", "Be brief.")
        await store.append(space, chat_id, [said("x" * 100)])
        await store.append(space, chat_id, [said("another")])
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.title, chat.last_message, chat.message_count) == ("x" * 64, "another", 3)

    async def test_a_title_does_not_end_in_a_broken_grapheme(self, store: Store) -> None:
        """At most 64 code points, whole characters only."""
        space = new_space()
        for content, title in [
            ("a" * 63 + "e\u0301" + "b", "a" * 63),
            ("👩‍👩‍👧‍👦" * 20, "👩‍👩‍👧‍👦" * 9),
            ("e\u0301" * 40, "e\u0301" * 32),
        ]:
            chat = await store.get_chat(space, await start(store, space, content))
            assert chat is not None
            assert chat.title == title
        marks = "e" + "\u0301" * 200
        chat = await store.get_chat(space, await start(store, space, marks))
        assert chat is not None
        assert chat.title == marks[:64]

    async def test_activity_moves_with_each_message_and_never_back(self, store: Store, clock: ManualClock) -> None:
        """Also when the clock does."""
        space = new_space()
        began = clock.now()
        chat_id = await start(store, space, "a")
        clock.advance(seconds=10)
        await store.append(space, chat_id, [said("b")])
        later = clock.now()
        clock.advance(seconds=-60)
        await store.append(space, chat_id, [said("c")])
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.created_at, chat.updated_at, chat.last_message) == (began, later, "c")

    async def test_a_long_last_message_is_shown_by_its_beginning(self, store: Store) -> None:
        """Lists stay light."""
        space = new_space()
        chat = await store.get_chat(space, await start(store, space, "y" * 5000))
        assert chat is not None
        assert chat.last_message == "y" * 1000

    async def test_renaming_changes_the_title_and_nothing_else(self, store: Store, clock: ManualClock) -> None:
        """And later messages keep it."""
        space = new_space()
        chat_id = await start(store, space, "first")
        before = await store.get_chat(space, chat_id)
        clock.advance(hours=1)
        after = await store.rename(space, chat_id, "My chat")
        assert before is not None
        assert after is not None
        assert after.title == "My chat"
        assert (after.updated_at, after.message_count, after.last_message) == (before.updated_at, 1, "first")
        await store.append(space, chat_id, [said("second")])
        kept = await store.get_chat(space, chat_id)
        assert kept is not None
        assert kept.title == "My chat"
        assert await store.rename(space, new_id(), "none") is None

    # changing a message

    async def test_a_streaming_message_completes(self, store: Store, clock: ManualClock) -> None:
        """Only what the change names changes; the chat follows in the same write."""
        space, chat_id = new_space(), new_id()
        partial = ({"id": "c", "name": "f", "arguments": "{"},)
        made = await store.append(
            space,
            chat_id,
            [said("q"), NewMessage("assistant", "", status="streaming", partial_tool_calls=partial)],
            create=True,
        )
        assert made is not None
        clock.advance(seconds=5)
        done = ({"id": "c", "name": "f", "arguments": {}, "result": 1},)
        change = MessageChange(
            content="answer", status="complete", tool_calls=done, partial_tool_calls=(), memories=({"m": 1},)
        )
        changed = await store.update_message(space, chat_id, made[1].message_id, change)
        assert changed is not None
        assert (changed.content, changed.status, changed.tool_calls, changed.partial_tool_calls, changed.memories) == (
            "answer", "complete", done, (), ({"m": 1},),
        )  # fmt: skip
        assert (changed.created_at, changed.role, changed.error) == (made[1].created_at, "assistant", None)
        assert await all_messages(store, space, chat_id) == [changed, made[0]]
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.last_message, chat.updated_at, chat.message_count) == ("answer", clock.now(), 2)

    async def test_changing_an_older_message_leaves_the_chats_last_message(self, store: Store) -> None:
        """The newest is shown."""
        space, chat_id = new_space(), new_id()
        made = await store.append(space, chat_id, [said("one"), said("two")], create=True)
        assert made is not None
        assert await store.update_message(
            space, chat_id, made[0].message_id, MessageChange(error="oops", status="error")
        )
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert chat.last_message == "two"
        assert [message.error for message in await all_messages(store, space, chat_id)] == [None, "oops"]

    async def test_a_message_can_grow_to_a_megabyte_and_shrink_again(self, store: Store) -> None:
        """Nothing of the longer text remains."""
        space = new_space()
        chat_id = await start(store, space, "short")
        (message,) = await all_messages(store, space, chat_id)
        for content in ("é" * 700_000, "short again"):
            await store.update_message(space, chat_id, message.message_id, MessageChange(content=content))
            assert [found.content for found in await all_messages(store, space, chat_id)] == [content]

    async def test_changing_what_is_not_there_changes_nothing(self, store: Store) -> None:
        """Neither an unknown message nor an unknown chat comes into being."""
        space = new_space()
        chat_id = await start(store, space, "a")
        assert await store.update_message(space, chat_id, HIGHEST, MessageChange(content="x")) is None
        assert await store.update_message(space, new_id(), HIGHEST, MessageChange(content="x")) is None
        assert [message.content for message in await all_messages(store, space, chat_id)] == ["a"]

    # reading

    async def test_reading_what_is_not_there_creates_nothing(self, store: Store) -> None:
        """CHAT-9."""
        space, chat_id = new_space(), new_id()
        assert await store.get_chat(space, chat_id) is None
        assert await store.list_messages(space, chat_id, limit=10) is None
        assert not await store.delete(space, chat_id)
        assert not await store.fold(space, chat_id, "s", HIGHEST)
        assert await store.list_chats(space, limit=10) == Page((), more=False)

    @pytest.mark.parametrize("page", [1, 2, 3, 7, 50])
    async def test_walking_pages_visits_every_message_once(self, store: Store, page: int) -> None:
        """Newest first, no empty last page."""
        space = new_space()
        chat_id = await start(store, space, *(str(number) for number in range(6)))
        assert [message.content for message in await all_messages(store, space, chat_id, page)] == list("543210")

    async def test_messages_that_arrive_during_a_walk_neither_repeat_nor_hide_any(self, store: Store) -> None:
        """The walk goes down from where it began."""
        space = new_space()
        chat_id = await start(store, space, *(str(number) for number in range(9)))
        seen: list[str] = []
        before: str | None = None
        while True:
            page = await store.list_messages(space, chat_id, limit=2, before=before)
            assert page is not None
            seen += [message.content for message in page.items]
            await store.append(space, chat_id, [said("later"), said("later")])
            if not page.more:
                break
            before = page.items[-1].message_id
        assert seen == list("876543210")

    async def test_a_walk_may_begin_anywhere(self, store: Store) -> None:
        """Before everything, behind everything, and at an id that is not there."""
        space = new_space()
        chat_id = await start(store, space, "a", "b")
        assert await store.list_messages(space, chat_id, limit=5, before="0" * 26) == Page((), more=False)
        page = await store.list_messages(space, chat_id, limit=5, before=HIGHEST)
        assert page is not None
        assert [message.content for message in page.items] == ["b", "a"]

    async def test_chats_are_listed_by_activity_with_ids_to_break_ties(self, store: Store, clock: ManualClock) -> None:
        """Both descending."""
        space = new_space()
        tied = sorted([await start(store, space, "tied") for _ in range(5)], reverse=True)
        clock.advance(microseconds=1)
        newer = await start(store, space, "newer")
        clock.advance(seconds=1)
        await store.append(space, tied[2], [said("active again")])
        expected = [tied[2], newer, tied[0], tied[1], tied[3], tied[4]]
        for page in (1, 2, 5, 6, 50):
            assert [chat.chat_id for chat in await all_chats(store, space, page)] == expected

    async def test_a_walk_over_chats_survives_the_deletion_of_the_one_it_stands_on(
        self, store: Store, clock: ManualClock
    ) -> None:
        """A position need not be occupied."""
        space = new_space()
        ids = []
        for number in range(5):
            clock.advance(seconds=1)
            ids.append(await start(store, space, str(number)))
        first = await store.list_chats(space, limit=2)
        assert await store.delete(space, first.items[1].chat_id)
        position = ChatPosition(first.items[1].updated_at, first.items[1].chat_id)
        rest = await store.list_chats(space, limit=10, after=position)
        assert [chat.chat_id for chat in rest.items] == ids[2::-1]

    async def test_a_listed_chat_is_the_chat(self, store: Store) -> None:
        """The list and the single read agree."""
        space = new_space()
        chat_id = await start(store, space, "x", "y")
        assert await all_chats(store, space) == [await store.get_chat(space, chat_id)]

    # deleting

    async def test_deleting_removes_the_chat_and_its_messages(self, store: Store) -> None:
        """And leaves the others."""
        space = new_space()
        gone, kept = await start(store, space, *"abc"), await start(store, space, "kept")
        assert await store.delete(space, gone)
        assert await store.get_chat(space, gone) is None
        assert await store.list_messages(space, gone, limit=5) is None
        assert await store.append(space, gone, [said("x")]) is None
        assert [chat.chat_id for chat in await all_chats(store, space)] == [kept]
        assert not await store.delete(space, gone)

    async def test_a_chat_made_anew_under_an_old_id_starts_empty(self, store: Store) -> None:
        """Nothing of the old one shines through."""
        space = new_space()
        chat_id = await start(store, space, *(str(number) for number in range(60)))
        await store.fold(space, chat_id, "old summary", HIGHEST)
        assert await store.delete(space, chat_id)
        await store.append(space, chat_id, [said("anew")], create=True)
        assert [message.content for message in await all_messages(store, space, chat_id)] == ["anew"]
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.title, chat.message_count, chat.summary, chat.summarized_until) == ("anew", 1, "", None)

    # the running summary

    async def test_a_summary_only_ever_reaches_further(self, store: Store, clock: ManualClock) -> None:
        """A late, shorter one does not replace it; messages and activity stay."""
        space, chat_id = new_space(), new_id()
        made = await store.append(space, chat_id, [said(text) for text in "abc"], create=True)
        assert made is not None
        clock.advance(hours=1)
        assert await store.fold(space, chat_id, "about a and b", made[1].message_id)
        assert not await store.fold(space, chat_id, "about a", made[0].message_id)
        assert not await store.fold(space, chat_id, "again", made[1].message_id)
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert (chat.summary, chat.summarized_until) == ("about a and b", made[1].message_id)
        assert chat.updated_at == clock.now() - timedelta(hours=1)
        assert len(await all_messages(store, space, chat_id)) == 3
        await store.append(space, chat_id, [said("d")])
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert chat.summary == "about a and b"

    # isolation

    @pytest.mark.req("ID-8")
    async def test_a_second_space_with_the_same_data_sees_and_changes_nothing(self, store: Store) -> None:
        """Every method, with the same chat id in both."""
        mine, theirs, chat_id = new_space(), new_space(), new_id()
        made = await store.append(mine, chat_id, [said("secret")], create=True)
        assert made is not None
        first = made[0].message_id
        assert await store.get_chat(theirs, chat_id) is None
        assert await store.list_messages(theirs, chat_id, limit=5) is None
        assert await store.append(theirs, chat_id, [said("x")]) is None
        assert await store.update_message(theirs, chat_id, first, MessageChange(content="x")) is None
        assert await store.rename(theirs, chat_id, "x") is None
        assert not await store.fold(theirs, chat_id, "x", HIGHEST)
        assert not await store.delete(theirs, chat_id)
        assert (await store.list_chats(theirs, limit=5)).items == ()
        await store.append(theirs, chat_id, [said("their own")], create=True)
        assert await store.rename(theirs, chat_id, "theirs") is not None
        assert await store.update_message(theirs, chat_id, first, MessageChange(content="x")) is None
        assert await store.delete(theirs, chat_id)
        chat = await store.get_chat(mine, chat_id)
        assert chat is not None
        assert (chat.title, chat.message_count) == ("secret", 1)
        assert [message.content for message in await all_messages(store, mine, chat_id)] == ["secret"]

    @pytest.mark.req("ID-8")
    @pytest.mark.parametrize(
        "name",
        [
            "user:a",
            "user:a/b",
            "user:a#b",
            "user:a:b",
            "user:a}b",
            "user:{a}",
            "user:ü",
            "user:*",
            "user:a b",
            "user:%",
        ],
    )
    async def test_spaces_with_awkward_names_do_not_meet(self, store: Store, name: str) -> None:
        """Whatever an engine uses to build its keys from them."""
        unique = uuid.uuid4().hex
        space, chat_id = SpaceId(f"{name}{unique}"), new_id()
        neighbours = [SpaceId(f"{name}{unique}{more}") for more in ("/", "#", ":", "}", "x", "*")]
        await store.append(space, chat_id, [said("mine")], create=True)
        for neighbour in neighbours:
            assert await store.get_chat(neighbour, chat_id) is None
            assert (await store.list_chats(neighbour, limit=5)).items == ()
        assert [chat.chat_id for chat in await all_chats(store, space)] == [chat_id]
        assert await store.delete(space, chat_id)

    # copying

    async def test_a_chat_put_with_its_messages_comes_back_identical(self, store: Store, clock: ManualClock) -> None:
        """From one space to another here; from one engine to another in life. Putting again changes nothing."""
        source, target = new_space(), new_space()
        chat_id = await start(store, source, *(str(number) for number in range(30)), "z" * 500_000)
        clock.advance(days=1)
        await store.rename(source, chat_id, "renamed")
        messages = (await all_messages(store, source, chat_id))[::-1]
        await store.fold(source, chat_id, "summary", messages[3].message_id)
        chat = await store.get_chat(source, chat_id)
        assert chat is not None
        for _ in range(2):
            for begin in range(0, len(messages), 10):
                await store.put(target, chat, messages[begin : begin + 10])
        assert await store.get_chat(target, chat_id) == chat
        assert (await all_messages(store, target, chat_id))[::-1] == messages
        assert await all_chats(store, target) == [chat]
        more = await store.append(target, chat_id, [said("goes on")])
        assert more is not None
        assert more[0].message_id > messages[-1].message_id

    async def test_spaces_with_chats_can_be_walked(self, store: Store) -> None:
        """Each once, in order; one whose chats are all gone is not there."""
        mine = sorted([new_space() for _ in range(5)])
        for space in mine:
            await start(store, space, "x")
            await start(store, space, "y")
        empty = new_space()
        await store.delete(empty, await start(store, empty, "gone"))
        found: list[SpaceId] = []
        after: SpaceId | None = None
        while page := await store.spaces(limit=2, after=after):
            found += page
            after = page[-1]
        assert found == sorted(set(found))
        assert [space for space in found if space in mine] == mine
        assert empty not in found
