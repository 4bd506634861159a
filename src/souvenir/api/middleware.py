"""What happens around every request: an id, a log line, a measurement, the size limit, and a last resort."""

import re
import time
import uuid
from collections.abc import MutableMapping
from typing import Any

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from souvenir.api.errors import Failure, render
from souvenir.config import Settings
from souvenir.errors import TooLarge
from souvenir.metrics import Metrics

log = structlog.get_logger(__name__)

REQUEST_ID_HEADER = "x-request-id"
_GOOD_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_SILENT = {"/health", "/ready", "/metrics"}


class Observe:
    """Gives each request an id, logs one line without contents, measures it, and turns a bug into a plain 500."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope))
        status = 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        started = time.perf_counter()
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            self._metrics.http_running.track_inprogress(),
        ):
            try:
                await self._app(scope, receive, note)
            except Exception:
                log.exception("unexpected error")
                if status != 0:
                    raise
                await render(Request(scope), Failure(500, "Souvenir made a mistake; its log tells more."))(
                    scope, receive, note
                )
            finally:
                self._record(scope, status, time.perf_counter() - started)

    def _record(self, scope: MutableMapping[str, Any], status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        self._metrics.http_seconds.labels(scope["method"], route, str(status)).observe(seconds)
        if route not in _SILENT:
            log.info("request", method=scope["method"], route=route, status=status, ms=round(seconds * 1000, 1))


def _request_id(headers: Headers) -> str:
    given = headers.get(REQUEST_ID_HEADER, "")
    return given if _GOOD_ID.fullmatch(given) else uuid.uuid4().hex


class LimitBody:
    """Answers 413 to a body over the maximum, by its declared length or by counting it as it arrives."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._limit = settings.max_body_bytes
        self._others = {"/memories/import": settings.max_import_bytes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._others.get(scope["path"], self._limit)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            await render(Request(scope), Failure(413, _too_large(limit)))(scope, receive, send)
            return
        arrived = 0

        async def count() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > limit:
                raise TooLarge(_too_large(limit))
            return message

        await self._app(scope, count, send)


def _too_large(limit: int) -> str:
    return f"the body is over {limit} bytes, the most this server takes"


class TrustHosts:
    """With no authentication, answers only requests addressed to this machine by name.

    A web page that makes its own host name point at 127.0.0.1 (DNS rebinding) sends that name, and is refused.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = {host.lower() for host in (*settings.trusted_hosts, settings.host)}
        self._on = settings.auth == "none"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and self._on and _host(Headers(scope=scope)) not in self._hosts:
            told = Failure(400, "host: this address is not in trusted_hosts", "host")
            await render(Request(scope), told)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _host(headers: Headers) -> str:
    host = headers.get("host", "").lower()
    bracketed = re.fullmatch(r"\[([0-9a-f:.]+)\](:\d+)?", host)
    return bracketed.group(1) if bracketed else host.partition(":")[0]
