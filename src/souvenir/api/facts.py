"""Exact facts: stored, read, removed and listed by topic. What is said in a chat the turn stores by itself."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from souvenir.api import fact_schemas as schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.api.schemas import ChatId, Name
from souvenir.errors import NotFound
from souvenir.stores.fact_ports import Fact, FactTopic

router = APIRouter(
    prefix="/facts",
    tags=["facts"],
    route_class=CallerRoute,
    dependencies=[BEARER],
    responses=NATIVE_ERRORS | THING_ERRORS,
)

Topic = Annotated[
    str, Query(min_length=1, max_length=200, description="Any words: `favorite_colors`, `fav colours`, `colors`.")
]
OneChat = Annotated[ChatId | None, Query(description="Of this chat alone; if not given, what was said last in any.")]
ProjectId = Annotated[Name | None, Query(description="A project the caller belongs to, for that project's facts.")]

_USUAL = 100
_MOST = 1000


@router.post("/store")
async def store_fact(body: schemas.StoreRequest, souvenir: TheSouvenir, caller: TheCaller) -> schemas.Stored:
    """Store a fact at its rank, or a single one; a newer one replaces it, an older one changes nothing."""
    fact, stored = await souvenir.facts.put(
        caller.scope(body.project_id).space,
        body.topic,
        body.value,
        kind=body.kind,
        rank=body.rank,
        chat_id=body.chat_id,
        message_id=body.source_message_id,
        at=body.created_at,
    )
    return schemas.Stored(stored=stored, fact=entry(fact))


@router.get("/get")
async def get_facts(
    topic: Topic, souvenir: TheSouvenir, caller: TheCaller, chat_id: OneChat = None, project_id: ProjectId = None
) -> schemas.FactList:
    """The facts of a topic by rank, a single one before them."""
    found = await souvenir.facts.get(caller.scope(project_id).space, topic, chat_id=chat_id)
    return schemas.FactList(facts=[entry(fact) for fact in found])


@router.get("/get-by-rank")
async def get_fact_by_rank(
    topic: Topic,
    rank: Annotated[int, Query(ge=1, le=10_000)],
    souvenir: TheSouvenir,
    caller: TheCaller,
    chat_id: OneChat = None,
    project_id: ProjectId = None,
) -> schemas.FactList:
    """The one fact at a rank; none when there is none."""
    found = await souvenir.facts.get(caller.scope(project_id).space, topic, chat_id=chat_id, rank=rank)
    return schemas.FactList(facts=[entry(fact) for fact in found])


@router.get("/topics")
async def list_topics(
    souvenir: TheSouvenir,
    caller: TheCaller,
    chat_id: Annotated[ChatId | None, Query(description="Of this chat alone.")] = None,
    project_id: ProjectId = None,
    limit: Annotated[int, Query(ge=1, description="Above 1,000 is 1,000.")] = _USUAL,
) -> schemas.TopicList:
    """Topics that have facts, by chat, the one last said first."""
    space = caller.scope(project_id).space
    found = await souvenir.facts.topics(space, limit=min(limit, _MOST), chat_id=chat_id)
    return schemas.TopicList(topics=[topic_entry(topic) for topic in found])


@router.delete("", status_code=204, response_class=Response)
async def remove_facts(
    topic: Topic,
    souvenir: TheSouvenir,
    caller: TheCaller,
    rank: Annotated[
        int | None, Query(ge=1, le=10_000, description="This one alone; what stands behind it moves up.")
    ] = None,
    chat_id: Annotated[ChatId | None, Query(description="Of this chat alone; if not given, of all.")] = None,
    project_id: ProjectId = None,
) -> Response:
    """Remove a topic's facts, or the one at a rank of what `/facts/get` shows."""
    if not await souvenir.facts.remove(caller.scope(project_id).space, topic, chat_id=chat_id, rank=rank):
        raise NotFound("there is no such fact")
    return Response(status_code=204)


def entry(fact: Fact) -> schemas.FactEntry:
    """A fact as people see it."""
    return schemas.FactEntry(
        topic_key=fact.topic_key,
        kind=fact.kind,
        rank=fact.rank,
        value=fact.value,
        chat_id=fact.chat_id,
        source_message_id=fact.source_message_id,
        created_at=fact.created_at,
    )


def topic_entry(topic: FactTopic) -> schemas.TopicEntry:
    """A topic as people see it."""
    return schemas.TopicEntry(
        topic_key=topic.topic_key,
        chat_id=topic.chat_id,
        ranked=topic.ranked,
        single=topic.single,
        updated_at=topic.said_at,
    )
