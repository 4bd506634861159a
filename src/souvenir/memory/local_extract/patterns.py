"""Long patterns, written over several lines."""

import re

from souvenir.patterns import lazy


def joined(text: str) -> str:
    """One line of several, that are broken after a bar."""
    return "".join(line.strip() for line in text.splitlines())


def compiled(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern of several lines; its groups capture nothing unless they are named."""
    pattern = joined(text).replace("(", "(?:").replace("(?:?", "(?").replace("\\(?:", "\\(")
    return lazy(pattern, flags)
