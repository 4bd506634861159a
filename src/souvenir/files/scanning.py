"""Looks over a source's folder: which files there are, how large, and of when."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from souvenir.files.names import listing, open_beneath, written
from souvenir.files.patterns import Patterns

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that is there. `changed_ns` is the later of the times of its content and of its entry."""

    path: str
    size: int
    changed_ns: int


class RootGone(Exception):
    """The source's folder itself is no longer there, or may not be read."""


def scan(root: Path, patterns: Patterns, below: tuple[str, ...] = ()) -> Iterator[Seen]:
    """The files that belong to the source, in or under a folder of it. Raises RootGone.

    Links are not followed, so that a loop of them is no loop here. A folder that goes away meanwhile or may not be
    read is as if it were empty.
    """
    check_root(root)
    waiting = [below]
    while waiting:
        parts = waiting.pop()
        folders: list[tuple[str, ...]] = []
        for name, about in _entries(root, parts):
            path = "/".join((*parts, name))
            if stat.S_ISDIR(about.st_mode) and len(parts) < _DEEPEST and patterns.folder(path):
                folders.append((*parts, name))
            elif stat.S_ISREG(about.st_mode) and patterns.file(path):
                yield Seen(path, about.st_size, changed_ns(about))
        waiting += reversed(folders)


def check_root(root: Path) -> None:
    """Raise RootGone unless the source's folder is there."""
    try:
        os.close(open_beneath(root, (), folder=True))
    except OSError as error:
        raise RootGone(f"{written(str(root))} cannot be read: {error.strerror}") from None


def look(root: Path, parts: tuple[str, ...]) -> os.stat_result | None:
    """What is at a place now, a link as such; None when there is nothing, or nothing that may be seen."""
    try:
        around = open_beneath(root, parts[:-1], folder=True)
    except OSError:
        return None
    try:
        return os.stat(parts[-1], dir_fd=around, follow_symlinks=False)
    except OSError:
        return None
    finally:
        os.close(around)


def changed_ns(found: os.stat_result) -> int:
    """When a file was changed: an entry's own time also tells of what replaced it with an older time."""
    return max(found.st_mtime_ns, found.st_ctime_ns)


def _entries(root: Path, parts: tuple[str, ...]) -> list[tuple[str, os.stat_result]]:
    try:
        descriptor = open_beneath(root, parts, folder=True)
    except OSError:
        return []
    try:
        return listing(descriptor)
    except OSError:
        return []
    finally:
        os.close(descriptor)
