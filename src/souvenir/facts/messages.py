"""Reads a whole message: what it states and what it changes, in the order it says so."""

from souvenir.facts.attributes import HINT as ATTRIBUTE_HINT
from souvenir.facts.attributes import find_attributes
from souvenir.facts.edits import HINT, MOST_CHARS, read_edits
from souvenir.facts.operations import Operation
from souvenir.facts.plain import plain, sentence_end, sentences
from souvenir.facts.statements import find_statements
from souvenir.patterns import lazy

MOST_OPERATIONS = 100

_OWN = lazy(r"\b(?:my\b|our\b|fav|i (?:like|love|prefer) (?:the |these )?|top \w+ )")
_MOST_WITH_EDITS = 10 * MOST_CHARS


def read_message(text: str) -> list[Operation]:
    """The operations of a message; most messages have none, and a glance tells."""
    lower = text.lower()
    edits = len(text) <= _MOST_WITH_EDITS and HINT.search(lower) is not None
    attributes = len(text) <= _MOST_WITH_EDITS and ATTRIBUTE_HINT.search(lower) is not None
    if not edits and not attributes and not _OWN.search(lower):
        return []
    clear = plain(text)
    found: list[tuple[int, Operation]] = []
    if attributes:
        found = find_attributes(clear)
    if found:
        clear = _without(clear, [place for place, _ in found])
    if edits:
        clear, changes = _edits(clear)
        found += changes
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
            operations = read_edits(sentence)
            if operations:
                found += [(place + start, operation) for operation in operations]
                left = left[:start] + " " * len(sentence) + left[start + len(sentence) :]
        lines.append(left)
        place += len(line) + 1
    return "\n".join(lines), found


def _without(text: str, places: list[int]) -> str:
    """The text with blanks for the sentences at these places, so that nothing is read twice."""
    for place in places:
        line_end = text.find("\n", place)
        line_end = len(text) if line_end < 0 else line_end
        end = place + sentence_end(text[place:line_end])
        text = text[:place] + " " * (end - place) + text[end:]
    return text
