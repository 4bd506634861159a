"""`souvenir memories export | import | erase`: everything about a user, out, in again, or away."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from souvenir.api import memory_schemas as schemas
from souvenir.api.memory_archive import Spool, export_chunks
from souvenir.app import open_souvenir
from souvenir.cli.callers import User, operator_for
from souvenir.cli.lines import lines_of, opened
from souvenir.cli.progress import showing_progress
from souvenir.cli.run import Json, plain, print_json, run
from souvenir.config import Settings
from souvenir.errors import BadInput


def export(
    file: Annotated[str, typer.Argument(help="Where to write it, or - for standard output.")] = "-", user: User = None
) -> None:
    """Write everything about a user as JSON Lines: memories with their history, facts, chats, spend."""

    async def work(settings: Settings) -> int:
        name = operator_for(user, settings).require_user()
        records = 0
        with _written(file) as stream:
            async with open_souvenir(settings) as souvenir:
                with showing_progress("records", None) as advance:
                    async for chunk in export_chunks(souvenir, name):
                        stream.write(chunk)
                        records += chunk.count(b"\n")
                        advance(chunk.count(b"\n"))
        return records

    records = run(work)
    if file != "-":
        typer.echo(f"{records} lines in {file}.")


def import_(
    file: Annotated[str, typer.Argument(help="What `memories export` wrote, or - for standard input.")],
    user: User = None,
    as_json: Json = False,
) -> None:
    """Bring back an export, whoever's it was, as the user's own. Run it again and nothing changes."""

    async def work(settings: Settings) -> schemas.Imported:
        name = operator_for(user, settings).require_user()
        with opened(file) as (stream, count):
            async with open_souvenir(settings) as souvenir:
                with Spool(souvenir) as spool, showing_progress("lines", count, silent=as_json) as advance:
                    async for line in lines_of(stream):
                        spool.take(line)
                        advance()
                    return await spool.store(name)

    imported = run(work)
    if as_json:
        print_json(imported.model_dump(mode="json"))
        return
    new = ", ".join(f"{count} {name}" for name, count in imported.added.items() if count)
    typer.echo(f"{imported.lines} lines read. New: {new or 'nothing, all of it was there already'}.")


def erase(
    user: User = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Erase a user: every row in every table and engine, API keys too. Nothing brings it back but an export."""

    async def work(settings: Settings) -> schemas.Erased:
        name = operator_for(user, settings).require_user()
        if not yes and not _confirmed(name):
            raise BadInput("", "nothing was erased")
        async with open_souvenir(settings) as souvenir:
            return schemas.Erased(user_id=name, removed=await souvenir.erasing.erase(name))

    erased = run(work)
    if as_json:
        print_json(erased.model_dump(mode="json"))
        return
    gone = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in erased.removed.items())
    typer.echo(f"{erased.user_id} is erased: {gone or 'there was nothing'}.")


def _confirmed(name: str) -> bool:
    try:
        return typer.confirm(f"Remove everything about {plain(name)} for good?", err=True)
    except typer.Abort:
        typer.echo(err=True)  # the question stands in this line
        return False


@contextlib.contextmanager
def _written(name: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that is there only when it is whole."""
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    partial = path.with_name(f"{path.name}.part")
    try:
        with partial.open("wb") as stream:
            yield stream
        partial.replace(path)
    except OSError as error:
        raise BadInput("FILE", f"{name} cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
