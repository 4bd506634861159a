"""What a PassageStore promises, as tests to inherit: every engine passes all of them, none is skipped.

class TestMyPassageStore(PassageStoreContract):
    @pytest.fixture
    async def store(self, clock: ManualClock) -> AsyncIterator[MyPassageStore]:
        ...  # an open, empty store that uses this clock

    @pytest.fixture
    def transaction(self) -> Transaction:
        ...  # opens a transaction that the store's calls of the same task join

    @pytest.fixture
    async def other(self, clock: ManualClock) -> AsyncIterator[MyPassageStore]:
        ...  # the same data as another process has it open

    @pytest.fixture
    def other_transaction(self) -> Transaction:
        ...  # the same for the other
"""

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from souvenir.errors import BadInput, DimensionMismatch
from souvenir.stores.passage_ports import NewPassage, Passage, PassageStore, SpaceState
from souvenir.testing.clock import ManualClock
from souvenir.testing.passage_revision_contract import PassageRevisionContract
from souvenir.testing.passages import (
    AT,
    DIMENSION,
    MODEL,
    Follower,
    everything,
    new_space,
    passage,
    revision_of,
    states_of,
    unit,
)
from souvenir.types import SpaceId

__all__ = ["PassageStoreContract"]


class PassageStoreContract(PassageRevisionContract):
    """Inherit, and give the fixtures `store`, `transaction`, `other` and `other_transaction`."""

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The clock the stores must use."""
        return ManualClock()

    # writing and reading

    async def test_a_passage_comes_back_as_it_was_written(self, store: PassageStore) -> None:
        """Every field, with nothing added or lost."""
        new = NewPassage(
            "chunk", "Grüße 🙂\n\u2028", "grüße grüße", AT, 40, 3, 5, 7, "chat", "message", "user", "Anna Ö",
            ("b", "a", 'q"u,o{t}e', ""), "c", {"path": "/a/ü", "page": 3, "deep": [None, 1.5, {"x": True}]},
            unit(1), MODEL,
        )  # fmt: skip
        space = new_space()
        (passage_id,) = await store.add(space, [new])
        assert await store.get(space, [passage_id]) == {
            passage_id: Passage(
                passage_id, "chunk", new.text, new.terms, AT, 3, 40, "chat", "message", "user", "Anna Ö", new.tags, "c",
                new.origin,
            )
        }  # fmt: skip
        assert await everything(store, space) == {
            passage_id: (
                "chunk", "grüße grüße", AT.timestamp(), np.inf, 3, 5, 7, "chat", "message", "user", "Anna Ö", new.tags,
                "c", unit(1).astype(np.float16).tobytes(), True, new.text, 40, new.origin,
            )
        }  # fmt: skip

    async def test_what_a_passage_does_not_have_stays_empty(self, store: PassageStore) -> None:
        """None, and a row of zeros for its vector."""
        space = new_space()
        (passage_id,) = await store.add(space, [passage("x")])
        found = (await store.get(space, [passage_id]))[passage_id]
        assert (found.chat_id, found.message_id, found.role, found.speaker) == (None, None, None, None)
        assert (found.tags, found.category, found.origin, found.until) == ((), None, {}, None)
        entry = (await everything(store, space))[passage_id]
        assert entry[7:] == (None, None, None, None, (), None, bytes(2 * DIMENSION), False, "x", 1, {})

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "x" * 1_000_000,
            "👩‍👩‍👧‍👦" * 500,
            "e\u0301" * 100,
            "{}[]\"'\\%s$1;--\t\\N",
            "\ufffd\ufeff\u200b",
            "\x01\x7f",
            "我的钥匙",
        ],
        ids=["empty", "space", "a megabyte", "families", "combining", "syntax", "odd", "controls", "chinese"],
    )
    async def test_any_text_is_kept(self, store: PassageStore, text: str) -> None:
        """As text, as terms, as names and as tags."""
        space, name = new_space(), text[:100]
        (passage_id,) = await store.add(space, [passage(text, chat_id=name, speaker=name, tags=(name, name))])
        found = (await store.get(space, [passage_id]))[passage_id]
        assert (found.text, found.chat_id, found.speaker, found.tags) == (text, name, name, (name, name))
        entry = (await everything(store, space))[passage_id]
        assert (entry[1], entry[7], entry[10], entry[11], entry[15]) == (text, name, name, (name, name), text)
        (bare,) = await store.unembedded(MODEL, limit=2)
        assert (bare.space, bare.passage_id, bare.text) == (space, passage_id, text)

    async def test_ids_ascend_in_the_order_given(self, store: PassageStore) -> None:
        """Within one call and from call to call."""
        space = new_space()
        ids = [await store.add(space, [passage(f"{call} {n}") for n in range(50)]) for call in range(3)]
        flat = list(itertools.chain(*ids))
        assert flat == sorted(set(flat))
        found = await store.get(space, flat)
        assert [found[i].text for i in flat] == [f"{call} {n}" for call in range(3) for n in range(50)]
        assert (await states_of(store, [space]))[space].passages == 150

    async def test_what_is_not_there_is_left_out(self, store: PassageStore) -> None:
        """Nothing raises, nothing comes into being."""
        space = new_space()
        assert await store.get(space, [1, 2, 2**60]) == {}
        assert await store.get(space, []) == {}
        assert await states_of(store, [space]) == {space: SpaceState(0, 0)}
        assert await states_of(store, []) == {}
        assert await everything(store, space) == {}
        assert await store.unembedded(MODEL, limit=10) == []
        assert await store.count_unembedded(MODEL) == (0, 0)
        assert await store.external_ids(space, "c", ["e"]) == {}

    async def test_what_changes_nothing_leaves_the_revision(self, store: PassageStore) -> None:
        """Nobody has to read anything for it."""
        space = new_space()
        for count in (0, 1):
            revision = await revision_of(store, space)
            assert await store.add(space, []) == ()
            assert await store.remove(space, []) == 0
            assert await store.remove(space, [2**60]) == 0
            assert await store.remove_chat(space, "none") == 0
            assert await store.close(space, [2**60], AT) == 0
            assert await store.set_vectors(space, MODEL, {}) == 0
            assert await store.set_vectors(space, MODEL, {2**60: unit(1)}) == 0
            assert await states_of(store, [space]) == {space: SpaceState(revision, count)}
            await store.add(space, [passage()])

    async def test_many_passages_are_read_in_batches_and_each_once(self, store: PassageStore) -> None:
        """In order of their ids, those with a vector beside those without."""
        space = new_space()
        new = [passage(str(n), MODEL if n % 3 else None, words=n) for n in range(12_000)]
        ids = await store.add(space, new)
        batches = [change.columns async for change in store.changes(space, 0, 1, MODEL, DIMENSION)]
        assert len(batches) > 1
        assert np.concatenate([batch.ids for batch in batches]).tolist() == list(ids)
        assert np.concatenate([batch.words for batch in batches]).tolist() == list(range(12_000))
        embedded = np.concatenate([batch.embedded for batch in batches])
        assert embedded.tolist() == [bool(n % 3) for n in range(12_000)]
        vectors = np.concatenate([batch.vectors for batch in batches])
        assert vectors.dtype == np.float16
        assert np.array_equal(vectors[7001], unit(sum(b"7001")).astype(np.float16))
        assert not vectors[~embedded].any()

    # taking away

    async def test_removed_passages_are_gone(self, store: PassageStore) -> None:
        """Counted once, however often they are named."""
        space = new_space()
        first, second, third = await store.add(space, [passage(text) for text in "abc"])
        assert await store.remove(space, [first, third, first, 2**60]) == 2
        assert await store.remove(space, [first]) == 0
        assert list(await store.get(space, [first, second, third])) == [second]
        assert (await states_of(store, [space]))[space].passages == 1

    async def test_a_chat_is_removed_with_its_external_ids_and_a_message_without(self, store: PassageStore) -> None:
        """Other chats and other messages stay; a message may be said anew under its external id."""
        space = new_space()
        places = [("c", "m1"), ("c", "m1"), ("c", "m2"), ("c", None), ("d", "m1"), (None, None)]
        ids = await store.add(space, [passage(chat_id=chat, message_id=message) for chat, message in places])
        await store.record_external_ids(space, "c", {"e1": "m1", "e2": "m2"})
        await store.record_external_ids(space, "d", {"e1": "m1"})
        assert await store.remove_message(space, "c", "m1") == 2
        assert set(await store.get(space, ids)) == set(ids[2:])
        assert await store.external_ids(space, "c", ["e1", "e2"]) == {"e1": "m1", "e2": "m2"}
        assert await store.remove_chat(space, "c") == 2
        assert set(await store.get(space, ids)) == set(ids[4:])
        assert await store.external_ids(space, "c", ["e1", "e2"]) == {}
        assert await store.external_ids(space, "d", ["e1"]) == {"e1": "m1"}
        await store.record_external_ids(space, "never indexed", {"e": "m"})
        assert await store.remove_chat(space, "never indexed") == 0
        assert await store.external_ids(space, "never indexed", ["e"]) == {}

    async def test_the_earliest_end_counts(self, store: PassageStore) -> None:
        """Whether it came with the passage or later; a later one changes nothing."""
        space = new_space()
        soon, late = AT + timedelta(days=1), AT + timedelta(days=2)
        ids = await store.add(space, [passage("a"), passage("b"), passage("c"), passage("d", until=soon)])
        first, second, third, fourth = ids
        assert await store.close(space, [first, first, fourth], soon) == 1
        assert await store.close(space, [first, second, fourth, 2**60], late) == 1
        ends = {passage_id: found.until for passage_id, found in (await store.get(space, ids)).items()}
        assert ends == {first: soon, second: late, third: None, fourth: soon}
        known = await everything(store, space)
        assert [known[i][3] for i in ids] == [soon.timestamp(), late.timestamp(), np.inf, soon.timestamp()]
        revision = await revision_of(store, space)
        assert await store.close(space, ids[:2], late) == 0
        assert await revision_of(store, space) == revision
        assert await store.close(space, [second, fourth], AT) == 2
        assert {(await store.get(space, [one]))[one].until for one in (second, fourth)} == {AT}

    # external ids

    async def test_an_external_id_keeps_the_message_it_was_given_first(self, store: PassageStore) -> None:
        """Per chat; those never recorded are left out."""
        space = new_space()
        await store.record_external_ids(space, "c", {"é 1": "m1", "2": "m2"})
        await store.record_external_ids(space, "c", {"2": "other", "3": "m2"})
        await store.record_external_ids(space, "c", {})
        await store.record_external_ids(space, "d", {"2": "m9"})
        assert await store.external_ids(space, "c", ["é 1", "2", "3", "4", "2"]) == {"é 1": "m1", "2": "m2", "3": "m2"}
        assert await store.external_ids(space, "d", ["é 1", "2"]) == {"2": "m9"}
        assert await store.external_ids(space, "c", []) == {}
        assert await states_of(store, [space]) == {space: SpaceState(0, 0)}

    # vectors

    async def test_a_vector_of_another_model_or_length_is_as_none(self, store: PassageStore) -> None:
        """An index reads those of one model."""
        space = new_space()
        ids = await store.add(space, [passage("a", MODEL), passage("b", "model-b", vector=unit(1, 6)), passage("c")])
        for model, dimension, embedded in (
            (MODEL, DIMENSION, [True, False, False]),
            ("model-b", 6, [False, True, False]),
            ("model-b", DIMENSION, [False, False, False]),
            ("unknown", 3, [False, False, False]),
        ):
            (change,) = [change async for change in store.changes(space, 0, 1, model, dimension)]
            assert change.columns.ids.tolist() == list(ids)
            assert change.columns.embedded.tolist() == embedded
            assert change.columns.vectors.shape == (3, dimension)
            assert change.columns.vectors.any(axis=1).tolist() == embedded
        shown = await store.get(space, ids, "model-b")
        assert [shown[i].vector is None for i in ids] == [True, False, True]
        vector = shown[ids[1]].vector
        assert vector is not None
        assert vector.tolist() == unit(1, 6).astype(np.float16).tolist()
        assert {found.vector for found in (await store.get(space, ids)).values()} == {None}

    @pytest.mark.parametrize(
        "vector",
        [[1, np.nan], [np.inf, 0], [-np.inf, 0], [1e6, 0], [], [[1, 0], [0, 1]], [1] * 16_001],
        ids=["nan", "infinite", "minus infinite", "too large", "empty", "a matrix", "too long"],
    )
    async def test_a_vector_that_is_none_is_refused(self, store: PassageStore, vector: list[Any]) -> None:
        """All that came with it too, and what was there stays."""
        space, bad = new_space(), np.array(vector, np.float32)
        (kept,) = await store.add(space, [passage("a", MODEL, vector=unit(1, 2))])
        before = (await states_of(store, [space]), await store.get(space, [kept]))
        with pytest.raises(BadInput) as refused:
            await store.add(space, [passage("b"), passage("c", MODEL, vector=bad)])
        assert refused.value.field == "vector"
        with pytest.raises(BadInput) as refused:
            await store.set_vectors(space, MODEL, {kept: bad})
        assert refused.value.field == "vector"
        assert (await states_of(store, [space]), await store.get(space, [kept])) == before

    async def test_a_vector_comes_with_its_model_or_not_at_all(self, store: PassageStore) -> None:
        """Else nobody could tell what it means."""
        for half in (replace(passage("a", MODEL), model=None), replace(passage("a", MODEL), vector=None)):
            with pytest.raises(BadInput, match="vector"):
                await store.add(new_space(), [half])

    async def test_a_model_keeps_the_length_of_its_first_vector_in_all_spaces(self, store: PassageStore) -> None:
        """Another length is refused, and nothing is written."""
        space, elsewhere = new_space(), new_space()
        with pytest.raises(DimensionMismatch):
            await store.add(space, [passage("a", MODEL), passage("b", MODEL, vector=unit(1, 5))])
        (kept,) = await store.add(space, [passage("a", MODEL)])
        for place in (space, elsewhere):
            with pytest.raises(DimensionMismatch, match=MODEL):
                await store.add(place, [passage("b"), passage("c", MODEL, vector=unit(1, 5))])
        with pytest.raises(DimensionMismatch, match=MODEL):
            await store.set_vectors(space, MODEL, {kept: unit(1, 3)})
        assert await states_of(store, [space, elsewhere]) == {space: SpaceState(1, 1), elsewhere: SpaceState(0, 0)}

    async def test_passages_without_a_vector_are_found_by_space_and_id(self, store: PassageStore) -> None:
        """Of one space or all, some at a time, until there are none."""
        spaces = sorted(new_space() for _ in range(3))
        bare: list[tuple[SpaceId, int]] = []
        for space in spaces[::-1]:
            ids = await store.add(space, [passage(str(n), MODEL if n % 2 else None) for n in range(6)])
            bare += [(space, passage_id) for passage_id in ids[::2]]
        bare.sort()
        assert await store.count_unembedded(MODEL) == (9, 18)
        found = await store.unembedded(MODEL, limit=100)
        assert [(one.space, one.passage_id) for one in found] == bare
        assert [one.text for one in found] == ["0", "2", "4"] * 3
        assert await store.unembedded(MODEL, limit=4) == found[:4]
        assert await store.unembedded(MODEL, limit=2, space=spaces[1]) == found[3:5]
        assert await store.unembedded(MODEL, limit=2, space=new_space()) == []
        while found := await store.unembedded(MODEL, limit=2):
            for one in found:
                assert await store.set_vectors(one.space, MODEL, {one.passage_id: unit(one.passage_id)}) == 1
        assert await store.count_unembedded(MODEL) == (0, 18)
        known = await everything(store, spaces[0])
        assert [known[i][13] for s, i in bare[:3]] == [unit(i).astype(np.float16).tobytes() for s, i in bare[:3]]

    async def test_another_model_takes_the_place_of_the_one_before(self, store: PassageStore) -> None:
        """Passage by passage, with another length too; both can be read while it goes on."""
        spaces = sorted(new_space() for _ in range(2))
        new = [passage("a", MODEL), passage("b"), passage("c", "model-0"), passage("d", MODEL)]
        ids = {space: await store.add(space, new) for space in spaces}
        wanted = "model-z"
        assert await store.count_unembedded(wanted) == (8, 8)
        assert await store.count_unembedded(MODEL) == (4, 8)
        waiting = await store.unembedded(wanted, limit=100)
        assert [(one.space, one.passage_id) for one in waiting] == [(space, i) for space in spaces for i in ids[space]]
        assert await store.unembedded(wanted, limit=3) == waiting[:3]
        assert await store.unembedded(wanted, limit=3, space=spaces[1]) == waiting[4:7]
        first, second, *_ = ids[spaces[0]]
        assert (
            await store.set_vectors(spaces[0], wanted, {second: unit(2, 6), 2**60: unit(3, 6), first: unit(1, 6)}) == 2
        )
        assert await store.count_unembedded(wanted) == (6, 8)
        assert await store.unembedded(wanted, limit=100) == waiting[2:]
        (change,) = [change async for change in store.changes(spaces[0], 1, 2, wanted, 6)]
        assert change.columns.ids.tolist() == [first, second]
        assert change.columns.embedded.all()
        assert np.array_equal(change.columns.vectors[0], unit(1, 6).astype(np.float16))
        assert [entry[14] for entry in (await everything(store, spaces[0])).values()] == [False, False, False, True]

    # other people's spaces

    @pytest.mark.req("ID-8")
    async def test_a_space_is_neither_seen_nor_changed_from_another(
        self, store: PassageStore, clock: ManualClock
    ) -> None:
        """Both hold the same; whatever one of them does, with the other's ids too, the other is as before."""
        mine, theirs = new_space(), new_space()
        same = [passage(text, chat_id="c", message_id=text) for text in "abc"] + [passage("d", MODEL)]
        ids, foreign = await store.add(mine, same), await store.add(theirs, same)
        for space in (mine, theirs):
            await store.record_external_ids(space, "c", {"e": f"of {space}"})

        async def theirs_now() -> object:
            return (
                await states_of(store, [theirs]), await store.get(theirs, foreign), await everything(store, theirs),
                await store.external_ids(theirs, "c", ["e", "f"]), await store.unembedded(MODEL, limit=9, space=theirs),
            )  # fmt: skip

        before = await theirs_now()
        assert not set(ids) & set(foreign)
        assert await store.get(mine, foreign) == {}
        assert set(await everything(store, mine)) == set(ids)
        assert await store.external_ids(mine, "c", ["e"]) == {"e": f"of {mine}"}
        assert await store.remove(mine, foreign) == 0
        assert await store.close(mine, foreign, AT) == 0
        assert await store.set_vectors(mine, MODEL, dict.fromkeys(foreign, unit(1))) == 0
        assert await revision_of(store, mine) == 1
        await store.close(mine, ids, AT)
        await store.set_vectors(mine, MODEL, dict.fromkeys(ids, unit(1)))
        await store.record_external_ids(mine, "c", {"f": "mine"})
        assert await store.remove(mine, [*ids[:1], *foreign]) == 1
        assert await store.remove_message(mine, "c", "b") == 1
        assert await store.remove_chat(mine, "c") == 1
        clock.advance(days=1)
        assert await store.forget_removals(clock.now()) == 3
        assert await theirs_now() == before
        assert await Follower(store, theirs).read(1, 1) == (set(), set())
