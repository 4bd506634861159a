"""Names of files as text and back, and opening them so that no link and no `..` leads out of their folder."""

import contextlib
import os
import re
import stat
from pathlib import Path

from souvenir.errors import BadInput, Forbidden, NotFound

MOST_CHARS = 4096

_ODD = re.compile(r"(\\*)([\udc80-\udcff])|(\\+)(udc[89a-f][0-9a-f])")
_WRITTEN = re.compile(r"(\\+)udc([89a-f][0-9a-f])")


def written(name: str) -> str:
    """A name as text that can be stored and sent: a byte that is not UTF-8 is written `\\udcff`."""
    return _ODD.sub(_write, name)


def unwritten(text: str) -> str:
    """The name that is written so."""
    return _WRITTEN.sub(_read, text)


def _write(found: re.Match[str]) -> str:
    if found.group(2) is not None:
        return found.group(1) * 2 + f"\\udc{ord(found.group(2)) - 0xDC00:02x}"
    return found.group(3) * 2 + found.group(4)


def _read(found: re.Match[str]) -> str:
    count = len(found.group(1))
    if count % 2 == 0:
        return "\\" * (count // 2) + "udc" + found.group(2)
    return "\\" * (count // 2) + chr(0xDC00 + int(found.group(2), 16))


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a written path below a source's folder; none for the folder itself. Raises BadInput."""
    if len(path) > MOST_CHARS or "\0" in path:
        raise BadInput("path", f"must be at most {MOST_CHARS} characters, none of them NUL")
    if path.startswith("/"):
        raise BadInput("path", "must be relative to the source's folder")
    parts = tuple(unwritten(part) for part in path.split("/") if part not in {"", "."})
    if ".." in parts:
        raise BadInput("path", "must not lead out of the source's folder")
    return parts


def allowed_root(folder: str, roots: tuple[Path, ...]) -> Path:
    """The real folder behind a name, which must lie in one of the operator's roots. Raises BadInput, Forbidden."""
    if "\0" in folder or len(folder) > MOST_CHARS or not Path(folder).is_absolute():
        raise BadInput("path", f"must be an absolute path of at most {MOST_CHARS} characters")
    if not roots:
        raise Forbidden("no folder may be indexed here: the operator sets SOUVENIR_SOURCE_ROOTS")
    real = Path(os.path.realpath(folder))
    if not any(real == root or root in real.parents for root in map(_real, roots)):
        # told before whether it exists: what lies elsewhere is nobody's business
        raise Forbidden("path is not in a folder that the operator allows (SOUVENIR_SOURCE_ROOTS)")
    try:
        if not real.is_dir():
            raise BadInput("path", "is not a folder")
    except PermissionError:
        raise Forbidden("there is no permission to read this folder") from None
    return real


def _real(root: Path) -> Path:
    return Path(os.path.realpath(root))


def open_beneath(root: Path, parts: tuple[str, ...], *, folder: bool = False) -> int:
    """A descriptor of a file or folder below `root`, for reading; links are not followed, at no step.

    Raises NotFound, Forbidden (no permission) and BadInput (a link, or neither file nor folder).
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # of a pipe nobody writes to, do not wait
    descriptor = os.open(root, flags | os.O_DIRECTORY)
    try:
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            directory = os.O_DIRECTORY if folder or not last else 0
            inner = os.open(part, flags | directory, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        _require_kind(descriptor, folder)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_kind(descriptor: int, folder: bool) -> None:
    if not folder and not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise BadInput("path", "is not a file")


def listing(descriptor: int) -> list[tuple[str, os.stat_result]]:
    """What is in an open folder, by name; links as such, and without what goes away meanwhile."""
    found: list[tuple[str, os.stat_result]] = []
    for name in sorted(os.listdir(descriptor)):
        with contextlib.suppress(OSError):
            found.append((name, os.stat(name, dir_fd=descriptor, follow_symlinks=False)))
    return found


def opened(root: Path, parts: tuple[str, ...], *, folder: bool = False) -> int:
    """The same, with the errors of the operating system told as ours."""
    try:
        return open_beneath(root, parts, folder=folder)
    except PermissionError:
        raise Forbidden("there is no permission to read this") from None
    except FileNotFoundError:
        raise NotFound("there is no such file or folder") from None
    except OSError as error:
        if _is_link(root, parts):
            raise BadInput("path", "is or goes through a link, and links are not followed") from None
        if isinstance(error, NotADirectoryError):
            if folder:
                raise BadInput("path", "is not a folder") from None
            raise NotFound("there is no such file or folder") from None
        raise BadInput("path", f"cannot be opened: {error.strerror}") from None


def _is_link(root: Path, parts: tuple[str, ...]) -> bool:
    path = root
    for part in parts:
        path = path / part
        with contextlib.suppress(OSError):
            if path.is_symlink():
                return True
    return False
