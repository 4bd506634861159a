"""A source's folder as people browse it: read only, in bounded pieces, never beyond it."""

import os
import stat
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from souvenir.errors import Forbidden
from souvenir.files.names import listing, opened, parts_of, written
from souvenir.files.reading.document import Unreadable, storable
from souvenir.files.reading.encodings import decode

EntryKind = Literal["file", "folder", "link", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder; `path` is below the source's folder."""

    path: str
    kind: EntryKind
    size: int | None
    modified_at: datetime | None


@dataclass(frozen=True, slots=True)
class Content:
    """The beginning of a file, or the whole of it. `text` is None for binary data."""

    size: int
    text: str | None
    truncated: bool


def list_tree(root: Path, path: str, *, depth: int, limit: int) -> tuple[list[Entry], bool]:
    """Entries in and under a folder, nearer ones first, at most `limit`; and whether there are more.

    Raises BadInput for a path that leads out or through a link, NotFound and Forbidden. A folder further down that may
    not be read is shown without what is in it.
    """
    found: list[Entry] = []
    waiting = deque([(parts_of(path), 1)])
    while waiting:
        parts, level = waiting.popleft()
        try:
            entries = _entries(root, parts)
        except Forbidden:
            if level == 1:
                raise
            continue
        for entry, name in entries:
            if len(found) == limit:
                return found, True
            found.append(entry)
            if entry.kind == "folder" and level < depth:
                waiting.append(((*parts, name), level + 1))
    return found, False


def read_file(root: Path, path: str, *, limit: int) -> Content:
    """The first `limit` bytes of a file as text, in whole characters. Raises as `list_tree` does."""
    with os.fdopen(opened(root, parts_of(path)), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(limit + 1)
    truncated = len(data) > limit
    try:
        text = storable(decode(_whole(data[:limit]) if truncated else data))
    except Unreadable:
        return Content(size, None, truncated)
    return Content(size, text, truncated)


def _whole(data: bytes) -> bytes:
    """Without a character of UTF-8 that was cut in two."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if length > back else data
        if byte < 0x80:
            break
    return data


def _entries(root: Path, parts: tuple[str, ...]) -> list[tuple[Entry, str]]:
    descriptor = opened(root, parts, folder=True)
    try:
        there = listing(descriptor)
    finally:
        os.close(descriptor)
    return [(_entry("/".join((*parts, name)), about), name) for name, about in there]


def _entry(path: str, about: os.stat_result) -> Entry:
    kind = _kind(about.st_mode)
    return Entry(written(path), kind, about.st_size if kind == "file" else None, _time(about.st_mtime))


def _kind(mode: int) -> EntryKind:
    if stat.S_ISLNK(mode):
        return "link"
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
