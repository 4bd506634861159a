"""The part of MemoryStoreContract on several writers, keys, transactions and other spaces; inherit the whole."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from souvenir.errors import Conflicting, DimensionMismatch
from souvenir.stores.memory_ports import FoundBy, Memory, MemoryCounts, MemoryStore
from souvenir.stores.passage_ports import PassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import added, contents, ends, found_by, memory, replaced, state
from souvenir.testing.passages import AT, MODEL, Transaction, new_space, passage, unit

DAY = timedelta(days=1)


class MemoryWritersContract:
    """What a writer beside others, or one that is run again, can rely on."""

    # keys

    async def test_what_is_done_again_under_its_key_changes_nothing(
        self, store: MemoryStore, passages: PassageStore
    ) -> None:
        """Whichever way it was decided the first time, and whatever became of it since."""
        space = new_space()
        tea = await store.add(space, memory(), "", "ann", "1")
        cake = await store.add(space, memory("User likes cake"), "", "ann", "2")
        assert tea is not None
        assert cake is not None
        assert await store.replace(space, tea.memory_id, memory("User likes pie", said_at=AT + DAY), "", "", "3")
        await store.ignored(space, "User likes cake", cake.memory_id, "", "4")
        await store.purge(space, tea.memory_id)
        await store.delete(space, cake.memory_id, "ann")
        jam = await added(store, space, "User likes jam")
        before = await state(store, passages, space)
        for key in "1234":
            assert await store.add(space, memory(), "", "ann", key) is None
            assert await store.add(space, memory("User likes cake"), "", "ann", key) is None
            newer = memory("User likes pie", said_at=AT + DAY)
            assert await store.replace(space, jam.memory_id, newer, "", "", key) is None
            await store.ignored(space, "User likes jam", None, "", key)
        assert await state(store, passages, space) == before
        assert await store.add(new_space(), memory(), "", "ann", "1") is not None

    async def test_a_key_is_not_used_by_what_changes_nothing(self, store: MemoryStore) -> None:
        """So that the next decision about the candidate counts."""
        space = new_space()
        await added(store, space)
        assert await store.add(space, memory(), "", "ann", "k") is None
        assert await store.replace(space, "invented", memory("x", said_at=AT + DAY), "", "", "k") is None
        await store.ignored(space, "User likes tea", None, "", "k")
        await store.ignored(space, "User likes tea", None, "", "k")
        assert await store.counts(space) == MemoryCounts(1, 1, 0, 1)

    # several at once

    @pytest.mark.parametrize("keys", [False, True], ids=["without keys", "with one key"])
    async def test_the_same_sentence_said_twenty_times_at_once_is_stored_once(
        self, store: MemoryStore, other: MemoryStore, passages: PassageStore, keys: bool
    ) -> None:
        """In a space that is new, by two processes."""
        space = new_space()
        said = ["User likes tea", "user likes TEA."] if not keys else [f"User has {n} cats" for n in range(20)]
        results = await asyncio.gather(
            *(
                who.add(space, memory(said[n % len(said)]), "", "ann", "key" if keys else None)
                for n, who in enumerate([store, other] * 10)
            )
        )
        (stored,) = [result for result in results if result is not None]
        assert await store.export(space) == await other.export(space)
        memories, audit, _ = await store.export(space)
        assert (list(memories), len(audit)) == ([stored], 1)
        assert await ends(passages, space) == [(stored.content, None)]

    async def test_sentences_said_at_once_are_all_stored_in_order(self, store: MemoryStore, other: MemoryStore) -> None:
        """In a space that is new; ids and passages ascend alike."""
        space = new_space()
        stored = await asyncio.gather(*(added(who, space, f"User {n}") for n, who in enumerate([store, other] * 10)))
        ids = sorted(one.memory_id for one in stored)
        assert len(set(ids)) == 20
        memories, _, _ = await store.export(space)
        assert [one.memory_id for one in memories] == ids
        places = [one.passage_id or 0 for one in memories]
        assert places == sorted(places)

    async def test_of_many_that_replace_one_memory_at_once_one_wins(
        self, store: MemoryStore, other: MemoryStore, passages: PassageStore
    ) -> None:
        """Edits among them; the others find nothing to replace."""
        space = new_space()
        target = (await added(store, space)).memory_id

        async def change(who: MemoryStore, n: int) -> Memory | None:
            if n % 3 == 0:
                return await who.edit(space, target, f"User has {n} cats", "ann", found_by("cats"))
            return await who.replace(space, target, memory(f"User has {n} cats", said_at=AT + DAY), "", "ann")

        results = await asyncio.gather(*(change(who, n) for n, who in enumerate([store, other] * 10)))
        (won,) = [result for result in results if result is not None]
        versions, audit = await store.history(space, target)
        assert [one.version for one in versions] == [1, 2]
        assert (versions[1], versions[0].superseded_by, len(audit)) == (won, won.memory_id, 2)
        assert await contents(store, space) == [won.content]
        assert len(await ends(passages, space)) == 2

    async def test_nobody_waits_for_ever(
        self, store: MemoryStore, other: MemoryStore, passages: PassageStore, other_passages: PassageStore,
        transaction: Transaction,
    ) -> None:  # fmt: skip
        """Whoever writes what, in whatever order; in the end each sentence stands once and has its passage."""
        space = new_space()
        ids = [(await added(store, space, f"User has {n} cats")).memory_id for n in range(6)]

        async def several(n: int) -> None:
            async with transaction():
                if n % 2:
                    await passages.add(space, [passage("of a chat", MODEL)])
                await store.used(space, ids[n:], AT)
                await store.add(space, memory(f"User has {n} dogs"), "", "ann")
                await passages.add(space, [passage("of a chat", MODEL)])

        await asyncio.gather(
            *(several(n) for n in range(6)),
            *(who.used(space, some, AT) for who in (store, other) for some in (ids, ids[::-1])),
            *(who.feedback(space, one, True, "ann") for who in (store, other) for one in ids),
            *(other_passages.add(space, [passage("of a chat", MODEL)]) for _ in range(6)),
            *(who.open_conflict(space, ids[0], one, "") for who in (store, other) for one in ids[1:3]),
            *(
                who.replace(space, ids[n], memory(f"User has {(n + 1) % 6} cats", said_at=AT + DAY), "", "ann")
                for who in (store, other)
                for n in range(3, 6)
            ),
            *(who.spend(space, AT.date(), "extract", 1) for who in (store, other) for _ in range(5)),
            store.expire(AT),
            other.delete(space, ids[2], "ann"),
        )
        assert await store.spent(space, AT.date()) == {"extract": 10}
        memories, _, conflicts = await store.export(space)
        standing = [one.content for one in memories if one.superseded_at is None and one.deleted_at is None]
        assert len(standing) == len(set(standing))
        assert {one.ups for one in memories if one.memory_id in ids} == {2}
        assert len(conflicts) <= 2
        shown = dict(await ends(passages, space))
        assert all(shown[content] is None for content in standing)
        places = [one.passage_id for one in memories if one.passage_id is not None]
        assert len(set(places)) == len(memories)
        assert set(await passages.get(space, places)) == set(places)

    async def test_nobody_waits_for_ever_when_a_model_is_used_for_the_first_time(
        self, store: MemoryStore, other: MemoryStore, passages: PassageStore
    ) -> None:
        """By all who write into the space at once."""
        space = new_space()
        one = await added(store, space, "User is 0", model=None, vector=None)
        for n in range(1, 11):
            model = f"model-{n}"
            found = replace(found_by("x"), model=model)
            edit = asyncio.create_task(other.edit(space, one.memory_id, f"User is {n}", "ann", found))
            await asyncio.gather(
                *(passages.add(space, [passage("of a chat", model)]) for _ in range(3)),
                *(added(who, space, f"User {n} {m}", model=model) for m, who in enumerate([store, other] * 2)),
            )
            edited = await edit
            assert edited is not None
            one = edited
        assert len(await contents(store, space)) == 41

    # transactions

    async def test_what_is_written_in_a_transaction_shows_when_it_ends(
        self, store: MemoryStore, transaction: Transaction, other: MemoryStore
    ) -> None:
        """To the writer before; another writer of the space waits, and then finds the sentence there."""
        space = new_space()
        async with transaction():
            mine = await added(store, space)
            waiting = asyncio.create_task(other.add(space, memory(), "", "bob"))
            assert await contents(store, space) == [mine.content]
            assert await contents(other, space) == []
            assert await other.get(space, [mine.memory_id]) == {}
            assert not waiting.done()
        assert await waiting is None
        assert await other.get(space, [mine.memory_id]) == {mine.memory_id: mine}

    async def test_a_transaction_that_fails_leaves_no_trace(
        self, store: MemoryStore, passages: PassageStore, transaction: Transaction, clock: ManualClock
    ) -> None:
        """Of any writing method."""
        space, other = new_space(), new_space()
        tea, cake, pie = [await added(store, space, f"User likes {name}") for name in ("tea", "cake", "pie")]
        green = await replaced(store, space, tea.memory_id, "User likes green tea", AT + DAY)
        open_one = await store.open_conflict(space, cake.memory_id, pie.memory_id, "")
        await store.spend(space, AT.date(), "extract", 1)
        assert open_one is not None
        before = (await state(store, passages, space), await state(store, passages, other))
        exported = await store.export(space)

        async def fail() -> None:
            async with transaction():
                await store.settle(space, open_one.conflict_id, pie.memory_id, "ann")
                await store.undo(space, green.memory_id, tea.memory_id, "ann", None, None)
                jam = await store.edit(space, pie.memory_id, "User likes jam", "ann", FoundBy())
                assert jam is not None
                await store.open_conflict(space, jam.memory_id, (await added(store, space, "x")).memory_id, "")
                await store.feedback(space, jam.memory_id, False, "ann")
                await store.used(space, [jam.memory_id], AT)
                await store.ignored(space, "User", None, "", "key")
                await store.delete(space, jam.memory_id, "ann")
                await store.purge(space, tea.memory_id)
                await store.restore(other, *exported, {})
                await store.expire(clock.now() + DAY)
                await store.spend(space, AT.date(), "extract", 1)
                await store.erase(space)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert (await state(store, passages, space), await state(store, passages, other)) == before
        assert await store.spent(space, AT.date()) == {"extract": 1}
        assert await store.add(space, memory("User"), "", "ann", "key") is not None

    async def test_a_refused_write_can_be_caught_inside_a_transaction(
        self, store: MemoryStore, passages: PassageStore, transaction: Transaction
    ) -> None:
        """What went before and after it is kept, and nothing of itself."""
        space = new_space()
        async with transaction():
            tea = await added(store, space)
            with pytest.raises(DimensionMismatch):
                await store.add(space, memory("User likes cake", vector=unit(1, 7)), "", "ann", "key")
            wrong = replace(found_by("x"), vector=unit(1, 7))
            with pytest.raises(DimensionMismatch):
                await store.edit(space, tea.memory_id, "User likes cake", "ann", wrong)
            await added(store, space, "User likes pie")
            with pytest.raises(Conflicting):
                await store.edit(space, tea.memory_id, "User likes pie", "ann", FoundBy())
        assert await contents(store, space) == ["User likes pie", "User likes tea"]
        assert len(await ends(passages, space)) == 2
        assert len((await store.export(space))[1]) == 2
        assert await store.add(space, memory("User likes cake"), "", "ann", "key") is not None

    # other people's spaces

    @pytest.mark.req("ID-8")
    async def test_a_space_is_neither_seen_nor_changed_from_another(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Both hold the same; whatever one of them does, with the other's ids too, the other is as before."""
        mine, theirs = new_space(), new_space()
        held: dict[object, list[Memory]] = {}
        for space in (mine, theirs):
            tea = await store.add(space, memory(), "", "ann", "key")
            assert tea is not None
            green = await replaced(store, space, tea.memory_id, "User likes green tea", AT + DAY)
            cake, pie = await added(store, space, "User likes cake"), await added(store, space, "User likes pie")
            await store.open_conflict(space, cake.memory_id, pie.memory_id, "either")
            await store.ignored(space, "User likes cake", cake.memory_id, "", "other key")
            await store.spend(space, AT.date(), "extract", 5)
            held[space] = [tea, green, cake, pie]
        tea, green, cake, pie = held[mine]
        foreign = [one.memory_id for one in held[theirs]]
        (conflict,) = await store.conflicts(theirs, limit=5)
        before = (await state(store, passages, theirs), await store.spent(theirs, AT.date()))
        untouched = await state(store, passages, mine)

        assert await store.get(mine, foreign) == {}
        assert await store.by_passage(mine, [one.passage_id or 0 for one in held[theirs]]) == {}
        for their in foreign:
            assert await store.history(mine, their) == ([], [])
            assert await store.replace(mine, their, memory("x", said_at=AT + 9 * DAY), "", "") is None
            assert await store.edit(mine, their, "x", "ann", FoundBy()) is None
            assert await store.undo(mine, their, foreign[0], "ann", None, None) is None
            assert await store.undo(mine, green.memory_id, their, "ann", None, None) is None
            assert await store.delete(mine, their, "ann") is None
            assert await store.purge(mine, their) == 0
            assert await store.feedback(mine, their, True, "ann") is None
            assert await store.open_conflict(mine, cake.memory_id, their, "") is None
        await store.used(mine, foreign, AT)
        assert await store.settle(mine, conflict.conflict_id, conflict.older, "ann") is None
        assert (await state(store, passages, mine), await state(store, passages, theirs)) == (untouched, before[0])

        await store.ignored(mine, "User likes cake", foreign[2], "", None)
        (my_conflict,) = await store.conflicts(mine, limit=5)
        await store.settle(mine, my_conflict.conflict_id, pie.memory_id, "ann")
        await store.undo(mine, green.memory_id, tea.memory_id, "ann", None, None)
        await store.edit(mine, pie.memory_id, "User likes jam", "ann", FoundBy())
        await store.used(mine, [pie.memory_id], AT)
        await store.feedback(mine, pie.memory_id, False, "ann")
        await store.spend(mine, AT.date(), "extract", 5)
        exported = await store.export(mine)
        await store.purge(mine, tea.memory_id)
        await store.erase(mine)
        await store.restore(mine, *exported, {})
        await store.erase(mine)
        assert (await state(store, passages, theirs), await store.spent(theirs, AT.date())) == before
        assert await store.add(theirs, memory("User"), "", "ann", "key") is None
        clock.advance(days=1)
        assert await store.expire(clock.now()) == 1
