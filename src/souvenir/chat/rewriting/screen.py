"""What is never rewritten: code, long texts, other languages, statements, greetings and orders."""

import re

from souvenir.chat.rewriting.words import AUXILIARIES, COMMANDS, QUESTION_WORDS
from souvenir.memory.local_extract.language import language_of
from souvenir.memory.local_extract.words import words_of
from souvenir.patterns import lazy

LONGEST = 600
"""Characters of a message whose references are looked at: a longer one says what it is about."""

_CODE = lazy(r"```|`|[{}<>|\\]|;\s*$|==|=>|\(\)|://|^\s*(?:def|class|import|from|SELECT|#include)\s", re.MULTILINE)
_ENDS = lazy(r"(?<=[.!?…])(?<![A-Z]\.)(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)(?<!St\.)(?<!Mrs\.)(?<!vs\.)\s+|\n+")
_OPENERS = frozenset({"and", "but", "so", "ok", "okay", "also", "then", "well", "hmm", "please", "now", "thanks"})
_ORDERED = frozenset({"do", "have", "be", "can"})  # "do it", unless it is asked


# an order about a text that is at hand: what "it" is need not be told
_WORKS = lazy(
    r"(?:(?:can|could|would|will) you )?(?:please )?"
    r"(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|shorten|expand|fix|improve|check|correct|proofread|format|"
    r"convert|repeat|say|write|make|turn|put|simplify|continue|edit|add|remove|change|save|delete|send|remember)\b"
)


def is_prose(message: str) -> bool:
    """Whether a message may hold references that rules for English can read."""
    text = message.strip()
    return bool(text) and len(text) <= LONGEST and _CODE.search(text) is None and language_of(text) == "en"


def sentences_of(text: str) -> list[tuple[int, str]]:
    """The sentences of a text, each with its place."""
    found, start = [], 0
    for end in _ENDS.finditer(text):
        found.append((start, text[start : end.start()]))
        start = end.end()
    found.append((start, text[start:]))
    return [(place, sentence) for place, sentence in found if sentence.strip()]


def asks(sentence: str) -> bool:
    """Whether it is a question, or an order to tell something."""
    lows = [word.low for word in words_of(sentence)]
    while lows and (lows[0] in _OPENERS or not lows[0][0].isalnum()):
        lows = lows[1:]
    if not lows:
        return False
    if _WORKS.match(" ".join(lows)):
        return False
    if sentence.rstrip(" \"')").endswith("?"):
        return True
    if lows[0] in _ORDERED and lows[1:2] in (["it"], ["that"], ["this"], ["not"], ["n't"]):
        return False
    return lows[0] in QUESTION_WORDS | COMMANDS or (lows[0] in AUXILIARIES and len(lows) > 2)
