"""The local extraction of facts: what a user says of themselves, found and rephrased by rules."""

from souvenir.memory.local_extract.extractor import LocalExtractor

__all__ = ["LocalExtractor"]
