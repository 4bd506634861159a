"""`souvenir serve` and `souvenir worker`: the two commands that stay."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Iterator

import structlog
import typer
import uvicorn

from souvenir import __version__
from souvenir.api.listener import open_listener
from souvenir.api.server import create_api
from souvenir.app import Souvenir, open_souvenir
from souvenir.cli.run import run
from souvenir.config import Settings, is_loopback
from souvenir.errors import StartError
from souvenir.patterns import compile_all

log = structlog.get_logger(__name__)


def serve() -> None:
    """Serve the API, with a job worker inside unless SOUVENIR_WORKER=false."""
    run(_serve)


def worker() -> None:
    """Run a job worker alone."""
    run(_work)


async def _serve(settings: Settings) -> None:
    listener = _listen(settings)  # first of all: a port in use is found before anything is started
    stopping = _stop_signals()
    with contextlib.closing(listener):
        compiling = asyncio.create_task(asyncio.to_thread(compile_all))
        async with open_souvenir(settings) as souvenir, _working(souvenir, wanted=settings.worker):
            await compiling
            server = _Server(_uvicorn_config(souvenir))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            typer.echo(_greeting(souvenir, listener.getsockname()[1]))
            await asyncio.wait({serving, asyncio.create_task(stopping.wait())}, return_when=asyncio.FIRST_COMPLETED)
            log.info("stopping: running requests may finish", seconds=settings.shutdown_seconds)
            server.should_exit = True
            await serving


async def _work(settings: Settings) -> None:
    stopping = _stop_signals()
    compiling = asyncio.create_task(asyncio.to_thread(compile_all))
    async with open_souvenir(settings) as souvenir, _working(souvenir, wanted=True):
        await compiling
        typer.echo(f"Souvenir {__version__} works on jobs in {souvenir.database.place}. Stop it with Ctrl-C.")
        await stopping.wait()
        log.info("stopping: running jobs may finish", seconds=settings.shutdown_seconds)


@contextlib.asynccontextmanager
async def _working(souvenir: Souvenir, *, wanted: bool) -> AsyncIterator[None]:
    if not wanted:
        yield
        return
    working = asyncio.create_task(souvenir.work())
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to us: uvicorn would raise them again on its way out, before the database is closed."""
        yield


def _uvicorn_config(souvenir: Souvenir) -> uvicorn.Config:
    return uvicorn.Config(
        create_api(souvenir),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(souvenir.settings.shutdown_seconds)),
    )


def _stop_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


def _listen(settings: Settings) -> socket.socket:
    try:
        return open_listener(settings.host, settings.port)
    except OSError as error:
        raise StartError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; "
            f"stop what uses it, or set SOUVENIR_PORT"
        ) from None


def _greeting(souvenir: Souvenir, port: int) -> str:
    settings = souvenir.settings
    host = "127.0.0.1" if is_loopback(settings.host) and ":" not in settings.host else settings.host
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    bearer = "" if settings.auth == "none" else ' -H "Authorization: Bearer $KEY"'
    return f"""
Souvenir {__version__} is on {url}
  data      {souvenir.database.place}
  embedder  {souvenir.embedder.model}
  chat      {", ".join(souvenir.providers.names)}
  auth      {settings.auth}

Try:
  curl {url}/ready
  curl {url}/v1/chat/completions{bearer} -H "Content-Type: application/json" \\
    -d '{{"model": "souvenir", "messages": [{{"role": "user", "content": "Hello!"}}]}}'
  curl {url}/v1/embeddings{bearer} -H "Content-Type: application/json" \\
    -d '{{"model": "souvenir", "input": "a text to embed"}}'

Stop it with Ctrl-C. `souvenir doctor` checks that all is well.
"""
