"""Every status a route can answer with beside success, for the OpenAPI description."""

from typing import Any

from souvenir.api.schemas import OpenAIError, Problem

Responses = dict[int | str, dict[str, Any]]

_MEANING = {
    400: "A field is wrong; the answer names it.",
    401: "The credential is missing, expired or invalid.",
    403: "An org or project the caller does not belong to.",
    413: "The body or a message is over its maximum.",
    503: "The database, the embedder or the identity provider does not answer.",
}

_OF_THINGS = {404: "There is no such thing here.", 409: "What is asked for contradicts what is there."}


def _problems(*statuses: int) -> Responses:
    schema = {"schema": Problem.model_json_schema()}
    return {
        status: {"description": (_MEANING | _OF_THINGS)[status], "content": {"application/problem+json": schema}}
        for status in statuses
    }


HOST_ERROR = _problems(400)
NATIVE_ERRORS = _problems(400, 401, 403, 413, 503)
THING_ERRORS = _problems(404, 409)
OPENAI_ERRORS: Responses = {
    status: {"model": OpenAIError, "description": meaning} for status, meaning in _MEANING.items()
}
PROVIDER_ERRORS: Responses = {
    502: {"model": OpenAIError, "description": "The model's host cannot be reached."},
    504: {"model": OpenAIError, "description": "The model's host did not answer in time."},
    "4XX": {"model": OpenAIError, "description": "The model's host refused; its own status and body are passed on."},
    "5XX": {"model": OpenAIError, "description": "The model's host failed; its own status and body are passed on."},
}
