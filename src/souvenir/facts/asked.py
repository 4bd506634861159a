"""What a question about exact facts asks for."""

from dataclasses import dataclass
from typing import Literal

from souvenir.facts.topics import Topic

Asked = Literal["ranks", "some", "list", "single", "count", "place", "next"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for, of which topic; none: of the one last spoken of.

    What is not `sure` may be about anything else: it counts only where it can be answered. `otherwise` is what the
    same words may ask for where nothing is stored under the topic. One of a `known` value counts only where that is
    stored.
    """

    asked: Asked
    topic: Topic | None
    ranks: tuple[int, ...] = ()
    count: int | None = None
    value: str = ""
    sure: bool = True
    known: bool = False
    otherwise: "Question | None" = None
