"""What a MemoryStore promises, as tests to inherit: every engine passes all of them, none is skipped.

class TestMyMemoryStore(MemoryStoreContract):
    @pytest.fixture
    async def store(self, clock: ManualClock) -> AsyncIterator[MyMemoryStore]:
        ...  # an open, empty store that uses this clock

    @pytest.fixture
    def passages(self) -> PassageStore:
        ...  # where it writes its passages

    @pytest.fixture
    def transaction(self) -> Transaction:
        ...  # opens a transaction that the calls of both join in the same task

    @pytest.fixture
    async def other(self, clock: ManualClock) -> AsyncIterator[MyMemoryStore]:
        ...  # the same data as another process has it open

    @pytest.fixture
    def other_passages(self) -> PassageStore:
        ...  # the same for its passages
"""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from souvenir.errors import BadInput
from souvenir.stores.chat_rules import is_ulid
from souvenir.stores.memory_ports import Audit, FoundBy, Memory, MemoryCounts, MemoryFilter, MemoryStore, NewMemory
from souvenir.stores.passage_ports import Passage, PassageStore
from souvenir.testing.clock import ManualClock
from souvenir.testing.memories import ALL, added, contents, ends, found_by, memory, replaced, state
from souvenir.testing.memory_archive_contract import MemoryArchiveContract
from souvenir.testing.memory_sharing_contract import MemorySharingContract
from souvenir.testing.memory_versions_contract import MemoryVersionsContract
from souvenir.testing.memory_writers_contract import MemoryWritersContract
from souvenir.testing.passages import AT, MODEL, new_space, states_of, unit

__all__ = ["MemoryStoreContract"]

DAY = timedelta(days=1)
TEXTS = {
    "a sentence": "User's wife is named Jane.",
    "families": "User hat drei Kinder 👩‍👩‍👧‍👦" * 20,
    "combining": "User lives in Cafe\u0301",
    "syntax": "{}[]\"'\\%s$1;--\t\\N _%",
    "odd": "\ufffd\ufeff\u200b",
    "chinese": "用户住在北京。",
    "arabic": "المستخدم يعيش في القاهرة؟",
    "empty": "",
    "a hundred thousand": "word " * 20_000,
}
UNSTORABLE = pytest.mark.parametrize("text", ["a\x00b", "\ud800"], ids=["NUL", "half a pair"])


