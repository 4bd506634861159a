"""Builds what the model reads, fresh for each request. The one place where a prompt is put together."""

from collections.abc import Sequence

from souvenir.chat.history import History
from souvenir.chat.local_answers import Local
from souvenir.chat.recall import Remembered
from souvenir.chat.rewriting.port import Rewritten
from souvenir.config import Settings
from souvenir.stores.ports import Message
from souvenir.types import JsonObject

_SUMMARY = "Summary of the earlier conversation:"
_MEANT = "With what it refers to spelled out, the user's message reads:"


def build_messages(
    given: Sequence[JsonObject] | None,
    text: str,
    history: History,
    remembered: Remembered,
    rewritten: Rewritten,
    local: Local | None,
    settings: Settings,
) -> list[JsonObject]:
    """Memory first, then the conversation.

    A client that brings its whole conversation gets it passed on untouched. Of a chat of ours: the system prompt,
    memory, the summary, earlier turns, and the message itself, with what it means where that differs.
    """
    memory = [system(remembered.snippet)] if remembered.snippet else []
    done = [system(local.note)] if local is not None and local.note else []
    if given is not None:
        return [*memory, *done, *given]
    prompt = [system(settings.system_prompt)] if settings.system_prompt else []
    summary = [system(f"{_SUMMARY}\n{history.summary}")] if history.summary else []
    meant = [system(f"{_MEANT}\n{rewritten.text}")] if rewritten.changed else []
    turns = [_turn(message) for message in history.messages]
    return [*prompt, *memory, *summary, *done, *turns, *meant, {"role": "user", "content": text}]


def system(content: str) -> JsonObject:
    """A system message."""
    return {"role": "system", "content": content}


def _turn(message: Message) -> JsonObject:
    # calls of our tool are not repeated: their results are in the answer
    return {"role": message.role, "content": message.content}
