"""Progress of long work: a bar on a terminal, now and then a line elsewhere, nothing for machines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_LINE_SECONDS = 1.0


@contextmanager
def showing_progress(what: str, total: int, *, silent: bool = False) -> Iterator[Callable[[], None]]:
    """Show how far `what` has come; call what this gives after each step."""
    console = Console(stderr=True)
    if silent:
        yield lambda: None
    elif console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda: bar.advance(task)
    else:
        yield _Lines(what, total)


class _Lines:
    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._printed = float("-inf")

    def __call__(self) -> None:
        self._done += 1
        if time.monotonic() - self._printed >= _LINE_SECONDS or self._done == self._total:
            self._printed = time.monotonic()
            print(f"{self._what}: {self._done}/{self._total}", file=sys.stderr, flush=True)