class MemoryStoreContract(MemoryVersionsContract, MemoryArchiveContract, MemoryWritersContract, MemorySharingContract):
    """Inherit, and give the fixtures `store`, `passages`, `transaction`, `other` and `other_passages`."""

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The clock the stores must use."""
        return ManualClock()

    # adding and reading

    async def test_a_memory_comes_back_as_it_was_written(self, store: MemoryStore, clock: ManualClock) -> None:
        """Every field, with nothing added or lost."""
        space, now = new_space(), clock.now()
        new = NewMemory(
            "User likes Grüße 🙂", "identity", 9, 0.123456789, "weil", "deadline", AT, "model", now + DAY,
            {"chat_id": "c", "message_id": "m", "deep": [None, 1.5, {"x": True}]}, True,
        )  # fmt: skip
        stored = await store.add(space, new, "new", "ann")
        assert stored is not None
        assert stored == Memory(
            stored.memory_id, stored.memory_id, 1, new.content, "identity", 9, 0.123456789, "weil", "deadline", "model",
            AT, now, now, now + DAY, new.origin, True, None, None, None, stored.passage_id,
        )  # fmt: skip
        assert is_ulid(stored.memory_id)
        assert await store.get(space, [stored.memory_id]) == {stored.memory_id: stored}
        assert (await store.list(space, MemoryFilter(), limit=5)).items == (stored,)
        audit = Audit("add", stored.memory_id, None, new.content, "new", "ann", now)
        assert await store.history(space, stored.memory_id) == ([stored], [audit])

    async def test_a_memory_has_a_passage(self, store: MemoryStore, passages: PassageStore, clock: ManualClock) -> None:
        """Of no chat, which it outlives; found from when it was said until it expires."""
        space = new_space()
        stored = await added(store, space, "User likes tea", expires_at=clock.now(), origin={"chat_id": "c"})
        assert stored.passage_id is not None
        shown = await passages.get(space, [stored.passage_id], MODEL)
        vector = shown[stored.passage_id].vector
        assert vector is not None
        assert vector.tolist() == unit(sum(b"User likes tea")).astype(np.float16).tolist()
        assert replace(shown[stored.passage_id], vector=None) == Passage(
            stored.passage_id, "memory", "User likes tea", "user likes tea", AT, 0, 14, None, None, None, None, (),
            "preference", {"chat_id": "c", "memory_id": stored.memory_id}, clock.now(),
        )  # fmt: skip
        assert await store.by_passage(space, [stored.passage_id, 2**60]) == {stored.passage_id: stored}
        assert await passages.remove_chat(space, "c") == 0
        bare = await added(store, space, "User likes cake", vector=None, model=None)
        assert [one.passage_id for one in await passages.unembedded(MODEL, limit=5)] == [bare.passage_id]

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    async def test_any_text_is_kept(self, store: MemoryStore, text: str) -> None:
        """In every field that is one, through every change, and found again by any part of it."""
        space, name = new_space(), text[:50]
        fields = {"category": name, "reasoning": text, "lifetime": name, "origin": {name: text}}
        first = await store.add(space, memory(text, **fields), text, name, name)
        assert first is not None
        assert (await store.get(space, [first.memory_id]))[first.memory_id] == first
        assert (first.content, first.category, first.origin) == (text, name, {name: text})
        for part in (text, text[3:9].upper(), text[-5:]):
            only = MemoryFilter(category=name, containing=part)
            assert (await store.list(space, only, limit=5)).items == (first,)
        second = await store.edit(space, first.memory_id, f"{text} too", name, found_by(text))
        assert second is not None
        _, audit = await store.history(space, first.memory_id)
        assert [(one.old, one.new, one.reason, one.by) for one in audit] == [
            (None, text, text, name),
            (text, f"{text} too", "", name),
        ]

    @UNSTORABLE
    async def test_a_text_that_cannot_be_kept_is_refused_and_changes_nothing(
        self, store: MemoryStore, passages: PassageStore, text: str
    ) -> None:
        """And what cannot be anybody's id is nobody's."""
        space = new_space()
        first, second = await added(store, space), await added(store, space, "User likes cake")
        one = first.memory_id
        before = await state(store, passages, space)
        for bad in (memory(text), memory("x", category=text), memory("x", origin={"x": text}), memory("x", terms=text)):
            with pytest.raises(BadInput):
                await store.add(space, bad, "", "")
            with pytest.raises(BadInput):
                await store.replace(space, one, replace(bad, said_at=AT + DAY), "", "")
        with pytest.raises(BadInput, match="content"):
            await store.edit(space, one, text, "", FoundBy())
        with pytest.raises(BadInput):
            await store.open_conflict(space, one, second.memory_id, text)
        with pytest.raises(BadInput):
            await store.ignored(space, text, None, "", None)
        assert await store.get(space, [text]) == {}
        assert await store.replace(space, text, memory("y", said_at=AT + DAY), "", "") is None
        assert await store.edit(space, text, "y", "", FoundBy()) is None
        assert await store.undo(space, text, text, "", None, None) is None
        assert await store.delete(space, text, "") is None
        assert await store.purge(space, text) == 0
        assert await store.history(space, text) == ([], [])
        assert await store.feedback(space, text, True, "") is None
        await store.used(space, [text], AT)
        assert await store.open_conflict(space, text, one, "") is None
        assert await store.settle(space, text, one, "") is None
        for only in (MemoryFilter(containing=text), MemoryFilter(category=text)):
            assert (await store.list(space, only, limit=5)).items == ()
        assert await state(store, passages, space) == before

    async def test_ids_ascend_within_a_moment_and_when_the_clock_goes_back(
        self, store: MemoryStore, clock: ManualClock
    ) -> None:
        """So that a page never skips or repeats what comes while it is read."""
        space = new_space()
        ids = [(await added(store, space, f"User has {n} cats")).memory_id for n in range(5)]
        clock.advance(days=-1)
        ids += [(await added(store, space, f"User has {n} dogs")).memory_id for n in range(3)]
        edited = await store.edit(space, ids[-1], "User has no dogs", "ann", FoundBy())
        assert edited is not None
        assert [*ids, edited.memory_id] == sorted({*ids, edited.memory_id})

    async def test_what_is_not_there_is_left_out(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """Nothing raises, nothing comes into being."""
        space = new_space()
        gone, before = "01J" + "0" * 23, await state(store, passages, space)
        assert await store.get(space, []) == {}
        assert await store.get(space, [gone, "nonsense", ""]) == {}
        assert await store.by_passage(space, [1, 2**60]) == {}
        assert await store.history(space, gone) == ([], [])
        assert await store.replace(space, gone, memory(), "", "") is None
        assert await store.edit(space, gone, "x", "ann", FoundBy()) is None
        assert await store.undo(space, gone, gone, "ann", None, None) is None
        assert await store.delete(space, gone, "ann") is None
        assert await store.feedback(space, gone, True, "ann") is None
        assert await store.open_conflict(space, gone, gone, "") is None
        assert await store.settle(space, gone, gone, "ann") is None
        assert (await store.purge(space, gone), await store.expire(clock.now())) == (0, 0)
        await store.used(space, [gone], AT)
        assert await store.spent(space, AT.date()) == {}
        assert set((await store.erase(space)).values()) == {0}
        assert await state(store, passages, space) == before

    # the same sentence

    @pytest.mark.parametrize(
        ("one", "another"),
        [
            ("User likes tea", "user LIKES tea"),
            ("User likes tea", "  User likes tea.\n"),
            ("User likes tea!", "User likes tea . . ."),
            ("User wohnt in der Straße", "USER WOHNT IN DER STRASSE"),
            ("User lives in Cafe\u0301", "User lives in CAF\u00c9"),
            ("用户住在北京。", "用户住在北京"),
            ("المستخدم يعيش في القاهرة؟", "المستخدم يعيش في القاهرة"),
            ("", " "),
        ],
    )
    async def test_a_sentence_is_in_a_space_once(self, store: MemoryStore, one: str, another: str) -> None:
        """However it is written."""
        space = new_space()
        await added(store, space, one)
        assert await store.add(space, memory(another), "", "") is None
        assert await contents(store, space) == [one]

    @pytest.mark.parametrize(
        ("one", "another"),
        [
            ("User likes C", "User likes C#"),
            ("User likes C", "User likes C++"),
            ("User likes tea", "User  likes tea"),
            ("User likes tea", ".User likes tea"),
            ("User lives in Malmo", "User lives in Malmö"),
            ("?", "!"),
        ],
    )
    async def test_other_sentences_are_others(self, store: MemoryStore, one: str, another: str) -> None:
        """A sign that is part of a name is no punctuation."""
        space = new_space()
        await added(store, space, one)
        await added(store, space, another)
        assert await contents(store, space) == [another, one]

    async def test_a_sentence_that_was_deleted_or_replaced_may_come_again(self, store: MemoryStore) -> None:
        """As a memory of its own."""
        space = new_space()
        first = await added(store, space)
        await store.delete(space, first.memory_id, "ann")
        second = await added(store, space)
        await replaced(store, space, second.memory_id, "User likes cake", AT + DAY)
        third = await added(store, space)
        assert len({first.lineage, second.lineage, third.lineage}) == 3
        assert await contents(store, space) == ["User likes tea", "User likes cake"]

    async def test_an_expired_memory_makes_way_for_its_own_words(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """However they come: added, replacing, edited or restored."""
        space, soon = new_space(), clock.now() + DAY
        away = await added(store, space, "User is away")
        home = await replaced(store, space, away.memory_id, "User is home", AT + DAY)
        texts = ["User is in Bonn", "User is in Rome", "User is ill", "User is away"]
        old = [await added(store, space, text, expires_at=soon) for text in texts]
        well = await added(store, space, "User is well")
        paris = await added(store, space, "User is in Paris")
        clock.set(soon)
        now = clock.now()
        new = [
            await store.add(space, memory("user is in bonn", said_at=now), "", "ann"),
            await store.replace(space, paris.memory_id, memory("User is in Rome!", said_at=now), "", "ann"),
            await store.edit(space, well.memory_id, "User is ill", "ann", found_by("x")),
            await store.undo(space, home.memory_id, away.memory_id, "ann", None, None),
        ]
        assert [one.version for one in new if one is not None] == [1, 2, 2, 3]
        found = await store.get(space, [one.memory_id for one in old])
        assert [found[one.memory_id].superseded_by for one in old] == [one.memory_id for one in new if one is not None]
        assert {(one.superseded_at, one.updated_at) for one in found.values()} == {(now, now)}
        assert await contents(store, space) == ["User is away", "User is ill", "User is in Rome!", "user is in bonn"]
        assert [until for text, until in await ends(passages, space) if text in texts[:3]] == [now, now, now, None]
        _, audit = await store.history(space, old[0].memory_id)
        assert [(one.event, one.old, one.new, one.other) for one in audit] == [
            ("add", None, "User is in Bonn", None),
            ("add", "User is in Bonn", "user is in bonn", old[0].memory_id),
        ]

    # lists

    async def test_a_list_shows_what_it_is_asked_for(self, store: MemoryStore, clock: ManualClock) -> None:
        """Newest first, page by page."""
        space = new_space()
        first = await added(store, space, "User eats 100% cake_", category="identity")
        await added(store, space, "User is out", expires_at=clock.now() + DAY)
        await replaced(store, space, (await added(store, space, "User is one")).memory_id, "User is two", AT + DAY)
        await store.delete(space, (await added(store, space, "User is gone", category="identity")).memory_id, "ann")
        ended = await added(store, space, "User was out", expires_at=clock.now() + DAY)
        await replaced(store, space, ended.memory_id, "User is in", AT + DAY)
        clock.advance(days=1)
        active = ["User is in", "User is two", "User eats 100% cake_"]
        assert await contents(store, space) == active
        for only, more in (
            (MemoryFilter(superseded=True), {"User is one", "User was out"}),
            (MemoryFilter(expired=True), {"User is out"}),
            (MemoryFilter(deleted=True), {"User is gone"}),
            (ALL, {"User is one", "User was out", "User is out", "User is gone"}),
        ):
            shown = await contents(store, space, only)
            assert set(shown) == {*active, *more}
            assert len(shown) == len(set(shown))
        assert await contents(store, space, MemoryFilter(category="identity")) == [first.content]
        assert await contents(store, space, replace(ALL, category="identity")) == ["User is gone", first.content]
        assert await contents(store, space, MemoryFilter(category="none")) == []
        for part, found in (("CAKE_", 1), ("0% c", 1), ("%", 1), ("_", 1), ("x%", 0), ("user", 3), ("", 3)):
            assert len(await contents(store, space, MemoryFilter(containing=part))) == found
        assert (await store.list(space, ALL, limit=5, before=first.memory_id)).items == ()
        page = await store.list(space, ALL, limit=7)
        assert (len(page.items), page.more) == (7, False)

    # what people and answers make of it

    async def test_thumbs_and_uses_are_counted(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """They are no new version, and nothing that an index has to read."""
        space = new_space()
        one, two = await added(store, space), await added(store, space, "User likes cake")
        revision = await states_of(passages, [space])
        clock.advance(hours=1)
        up = await store.feedback(space, one.memory_id, True, "ann")
        assert up == replace(one, ups=1)
        await store.feedback(space, one.memory_id, True, "ann")
        assert await store.feedback(space, one.memory_id, False, "bob") == replace(one, ups=2, downs=1)
        late, early = clock.now(), clock.now() - DAY
        await store.used(space, [one.memory_id, two.memory_id, one.memory_id, "nonsense"], late)
        await store.used(space, [one.memory_id], early)
        await store.used(space, [], late)
        assert await store.get(space, [one.memory_id, two.memory_id]) == {
            one.memory_id: replace(one, ups=2, downs=1, uses=2, used_at=late),
            two.memory_id: replace(two, uses=1, used_at=late),
        }
        _, audit = await store.history(space, one.memory_id)
        assert [(row.event, row.reason, row.by, row.at) for row in audit[1:]] == [
            ("feedback", "up", "ann", clock.now()),
            ("feedback", "up", "ann", clock.now()),
            ("feedback", "down", "bob", clock.now()),
        ]
        assert await states_of(passages, [space]) == revision

    # conflicts

    async def test_a_conflict_is_open_until_somebody_chooses(
        self, store: MemoryStore, passages: PassageStore, clock: ManualClock
    ) -> None:
        """The other side is superseded by the one that is kept."""
        space = new_space()
        tea = await added(store, space)
        cake, pie = await added(store, space, "User hates tea"), await added(store, space, "User never drinks")
        first = await store.open_conflict(space, tea.memory_id, cake.memory_id, "either")
        clock.advance(hours=1)
        second = await store.open_conflict(space, cake.memory_id, pie.memory_id, "or")
        assert first is not None
        assert second is not None
        assert (first.older, first.newer, first.reason) == (tea.memory_id, cake.memory_id, "either")
        assert await store.conflicts(space, limit=5) == [second, first]
        assert await store.conflicts(space, limit=1) == [second]
        for pair in ((tea, cake), (cake, tea), (tea, tea)):
            assert await store.open_conflict(space, pair[0].memory_id, pair[1].memory_id, "again") is None
        for wrong in ((first.conflict_id, pie.memory_id), (tea.memory_id, tea.memory_id), (first.conflict_id, "x")):
            assert await store.settle(space, *wrong, "ann") is None
        assert await store.settle(space, first.conflict_id, cake.memory_id, "ann") == cake
        assert await store.settle(space, first.conflict_id, cake.memory_id, "ann") is None
        assert await store.conflicts(space, limit=5) == [second]
        lost = (await store.get(space, [tea.memory_id]))[tea.memory_id]
        now = clock.now()
        assert lost == replace(tea, superseded_by=cake.memory_id, superseded_at=now, updated_at=now)
        assert (await ends(passages, space))[0] == ("User likes tea", now)
        rows = [
            Audit("conflict", cake.memory_id, tea.content, cake.content, "either", "souvenir", first.opened_at,
                  tea.memory_id),
            Audit("settle", cake.memory_id, tea.content, cake.content, "either", "ann", now, tea.memory_id),
        ]  # fmt: skip
        for side in (tea, cake):
            _, audit = await store.history(space, side.memory_id)
            assert [row for row in audit if row.other == tea.memory_id] == rows
        assert await store.settle(space, second.conflict_id, cake.memory_id, "ann") == cake
        assert await contents(store, space) == [cake.content]

    async def test_a_conflict_settles_itself_when_a_side_is_gone(self, store: MemoryStore, clock: ManualClock) -> None:
        """Superseded, deleted, expired or purged; and none is opened with one that is."""
        space = new_space()
        sides = [await added(store, space, f"User has {n} cats", expires_at=clock.now() + 2 * DAY) for n in range(5)]
        ids = [side.memory_id for side in sides]
        for side in ids[1:]:
            assert await store.open_conflict(space, ids[0], side, "") is not None
        await replaced(store, space, ids[1], "User has a cat", AT + DAY)
        await store.delete(space, ids[2], "ann")
        await store.purge(space, ids[3])
        (left,) = await store.conflicts(space, limit=5)
        assert left.newer == ids[4]
        for gone in ids[1:4]:
            assert await store.open_conflict(space, ids[4], gone, "") is None
        clock.advance(days=2)
        assert await store.conflicts(space, limit=5) == []
        assert await store.settle(space, left.conflict_id, ids[0], "ann") is None
        assert await store.open_conflict(space, ids[0], ids[1], "") is None
        assert await contents(store, space) == ["User has a cat"]

    # counts

    async def test_what_came_of_candidates_is_counted(self, store: MemoryStore, clock: ManualClock) -> None:
        """Also what replaced nothing new; what changed nothing is not."""
        space = new_space()
        assert await store.counts(space) == MemoryCounts(0, 0, 0, 0)
        tea, cake = await added(store, space), await added(store, space, "User likes cake")
        assert await store.add(space, memory(), "", "") is None
        await replaced(store, space, tea.memory_id, "User likes pie", AT + DAY)
        assert await store.counts(space) == MemoryCounts(2, 2, 1, 0)
        await replaced(store, space, cake.memory_id, "User likes pie!", AT + DAY)
        await store.ignored(space, "User likes pie", None, "same", None)
        await store.ignored(space, "User loves pie", None, "near", None)
        await store.ignored(space, "User enjoys cake", cake.memory_id, "near", None)
        await store.ignored(space, "User enjoys cake", "invented", "near", None)
        assert await store.counts(space) == MemoryCounts(1, 2, 2, 4)
        (_, pie), audit = await store.history(space, tea.memory_id)
        assert audit[-1] == Audit("ignore", pie.memory_id, None, "User likes pie", "same", "souvenir", clock.now())
        _, audit = await store.history(space, cake.memory_id)
        assert (audit[-1].event, audit[-1].new) == ("ignore", "User enjoys cake")
        await store.delete(space, pie.memory_id, "ann")
        assert await store.counts(space) == MemoryCounts(0, 2, 2, 4)

    @pytest.mark.req("MEM-11")
    async def test_spend_is_counted_by_day_and_purpose(self, store: MemoryStore) -> None:
        """Each call returns the total so far."""
        space, day = new_space(), date(2026, 1, 15)
        assert await store.spend(space, day, "extract", 100) == 100
        assert await store.spend(space, day, "extract", 2**40) == 2**40 + 100
        assert await store.spend(space, day, "résumé", 0) == 0
        assert await store.spend(space, day + DAY, "extract", 7) == 7
        assert await store.spent(space, day) == {"extract": 2**40 + 100, "résumé": 0}
        assert await store.spent(space, day - DAY) == {}
