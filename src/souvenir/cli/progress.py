"""Progress of long work: a bar on a terminal, now and then a line elsewhere, nothing for machines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_LINE_SECONDS = 1.0


class Advance(Protocol):
    """Says that some more steps are done."""

    def __call__(self, steps: int = 1) -> None:
        """Count these."""


@contextmanager
def showing_progress(what: str, total: int | None, *, silent: bool = False) -> Iterator[Advance]:
    """Show how far `what` has come; call what this gives after each step. Without a total it shows how many."""
    console = Console(stderr=True)
    if silent:
        yield lambda steps=1: None  # noqa: ARG005 - what is not shown is not counted
    elif console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda steps=1: bar.advance(task, steps)
    else:
        yield _Lines(what, total)


class _Lines:
    def __init__(self, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._printed = float("-inf")

    def __call__(self, steps: int = 1) -> None:
        self._done += steps
        if time.monotonic() - self._printed >= _LINE_SECONDS or self._done == self._total:
            self._printed = time.monotonic()
            of = "" if self._total is None else f"/{self._total}"
            print(f"{self._what}: {self._done}{of}", file=sys.stderr, flush=True)
