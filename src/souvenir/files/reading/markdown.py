"""Where a Markdown text has its headings."""

import re
from itertools import pairwise

from markdown_it import MarkdownIt

from souvenir.files.reading.document import TITLE_CHARS, Heading

_LINE_END = re.compile(r"\r\n?|\n")


def headings_of(text: str, offset: int = 0) -> list[Heading]:
    """The headings of a Markdown text, in order; `offset` is added to where they begin."""
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    tokens = MarkdownIt("commonmark").parse(text)
    found: list[Heading] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map is not None and inline.content.strip():
            title = " ".join(inline.content.split())[:TITLE_CHARS]
            found.append(Heading(offset + starts[token.map[0]], int(token.tag[1]), title))
    return found
