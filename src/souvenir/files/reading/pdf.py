"""The text of a PDF, page by page."""

import pypdfium2

from souvenir.files.reading.document import Builder, Document, Limits, Unreadable


def read_pdf(data: bytes, limits: Limits) -> Document:
    """Read a PDF. Raises Unreadable for one that is broken, locked, too long, or a scan without text."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "needs a password" if "password" in str(error).lower() else f"is broken: {error}"
        raise Unreadable(reason) from None
    pages = len(document)
    if pages > limits.pages:
        raise Unreadable(f"has {pages:,} pages; at most {limits.pages:,} are read")
    builder = Builder("pdf", limits)
    for number in range(pages):
        builder.page()
        try:
            text = document[number].get_textpage().get_text_bounded()
        except pypdfium2.PdfiumError as error:
            raise Unreadable(f"page {number + 1} is broken: {error}") from None
        # U+FFFE is where a word was divided at the end of a line
        builder.paragraph(text.replace("\r\n", "\n").replace("\ufffe", ""))
    if not builder.length:
        raise Unreadable("has no text: its pages are pictures", "skipped")
    return builder.document()
