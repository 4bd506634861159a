"""Files made to harm whoever reads them: packages that lie, texts that multiply, files without an end."""

import io
import os
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from souvenir.files.plan import ReadingPlan, Sizes
from souvenir.files.reader import FileReader
from souvenir.files.reading.document import Limits, Unreadable
from souvenir.files.reading.formats import read
from tests.unit.files.test_reading import excel, powerpoint, word

BODY = "word/document.xml"
PLAN = ReadingPlan(None, Sizes(64, 8), Limits(), 60)
MULTIPLIED = b"<!DOCTYPE x [<!ENTITY a0 'ha'>%s]>" % b"".join(
    b"<!ENTITY a%d '%s'>" % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 10)
)


def repacked(package: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """An office file with one of its parts changed."""
    made = io.BytesIO()
    assert part in zipfile.ZipFile(io.BytesIO(package)).namelist()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return made.getvalue()


def laughing(tag: bytes) -> Callable[[bytes], bytes]:
    """A part in which a few bytes stand for a billion, in the first element of the name."""

    def change(part: bytes) -> bytes:
        root = part.index(b"<", part.index(b"?>") if part.startswith(b"<?") else 0)
        assert tag in part
        return part[:root] + MULTIPLIED + part[root:].replace(tag, tag + b"&a9;", 1)

    return change


def understated(package: bytes) -> bytes:
    """A package that says of its largest part that it is small."""
    data = bytearray(repacked(package, BODY, lambda part: part + b" " * 100 * 2**20))
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        (length,) = struct.unpack_from("<H", data, at + 28)
        if data[at + 46 : at + 46 + length] == BODY.encode():
            struct.pack_into("<I", data, at + 24, 1000)
    return bytes(data)


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.docx", lambda: repacked(word(), BODY, laughing(b"<w:t>"))),
        ("a.pptx", lambda: repacked(powerpoint(), "ppt/slides/slide1.xml", laughing(b"<a:t>"))),
        ("a.xlsx", lambda: repacked(excel(), "xl/worksheets/sheet1.xml", laughing(b"<t>"))),
        ("a.docx", lambda: understated(word())),
    ],
    ids=["words", "slides", "sheets", "a lie about sizes"],
)
def test_an_office_file_that_multiplies_is_refused(name: str, make: Callable[[], bytes]) -> None:
    with pytest.raises(Unreadable, match="is broken"):
        read(name, make(), Limits())


@pytest.mark.req("FILE-1")
def test_an_office_file_brings_in_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("treasure")
    entity = f"<!DOCTYPE x [<!ENTITY s SYSTEM 'file://{tmp_path}/secret.txt'>]>".encode()

    def change(part: bytes) -> bytes:
        return part.replace(b"?>", b"?>" + entity, 1).replace(b"<w:t>", b"<w:t>&s;")

    assert "treasure" not in read("a.docx", repacked(word(), BODY, change), Limits()).text


@pytest.mark.req("FILE-1", "FILE-3")
async def test_a_file_that_grows_beyond_the_limit_while_it_is_read_is_given_up() -> None:
    async with FileReader(replace(PLAN, limits=Limits(file_bytes=100))) as reader:
        # to the system this file is empty, and it has as much as is read of it
        answer = await reader.read(Path(f"/proc/{os.getpid()}"), "smaps")
    assert answer["status"] == "failed"
    assert answer["error"] == "grew beyond 100 bytes while it was read"


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    "name", ["..", "../a.txt", "a/../../b", "/etc/passwd", "//etc/passwd", "./../x", "a\0b", "", "."]
)
async def test_the_reading_process_itself_goes_nowhere_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_text("treasure")
    (tmp_path / "root").mkdir()
    async with FileReader(PLAN) as reader:
        answer = await reader.read(tmp_path / "root", name)
    assert (answer["status"], "chunks" in answer) == ("failed", False)
