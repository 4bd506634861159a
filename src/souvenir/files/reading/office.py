"""Word, Excel and PowerPoint, after a look at how much is packed inside."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from souvenir.files.reading.document import Builder, Document, Limits, Unreadable

_HEADING = re.compile(r"^heading (\d)$", re.IGNORECASE)


def read_docx(data: bytes, limits: Limits) -> Document:
    """Paragraphs and tables in their order, headings by their styles."""
    import docx  # noqa: PLC0415 - few files need it
    from docx.table import Table  # noqa: PLC0415

    _check_package(data, limits)
    builder = Builder("docx", limits)
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, Table):
            _add_rows(builder, ([cell.text for cell in row.cells] for row in block.rows))
            continue
        level = _level(block.style.name if block.style is not None else None)
        if level is not None:
            builder.heading(level, block.text)
        else:
            builder.paragraph(block.text)
    return builder.document()


def read_xlsx(data: bytes, limits: Limits) -> Document:
    """Sheets as sections, rows as lines; of a formula its last value."""
    import openpyxl  # noqa: PLC0415

    _check_package(data, limits)
    builder = Builder("xlsx", limits)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        builder.heading(1, sheet.title)
        sheet.reset_dimensions()  # what a file says of its size need not be true
        _add_rows(builder, sheet.iter_rows(values_only=True))
    return builder.document()


def read_pptx(data: bytes, limits: Limits) -> Document:
    """Slides as pages, their titles as headings, tables and notes too."""
    import pptx  # noqa: PLC0415

    _check_package(data, limits)
    builder = Builder("pptx", limits)
    for slide in pptx.Presentation(io.BytesIO(data)).slides:
        builder.page()
        title = slide.shapes.title
        if title is not None:
            builder.heading(1, title.text_frame.text)
        for shape in _flat(slide.shapes):
            if title is not None and shape.shape_id == title.shape_id:
                continue
            if shape.has_text_frame:
                builder.paragraph(shape.text_frame.text)
            if getattr(shape, "has_table", False):
                _add_rows(builder, ([cell.text for cell in row.cells] for row in shape.table.rows))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            builder.paragraph(slide.notes_slide.notes_text_frame.text)
    return builder.document()


def _check_package(data: bytes, limits: Limits) -> None:
    """Refuse what would unpack to too much. A reader unpacks no more of a part than is said here."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Unreadable(f"is broken: {error}") from None
    if len(parts) > limits.unzipped_files or sum(part.file_size for part in parts) > limits.unzipped_bytes:
        raise Unreadable(f"unpacks to over {limits.unzipped_bytes:,} bytes, the most that is read of one file")


def _level(style: str | None) -> int | None:
    if style == "Title":
        return 1
    found = _HEADING.match(style or "")
    return int(found.group(1)) if found is not None else None


def _add_rows(builder: Builder, rows: Any) -> None:
    for row in rows:
        line = "\t".join("" if value is None else " ".join(str(value).split()) for value in row)
        builder.paragraph(line, "\n")
    builder.add("\n")


def _flat(shapes: Any) -> Iterator[Any]:
    """Shapes, and those in groups."""
    waiting = list(shapes)[::-1]
    while waiting:
        shape = waiting.pop()
        if hasattr(shape, "shapes"):
            waiting += list(shape.shapes)[::-1]
        else:
            yield shape
