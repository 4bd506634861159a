"""What taking out, bringing back and erasing all of one user asks of storage, beyond the stores of each thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from souvenir.stores.fact_ports import Fact, FactKind
from souvenir.stores.passage_ports import Passage
from souvenir.types import SpaceId


@dataclass(frozen=True, slots=True)
class Found:
    """What search knows of some messages: their passages, ascending, and message ids by external id."""

    passages: tuple[Passage, ...]
    external_ids: dict[str, str]


@dataclass(frozen=True, slots=True)
class FactState:
    """What is remembered of a topic of a chat beside its facts: when it was changed, by what, said and spoken of."""

    topic_key: str
    kind: FactKind
    chat_id: str | None
    revised_at: datetime | None
    revised_by: str
    said_at: datetime | None
    touched_at: datetime | None


class SpaceArchive(Protocol):
    """A whole space of the database at once. Every method raises Unavailable when it does not answer."""

    async def hold(self, space: SpaceId) -> None:
        """Wait for writers of the space's chats and for transactions of its jobs.

        They in turn wait until the transaction that is open around this ends.
        """
        ...

    async def found(self, space: SpaceId, chat_id: str, message_ids: Sequence[str]) -> Found:
        """What is found of messages of a chat."""
        ...

    async def others(self, space: SpaceId, *, limit: int, after: int = 0) -> Sequence[Passage]:
        """Passages that stand for no memory, message or file, by id, from strictly after an id on."""
        ...

    async def facts(self, space: SpaceId) -> tuple[Sequence[Fact], Sequence[FactState]]:
        """All facts, and all topics that ever had any."""
        ...

    async def restore_facts(self, space: SpaceId, facts: Sequence[Fact], states: Sequence[FactState]) -> int:
        """Write back what `facts` gave; of a topic of a chat that is known here nothing. How many facts are new."""
        ...

    async def sweep(self, space: SpaceId, user_id: str) -> dict[str, int]:
        """Remove every row of the space, whichever table it is in, and the user's API keys; rows by table.

        Rows that only tell indexes what changed are not counted.

        Should the space be written to again, its revision goes on beyond what it was: no index takes it for the old.
        """
        ...

    async def unname(self, user_id: str) -> int:
        """Take the user's name from what they did in other spaces, which stays; returns how many rows named them."""
        ...
