"""The reading process: what it says of files, and how it is replaced when one is too much for it."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from souvenir.files.plan import ReadingPlan, Sizes
from souvenir.files.reader import FileReader
from souvenir.files.reading.document import Limits

PLAN = ReadingPlan(None, Sizes(64, 8), Limits(), 60)


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    async with FileReader(PLAN) as reader:
        yield reader


@pytest.mark.req("FILE-1")
async def test_a_file_is_read_and_known_again_by_its_digest(reader: FileReader, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Ropes\n\nHemp holds.\n")
    answer = await reader.read(tmp_path, "a.md")
    assert answer["status"] == "indexed"
    assert [(chunk["text"], chunk["heading"]) for chunk in answer["chunks"]] == [("# Ropes\n\nHemp holds.", ["Ropes"])]
    assert {"rope", "hemp"} <= set(answer["chunks"][0]["terms"].split())
    assert (await reader.read(tmp_path, "a.md", answer["digest"]))["status"] == "unchanged"
    assert (await reader.read(tmp_path, "b.md"))["status"] == "gone"


@pytest.mark.req("FILE-1")
async def test_a_link_and_a_folder_are_not_read(reader: FileReader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("secret")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link.txt").symlink_to(tmp_path / "a.txt")
    for path in ("link.txt", "../a.txt", ".", "/etc/passwd"):
        answer = await reader.read(tmp_path / "root", path)
        assert answer["status"] == "failed", path
        assert "chunks" not in answer


@pytest.mark.req("FILE-3")
async def test_a_file_that_takes_too_long_fails_and_the_next_one_is_read(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("def f(x):\n    return x + 1\n\n" * 60_000)
    async with FileReader(replace(PLAN, seconds=0.05)) as reader:
        assert "took over 0.05 seconds" in (await reader.read(tmp_path, "slow.py"))["error"]
    async with FileReader(PLAN) as reader:
        (tmp_path / "fine.txt").write_text("Hemp holds.")
        assert (await reader.read(tmp_path, "fine.txt"))["status"] == "indexed"


@pytest.mark.req("FILE-3")
async def test_a_reader_that_was_killed_is_replaced(reader: FileReader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hemp holds.")
    assert (await reader.read(tmp_path, "a.txt"))["status"] == "indexed"
    assert reader.pid is not None
    os.kill(reader.pid, 9)
    assert (await reader.read(tmp_path, "a.txt"))["error"] == "made the reading process fail"
    assert (await reader.read(tmp_path, "a.txt"))["status"] == "indexed"


@pytest.mark.req("FILE-3")
async def test_a_large_sparse_file_is_refused_unread(reader: FileReader, tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(2 * 2**30)
    answer = await reader.read(tmp_path, "huge.txt")
    assert answer["status"] == "failed"
    assert "at most 52,428,800 are read" in answer["error"]
