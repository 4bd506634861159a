"""`souvenir index`: store chat messages from a file of JSON Lines, so that they can be found."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, BinaryIO

import typer

from souvenir.api.requests import parse_json
from souvenir.api.schemas import SaidMessage
from souvenir.api.search import store_messages
from souvenir.app import Souvenir, open_souvenir
from souvenir.cli.callers import Project, User, operator_for
from souvenir.cli.lines import lines_of, opened
from souvenir.cli.progress import showing_progress
from souvenir.cli.run import Json, checked, print_json, run
from souvenir.config import Settings
from souvenir.errors import BadInput, SouvenirError, TooLarge
from souvenir.identity.caller import Caller

_BATCH = 500
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def index(
    file: Annotated[str, typer.Argument(help="A file of JSON Lines, or - for standard input.")],
    user: User = None,
    project: Project = None,
    chat: Annotated[str | None, typer.Option(help="The chat of lines that name none.")] = None,
    as_json: Json = False,
) -> None:
    """Store messages, one JSON object per line, as POST /index-chat-messages takes them. Run it again to go on."""
    tally = _Tally()

    async def work(settings: Settings) -> None:
        caller = operator_for(user, settings)
        caller.scope(project)  # a name that cannot be one is told before anything is read
        with opened(file) as (stream, lines):
            async with open_souvenir(settings) as souvenir:
                with showing_progress("messages", lines, silent=as_json) as advance:
                    async for batch in _batches(stream, chat, souvenir.settings.max_message_chars):
                        await _store(souvenir, caller, batch.messages, project, tally)
                        tally.line = batch.line
                        advance(batch.lines)
                        if batch.error is not None:
                            raise batch.error

    try:
        run(work)
    except (SouvenirError, KeyboardInterrupt):
        typer.echo(tally.so_far, err=True)
        raise
    if as_json:
        print_json({"stored": tally.stored, "already": tally.already})
    else:
        typer.echo(f"{tally}.")


@dataclass(slots=True)
class _Tally:
    """What has been stored, up to which line."""

    stored: int = 0
    already: int = 0
    line: int = 0

    def __str__(self) -> str:
        return f"{self.stored} stored, {self.already} there already"

    @property
    def so_far(self) -> str:
        if not self.line:
            return "Nothing was stored."
        return (
            f"Done up to line {self.line}: {self}. Run it again to go on: what has an external_id is not stored twice."
        )


@dataclass(slots=True)
class _Batch:
    """Messages, the line they end at, how many lines that are, and what is wrong with the line after them."""

    messages: list[SaidMessage]
    line: int
    lines: int
    error: BadInput | None = None


async def _batches(stream: BinaryIO, chat: str | None, most: int) -> AsyncIterator[_Batch]:
    batch, number = _Batch([], 0, 0), 0
    async for line in lines_of(stream):
        number += 1
        try:
            message = _message(line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line, chat, most)
        except BadInput as error:
            batch.error = BadInput(f"line {number}", error.message if error.field == "body" else str(error))
            break
        batch.messages += [message] if message is not None else []
        batch.line, batch.lines = number, batch.lines + 1
        if len(batch.messages) == _BATCH:
            yield batch
            batch = _Batch([], number, 0)
    yield batch


def _message(line: bytes, chat: str | None, most: int) -> SaidMessage | None:
    """The message of a line, None for an empty one. Raises BadInput."""
    if not line.strip():
        return None
    fields = parse_json(line)
    if not isinstance(fields, dict):
        raise BadInput("body", "is not a JSON object")
    message = checked(SaidMessage, {"chat_id": chat, **fields} if chat is not None else fields)
    if len(message.content) > most:
        raise BadInput("content", f"is over {most} characters")
    return message


async def _store(
    souvenir: Souvenir, caller: Caller, messages: list[SaidMessage], project: str | None, tally: _Tally
) -> None:
    if not messages:
        return
    try:
        stored = await store_messages(souvenir, caller, messages, project)
    except TooLarge:
        # not every chat engine takes so many at once
        if len(messages) == 1:
            raise
        half = len(messages) // 2
        await _store(souvenir, caller, messages[:half], project, tally)
        await _store(souvenir, caller, messages[half:], project, tally)
        return
    added = sum(one.added for one in stored)
    tally.stored += added
    tally.already += len(stored) - added
