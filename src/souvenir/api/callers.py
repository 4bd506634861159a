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
    headers = request.headers
    credentials = Credentials(headers.get("authorization"), headers.get(USER_HEADER), headers.get(ORG_HEADER))
    return await _souvenir(request).authenticator.authenticate(credentials)


TheSouvenir = Annotated[Souvenir, Depends(_souvenir)]
TheCaller = Annotated[Caller, Depends(_caller)]
