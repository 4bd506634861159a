"""A `souvenir` command on a terminal of its own, typed into and read as a person would."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from souvenir.testing.processes import environment

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The command and its screen. `text` is what was shown, without colours."""

    def __init__(self, command: Sequence[str], settings: Mapping[str, str], cwd: Path) -> None:
        self._master, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "souvenir.cli.main", *command], env=environment({"TERM": "xterm", **settings}),
            cwd=cwd, stdin=child, stdout=child, stderr=child, start_new_session=True,
        )  # fmt: skip
        os.close(child)
        self._shown = b""
        self._seen = 0
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def raw(self) -> str:
        return self._shown.decode(errors="replace").replace("\r", "")

    @property
    def text(self) -> str:
        return _CODES.sub("", self.raw)

    def type(self, line: str) -> None:
        """Type a line and press return."""
        os.write(self._master, f"{line}\n".encode())

    def press(self, key: str) -> None:
        """Press a key, such as Ctrl-D."""
        os.write(self._master, key.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, a moment after what was shown: Python hears it once it waits for the line, not before."""
        time.sleep(0.2)
        self.process.send_signal(signal.SIGINT)

    def wait_for(self, pattern: str, seconds: float = 30.0) -> str:
        """Wait for something new; returns all that was shown since the last one, up to it."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while (found := re.search(pattern, self.text[self._seen :])) is None:
                left = deadline - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    raise TimeoutError(f"did not show {pattern!r}:\n{self.text}")
                self._changed.wait(left)
            new = self.text[self._seen : self._seen + found.end()]
            self._seen += found.end()
        return new

    def ask(self, line: str) -> str:
        """Type a line; returns what was shown for it, up to the next prompt."""
        self.type(line)
        return self.wait_for(rf"{re.escape(line)}\n(?:.|\n)*?\n> $")

    def wait(self, seconds: float = 30.0) -> int:
        """Wait until the command ends; returns its exit status."""
        status = self.process.wait(seconds)
        self._reader.join(5)
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._reader.join(5)
        os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # how a terminal whose last program ended is read on Linux
            while part := os.read(self._master, 65536):
                with self._changed:
                    self._shown += part
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()


@contextlib.contextmanager
def terminal(command: Sequence[str], settings: Mapping[str, str], cwd: Path) -> Iterator[Terminal]:
    """A terminal with a command in it, which is ended with the block."""
    shown = Terminal(command, settings, cwd)
    try:
        yield shown
    finally:
        shown.close()
