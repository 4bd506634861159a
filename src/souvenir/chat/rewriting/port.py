"""The rewriter's seam: a question and what was said before it in, a question that stands alone out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the thread."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question as it is searched for. Where `changed` is false, `text` is the question itself, letter by letter.

    `entities` are the names that were put in. `ambiguous` has the options where two or more fit; the text then goes
    with the first of them, and the caller may ask instead.
    """

    text: str
    changed: bool = False
    entities: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()


class Rewriter(Protocol):
    """Says a question so that it is understood without what went before it."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Rewritten:
        """The question with its references resolved. `history` is oldest first and without the question.

        A question that stands alone, and whatever is no question, comes back as it is. It never raises.
        """
        ...
