"""Reading: every format gives its text and structure; what is broken, binary or too much says so."""

import io
import json
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.files.reading.document import Document, Limits, Unreadable
from souvenir.files.reading.encodings import decode
from souvenir.files.reading.formats import read

WORDS = "Grüße aus München: naïve café, señor, Ærøskøbing. " * 20
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 20


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Plan", 1)
    document.add_paragraph("We sail at dawn.")
    document.add_heading("Crew", 2)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Anna", "captain"
    return saved(document.save)


def excel() -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.title = "Costs"
    book.active.append(["rope", 12])
    book.create_sheet("Crew").append(["Anna", None, "captain"])
    return saved(book.save)


def powerpoint() -> bytes:
    deck = pptx.Presentation()
    for title in ("Departure", "Arrival"):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"{title} at dawn"
    return saved(deck.save)


def pdf(*pages: str) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for text in pages:
        page = document.new_page(400, 400)
        font = pdfium.FPDFText_LoadStandardFont(document, b"Helvetica")
        made = pdfium.FPDFPageObj_CreateTextObj(document, font, 12.0)
        encoded = (text + "\0").encode("utf-16-le")
        pdfium.FPDFText_SetText(made, (pdfium.FPDF_WCHAR * (len(encoded) // 2)).from_buffer_copy(encoded))
        pdfium.FPDFPageObj_Transform(made, 1, 0, 0, 1, 20, 200)
        pdfium.FPDFPage_InsertObject(page, made)
        page.gen_content()
    return saved(document.save)


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Voyage to Ærø", "anna@example.org", "ben@example.org"
    message.set_content("We sail at dawn.\n")
    message.add_alternative("<p>We sail at <b>dawn</b>.</p>", subtype="html")
    message.add_attachment(b"\0\1", maintype="application", subtype="octet-stream", filename="map.bin")
    return message.as_bytes()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "Low at six."]},
        {"cell_type": "code", "source": "print(6)", "outputs": [{"text": "6"}]},
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


HTML = b"""<!doctype html><html><head><title>Harbour</title><style>p {}</style></head><body>
<h1>Ships</h1><p>One <b>two</b>
three.</p><script>alert(1)</script><ul><li>Rope</li><li>Tar</li></ul><pre>a
  b</pre><table><tr><td>x</td><td>y</td></tr></table></body></html>"""


def titles(document: Document) -> list[tuple[int, str]]:
    assert all(document.text[one.start :].lstrip("# ").startswith(one.title) for one in document.headings)
    return [(one.level, one.title) for one in document.headings]


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", WORDS), ("utf-8-sig", WORDS), ("latin-1", WORDS), ("utf-16", WORDS), ("utf-32", WORDS),
        ("utf-16-le", WORDS), ("utf-16-be", WORDS), ("cp1251", RUSSIAN), ("koi8-r", RUSSIAN), ("shift_jis", JAPANESE),
        ("euc_jp", JAPANESE), ("utf-8", JAPANESE),
    ],
    ids=lambda value: value if len(value) < 12 else "",
)  # fmt: skip
def test_text_is_read_in_any_common_encoding(encoding: str, text: str) -> None:
    assert read("a.txt", text.encode(encoding), Limits()).text == text


def test_line_ends_stay_as_they_are() -> None:
    assert decode(b"a\r\nb\rc\n") == "a\r\nb\rc\n"


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 40, b"MZ\0\0\1\2" * 100, b"\x7fELF" + bytes(200), b"\x89PNG\r\n\x1a\n" + bytes(range(64))],
    ids=["all bytes", "exe", "elf", "png"],
)
def test_binary_data_with_a_text_name_is_said_to_be_binary(data: bytes) -> None:
    with pytest.raises(Unreadable, match="binary") as told:
        read("notes.txt", data, Limits())
    assert told.value.outcome == "skipped"


@pytest.mark.req("FILE-1")
def test_markdown_headings_are_found_and_those_in_code_are_not() -> None:
    document = read(
        "a.md", b"# One\r\n\r\ntext\r\n\r\n```\r\n# no\r\n```\r\n\r\n## Two\r\n\r\nThree\r\n===\r\n", Limits()
    )
    assert [(one.level, one.title, document.text[one.start :][:2]) for one in document.headings] == [
        (1, "One", "# "), (2, "Two", "##"), (1, "Three", "Th"),
    ]  # fmt: skip


@pytest.mark.req("FILE-1")
def test_html_gives_what_people_read_of_it() -> None:
    document = read("a.html", HTML, Limits())
    assert titles(document) == [(1, "Harbour"), (1, "Ships")]
    assert document.text == "Harbour\n\nShips\n\nOne two three.\nRope\nTar\na\n  b\n\nx\ty\n"


