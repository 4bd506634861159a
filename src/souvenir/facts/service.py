"""Exact facts of a chat: heard from what its user says, and told when asked, by rules alone."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from souvenir.clock import Clock
from souvenir.errors import BadInput
from souvenir.facts.answers import Answer, answer_of, item_of, not_stored, together, told, which_one
from souvenir.facts.asked import Question
from souvenir.facts.lists import MOST_VALUE_CHARS, same
from souvenir.facts.messages import read_message
from souvenir.facts.operations import Clear, Make, Operation, Remove, Replace, Restate, Tell, apply, fits
from souvenir.facts.phrases import read_topic
from souvenir.facts.questions import read_questions
from souvenir.facts.ranks import MOST_RANK
from souvenir.facts.topics import FAVORITE, MOST_CHARS, Topic, label
from souvenir.stores.fact_ports import Fact, FactKind, FactStore, FactTopic
from souvenir.types import SpaceId

_AT_ONCE = 10_000
_TOPICS_NAMED = 20
_RIGHT_AFTER = timedelta(minutes=2)
_KINDS: tuple[FactKind, ...] = ("single", "ranked")


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a topic's facts of one kind: all of them as they are now, and what there is to say about it."""

    topic_key: str
    kind: FactKind
    facts: tuple[Fact, ...]
    notes: tuple[str, ...] = ()
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message stated or changed; `text` tells it to the user. It is false when there was nothing.

    `edited` tells that the message asked for a change, so that `text` is the reply to it. `listed` tells that it was
    about lists or favorites, which nothing else keeps.
    """

    changes: tuple[Change, ...] = ()
    text: str = ""
    edited: bool = False
    listed: bool = False

    def __bool__(self) -> bool:
        return bool(self.changes)


async def _read(message: str) -> list[Operation]:
    # a book takes a while to read, and others are waiting
    long = len(message) > _AT_ONCE
    return await asyncio.to_thread(read_message, message) if long else read_message(message)


class Facts:
    """Hears and answers. Neither calls a model or an embedder; an ordinary message costs a glance and no query."""

    def __init__(self, store: FactStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def forget_chat(self, space: SpaceId, chat_id: str) -> int:
        """Remove what was said in a chat; returns how many facts."""
        return await self._store.remove_chat(space, chat_id)

    async def is_asked(self, message: str) -> bool:
        """Whether a message states facts, or asks to change them."""
        return bool(await _read(message))

    async def hear(
        self, space: SpaceId, chat_id: str | None, message: str, message_id: str | None, at: datetime
    ) -> Heard:
        """Store what a user's message states, change what it asks to change; the same message again does nothing.

        Without a chat it is of the space itself, and what names no topic is about nothing.
        """
        operations = await _read(message)
        if not operations:
            return Heard()
        groups: dict[tuple[str, FactKind], list[Operation]] = {}
        named: Topic | None = None
        for operation in operations:
            # what names no topic is about the one named before it, in the message or in the chat
            meant = operation if operation.topic is not None else replace(operation, topic=named)
            named = meant.topic
            for target in await self._targets(space, chat_id, meant, groups, at):
                groups.setdefault(target, []).append(meant)
        changes: list[Change] = []
        # in one order everywhere, so that two messages about the same topics do not wait for each other crosswise
        for key, kind in sorted(groups):
            change = await self._revise(space, chat_id, (key, kind), groups[key, kind], message_id, at)
            if change is not None:
                changes.append(change)
        edited = any(not isinstance(operation, Restate | Tell) for group in groups.values() for operation in group)
        listed = any(change.kind == "ranked" or FAVORITE in change.topic_key.split("_") for change in changes)
        return Heard(tuple(changes), " ".join(map(_words, changes)), edited, listed)

    async def answer(self, spaces: Sequence[SpaceId], chat_id: str | None, text: str, at: datetime) -> Answer | None:
        """The answer to a question about facts, None to everything else.

        Looked for in the chat, which is one of the first space, then in the spaces in their order.
        """
        questions = read_questions(text)
        if not questions or not spaces:
            return None
        answers = [await self._answer(spaces, chat_id, question, at) for question in questions]
        given = [answer for answer in answers if answer is not None]
        return together(given) if given and len(given) == len(questions) else None

    async def put(
        self,
        space: SpaceId,
        topic: str,
        value: str,
        *,
        kind: FactKind = "ranked",
        rank: int | None = None,
        chat_id: str | None = None,
        message_id: str | None = None,
        at: datetime | None = None,
    ) -> tuple[Fact, bool]:
        """Store one fact; returns what is stored then, and False when that was as new or newer. Raises BadInput."""
        value = " ".join(value.split())
        if not 0 < len(value) <= MOST_VALUE_CHARS:
            raise BadInput("value", f"must be 1 to {MOST_VALUE_CHARS} characters")
        if kind == "single" and rank is not None:
            raise BadInput("rank", "a single fact has none")
        rank = None if kind == "single" else _rank(rank)
        topic_key = _topic(topic).key
        fact = Fact(topic_key, kind, rank, value, chat_id, message_id, at or self._clock.now())
        stored = await self._store.put(space, fact)
        known = await self._store.of_chat(space, [topic_key], chat_id)
        return next((one for one in known if (one.kind, one.rank) == (kind, rank)), fact), stored

    async def get(
        self, space: SpaceId, topic: str, *, chat_id: str | None = None, rank: int | None = None
    ) -> Sequence[Fact]:
        """A chat's facts of a topic, or those of the space that were said last; single first, then by rank.

        With a rank that one alone. Raises BadInput.
        """
        # a key that was given out is found again, whatever it would be read as
        keys = (topic, *_topic(topic).keys)
        if chat_id is None:
            facts = await self._store.find(space, keys)
        else:
            facts = await self._store.of_chat(space, keys, chat_id)
        return facts if rank is None else [fact for fact in facts if fact.rank == _rank(rank)]

    async def remove(self, space: SpaceId, topic: str, *, chat_id: str | None = None, rank: int | None = None) -> int:
        """Remove a topic, of a chat or of the whole space, or one rank of the list that `get` shows; how many facts.

        What stands behind a rank moves up. Raises BadInput.
        """
        facts = await self.get(space, topic, chat_id=chat_id)
        if not facts:
            return 0
        key, now = facts[0].topic_key, self._clock.now()
        if rank is None:
            return await self._store.remove_topic(space, key, now, chat_id)
        wanted = _rank(rank)
        ranking = [fact for fact in facts if fact.rank is not None]
        if not any(fact.rank == wanted for fact in ranking):
            return 0
        # whoever removes something has seen it: that is later than whatever time it says it is from
        at = max(now, max(fact.created_at for fact in ranking) + timedelta(microseconds=1))
        target: tuple[str, FactKind] = (key, "ranked")
        change = await self._revise(space, facts[0].chat_id, target, [Remove(None, True, (wanted,))], None, at)
        return int(change is not None and change.changed)

    async def topics(self, space: SpaceId, *, limit: int, chat_id: str | None = None) -> Sequence[FactTopic]:
        """Topics that have facts, of one chat or of all, the one last said first."""
        return await self._store.topics(space, limit=limit, chat_id=chat_id)

    async def _answer(
        self, spaces: Sequence[SpaceId], chat_id: str | None, question: Question, at: datetime
    ) -> Answer | None:
        keys = question.topic.keys if question.topic is not None else ()
        if not keys and chat_id is not None:
            recent = await self._store.recent_topic(spaces[0], chat_id)
            keys = (recent,) if recent is not None else ()
        if not keys:
            return which_one(await self._store.topics(spaces[0], limit=_TOPICS_NAMED)) if question.sure else None
        for space in spaces:
            facts = await self._store.find(space, keys, chat_id if space == spaces[0] else None)
            unnamed = question.known or (question.topic is None and bool(question.value))
            if facts and unnamed and item_of(question, facts) is None:
                facts = ()
            if facts:
                if chat_id is not None:
                    await self._store.recall(spaces[0], chat_id, facts[0].topic_key, at)
                return answer_of(question, facts)
        if question.otherwise is not None:
            found = await self._answer(spaces, chat_id, question.otherwise, at)
            if found is not None:
                return found
        return not_stored(keys[0]) if question.sure else None

    async def _targets(
        self,
        space: SpaceId,
        chat_id: str | None,
        operation: Operation,
        before: Collection[tuple[str, FactKind]],
        at: datetime,
    ) -> list[tuple[str, FactKind]]:
        """The topic and kinds an operation is for; none when it is not certain and fits nothing that is stored."""
        topic = operation.topic
        if topic is not None and operation.sure and isinstance(operation, Restate | Tell):
            return [(topic.key, "single" if isinstance(operation, Tell) else "ranked")]
        if topic is not None and (topic.key, "ranked") in before:
            return [(topic.key, "ranked")]
        facts = await self._known(space, chat_id, topic)
        if not facts and topic is None:
            return []
        key = facts[0].topic_key if facts or topic is None else topic.key
        return [(key, kind) for kind in _kinds(operation, facts, at)]

    async def _known(self, space: SpaceId, chat_id: str | None, topic: Topic | None) -> Sequence[Fact]:
        if topic is not None and chat_id is None:
            own = await self._store.of_chat(space, topic.keys, None)
            return own or await self._store.find(space, topic.keys)
        if topic is not None:
            return await self._store.find(space, topic.keys, chat_id)
        if chat_id is None:
            return ()
        recent = await self._store.recent_topic(space, chat_id)
        return await self._store.find(space, [recent], chat_id) if recent is not None else ()

    async def _revise(
        self,
        space: SpaceId,
        chat_id: str | None,
        target: tuple[str, FactKind],
        operations: Sequence[Operation],
        message_id: str | None,
        at: datetime,
    ) -> Change | None:
        key, kind = target
        seen: tuple[Fact, ...] = ()
        notes: list[str] = []

        def make(value: str) -> Fact:
            return Fact(key, kind, None, value, chat_id, message_id, at)

        def revision(facts: Sequence[Fact]) -> Sequence[Fact] | None:
            nonlocal seen
            seen = tuple(facts)
            return _single(operations, facts, make) if kind == "single" else _ranked(operations, facts, make, notes)

        adopt = not isinstance(operations[0], Restate | Tell)
        stored = await self._store.revise(
            space, chat_id, key, kind, revision, at=at, message_id=message_id, adopt=adopt
        )
        if stored is None:
            return Change(key, kind, seen, tuple(notes), changed=False) if notes else None
        return Change(key, kind, tuple(stored), tuple(notes))


def _ranked(
    operations: Sequence[Operation], facts: Sequence[Fact], make: Make, notes: list[str]
) -> Sequence[Fact] | None:
    """The list that the operations leave, None when they change nothing; what there is to say goes to the notes."""
    ranking = {fact.rank: fact for fact in facts if fact.rank is not None}
    changed = False
    for operation in operations:
        outcome = apply(operation, ranking, make)
        notes.extend(outcome.notes)
        if outcome.ranking is not None:
            ranking, changed = outcome.ranking, True
    return [replace(fact, rank=rank) for rank, fact in sorted(ranking.items())] if changed else None


def _single(operations: Sequence[Operation], facts: Sequence[Fact], make: Make) -> Sequence[Fact] | None:
    """The one fact that the last of the operations leaves; None when there was and is none."""
    last = operations[-1]
    if isinstance(last, Tell | Replace):
        return [make(last.value)]
    return [] if facts else None


def _kinds(operation: Operation, facts: Sequence[Fact], at: datetime) -> Sequence[FactKind]:
    """The kinds of a topic's facts that an operation is for; none when it may be about anything and fits none."""
    if isinstance(operation, Tell):
        return ["single"] if _corrects(operation, facts, at) else []
    if _replaces(operation, facts):
        return ["single"]
    ranking = {fact.rank: fact for fact in facts if fact.rank is not None}
    single = isinstance(operation, Clear) and operation.kind == "single"
    if not operation.sure and not single and not fits(operation, ranking):
        return []
    if isinstance(operation, Clear):
        return [kind for kind in _KINDS if operation.kind in {"all", kind}]
    return ["ranked"]


