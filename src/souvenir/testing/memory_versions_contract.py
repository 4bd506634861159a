"""The part of MemoryStoreContract on versions: replaced, edited, restored, deleted; inherit the whole."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from souvenir.errors import Conflicting
from souvenir.stores.memory_ports import Audit, FoundBy, MemoryStore
from souvenir.stores.passage_ports import PassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import added, contents, ends, found_by, memory, replaced, state
from souvenir.testing.passages import AT, everything, new_space, states_of, unit

DAY = timedelta(days=1)


class MemoryVersionsContract:
    """What becomes of a memory, and what can be read of it afterwards."""

    # replacing

    async def test_a_replaced_memory_stays_as_a_version(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """It is found until the new one was said, whenever that is heard of."""
        space = new_space()
        first = await added(store, space, "User lives in Bonn", origin={"chat_id": "c"})
        clock.advance(days=2)
        new = memory("User lives in Rome", category="identity", said_at=AT + DAY, verified=True)
        second = await store.replace(space, first.memory_id, new, "moved", "model")
        assert second is not None
        now = clock.now()
        assert (second.lineage, second.version, second.content) == (first.lineage, 2, "User lives in Rome")
        assert (second.category, second.said_at, second.created_at) == ("identity", AT + DAY, now)
        assert (second.origin, second.verified) == (None, True)
        old = replace(first, superseded_by=second.memory_id, superseded_at=now, updated_at=now)
        audit = [
            Audit("add", first.memory_id, None, first.content, "because", "ann", first.created_at),
            Audit("replace", second.memory_id, first.content, second.content, "moved", "model", now, first.memory_id),
        ]
        for version in (first, second):
            assert await store.history(space, version.memory_id) == ([old, second], audit)
        assert await ends(passages, space) == [(first.content, AT + DAY), (second.content, None)]
        assert await contents(store, space) == [second.content]
        third = await replaced(store, space, second.memory_id, "User lives in Oslo", AT + 2 * DAY)
        assert (third.lineage, third.version) == (first.lineage, 3)

    async def test_what_is_said_to_be_of_the_future_takes_its_place_now(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Else both would be found until then."""
        space = new_space()
        first = await added(store, space)
        await replaced(store, space, first.memory_id, "User likes cake", clock.now() + DAY)
        assert await ends(passages, space) == [(first.content, clock.now()), ("User likes cake", None)]

    @pytest.mark.parametrize("microseconds", [0, 1, 86_400_000_000])
    async def test_only_what_was_said_strictly_before_is_replaced(
        self, store: MemoryStore, passages: PassageStore, microseconds: int
    ) -> None:
        """To the microsecond."""
        space = new_space()
        first = await added(store, space)
        before = await state(store, passages, space)
        late = memory("User likes cake", said_at=AT - timedelta(microseconds=microseconds))
        assert await store.replace(space, first.memory_id, late, "", "", "key") is None
        assert await state(store, passages, space) == before
        newer = replace(late, said_at=AT + timedelta(microseconds=1))
        assert await store.replace(space, first.memory_id, newer, "", "", "key") is not None

    async def test_what_is_not_active_is_neither_replaced_nor_edited(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Superseded, deleted or expired."""
        space = new_space()
        old = [await added(store, space, f"User has {n} cats", expires_at=clock.now() + DAY) for n in range(3)]
        await replaced(store, space, old[0].memory_id, "User has a cat", AT + DAY)
        await store.delete(space, old[1].memory_id, "ann")
        clock.advance(days=1)
        before = await state(store, passages, space)
        for one in old:
            new = memory("User has no cats", said_at=AT + 9 * DAY)
            assert await store.replace(space, one.memory_id, new, "", "") is None
            assert await store.edit(space, one.memory_id, "User has no cats", "ann", FoundBy()) is None
        assert await state(store, passages, space) == before

    async def test_a_sentence_the_space_has_already_takes_the_place_of_the_target(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Instead of being there twice; it stays as it was."""
        space, now = new_space(), clock.now()
        tea, cake = await added(store, space), await added(store, space, "User likes cake", said_at=AT + DAY)
        assert await replaced(store, space, tea.memory_id, "user likes cake!", AT + 2 * DAY) == cake
        found = await store.get(space, [tea.memory_id, cake.memory_id])
        assert found[cake.memory_id] == cake
        assert (found[tea.memory_id].superseded_by, found[tea.memory_id].superseded_at) == (cake.memory_id, now)
        assert await ends(passages, space) == [(tea.content, AT + 2 * DAY), (cake.content, None)]
        audit = Audit("replace", cake.memory_id, tea.content, cake.content, "because", "ann", now, tea.memory_id)
        for one in (tea, cake):
            assert (await store.history(space, one.memory_id))[1][-1] == audit

    async def test_its_own_sentence_written_otherwise_is_a_new_version(self, store: MemoryStore) -> None:
        """Of a replacement, an edit and a restored version alike."""
        space = new_space()
        first = await added(store, space, "user likes tea")
        second = await replaced(store, space, first.memory_id, "User likes tea", AT + DAY)
        third = await store.edit(space, second.memory_id, "User likes tea!", "ann", FoundBy(), "identity")
        fourth = await store.undo(space, first.memory_id, second.memory_id, "ann", None, None)
        assert third is not None
        assert fourth is not None
        assert [(one.version, one.category) for one in (third, fourth)] == [(3, "identity"), (4, "preference")]
        assert await contents(store, space) == ["User likes tea"]

    # editing

    async def test_an_edit_is_the_next_version_and_certain(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """It keeps what the words do not decide, and nothing said before it can replace it."""
        space = new_space()
        kept: dict[str, Any] = {"category": "identity", "importance": 7, "confidence": 0.7, "origin": {"chat_id": "c"}}
        first = await added(store, space, expires_at=clock.now() + 9 * DAY, lifetime="deadline", **kept)
        await store.feedback(space, first.memory_id, True, "ann")
        clock.advance(days=1)
        now = clock.now()
        second = await store.edit(space, first.memory_id, "User likes green tea", "ann", found_by("User likes green"))
        assert second is not None
        assert second == replace(
            first, memory_id=second.memory_id, version=2, content="User likes green tea", confidence=1.0, verified=True,
            reasoning="", path="user", said_at=now, created_at=now, updated_at=now, passage_id=second.passage_id,
        )  # fmt: skip
        assert await store.get(space, [second.memory_id]) == {second.memory_id: second}
        assert await ends(passages, space) == [(first.content, now), (second.content, first.expires_at)]
        row = (await everything(passages, space))[second.passage_id or 0]
        assert (row[1], row[5], row[6], row[12]) == ("user likes green", 1, 3, "identity")
        audit = Audit("edit", second.memory_id, first.content, second.content, "", "ann", now, first.memory_id)
        assert (await store.history(space, second.memory_id))[1][-1] == audit
        assert await store.replace(space, second.memory_id, memory("User likes pie", said_at=now), "", "") is None

    async def test_an_edit_cannot_say_what_another_memory_says(
        self, store: MemoryStore, passages: PassageStore
    ) -> None:
        """Nor can a version come back that another memory says by now."""
        space = new_space()
        tea, cake = await added(store, space), await added(store, space, "User likes cake")
        pie = await replaced(store, space, tea.memory_id, "User likes pie", AT + DAY)
        await added(store, space, "user likes tea")
        before = await state(store, passages, space)
        with pytest.raises(Conflicting, match=cake.memory_id):
            await store.edit(space, pie.memory_id, "USER LIKES CAKE.", "ann", FoundBy())
        with pytest.raises(Conflicting):
            await store.undo(space, pie.memory_id, tea.memory_id, "ann", None, None)
        assert await state(store, passages, space) == before

    # restoring

    async def test_an_undone_change_is_a_version_too(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """It says what the older one said, from now on, and is found by the same words."""
        space = new_space()
        first = await added(store, space, "User likes tea", signs=5)
        await store.used(space, [first.memory_id], AT)
        second = await replaced(store, space, first.memory_id, "User likes cake", AT + DAY)
        clock.advance(days=3)
        now = clock.now()
        third = await store.undo(space, second.memory_id, first.memory_id, "ann", unit(3), "model-a")
        assert third is not None
        assert third == replace(
            first, memory_id=third.memory_id, version=3, said_at=now, created_at=now, updated_at=now, uses=1,
            used_at=AT, passage_id=third.passage_id,
        )  # fmt: skip
        assert await contents(store, space) == ["User likes tea"]
        assert await ends(passages, space) == [(first.content, AT + DAY), (second.content, now), (third.content, None)]
        known = await everything(passages, space)
        old, new = known[first.passage_id or 0], known[third.passage_id or 0]
        assert (new[1], new[5], new[6], bool(new[14])) == (*old[1:2], *old[5:7], True)
        assert new[1] == "user likes tea"
        versions, audit = await store.history(space, third.memory_id)
        assert versions[1].superseded_by == third.memory_id
        assert audit[-1] == Audit(
            "undo", third.memory_id, second.content, third.content, "back to version 1", "ann", now, second.memory_id
        )
        for wrong in (third.memory_id, "nonsense", (await added(store, space, "User likes pie")).memory_id):
            assert await store.undo(space, first.memory_id, wrong, "ann", None, None) is None

    async def test_what_was_deleted_or_has_expired_can_come_back(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """What had expired lives as long again; what had not, as long as it would have."""
        space, now = new_space(), clock.now()
        one = await added(store, space, "User is in Bonn", said_at=now, expires_at=now + DAY)
        two = await added(store, space, "User has a deadline", said_at=now, expires_at=now + 9 * DAY)
        odd = await added(store, space, "User was late", said_at=now, expires_at=now - DAY)
        await store.delete(space, two.memory_id, "ann")
        clock.advance(days=5)
        later = clock.now()
        back = [await store.undo(space, old.memory_id, old.memory_id, "ann", None, None) for old in (one, two, odd)]
        assert [(new.version, new.expires_at) for new in back if new is not None] == [
            (2, later + DAY),
            (2, now + 9 * DAY),
            (2, None),
        ]
        found = await store.get(space, [one.memory_id, two.memory_id])
        assert back[0] is not None
        assert found[one.memory_id].superseded_by == back[0].memory_id
        assert (found[two.memory_id].superseded_by, found[two.memory_id].deleted_at) == (None, now)
        assert (await ends(passages, space))[-3:] == [
            ("User is in Bonn", later + DAY),
            ("User has a deadline", now + 9 * DAY),
            ("User was late", None),
        ]

    # taking away

    async def test_a_deleted_memory_is_no_longer_found_and_stays_in_its_history(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Deleting it again changes nothing; an older version is not deleted by itself."""
        space = new_space()
        first = await added(store, space)
        second = await replaced(store, space, first.memory_id, "User likes cake", AT + DAY)
        assert await store.delete(space, first.memory_id, "ann") is None
        clock.advance(days=1)
        now = clock.now()
        gone = replace(second, deleted_at=now, updated_at=now)
        assert await store.delete(space, second.memory_id, "ann") == gone
        before = await state(store, passages, space)
        clock.advance(days=1)
        assert await store.delete(space, second.memory_id, "bob") == gone
        assert await state(store, passages, space) == before
        assert await contents(store, space) == []
        assert await ends(passages, space) == [(first.content, AT + DAY), (second.content, now)]
        versions, audit = await store.history(space, first.memory_id)
        assert versions[-1] == gone
        assert audit[-1] == Audit("delete", second.memory_id, second.content, None, "", "ann", now)

    async def test_an_expired_memory_can_be_deleted(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """It ended when it expired."""
        space, soon = new_space(), clock.now() + DAY
        one = await added(store, space, expires_at=soon)
        clock.advance(days=2)
        assert await store.delete(space, one.memory_id, "ann") == replace(
            one, deleted_at=clock.now(), updated_at=clock.now()
        )
        assert await ends(passages, space) == [(one.content, soon)]

    async def test_a_purged_memory_leaves_nothing_that_says_what_it_said(
        self, store: MemoryStore, passages: PassageStore
    ) -> None:
        """Not in the audit of what it took the place of or contradicted either."""
        space = new_space()
        first = await added(store, space, "User has a secret")
        second = await replaced(store, space, first.memory_id, "User has another secret", AT + DAY)
        tea, cake = await added(store, space), await added(store, space, "User likes cake", said_at=AT + DAY)
        await replaced(store, space, tea.memory_id, second.content, AT + DAY)
        await store.open_conflict(space, cake.memory_id, second.memory_id, "a secret")
        await store.ignored(space, "User has secrets", second.memory_id, "a secret", None)
        await store.feedback(space, cake.memory_id, True, "ann")
        third = await added(store, space, "User has a third secret")
        await replaced(store, space, third.memory_id, cake.content, AT + DAY)
        assert await store.purge(space, third.memory_id) == 1
        assert await store.purge(space, second.memory_id) == 2
        assert await store.purge(space, first.memory_id) == 0
        memories, audit, conflicts = await store.export(space)
        assert [one.memory_id for one in memories] == [tea.memory_id, cake.memory_id]
        assert [(row.event, row.new) for row in audit] == [
            ("add", tea.content),
            ("add", cake.content),
            ("feedback", None),
        ]
        assert conflicts == []
        assert "secret" not in repr(await state(store, passages, space))
        assert [text for text, _ in await ends(passages, space)] == [tea.content, cake.content]
        assert (await states_of(passages, [space]))[space].passages == 2
