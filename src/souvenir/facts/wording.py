"""Pieces that the patterns of this package are made of."""

import re

from souvenir.patterns import lazy

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


_TYPOS = {
    "teh": "the", "hte": "the", "waht": "what", "wht": "what", "whta": "what", "wat": "what", "wut": "what",
    "wats": "whats", "wich": "which", "whcih": "which", "wihch": "which", "adn": "and", "liek": "like", "ym": "my",
    "fo": "of", "mine's": "mine is", "one's": "one is", "lsit": "list", "shwo": "show", "numbr": "number",
    "nubmer": "number", "plase": "please", "pleas": "please", "thx": "thanks", "remeber": "remember",
    "rember": "remember", "whos": "who is", "lemme": "let me", "gimme": "give me",
}  # fmt: skip
_TYPO = lazy(rf"\b(?:{'|'.join(sorted(map(re.escape, _TYPOS), key=len, reverse=True))})(?![\w'])", re.IGNORECASE)


def spelt(text: str) -> str:
    """A question with small words as they are meant: `waht is teh second one`."""
    return _TYPO.sub(lambda typo: _TYPOS[typo[0].lower()], text.replace("\u2019", "'"))
