"""Files of lines, or standard input, as commands read them."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

from souvenir.errors import BadInput

_CHUNK = 65_536


@contextlib.contextmanager
def opened(name: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The lines, and how many there are if that can be known."""
    if name == "-":
        yield sys.stdin.buffer, None
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below: errors of what is done with it are not its own
        count = sum(1 for _ in stream)
        stream.seek(0)
    except OSError as error:
        raise BadInput("FILE", f"{name} cannot be read: {error.strerror}") from None
    with stream:
        yield stream, count


async def lines_of(stream: BinaryIO) -> AsyncIterator[bytes]:
    """Lines as they come. The event loop does the waiting, so that Ctrl-C ends it at once."""
    begun: list[bytes] = []
    async for chunk in _chunks(stream):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        for line in others:
            yield b"".join(begun)
            begun = [line]
    if last := b"".join(begun):
        yield last


async def _chunks(stream: BinaryIO) -> AsyncIterator[bytes]:
    source = stream.fileno()
    while chunk := os.read(source, _CHUNK) if await _waited_for(source) else stream.read(_CHUNK):
        yield chunk


async def _waited_for(source: int) -> bool:
    """Wait until there is something to read; False of a file, for which nobody waits."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(source, ready.set)
    except OSError:
        await asyncio.sleep(0)
        return False
    try:
        await ready.wait()
    finally:
        loop.remove_reader(source)
    return True
