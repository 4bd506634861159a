"""Regular expressions that are compiled when first used.

There are about two thousand of them: compiled at import they would make every command of the CLI wait for rules that it
never asks. A server compiles them all while it starts, so that no message pays for it.
"""

import re
from typing import TYPE_CHECKING, Any, cast

import regex

if TYPE_CHECKING:
    from collections.abc import Callable

_USES = (
    "search",
    "match",
    "fullmatch",
    "finditer",
    "findall",
    "sub",
    "subn",
    "split",
    "pattern",
    "flags",
    "groupindex",
)
_waiting: list["_Lazy"] = []


class _Lazy:
    """Stands for a pattern; from the first use on, with its own methods."""

    def __init__(self, make: "Callable[[], Any]") -> None:
        self._make = make
        _waiting.append(self)

    def __getattr__(self, name: str) -> Any:
        if name not in _USES:
            raise AttributeError(name)
        made = self._make()
        for use in _USES:
            setattr(self, use, getattr(made, use))
        return getattr(made, name)

    def compile(self) -> None:
        """Do it now."""
        _ = self.search


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`."""
    return cast("re.Pattern[str]", _Lazy(lambda: re.compile(pattern, flags)))


def lazy_regex(pattern: str, flags: int = 0) -> "regex.Pattern[str]":
    """As `regex.compile`."""
    return cast("regex.Pattern[str]", _Lazy(lambda: regex.compile(pattern, flags)))


def compile_all() -> int:
    """Compile what nobody has used yet; returns how many there are."""
    patterns, _waiting[:] = _waiting[:], []
    for pattern in patterns:
        pattern.compile()
    return len(patterns)
