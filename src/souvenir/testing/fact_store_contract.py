"""What a FactStore promises, as tests to inherit: every engine passes all of them, none is skipped.

class TestMyFactStore(FactStoreContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[MyFactStore]:
        ...  # an open, empty store

    @pytest.fixture
    async def other(self) -> AsyncIterator[MyFactStore]:
        ...  # the same data as another process has it open
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from souvenir.errors import BadInput
from souvenir.stores.fact_ports import Fact, FactKind, FactStore, FactTopic
from souvenir.testing.passages import AT, new_space
from souvenir.types import SpaceId

__all__ = ["FactStoreContract", "fact", "later", "restate", "values"]

COLORS = "favorite_colors"
CITIES = "favorite_cities"


def later(seconds: float) -> datetime:
    """A time so long after the first."""
    return AT + timedelta(seconds=seconds)


def fact(value: str, rank: int | None = 1, at: float = 0, **fields: object) -> Fact:
    """A fact of the chat `a`."""
    kind: FactKind = "single" if rank is None else "ranked"
    usual = Fact(COLORS, kind, rank, value, "a", f"m{at:05}", later(at))
    return replace(usual, **fields)  # type: ignore[arg-type]


def values(facts: Sequence[Fact]) -> list[str]:
    """The values alone."""
    return [one.value for one in facts]


async def restate(
    store: FactStore, space: SpaceId, said: Sequence[str], at: float = 0, chat: str | None = "a", key: str = COLORS
) -> Sequence[Fact] | None:
    """A whole list in place of the one before."""
    new = [fact(value, rank, at, topic_key=key, chat_id=chat) for rank, value in enumerate(said, start=1)]
    return await store.revise(space, chat, key, "ranked", lambda _: new, at=later(at), message_id=f"m{at:05}")


class FactStoreContract:
    """Inherit, and give the fixtures `store` and `other`."""

    # one fact

    async def test_a_fact_comes_back_as_it_was_written(self, store: FactStore) -> None:
        """Every field, with nothing added or lost."""
        space = new_space()
        ranked, single = fact("Grün 🙂", 2), fact("Teal", None, source_message_id=None)
        assert await store.put(space, ranked)
        assert await store.put(space, single)
        assert await store.of_chat(space, [COLORS], "a") == [single, ranked]

    @pytest.mark.parametrize("value", ["{}[]\"'\\%s$1;--\t", "👩‍👩‍👧‍👦" * 20, "العربية؟", "\ufeff\u200b", "x" * 1000])
    async def test_any_text_is_kept(self, store: FactStore, value: str) -> None:
        """In values, topics and chats."""
        space = new_space()
        kept = fact(value, topic_key=value[:50], chat_id=value[:50])
        assert await store.put(space, kept)
        assert await store.find(space, [value[:50]], value[:50]) == [kept]

    @pytest.mark.parametrize("value", ["a\x00b", "\ud800"], ids=["NUL", "half a pair"])
    async def test_what_no_text_can_be_is_refused(self, store: FactStore, value: str) -> None:
        """And found nowhere."""
        space = new_space()
        with pytest.raises(BadInput):
            await store.put(space, fact(value))
        with pytest.raises(BadInput):
            await restate(store, space, ["Blue", value])
        assert await store.topics(space, limit=5) == []

    async def test_a_newer_fact_takes_the_place_of_an_older_one_and_never_the_other_way(self, store: FactStore) -> None:
        """Newer is later; at the same time, of a greater message id."""
        space = new_space()
        assert await store.put(space, fact("Blue", at=2))
        assert not await store.put(space, fact("Red", at=1))
        assert not await store.put(space, fact("Red", at=2))
        assert values(await store.find(space, [COLORS], "a")) == ["Blue"]
        assert await store.put(space, fact("Green", at=2, source_message_id="m9"))
        assert await store.put(space, fact("Black", at=3))
        assert values(await store.find(space, [COLORS], "a")) == ["Black"]

    async def test_ranks_may_come_in_any_order(self, store: FactStore) -> None:
        """An older message may still give a rank that nothing newer gave."""
        space = new_space()
        for rank, at in ((3, 5), (1, 3), (2, 9)):
            assert await store.put(space, fact(f"{rank}", rank, at))
        assert values(await store.find(space, [COLORS], "a")) == ["1", "2", "3"]

    async def test_kinds_of_one_topic_do_not_touch_each_other(self, store: FactStore) -> None:
        """A single fact and a list, whichever is newer."""
        space = new_space()
        await restate(store, space, ["Blue", "Green"], at=5)
        assert await store.put(space, fact("Teal", None, at=1))
        assert values(await store.find(space, [COLORS], "a")) == ["Teal", "Blue", "Green"]

    # all facts of a topic

    async def test_a_restated_list_replaces_the_list(self, store: FactStore) -> None:
        """The longer one leaves nothing behind."""
        space = new_space()
        assert values(await restate(store, space, ["Blue", "Green", "Black"], at=1) or ()) == ["Blue", "Green", "Black"]
        assert values(await restate(store, space, ["Red"], at=2) or ()) == ["Red"]
        assert values(await store.find(space, [COLORS], "a")) == ["Red"]

    async def test_an_older_restatement_and_the_same_one_again_change_nothing(self, store: FactStore) -> None:
        """Nor is it asked what it wants to change."""
        space = new_space()
        await restate(store, space, ["Red"], at=2)
        for at in (1, 2):
            assert await restate(store, space, ["Blue", "Green"], at=at) is None
        assert not await store.put(space, fact("Green", 2, at=1))
        assert values(await store.find(space, [COLORS], "a")) == ["Red"]

    async def test_what_was_cleared_is_not_brought_back_by_what_was_said_before(self, store: FactStore) -> None:
        """The topic remembers that it was cleared."""
        space = new_space()
        await restate(store, space, ["Blue"], at=1)
        assert await restate(store, space, [], at=3) == []
        assert await restate(store, space, ["Red"], at=2) is None
        assert not await store.put(space, fact("Red", at=2))
        assert await store.find(space, [COLORS], "a") == []
        assert await store.topics(space, limit=5) == []

    async def test_a_restatement_older_than_one_fact_of_the_list_changes_nothing(self, store: FactStore) -> None:
        """All of it or nothing."""
        space = new_space()
        await store.put(space, fact("Blue", 2, at=5))
        assert await restate(store, space, ["Red", "White"], at=4) is None
        assert values(await store.find(space, [COLORS], "a")) == ["Blue"]

    async def test_a_revision_sees_the_facts_and_may_leave_them_alone(self, store: FactStore) -> None:
        """Then its message may come again."""
        space = new_space()
        stored = await restate(store, space, ["Blue", "Green"], at=1)
        seen: list[Sequence[Fact]] = []

        def look(facts: Sequence[Fact]) -> None:
            seen.append(facts)

        for _ in range(2):
            left = await store.revise(space, "a", COLORS, "ranked", look, at=later(2), message_id="m")
            assert left is None
        assert seen == [stored, stored]
        assert await restate(store, space, ["Red"], at=2) is not None

    async def test_facts_that_stay_keep_where_they_are_from(self, store: FactStore) -> None:
        """Only what is new is of the new message."""
        space = new_space()
        await restate(store, space, ["Blue", "Green"], at=1)
        new = fact("Red", 1, at=2)

        def insert(facts: Sequence[Fact]) -> Sequence[Fact]:
            return [new, *(replace(one, rank=rank) for rank, one in enumerate(facts, start=2))]

        await store.revise(space, "a", COLORS, "ranked", insert, at=later(2), message_id="m2")
        kept = await store.find(space, [COLORS], "a")
        assert kept == [new, fact("Blue", 2, 1), fact("Green", 3, 1)]

    async def test_a_list_of_a_thousand(self, store: FactStore) -> None:
        """In order."""
        space, many = new_space(), [f"item {number}" for number in range(1000)]
        await restate(store, space, many)
        assert values(await store.find(space, [COLORS], "a")) == many

    # chats, topics, spaces

    async def test_a_chat_has_its_own_facts_and_else_those_said_last_in_the_space(self, store: FactStore) -> None:
        """Never a mixture."""
        space = new_space()
        await restate(store, space, ["Blue", "Green"], at=1, chat="a")
        await restate(store, space, ["Red"], at=3, chat="b")
        await restate(store, space, ["Black"], at=2, chat=None)
        assert values(await store.find(space, [COLORS], "a")) == ["Blue", "Green"]
        assert values(await store.find(space, [COLORS], "b")) == ["Red"]
        assert values(await store.find(space, [COLORS], "c")) == ["Red"]
        assert values(await store.find(space, [COLORS])) == ["Red"]
        assert values(await store.of_chat(space, [COLORS], None)) == ["Black"]
        assert await store.of_chat(space, [COLORS], "c") == []

    async def test_of_several_topics_the_first_that_the_chat_has_is_found(self, store: FactStore) -> None:
        """The chat's own before another chat's, whichever is named first."""
        space = new_space()
        await restate(store, space, ["Paris"], at=1, chat="a", key=CITIES)
        await restate(store, space, ["Blue"], at=2, chat="b", key=COLORS)
        assert values(await store.find(space, [COLORS, CITIES], "a")) == ["Paris"]
        assert values(await store.find(space, [CITIES, COLORS], "c")) == ["Paris"]
        assert values(await store.find(space, [COLORS, CITIES], "c")) == ["Blue"]
        assert await store.find(space, ["favorite_foods"], "a") == []
        assert await store.find(space, [], "a") == []

    async def test_a_chat_in_which_a_list_was_cleared_has_none(self, store: FactStore) -> None:
        """It does not show another chat's older one again."""
        space = new_space()
        await restate(store, space, ["Blue"], at=1, chat="a")
        await store.revise(space, "b", COLORS, "ranked", lambda _: [], at=later(2), message_id="m2", adopt=True)
        assert await store.find(space, [COLORS], "b") == []
        assert await store.find(space, [COLORS], "c") == []
        assert values(await store.find(space, [COLORS], "a")) == ["Blue"]

    async def test_a_chat_adopts_the_list_it_changes(self, store: FactStore) -> None:
        """The list stays as it is where it was said, and its facts keep their messages."""
        space = new_space()
        await restate(store, space, ["Old"], at=1, chat="b")
        await restate(store, space, ["Blue", "Green"], at=2, chat="a")

        def swap(facts: Sequence[Fact]) -> Sequence[Fact]:
            return [replace(one, rank=rank) for rank, one in enumerate(reversed(facts), start=1)]

        swapped = await store.revise(space, "c", COLORS, "ranked", swap, at=later(3), message_id="m", adopt=True)
        assert swapped == [fact("Green", 1, 2, chat_id="c"), fact("Blue", 2, 2, chat_id="c")]
        assert values(await store.find(space, [COLORS], "a")) == ["Blue", "Green"]
        assert values(await store.find(space, [COLORS], "d")) == ["Green", "Blue"]

    async def test_what_was_said_after_it_is_not_adopted(self, store: FactStore) -> None:
        """An older message knows nothing of it."""
        space = new_space()
        await restate(store, space, ["Blue"], at=5, chat="a")
        seen: list[Sequence[Fact]] = []
        await store.revise(space, "b", COLORS, "ranked", seen.append, at=later(4), message_id="m", adopt=True)
        assert seen == [[]]

    async def test_two_spaces_with_the_same_chats_and_topics_are_two(self, store: FactStore) -> None:
        """Whatever one does, the other has what it had."""
        mine, yours = new_space(), new_space()
        for space in (mine, yours):
            await restate(store, space, ["Blue", "Green"], at=1)
        kept = await store.find(yours, [COLORS], "a")
        await restate(store, mine, ["Red"], at=2)
        await store.put(mine, fact("White", 2, at=3))
        await store.recall(mine, "a", CITIES, later(9))
        await store.remove_topic(mine, COLORS, later(9))
        await store.remove_chat(mine, "a")
        assert await store.find(yours, [COLORS], "a") == kept
        assert await store.recent_topic(yours, "a") == COLORS
        assert len(await store.topics(yours, limit=5)) == 1
        nobody = new_space()
        assert await store.find(nobody, [COLORS], "a") == []
        assert await store.topics(nobody, limit=5) == []
        assert await store.recent_topic(nobody, "a") is None

    # topics

    async def test_topics_are_listed_by_when_they_were_said(self, store: FactStore) -> None:
        """With how many facts of each kind, by chat."""
        space = new_space()
        await restate(store, space, ["Blue", "Green"], at=1)
        await store.put(space, fact("Teal", None, at=4))
        await restate(store, space, ["Paris"], at=2, key=CITIES)
        await restate(store, space, ["Rome"], at=3, chat=None, key=CITIES)
        expected = [
            FactTopic(COLORS, "a", 2, 1, later(4)),
            FactTopic(CITIES, None, 1, 0, later(3)),
            FactTopic(CITIES, "a", 1, 0, later(2)),
        ]
        assert await store.topics(space, limit=5) == expected
        assert await store.topics(space, limit=5, chat_id="a") == [expected[0], expected[2]]
        assert await store.topics(space, limit=1) == expected[:1]

    async def test_the_most_recent_topic_is_the_one_last_stated_changed_or_asked_about(self, store: FactStore) -> None:
        """Of this chat, as long as the space has facts of it."""
        space = new_space()
        assert await store.recent_topic(space, "a") is None
        await restate(store, space, ["Blue"], at=1)
        await restate(store, space, ["Paris"], at=2, key=CITIES)
        assert await store.recent_topic(space, "a") == CITIES
        await store.recall(space, "a", COLORS, later(3))
        assert await store.recent_topic(space, "a") == COLORS
        await store.recall(space, "a", CITIES, later(1))
        assert await store.recent_topic(space, "a") == COLORS
        assert await store.recent_topic(space, "b") is None
        await store.recall(space, "b", CITIES, later(4))
        assert await store.recent_topic(space, "b") == CITIES
        assert values(await store.find(space, [CITIES], "b")) == ["Paris"]
        await store.remove_topic(space, CITIES, later(5))
        assert await store.recent_topic(space, "b") is None

    # removing

    async def test_a_topic_is_removed_from_a_chat_or_from_the_space(self, store: FactStore) -> None:
        """And stays removed for what was said before."""
        space = new_space()
        for chat in ("a", "b", "c"):
            await restate(store, space, ["Blue", "Green"], at=1, chat=chat)
        await restate(store, space, ["Paris"], at=1, key=CITIES)
        assert await store.remove_topic(space, COLORS, later(5), "a") == 2
        assert await store.of_chat(space, [COLORS], "a") == []
        assert values(await store.find(space, [COLORS], "a")) == ["Blue", "Green"]
        assert await store.remove_topic(space, COLORS, later(5)) == 4
        assert await store.remove_topic(space, COLORS, later(5)) == 0
        assert await store.find(space, [COLORS], "b") == []
        assert await restate(store, space, ["Red"], at=4, chat="b") is None
        assert values(await restate(store, space, ["Red"], at=6, chat="b") or ()) == ["Red"]
        assert values(await store.find(space, [CITIES], "a")) == ["Paris"]

    async def test_a_chat_is_removed_with_all_its_facts(self, store: FactStore) -> None:
        """Of every topic, and of no other chat."""
        space = new_space()
        await restate(store, space, ["Blue"], at=1)
        await restate(store, space, ["Paris"], at=1, key=CITIES)
        await restate(store, space, ["Red"], at=1, chat="b")
        assert await store.remove_chat(space, "a") == 2
        assert await store.recent_topic(space, "a") is None
        assert values(await store.find(space, [COLORS], "a")) == ["Red"]
        assert values(await restate(store, space, ["Blue"], at=1) or ()) == ["Blue"]

    # writers side by side

    async def test_writers_in_two_processes_lose_nothing(self, store: FactStore, other: FactStore) -> None:
        """Each sees what the one before it left."""
        space = new_space()
        await restate(store, space, ["first"], at=0)

        async def append(where: FactStore, number: int) -> bool:
            def add(facts: Sequence[Fact]) -> Sequence[Fact]:
                return [*facts, fact(f"{number}", len(facts) + 1, at=number)]

            at = later(number)
            return await where.revise(space, "a", COLORS, "ranked", add, at=at, message_id=f"m{number}") is not None

        done = await asyncio.gather(*(append((store, other)[number % 2], number) for number in range(1, 21)))
        kept = await store.find(space, [COLORS], "a")
        assert len(kept) == 1 + sum(done)
        assert [one.rank for one in kept] == list(range(1, len(kept) + 1))
        assert kept == await other.find(space, [COLORS], "a")

    async def test_of_many_who_state_a_list_at_once_the_newest_wins(self, store: FactStore, other: FactStore) -> None:
        """Whoever comes first."""
        space = new_space()
        await asyncio.gather(
            *(restate((store, other)[at % 2], space, [f"{at}", "x"][: 1 + at % 2], at=at) for at in range(1, 21))
        )
        assert values(await store.find(space, [COLORS], "a")) == ["20"]
