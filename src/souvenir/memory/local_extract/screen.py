"""Whole messages that state nothing: tests, jokes that are taken back, and games of make-believe."""

import re

from souvenir.memory.local_extract.patterns import compiled

_FICTION = compiled(
    r"""
    \b(role[- ]?play|let 's pretend|let 's play|let us pretend|pretend (that |you |i |to be|we|like)|make[- ]believe|
    imagine (that |you |i |we )|act (as|like)\b|you are (now |going to be )?(a|an|the|my|now) .{0,60}\band i (am|'m)\b|
    in (my|this|the|our) (story|novel|book|game|dream|campaign|scene|role-?play|fanfic|screenplay|d&d game|
    rpg)\b(?! i (wrote|read))|write (a|me a|an) .{0,40}(first person|as if i)|my character\b|from the (perspective|
    point of view) of|dungeons? (and|&) dragons|stelle? dir vor|imagina que|imagine que|imaginons)|
    假装|假设|想象一下|扮演
    """
)
_KIDDING = compiled(
    r"""
    \b(just kidding|jk|only joking|just joking|i ('m|am) (kidding|joking)|nur (ein )?(spaß|scherz)|es broma|
    je plaisante|je rigole)\b|开玩笑
    """
)
_TEST = compiled(
    r"""
    \W*((this is |it's |just |only )*(a |just a )?test(ing)?\b(?!s|ed| engineer| driver)(\s*[:,.!-]|$)|testing (this|
    the)\b)
    """,
    re.IGNORECASE,
)


def is_test(message: str) -> bool:
    """Whether somebody only tries whether it works."""
    return _TEST.match(message) is not None


def is_joke(low: str) -> bool:
    """Whether a sentence in small letters takes back what was said."""
    return _KIDDING.search(low) is not None


def begins_fiction(low: str) -> bool:
    """Whether a sentence in small letters begins a game of make-believe; what follows is part of it."""
    return _FICTION.search(low) is not None
