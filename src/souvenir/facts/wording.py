"""Pieces that the patterns of this package are made of."""

APOSTROPHE = r"['\u2019]"
DASHES = r"\u2013\u2014-"
"""Inside of a character class: the hyphen comes last."""

BE = r"(?:is|are|was|were|would be)"
FAVORITE = r"fav(?:ou?r\w{0,6}|e|s|es)?\b"


def one_of(words: str) -> str:
    """A group of the alternatives that a text lists with commas, the longest first.

    They may be patterns themselves; a comma within one is written with a backslash before it.
    """
    listed = (word.strip().replace("\x00", ",") for word in " ".join(words.split()).replace("\\,", "\x00").split(","))
    return f"(?:{'|'.join(sorted(listed, key=len, reverse=True))})"
