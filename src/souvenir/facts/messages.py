"""Reads a whole message: what it states and what it changes, in the order it says so."""

import re

from souvenir.facts.edits import HINT, MOST_CHARS, read_edit
from souvenir.facts.operations import Operation
from souvenir.facts.plain import plain, sentences
from souvenir.facts.statements import find_statements

MOST_OPERATIONS = 100

_OWN = re.compile(r"\b(?:my\b|our\b|fav|i (?:like|love|prefer) (?:the )?(?:best|most)\b)")
_MOST_WITH_EDITS = 10 * MOST_CHARS


def read_message(text: str) -> list[Operation]:
    """The operations of a message; most messages have none, and a glance tells."""
    lower = text.lower()
    edits = len(text) <= _MOST_WITH_EDITS and HINT.search(lower) is not None
    if not edits and not _OWN.search(lower):
        return []
    clear = plain(text)
    found: list[tuple[int, Operation]] = []
    if edits:
        clear, found = _edits(clear)
    found += find_statements(clear)
    return [operation for _, operation in sorted(found, key=lambda pair: pair[0])][:MOST_OPERATIONS]


def _edits(text: str) -> tuple[str, list[tuple[int, Operation]]]:
    """The text with blanks for sentences that change something, and what those change."""
    found: list[tuple[int, Operation]] = []
    lines: list[str] = []
    place = 0
    for line in text.split("\n"):
        left = line
        for start, sentence in sentences(line):
            operation = read_edit(sentence)
            if operation is not None:
                found.append((place + start, operation))
                left = left[:start] + " " * len(sentence) + left[start + len(sentence) :]
        lines.append(left)
        place += len(line) + 1
    return "\n".join(lines), found
