"""Everything about the caller, out and in again: `/memories/export` and `/memories/import`, as JSON Lines."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import IO

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from souvenir.api import memory_schemas as schemas
from souvenir.api.archive_lines import MEDIA_TYPE, MEDIA_TYPES, read_line, write_line
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.app import Souvenir
from souvenir.errors import BadInput
from souvenir.memory.archive import Record
from souvenir.memory.importing import Checked, Checking

router = APIRouter(
    prefix="/memories",
    tags=["memories"],
    route_class=CallerRoute,
    dependencies=[BEARER],
    responses=NATIVE_ERRORS | THING_ERRORS,
)

_CHUNK = 64 * 1024
_IN_MEMORY = 8 * 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINES = {"schema": {"type": "string"}}


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {MEDIA_TYPE: _LINES}, "description": "One record per line; the last one says `end`."}},
)
async def export(souvenir: TheSouvenir, caller: TheCaller) -> StreamingResponse:
    """All that is kept about the caller, as JSON Lines: memories with versions and history, chats, spend."""
    chunks = export_chunks(souvenir, caller.require_user())
    first = await anext(chunks)  # while an error can still have its status
    disposition = 'attachment; filename="souvenir-export.jsonl"'
    return StreamingResponse(
        _resumed(first, chunks), media_type=MEDIA_TYPE, headers={"content-disposition": disposition}
    )


@router.post(
    "/import",
    openapi_extra={"requestBody": {"required": True, "content": {MEDIA_TYPE: _LINES}}},
)
async def import_(request: Request, souvenir: TheSouvenir, caller: TheCaller) -> schemas.Imported:
    """Bring back an export, whoever's it was, as the caller's own: all of it or nothing, and again changes nothing."""
    user_id = caller.require_user()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in MEDIA_TYPES:
        raise BadInput("content-type", f"must be {MEDIA_TYPE}")
    with Spool(souvenir) as spool:
        async for line in _lines(request.stream(), souvenir.settings.max_body_bytes):
            spool.take(line)
        return await spool.store(user_id)


async def export_chunks(souvenir: Souvenir, user_id: str) -> AsyncGenerator[bytes, None]:
    """An export in pieces of some lines each."""
    written = bytearray()
    async for record in souvenir.exporting.export(user_id):
        written += write_line(record)
        if len(written) >= _CHUNK:
            yield bytes(written)
            written.clear()
    yield bytes(written)


class Spool:
    """The lines of an import, checked as they come and kept, on disk when they are many, until all are there."""

    def __init__(self, souvenir: Souvenir) -> None:
        self._souvenir = souvenir
        self._checking = Checking(souvenir.clock)
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed with the spool
        self._count = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, line: bytes) -> None:
        """The next line. Raises BadInput that names it."""
        self._count += 1
        line = line.removeprefix(_BYTE_ORDER_MARK) if self._count == 1 else line
        try:
            record = read_line(line)
        except BadInput as error:
            told = error.message if error.field == "body" else str(error)
            raise BadInput(f"line {self._count}", told) from None
        self._checking.take(record)
        self._file.write(line.strip() + b"\n")

    async def store(self, user_id: str) -> schemas.Imported:
        """Write all lines; how much of what is new. Raises BadInput when the end is missing."""
        checked: Checked = self._checking.finish()
        added = await self._souvenir.importing.bring_back(user_id, checked, self._records)
        return schemas.Imported(lines=self._count, added=added)

    async def _records(self) -> AsyncIterator[Record]:
        self._file.seek(0)
        while line := self._file.readline():
            yield read_line(line)
            await asyncio.sleep(0)  # others are served meanwhile


async def _lines(chunks: AsyncIterator[bytes], longest: int) -> AsyncIterator[bytes]:
    """The lines of a stream, the last one closed or not."""
    pending = bytearray()
    number = 1
    async for chunk in chunks:
        for place, part in enumerate(chunk.split(b"\n")):
            if place:
                yield bytes(pending)
                pending.clear()
                number += 1
            pending += part
            if len(pending) > longest:
                raise BadInput(f"line {number}", f"is over {longest} bytes")
    if pending:
        yield bytes(pending)


async def _resumed(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    async with aclosing(rest):
        yield first
        async for chunk in rest:
            yield chunk
