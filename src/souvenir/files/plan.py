"""How files are read. Known apart from the readers, whose libraries only the reading process needs to import."""

from dataclasses import dataclass
from pathlib import Path

from souvenir.files.reading.document import Limits


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many of the embedder's tokens a chunk has at most, and how many of them two neighbours share at most."""

    tokens: int
    overlap: int


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The embedder's tokenizer (None: an estimate), the size of chunks, and what is too much or takes too long."""

    tokenizer: Path | None
    sizes: Sizes
    limits: Limits
    seconds: float
