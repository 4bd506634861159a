"""A message as plain text: no code, quotes, citations or markup; and where its sentences end.

Everything here takes time in proportion to the text, whatever it is.
"""

import re
from collections.abc import Iterator

from souvenir.facts.wording import DASHES
from souvenir.patterns import lazy

_FENCE = lazy(r"\s{0,3}(?:```|~~~)")
_QUOTED_LINE = lazy(r"\s{0,3}>")
_HEADING = lazy(r"\s{0,3}#{1,6}\s+(\S.*)")
_BOLD_LINE = lazy(r"\s*(?:\*\*|__)([^*_]+?):?(?:\*\*|__):?\s*$")
_CITATION = lazy(r"[ \t]?(?:\[(?:M?\d{1,4}|\^\w{1,20})\](?!\()|\u3010[^\u3011\n]{0,80}\u3011)", re.IGNORECASE)
_LINK = lazy(r"!?\[([^\]\n]{1,300})\]\([^)\s]{1,500}\)")
_CHECKBOX = lazy(r"^(\s*[-*+•]\s+)\[[ xX]\]\s+", re.MULTILINE)
_MARKS = lazy(r"\*\*|__|~~|`|(?<![\w*])[*_](?=[^\s*_])|(?<=[^\s*_])[*_](?![\w*])")
_KEYCAP = lazy(r"(\d)\ufe0f?\u20e3\s*")
_NUMBER = lazy(r"\bno\.\s?(?=\d)|(?<![^\W_]\s)\bNo\.\s?(?=\d)")
_SHORT_FOR = lazy(r"\b([Ff]avs?)\.(?=\s[^\W\dA-Z_])")
_LINE_BREAK = lazy(r"<br\s*/?>|\r\n?|\u2028|\u2029", re.IGNORECASE)

BULLET = rf"[*+•·▪◦‣{DASHES}]"
_LIST_LINE = lazy(rf"\s*(?:{BULLET}\s|\(?-?\d{{1,6}}[).:\]\uff09]|#\d|\d{{1,3}}\s[{DASHES}]\s)")

_AND_LINE = lazy(r"\s*(?:and|&) ")

_CLOSING = r"[\"'\u201d\u2019)]*"
_END = lazy(rf"[.!?…]+{_CLOSING}(?=\s|$)|[\u3002\uff01\uff1f]")
_BEFORE_POINT = lazy(r"(\w+)\.$")
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms st mt ft vs jr sr inc ltd co corp vol feat prof gen sgt capt lt rev hon dept est no etc".split()
)
_KEPT_POINT = lazy(r"(?:\b[A-Za-z]\.){2,}$|\b(?:inc|jr|sr|ltd|co|corp|bros)\.$", re.IGNORECASE)
_POINTS = ",;:!.…\u3002\uff01"


def plain(text: str) -> str:
    """The text without code blocks, quoted lines, citations and markup; headings end in a colon, as lead-ins do."""
    text = _SHORT_FOR.sub(r"\1", _NUMBER.sub("number ", _KEYCAP.sub(r"\1) ", _LINE_BREAK.sub("\n", text))))
    text = _CHECKBOX.sub(r"\1", _CITATION.sub("", _LINK.sub(r"\1", text)))
    lines: list[str] = []
    in_code = False
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        in_code = in_code != fence
        skipped = fence or in_code or _QUOTED_LINE.match(line)
        lines.append("" if skipped else _MARKS.sub("", _lead_in(line)).rstrip())
    return "\n".join(_unwrapped(lines))


def is_list_line(line: str) -> bool:
    """Whether a line is an item of a list: it begins with a bullet or a number."""
    return _LIST_LINE.match(line) is not None


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a line with the places they begin at."""
    start = 0
    while start < len(text):
        end = sentence_end(text, start)
        if text[start:end].strip():
            yield start, text[start:end]
        start = end


def sentence_end(text: str, start: int = 0) -> int:
    """Where the sentence at `start` ends, its points included; the end of the text when nothing ends it."""
    quotes = 0
    counted = start
    for match in _END.finditer(text, start):
        quotes += sum(text.count(mark, counted, match.start()) for mark in '"\u201c\u201d')
        counted = match.start()
        within_quotes = quotes % 2 == 1 and not match[0].endswith(('"', "\u201d"))
        goes_on = text[match.end() : match.end() + 2].lstrip()[:1].islower()
        if not (within_quotes or goes_on or (match[0] == "." and _is_abbreviation(text, match.start()))):
            return match.end()
    return len(text)


def without_point(text: str) -> str:
    """A value without the punctuation that ends its sentence; the point of `Inc.` and `E.T.` stays."""
    text = text.strip()
    while text and text[-1] in _POINTS and not _KEPT_POINT.search(text):
        text = text[:-1].rstrip()
    return text


def _lead_in(line: str) -> str:
    titled = _HEADING.match(line) or _BOLD_LINE.match(line)
    return f"{titled[1].rstrip(' #:')}:" if titled is not None else line


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Lines, those put together that a row was wrapped over."""
    held: list[str] = []
    for line in lines:
        wrapped = held and held[-1].strip() and line.strip() and not is_list_line(line)
        goes_on = (
            held and not is_list_line(held[0]) and (held[-1].rstrip().endswith((",", " and")) or _AND_LINE.match(line))
        )
        if not (wrapped and goes_on):
            yield from [" ".join(held)] if held else []
            held = []
        held.append(line.strip() if held else line)
    yield from [" ".join(held)] if held else []


def _is_abbreviation(text: str, point: int) -> bool:
    word = _BEFORE_POINT.search(text[max(0, point - 12) : point + 1])
    return word is not None and (word[1].lower() in _ABBREVIATIONS or (len(word[1]) == 1 and word[1].isalpha()))
