"""Lists of words written as texts, which is how they are read and changed best."""


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(text.split())
