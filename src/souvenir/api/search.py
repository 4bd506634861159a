"""Finding what was said, and storing messages so that they are found: `/search`, `/index-chat-message(s)`."""

from collections.abc import Sequence

from fastapi import APIRouter, Request

from souvenir.api import schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.api.streaming import while_connected
from souvenir.app import Souvenir
from souvenir.chat.indexing import Indexed, Said
from souvenir.errors import BadInput, TooLarge
from souvenir.identity.caller import Caller
from souvenir.llm.recalled import citation
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.search import Found, Hit
from souvenir.types import SpaceId

router = APIRouter(tags=["search"], route_class=CallerRoute, dependencies=[BEARER], responses=NATIVE_ERRORS)

QUERY_CHARS = 100_000
MOST_MESSAGES = 1000

_OF_FILES = ("source_id", "path", "heading", "page", "symbol")
_USUAL = 10
_MOST = 100


@router.post("/search")
async def search(
    body: schemas.SearchRequest, request: Request, souvenir: TheSouvenir, caller: TheCaller
) -> schemas.SearchAnswer:
    """What answers a query, best first, with a score, an origin and a citation for each hit."""
    spaces = spaces_of(caller, body.project_id, body.spaces)
    if len(body.query) > QUERY_CHARS:
        raise TooLarge(f"query: is over {QUERY_CHARS} characters, the most this server takes")
    limit = min(body.limit or _USUAL, _MOST)
    looking = souvenir.search.search(spaces, body.query, filter_of(body), limit=limit, threshold=body.threshold)
    return answer_of(await while_connected(request, looking))


@router.post("/index-chat-message")
async def index_message(body: schemas.SaidMessage, souvenir: TheSouvenir, caller: TheCaller) -> schemas.StoredMessage:
    """Store a message of a chat; it can be found as soon as this answers."""
    (stored,) = await store_messages(souvenir, caller, [body])
    return _stored(stored)


@router.post("/index-chat-messages")
async def index_messages(
    body: schemas.SaidMessages, souvenir: TheSouvenir, caller: TheCaller
) -> schemas.StoredMessages:
    """Store up to 1,000 messages of any chats, all or none."""
    if len(body.messages) > MOST_MESSAGES:
        raise TooLarge(f"messages: are over {MOST_MESSAGES}, the most this server takes at once")
    stored = await store_messages(souvenir, caller, body.messages, body.project_id, field="messages[{}].")
    return schemas.StoredMessages(messages=[_stored(one) for one in stored])


def spaces_of(caller: Caller, project: str | None, named: Sequence[str] | None = None) -> tuple[SpaceId, ...]:
    """The spaces a search looks at: a project alone, or the user's own and the org's, unless it names others.

    Raises Forbidden for a project the caller does not belong to, and BadInput for a space that this request lacks.
    """
    readable = {space.partition(":")[0]: space for space in caller.scope(project).readable}
    usual = ("project",) if project is not None else ("user", "org") if caller.org is not None else ("user",)
    wanted = dict.fromkeys(usual if named is None else named)
    for name, missing in (("project", "a project_id"), ("org", "the header X-Org-Id")):
        if name in wanted and name not in readable:
            raise BadInput("spaces", f"{name!r} needs {missing}")
    return tuple(readable[name] for name in wanted)


def filter_of(body: schemas.SearchRequest) -> Filter:
    """What the search is narrowed to. Raises BadInput for a period that ends before it begins."""
    if body.since is not None and body.until is not None and body.since >= body.until:
        raise BadInput("since", "must be before until")
    return Filter(
        kinds=frozenset(body.kinds or ()),
        tags_any=frozenset(body.tags or ()),
        tags_all=frozenset(body.all_tags or ()),
        categories=frozenset(body.categories or ()),
        chat_id=body.chat_id,
        since=body.since,
        until=body.until,
        as_of=body.as_of,
    )


def answer_of(found: Found) -> schemas.SearchAnswer:
    """The hits as clients see them, cited by their place."""
    hits = [_hit(hit, citation(place)) for place, hit in enumerate(found.hits, start=1)]
    return schemas.SearchAnswer(hits=hits, degraded=found.degraded)


async def store_messages(
    souvenir: Souvenir,
    caller: Caller,
    messages: Sequence[schemas.SaidMessage],
    project: str | None = None,
    field: str = "",
) -> list[Indexed]:
    """Store messages, all or none, each in its project's space, else `project`'s, else the caller's own.

    Raises Forbidden and TooLarge before anything is stored; `field` says how a message is named in that.
    """
    most = souvenir.settings.max_message_chars
    by_space: dict[SpaceId, list[int]] = {}
    for place, message in enumerate(messages):
        if len(message.content) > most:
            raise TooLarge(f"{field.format(place)}content: is over {most} characters, the most this server takes")
        space = caller.scope(message.project_id if message.project_id is not None else project).space
        by_space.setdefault(space, []).append(place)
    stored: dict[int, Indexed] = {}

    async def store(space: SpaceId) -> None:
        places = by_space[space]
        indexed = await souvenir.indexing.index(space, [_said(messages[place]) for place in places])
        stored.update(zip(places, indexed, strict=True))

    if len(by_space) == 1:
        await store(*by_space)
    else:
        async with souvenir.database.transaction():
            # in one order everywhere, so that two calls with the same spaces do not wait for each other crosswise
            for space in sorted(by_space):
                await store(space)
    return [stored[place] for place in range(len(messages))]


def _said(message: schemas.SaidMessage) -> Said:
    return Said(
        chat_id=message.chat_id,
        role=message.role,
        content=message.content,
        speaker=message.speaker,
        created_at=message.created_at,
        external_id=message.external_id,
        learn=message.learn,
    )


def _stored(indexed: Indexed) -> schemas.StoredMessage:
    return schemas.StoredMessage(message_id=indexed.message_id, external_id=indexed.external_id)


def _hit(hit: Hit, cited: str) -> schemas.SearchHit:
    passage = hit.passage
    return schemas.SearchHit(
        score=hit.score,
        text=passage.text,
        kind=passage.kind,
        message_id=passage.message_id,
        external_id=passage.origin.get("external_id"),
        created_at=passage.at,
        speaker=passage.speaker,
        role=passage.role,
        tags=list(passage.tags),
        source=schemas.Source(
            chat_id=passage.chat_id,
            message_id=passage.message_id,
            start=passage.start,
            end=passage.end,
            **{name: passage.origin.get(name) for name in _OF_FILES if passage.kind == "chunk"},
        ),
        citation=cited,
    )