def _replaces(operation: Operation, facts: Sequence[Fact]) -> bool:
    """Whether it names the value of the one fact there is, and another in its place."""
    if not isinstance(operation, Replace) or len(facts) != 1 or facts[0].kind != "single":
        return False
    return isinstance(operation.item, str) and same(operation.item) == same(facts[0].value)


def _corrects(operation: Tell, facts: Sequence[Fact], at: datetime) -> bool:
    """Whether a value that may be about anything is one for the single fact: of its topic, or said right after it."""
    single = next((fact for fact in facts if fact.kind == "single"), None)
    if single is None or len(facts) > 1:
        return single is not None and operation.topic is not None
    alike = single.value[:1].isupper() == operation.value[:1].isupper()
    return operation.topic is not None or (alike and at - single.created_at <= _RIGHT_AFTER)


def _words(change: Change) -> str:
    """A change as it is told: what there is to say about it, and how things stand now."""
    if change.facts:
        return " ".join([*change.notes, told(change.facts)])
    name = label(change.topic_key, many=change.kind == "ranked")
    return " ".join([*change.notes, f"I have no {name} of yours stored."])


def _topic(text: str) -> Topic:
    topic = read_topic(text)
    if topic is None:
        raise BadInput("topic", f"must have 1 to {MOST_CHARS} characters, and a word among them")
    return topic


def _rank(rank: int | None) -> int:
    if rank is None or not 1 <= rank <= MOST_RANK:
        raise BadInput("rank", f"must be a number from 1 to {MOST_RANK}")
    return rank
