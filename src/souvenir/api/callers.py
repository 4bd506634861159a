"""The caller of a request, for routes to depend on."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from souvenir.app import Souvenir
from souvenir.identity.authenticate import Credentials
from souvenir.identity.caller import ORG_HEADER, USER_HEADER, Caller

BEARER = Depends(HTTPBearer(auto_error=False, description="A JWT or an API key; none with auth=none."))
"""Only describes the credential in OpenAPI; `authenticate` checks it."""


def _souvenir(request: Request) -> Souvenir:
    app: Souvenir = request.app.state.souvenir
    return app


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def authenticate(request: Request) -> Caller:
    """Who sent the request, by its headers alone."""
    credentials = Credentials(
        request.headers.get("authorization"), _text(request, USER_HEADER), _text(request, ORG_HEADER)
    )
    return await _souvenir(request).authenticator.authenticate(credentials)


def _text(request: Request, header: str) -> str | None:
    """A header that names somebody: UTF-8 as clients send it, where HTTP itself only knows Latin-1."""
    value = request.headers.get(header)
    try:
        return value.encode("latin-1").decode() if value is not None else None
    except UnicodeDecodeError:
        return value


TheSouvenir = Annotated[Souvenir, Depends(_souvenir)]
TheCaller = Annotated[Caller, Depends(_caller)]
