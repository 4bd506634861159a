"""What changed between two sentences, word by word."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from souvenir.patterns import lazy

_WORDS = lazy(r"\s+|[^\W_]+|[\W_]")


@dataclass(frozen=True, slots=True)
class Part:
    """Words that stayed, came or went."""

    kind: Literal["same", "added", "removed"]
    text: str


def differences(old: str, new: str) -> Iterator[Part]:
    """The parts of both in reading order: leaving out `added` gives the old one, leaving out `removed` the new one."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    for change, start, end, new_start, new_end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if change == "equal":
            yield Part("same", "".join(before[start:end]))
            continue
        if end > start:
            yield Part("removed", "".join(before[start:end]))
        if new_end > new_start:
            yield Part("added", "".join(after[new_start:new_end]))
