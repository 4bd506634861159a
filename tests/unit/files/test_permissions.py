"""Files and folders that are closed to us, by the operating system's own word, also where the tests run as root."""

import asyncio
import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from souvenir.errors import Forbidden
from souvenir.files.names import allowed_root
from souvenir.files.patterns import Patterns
from souvenir.files.plan import ReadingPlan, Sizes
from souvenir.files.reader import FileReader
from souvenir.files.reading.document import Limits
from souvenir.files.scanning import RootGone, scan
from souvenir.files.tree import list_tree, read_file

T = TypeVar("T")

DROP_FOR_CHILDREN = 24
OPENS_EVERYTHING = (1, 2)  # what lets root read files and folders that are closed
VERSION = 0x20080522


def powerless(call: Callable[[], T]) -> T:
    """Call in a thread that has given up, for itself and its children, what opens everything to root."""
    with ThreadPoolExecutor(1, initializer=_give_up) as thread:
        return thread.submit(call).result()


def _give_up() -> None:
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for power in OPENS_EVERYTHING:
        assert libc.prctl(DROP_FOR_CHILDREN, power, 0, 0, 0) == 0
    head = (ctypes.c_uint32 * 2)(VERSION, 0)
    held = (ctypes.c_uint32 * 6)()  # of two words each: used now, may be used, handed down
    assert libc.capget(head, held) == 0
    lost = sum(1 << power for power in OPENS_EVERYTHING)
    held[0] &= ~lost
    held[1] &= ~lost
    assert libc.capset(head, held) == 0


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "root"
    (root / "locked" / "deep").mkdir(parents=True)
    (root / "open.txt").write_text("Hemp holds.")
    for name in ("closed.txt", "locked/in.txt"):
        (root / name).write_text("treasure")
    (root / "closed.txt").chmod(0)
    (root / "locked").chmod(0)
    yield root
    (root / "locked").chmod(0o755)


@pytest.mark.req("FILE-1", "FILE-3")
def test_a_closed_file_fails_and_the_next_one_is_read(root: Path) -> None:
    async def read() -> list[dict[str, Any]]:
        async with FileReader(ReadingPlan(None, Sizes(64, 8), Limits(), 60)) as reader:
            return [await reader.read(root, path) for path in ("closed.txt", "locked/in.txt", "open.txt")]

    closed, locked, readable = powerless(lambda: asyncio.run(read()))
    assert (closed["status"], closed["error"]) == ("failed", "there is no permission to read it")
    assert (locked["status"], locked["error"]) == ("failed", "there is no permission to read it")
    assert readable["status"] == "indexed"


@pytest.mark.req("FILE-3")
def test_a_closed_folder_is_as_if_it_were_empty(root: Path) -> None:
    assert powerless(lambda: [one.path for one in scan(root, Patterns((), ()))]) == ["closed.txt", "open.txt"]


def test_a_source_whose_own_folder_is_closed_is_gone(root: Path) -> None:
    with pytest.raises(RootGone, match="Permission denied"):
        powerless(lambda: list(scan(root / "locked", Patterns((), ()))))


@pytest.mark.req("FILE-5")
@pytest.mark.parametrize(
    "look",
    [
        lambda root: read_file(root, "closed.txt", limit=10),
        lambda root: read_file(root, "locked/in.txt", limit=10),
        lambda root: list_tree(root, "locked", depth=1, limit=10),
        lambda root: allowed_root(str(root / "locked" / "deep"), (root,)),
    ],
    ids=["a file", "a file in a folder", "a folder", "a source"],
)
def test_a_look_at_what_is_closed_is_forbidden(root: Path, look: Callable[[Path], object]) -> None:
    with pytest.raises(Forbidden, match="no permission"):
        powerless(lambda: look(root))


@pytest.mark.req("FILE-5")
def test_a_tree_shows_a_closed_folder_without_what_is_in_it(root: Path) -> None:
    entries, _ = powerless(lambda: list_tree(root, "", depth=5, limit=10))
    assert [entry.path for entry in entries] == ["closed.txt", "locked", "open.txt"]
