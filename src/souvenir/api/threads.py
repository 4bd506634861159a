"""Threads: a message in, its answer out as server-sent events that can be followed again and stopped."""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Header, Query
from pydantic import ValidationError
from starlette.responses import Response
from ulid import ULID

from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS
from souvenir.api.errors import failure
from souvenir.api.requests import CallerRoute
from souvenir.api.streaming import RunStream
from souvenir.app import Souvenir
from souvenir.chat.answering import Called, Chunk, Returned, Routed, Step
from souvenir.chat.runs import Run
from souvenir.chat.turn import Ask, served
from souvenir.errors import BadInput, NotFound, ProviderError, SouvenirError, TooLarge, Unavailable
from souvenir.identity.caller import Caller
from souvenir.llm.providers import DEFAULT_MODEL
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

router = APIRouter(
    prefix="/threads", tags=["threads"], route_class=CallerRoute, dependencies=[BEARER], responses=NATIVE_ERRORS
)

NEW = "new"
_EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
_GONE = "there is no such answer here any more; read the thread's messages"

LastEvent = Annotated[
    str | None, Header(alias="Last-Event-ID", description="Go on after this event, of an answer that was begun before.")
]
ProjectId = Annotated[schemas.Name | None, Query(description="The project the thread is of.")]


@router.post("/{thread_id}/messages/stream", response_class=Response, responses=_EVENTS | THING_ERRORS)
async def send_message(
    thread_id: str,
    body: schemas.ThreadMessage,
    souvenir: TheSouvenir,
    caller: TheCaller,
    last_event_id: LastEvent = None,
) -> Response:
    """Say something in a thread, `new` for a new one, and follow the answer.

    An id that is not a thread of the caller's starts a new one; the first event tells the id in use.
    """
    scope = caller.scope(body.project_id)
    if last_event_id is not None:
        return _followed(souvenir, caller, body.project_id, last_event_id)
    if len(body.content) > souvenir.settings.max_message_chars:
        raise TooLarge(f"content: is over {souvenir.settings.max_message_chars} characters, the most this server takes")
    if not body.content.strip():
        raise BadInput("content", "is empty")
    known = await _known(souvenir, scope.space, thread_id)
    chat_id = known or str(uuid.uuid4())
    run = Run(str(ULID()), scope.space, chat_id)
    ask = Ask(
        text=body.content,
        body={"model": body.model or DEFAULT_MODEL, "stream": True, "stream_options": {"include_usage": True}},
        scope=scope,
        user=caller.user_id,
        org=caller.org,
        chat_id=chat_id,
        key=run.run_id,
        use_memory=body.use_memory,
        use_rewriter=body.use_query_rewriter,
        may_clarify=body.allow_clarification,
    )
    souvenir.runs.start(run, _events(souvenir, ask, created=known is None))
    return RunStream(run)


@router.get("/{thread_id}/messages/stream", response_class=Response, responses=_EVENTS | THING_ERRORS)
async def follow(
    thread_id: str,
    souvenir: TheSouvenir,
    caller: TheCaller,
    last_event_id: LastEvent = None,
    project_id: ProjectId = None,
) -> Response:
    """Follow an answer again, after the event whose id is given; without one, the thread's running answer."""
    if last_event_id is not None:
        return _followed(souvenir, caller, project_id, last_event_id)
    running = souvenir.runs.of_chat(caller.scope(project_id).space, thread_id)
    if not running:
        raise NotFound(_GONE)
    return RunStream(running[-1])


@router.post("/{thread_id}/stop")
async def stop(
    thread_id: str, souvenir: TheSouvenir, caller: TheCaller, project_id: ProjectId = None
) -> schemas.Stopped:
    """Break off the answers that run in a thread; what was said of them is kept."""
    running = souvenir.runs.of_chat(caller.scope(project_id).space, thread_id)
    return schemas.Stopped(stopped=sum(run.stop() for run in running))


def _followed(souvenir: Souvenir, caller: Caller, project_id: str | None, event_id: str) -> RunStream:
    run_id, _, number = event_id.rpartition(":")
    run = souvenir.runs.get(caller.scope(project_id).space, run_id)
    if run is None or not number.isdecimal():
        raise NotFound(_GONE)
    return RunStream(run, int(number))


async def _known(souvenir: Souvenir, space: SpaceId, thread_id: str) -> str | None:
    """The thread to go on with; None starts a new one.

    While the database does not answer the caller is believed: the thread is one of the caller's own space, whatever
    its id, so that what is said in it is not lost to another, nor ever written into somebody else's.
    """
    if thread_id == NEW or len(thread_id) > schemas.CHAT_ID_CHARACTERS:
        return None
    try:
        async with asyncio.timeout(souvenir.settings.turn_stage_seconds):
            return thread_id if await souvenir.chats.get_chat(space, thread_id) is not None else None
    except (Unavailable, TimeoutError) as error:
        log.warning("the thread could not be looked up", error=type(error).__name__)
    try:
        return schemas.CHAT_ID.validate_python(thread_id)
    except ValidationError:
        return None


async def _events(souvenir: Souvenir, ask: Ask, *, created: bool) -> AsyncGenerator[tuple[str, JsonObject], None]:
    yield "thread", {"thread_id": ask.chat_id, "created": created}
    try:
        begun = await souvenir.turn.begin(ask)
        yield "memory", {"memories": begun.memories}
        if begun.rewritten.changed:
            yield "rewrite", {"original": ask.text, "rewritten": begun.rewritten.text}
        if ask.may_clarify and len(begun.rewritten.ambiguous) > 1 and begun.local is not None:
            yield "clarification", {"question": begun.local.text, "options": list(begun.rewritten.ambiguous)}
        async with aclosing(souvenir.turn.stream(begun)) as steps:
            async for step in steps:
                event = _event_of(step)
                if event is not None:
                    yield event
        if begun.usage is not None:
            yield "usage", begun.usage
        message_id = begun.exchange.reply_id if begun.exchange is not None else None
        yield "done", {"thread_id": ask.chat_id, "message_id": message_id}
    except SouvenirError as error:
        yield "error", _told(error)


def _told(error: SouvenirError) -> JsonObject:
    status = error.status if isinstance(error, ProviderError) else failure(error).status
    told: JsonObject = {"code": type(error).__name__, "status": status, "message": str(error)}
    if isinstance(error, ProviderError) and error.retry_after:
        told["retry_after"] = error.retry_after
    return told


def _event_of(step: Step) -> tuple[str, JsonObject] | None:
    if isinstance(step, Routed):
        return "route", {"provider": step.provider, "model": step.model, "reason": step.reason}
    if isinstance(step, Called):
        return "tool_call", {"id": step.call_id, "name": step.name, "arguments": step.arguments}
    if isinstance(step, Returned):
        return "tool_result", served(step)
    return _delta(step)


def _delta(chunk: Chunk) -> tuple[str, JsonObject] | None:
    choices = chunk.data.get("choices") or [{}]
    content = (choices[0].get("delta") or {}).get("content")
    return ("delta", {"content": content}) if isinstance(content, str) and content else None
