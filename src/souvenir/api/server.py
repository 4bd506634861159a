"""The app factory: a running Souvenir in, an ASGI app out."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from souvenir import __version__
from souvenir.api import (
    chats,
    errors,
    facts,
    filetree,
    memories,
    memory_archive,
    openai,
    operations,
    search,
    sources,
    threads,
    users,
)
from souvenir.api.middleware import LimitBody, Observe, TrustHosts
from souvenir.app import Souvenir
from souvenir.config import Settings

_DESCRIPTION = "Long-term memory for chat. Routes under `/v1` speak OpenAI's protocol."

ROUTERS = (
    operations.router,
    operations.identity,
    chats.router,
    search.router,
    threads.router,
    memories.router,
    facts.router,
    sources.router,
    filetree.router,
    memory_archive.router,
    users.router,
    openai.router,
)


def create_api(souvenir: Souvenir) -> FastAPI:
    """The HTTP side of one Souvenir. It opens and closes nothing: that is the caller's."""
    # the interactive pages load scripts from other hosts; the description itself is all that is served
    api = FastAPI(title="Souvenir", version=__version__, description=_DESCRIPTION, docs_url=None, redoc_url=None)
    api.state.souvenir = souvenir
    api.state.routers = ROUTERS
    for router in ROUTERS:
        api.include_router(router)
    errors.install(api)
    api.add_middleware(LimitBody, settings=souvenir.settings)
    api.add_middleware(TrustHosts, settings=souvenir.settings)
    api.add_middleware(Observe, metrics=souvenir.metrics)
    api.openapi = lambda: describe(api, souvenir.settings)  # type: ignore[method-assign]
    return api


def describe(api: FastAPI, settings: Settings) -> dict[str, Any]:
    """The OpenAPI description, without the 422 that we never answer, and with a credential only where one counts."""
    if api.openapi_schema is None:
        schema = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
        for operation in (operation for path in schema["paths"].values() for operation in path.values()):
            operation["responses"].pop("422", None)
            if settings.auth == "none":
                operation.pop("security", None)
        for unused in ("HTTPValidationError", "ValidationError"):
            schema.get("components", {}).get("schemas", {}).pop(unused, None)
        api.openapi_schema = schema
    return api.openapi_schema
