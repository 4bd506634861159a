"""Makes passages of what is said: whole messages, and pieces of those too long to stand for one thing."""

import re
from collections.abc import Iterator

from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import MAX_TERMS, terms_of
from souvenir.stores.passage_ports import NewPassage
from souvenir.stores.ports import Message

PIECE_CHARACTERS = 6000

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s"), re.compile(r"\s"))


def message_passages(message: Message, speaker: str | None, external_id: str | None) -> list[NewPassage]:
    """The passages of a message, without vectors; none of one that says nothing.

    Who said it is among the words it is found by.
    """
    if not message.content.strip():
        return []
    origin = {} if external_id is None else {"external_id": external_id}
    return [
        NewPassage(
            kind="message",
            text=message.content[start:end],
            terms=" ".join(terms_of(f"{speaker or ''} {message.content[start:end]}")[:MAX_TERMS]),
            at=message.created_at,
            start=start,
            end=end,
            signs=signs_of(message.content[start:end]),
            words=words_of(message.content[start:end]),
            chat_id=message.chat_id,
            message_id=message.message_id,
            role=message.role,
            speaker=speaker,
            origin=origin,
        )
        for start, end in pieces(message.content, PIECE_CHARACTERS)
    ]


def pieces(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Cut a text into pieces of at most `size` characters that cover it whole, at the widest break in reach."""
    start = 0
    while len(text) - start > size:
        end = _cut(text, start, start + size)
        yield start, end
        start = end
    yield start, len(text)


def _cut(text: str, start: int, limit: int) -> int:
    earliest = start + (limit - start) // 2
    for pattern in _BREAKS:
        found = [match.end() for match in pattern.finditer(text, earliest, limit)]
        if found:
            return found[-1]
    return limit
