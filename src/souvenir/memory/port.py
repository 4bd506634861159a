"""The two questions of memory, each answered by a model or by rules: what was said that lasts, and what it changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Category = Literal["identity", "preference", "project", "context", "relationship"]
Lifetime = Literal["preference", "contextual", "temporary", "deadline"]
Action = Literal["add", "ignore", "replace"]
Path = Literal["model", "local"]
Role = Literal["user", "assistant", "system", "tool"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a conversation. `message_id` is None while it is not stored."""

    role: Role
    content: str
    at: datetime
    message_id: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence about the user that may be worth keeping: standalone, in the third person, in the user's language.

    `importance` is 1 to 10 and `confidence` 0 to 1; whether they suffice is not decided here. `expires_at` is None for
    what never expires. `reasoning` says in a few words why it is worth keeping, or why not.
    """

    content: str
    category: Category
    importance: int
    confidence: float
    reasoning: str
    lifetime: Lifetime
    expires_at: datetime | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a message, rejected candidates included, and who found it."""

    candidates: tuple[Candidate, ...]
    path: Path


class Extractor(Protocol):
    """Finds what lasts in what a user says."""

    async def extract(self, said: Utterance, before: Sequence[Utterance], known: Sequence[str]) -> Extraction:
        """The candidates of one message of a user. `before` are up to ten messages before it, oldest first.

        `known` are the memories nearest to it, for context only. Greetings, requests, questions, quotations, what is
        said of others and tests give nothing. Raises Unavailable when it cannot say.
        """
        ...


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that a candidate is held against."""

    memory_id: str
    content: str
    category: Category
    at: datetime
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a candidate; `target` is the memory it replaces or repeats. `reason` is for people.

    `undecided` says that it contradicts the target and nothing tells which is right: then it is added, and both are
    kept as an open conflict.
    """

    action: Action
    target: str | None
    reason: str
    undecided: bool = False


class Resolver(Protocol):
    """Decides what a candidate changes."""

    async def resolve(
        self, candidate: Candidate, vector: NDArray[np.float32] | None, at: datetime, known: Sequence[Known]
    ) -> Decision:
        """Hold a candidate, said at `at`, against the memories nearest to it, nearest first.

        Only a memory said strictly before `at` is ever replaced. Raises Unavailable when it cannot say.
        """
        ...
