"""What memory asks of storage: sentences with versions, what replaced what and why, open conflicts, and spend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from souvenir.stores.ports import Page
from souvenir.types import JsonObject, SpaceId

MemoryEvent = Literal[
    "add", "replace", "ignore", "edit", "undo", "delete", "restore", "purge", "feedback", "share", "conflict", "settle",
    "import",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory before it has an id. `said_at` is the time of what it came from; `origin` names chat and message.

    `terms`, `signs`, `words`, `vector` and `model` are those of its passage, as for NewPassage.
    """

    content: str
    category: str
    importance: int
    confidence: float
    reasoning: str
    lifetime: str
    said_at: datetime
    path: str  # who found it: "model", "local", or "user" for what people wrote themselves
    expires_at: datetime | None = None
    origin: JsonObject | None = None
    verified: bool = False
    vector: NDArray[np.float32] | None = None
    model: str | None = None
    terms: str = ""
    signs: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class FoundBy:
    """What search finds a memory by: the fields of its passage that only the caller can make, as for NewPassage."""

    terms: str = ""
    signs: int = 0
    words: int = 0
    vector: NDArray[np.float32] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory. Versions of one memory share `lineage`; `version` counts from 1 along it.

    It is active while nothing superseded it, nobody deleted it and it has not expired; never is one both superseded
    and deleted. `created_at` and `updated_at` are of this version: `updated_at` moves when it is superseded or deleted.
    `ups`, `downs` and `uses` are what people and answers made of it.
    """

    memory_id: str
    lineage: str
    version: int
    content: str
    category: str
    importance: int
    confidence: float
    reasoning: str
    lifetime: str
    path: str
    said_at: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    origin: JsonObject | None = None
    verified: bool = False
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    deleted_at: datetime | None = None
    passage_id: int | None = None
    ups: int = 0
    downs: int = 0
    uses: int = 0
    used_at: datetime | None = None

    def is_active(self, at: datetime) -> bool:
        """Whether it is active, at a time not before the present."""
        stands = self.superseded_at is None and self.deleted_at is None
        return stands and (self.expires_at is None or self.expires_at > at)


@dataclass(frozen=True, slots=True)
class Audit:
    """One thing that happened to a memory: what it said before and after, why, when, and by whom.

    `memory_id` is the memory that stands after it, `other` the one it took the place of or contradicts. Of a candidate
    that was ignored for no memory in particular `memory_id` is empty.
    """

    event: MemoryEvent
    memory_id: str
    old: str | None
    new: str | None
    reason: str
    by: str
    at: datetime
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two active memories that cannot both be right, until somebody chooses."""

    conflict_id: str
    older: str
    newer: str
    reason: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of a day for a purpose."""

    day: date
    purpose: str
    tokens: int


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories a list shows; without anything, the active ones. `containing` is looked for in the text.

    Case does not count. `superseded`, `expired` and `deleted` show those too; what is superseded or deleted is not
    expired as well.
    """

    category: str | None = None
    containing: str | None = None
    superseded: bool = False
    expired: bool = False
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """What a space holds, and how it came to it as far as the record goes: what was removed for good counts no more."""

    active: int
    added: int
    replaced: int
    ignored: int


