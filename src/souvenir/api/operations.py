"""The routes that people and machines ask how it goes: `/`, `/health`, `/ready`, `/metrics`, `/whoami`."""

from typing import Annotated

from fastapi import APIRouter, Query
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse, Response

from souvenir import __version__
from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import HOST_ERROR, NATIVE_ERRORS
from souvenir.api.requests import CallerRoute

router = APIRouter(tags=["operations"], responses=HOST_ERROR)
identity = APIRouter(tags=["identity"], route_class=CallerRoute, dependencies=[BEARER], responses=NATIVE_ERRORS)


@router.get("/")
async def welcome() -> schemas.Welcome:
    """Where to go from here."""
    links = {
        "api": "/openapi.json",
        "chat": "/v1/chat/completions",
        "models": "/v1/models",
        "embeddings": "/v1/embeddings",
        "chats": "/chats/list",
        "search": "/search",
        "you": "/whoami",
        "ready": "/ready",
        "metrics": "/metrics",
    }
    return schemas.Welcome(name="souvenir", version=__version__, links=links)


@router.get("/health")
async def health() -> schemas.Health:
    """The process runs and answers; nothing else is asked."""
    return schemas.Health(status="ok", version=__version__)


@router.get("/ready", responses={503: {"model": schemas.Readiness}})
async def ready(souvenir: TheSouvenir) -> JSONResponse:
    """Whether requests can be served; 503 while the database does not answer. Without an embedder they still can."""
    checks = await souvenir.readiness()
    is_ready = checks["database"] == "ok"
    body = schemas.Readiness(status="ready" if is_ready else "not ready", checks=checks)
    return JSONResponse(body.model_dump(), 200 if is_ready else 503)


@router.get("/metrics", responses={200: {"content": {"text/plain": {}}}}, response_class=Response)
async def metrics(souvenir: TheSouvenir) -> Response:
    """Prometheus metrics; no contents and no names of users."""
    await souvenir.refresh_gauges()
    return Response(generate_latest(souvenir.metrics.registry), media_type=CONTENT_TYPE_LATEST)


@identity.get("/whoami")
async def who_am_i(
    souvenir: TheSouvenir, caller: TheCaller, project_id: Annotated[schemas.Name | None, Query()] = None
) -> schemas.WhoAmI:
    """The caller as Souvenir sees it: the user, and the spaces this request would write to and read."""
    scope = caller.scope(project_id) if caller.user_id is not None else None
    return schemas.WhoAmI(
        user_id=caller.user_id,
        auth=souvenir.settings.auth,
        org_id=caller.org,
        project_id=project_id,
        writes_to=scope.space if scope else None,
        reads=list(scope.readable) if scope else [],
    )
