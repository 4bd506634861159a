"""The text of a web page: what people read of it, block by block, with its headings."""

import codecs
import re

import lxml.html
from lxml import etree

from souvenir.files.reading.document import Builder, Document, Limits, Unreadable
from souvenir.files.reading.encodings import decode

_SILENT = {"script", "style", "template", "noscript", "head", "svg", "object", "iframe", "select"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "br", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table",
    "tr", "ul", "body", "html", "caption", "title",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = {"td", "th"}
_SPACE = re.compile(r"\s+")
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})")


def read_html(data: bytes, limits: Limits) -> Document:
    """Read a page. Raises Unreadable."""
    builder = Builder("html", limits)
    add_html(builder, _text_of(data))
    return builder.document()


def add_html(builder: Builder, page: str) -> None:
    """Add what is read of a page."""
    if not page.strip():
        return
    try:
        # as bytes: a page that names its encoding is refused as text
        root = lxml.html.document_fromstring(
            page.encode("utf-8", "replace"), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=False)
        )
    except (etree.LxmlError, ValueError) as error:
        raise Unreadable(f"is not HTML that can be read: {error}") from None
    title = root.findtext(".//head/title")
    if title:
        builder.heading(1, title)
    _Walk(builder).over(root)


def _text_of(data: bytes) -> str:
    named = _CHARSET.search(data[:4096])
    if named is not None and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = data.decode(codecs.lookup(named.group(1).decode("ascii")).name)
        except (LookupError, UnicodeError):
            pass
        else:
            if "\0" not in text:
                return text
    return decode(data)


class _Walk:
    """Goes over a page once, without recursion, and collects lines."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._line: list[str] = []
        self._heading: int | None = None
        self._silent = 0
        self._kept = 0  # depth of <pre>

    def over(self, root: etree._Element) -> None:
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                self._open(tag, element.text)
            else:
                if event == "end":
                    self._close(tag)
                self._say(element.tail)
        self._break()

    def _open(self, tag: str, text: str | None) -> None:
        if tag in _SILENT:
            self._silent += 1
        if tag in _HEADINGS or tag in _BLOCKS:
            self._break()
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        if tag == "pre":
            self._kept += 1
        self._say(text)

    def _close(self, tag: str) -> None:
        if tag in _CELLS:
            self._line.append("\t")
        if tag in _HEADINGS or tag in _BLOCKS:
            self._break()
        if tag == "pre":
            self._kept -= 1
        if tag in _SILENT:
            self._silent -= 1

    def _say(self, text: str | None) -> None:
        if text and not self._silent:
            self._line.append(text if self._kept else _SPACE.sub(" ", text))

    def _break(self) -> None:
        line, self._line = "".join(self._line), []
        level, self._heading = self._heading, None
        if level is not None:
            self._builder.heading(level, line)
        elif self._kept:
            self._builder.paragraph(line)
        else:
            self._builder.paragraph(re.sub(r" {2,}", " ", line), "\n")
