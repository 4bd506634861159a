"""What Souvenir itself can answer or do, before any model is asked: exact facts, and what is asked of memory."""

from dataclasses import dataclass

from souvenir.clock import Clock
from souvenir.facts.service import Facts
from souvenir.memory.asking import Asking
from souvenir.types import JsonObject, Scope


@dataclass(frozen=True, slots=True)
class Local:
    """Something to say. A `final` one is the answer, whoever would answer; else it is where no model is connected.

    `note` tells a model what has been done already. `entries` are what the words rest on.
    """

    text: str
    final: bool
    note: str = ""
    entries: tuple[JsonObject, ...] = ()


class LocalAnswers:
    """Rules alone: no model, no embedding for a question about facts."""

    def __init__(self, facts: Facts, asking: Asking, clock: Clock) -> None:
        self._facts = facts
        self._asking = asking
        self._clock = clock

    async def exact(self, scope: Scope | None, chat_id: str | None, text: str) -> Local | None:
        """The answer to a question about exact facts; None to everything else."""
        if scope is None:
            return None
        answer = await self._facts.answer(scope.readable, chat_id, text, self._clock.now())
        if answer is None:
            return None
        entries = tuple(
            {
                "kind": "fact",
                "topic": fact.topic_key,
                "rank": fact.rank,
                "content": fact.value,
                "source": {"chat_id": fact.chat_id, "message_id": fact.source_message_id},
                "created_at": fact.created_at.isoformat(),
            }
            for fact in answer.facts
        )
        return Local(answer.text, final=True, entries=entries)

    async def is_asked(self, text: str) -> bool:
        """Whether a message asks anything of memory itself; nothing is read or written."""
        return self._asking.is_asked(text) or await self._facts.is_asked(text)

    async def heard(
        self, scope: Scope, chat_id: str | None, text: str, message_id: str | None, user: str
    ) -> Local | None:
        """Do what a message asks of memory: keep a list, change it, remember, forget. None when it asks nothing."""
        now = self._clock.now()
        heard = await self._facts.hear(scope.space, chat_id, text, message_id, now)
        if heard and heard.listed:
            return _done(heard.text)
        origin = {"chat_id": chat_id, "message_id": message_id} if chat_id and message_id else {}
        # "remember that the door code is 4417", "forget my birthday": memory keeps such things too
        asked = await self._asking.serve(scope.space, text, now, user, origin)
        if asked is None or (heard and asked.kind == "nothing"):
            return _done(heard.text) if heard else None
        # only the user can choose which memory is meant
        return _done(asked.text, final=asked.is_choice)


def _done(text: str, *, final: bool = False) -> Local:
    return Local(text, final=final, note=f"Already done for the user's message: {text}")
