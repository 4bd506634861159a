"""How requests are read: first who calls, then the body: JSON only, strictly, with text that can be stored."""

import re
from collections.abc import Callable, Coroutine
from typing import Any

import pydantic_core
from fastapi import Request, Response
from fastapi.routing import APIRoute

from souvenir.api.callers import authenticate
from souvenir.errors import BadInput

_SUSPICIOUS = re.compile(rb"\\u0000|\x00|[eE][+]?\d{3}|\d{300}")


class StrictRequest(Request):
    """A request whose JSON has no NaN or infinity, no NUL and no lone surrogate, and is not nested without end."""

    async def json(self) -> Any:
        """The parsed body. Raises BadInput."""
        if not hasattr(self, "_json"):
            self._json = parse_json(await self.body())
        return self._json


def parse_json(body: bytes) -> Any:
    """Parse a body strictly. Raises BadInput naming `body`, or the field that holds what cannot be stored."""
    try:
        value = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise BadInput("body", f"is not valid JSON: {error}") from None
    if _SUSPICIOUS.search(body):
        _refuse_unstorable(value, "")
    return value


def _refuse_unstorable(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_unstorable(key, path or "body")
            _refuse_unstorable(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{path}[{index}]")
    elif isinstance(value, str) and "\x00" in value:
        raise BadInput(path.replace("\x00", "�") or "body", "holds a NUL character")
    elif isinstance(value, float) and value in {float("inf"), float("-inf")}:
        raise BadInput(path or "body", "holds a number out of range")


class CallerRoute(APIRoute):
    """A route for known callers. The credential is checked before a byte of the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the request once, before FastAPI reads it, so that our own errors come through."""
        handle = super().get_route_handler()
        reads_body = self.body_field is not None
        may_lack_body = self.body_field is not None and not self.body_field.field_info.is_required()

        async def known(request: Request) -> Response:
            wrapped = StrictRequest(request.scope, request.receive)
            wrapped.state.caller = await authenticate(wrapped)
            if reads_body and (await wrapped.body() or not may_lack_body):
                _require_json_type(wrapped)
                await wrapped.json()
            return await handle(wrapped)

        return known


def _require_json_type(request: Request) -> None:
    # a browser sends this type across sites only after asking, so that no other page can post to a local server
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BadInput("content-type", "must be application/json")