def test_html_in_the_encoding_that_it_names_is_read() -> None:
    page = '<meta charset="windows-1251"><p>Привет, мир</p>'.encode("cp1251")
    assert read("a.htm", page, Limits()).text.strip() == "Привет, мир"


@pytest.mark.req("FILE-1")
def test_word_gives_paragraphs_tables_and_headings() -> None:
    document = read("a.docx", word(), Limits())
    assert titles(document) == [(1, "Plan"), (2, "Crew")]
    assert "We sail at dawn." in document.text
    assert "Anna\tcaptain" in document.text


@pytest.mark.req("FILE-1")
def test_excel_gives_sheets_and_rows() -> None:
    document = read("a.xlsx", excel(), Limits())
    assert titles(document) == [(1, "Costs"), (1, "Crew")]
    assert "rope\t12\n" in document.text
    assert "Anna\t\tcaptain\n" in document.text


@pytest.mark.req("FILE-1")
def test_powerpoint_gives_slides_as_pages() -> None:
    document = read("a.pptx", powerpoint(), Limits())
    assert titles(document) == [(1, "Departure"), (1, "Arrival")]
    assert [document.text[start:].split("\n")[0] for start in document.pages] == ["Departure", "Arrival"]
    assert "Arrival at dawn" in document.text


@pytest.mark.req("FILE-1")
def test_pdf_gives_its_pages() -> None:
    document = read("a.pdf", pdf("Rope and tar", "Sails"), Limits())
    assert [document.text[start:].split("\n")[0] for start in document.pages] == ["Rope and tar", "Sails"]


@pytest.mark.req("FILE-1")
def test_an_email_gives_who_what_about_and_what_it_says() -> None:
    document = read("a.eml", mail(), Limits())
    assert titles(document) == [(1, "Voyage to Ærø")]
    assert "From: anna@example.org" in document.text
    assert "We sail at dawn." in document.text
    assert "Attachment: map.bin" in document.text


@pytest.mark.req("FILE-1")
def test_a_notebook_gives_its_cells() -> None:
    document = read("a.ipynb", notebook(), Limits())
    assert titles(document) == [(1, "Tides")]
    assert document.text == "# Tides\nLow at six.\n\nprint(6)\n\n"


def bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for part in range(4):
            package.writestr(f"word/document{part}.xml", bytes(100 * 2**20))
    return buffer.getvalue()


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("a.pdf", lambda: b"%PDF-1.7 and nothing more", "broken"),
        ("a.pdf", lambda: pdf("text")[:300], "broken"),
        ("a.pdf", lambda: pdf(""), "pictures"),
        ("a.docx", lambda: word()[:-200], "broken"),
        ("a.docx", lambda: b"not a zip", "broken"),
        ("a.docx", excel, "broken"),
        ("a.xlsx", word, "broken"),
        ("a.docx", bomb, "unpacks"),
        ("a.ipynb", lambda: b"{", "not JSON"),
        ("a.ipynb", lambda: b"[" * 100_000, "not JSON"),
        ("a.ipynb", lambda: b"{}", "no cells"),
        ("a.eml", lambda: b"", "not an e-mail"),
        ("a.png", lambda: b"\x89PNG", "picture"),
    ],
    ids=[
        "a PDF of nothing",
        "half a PDF",
        "a PDF without text",
        "half a document",
        "no document",
        "a sheet for a document",
        "a document for a sheet",
        "a bomb",
        "half a notebook",
        "a deep notebook",
        "a notebook without cells",
        "an empty e-mail",
        "a picture",
    ],
)
def test_what_cannot_be_read_says_why(name: str, make: Callable[[], bytes], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(name, make(), Limits())


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.md"])
def test_a_text_over_the_limit_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="over 1,000 characters"):
        read(name, b"word " * 1000, Limits(characters=1000))


def test_a_pdf_of_too_many_pages_is_refused() -> None:
    with pytest.raises(Unreadable, match="3 pages"):
        read("a.pdf", pdf("a", "b", "c"), Limits(pages=2))


@given(
    st.binary(max_size=2000),
    st.sampled_from(
        ["txt", "md", "html", "eml", "ipynb", "pdf", "docx", "csv", "py", "png", "jpg", "gif", "tiff", "webp"]
    ),
)
def test_any_bytes_are_read_or_refused(data: bytes, ending: str) -> None:
    try:
        document = read(f"a.{ending}", data, Limits())
    except Unreadable:
        return
    assert "\0" not in document.text
    document.text.encode()
