"""Our side of the process that reads files: starts it, asks it, and replaces it when a file was too much for it."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from souvenir.files.plan import ReadingPlan

_MEMORY_BYTES = 3 * 2**30
_GRACE_SECONDS = 10.0
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # on many cores, threads alone fill the memory


class FileReader:
    """One reading process, started when first asked, within `async with`.

    `on_page` is awaited while a file takes long, each time one more of its pages is begun.
    """

    def __init__(self, plan: ReadingPlan, on_page: Callable[[], Awaitable[None]] | None = None) -> None:
        self._plan = plan
        self._on_page = on_page
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()

    @property
    def pid(self) -> int | None:
        """The reading process, None while there is none."""
        return self._process.pid if self._process is not None else None

    async def read(self, root: Path, path: str, digest: str | None = None) -> dict[str, Any]:
        """What became of reading a file, by `status`: `indexed`, `unchanged`, `skipped`, `failed` or `gone`.

        Never raises for what is in a file: one that hangs or kills the reader has failed.
        """
        try:
            process = self._process or await self._start()
            await _send(process, {"root": str(root), "path": path, "digest": digest})
            return await self._answer(process)
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            ended = await self._end(by_itself=not isinstance(error, TimeoutError))
            if ended == -signal.SIGALRM:
                return {"status": "failed", "error": f"took over {self._plan.seconds:g} seconds to read"}
            return {"status": "failed", "error": "made the reading process fail"}
        except BaseException:
            await self._end()  # its answer would be taken for that to the next question
            raise

    async def _answer(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        while True:
            # it ends itself first; this is for one that cannot even do that
            async with asyncio.timeout(self._plan.seconds + _GRACE_SECONDS):
                answer = await _receive(process)
            if answer["status"] != "reading":
                return answer
            if self._on_page is not None:
                await self._on_page()

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "souvenir.files.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env=os.environ | _ONE_THREAD,
        )
        self._process = process
        plan = self._plan
        await _send(
            process,
            {
                "tokenizer": str(plan.tokenizer) if plan.tokenizer is not None else None,
                "sizes": asdict(plan.sizes),
                "limits": asdict(plan.limits),
                "seconds": plan.seconds,
                "memory_bytes": _MEMORY_BYTES,
            },
        )
        return process

    async def _end(self, *, by_itself: bool = False) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        if not by_itself:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        return await process.wait()


async def _send(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None  # noqa: S101 - it was started so
    data = json.dumps(message).encode()
    process.stdin.write(len(data).to_bytes(4, "big") + data)
    await process.stdin.drain()


async def _receive(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None  # noqa: S101 - it was started so
    length = int.from_bytes(await process.stdout.readexactly(4), "big")
    answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
    return answer
