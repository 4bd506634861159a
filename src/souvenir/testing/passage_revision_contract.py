"""The part of PassageStoreContract on revisions, transactions and several writers; inherit the whole."""

import asyncio
from datetime import timedelta

import pytest

from souvenir.errors import DimensionMismatch
from souvenir.stores.passage_ports import PassageStore, SpaceState
from souvenir.testing.clock import ManualClock
from souvenir.testing.passages import (
    AT,
    DIMENSION,
    MODEL,
    Follower,
    Transaction,
    entries,
    everything,
    new_space,
    passage,
    revision_of,
    states_of,
    unit,
)


class PassageRevisionContract:
    """What an index that follows a space, and a writer beside others, can rely on."""

    # following

    async def test_a_revision_grows_with_every_change_and_tells_what_changed(self, store: PassageStore) -> None:
        """Adding, closing, embedding and removing."""
        space = new_space()
        follower = Follower(store, space)
        a, b, c = await store.add(space, [passage(text) for text in "abc"])
        assert await follower.read(0, await revision_of(store, space)) == ({a, b, c}, set())
        (d,) = await store.add(space, [passage("d")])
        assert await follower.read(follower.revision, await revision_of(store, space)) == ({d}, set())
        await store.close(space, [a], AT)
        assert await follower.read(follower.revision, await revision_of(store, space)) == ({a}, set())
        await store.set_vectors(space, MODEL, {b: unit(1), d: unit(2)})
        assert await follower.read(follower.revision, await revision_of(store, space)) == ({b, d}, set())
        await store.remove(space, [c])
        assert await follower.read(follower.revision, await revision_of(store, space)) == (set(), {c})
        await store.close(space, [b], AT)
        await store.remove(space, [d])
        assert await follower.read(follower.revision, await revision_of(store, space)) == ({b}, {d})
        assert await follower.read(follower.revision, await revision_of(store, space)) == (set(), set())
        assert follower.known == await everything(store, space)
        assert set(follower.known) == {a, b}

    async def test_what_came_and_went_in_between_shows_at_most_as_removed(self, store: PassageStore) -> None:
        """An index that never knew it takes no harm."""
        space = new_space()
        await store.add(space, [passage("a")])
        follower = Follower(store, space)
        await follower.refresh()
        before = dict(follower.known)
        (gone,) = await store.add(space, [passage("b")])
        await store.remove(space, [gone])
        came, went = await follower.read(follower.revision, await revision_of(store, space))
        assert (came, went - {gone}, follower.known) == (set(), set(), before)

    async def test_what_was_added_after_the_revision_asked_for_comes_next_time(self, store: PassageStore) -> None:
        """And removals after it."""
        space = new_space()
        a, b = await store.add(space, [passage("a"), passage("b")])
        first = await revision_of(store, space)
        (c,) = await store.add(space, [passage("c")])
        follower = Follower(store, space)
        assert await follower.read(0, first) == ({a, b}, set())
        await store.remove(space, [b])
        assert await follower.read(first, first + 1) == ({c}, set())
        assert await follower.read(first + 1, first + 2) == (set(), {b})

    async def test_a_passage_that_changes_while_a_space_is_read_is_neither_lost_nor_removed(
        self, store: PassageStore
    ) -> None:
        """It is there after this reading, and as it is now after the next."""
        space = new_space()
        ids = await store.add(space, [passage(str(n), MODEL) for n in range(11_000)])
        until = await revision_of(store, space)
        follower = Follower(store, space)
        steps = [
            lambda: store.close(space, [ids[0], ids[-1]], AT),
            lambda: store.set_vectors(space, MODEL, {ids[1]: unit(5), ids[-2]: unit(6)}),
        ]
        await store.close(space, [ids[5], ids[-5]], AT)
        async for change in store.changes(space, 0, until, MODEL, DIMENSION):
            follower.known.update(entries(change.columns))
            assert not len(change.removed)
            if steps:
                await steps.pop()()
        follower.revision = until
        assert set(follower.known) == set(ids)
        await store.remove(space, [ids[2], ids[-3]])
        await follower.refresh()
        assert follower.known == await everything(store, space)
        assert len(follower.known) == 10_998

    async def test_forgotten_removals_make_an_old_index_start_anew(
        self, store: PassageStore, clock: ManualClock
    ) -> None:
        """And only an old one: what was removed later is still on record."""
        space, untouched = new_space(), new_space()
        ids = await store.add(space, [passage(str(n)) for n in range(4)])
        await store.add(untouched, [passage("x")])
        old = await revision_of(store, space)
        await store.remove(space, ids[:2])
        middle = await revision_of(store, space)
        clock.advance(days=2)
        await store.remove(space, ids[2:3])
        last = await revision_of(store, space)
        assert await store.forget_removals(clock.now() - timedelta(days=1)) == 2
        assert await store.forget_removals(clock.now() - timedelta(days=1)) == 0
        with pytest.raises(LookupError):
            await Follower(store, space).read(old, last)
        assert await Follower(store, space).read(middle, last) == (set(), {ids[2]})
        assert await Follower(store, space).read(0, last) == ({ids[3]}, set())
        assert await Follower(store, untouched).read(1, 1) == (set(), set())

    async def test_a_revision_the_space_never_had_cannot_be_followed(self, store: PassageStore) -> None:
        """As when an older copy of the database was put back under a running process."""
        space = new_space()
        await store.add(space, [passage()])
        for where, since in ((space, 2), (new_space(), 1)):
            with pytest.raises(LookupError):
                await Follower(store, where).read(since, since)

    # several writers

    async def test_whoever_reads_a_revision_sees_every_change_up_to_it(
        self, store: PassageStore, other: PassageStore
    ) -> None:
        """Two processes write, each reads along; at every revision the space is as large as it says."""
        space = new_space()
        done = asyncio.Event()

        async def follow(reader: PassageStore) -> Follower:
            follower = Follower(reader, space)
            while not done.is_set():
                state = await follower.refresh()
                assert len(follower.known) == state.passages
            await follower.refresh()
            return follower

        async def write(writer: PassageStore) -> None:
            for size in (1, 3, 2, 40, 1) * 6:
                await writer.add(space, [passage() for _ in range(size)])

        readers = [asyncio.create_task(follow(reader)) for reader in (store, other)]
        await asyncio.gather(*(write(writer) for writer in (store, other, store, other)))
        done.set()
        here, there = await asyncio.gather(*readers)
        assert here.known == there.known == await everything(store, space)
        assert await states_of(store, [space]) == {space: SpaceState(120, 4 * 6 * 47)}

    @pytest.mark.parametrize("how", ["add", "close", "embed", "remove"])
    async def test_a_change_that_waited_for_another_writer_has_a_revision_of_its_own(
        self,
        store: PassageStore,
        transaction: Transaction,
        other: PassageStore,
        other_transaction: Transaction,
        how: str,
    ) -> None:
        """Whoever read the first writer's revision is told of the second's change."""
        space, seen = new_space(), asyncio.Event()
        (old,) = await store.add(space, [passage("a")])
        follower = Follower(store, space)

        async def change() -> None:
            async with other_transaction():
                if how == "add":
                    await other.add(space, [passage("c")])
                elif how == "close":
                    await other.close(space, [old], AT)
                elif how == "embed":
                    await other.set_vectors(space, MODEL, {old: unit(1)})
                else:
                    await other.remove(space, [old])
                await seen.wait()

        async with transaction():
            await store.add(space, [passage("b")])
            second = asyncio.create_task(change())
            for _ in range(50):  # time for the second to come as far as it can
                await store.get(space, [old])
        assert await follower.refresh() == SpaceState(2, 2)
        seen.set()
        await second
        assert (await follower.refresh()).revision == 3
        assert follower.known == await everything(store, space)

    async def test_writers_that_remove_and_close_the_same_passages_count_each_once(
        self, store: PassageStore, other: PassageStore
    ) -> None:
        """In whatever order they name them, none waits for ever."""
        space = new_space()
        ids = await store.add(space, [passage(str(n)) for n in range(40)])
        follower = Follower(store, space)
        await follower.refresh()
        removed = await asyncio.gather(
            *(who.remove(space, some) for who in (store, other) for some in (ids[:20], ids[19::-1], ids[5:15]))
        )
        closed = await asyncio.gather(
            *(who.close(space, some, AT) for who in (store, other) for some in (ids[20:], ids[:19:-1]))
        )
        assert (sum(removed), sum(closed)) == (20, 20)
        assert (await follower.refresh()).passages == 20
        assert follower.known == await everything(other, space)
        assert set(follower.known) == set(ids[20:])

    async def test_what_is_written_in_a_transaction_shows_when_it_ends(
        self, store: PassageStore, transaction: Transaction, other: PassageStore
    ) -> None:
        """To the writer before; another writer of the space waits."""
        space = new_space()
        async with transaction():
            (mine,) = await store.add(space, [passage("a", MODEL)])
            waiting = asyncio.create_task(other.add(space, [passage("b")]))
            await store.record_external_ids(space, "c", {"e": "m"})
            await store.close(space, [mine], AT)
            assert (await store.get(space, [mine]))[mine].until == AT
            assert set(await everything(store, space)) == {mine}
            assert await states_of(other, [space]) == {space: SpaceState(0, 0)}
            assert await other.get(space, [mine]) == {}
            assert await other.external_ids(space, "c", ["e"]) == {}
            assert not waiting.done()
        (theirs,) = await waiting
        assert set(await everything(other, space)) == {mine, theirs}
        assert await other.external_ids(space, "c", ["e"]) == {"e": "m"}

    async def test_a_transaction_that_fails_leaves_no_trace(
        self, store: PassageStore, transaction: Transaction
    ) -> None:
        """Of any writing method; not even of a model that was used for the first time."""
        space = new_space()
        kept = await store.add(space, [passage("a", MODEL, chat_id="c", message_id="m"), passage("b", MODEL)])
        await store.record_external_ids(space, "c", {"e": "m"})
        before = (await states_of(store, [space]), await everything(store, space), await store.get(space, kept))

        async def fail() -> None:
            async with transaction():
                await store.add(space, [passage("c", "model-new", vector=unit(1, 9))])
                await store.close(space, kept, AT)
                await store.set_vectors(space, MODEL, {kept[1]: unit(77)})
                await store.remove(space, kept[1:])
                await store.remove_message(space, "c", "m")
                await store.record_external_ids(space, "c", {"f": "n"})
                assert (await states_of(store, [space]))[space].passages == 1
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert (await states_of(store, [space]), await everything(store, space), await store.get(space, kept)) == before
        assert await store.external_ids(space, "c", ["e", "f"]) == {"e": "m"}
        assert await Follower(store, space).read(1, 1) == (set(), set())
        await store.add(space, [passage("c", "model-new", vector=unit(1, 5))])

    async def test_a_refused_write_can_be_caught_inside_a_transaction(
        self, store: PassageStore, transaction: Transaction
    ) -> None:
        """What went before and after it is kept."""
        space = new_space()
        async with transaction():
            (first,) = await store.add(space, [passage("a", MODEL)])
            with pytest.raises(DimensionMismatch):
                await store.add(space, [passage("b", MODEL, vector=unit(1, 7))])
            (second,) = await store.add(space, [passage("c", MODEL)])
        assert set(await everything(store, space)) == {first, second}

    async def test_one_at_a_time_indexes_into_a_locked_chat(
        self, store: PassageStore, transaction: Transaction, other: PassageStore, other_transaction: Transaction
    ) -> None:
        """So that what eight deliver at once is there once; another chat or space is free meanwhile."""
        space = new_space()

        async def deliver(who: PassageStore, begin: Transaction, name: int) -> None:
            async with begin():
                await who.lock_chat(space, "c")
                if not await who.external_ids(space, "c", ["e"]):
                    await who.add(space, [passage(chat_id="c", message_id=str(name))])
                    await who.record_external_ids(space, "c", {"e": str(name)})

        async with transaction():
            for place, chat in ((space, "d"), (new_space(), "c")):
                await store.lock_chat(place, chat)
            pairs = [(store, transaction), (other, other_transaction)] * 4
            await asyncio.gather(*(deliver(who, begin, name) for name, (who, begin) in enumerate(pairs)))
        assert await states_of(store, [space]) == {space: SpaceState(1, 1)}
        (entry,) = (await everything(store, space)).values()
        assert await store.external_ids(space, "c", ["e"]) == {"e": entry[8]}
