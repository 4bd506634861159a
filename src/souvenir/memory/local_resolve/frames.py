"""What a sentence says, in parts that can be held against another's: of whom, which slot, filled with what, or not."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "de", "es", "fr", "zh"]
Terms = frozenset[str]

NOTHING: Terms = frozenset()
USER = "user"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that fills a slot. `head` is what it is; `heads` is that and all it is a kind of.

    `terms` are the words that say which one, `details` what is said beside it (with whom, when, how, named what),
    `reasons` why. `reach` is every word that follows from it.
    """

    head: str
    terms: Terms
    heads: Terms
    reach: Terms
    details: Terms = NOTHING
    reasons: Terms = NOTHING
    count: str | None = None
    soft: Terms = NOTHING  # what it is a version of: enough to refine it, not to be denied with it


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a frame is about: ("user",), ("user", "sister"), ("germany",); and the names given with it."""

    path: tuple[str, ...]
    names: Terms = NOTHING


@dataclass(frozen=True, slots=True)
class Frame:
    """One slot of one subject. `single`: it holds one value at a time. No items: anything at all ("quit his job").

    `tentative`: the sentence doubts it. `also`: it says that others hold too. `changed`: it says that it is new.
    `dropped`: what it says is given up for it. `clause`: which part of the sentence says it. `loose`: one value is
    usual, but a second is no contradiction. `event`: it happened, rather than holds.
    """

    subject: Subject
    slot: str
    items: tuple[Item, ...]
    negative: bool = False
    single: bool = False
    tentative: bool = False
    also: bool = False
    changed: bool = False
    loose: bool = False
    event: bool = False
    dropped: tuple[Item, ...] = ()
    clause: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence read: what it says and what follows from that. `key` is the same but for case and punctuation."""

    text: str
    language: Language | None
    frames: tuple[Frame, ...]
    implied: tuple[Frame, ...]
    key: str
