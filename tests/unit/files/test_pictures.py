"""Text in pictures and scans: it is read where the extra is installed, and what is too much or broken says so."""

import struct
import sys
import tomllib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont

from souvenir.files.chunking import chunks_of, counter
from souvenir.files.plan import ReadingPlan, Sizes
from souvenir.files.reader import FileReader
from souvenir.files.reading.document import Limits, Unreadable
from souvenir.files.reading.formats import read
from tests.unit.files.test_reading import pdf, saved

LINES = ("The invoice number is 48213", "Captain Anna sails at dawn")
PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def picture(
    *lines: str, ink: Any = "black", ground: Any = "white", mode: str = "RGB", size: int = 32, width: int = 700
) -> Image.Image:
    step = int(size * 1.6)
    made = Image.new(mode, (width, 60 + step * len(lines)), ground)
    draw = ImageDraw.Draw(made)
    for number, line in enumerate(lines):
        draw.text((30, 30 + step * number), line, font=ImageFont.load_default(size), fill=ink)
    return made


def encoded(made: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    return saved(lambda buffer: made.save(buffer, kind, **more))


def scanned(*pages: Sequence[str]) -> bytes:
    """A PDF whose pages are pictures."""
    first, *rest = [picture(*lines) for lines in pages]
    return encoded(first, "PDF", save_all=True, append_images=rest)


def mixed() -> bytes:
    """A PDF whose first page is text and whose second is a scan."""
    document = pypdfium2.PdfDocument(pdf("Rope and tar"))
    document.import_pages(pypdfium2.PdfDocument(scanned(LINES)))
    return saved(document.save)


def bomb(width: int, height: int) -> bytes:
    """The beginning of a PNG that says how large it will be."""

    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(bytes(100_000)))


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "PNG"), ("a.JPG", "JPEG"), ("a.jpeg", "JPEG"), ("a.webp", "WEBP"), ("a.bmp", "BMP"), ("a.tiff", "TIFF"),
     ("a.tif", "TIFF"), ("a.gif", "GIF"), ("jpeg named.png", "JPEG")],
    ids=range(9),
)  # fmt: skip
def test_text_in_a_picture_of_any_common_format_is_read(name: str, kind: str) -> None:
    document = read(name, encoded(picture(*LINES), kind), Limits())
    assert document.text == "\n".join(LINES) + "\n\n"
    assert (document.format, document.pages) == ("picture", ())


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    "made",
    [
        picture(*LINES, ink="white", ground="navy"),
        picture(*LINES, mode="L", ink=0, ground=255),
        picture(*LINES, mode="1", ink=0, ground=1),
        picture(*LINES, mode="RGBA", ink=(0, 0, 0, 255), ground=(0, 0, 0, 0)),
        picture(*LINES, mode="RGBA", ink=(255, 255, 255, 255), ground=(255, 255, 255, 0)),
        picture(*LINES, mode="I;16", ink=400, ground=60_000),
        picture(*LINES).convert("P"),
    ],
    ids=["light on dark", "grey", "black and white", "on nothing", "white on nothing", "16 bits", "palette"],
)
def test_text_shows_whatever_the_picture_is_made_of(made: Image.Image) -> None:
    assert read("a.png", encoded(made), Limits()).text.split("\n")[:2] == [*LINES]


@pytest.mark.req("FILE-1")
def test_of_what_moves_the_first_frame_is_read() -> None:
    moving = encoded(picture("First frame"), "GIF", save_all=True, append_images=[picture("Second frame")])
    assert read("a.gif", moving, Limits()).text == "First frame\n\n"


@pytest.mark.req("FILE-1")
def test_pages_of_a_tiff_are_pages() -> None:
    pages = encoded(picture("Page of ropes"), "TIFF", save_all=True, append_images=[picture("Page of sails")])
    document = read("a.tif", pages, Limits())
    assert [document.text[start:].split("\n")[0] for start in document.pages] == ["Page of ropes", "Page of sails"]
    with pytest.raises(Unreadable, match="has 2 pages; at most 1"):
        read("a.tif", pages, Limits(ocr_pages=1))


def test_a_photo_taken_sideways_is_turned_upright() -> None:
    turned = picture(*LINES).transpose(Image.Transpose.ROTATE_90)
    notes = Image.Exif()
    notes[0x0112] = 6  # turn it clockwise to look at it
    assert read("a.jpg", encoded(turned, "JPEG", exif=notes), Limits()).text.split("\n")[:2] == [*LINES]


def test_what_stands_side_by_side_is_one_line_and_a_gap_is_an_empty_one() -> None:
    made = picture("Total to pay", width=900)
    ImageDraw.Draw(made).text((600, 30), "1,250 euros", font=ImageFont.load_default(32), fill="black")
    taller = Image.new("RGB", (900, 400), "white")
    taller.paste(made, (0, 0))
    taller.paste(picture("Thank you"), (0, 250))
    assert read("a.png", encoded(taller), Limits()).text == "Total to pay 1,250 euros\n\nThank you\n\n"


