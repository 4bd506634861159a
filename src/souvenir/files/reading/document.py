"""What reading a file gives: its text, and where in it headings and pages begin."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Shape = Literal["text", "markdown", "code"]
Outcome = Literal["skipped", "failed"]
Beat = Callable[[], None]
"""Called before each part of a file that takes long by itself; every part may take as long as a file."""

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
TITLE_CHARS = 200


class Unreadable(Exception):
    """A file that gives no text. `outcome` tells what we do not read from what is broken."""

    def __init__(self, reason: str, outcome: Outcome = "failed") -> None:
        super().__init__(reason)
        self.reason = reason
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read of one file."""

    file_bytes: int = 50 * 2**20
    characters: int = 5_000_000
    pages: int = 2_000
    unzipped_bytes: int = 300 * 2**20
    unzipped_files: int = 20_000
    pixels: int = 80_000_000
    ocr_pages: int = 500


@dataclass(frozen=True, slots=True)
class Heading:
    """Where a section begins, how deep it is (1 is the top), and its title."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file. `pages` are the characters at which pages begin; `language` is that of code."""

    text: str
    format: str
    shape: Shape = "text"
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    language: str | None = None


@dataclass(slots=True)
class Builder:
    """Puts a document together piece by piece. Raises Unreadable when it gets too long."""

    format: str
    limits: Limits
    length: int = 0
    parts: list[str] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)

    def add(self, text: str) -> None:
        """More text, as it is."""
        if not text:
            return
        self.parts.append(text)
        self.length += len(text)
        if self.length > self.limits.characters:
            raise too_long(self.limits)

    def paragraph(self, text: str, ending: str = "\n\n") -> None:
        """A text that stands for itself; nothing is added for an empty one."""
        if text.strip():
            self.add(text.strip() + ending)

    def heading(self, level: int, title: str) -> None:
        """A heading that begins here, as a paragraph."""
        title = " ".join(title.split())
        if title:
            self.headings.append(Heading(self.length, level, title[:TITLE_CHARS]))
            self.paragraph(title)

    def page(self) -> None:
        """A page begins here."""
        self.pages.append(self.length)

    def document(self) -> Document:
        """The whole of it."""
        return Document(
            storable("".join(self.parts)), self.format, headings=tuple(self.headings), pages=tuple(self.pages)
        )


def storable(text: str) -> str:
    """The text with what no database stores replaced, character by character."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def too_long(limits: Limits) -> Unreadable:
    """The error for a file whose text is over the limit."""
    return Unreadable(f"its text is over {limits.characters:,} characters, the most that is read of one file")
