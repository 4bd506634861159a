"""What passages show, held in memory: the text and all that a hit says of it, packed, so that finding costs no reading.

As objects they would take twice the room; unpacking one takes half a microsecond.
"""

import marshal
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Any

from souvenir.stores.passage_ports import Columns, Passage

_ROW_BYTES = 41  # of an object for its bytes and a place in a list


class HeldPassages:
    """The rows of one index, in its order. Rows are added at the end; what is dropped keeps its row, and nothing else.

    Passages that came without `details` are not held.
    """

    def __init__(self) -> None:
        self._rows: list[bytes] = []
        self._bytes = 0

    @property
    def size_bytes(self) -> int:
        """About what it holds in memory."""
        return self._bytes + _ROW_BYTES * len(self._rows)

    def add(self, columns: Columns) -> None:
        """Add rows."""
        details = columns.details
        if details is None:
            self._rows.extend([b""] * len(columns.ids))
            return
        fields = (
            columns.kinds, details.texts, columns.terms, details.starts.tolist(), details.ends.tolist(),
            columns.chat_ids, details.message_ids, columns.roles, columns.speakers, map(tuple, columns.tags),
            columns.categories, details.origins,
        )  # fmt: skip
        packed = [marshal.dumps(row) for row in zip(*fields, strict=True)]
        self._rows += packed
        self._bytes += sum(map(len, packed))

    def drop(self, rows: Iterable[int]) -> None:
        """Let go of what rows held."""
        for row in rows:
            self._bytes -= len(self._rows[row])
            self._rows[row] = b""

    def passages(
        self, rows: Sequence[int], ids: Sequence[int], at: Sequence[float], until: Sequence[float]
    ) -> dict[int, Passage]:
        """The passages of rows, with their ids and times, without those that were dropped."""
        found = {}
        for row, passage_id, since, end in zip(rows, ids, at, until, strict=True):
            if packed := self._rows[row]:
                kind, text, terms, *others = marshal.loads(packed)  # noqa: S302 - only ever our own, from `add`
                began = datetime.fromtimestamp(since, UTC)
                ended = datetime.fromtimestamp(end, UTC) if end < inf else None
                values: tuple[Any, ...] = (passage_id, kind, text, terms, began, *others, ended)
                found[passage_id] = Passage(*values)
        return found
