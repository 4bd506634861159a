"""The routes that OpenAI's own clients call: `/v1/chat/completions`, `/v1/models`, `/v1/embeddings`."""

import base64
import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np
from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import JSONResponse, Response

from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import OPENAI_ERRORS, PROVIDER_ERRORS
from souvenir.api.errors import Failure
from souvenir.api.requests import CallerRoute
from souvenir.api.streaming import OpenAIStream, while_connected
from souvenir.chat.answering import Chunk, Step
from souvenir.chat.turn import Ask, Begun
from souvenir.embed.port import Vectors
from souvenir.errors import BadInput, TooLarge
from souvenir.identity.caller import Caller
from souvenir.llm.port import ModelInfo
from souvenir.llm.spoken import text_of
from souvenir.types import JsonObject

router = APIRouter(
    prefix="/v1", tags=["OpenAI"], route_class=CallerRoute, dependencies=[BEARER], responses=OPENAI_ERRORS
)

_MOST_INPUTS = 2048
_OUR_EMBEDDER = "souvenir"
_CHORE = "### Task:"  # how Open WebUI asks for titles, tags and follow-ups
_ABOUT_DOCUMENTS = "### Task:\nRespond to the user query"  # and how it puts documents before a question
_PASSING = ("temporary:", "local:")  # its chats that leave no trace
_UNKEPT = (*_PASSING, "channel:")  # and those that are several people's
_LONGEST_KEY = 200
CHAT_HEADER = "x-openwebui-chat-id"
MESSAGE_HEADER = "x-openwebui-message-id"


@router.post(
    "/chat/completions",
    response_model=schemas.ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}, **PROVIDER_ERRORS},
)
async def create_chat_completion(
    body: schemas.ChatRequest, request: Request, souvenir: TheSouvenir, caller: TheCaller
) -> Response:
    """Answer a chat, whole or as a stream, with what is remembered of its user."""
    _limit_messages(body, souvenir.settings.max_message_chars)
    turn, ask = souvenir.turn, _ask(await request.json(), request, caller)
    begun = await while_connected(request, turn.begin(ask))
    if not body.stream:
        answer = await while_connected(request, turn.complete(begun))
        told = answer if ask.scope is None else answer | {"memories": begun.memories}
        # in ASCII, as a stream is: even half a character goes through
        return Response(json.dumps(told), media_type="application/json")
    steps = turn.stream(begun)
    first = await while_connected(request, anext(steps, None))
    return OpenAIStream(_chunks(begun, first, steps))


def _ask(asked: JsonObject, request: Request, caller: Caller) -> Ask:
    """What goes to the host is what came in, not what our schema knows of it."""
    messages = [message for message in asked["messages"] if isinstance(message, dict)]
    last = max((place for place, one in enumerate(messages) if one.get("role") == "user"), default=None)
    text = text_of(messages[last]) if last is not None else ""
    chat_id, is_passing = _chat_of(request)
    # a request that brings a tool's result, or is simply sent again, belongs to the same exchange; a system prompt may
    # hold the time of day
    digest = hashlib.sha256(json.dumps(_spoken(messages[: (last or 0) + 1]), sort_keys=True).encode()).hexdigest()[:40]
    return Ask(
        text=text,
        body=asked,
        scope=caller.scope() if caller.user_id is not None else None,
        user=caller.user_id,
        org=caller.org,
        messages=messages,
        chat_id=chat_id,
        key=digest,
        reply_key=_reply_key(request),
        is_chore=is_passing or (text.lstrip().startswith(_CHORE) and not text.lstrip().startswith(_ABOUT_DOCUMENTS)),
        offer_tool=bool(asked.get("tools")),
    )


def _spoken(messages: list[JsonObject]) -> list[JsonObject]:
    return [message for message in messages if message.get("role") in {"user", "assistant"}]


def _chat_of(request: Request) -> tuple[str | None, bool]:
    """The chat to keep the exchange in, and whether it is one that is to leave no trace."""
    given = request.headers.get(CHAT_HEADER)
    if not given:
        return None, False
    if given.startswith(_UNKEPT):
        return None, given.startswith(_PASSING)
    try:
        return schemas.CHAT_ID.validate_python(given), False
    except ValidationError:
        raise BadInput(CHAT_HEADER, "must be 1 to 128 letters, digits, and . _ ~ -") from None


def _reply_key(request: Request) -> str | None:
    given = request.headers.get(MESSAGE_HEADER)
    return given if given and len(given) <= _LONGEST_KEY and given.isascii() and given.isprintable() else None


async def _chunks(
    begun: Begun, first: Step | None, steps: AsyncGenerator[Step, None]
) -> AsyncGenerator[JsonObject, None]:
    """The chunks alone, the memories on the first of them; our own tool's work is not the client's."""
    told = begun.ask.scope is None
    async with aclosing(steps):
        step = first
        while step is not None:
            if isinstance(step, Chunk):
                yield step.data if told else step.data | {"memories": begun.memories}
                told = True
            step = await anext(steps, None)


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


@router.get(
    "/models/{model:path}",
    response_model=schemas.ModelEntry,
    responses={404: {"model": schemas.OpenAIError}, **PROVIDER_ERRORS},
)
async def retrieve_model(model: str, souvenir: TheSouvenir) -> schemas.ModelEntry | JSONResponse:
    """One model by its id."""
    for known in await souvenir.providers.list():
        if model in {known.id, known.id.partition("/")[2]}:
            return _entry(known)
    missing = Failure(404, f"there is no model {model!r}", "model", "model_not_found")
    return JSONResponse(missing.openai(), missing.status)


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
