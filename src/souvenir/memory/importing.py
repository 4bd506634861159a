"""Brings back what `archive` took out: checked whole before anything is written, and then written all or not at all.

An engine of its own for chats is not part of the database's transaction: what was written there when an import broke
off is recognised when the import is made again.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from souvenir.clock import Clock
from souvenir.errors import BadInput, Conflicting
from souvenir.memory.archive import PAGE, VERSION, End, Header, Piece, Record, Turn, after, bare
from souvenir.retrieval.passages import message_passages
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import MAX_TERMS, terms_of
from souvenir.stores.archive_ports import FactState, SpaceArchive
from souvenir.stores.chat_rules import preview_of
from souvenir.stores.fact_ports import Fact
from souvenir.stores.memory_ports import Audit, Conflict, FoundBy, Memory, MemoryStore, Spent
from souvenir.stores.memory_rules import check_id, check_memory
from souvenir.stores.passage_ports import NewPassage, PassageStore
from souvenir.stores.ports import Chat, ChatEngine, Message
from souvenir.types import SpaceId, user_space

Records = Callable[[], AsyncIterator[Record]]
"""Gives all records from the beginning, as often as it is called; the line of a record is its place, from 1 on."""

Transaction = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(slots=True)
class Checked:
    """What was found to be whole: all but the chats, which are read again as they are written."""

    user_id: str = ""
    memories: dict[str, Memory] = field(default_factory=dict)
    audit: list[Audit] = field(default_factory=list)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    spent: list[Spent] = field(default_factory=list)
    facts: dict[object, Fact] = field(default_factory=dict)
    states: dict[object, FactState] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


class Checking:
    """Takes records one by one as they come. Raises BadInput with the line of the first that is wrong."""

    def __init__(self, clock: Clock) -> None:
        self._now = clock.now()
        self._checked = Checked()
        self._line = 0
        self._chats: set[str] = set()
        self._chat: Chat | None = None
        self._turn: Turn | None = None
        self._ended = False
        self._takers: dict[type[Record], Callable[[Any], None]] = {
            Header: self._take_header,
            Memory: self._take_memory,
            Audit: self._checked.audit.append,
            Conflict: self._take_conflict,
            Spent: self._checked.spent.append,
            Fact: self._take_fact,
            FactState: self._take_state,
            Chat: self._take_chat,
            Turn: self._take_turn,
            Piece: self._take_piece,
            End: self._take_end,
        }

    def take(self, record: Record) -> None:
        """The next record."""
        self._line += 1
        try:
            self._take(record)
        except BadInput as error:
            raise BadInput(f"line {self._line}", str(error)) from None

    def finish(self) -> Checked:
        """All of it, once the last record was taken."""
        if not self._ended:
            raise BadInput(f"line {self._line + 1}", "is missing: the end of this export was cut off")
        return self._checked

    def _take(self, record: Record) -> None:
        if (self._line == 1) != isinstance(record, Header):
            raise BadInput("type", "the first line, and no other, is the header of an export")
        if self._ended:
            raise BadInput("type", "nothing comes after the end of an export")
        self._takers[type(record)](record)

    def _take_memory(self, memory: Memory) -> None:
        check_memory(memory, self._now)
        self._once("memory_id", memory.memory_id)
        self._checked.memories[memory.memory_id] = memory

    def _take_conflict(self, conflict: Conflict) -> None:
        check_id("conflict_id", conflict.conflict_id, self._now)
        self._once("conflict_id", conflict.conflict_id)
        self._checked.conflicts[conflict.conflict_id] = conflict

    def _take_fact(self, fact: Fact) -> None:
        if (fact.rank is None) != (fact.kind == "single"):
            raise BadInput("rank", "is what a ranked fact has, and a single one has not")
        key = (fact.chat_id, fact.topic_key, fact.kind, fact.rank)
        if self._checked.facts.setdefault(key, fact) is not fact:
            raise BadInput("rank", "is there already")

    def _take_state(self, state: FactState) -> None:
        key = (state.chat_id, state.topic_key, state.kind)
        if self._checked.states.setdefault(key, state) is not state:
            raise BadInput("topic_key", "is there already")

    def _take_end(self, end: End) -> None:
        if end.records != self._line - 1:
            raise BadInput("records", f"{end.records} were written, and {self._line - 1} are here")
        self._ended = True

    def _once(self, name: str, value: str) -> None:
        if value in self._checked.lines:
            raise BadInput(name, f"is there already, in line {self._checked.lines[value]}")
        self._checked.lines[value] = self._line

    def _take_header(self, header: Header) -> None:
        if header.version != VERSION:
            raise BadInput("version", f"is {header.version}, and this Souvenir reads {VERSION}")
        self._checked.user_id = header.user_id

    def _take_chat(self, chat: Chat) -> None:
        if chat.chat_id in self._chats:
            raise BadInput("chat_id", "is there already")
        self._chats.add(chat.chat_id)
        self._chat, self._turn = chat, None

    def _take_turn(self, turn: Turn) -> None:
        message = turn.message
        if self._chat is None or message.chat_id != self._chat.chat_id:
            raise BadInput("chat_id", "is not that of the chat before it")
        check_id("message_id", message.message_id, self._now)
        if self._turn is not None and message.message_id <= self._turn.message.message_id:
            raise BadInput("message_id", "is not greater than that of the message before it")
        self._turn = turn

    def _take_piece(self, piece: Piece) -> None:
        passage = piece.passage
        if passage.kind in {"memory", "chunk"}:
            raise BadInput("kind", "what memories and files are found by follows from them")
        before = self._turn.message if self._turn is not None and self._turn.indexed is None else None
        own = (before.chat_id, before.message_id) if before is not None else None
        if passage.message_id is not None and (passage.chat_id, passage.message_id) != own:
            raise BadInput("message_id", "is not that of the message before it")


@dataclass(slots=True)
class _Said:
    """A turn, its line, and those of its passages that are records of their own."""

    line: int
    turn: Turn
    pieces: list[NewPassage]


@dataclass(slots=True)
class _Batch:
    """Some turns of a chat, in order, and how many came before them."""

    chat: Chat
    line: int
    before: int = 0
    said: list[_Said] = field(default_factory=list)
    is_last: bool = False

    @property
    def messages(self) -> list[Message]:
        return [one.turn.message for one in self.said]


@dataclass(slots=True)
class _There:
    """How much of a chat the engine has: what it counts itself, and how many of the messages seen so far."""

    count: int
    matched: int = 0
    seen: int = 0

    @property
    def is_other(self) -> bool:
        """Whether it has messages that are not among these, and lacks some that are."""
        return self.matched < self.seen and self.matched < self.count


class Importing:
    """Writes checked records into a user's own space, whoever's they were. What is there already stays as it is."""

    def __init__(
        self,
        *,
        chats: ChatEngine,
        memories: MemoryStore,
        passages: PassageStore,
        archive: SpaceArchive,
        embed_later: Callable[[SpaceId], Awaitable[object]],
        transaction: Transaction,
    ) -> None:
        self._chats = chats
        self._memories = memories
        self._passages = passages
        self._archive = archive
        self._embed_later = embed_later
        self._transaction = transaction

    async def bring_back(self, user_id: str, checked: Checked, records: Records) -> dict[str, int]:
        """Write everything; how much of what is new. Raises Conflicting where an id is somebody else's here."""
        space = user_space(user_id)
        async with self._transaction():
            await self._archive.hold(space)
            await self._refuse_clashes(space, checked)
            there = await self._chats_there(space, records)
            added = await self._restore_memories(space, user_id, checked)
            async for batch in _batches(records()):
                added.update(await self._restore_turns(space, batch, there.get(batch.chat.chat_id)))
            added["passages"] += await self._restore_others(space, records)
            if added.total():
                await self._embed_later(space)
        return {name: added[name] for name in ("memories", "facts", "chats", "messages", "passages", "spend")}

    # what is there

    async def _refuse_clashes(self, space: SpaceId, checked: Checked) -> None:
        memories, _, conflicts = await self._memories.export(space)
        for known in memories:
            given = checked.memories.get(known.memory_id)
            if given is not None and _identity(given) != _identity(known):
                raise Conflicting(f"line {checked.lines[known.memory_id]}: {known.memory_id} is another memory here")
        for conflict in conflicts:
            if checked.conflicts.get(conflict.conflict_id, conflict) != conflict:
                line = checked.lines[conflict.conflict_id]
                raise Conflicting(f"line {line}: {conflict.conflict_id} is another conflict here")

    async def _chats_there(self, space: SpaceId, records: Records) -> dict[str, _There]:
        """Chats the engine has, whole or in part, of these. Raises Conflicting where one is another chat."""
        known: dict[str, _There] = {}
        async for batch in _batches(records()):
            chat_id = batch.chat.chat_id
            if chat_id not in known:
                chat = await self._chats.get_chat(space, chat_id)
                if chat is None:
                    continue
                known[chat_id] = _There(chat.message_count)
            await self._compare(space, batch, known[chat_id])
        return known

    async def _compare(self, space: SpaceId, batch: _Batch, there: _There) -> None:
        chat_id = batch.chat.chat_id
        if batch.said:
            position = after(batch.messages[-1].message_id)
            page = await self._chats.list_messages(space, chat_id, limit=len(batch.said), before=position)
            stored = {one.message_id: one for one in (page.items if page is not None else ())}
            for one in batch.said:
                message = one.turn.message
                if stored.get(message.message_id, message) != message:
                    raise Conflicting(f"line {one.line}: {message.message_id} is another message here")
                there.matched += message.message_id in stored
            there.seen += len(batch.said)
        if batch.is_last and there.is_other:
            raise Conflicting(f"line {batch.line}: {chat_id} is another chat here, with other messages")

    # writing

    async def _restore_memories(self, space: SpaceId, user_id: str, checked: Checked) -> Counter[str]:
        audit = [replace(one, by=user_id) if one.by == checked.user_id else one for one in checked.audit]
        found = {memory_id: _found_by(memory.content) for memory_id, memory in checked.memories.items()}
        memories, conflicts = [*checked.memories.values()], [*checked.conflicts.values()]
        return Counter(
            memories=await self._memories.restore(space, memories, audit, conflicts, found),
            spend=await self._memories.restore_spending(space, checked.spent),
            facts=await self._archive.restore_facts(space, [*checked.facts.values()], [*checked.states.values()]),
        )

    async def _restore_turns(self, space: SpaceId, batch: _Batch, there: _There | None) -> Counter[str]:
        added: Counter[str] = Counter()
        if there is None or there.count < there.seen:
            await self._put(space, batch)
            if batch.is_last:
                before = batch.before + len(batch.said)
                added.update(chats=int(there is None), messages=before if there is None else there.seen - there.matched)
        added["passages"] += await self._index(space, batch)
        return added

    async def _put(self, space: SpaceId, batch: _Batch) -> None:
        """Until the last message is there the count is short, so that half a chat is never taken for a whole one."""
        chat = batch.chat
        if batch.said:
            newest = batch.messages[-1]
            chat = replace(
                chat,
                message_count=batch.before,
                last_message_id=newest.message_id,
                last_message=preview_of(newest.content),
            )
            await self._chats.put(space, chat, batch.messages)
        if batch.is_last:
            await self._chats.put(space, replace(chat, message_count=batch.before + len(batch.said)), ())

    async def _index(self, space: SpaceId, batch: _Batch) -> int:
        """Let those messages be found again that are not."""
        chat_id, ids = batch.chat.chat_id, [message.message_id for message in batch.messages]
        found = await self._archive.found(space, chat_id, ids)
        known = {passage.message_id for passage in found.passages}
        passages = [
            passage for one in batch.said if one.turn.message.message_id not in known for passage in _passages_of(one)
        ]
        await self._passages.add(space, passages)
        external = {name: one for one in batch.said for name in one.turn.external_ids}
        for name, stands_for in (await self._passages.external_ids(space, chat_id, [*external])).items():
            if external[name].turn.message.message_id != stands_for:
                raise Conflicting(f"line {external[name].line}: {name} stands for another message of this chat here")
        await self._passages.record_external_ids(
            space, chat_id, {name: one.turn.message.message_id for name, one in external.items()}
        )
        return len(passages)

    async def _restore_others(self, space: SpaceId, records: Records) -> int:
        """Pieces of no message that are not there; the same may well be there twice: what counts is how often."""
        known: Counter[str] = Counter()
        place = 0
        while others := await self._archive.others(space, limit=PAGE, after=place):
            known.update(_text_of(bare(passage)) for passage in others)
            place = others[-1].passage_id
        missing: list[NewPassage] = []
        async for record in records():
            if isinstance(record, Piece) and record.passage.message_id is None:
                name = _text_of(record.passage)
                known[name] -= 1
                missing += [_searchable(record.passage)] if known[name] < 0 else []
        await self._passages.add(space, missing)
        return len(missing)


