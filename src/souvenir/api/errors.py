"""Errors to answers: one table from error to status, problem details on native routes, OpenAI's object under `/v1`."""

from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from souvenir import errors
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

STATUS: dict[type[errors.SouvenirError], int] = {
    errors.BadInput: 400,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflicting: 409,
    errors.TooLarge: 413,
    errors.Unavailable: 503,
    errors.ProviderUnreachable: 502,
    errors.ProviderTimeout: 504,
    errors.StructuredOutputError: 502,
    errors.DimensionMismatch: 503,
}

_OPENAI_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    409: "invalid_request_error",
    413: "invalid_request_error",
    429: "rate_limit_error",
}

_UNAUTHENTICATED = "A valid credential is required."


class Failure:
    """An error as it is told to a client, before it takes one of the two shapes."""

    def __init__(self, status: int, detail: str, field: str | None = None, code: str | None = None) -> None:
        self.status = status
        self.detail = detail
        self.field = field
        self.code = code

    def problem(self) -> JsonObject:
        """Problem details, RFC 9457."""
        body: JsonObject = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        return body if self.field is None else body | {"field": self.field}

    def openai(self) -> JsonObject:
        """The error object that OpenAI's clients read."""
        kind = _OPENAI_TYPES.get(self.status, "api_error")
        return {"error": {"message": self.detail, "type": kind, "param": self.field, "code": self.code}}


def failure(error: errors.SouvenirError) -> Failure:
    """What a client is told about one of our errors."""
    if isinstance(error, errors.Unauthenticated):
        return Failure(401, _UNAUTHENTICATED)
    if isinstance(error, errors.BadInput):
        return Failure(400, str(error), error.field or None, error.code)
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return Failure(status, str(error) or HTTPStatus(status).phrase)


def openai_error_body(error: errors.SouvenirError) -> JsonObject:
    """The OpenAI error object, with a provider's own one passed on as it came."""
    if isinstance(error, errors.ProviderError):
        if error.body is not None:
            return error.body if "error" in error.body else {"error": error.body}
        return Failure(error.status, error.message).openai()
    return failure(error).openai()


def render(request: Request, told: Failure) -> JSONResponse:
    """The answer in the shape of the route family."""
    headers = {"WWW-Authenticate": "Bearer"} if told.status == 401 else None
    if request.url.path.startswith("/v1/"):
        return JSONResponse(told.openai(), told.status, headers)
    return JSONResponse(told.problem(), told.status, headers, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Make the app answer every error in one of the two shapes."""

    @app.exception_handler(errors.SouvenirError)
    async def on_ours(request: Request, error: errors.SouvenirError) -> JSONResponse:
        if isinstance(error, errors.ProviderError):
            headers = {"Retry-After": error.retry_after} if error.retry_after else None
            return JSONResponse(openai_error_body(error), error.status, headers)
        if isinstance(error, errors.Unauthenticated):
            request.app.state.souvenir.metrics.auth_refused.inc()
        if isinstance(error, errors.ServiceError):
            log.warning("request failed", error=type(error).__name__, reason=str(error))
        return render(request, failure(error))

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return render(request, _from_validation(error.errors()))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> JSONResponse:
        answer = render(request, Failure(error.status_code, str(error.detail)))
        answer.headers.update(error.headers or {})
        if error.status_code == 405:
            answer.headers["Allow"] = ", ".join(_allowed(request))
        return answer


def _allowed(request: Request) -> list[str]:
    """The methods of every route at this path; the framework names those of the first only."""
    routes = (route for router in request.app.state.routers for route in router.routes)
    at_path = (route for route in routes if route.path_regex.match(request.url.path))
    return sorted({method for route in at_path for method in route.methods})


def _from_validation(found: Any) -> Failure:
    # of a union's branches, the one that got furthest is the one that was meant
    first = max(found, key=lambda entry: len(entry["loc"]))
    where, *path = first["loc"]
    field = _field(path) or str(where)
    message = first["msg"].removeprefix("Value error, ")
    return Failure(400, f"{field}: {message}", field)


def _field(path: list[str | int]) -> str:
    """`messages[0].content`, as a client writes it; union branches, which only pydantic names, are left out."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif (part.isidentifier() and part not in {"str", "int", "float", "bool"}) or "-" in part:
            text += f".{part}" if text else part
    return text
