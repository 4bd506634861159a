"""Which reader a file's name asks for."""

from collections.abc import Callable
from pathlib import PurePath

from souvenir.files.reading.document import Beat, Document, Limits, Unreadable, storable, too_long
from souvenir.files.reading.encodings import decode
from souvenir.files.reading.html import read_html
from souvenir.files.reading.mail import read_mail
from souvenir.files.reading.markdown import headings_of
from souvenir.files.reading.notebook import read_notebook
from souvenir.files.reading.office import read_docx, read_pptx, read_xlsx
from souvenir.files.reading.pdf import read_pdf
from souvenir.files.reading.pictures import ENDINGS, read_picture

Reader = Callable[[bytes, Limits], Document]
SlowReader = Callable[[bytes, Limits, Beat], Document]

_READERS: dict[str, Reader] = {
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".docx": read_docx,
    ".docm": read_docx,
    ".xlsx": read_xlsx,
    ".xlsm": read_xlsx,
    ".pptx": read_pptx,
    ".pptm": read_pptx,
    ".eml": read_mail,
    ".ipynb": read_notebook,
}
_SLOW_READERS: dict[str, SlowReader] = {".pdf": read_pdf, **dict.fromkeys(ENDINGS, read_picture)}
_MARKDOWN = {".md", ".markdown", ".mdx", ".mdown"}
_LANGUAGES = {
    ".py": "python", ".pyi": "python", ".pyw": "python", ".js": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".cts": "typescript",
    ".tsx": "tsx", ".java": "java", ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
    ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp", ".cs": "c_sharp", ".rb": "ruby", ".php": "php",
    ".sh": "bash", ".bash": "bash",
}  # fmt: skip
_OTHER_PICTURES = {".heic", ".heif", ".avif"}


def read(name: str, data: bytes, limits: Limits, beat: Beat = lambda: None) -> Document:
    """The document in a file's bytes, by its name's ending; what has none of ours is text. Raises Unreadable."""
    ending = PurePath(name).suffix.lower()
    if ending in _OTHER_PICTURES:
        raise Unreadable(f"is a picture in a format that is not read: {ending.removeprefix('.')}", "skipped")
    slow = _SLOW_READERS.get(ending)
    if slow is not None:
        return _guarded(lambda: slow(data, limits, beat))
    reader = _READERS.get(ending)
    if reader is not None:
        return _guarded(lambda: reader(data, limits))
    text = storable(decode(data))
    if len(text) > limits.characters:
        raise too_long(limits)
    if ending in _MARKDOWN:
        return Document(text, "markdown", "markdown", headings=tuple(headings_of(text)))
    language = _LANGUAGES.get(ending)
    if language is not None:
        return Document(text, language, "code", language=language)
    return Document(text, ending.removeprefix(".") if ending in {".csv", ".json"} else "text")


def _guarded(reading: Callable[[], Document]) -> Document:
    try:
        return reading()
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # libraries fail in any way on a broken file, and the rest goes on
        raise Unreadable(f"is broken: {type(error).__name__}: {str(error)[:200]}") from error
