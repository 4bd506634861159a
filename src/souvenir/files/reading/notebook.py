"""A Jupyter notebook: its cells one after the other, without what they printed."""

import json
from typing import Any

from souvenir.files.reading.document import Builder, Document, Limits, Unreadable
from souvenir.files.reading.encodings import decode
from souvenir.files.reading.markdown import headings_of


def read_notebook(data: bytes, limits: Limits) -> Document:
    """Read a notebook of version 4 or 3. Raises Unreadable."""
    try:
        book = json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not JSON: {error}") from None
    cells = _cells(book)
    if cells is None:
        raise Unreadable("is not a notebook: it has no cells")
    builder = Builder("notebook", limits)
    for cell in cells:
        source = _source(cell)
        if cell.get("cell_type") == "markdown":
            builder.headings += headings_of(source.strip(), builder.length)
        builder.paragraph(source)
    return builder.document()


def _cells(book: Any) -> list[dict[str, Any]] | None:
    if not isinstance(book, dict):
        return None
    found = book.get("cells")
    if found is None and isinstance(book.get("worksheets"), list):
        sheets = [sheet for sheet in book["worksheets"] if isinstance(sheet, dict)]
        found = [cell for sheet in sheets for cell in sheet.get("cells") or ()]
    return [cell for cell in found if isinstance(cell, dict)] if isinstance(found, list) else None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
