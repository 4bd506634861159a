"""Reads sentences that change a list: commands, wishes and corrections."""

import re

from souvenir.facts.commands import COMMAND, READERS
from souvenir.facts.corrections import INSTEAD_FIRST, LIKED_AT, passive, read_correction
from souvenir.facts.operations import Add, Operation, Place, Replace, Tell
from souvenir.facts.wording import one_of
from souvenir.patterns import lazy

MOST_CHARS = 300

_ELSEWHERE = lazy(
    r"\s(?:in|on|from|of|at|inside|within|for|throughout)\s+(?:the|this|that|these|those|your|his|her|their|every"
    r"|all|line)\b"
    r"|\s(?:in|on|from|inside|within)\s+(?:`|\S*\.\w)",
    re.IGNORECASE,
)
_NO_NAME = lazy(
    one_of(
        "a, an, the, my, our, your, his, her, their, this, that, it, them, some, more, another, all, everything, me, us"
    )
    + r"\b",
    re.IGNORECASE,
)
_A_LIST = lazy(r"\blist\b", re.IGNORECASE)
_POLITE_WORD = one_of(
    r"""hmm, hm, um, er, ah, scratch that, strike that, never mind, nvm, my mistake, my bad, hold on, hang on,
    please, pls, hey, hi, ok, okay, actually, now, then, and, also, so, no, oh, oops, well, just, yes, sorry,
    instead, wait, correction, can you, could you, would you, will you, can we, let's, let us, go ahead and,
    you can, you should, next, i(?:'d| would)?(?: also| just| now| still)* (?:want|like|need) (?:you )?to"""
)
_POLITE = lazy(rf"(?:{_POLITE_WORD}\b[\s,:!-]*)+", re.IGNORECASE)
_ASKING = lazy(r".*\b(?:can|could|would|will) (?:you|we)\b", re.IGNORECASE)
_BEHIND_WORD = one_of(
    """please, pls, for me, now, thanks, thank you, instead, again, if you can, okay, ok, will you, would you, as well,
    too"""
)
_BEHIND = lazy(rf"(?:[\s,]+{_BEHIND_WORD})+$", re.IGNORECASE)
_THEN = lazy(
    r"(?:\s*[,;]\s*(?:and\s+)?|\s+)(?:then|and|and then|and also|also|but)\s+(?="
    rf"(?:please\s+)?{one_of(','.join(READERS))}\s)"
    rf"|\s*[,;]\s*(?=(?:please\s+)?{one_of(','.join(READERS))}\s)",
    re.IGNORECASE,
)
_FIRST_WORDS = one_of(",".join(verb.split()[0] for verb in READERS))
HINT = lazy(
    rf"\b(?:{_FIRST_WORDS}|places|positions|spots|replaces|takes|want|like|as my|to be my|should|is now|belongs"
    r"|goes|comes|actually|oops|correction|no|meant|mean|instead|not|it)\b"
)
"""A word in lower case that every sentence that changes something has."""


def read_edits(sentence: str) -> list[Operation]:
    """What a sentence asks to change: one thing, or several joined by `and` or `then`."""
    if len(sentence) > MOST_CHARS:
        return []
    parted = _THEN.split(sentence)
    found = [read_edit(part) for part in parted] if len(parted) > 1 else []
    several = [operation for operation in found if operation is not None]
    if several and len(several) == len(found):
        return several
    operation = read_edit(sentence)
    return [operation] if operation is not None else []


def read_edit(sentence: str) -> Operation | None:
    """What a sentence asks to change, None when it asks for nothing of the kind."""
    text = INSTEAD_FIRST.sub(r"use \g<new> instead of \g<old>", " ".join(sentence.split()))
    if not 0 < len(text) <= MOST_CHARS:
        return None
    polite = _POLITE.match(text)
    if text.endswith("?") and not (polite and _ASKING.match(polite[0])):
        return None
    body = _BEHIND.sub("", text[polite.end() if polite else 0 :].rstrip(" .!?"))
    body = passive(LIKED_AT.sub(r"\g<item> should be \g<place>", body))
    match = COMMAND.match(body)
    operation = (
        READERS[match["verb"].lower()](match["rest"])
        if match is not None
        else read_correction(body, corrects=polite is not None)
    )
    return operation if operation is not None and not _is_elsewhere(operation, text) else None


def _is_elsewhere(operation: Operation, text: str) -> bool:
    """Whether it speaks of another thing than a list: `rename Vim to Neovim in the docs`, `put a pin in it`."""
    if operation.topic is not None:
        return False
    if isinstance(operation, Add):
        return any(map(_NO_NAME.match, operation.values)) and _A_LIST.search(text) is None
    return isinstance(operation, Replace | Place | Tell) and _ELSEWHERE.search(operation.value) is not None
