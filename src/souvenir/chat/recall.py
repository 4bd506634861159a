"""What of memory a turn gets to see: as much as the message calls for, cached by chat, within the model's budget."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from souvenir.chat.budget import Budget, Window
from souvenir.chat.recall_cache import Place, RecallCache
from souvenir.chat.selection import amount
from souvenir.chat.snippet import snippet_of
from souvenir.clock import Clock
from souvenir.embed.meanwhile import once_embedding_began
from souvenir.llm.recalled import Recalled, citation
from souvenir.memory.general import GlobalMemories, GlobalMemory
from souvenir.memory.reading import Reading
from souvenir.metrics import Metrics
from souvenir.patterns import lazy
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.search import Hit, Search
from souvenir.retrieval.terms import question_terms
from souvenir.stores.memory_ports import Memory, MemoryFilter, MemoryStore
from souvenir.stores.passage_ports import Passage
from souvenir.types import GLOBAL_SPACE, JsonObject, Scope, SpaceId

_IDENTITY = MemoryFilter(category="identity")
_IDENTITIES = 5
_GENERAL = 3
_QUOTED = 5
_ABOUT = 0.3  # the cosine with a question above which who the user is has to do with it
_WORTHY = 0.15  # of the best hit's score: next to a good one, one that is far less likely is only noise
_STILL_RELEVANT = 0.5  # the cosine with a new question above which what was recalled for another serves again
_SAME_QUESTION = 0.8  # of a question's words
_TERMS = 64
_CHARACTERS_PER_TOKEN = 4  # about; counting them would take longer than all else here
_CITED = lazy(r"\[M\d{1,6}\]")
_ABOUT_USER = "the user"
_SPEAKERS = {"user": "the user", "assistant": "the assistant"}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing recalled: what is shown of it, and where it is."""

    shown: Recalled
    space: SpaceId
    score: float
    memory_id: str | None = None
    passage: Passage | None = None

    def entry(self) -> JsonObject:
        """As clients get it."""
        passage = self.passage
        source = None
        if passage is not None and passage.message_id is not None:
            source = {"chat_id": passage.chat_id, "message_id": passage.message_id}
        return {
            "citation": self.shown.citation,
            "memory_id": self.memory_id,
            "kind": self.shown.kind,
            "category": self.shown.category,
            "content": self.shown.text,
            "score": round(self.score, 4),
            "created_at": self.shown.at.isoformat(),
            "source": source,
        }


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a turn was given, and the words in which the model reads it."""

    items: tuple[Item, ...] = ()
    snippet: str = ""

    def entries(self) -> list[JsonObject]:
        """All of it, as clients get it."""
        return [item.entry() for item in self.items]


@dataclass(frozen=True, slots=True)
class Sought:
    """What memory is asked for: the question as it is meant, as it was written, and what its chat shows anyway.

    `quoting` is for who can only quote what answers: who the user is would be quoted to anything.
    """

    text: str
    said: str
    chat_id: str | None = None
    present: frozenset[str] = frozenset()
    quoting: bool = False

    def known(self) -> Callable[[Passage], bool]:
        """Whether a passage is what the model sees already, or the question itself from an earlier time."""
        asked = frozenset(question_terms(self.text, _TERMS))
        return lambda passage: passage.text in self.present or _echoes(passage, asked)


class Recall:
    """Looks into memory for one turn at a time."""

    def __init__(
        self,
        *,
        search: Search,
        memories: MemoryStore,
        reading: Reading,
        general: GlobalMemories,
        cache: RecallCache,
        budget: Budget,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._search = search
        self._memories = memories
        self._reading = reading
        self._general = general
        self._cache = cache
        self._budget = budget
        self._clock = clock
        self._metrics = metrics

    async def recall(self, scope: Scope, query: Sought, window: Window) -> Remembered:
        """What the query calls up, who the user is first."""
        wanted = amount(query.said)
        found, own, general = await asyncio.gather(
            self._found(scope, query, max(wanted, _QUOTED) if query.quoting else wanted),
            self._identity(scope.space),
            self._general.for_user(scope.space, query.text, _GENERAL),
        )
        if query.quoting:
            own = await self._about(scope.space, own, query)
        items = [_of_memory(scope.space, memory) for memory in own]
        items += [_of_hit(hit) for hit in found]
        items += [_of_everybody(one) for one in general]
        kept = self._budget.fit(_once(items), window, _shown)
        cited = [_cited(item, place) for place, item in enumerate(kept, start=1)]
        if not cited:
            return Remembered()
        snippet = snippet_of([item.shown for item in cited], query.text, self._budget, window)
        self._metrics.memory_window_share.observe(len(snippet) / _CHARACTERS_PER_TOKEN / window.tokens)
        return Remembered(tuple(cited), snippet)

    async def used(self, remembered: Remembered, answer: str) -> None:
        """Memories that an answer cites have been of use."""
        cited = set(_CITED.findall(answer))
        by_space: dict[SpaceId, list[str]] = {}
        for item in remembered.items:
            if item.memory_id is not None and item.shown.citation in cited:
                by_space.setdefault(item.space, []).append(item.memory_id)
        for space, ids in by_space.items():
            await self._memories.used(space, ids, self._clock.now())

    async def _identity(self, space: SpaceId) -> Sequence[Memory]:
        await once_embedding_began()
        who = await self._memories.list(space, _IDENTITY, limit=_IDENTITIES)
        return self._reading.of(who.items, self._clock.now())

    async def _about(self, space: SpaceId, memories: Sequence[Memory], query: Sought) -> list[Memory]:
        """Those that have to do with the query."""
        places = [(space, memory.passage_id) for memory in memories if memory.passage_id is not None]
        near = await self._search.near(places, query.text, _ABOUT) if places else []
        ids = {hit.passage.passage_id for hit in near}
        return [memory for memory in memories if memory.passage_id in ids]

    async def _found(self, scope: Scope, query: Sought, wanted: int) -> list[Hit]:
        """By a search, unless what was recalled in the chat before still bears on the query."""
        if not wanted or not query.text.strip():
            return []
        if query.chat_id is None or query.quoting:
            return await self._searched(scope, query, wanted)
        preparing = asyncio.create_task(self._search.prepare(query.text))
        try:
            return await self._cached(scope, query, wanted, (scope.space, query.chat_id))
        finally:
            preparing.cancel()

    async def _cached(self, scope: Scope, query: Sought, wanted: int, key: tuple[SpaceId, str]) -> list[Hit]:
        now = self._clock.now()
        version = await self._memories.latest_change(scope.readable)
        places = self._cache.get(key, version, now, scope.readable)
        again = await self._again(places, query, wanted) if places else []
        if again:
            self._cache.hit(key, now, [(hit.space, hit.passage.passage_id) for hit in again])
            return again
        self._cache.miss()
        found = await self._searched(scope, query, wanted)
        self._cache.put(key, version, now, [(hit.space, hit.passage.passage_id) for hit in found])
        return found

    async def _searched(self, scope: Scope, query: Sought, wanted: int) -> list[Hit]:
        known = query.known()
        found = await self._search.search(
            scope.readable, query.text, Filter(), limit=wanted, rerank=False, without=known
        )
        return [hit for hit in found.hits if hit.score > _WORTHY * found.hits[0].score]

    async def _again(self, places: Sequence[Place], query: Sought, wanted: int) -> list[Hit]:
        """Of what was recalled before: what still stands, and is about the query as well."""
        seen = query.known()
        near = [hit for hit in await self._search.near(places, query.text, _STILL_RELEVANT) if not seen(hit.passage)]
        now = self._clock.now()
        standing = [hit for hit in near if _stands(hit, self._reading, now)]
        return standing[:wanted]


def _echoes(passage: Passage, asked: frozenset[str]) -> bool:
    """Whether a passage only asks what is asked now; that it was asked before answers nothing."""
    asks = passage.text.rstrip(" ()0123456789").endswith(("?", "\N{FULLWIDTH QUESTION MARK}"))
    if passage.kind != "message" or passage.role != "user" or not asks:
        return False
    own = frozenset(question_terms(passage.text, _TERMS))
    return bool(own) and len(own & asked) >= _SAME_QUESTION * len(own)


def _stands(hit: Hit, reading: Reading, now: datetime) -> bool:
    if hit.passage.kind != "memory":
        return hit.passage.until is None or hit.passage.until > now
    return hit.memory is not None and reading.usable(hit.memory, now)


def _of_memory(space: SpaceId, memory: Memory) -> Item:
    shown = Recalled("", memory.content, _ABOUT_USER, memory.said_at, memory.category, "memory")
    return Item(shown, space, 1.0, memory.memory_id)


def _of_hit(hit: Hit) -> Item:
    passage, memory = hit.passage, hit.memory
    role = passage.role or passage.kind
    who = passage.speaker or (_ABOUT_USER if memory is not None else _SPEAKERS.get(role, role))
    shown = Recalled("", passage.text, who, passage.at, passage.category, passage.kind)
    return Item(shown, hit.space, hit.score, memory.memory_id if memory is not None else None, passage)


def _of_everybody(one: GlobalMemory) -> Item:
    shown = Recalled("", one.content, one.origin, one.at, one.category, "memory")
    return Item(shown, GLOBAL_SPACE, one.score)


def _once(items: Sequence[Item]) -> list[Item]:
    """Each text once, at its first place."""
    return list({item.shown.text: item for item in reversed(items)}.values())[::-1]


def _cited(item: Item, place: int) -> Item:
    return replace(item, shown=replace(item.shown, citation=citation(place)))


def _shown(item: Item) -> Recalled:
    return item.shown
