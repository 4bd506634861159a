"""Does at once what a message asks of memory: to remember something, or to forget it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

import structlog

from souvenir.clock import Clock
from souvenir.memory.asking_match import Matches, matches
from souvenir.memory.asking_parse import Forget, Remember, asked
from souvenir.memory.asking_phrases import standalone, told
from souvenir.memory.formation import Decided, Formation, key_of
from souvenir.memory.local_extract.lifetimes import date_ahead, expiry
from souvenir.memory.port import Candidate, Extractor, Lifetime, Utterance
from souvenir.memory.reading import Reading
from souvenir.stores.memory_ports import Memory, MemoryFilter, MemoryStore
from souvenir.stores.memory_rules import sentence_key
from souvenir.types import SpaceId

__all__ = ["Asked", "Asking", "Forget", "Remember", "asked"]

log = structlog.get_logger(__name__)

_IMPORTANCE, _CONFIDENCE = 9, 1.0
_LONGEST = 1000  # characters of a memory
_LOOKED_AT = 50
_CHOICES = 10
_JUST_NOW = timedelta(seconds=30)

Kind = Literal["remembered", "known", "forgotten", "choose", "nothing", "refused"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was done about a request: the memories it touched, or those to choose from, and a sentence to show.

    `rest` is what else the message says; empty when the request was all of it.
    """

    kind: Kind
    text: str
    memories: tuple[Memory, ...] = ()
    rest: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether only the user can say what is meant; nothing was changed."""
        return self.kind == "choose"


class Asking:
    """Serves what is asked of memory in so many words. Any other message costs it no more than reading it."""

    def __init__(
        self, formation: Formation, memories: MemoryStore, extractor: Extractor, reading: Reading, clock: Clock
    ) -> None:
        self._formation = formation
        self._memories = memories
        self._extractor = extractor
        self._reading = reading
        self._clock = clock

    def is_asked(self, text: str) -> bool:
        """Whether a message asks to remember or to forget."""
        return asked(text) is not None

    async def serve(self, space: SpaceId, text: str, at: datetime, by: str, origin: dict[str, str]) -> Asked | None:
        """Do what a message said at `at` asks for; None when it asks for nothing of the kind.

        `origin` names the chat and the message: of one message the same sentence is stored once, however often this is
        called and whether or not memories are formed of it as well.
        """
        request = asked(text)
        if isinstance(request, Remember):
            return await self._remember(space, request, at, by, origin)
        if isinstance(request, Forget):
            return await self._forget(space, request, at, by)
        return None

    async def _remember(
        self, space: SpaceId, request: Remember, at: datetime, by: str, origin: dict[str, str]
    ) -> Asked:
        candidates = await self._candidates(request, at, origin.get("message_id"))
        lines = [*request.content.split("\n"), *(candidate.content for candidate in candidates)]
        if any(len(line) > _LONGEST for line in lines):
            refusal = f"That is too long for one memory: at most {_LONGEST} characters. Nothing was stored."
            return Asked("refused", refusal, rest=request.rest)
        key = f"form:{origin['chat_id']}:{origin['message_id']}" if {"chat_id", "message_id"} <= origin.keys() else None
        decided = []
        for candidate in candidates:
            own = key_of(key, candidate.content) if key is not None else None
            decided.append(await self._formation.remember(space, candidate, at, by, origin, own))
        return await self._remembered(space, decided, at, by, request.rest)

    async def _candidates(self, request: Remember, at: datetime, message_id: str | None) -> list[Candidate]:
        """What is to be stored: as the rules rephrase it, else in the user's own words."""
        extraction = await self._extractor.extract(Utterance("user", told(request), at, message_id), (), ())
        found = {candidate.content: candidate for candidate in extraction.candidates}
        if not found:
            content = standalone(request)
            date = date_ahead(content, at) if request.form == "plan" else None
            lifetime: Lifetime = "preference"
            if request.form == "plan":
                lifetime = "deadline" if date is not None else "contextual"
            found[content] = Candidate(
                content=content,
                category="context",
                importance=_IMPORTANCE,
                confidence=_CONFIDENCE,
                reasoning="asked to remember",
                lifetime=lifetime,
                expires_at=expiry(lifetime, at, date),
                message_id=message_id,
            )
        return [replace(one, importance=_IMPORTANCE, confidence=_CONFIDENCE) for one in found.values()]

    async def _remembered(self, space: SpaceId, decided: Sequence[Decided], at: datetime, by: str, rest: str) -> Asked:
        known = await self._memories.get(space, [one.target for one in decided if one.target is not None])
        stored = [one.memory or await self._confirmed(space, one, known, by) for one in decided]
        memories = tuple({memory.memory_id: memory for memory in stored if memory is not None}.values())
        # formation may have read the message first
        old = all(one.created_at < at - _JUST_NOW for one in memories)
        if old and not any(one.memory is not None for one in decided):
            return Asked("known", f"I know that already{_listed(memories)}", memories, rest)
        replaced = [known[one.target].content for one in decided if one.action == "replace" and one.target in known]
        text = f"I'll remember{_listed(memories)}"
        text += f" This replaces: {'; '.join(replaced)}." if replaced else ""
        return Asked("remembered", text, memories, rest)

    async def _confirmed(self, space: SpaceId, one: Decided, known: dict[str, Memory], by: str) -> Memory | None:
        """What is known already; one that was too doubtful to be used is verified, now that the user insists on it."""
        sentence = sentence_key(one.candidate.content)
        memory = known.get(one.target or "")
        if memory is None:
            near = await self._formation.near(space, one.candidate.content, _LOOKED_AT)
            same = [each.memory_id for each in near if sentence_key(each.content) == sentence]
            memory = next(iter((await self._memories.get(space, same)).values()), None)
        if memory is None or self._reading.usable(memory, self._clock.now()):
            return memory
        if sentence_key(memory.content) != sentence:
            return memory
        found_by = await self._formation.found_by(memory.content)
        return await self._memories.edit(space, memory.memory_id, memory.content, by, found_by) or memory

    async def _forget(self, space: SpaceId, request: Forget, at: datetime, by: str) -> Asked | None:
        if request.form == "all":
            page = await self._memories.list(space, MemoryFilter(), limit=_CHOICES)
            return self._choice(page.items, request.rest, more=page.more)
        found = await self._matches(space, request, at)
        stored = await self._memories.get(space, [*found.meant, *found.perhaps])
        meant = [stored[one] for one in found.meant if one in stored]
        if len(meant) == 1 and request.sure:
            gone = await self._memories.delete(space, meant[0].memory_id, by)
            if gone is not None:
                log.info("memory forgotten on request", user=space, memory=gone.memory_id)
                return Asked("forgotten", f"I have forgotten{_listed([gone])}", (gone,), request.rest)
        perhaps = [stored[one] for one in found.perhaps if one in stored] if request.sure else []
        choices = meant or perhaps
        if not choices and not request.sure:
            return None  # "forget about the budget" was said of something else
        return self._choice(choices[:_CHOICES], request.rest, more=len(choices) > _CHOICES)

    def _choice(self, choices: Sequence[Memory], rest: str, *, more: bool) -> Asked:
        if not choices:
            return Asked("nothing", "I remember nothing like that, so there is nothing to forget.", (), rest)
        lines = [f"{number}. {memory.content}" for number, memory in enumerate(choices, start=1)]
        if more:
            lines.append("… and more.")
        text = "\n".join(["Which of these should I forget? Nothing has been deleted.", *lines])
        return Asked("choose", text, tuple(choices), rest)

    async def _matches(self, space: SpaceId, request: Forget, at: datetime) -> Matches:
        sentences: list[str] = []
        if request.form != "topic":
            extraction = await self._extractor.extract(Utterance("user", told(request), at), (), ())
            sentences = [candidate.content for candidate in extraction.candidates] or [standalone(request)]
        wanted = " ".join(sentences) or _of_the_user(request.content)
        known = await self._formation.near(space, wanted, _LOOKED_AT)
        vector = (await self._formation.found_by(wanted)).vector if known else None
        return matches(request, sentences, vector, known)


def _of_the_user(topic: str) -> str:
    """A topic in the words that memories use."""
    return re.sub(r"\b(?:my|our)\b", "User's", topic, flags=re.IGNORECASE)


def _listed(memories: Sequence[Memory]) -> str:
    contents = "; ".join(memory.content.rstrip(".。") for memory in memories)
    return f": {contents}." if contents else "."
