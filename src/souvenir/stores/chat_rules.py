"""What every chat engine decides alike: ids in order, titles, previews, and times as text."""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import regex
from ulid import ULID

from souvenir.stores.ports import Message, MessageChange, NewMessage

TITLE_CHARS = 64
PREVIEW_CHARS = 1000
STOPPED = "the server stopped before the answer was complete"

_UNTOLD = timedelta(days=1)  # longer than any answer takes, for those written before anybody told

_GRAPHEME = regex.compile(r"\X")


def next_id(now: datetime, last: str | None) -> str:
    """A ULID of this moment, or the one right after `last` where this moment's would not be greater."""
    candidate = str(ULID.from_datetime(now))
    if last is None or candidate > last:
        return candidate
    return str(ULID.from_int(int(ULID.from_str(last)) + 1))


def number(messages: Sequence[NewMessage], chat_id: str, now: datetime, last: str | None) -> tuple[Message, ...]:
    """The messages with their ids, the first greater than `last`."""
    numbered: list[Message] = []
    for new in messages:
        last = next_id(now, last)
        numbered.append(
            Message(
                message_id=last,
                chat_id=chat_id,
                role=new.role,
                content=new.content,
                created_at=new.created_at or now,
                status=new.status,
                tool_calls=new.tool_calls,
                partial_tool_calls=new.partial_tool_calls,
                error=new.error,
                memories=new.memories,
                alive_until=new.alive_until,
            )
        )
    return tuple(numbered)


def changed(message: Message, change: MessageChange) -> Message:
    """The message after a change; what the change leaves open stays."""
    named = {field.name: getattr(change, field.name) for field in fields(change)}
    after = replace(message, **{name: value for name, value in named.items() if value is not None})
    return after if after.status == "streaming" else replace(after, alive_until=None)


def as_read(message: Message, now: datetime) -> Message:
    """The message as a reader sees it: an answer that nobody writes any more has failed."""
    if message.status != "streaming" or now <= (message.alive_until or message.created_at + _UNTOLD):
        return message
    return replace(message, status="error", error=STOPPED, partial_tool_calls=(), alive_until=None)


def is_ulid(text: str) -> bool:
    """Whether a text is a ULID as we write them: 26 characters of Crockford's base 32, in capitals."""
    try:
        return str(ULID.from_str(text)) == text
    except ValueError:
        return False


def beginning(text: str, most: int) -> str:
    """The first characters of a text, at most so many, without a broken grapheme at the end."""
    if len(text) <= most:
        return text
    end = 0
    for grapheme in _GRAPHEME.finditer(text, endpos=most + PREVIEW_CHARS):
        if grapheme.end() > most:
            break
        end = grapheme.end()
    # one character with more marks than fit is cut; there is no whole one to keep
    return text[: end or most]


def title_of(messages: Sequence[NewMessage | Message]) -> str:
    """The title that the first user message with any text among these gives a chat; empty when there is none."""
    said = (message.content for message in messages if message.role == "user" and message.content)
    return next((beginning(content, TITLE_CHARS) for content in said), "")


def preview_of(content: str) -> str:
    """What a chat shows of its newest message."""
    return beginning(content, PREVIEW_CHARS)


def time_text(time: datetime) -> str:
    """A time as text of fixed width that sorts as times do: `2026-01-15T12:00:00.000000Z`."""
    # not strftime, which writes the year 33 in two digits
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def time_of(text: str) -> datetime:
    """The time that `time_text` wrote."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
