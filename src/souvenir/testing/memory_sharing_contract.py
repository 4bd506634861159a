"""The part of MemoryStoreContract on one sentence in several spaces; inherit the whole."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from souvenir.errors import Conflicting
from souvenir.stores.memory_ports import Audit, MemoryStore
from souvenir.stores.passage_ports import PassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import added, contents, ends, found_by, replaced, state
from souvenir.testing.passages import AT, everything, new_space
from souvenir.types import SpaceId

DAY = timedelta(days=1)


def project() -> SpaceId:
    """A project's space no other test uses, which sorts before those of users."""
    return SpaceId(f"project:{new_space()}")


class MemorySharingContract:
    """What a copy is, and what it has to do with the memory it was made of."""

    @pytest.mark.req("MEM-7")
    async def test_a_shared_memory_is_a_memory_of_its_own(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """It says the same, is found the same, and knows where it is from; where it is from nothing changes."""
        mine, ours = new_space(), project()
        tea = await added(store, mine, origin={"chat_id": "c"}, expires_at=clock.now() + DAY)
        await store.feedback(mine, tea.memory_id, True, "ann")
        before = await state(store, passages, mine)
        clock.advance(hours=1)
        copy = await store.share(mine, tea.memory_id, ours, "ann")
        assert copy is not None
        assert copy == replace(
            tea, memory_id=copy.memory_id, lineage=copy.memory_id, version=1, reasoning="",
            origin={"shared": {"memory_id": tea.memory_id, "lineage": tea.lineage, "by": "ann"}},
            created_at=clock.now(), updated_at=clock.now(), passage_id=copy.passage_id,
        )  # fmt: skip
        assert await store.history(ours, copy.memory_id) == (
            [copy],
            [Audit("share", copy.memory_id, None, tea.content, "", "ann", clock.now())],
        )
        own, theirs = await everything(passages, mine), await everything(passages, ours)
        *same, origin = theirs[copy.passage_id or 0]
        assert (same, origin) == ([*own[tea.passage_id or 0][:-1]], {"memory_id": copy.memory_id})
        shown = await passages.get(ours, [copy.passage_id or 0])
        assert shown[copy.passage_id or 0].origin == {"memory_id": copy.memory_id}
        assert await state(store, passages, mine) == before

    @pytest.mark.req("MEM-7")
    async def test_what_is_replaced_in_one_space_stays_in_the_other(
        self, store: MemoryStore, passages: PassageStore
    ) -> None:
        """Whichever of them it is, and when one is purged too."""
        mine, ours, others = new_space(), project(), project()
        tea = (await added(store, mine)).memory_id
        copies = [await store.share(mine, tea, space, "ann") for space in (ours, others)]
        (copy, other) = (one for one in copies if one is not None)
        untouched = await state(store, passages, others)
        await replaced(store, mine, tea, "User likes cake", AT + DAY)
        await store.edit(ours, copy.memory_id, "User likes pie", "bob", found_by("pie"))
        assert await contents(store, mine) == ["User likes cake"]
        assert await contents(store, ours) == ["User likes pie"]
        await store.purge(mine, tea)
        await store.erase(ours)
        assert await state(store, passages, others) == untouched
        assert await store.get(others, [other.memory_id]) == {other.memory_id: other}

    async def test_sharing_again_changes_nothing(self, store: MemoryStore, passages: PassageStore) -> None:
        """While the copy, or what became of it there, stands; after it was forgotten there it is shared anew."""
        mine, ours = new_space(), project()
        tea = (await added(store, mine)).memory_id
        copy = await store.share(mine, tea, ours, "ann")
        assert copy is not None
        before = await state(store, passages, ours)
        assert await store.share(mine, tea, ours, "ann") == copy
        assert await state(store, passages, ours) == before
        edited = await store.edit(ours, copy.memory_id, "User likes pie", "bob", found_by("pie"))
        assert edited is not None
        assert await store.share(mine, tea, ours, "ann") == edited
        third = await replaced(store, ours, edited.memory_id, "User likes cake", edited.said_at + DAY)
        assert await store.share(mine, tea, ours, "ann") == third
        await store.delete(ours, third.memory_id, "bob")
        again = await store.share(mine, tea, ours, "ann")
        assert again is not None
        assert (again.content, again.version) == ("User likes tea", 1)
        assert await contents(store, ours) == ["User likes tea"]

    async def test_a_newer_version_takes_the_place_of_the_copy_of_an_older_one(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """So that two that contradict each other do not stand there."""
        mine, ours = new_space(), project()
        one = await added(store, mine, "User leaves in May")
        await store.share(mine, one.memory_id, ours, "ann")
        two = await replaced(store, mine, one.memory_id, "User leaves in June", AT + DAY)
        copy = await store.share(mine, two.memory_id, ours, "ann")
        assert copy is not None
        assert (copy.version, await contents(store, ours)) == (2, ["User leaves in June"])
        _, audit = await store.history(ours, copy.memory_id)
        assert [(row.event, row.old, row.new) for row in audit] == [
            ("share", None, "User leaves in May"),
            ("share", "User leaves in May", "User leaves in June"),
        ]
        assert await ends(passages, ours) == [("User leaves in May", AT + DAY), ("User leaves in June", None)]
        clock.advance(days=9)
        back = await store.undo(mine, two.memory_id, one.memory_id, "ann", None, None)
        assert back is not None
        assert await store.share(mine, back.memory_id, ours, "ann") is not None
        assert await contents(store, ours) == ["User leaves in May"]

    async def test_a_sentence_that_is_there_is_not_doubled(self, store: MemoryStore, clock: ManualClock) -> None:
        """The one that is there is returned; an expired one makes way."""
        mine, ours = new_space(), project()
        tea, cake = await added(store, mine), await added(store, mine, "User likes cake")
        there = await added(store, ours, "USER LIKES TEA.")
        assert await store.share(mine, tea.memory_id, ours, "ann") == there
        old = await added(store, ours, "user likes cake", expires_at=clock.now() + DAY)
        clock.advance(days=2)
        copy = await store.share(mine, cake.memory_id, ours, "ann")
        assert copy is not None
        assert (await store.get(ours, [old.memory_id]))[old.memory_id].superseded_by == copy.memory_id
        assert await contents(store, ours) == ["User likes cake", "USER LIKES TEA."]
        assert await store.share(mine, tea.memory_id, mine, "ann") == tea

    async def test_what_is_not_active_is_not_shared(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """With the reason; what is unknown, or of somebody else, is nothing."""
        mine, ours, theirs = new_space(), project(), new_space()
        one, two = await added(store, mine), await added(store, mine, "User likes cake")
        three = await added(store, mine, "User is out", expires_at=clock.now() + DAY)
        foreign = await added(store, theirs)
        new = await replaced(store, mine, one.memory_id, "User likes pie", AT + DAY)
        await store.delete(mine, two.memory_id, "ann")
        clock.advance(days=2)
        before = await state(store, passages, ours)
        for memory, reason in (
            (one, f"replaced by the memory {new.memory_id}"),
            (two, "forgotten"),
            (three, "expired"),
        ):
            with pytest.raises(Conflicting, match=reason):
                await store.share(mine, memory.memory_id, ours, "ann")
        for unknown in (foreign.memory_id, "", "nonsense", "7" + "Z" * 25):
            assert await store.share(mine, unknown, ours, "ann") is None
        assert await state(store, passages, ours) == before

    async def test_many_who_share_at_once_make_one_copy_and_nobody_waits_for_ever(
        self, store: MemoryStore, other: MemoryStore
    ) -> None:
        """There and back again, while others write to both spaces."""
        mine, ours = new_space(), project()
        tea, cake = await added(store, mine), await added(store, ours, "User likes cake")
        results = await asyncio.gather(
            *(who.share(mine, tea.memory_id, ours, "ann") for who in [store, other] * 5),
            *(who.share(ours, cake.memory_id, mine, "bob") for who in [store, other] * 5),
            *(added(who, space, f"{space} {n}") for n, who in enumerate([store, other] * 2) for space in (mine, ours)),
        )
        assert len({one.memory_id for one in results[:10] if one is not None}) == 1
        assert len({one.memory_id for one in results[10:20] if one is not None}) == 1
        for space in (mine, ours):
            assert len(await contents(store, space)) == 6
