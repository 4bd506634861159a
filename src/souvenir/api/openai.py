"""The routes that OpenAI's own clients call: `/v1/chat/completions`, `/v1/models`, `/v1/embeddings`."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np
import structlog
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import OPENAI_ERRORS, PROVIDER_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.api.search import citation, spaces_of
from souvenir.api.streaming import OpenAIStream, while_connected
from souvenir.app import Souvenir
from souvenir.embed.port import Vectors
from souvenir.errors import BadInput, NotFound, TooLarge
from souvenir.identity.caller import Caller
from souvenir.llm.port import OFFLINE, ModelInfo
from souvenir.llm.recalled import Recalled, render
from souvenir.retrieval.filters import Filter
from souvenir.stores.passage_ports import Passage
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

router = APIRouter(
    prefix="/v1", tags=["OpenAI"], route_class=CallerRoute, dependencies=[BEARER], responses=OPENAI_ERRORS
)

_MOST_INPUTS = 2048
_OUR_EMBEDDER = "souvenir"
_RECALLED = 5
_RECALL_SECONDS = 10.0
_WORTHY = 0.15  # of the best hit's score
_SPEAKERS = {"user": "you", "assistant": "the assistant"}


@router.post(
    "/chat/completions",
    response_model=schemas.ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}, **PROVIDER_ERRORS},
)
async def create_chat_completion(
    body: schemas.ChatRequest, request: Request, souvenir: TheSouvenir, caller: TheCaller
) -> Response:
    """Answer a chat, whole or as a stream."""
    _limit_messages(body, souvenir.settings.max_message_chars)
    resolved = await souvenir.providers.resolve(body.model)
    # what goes to the host is what came in, not what our schema knows of it
    asked: JsonObject = {**await request.json(), "model": resolved.model}
    if resolved.provider.name == OFFLINE and caller.user_id is not None:
        asked["messages"] = [*await _recall(body, souvenir, caller), *asked["messages"]]
    if not body.stream:
        return JSONResponse(await while_connected(request, resolved.provider.complete(asked)))
    chunks = resolved.provider.stream(asked)
    first = await while_connected(request, anext(chunks, None))
    return OpenAIStream(_resumed(first, chunks))


async def _recall(body: schemas.ChatRequest, souvenir: Souvenir, caller: Caller) -> list[JsonObject]:
    """What memory holds on the user's last message, as a message of its own. A search that fails fails no answer."""
    said = next((_texts(message) for message in reversed(body.messages) if message.role == "user"), [])
    question = "\n".join(said)
    if not question.strip():
        return []
    try:
        async with asyncio.timeout(_RECALL_SECONDS):
            found = await souvenir.search.search(
                spaces_of(caller, None), question, Filter(), limit=_RECALLED, rerank=not body.stream
            )
    except Exception as error:  # noqa: BLE001 - whatever ails the search, an answer without memories is one
        log.warning("memory could not be searched for an answer", error=type(error).__name__)
        souvenir.metrics.search_hits.labels("failed").inc()
        return []
    # next to a good answer, one that is far less likely is only noise
    worthy = [hit for hit in found.hits if hit.score > _WORTHY * found.hits[0].score]
    recalled = [_recalled(hit.passage, citation(place)) for place, hit in enumerate(worthy)]
    return [{"role": "system", "content": render(recalled)}]


def _recalled(passage: Passage, cited: str) -> Recalled:
    role = passage.role or passage.kind
    return Recalled(cited, passage.text, passage.speaker or _SPEAKERS.get(role, role), passage.at)


async def _resumed(
    first: JsonObject | None, rest: AsyncGenerator[JsonObject, None]
) -> AsyncGenerator[JsonObject, None]:
    """The stream with its first chunk put back; waiting for that one is what still lets an error have its status."""
    async with aclosing(rest):
        if first is not None:
            yield first
        async for chunk in rest:
            yield chunk


def _limit_messages(body: schemas.ChatRequest, most: int) -> None:
    for index, message in enumerate(body.messages):
        if sum(map(len, _texts(message))) > most:
            raise TooLarge(f"messages[{index}].content: is over {most} characters, the most this server takes")


def _texts(message: schemas.ChatMessage) -> list[str]:
    parts = message.content if isinstance(message.content, list) else []
    return [message.content] if isinstance(message.content, str) else [part.text or "" for part in parts]


@router.get("/models", responses=PROVIDER_ERRORS)
async def list_models(souvenir: TheSouvenir) -> schemas.ModelList:
    """The models that can be asked for; `souvenir` is whichever is the default."""
    return schemas.ModelList(data=[_entry(model) for model in await souvenir.providers.list()])


@router.get("/models/{model:path}", responses={404: {"model": schemas.OpenAIError}, **PROVIDER_ERRORS})
async def retrieve_model(model: str, souvenir: TheSouvenir) -> schemas.ModelEntry:
    """One model by its id."""
    for known in await souvenir.providers.list():
        if model in {known.id, known.id.partition("/")[2]}:
            return _entry(known)
    raise NotFound(f"there is no model {model!r}")


def _entry(model: ModelInfo) -> schemas.ModelEntry:
    return schemas.ModelEntry(id=model.id, created=model.created, owned_by=model.owned_by)


@router.post("/embeddings")
async def create_embeddings(
    body: schemas.EmbeddingRequest, request: Request, souvenir: TheSouvenir
) -> schemas.EmbeddingList:
    """Vectors from the configured embedder. A long text is read whole, never cut off."""
    texts = [body.input] if isinstance(body.input, str) else body.input
    _check_inputs(texts, souvenir.settings.max_message_chars)
    embedder = souvenir.embedder
    if body.model not in {embedder.model, _OUR_EMBEDDER}:
        raise BadInput("model", f"unknown; the embedder here is {embedder.model}", code="model_not_found")
    if body.dimensions not in {None, embedder.dimension}:
        raise BadInput("dimensions", f"{embedder.model} gives vectors of {embedder.dimension}")
    made = await while_connected(request, embedder.embed(texts))
    return schemas.EmbeddingList(
        data=_entries(made.vectors, as_base64=body.encoding_format == "base64"),
        model=embedder.model,
        usage=schemas.EmbeddingUsage(prompt_tokens=made.tokens, total_tokens=made.tokens),
    )


def _check_inputs(texts: list[str], longest: int) -> None:
    if not 1 <= len(texts) <= _MOST_INPUTS:
        raise BadInput("input", f"must be a text or 1 to {_MOST_INPUTS} texts")
    for index, text in enumerate(texts):
        field = f"input[{index}]" if len(texts) > 1 else "input"
        if not text.strip():
            raise BadInput(field, "is empty")
        if len(text) > longest:
            raise TooLarge(f"{field}: is over {longest} characters, the most this server takes")


def _entries(vectors: Vectors, *, as_base64: bool) -> list[schemas.EmbeddingEntry]:
    return [
        schemas.EmbeddingEntry(
            index=index,
            embedding=base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if as_base64
            else np.asarray(vector, dtype=float).tolist(),
        )
        for index, vector in enumerate(vectors)
    ]
