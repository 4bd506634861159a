"""A whole Souvenir in this process, over real HTTP on a loopback port, for tests that need no separate process."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import uvicorn

from souvenir.api.listener import open_listener
from souvenir.api.server import create_api
from souvenir.app import Souvenir, open_souvenir
from souvenir.clock import Clock
from souvenir.config import Settings


class RunningSouvenir:
    """Serves inside `with`; `url` is where. `souvenir` may be looked at, but lives on the server's own event loop.

    Jobs wait, unless it `works`.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        prepare: Callable[[Souvenir], None] | None = None,
        *,
        works: bool = False,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._prepare = prepare
        self._works = works
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._server: uvicorn.Server | None = None
        self._thread = threading.Thread(target=self._run, name="souvenir")
        self.souvenir: Souvenir
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            self._thread.join()
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        async with open_souvenir(self._settings, self._clock) as souvenir:
            self.souvenir = souvenir
            if self._prepare is not None:
                self._prepare(souvenir)
            working = asyncio.create_task(souvenir.work()) if self._works else None
            with contextlib.closing(open_listener(self._settings.host, 0)) as listener:
                self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
                self._server = _Quiet(
                    uvicorn.Config(
                        create_api(souvenir), lifespan="off", log_config=None, access_log=False,
                        timeout_graceful_shutdown=5,
                    )
                )  # fmt: skip
                self._server.announce = self._ready.set
                await self._server.serve(sockets=[listener])
            if working is not None:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)


class _Quiet(uvicorn.Server):
    """Announces itself when it listens, and leaves signals to the test runner."""

    announce: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        self.announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers."""
        yield
