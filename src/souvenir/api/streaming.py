"""Server-sent events, and stopping work when the client has gone away."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TypeVar

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from souvenir.api.errors import openai_error_body
from souvenir.chat.runs import Run
from souvenir.errors import SouvenirError
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

T = TypeVar("T")

_HALF = re.compile("[\ud800-\udfff]")
_QUIET_SECONDS = 15.0  # of a model that thinks, after which proxies would hang up


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


class _Stream(Response):
    """Server-sent events, until the source ends or the client leaves."""

    media_type = "text/event-stream"

    def __init__(self) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers({"cache-control": "no-cache", "x-accel-buffering": "no"})
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send until the source ends or the client leaves; either way the source is closed."""
        sending = asyncio.create_task(self._whole(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for pending in (sending, leaving):
                pending.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _whole(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await self._events(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _events(self, send: Send) -> None:
        raise NotImplementedError


class OpenAIStream(_Stream):
    """Chunks as OpenAI streams them: `data:` lines closed by `[DONE]`, or by an error object when the source fails."""

    def __init__(self, chunks: AsyncGenerator[JsonObject, None]) -> None:
        super().__init__()
        self._chunks = chunks

    async def _events(self, send: Send) -> None:
        async with aclosing(self._chunks):
            try:
                async for chunk in self._chunks:
                    await _event(send, json.dumps(chunk, separators=(",", ":")))
                await _event(send, "[DONE]")
            except SouvenirError as error:
                log.warning("stream broke off", error=type(error).__name__)
                await _event(send, json.dumps(openai_error_body(error)))


class RunStream(_Stream):
    """The events of an answer in progress, each with an id from which it can be followed again."""

    def __init__(self, run: Run, since: int = 0) -> None:
        super().__init__()
        self._run = run
        self._since = since

    async def _events(self, send: Send) -> None:
        async with aclosing(self._run.follow(self._since)) as events:
            following = asyncio.ensure_future(anext(events, None))
            while True:
                done, _ = await asyncio.wait({following}, timeout=_QUIET_SECONDS)
                if not done:
                    await _send(send, ": still here\n\n")
                    continue
                event = following.result()
                if event is None:
                    return
                data = _compact(event.data)
                await _send(send, f"id: {self._run.run_id}:{event.number}\nevent: {event.name}\ndata: {data}\n\n")
                following = asyncio.ensure_future(anext(events, None))


class EventStream(_Stream):
    """Named events, as long as their source has any."""

    def __init__(self, events: AsyncGenerator[tuple[str, JsonObject], None]) -> None:
        super().__init__()
        self._source = events

    async def _events(self, send: Send) -> None:
        async with aclosing(self._source) as events:
            async for name, content in events:
                await _send(send, f"event: {name}\ndata: {_compact(content)}\n\n")


def _compact(data: JsonObject) -> str:
    """JSON as people read it, but with half a character, which UTF-8 cannot carry, in ASCII."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(data, separators=(",", ":")) if _HALF.search(text) else text


async def _event(send: Send, data: str) -> None:
    await _send(send, f"data: {data}\n\n")


async def _send(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