def test_a_very_tall_picture_is_read_in_bands_and_no_line_is_lost() -> None:
    lines = [f"Entry {number} of the log" for number in range(100, 180)]
    found = read("a.png", encoded(picture(*lines, size=28, width=500)), Limits()).text
    assert [line for line in found.split("\n") if line] == lines


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("name", "data", "reason", "outcome"),
    [
        ("a.png", bomb(50_000, 50_000), "too many pixels; at most 80,000,000", "failed"),
        ("a.png", bomb(10_000, 9_000), "10,000 x 9,000 pixels; at most 80,000,000", "failed"),
        ("a.bmp", encoded(picture(*LINES), "BMP")[:5000], "is broken", "failed"),
        ("a.png", encoded(picture(*LINES))[:600], "is broken", "failed"),
        ("a.jpg", encoded(picture(*LINES), "JPEG")[:2000], "is broken", "failed"),
        ("a.gif", b"GIF89a", "is broken", "failed"),
        ("a.webp", b"a text and no picture", "is broken", "failed"),
        ("a.png", b"", "is broken", "failed"),
        ("a.png", encoded(Image.new("RGB", (800, 600), "white")), "has no text", "skipped"),
        ("a.png", encoded(Image.new("RGB", (1, 1))), "has no text", "skipped"),
        ("a.png", encoded(Image.new("RGB", (6000, 12), "white")), "has no text", "skipped"),
        ("a.heic", b"ftypheic", "not read: heic", "skipped"),
    ],
    ids=[
        "a bomb", "too large", "half a bitmap", "half a picture", "half a photo", "a beginning", "a text", "nothing",
        "an empty picture", "a dot", "a strip", "another format",
    ],
)  # fmt: skip
def test_a_picture_that_cannot_be_read_says_why(name: str, data: bytes, reason: str, outcome: str) -> None:
    with pytest.raises(Unreadable, match=reason) as told:
        read(name, data, Limits())
    assert told.value.outcome == outcome


@pytest.mark.req("FILE-1", "FILE-2")
def test_scanned_pages_are_read_and_chunks_know_their_page_and_characters() -> None:
    document = read("a.pdf", mixed(), Limits())
    assert document.text == "Rope and tar\n\n" + "\n".join(LINES) + "\n\n"
    chunks = chunks_of(document, Sizes(8, 0), counter(None))
    assert {document.text[chunk.start : chunk.end] for chunk in chunks} >= {"Rope and tar", "sails at dawn"}
    assert [chunk.page for chunk in chunks] == [1 if chunk.start < document.pages[1] else 2 for chunk in chunks]


@pytest.mark.req("FILE-1")
def test_more_scanned_pages_than_are_read_are_refused() -> None:
    with pytest.raises(Unreadable, match="over 1 scanned pages"):
        read("a.pdf", scanned(LINES, LINES), Limits(ocr_pages=1))


@pytest.mark.req("FILE-1")
def test_without_the_extra_pictures_and_scans_are_skipped_and_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)  # as if there were none
    for name, data in (("a.png", encoded(picture(*LINES))), ("a.pdf", scanned(LINES))):
        with pytest.raises(Unreadable, match=r"pip install 'souvenir\[ocr\]'") as told:
            read(name, data, Limits())
        assert told.value.outcome == "skipped"
    assert read("a.pdf", mixed(), Limits()).text == "Rope and tar\n\n"


def test_what_the_tests_install_has_all_of_the_extra() -> None:
    project = tomllib.loads(PROJECT.read_text())
    assert set(project["project"]["optional-dependencies"]["ocr"]) <= set(project["dependency-groups"]["dev"])


@pytest.mark.req("FILE-3")
async def test_the_reading_process_tells_of_every_page_of_a_scan_and_reads_on_after_one_that_is_too_much(
    tmp_path: Path,
) -> None:
    (tmp_path / "scan.pdf").write_bytes(scanned(["One"], ["Two"], ["Three"]))
    (tmp_path / "bomb.png").write_bytes(bomb(50_000, 50_000))
    (tmp_path / "note.txt").write_text("Hemp holds.")
    pages = 0

    async def count() -> None:
        nonlocal pages
        pages += 1

    async with FileReader(ReadingPlan(None, Sizes(64, 8), Limits(), 60), on_page=count) as reader:
        answer = await reader.read(tmp_path, "scan.pdf")
        assert [(chunk["page"], chunk["text"]) for chunk in answer["chunks"]] == [(1, "One"), (2, "Two"), (3, "Three")]
        assert pages == 3
        assert "too many pixels" in (await reader.read(tmp_path, "bomb.png"))["error"]
        assert (await reader.read(tmp_path, "note.txt"))["status"] == "indexed"


async def test_a_scan_that_is_no_longer_wanted_is_given_up_between_its_pages(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scanned(*(["One"] for _ in range(50))))

    async def stop() -> None:
        raise InterruptedError

    async with FileReader(ReadingPlan(None, Sizes(64, 8), Limits(), 60), on_page=stop) as reader:
        with pytest.raises(InterruptedError):
            await reader.read(tmp_path, "scan.pdf")
        assert reader.pid is None


def embedded_bomb(width: int, height: int) -> bytes:
    """A PDF whose one page is a picture that unpacks to more than there is memory."""
    packed = zlib.compress(bytes(20 * 2**20), 9)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
        b"<</Length 24>>stream\nq 500 0 0 500 0 0 cm /I Do Q\nendstream",
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode"
        b"/Length %d>>stream\n%s\nendstream" % (width, height, len(packed), packed),
    ]
    body = b"".join(b"%d 0 obj%s\nendobj\n" % (number, part) for number, part in enumerate(parts, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size 6>>\n%%EOF"


@pytest.mark.req("FILE-3")
async def test_a_scan_that_unpacks_to_too_much_ends_at_most_the_reading_process(tmp_path: Path) -> None:
    (tmp_path / "bomb.pdf").write_bytes(embedded_bomb(50_000, 50_000))
    (tmp_path / "note.txt").write_text("Hemp holds.")
    async with FileReader(ReadingPlan(None, Sizes(64, 8), Limits(), 60)) as reader:
        answer = await reader.read(tmp_path, "bomb.pdf")
        assert answer["status"] in {"failed", "skipped"}
        assert answer["error"]
        assert (await reader.read(tmp_path, "note.txt"))["status"] == "indexed"
