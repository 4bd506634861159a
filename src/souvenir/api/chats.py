"""The caller's chats: listed, read, renamed, deleted. What is not the caller's does not exist, and is 403."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.responses import Response

from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.errors import BadInput, Forbidden
from souvenir.stores.chat_rules import TITLE_CHARS, beginning
from souvenir.stores.ports import Chat, ChatPosition, Message

ProjectId = Annotated[
    schemas.Name | None, Query(description="A project the caller belongs to, for a chat of that project.")
]

router = APIRouter(
    prefix="/chats", tags=["chats"], route_class=CallerRoute, dependencies=[BEARER], responses=NATIVE_ERRORS
)


class _ChatIdConvertor(StringConvertor):
    """Any segment but the names of the other routes here: PATCH on those is 405, not a chat with a strange id."""

    regex = "(?!(?:list|messages)$)[^/]+"


register_url_convertor("chat", _ChatIdConvertor())

_USUAL = 20
_MOST = 50
_NOT_YOURS = "this chat does not exist, or is not yours"


@router.post("/list")
async def list_chats(
    souvenir: TheSouvenir, caller: TheCaller, body: schemas.ChatListRequest | None = None
) -> schemas.ChatList:
    """The caller's chats, or a project's, newest activity first."""
    asked = body or schemas.ChatListRequest()
    space = caller.scope(asked.project_id).space
    after = souvenir.cursors.read_chats(space, asked.cursor) if asked.cursor is not None else None
    page = await souvenir.chats.list_chats(space, limit=_limit(asked.limit), after=after)
    cursor = None
    if page.more:
        last = page.items[-1]
        cursor = souvenir.cursors.chats(space, ChatPosition(last.updated_at, last.chat_id))
    return schemas.ChatList(conversations=[_summary(chat) for chat in page.items], next_cursor=cursor)


@router.get("/messages")
async def list_messages(
    chat_id: Annotated[schemas.ChatId, Query(description="The chat's id.")],
    souvenir: TheSouvenir,
    caller: TheCaller,
    project_id: ProjectId = None,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(description="Most messages; above 50 is 50.")] = _USUAL,
) -> schemas.MessageList:
    """A chat's messages, newest first."""
    space = caller.scope(project_id).space
    most = _limit(limit)
    before = souvenir.cursors.read_messages(space, chat_id, cursor) if cursor is not None else None
    page = await souvenir.chats.list_messages(space, chat_id, limit=most, before=before)
    if page is None:
        raise Forbidden(_NOT_YOURS)
    following = souvenir.cursors.messages(space, chat_id, page.items[-1].message_id) if page.more else None
    return schemas.MessageList(messages=[_message(message) for message in page.items], next_cursor=following)


@router.patch("/{chat_id:chat}")
async def rename_chat(
    chat_id: schemas.ChatId,
    body: schemas.RenameRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    project_id: ProjectId = None,
) -> schemas.ChatSummary:
    """Give a chat another title; beyond 64 characters it is cut, as a first message is."""
    space = caller.scope(project_id).space
    chat = await souvenir.chats.rename(space, chat_id, beginning(body.title, TITLE_CHARS))
    if chat is None:
        raise Forbidden(_NOT_YOURS)
    return _summary(chat)


@router.delete("/{chat_id:chat}", status_code=204, response_class=Response)
async def delete_chat(
    chat_id: schemas.ChatId, souvenir: TheSouvenir, caller: TheCaller, project_id: ProjectId = None
) -> Response:
    """Delete a chat, with its messages and all that is found of them."""
    if not await souvenir.indexing.forget_chat(caller.scope(project_id).space, chat_id):
        raise Forbidden(_NOT_YOURS)
    return Response(status_code=204)


def _limit(limit: int | None) -> int:
    if limit is None:
        return _USUAL
    if limit < 1:
        raise BadInput("limit", "must be at least 1")
    return min(limit, _MOST)


def _summary(chat: Chat) -> schemas.ChatSummary:
    return schemas.ChatSummary(
        id=chat.chat_id, title=chat.title, last_message=chat.last_message, updated_at=chat.updated_at
    )


def _message(message: Message) -> schemas.ChatMessageEntry:
    return schemas.ChatMessageEntry(
        message_id=message.message_id,
        chat_id=message.chat_id,
        role=message.role,
        content=message.content,
        created_at=message.created_at,
        status=message.status,
        tool_calls=list(message.tool_calls),
        partial_tool_calls=list(message.partial_tool_calls),
        error=message.error,
        memories=list(message.memories),
    )
