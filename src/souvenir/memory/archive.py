"""Everything of one user as a row of records, taken out and brought back identical.

What follows from the rest is left out and made anew: vectors, the words things are found by, and the passages of
memories and of messages, wherever those are what they would become.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ulid import ULID

from souvenir.clock import Clock
from souvenir.retrieval.passages import message_passages
from souvenir.stores.archive_ports import FactState, SpaceArchive
from souvenir.stores.fact_ports import Fact
from souvenir.stores.memory_ports import Audit, Conflict, Memory, MemoryStore, Spent
from souvenir.stores.passage_ports import NewPassage, Passage
from souvenir.stores.ports import Chat, ChatPosition, ChatStore, Message
from souvenir.types import SpaceId, user_space

VERSION = 1
"""Of the format: what another version wrote is refused."""

PAGE = 50


@dataclass(frozen=True, slots=True)
class Header:
    """The first record: whose it is, as of when."""

    version: int
    user_id: str
    exported_at: datetime


@dataclass(frozen=True, slots=True)
class Indexed:
    """How a message is found: with the name of who said it, and an id of the sender's own."""

    speaker: str | None
    external_id: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the chat before it, oldest first; `indexed` is None when its passages are records of their own."""

    message: Message
    indexed: Indexed | None
    external_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage that does not follow from anything else, after the message it stands for, if it does for one."""

    passage: NewPassage


@dataclass(frozen=True, slots=True)
class End:
    """The last record: how many came before it. Without it something is missing."""

    records: int


Record = Header | Memory | Audit | Conflict | Spent | Fact | FactState | Chat | Turn | Piece | End


class Exporting:
    """Takes a user's records out, page by page: what is written meanwhile may or may not be among them."""

    def __init__(self, chats: ChatStore, memories: MemoryStore, archive: SpaceArchive, clock: Clock) -> None:
        self._chats = chats
        self._memories = memories
        self._archive = archive
        self._clock = clock

    async def export(self, user_id: str) -> AsyncIterator[Record]:
        """Every record, in an order that does not change while nothing else does."""
        count = 0
        async for record in self._records(user_id):
            yield record
            count += 1
        yield End(count)

    async def _records(self, user_id: str) -> AsyncIterator[Record]:
        space = user_space(user_id)
        yield Header(VERSION, user_id, self._clock.now())
        for part in await self._memories.export(space):
            for record in part:
                yield record
        for spent in await self._memories.spending(space):
            yield spent
        for facts in await self._archive.facts(space):
            for fact in facts:
                yield fact
        # the one last used last, so that what it is found by is made last again
        for chat_id in reversed(await self._chat_ids(space)):
            async for turn in self._chat(space, chat_id):
                yield turn
        after = 0
        while others := await self._archive.others(space, limit=PAGE, after=after):
            for passage in others:
                yield Piece(bare(passage))
            after = others[-1].passage_id

    async def _chat_ids(self, space: SpaceId) -> list[str]:
        """Each once, also when it moves up in the list meanwhile."""
        ids: dict[str, None] = {}
        position: ChatPosition | None = None
        while True:
            page = await self._chats.list_chats(space, limit=PAGE, after=position)
            ids.update(dict.fromkeys(chat.chat_id for chat in page.items))
            if not page.more:
                return list(ids)
            position = ChatPosition(page.items[-1].updated_at, page.items[-1].chat_id)

    async def _chat(self, space: SpaceId, chat_id: str) -> AsyncIterator[Record]:
        chat = await self._chats.get_chat(space, chat_id)
        if chat is None:
            return
        yield chat
        for end in reversed(await self._page_ends(space, chat)):
            page = await self._chats.list_messages(space, chat_id, limit=PAGE, before=end)
            for record in await self._turns(space, chat_id, page.items[::-1] if page is not None else ()):
                yield record

    async def _page_ends(self, space: SpaceId, chat: Chat) -> list[str]:
        """Positions right behind each page of a chat as it was when it was read, newest first."""
        ends: list[str] = []
        if not chat.last_message_id:
            return ends
        position, more = after(chat.last_message_id), True
        while more:
            page = await self._chats.list_messages(space, chat.chat_id, limit=PAGE, before=position)
            if page is None or not page.items:
                break
            ends.append(position)
            position, more = page.items[-1].message_id, page.more
        return ends

    async def _turns(self, space: SpaceId, chat_id: str, messages: Sequence[Message]) -> list[Record]:
        found = await self._archive.found(space, chat_id, [message.message_id for message in messages])
        records: list[Record] = []
        for message in messages:
            own = [passage for passage in found.passages if passage.message_id == message.message_id]
            external = tuple(sorted(one for one, its in found.external_ids.items() if its == message.message_id))
            indexed = how_indexed(message, own)
            records.append(Turn(message, indexed, external))
            if indexed is None:
                records += [Piece(bare(passage)) for passage in own]
        return records


def after(message_id: str) -> str:
    """The position right behind a message: `before` it come that message and all older ones."""
    return str(ULID.from_int(int(ULID.from_str(message_id)) + 1))


def how_indexed(message: Message, passages: Sequence[Passage]) -> Indexed | None:
    """How the passages of a message are made of it; None when they are not, or there are none."""
    if not passages:
        return None
    indexed = Indexed(passages[0].speaker, passages[0].origin.get("external_id"))
    made = [bare(one) for one in message_passages(message, indexed.speaker, indexed.external_id)]
    return indexed if made == [bare(one) for one in passages] else None


def bare(passage: Passage | NewPassage) -> NewPassage:
    """A passage without what search makes of it."""
    return NewPassage(
        kind=passage.kind,
        text=passage.text,
        terms="",
        at=passage.at,
        end=passage.end,
        start=passage.start,
        chat_id=passage.chat_id,
        message_id=passage.message_id,
        role=passage.role,
        speaker=passage.speaker,
        tags=passage.tags,
        category=passage.category,
        origin=passage.origin,
        until=passage.until,
    )
