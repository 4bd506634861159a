"""What every memory store decides alike: which texts are one sentence, how long a version is found, what can be."""

import hashlib
import unicodedata
from datetime import datetime, timedelta

import regex
from ulid import ULID

from souvenir.errors import BadInput
from souvenir.stores.chat_rules import is_ulid
from souvenir.stores.memory_ports import Memory

_CLOCKS_DIFFER = timedelta(days=1)
_FINAL = regex.compile(r"[\s\p{Terminal_Punctuation}…]")


def fold(text: str) -> str:
    """A text without differences of case, or of how its accents are encoded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def sentence_key(content: str) -> bytes:
    """Equal for texts that differ in case, outer space and final punctuation only. Raises UnicodeEncodeError."""
    folded = fold(content).strip()
    end = len(folded)
    while end and _FINAL.match(folded, end - 1):
        end -= 1
    # of nothing but punctuation all of it counts
    return hashlib.sha256((folded[:end] or folded).encode()).digest()


def ends_at(memory: Memory, successor: Memory | None) -> datetime | None:
    """When a memory ceases to be found; `successor` is the one that superseded it, where it is still there.

    A version goes as the next one is said; what another memory took the place of, as that happened.
    """
    ends = [memory.expires_at, memory.superseded_at, memory.deleted_at]
    if successor is not None and successor.lineage == memory.lineage:
        ends.append(successor.said_at)
    return min((end for end in ends if end is not None), default=None)


def renewed(memory: Memory, now: datetime) -> datetime | None:
    """When a version that comes back expires: as it did, or, if that is past, after as long a time again."""
    if memory.expires_at is None or memory.expires_at > now:
        return memory.expires_at
    return now + (memory.expires_at - memory.said_at) if memory.expires_at > memory.said_at else None


def check_id(field: str, given: str, now: datetime) -> None:
    """Raise BadInput for what is no id, or one of a future before which all ids to come would be."""
    if not is_ulid(given) or ULID.from_str(given).timestamp > (now + _CLOCKS_DIFFER).timestamp():
        raise BadInput(field, "must be an id that was given out here or elsewhere, not one of the future")


def check_memory(memory: Memory, now: datetime) -> None:
    """Raise BadInput for what no memory can be."""
    check_id("memory_id", memory.memory_id, now)
    if (memory.superseded_by is None) != (memory.superseded_at is None):
        raise BadInput("superseded_by", "comes with the time it happened, or not at all")
    if memory.superseded_at is not None and memory.deleted_at is not None:
        raise BadInput("deleted_at", "cannot be there where superseded_at is")
