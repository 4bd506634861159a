"""Server-sent events, and stopping work when the client has gone away."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TypeVar

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from souvenir.api.errors import openai_error_body
from souvenir.errors import SouvenirError
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

T = TypeVar("T")


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Await `work`, and cancel it when the client closes the connection first. Raises ClientDisconnect then.

    The body must have been read: what the client sends next can only be its leaving.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_left(request.receive))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        for pending in (task, leaving):
            pending.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class OpenAIStream(Response):
    """Chunks as OpenAI streams them: `data:` lines closed by `[DONE]`, or by an error object when the source fails."""

    media_type = "text/event-stream"

    def __init__(self, chunks: AsyncGenerator[JsonObject, None]) -> None:
        self._chunks = chunks
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers({"cache-control": "no-cache", "x-accel-buffering": "no"})
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send until the source ends or the client leaves; either way the source is closed."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for pending in (sending, leaving):
                pending.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._chunks):
            try:
                async for chunk in self._chunks:
                    await _event(send, json.dumps(chunk, separators=(",", ":")))
                await _event(send, "[DONE]")
            except SouvenirError as error:
                log.warning("stream broke off", error=type(error).__name__)
                await _event(send, json.dumps(openai_error_body(error)))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _event(send: Send, data: str) -> None:
    await send({"type": "http.response.body", "body": f"data: {data}\n\n".encode(), "more_body": True})