async def _batches(records: AsyncIterator[Record]) -> AsyncIterator[_Batch]:
    """The chats among records, each in batches of at most a page, the last of which says so."""
    batch: _Batch | None = None
    line = 0
    async for record in records:
        line += 1
        if batch is not None and isinstance(record, Chat | End):
            batch.is_last = True
            yield batch
            batch = None
        if isinstance(record, Chat):
            batch = _Batch(record, line)
        elif batch is not None and isinstance(record, Turn):
            if len(batch.said) == PAGE:
                yield batch
                batch = _Batch(batch.chat, line, batch.before + PAGE)
            batch.said.append(_Said(line, record, []))
        elif batch is not None and isinstance(record, Piece) and record.passage.message_id is not None:
            batch.said[-1].pieces.append(record.passage)


def _identity(memory: Memory) -> tuple[object, ...]:
    """What never changes of a memory."""
    return memory.content, memory.lineage, memory.version, memory.said_at, memory.created_at


def _passages_of(said: _Said) -> list[NewPassage]:
    indexed = said.turn.indexed
    if indexed is None:
        return [_searchable(piece) for piece in said.pieces]
    return message_passages(said.turn.message, indexed.speaker, indexed.external_id)


def _searchable(passage: NewPassage) -> NewPassage:
    """With what search makes of it, but for its vector."""
    found = _found_by(passage.text, passage.speaker or "")
    return replace(passage, terms=found.terms, signs=found.signs, words=found.words)


def _found_by(text: str, speaker: str = "") -> FoundBy:
    terms = " ".join(terms_of(f"{speaker} {text}")[:MAX_TERMS])
    return FoundBy(terms=terms, signs=signs_of(text), words=words_of(text))


def _text_of(passage: NewPassage) -> str:
    """Equal for passages that are."""
    times = [time.timestamp() if time is not None else None for time in (passage.at, passage.until)]
    return repr((passage.kind, passage.text, times, passage.start, passage.end, passage.chat_id, passage.role,
                 passage.speaker, passage.tags, passage.category, sorted(passage.origin.items())))  # fmt: skip
