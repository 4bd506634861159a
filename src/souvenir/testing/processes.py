"""Souvenir as a real process: started, waited for, stopped, and killed."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import httpx2

from souvenir.testing.forked import forked_command

_START_SECONDS = 60.0


class SouvenirProcess:
    """One running command, usually `souvenir serve`. Its output is collected as it comes."""

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str], cwd: Path) -> None:
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self.process = subprocess.Popen(
            [*arguments],
            env={**environ},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    @property
    def output(self) -> str:
        """What it has printed so far, both streams."""
        return "".join(self._lines)

    def wait_for(self, pattern: str, seconds: float = _START_SECONDS) -> re.Match[str]:
        """Wait until the output matches. Raises TimeoutError, or RuntimeError when the process ends first."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while (found := re.search(pattern, self.output)) is None:
                if not self._reader.is_alive():
                    raise RuntimeError(f"ended with {self.process.wait(5)} before printing {pattern!r}:\n{self.output}")
                if not self._changed.wait(max(0.0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    raise TimeoutError(f"did not print {pattern!r} in {seconds} s:\n{self.output}")
        return found

    @property
    def url(self) -> str:
        """Where it listens, once it has said so."""
        return self.wait_for(r"is on (http://\S+)").group(1)

    def interrupt(self) -> None:
        """Ask it to stop, as Ctrl-C or a service manager does."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self, seconds: float = 30.0) -> int:
        """Ask it to stop and wait; returns its exit status."""
        if self.process.poll() is None:
            self.interrupt()
        status = self.process.wait(seconds)
        self._finish()
        return status

    def wait(self, seconds: float = 60.0) -> int:
        """Wait until it ends by itself; returns its exit status."""
        status = self.process.wait(seconds)
        self._finish()
        return status

    def kill(self) -> None:
        """`kill -9`: no handler runs, nothing is flushed."""
        self.process.kill()
        self.process.wait(10)
        self._finish()

    def _finish(self) -> None:
        self._reader.join(5)
        if self.process.stdout is not None and not self._reader.is_alive():
            self.process.stdout.close()


@contextlib.contextmanager
def running(command: Sequence[str], settings: Mapping[str, str], cwd: Path) -> Iterator[SouvenirProcess]:
    """A `souvenir` command with exactly these SOUVENIR_* settings, stopped at the end if it still runs."""
    process = SouvenirProcess([sys.executable, "-m", "souvenir.cli.main", *command], environment(settings), cwd)
    try:
        yield process
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.stop()
        if process.process.poll() is None:
            process.kill()


def run_to_end(
    command: Sequence[str], settings: Mapping[str, str], cwd: Path, seconds: float = 60.0
) -> subprocess.CompletedProcess[str]:
    """A `souvenir` command that ends by itself."""
    return subprocess.run(
        [*forked_command(), *command],
        env=environment(settings),
        cwd=cwd,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment with its SOUVENIR_* variables replaced by the given ones."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOUVENIR_")}
    return {**kept, **settings}


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until a condition of another process holds; there is nothing else to wait on there."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"did not come true within {seconds} s")
        time.sleep(0.02)


def answers(url: str) -> bool:
    """Whether something answers there with success."""
    try:
        return httpx2.get(url, timeout=5).status_code == 200
    except httpx2.HTTPError:
        return False
