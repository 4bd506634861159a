"""The text of a PDF, page by page; of pages that have none, the text in their picture."""

from typing import Any

import pypdfium2

from souvenir.files.reading import ocr
from souvenir.files.reading.document import Beat, Builder, Document, Limits, Unreadable
from souvenir.files.reading.pictures import NO_TEXT

_MOST_SCALE = 300 / 72


def read_pdf(data: bytes, limits: Limits, beat: Beat) -> Document:
    """Read a PDF. Raises Unreadable for one that is broken, locked, too long, or has no text that can be read."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "needs a password" if "password" in str(error).lower() else f"is broken: {error}"
        raise Unreadable(reason) from None
    pages = len(document)
    if pages > limits.pages:
        raise Unreadable(f"has {pages:,} pages; at most {limits.pages:,} are read")
    builder = Builder("pdf", limits)
    reads_scans = ocr.installed()
    scans = 0
    for number in range(pages):
        builder.page()
        try:
            page = document[number]
            text = _text(page)
            if not text.strip() and _shows_something(page):
                scans += 1
                if scans > limits.ocr_pages:
                    raise Unreadable(f"has over {limits.ocr_pages:,} scanned pages, the most that are read")
                if reads_scans:
                    beat()
                    text = ocr.text_in(_picture(page))
            builder.paragraph(text)
            page.close()
        except pypdfium2.PdfiumError as error:
            raise Unreadable(f"page {number + 1} is broken: {error}") from None
    if not builder.length:
        raise Unreadable(ocr.NEEDED if scans and not reads_scans else NO_TEXT, "skipped")
    return builder.document()


def _text(page: Any) -> str:
    """What is written on a page as text. U+FFFE is where a word was divided at the end of a line."""
    text: str = page.get_textpage().get_text_bounded()
    return text.replace("\r\n", "\n").replace("\ufffe", "")


def _shows_something(page: Any) -> bool:
    return next(iter(page.get_objects(max_depth=1)), None) is not None


def _picture(page: Any) -> Any:
    """The page as it looks, as large as the model takes it."""
    width, height = page.get_size()
    scale = min(_MOST_SCALE, ocr.LONGEST / max(width, height, 1))
    return page.render(scale=scale).to_pil().convert("RGB")
