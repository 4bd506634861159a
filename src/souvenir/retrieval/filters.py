"""What a search is narrowed to, before anything is ranked."""

from dataclasses import dataclass
from datetime import datetime

from souvenir.stores.passage_ports import Kind


@dataclass(frozen=True, slots=True)
class Filter:
    """What a passage must be to be looked at; an empty filter lets everything pass that still stands.

    `since` is included, `until` is not. With `as_of` only what was known at that time is there: passages that spoke
    by then, in the version that stood then. Passages `without` which it is asked are as if they were not there.
    """

    kinds: frozenset[Kind] = frozenset()
    tags_any: frozenset[str] = frozenset()
    tags_all: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    chat_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    without: frozenset[int] = frozenset()
