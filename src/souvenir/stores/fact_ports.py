"""The port to stored facts: exact values under a topic, ranked or single, of a chat or of a whole space."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from souvenir.types import SpaceId

FactKind = Literal["ranked", "single"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One exact value. A ranked one has a rank from 1 on, a single one has none; without a chat it is of the space."""

    topic_key: str
    kind: FactKind
    rank: int | None
    value: str
    chat_id: str | None
    source_message_id: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class FactTopic:
    """A topic of a chat: how many facts of each kind, and when the newest of them was said."""

    topic_key: str
    chat_id: str | None
    ranked: int
    single: int
    said_at: datetime


Revision = Callable[[Sequence[Fact]], Sequence[Fact] | None]
"""Facts of one kind as they are, to facts as they shall be; None leaves them alone."""


class FactStore(Protocol):
    """Facts of spaces; unique by space, chat, topic, kind and rank.

    What is written carries the time it was said and the message it was said in. Newer is later, or at the same time in
    a message with a greater id. What is not newer than what it would change changes nothing.
    """

    async def put(self, space: SpaceId, fact: Fact) -> bool:
        """Store one fact at its rank; False when what is there, or a revision of its topic, is as new or newer."""
        ...

    async def revise(
        self,
        space: SpaceId,
        chat_id: str | None,
        topic_key: str,
        kind: FactKind,
        revision: Revision,
        *,
        at: datetime,
        message_id: str | None,
        adopt: bool = False,
    ) -> Sequence[Fact] | None:
        """Change all facts of one kind of a topic at once, as nobody else does meanwhile; by rank, as they are then.

        With `adopt`, a chat that has none begins with those of the space that were said last, in whatever chat: they
        are copied, and stay as they are where they were. None when the revision wants no change, or when anything
        there is as new as `at` and `message_id`; `revision` is not called then.
        """
        ...

    async def find(self, space: SpaceId, topic_keys: Sequence[str], chat_id: str | None = None) -> Sequence[Fact]:
        """The facts of one topic, single first, then by rank; empty when there is none.

        Of the topics named the first that the chat has; else the first that the space has, and of several chats that
        have it the one in which it was said last. One whose facts were revised away has it, and there are none. No
        other chat's or topic's facts are mixed in.
        """
        ...

    async def of_chat(self, space: SpaceId, topic_keys: Sequence[str], chat_id: str | None) -> Sequence[Fact]:
        """The same for this chat alone, or for what belongs to no chat."""
        ...

    async def topics(self, space: SpaceId, *, limit: int, chat_id: str | None = None) -> Sequence[FactTopic]:
        """Topics that have facts, of one chat or of all, the one last said first."""
        ...

    async def recent_topic(self, space: SpaceId, chat_id: str) -> str | None:
        """The topic that was last stated, changed or asked about in a chat, and still has facts in the space."""
        ...

    async def recall(self, space: SpaceId, chat_id: str, topic_key: str, at: datetime) -> None:
        """Note that a topic was asked about in a chat; it becomes the chat's most recent one."""
        ...

    async def remove_topic(self, space: SpaceId, topic_key: str, at: datetime, chat_id: str | None = None) -> int:
        """Remove a topic's facts, of one chat or of the whole space; how many there were.

        What was said before `at` and arrives later does not bring them back.
        """
        ...

    async def remove_chat(self, space: SpaceId, chat_id: str) -> int:
        """Remove all facts of a chat; how many there were."""
        ...