class MemoryStore(Protocol):
    """Memories of all spaces. Under another space than its own a memory does not exist.

    Every change is one transaction with its audit row and its passage (kind "memory", with the category, from `said_at`
    until the time it expires), and joins the transaction that is open around it. An active sentence is in a space once:
    texts are compared without case, outer space and final punctuation (`souvenir.stores.memory_rules`), and two writers
    at once store one. A version that is superseded is found until the one that takes its place was said, so that search
    as of any time sees one of them. Ids are ULIDs, greater than all others of the space; what is none is nobody's id.
    Every method raises Unavailable when the database does not answer; those that write a text, BadInput when it cannot
    be kept, and DimensionMismatch as PassageStore does.
    """

    async def add(
        self, space: SpaceId, memory: NewMemory, reason: str, by: str, key: str | None = None
    ) -> Memory | None:
        """Store a memory, the first of its lineage; None and nothing changes when the space has the sentence.

        None also when `key` was ever used here, by this method, `replace` or `ignored`; a call that changes nothing
        does not use it. An expired memory of the same words makes way: it is superseded by the new one. So it is
        wherever a memory comes to say what an expired one said.
        """
        ...

    async def replace(
        self, space: SpaceId, target: str, memory: NewMemory, reason: str, by: str, key: str | None = None
    ) -> Memory | None:
        """Let a new version take the place of an active memory, which is superseded; None and nothing changes when
        the target is not there, not active, or not said strictly before the new one, or the key was used before.

        Where the space has the new sentence already, the target is superseded by that memory, which is returned.
        """
        ...

    async def edit(
        self,
        space: SpaceId,
        memory_id: str,
        content: str,
        by: str,
        found_by: FoundBy,
        category: str | None = None,
    ) -> Memory | None:
        """Version n+1 with other words, confidence 1 and verified; None when there is no such active memory.

        It is said now, so that nothing said before can replace it, and its thumbs and uses count anew. Raises
        Conflicting when another active memory says just that.
        """
        ...

    async def undo(
        self, space: SpaceId, memory_id: str, to: str, by: str, vector: NDArray[np.float32] | None, model: str | None
    ) -> Memory | None:
        """Restore an older version of the same lineage as a new one, which supersedes the active one if there is any.

        It is said now, with the thumbs and uses it had; what had expired lives as long again. None when the lineage
        has no such version, or it is the active one. Raises Conflicting when a memory of another lineage is active and
        says just that. Its words are found as they were; `vector` and `model` are for its passage.
        """
        ...

    async def share(self, space: SpaceId, memory_id: str, to: SpaceId, by: str) -> Memory | None:
        """Copy an active memory into another space, where it lives a life of its own; returns what stands there.

        Again, or where the space has the sentence, nothing changes: the copy, whatever it became there, or the memory
        that says so is returned. A newer version takes the place of the copy of an older one. The copy's `origin` has
        under `shared` the memory, its lineage and who shared it. None when there is no such memory; raises Conflicting
        for one that is not active, with the reason.
        """
        ...

    async def delete(self, space: SpaceId, memory_id: str, by: str) -> Memory | None:
        """Delete softly: it is no longer found, and stays in its history. Again changes nothing.

        An expired one too; None when there is none or it is superseded.
        """
        ...

    async def purge(self, space: SpaceId, memory_id: str) -> int:
        """Remove a memory with all its versions, audit and conflicts for good; returns how many versions there were.

        What its words became part of elsewhere goes too: the audit of memories it took the place of or contradicted.
        """
        ...

    async def get(self, space: SpaceId, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """The memories that are there, active or not."""
        ...

    async def by_passage(self, space: SpaceId, passage_ids: Sequence[int]) -> dict[int, Memory]:
        """The memories that passages stand for."""
        ...

    async def list(self, space: SpaceId, only: MemoryFilter, *, limit: int, before: str | None = None) -> Page[Memory]:
        """Memories, newest first by id, from strictly before the id `before` on."""
        ...

    async def history(self, space: SpaceId, memory_id: str) -> tuple[Sequence[Memory], Sequence[Audit]]:
        """All versions of the memory's lineage, oldest first, and what happened to them; empty when there is none."""
        ...

    async def feedback(self, space: SpaceId, memory_id: str, up: bool, by: str) -> Memory | None:
        """Count a thumb up or down; None when there is no such memory."""
        ...

    async def used(self, space: SpaceId, memory_ids: Sequence[str], at: datetime) -> None:
        """Note that memories were used in an answer, each once however often it is named; leaves no audit."""
        ...

    async def open_conflict(self, space: SpaceId, older: str, newer: str, reason: str) -> Conflict | None:
        """Keep two active memories as contradicting each other; None when they are already, or either is not active."""
        ...

    async def conflicts(self, space: SpaceId, *, limit: int) -> Sequence[Conflict]:
        """Open conflicts, newest first. One whose side is no longer active has settled itself and is not shown."""
        ...

    async def settle(self, space: SpaceId, conflict_id: str, keep: str, by: str) -> Memory | None:
        """Keep one side; the other is superseded by it. None when there is no such open conflict or side."""
        ...

    async def ignored(self, space: SpaceId, content: str, target: str | None, reason: str, key: str | None) -> None:
        """Note that a candidate was redundant, for the counts; nothing when `key` was used before.

        It shows in the audit of the target; without one that is there, of the memory of the same words.
        """
        ...

    async def latest_change(self, spaces: Sequence[SpaceId]) -> int:
        """A number that is another after anything happened to memories of these spaces; one cheap read."""
        ...

    async def counts(self, space: SpaceId) -> MemoryCounts:
        """How many memories are active, and how many candidates were added, replaced something or were ignored."""
        ...

    async def totals(self) -> MemoryCounts:
        """The counts of all spaces together; reads much where there is much, so not for every request."""
        ...

    async def expire(self, before: datetime) -> int:
        """Remove memories of all spaces that expired, were superseded or deleted before then, for good; how many.

        Their own audit and conflicts go too. What a memory that stays replaced can still be read in its audit.
        """
        ...

    async def spend(self, space: SpaceId, day: date, purpose: str, tokens: int) -> int:
        """Count tokens; returns the space's total of the day for the purpose.

        Best called by itself: in a transaction around it, others wait with their count until that ends.
        """
        ...

    async def spent(self, space: SpaceId, day: date) -> dict[str, int]:
        """Tokens of a day by purpose."""
        ...

    async def spent_by_all(self, day: date) -> dict[str, int]:
        """Tokens of a day by purpose, of all spaces together."""
        ...

    async def spending(self, space: SpaceId) -> Sequence[Spent]:
        """All that was counted, by day and purpose."""
        ...

    async def restore_spending(self, space: SpaceId, spent: Sequence[Spent]) -> int:
        """Write back what `spending` gave; of what is counted already the higher figure stays. How many are new."""
        ...

    async def export(self, space: SpaceId) -> tuple[Sequence[Memory], Sequence[Audit], Sequence[Conflict]]:
        """Everything of a space, exactly as it is; memories by id, audit in the order it happened, conflicts by id."""
        ...

    async def restore(
        self,
        space: SpaceId,
        memories: Sequence[Memory],
        audit: Sequence[Audit],
        conflicts: Sequence[Conflict],
        found_by: Mapping[str, FoundBy],
    ) -> int:
        """Write back what `export` gave, ids, versions and times included; what is there already stays. How many.

        What is there already: the id, the version of the lineage, or, of one that stands, the sentence or another of
        its lineage that stands. Passages are made anew, of every version, with what `found_by` has for the memory's
        id; without a vector there they wait for one. Audit and conflicts of memories that are not there are left out.
        Raises BadInput for what no memory can be.
        """
        ...

    async def erase(self, space: SpaceId) -> dict[str, int]:
        """Remove everything of a space from every table of memory, and its passages; rows removed by table."""
        ...
