"""The part of MemoryStoreContract on whole spaces: what is taken out, written back and removed; inherit the whole."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from ulid import ULID

from souvenir.errors import BadInput
from souvenir.stores.memory_ports import Audit, FoundBy, Memory, MemoryStore
from souvenir.stores.passage_ports import PassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import added, contents, ends, found_by, memory, replaced, state, without_passages
from souvenir.testing.passages import AT, MODEL, everything, new_space, passage, states_of
from souvenir.types import SpaceId

DAY = timedelta(days=1)


async def lived_in(store: MemoryStore, space: SpaceId, clock: ManualClock) -> Memory:
    """Fill a space with something of everything; returns a memory that is active."""
    tea = await added(store, space, "User likes tea", origin={"chat_id": "c"})
    cake = await added(store, space, "User likes cake", expires_at=clock.now() + DAY)
    pie = await added(store, space, "User likes pie 🥧")
    jam = await added(store, space, "User hates jam")
    clock.advance(hours=1)
    green = await replaced(store, space, tea.memory_id, "User likes green tea", AT + timedelta(hours=1))
    back = await store.undo(space, green.memory_id, tea.memory_id, "ann", None, None)
    await store.edit(space, pie.memory_id, "User loves pie", "ann", found_by("User loves pie"), "identity")
    await store.delete(space, jam.memory_id, "ann")
    await added(store, space, "User hates jam")
    assert back is not None
    await store.feedback(space, back.memory_id, True, "ann")
    await store.feedback(space, back.memory_id, True, "ann")
    await store.used(space, [back.memory_id], clock.now())
    await replaced(store, space, cake.memory_id, "user likes tea", clock.now())
    new = await added(store, space, "User hates tea")
    await store.open_conflict(space, back.memory_id, new.memory_id, "either")
    await store.ignored(space, "User likes tea", None, "same", "k1")
    await store.ignored(space, "User likes sugar", None, "near", "k2")
    await store.add(space, memory("User is out", expires_at=clock.now() + timedelta(hours=1)), "", "ann", "k3")
    await store.spend(space, clock.now().date(), "extract", 5)
    clock.advance(hours=2)
    return back


class MemoryArchiveContract:
    """What leaves a space, for good or to come back."""

    # removal by age

    async def test_what_ended_long_ago_is_removed_for_good(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Expired, superseded or deleted before then, in every space; what a memory replaced stays in its audit."""
        spaces, now = [new_space(), new_space()], clock.now()
        kept: dict[SpaceId, Memory] = {}
        for space in spaces:
            one = await added(store, space, "User lives in Bonn")
            kept[space] = await replaced(store, space, one.memory_id, "User lives in Rome", AT + DAY)
            await store.delete(space, (await added(store, space, "User was here")).memory_id, "ann")
            out = await added(store, space, "User is out", expires_at=now)
            await store.ignored(space, "User left", out.memory_id, "", None)
            await store.ignored(space, "User left", None, "", None)
            await added(store, space, "User is back", expires_at=now + timedelta(microseconds=1))
        assert await store.expire(now) == 0
        assert await store.expire(now + timedelta(microseconds=1)) == 6
        assert await store.expire(now + timedelta(microseconds=1)) == 0
        for space in spaces:
            memories, audit, _ = await store.export(space)
            assert [one.content for one in memories] == ["User lives in Rome", "User is back"]
            assert [(row.event, row.old, row.new) for row in audit] == [
                ("replace", "User lives in Bonn", "User lives in Rome"),
                ("add", None, "User is back"),
            ]
            assert [text for text, _ in await ends(passages, space)] == ["User lives in Rome", "User is back"]
            third = await store.edit(space, kept[space].memory_id, "User lives in Oslo", "ann", FoundBy())
            assert third is not None
            assert third.version == 3

    async def test_a_conflict_goes_with_its_side(self, store: MemoryStore, clock: ManualClock) -> None:
        """The other side stays."""
        space, soon = new_space(), clock.now() + DAY
        one, two = await added(store, space), await added(store, space, "User hates tea", expires_at=soon)
        await store.open_conflict(space, one.memory_id, two.memory_id, "")
        clock.advance(days=2)
        assert await store.expire(clock.now()) == 1
        memories, audit, conflicts = await store.export(space)
        assert ([memory.content for memory in memories], conflicts) == ([one.content], [])
        assert [row.event for row in audit] == ["add"]

    # export, erase, restore

    async def test_a_space_comes_back_as_it_was(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Ids, versions, times, audit, counts; its passages are new ones that say and last the same."""
        space = new_space()
        back = await lived_in(store, space, clock)
        exported = await store.export(space)
        before = (await store.counts(space), await store.conflicts(space, limit=9), await ends(passages, space))
        assert len(exported[0]) == 10
        assert {row.event for row in exported[1]} == {
            "add", "replace", "ignore", "edit", "undo", "delete", "feedback", "conflict",
        }  # fmt: skip
        (chunk,) = await passages.add(space, [passage("of a file", kind="chunk")])
        removed = await store.erase(space)
        assert removed == {
            "memories": 10, "memory_audit": len(exported[1]), "memory_conflicts": 1, "memory_keys": 3, "spend": 1,
            "passages": 10,
        }  # fmt: skip
        assert set(await everything(passages, space)) == {chunk}
        assert await store.export(space) == ([], [], [])
        assert await store.spent(space, clock.now().date()) == {}
        texts = {one.memory_id: found_by(one.content) for one in exported[0]}
        assert await store.restore(space, *exported, texts) == 10
        memories, audit, conflicts = await store.export(space)
        assert without_passages(memories) == without_passages(exported[0])
        assert (audit, conflicts) == exported[1:]
        now = (await store.counts(space), await store.conflicts(space, limit=9), await ends(passages, space))
        assert (now[0], now[1], sorted(now[2][1:], key=str)) == (before[0], before[1], sorted(before[2], key=str))
        known = await everything(passages, space)
        found = (await store.get(space, [back.memory_id]))[back.memory_id]
        row = known[found.passage_id or 0]
        assert (row[1], row[5], row[6], row[12], bool(row[14])) == ("user likes tea", 1, 3, "preference", True)
        assert await store.by_passage(space, [found.passage_id or 0]) == {found.passage_id: found}
        first = next(one for one in memories if one.version == 1 and one.lineage == back.lineage)
        green = next(one for one in memories if one.version == 2 and one.lineage == back.lineage)
        assert await store.undo(space, back.memory_id, green.memory_id, "ann", None, None) is not None
        assert await store.undo(space, back.memory_id, first.memory_id, "ann", None, None) is not None

    async def test_what_was_spent_comes_back_as_it_was(self, store: MemoryStore) -> None:
        """Of two figures the higher one stays, so that no import makes anybody's budget larger."""
        space, elsewhere = new_space(), new_space()
        for day, purpose, tokens in ((AT, "resolve", 3), (AT, "extract", 5), (AT - DAY, "extract", 7)):
            await store.spend(space, day.date(), purpose, tokens)
        spent = await store.spending(space)
        assert [(one.purpose, one.tokens) for one in spent] == [("extract", 7), ("extract", 5), ("resolve", 3)]
        await store.spend(elsewhere, AT.date(), "extract", 9)
        assert await store.restore_spending(elsewhere, spent) == 2
        assert await store.spent(elsewhere, AT.date()) == {"extract": 9, "resolve": 3}
        await store.erase(space)
        assert await store.spending(space) == []
        assert await store.restore_spending(space, spent) == 3
        assert await store.restore_spending(space, spent) == 0
        assert await store.spending(space) == spent

    async def test_what_another_memory_took_the_place_of_ends_when_that_happened(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Not when the other one was said, which may have been before it."""
        space = new_space()
        old, new = await added(store, space), await added(store, space, "User hates tea", said_at=AT + DAY)
        conflict = await store.open_conflict(space, old.memory_id, new.memory_id, "")
        assert conflict is not None
        await store.settle(space, conflict.conflict_id, old.memory_id, "ann")
        exported, before = await store.export(space), await ends(passages, space)
        assert before == [(old.content, None), (new.content, clock.now())]
        await store.erase(space)
        await store.restore(space, *exported, {})
        assert await ends(passages, space) == before

    async def test_without_a_vector_a_restored_memory_waits_for_one(
        self, store: MemoryStore, passages: PassageStore
    ) -> None:
        """Into another space too: ids belong to a space."""
        space, elsewhere = new_space(), new_space()
        stored = await added(store, space)
        exported = await store.export(space)
        assert await store.restore(elsewhere, *exported, {stored.memory_id: FoundBy("user tea", 0, 3)}) == 1
        (bare,) = await passages.unembedded(MODEL, limit=5)
        assert (bare.space, bare.text) == (elsewhere, stored.content)
        assert (await everything(passages, elsewhere))[bare.passage_id][1] == "user tea"
        assert await store.export(space) == exported

    async def test_restoring_again_changes_nothing(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Nor does it take back what happened since; what happened twice is there twice."""
        space = new_space()
        back = await lived_in(store, space, clock)
        exported = await store.export(space)
        before = await state(store, passages, space)
        assert await store.restore(space, *exported, {}) == 0
        assert await state(store, passages, space) == before
        await store.edit(space, back.memory_id, "User likes water", "ann", FoundBy())
        await store.feedback(space, back.memory_id, True, "ann")
        now = await store.export(space)
        assert await store.restore(space, *exported, {}) == 0
        assert await store.export(space) == now
        await store.erase(space)
        once = list(dict.fromkeys(exported[1]))
        assert len(once) < len(exported[1])
        assert await store.restore(space, exported[0], once, [], {}) == 10
        assert await store.restore(space, *exported, {}) == 0
        assert sorted((await store.export(space))[1], key=repr) == sorted(exported[1], key=repr)

    async def test_what_is_there_already_stays(self, store: MemoryStore, passages: PassageStore) -> None:
        """The sentence, the version, the one that stands of a lineage; and what has no memory is left out."""
        space, other = new_space(), new_space()
        tea, cake = await added(store, space), await added(store, space, "User likes cake")
        pie = await replaced(store, space, cake.memory_id, "User likes pie", AT + DAY)
        await store.open_conflict(space, tea.memory_id, pie.memory_id, "")
        exported = await store.export(space)
        await added(store, other, "USER LIKES TEA.")
        assert await store.restore(other, *exported, {}) == 2
        assert sorted(await contents(store, other)) == ["USER LIKES TEA.", "User likes pie"]
        _, audit, conflicts = await store.export(other)
        assert (tea.memory_id in {row.memory_id for row in audit}, conflicts) == (False, [])
        made = str(ULID.from_datetime(AT))
        for like in (
            replace(pie, memory_id=made, content="User likes jam"),
            replace(pie, memory_id=made, content="User likes jam", version=7),
            replace(pie, memory_id=made, content="user likes pie", lineage=made),
        ):
            assert await store.restore(space, [like], [], [], {}) == 0
        assert await store.restore(
            space, [replace(pie, memory_id=made, content="User sings", lineage=made)], [], [], {}
        )
        assert await contents(store, space) == [pie.content, tea.content, "User sings"]
        assert (await states_of(passages, [space]))[space].passages == 4

    async def test_what_no_memory_can_be_is_refused(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """All that came with it too: an id of the year 9999 would be before all to come."""
        space, now = new_space(), clock.now()
        good = await added(store, space)
        await store.open_conflict(space, good.memory_id, (await added(store, space, "User hates tea")).memory_id, "")
        memories, audit, conflicts = await store.export(space)
        before = await state(store, passages, space)
        fresh = replace(good, memory_id=str(ULID.from_datetime(AT)), lineage="x", content="User sings")
        fine = replace(fresh, memory_id=str(ULID.from_datetime(AT)), lineage="y", content="User swims")
        for bad in (
            replace(fresh, memory_id="nonsense"),
            replace(fresh, memory_id="7" + "Z" * 25),
            replace(fresh, memory_id=str(ULID.from_datetime(datetime(9999, 1, 1, tzinfo=now.tzinfo)))),
            replace(fresh, superseded_by="x"),
            replace(fresh, superseded_at=now),
            replace(fresh, superseded_by="x", superseded_at=now, deleted_at=now),
            replace(fresh, content="a\x00b"),
            replace(fresh, content="\ud800"),
            replace(fresh, version=2**40),
        ):
            with pytest.raises(BadInput):
                await store.restore(space, [fine, bad], audit, [], {})
        with pytest.raises(BadInput, match="conflict_id"):
            await store.restore(space, memories, audit, [replace(conflicts[0], conflict_id="")], {})
        with pytest.raises(BadInput):
            await store.restore(space, [], [Audit("add", "", None, "\x00", "", "", now)], [], {})
        assert await state(store, passages, space) == before
