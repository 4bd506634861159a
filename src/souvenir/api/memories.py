"""What is remembered about the caller: read, corrected, undone, judged, forgotten, and tried out."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.responses import Response

from souvenir.api import memory_schemas as schemas
from souvenir.api.callers import BEARER, TheCaller, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.api.schemas import Name
from souvenir.api.streaming import while_connected
from souvenir.app import Souvenir
from souvenir.errors import BadInput, NotFound
from souvenir.identity.caller import ORG_HEADER, Caller
from souvenir.memory.diff import differences
from souvenir.memory.formation import Decided
from souvenir.memory.lifetimes import expiry
from souvenir.memory.port import Candidate, Utterance
from souvenir.stores.memory_ports import Audit, Memory, MemoryFilter
from souvenir.types import JsonObject, SpaceId, org_space

router = APIRouter(
    prefix="/memories",
    tags=["memories"],
    route_class=CallerRoute,
    dependencies=[BEARER],
    responses=NATIVE_ERRORS | THING_ERRORS,
)


class _MemoryIdConvertor(StringConvertor):
    """Any segment but the names of the other routes here."""

    regex = "(?!(?:conflicts|extract|export|import)$)[^/]+"


register_url_convertor("memory", _MemoryIdConvertor())

ProjectId = Annotated[Name | None, Query(description="A project the caller belongs to, for that project's memories.")]
Org = Annotated[bool, Query(description="The memories of the org that `X-Org-Id` names.")]


def _space(caller: TheCaller, project_id: ProjectId = None, org: Org = False) -> SpaceId:
    if not org:
        return caller.scope(project_id).space
    if project_id is not None:
        raise BadInput("org", "give either project_id or org")
    return _org_space(caller)


def _org_space(caller: Caller) -> SpaceId:
    caller.require_user()
    if caller.org is None:
        raise BadInput("org", f"needs the header {ORG_HEADER}")
    return org_space(caller.org)


TheSpace = Annotated[SpaceId, Depends(_space)]

_USUAL = 20
_MOST = 100
_CONFLICTS = 100
_SHOWN = {"superseded", "expired", "deleted"}
_UNKNOWN = "there is no such memory"


@router.get("")
async def list_memories(
    souvenir: TheSouvenir,
    space: TheSpace,
    category: Annotated[schemas.Category | None, Query(description="Only of this category.")] = None,
    q: Annotated[str | None, Query(max_length=1000, description="Only those that contain this text.")] = None,
    include: Annotated[str | None, Query(description="Also `superseded`, `expired`, `deleted` ones; by comma.")] = None,
    cursor: Annotated[str | None, Query()] = None,
    limit: Annotated[int | None, Query(description="20 if not given; above 100 is 100.")] = None,
) -> schemas.MemoryList:
    """What is remembered, newest first."""
    if limit is not None and limit < 1:
        raise BadInput("limit", "must be at least 1")
    also = {name.strip() for name in (include or "").split(",") if name.strip()}
    if unknown := sorted(also - _SHOWN):
        raise BadInput("include", f"there is no {unknown[0][:40]!r}; there are: {', '.join(sorted(_SHOWN))}")
    before = souvenir.cursors.read_memories(space, cursor) if cursor is not None else None
    only = MemoryFilter(category, q or None, "superseded" in also, "expired" in also, "deleted" in also)
    page = await souvenir.memories.list(space, only, limit=min(limit or _USUAL, _MOST), before=before)
    following = souvenir.cursors.memories(space, page.items[-1].memory_id) if page.more else None
    return schemas.MemoryList(memories=[entry(memory) for memory in page.items], next_cursor=following)


@router.post("")
async def remember(body: schemas.RememberRequest, souvenir: TheSouvenir, caller: TheCaller) -> schemas.Remembered:
    """Remember a sentence, as it is; what it repeats or contradicts is found out."""
    now = souvenir.clock.now()
    if body.expires_at is not None and body.expires_at <= now:
        raise BadInput("expires_at", "is in the past")
    candidate = Candidate(
        content=" ".join(body.content.split()),
        category=body.category,
        importance=body.importance,
        confidence=body.confidence,
        reasoning="asked for",
        lifetime=body.lifetime,
        expires_at=body.expires_at or expiry(body.lifetime, now),
    )
    space = caller.scope(body.project_id).space
    decided = await souvenir.formation.remember(space, candidate, now, caller.require_user(), {})
    return _remembered(decided)


@router.post("/extract")
async def extract(
    body: schemas.ExtractRequest, request: Request, souvenir: TheSouvenir, caller: TheCaller
) -> schemas.Extracted:
    """What would be remembered of this, and why; nothing is stored."""
    return await while_connected(request, would_remember(body, souvenir, caller))


async def would_remember(body: schemas.ExtractRequest, souvenir: Souvenir, caller: Caller) -> schemas.Extracted:
    """The candidates of a text or a conversation, with what would become of each."""
    space = caller.scope(body.project_id).space
    at = body.created_at or souvenir.clock.now()
    if (body.text is None) == (body.messages is None):
        raise BadInput("text", "give either text or messages")
    spoken = [Utterance("user", body.text, at)] if body.text is not None else []
    spoken += [Utterance(message.role, message.content, at) for message in body.messages or ()]
    last = max((place for place, one in enumerate(spoken) if one.role == "user"), default=None)
    if last is None:
        raise BadInput("messages", "none of them is the user's")
    formed = await souvenir.formation.consider(space, spoken[last], spoken[:last])
    return schemas.Extracted(facts=[_extracted(one) for one in formed.decided], path=formed.path)


@router.get("/conflicts")
async def list_conflicts(souvenir: TheSouvenir, space: TheSpace) -> schemas.ConflictList:
    """Memories that contradict each other and wait for somebody to choose."""
    conflicts = await souvenir.memories.conflicts(space, limit=_CONFLICTS)
    sides = await souvenir.memories.get(space, [one for each in conflicts for one in (each.older, each.newer)])
    return schemas.ConflictList(
        conflicts=[
            schemas.ConflictEntry(
                conflict_id=each.conflict_id,
                older=entry(sides[each.older]),
                newer=entry(sides[each.newer]),
                reason=each.reason,
                opened_at=each.opened_at,
            )
            for each in conflicts
            if each.older in sides and each.newer in sides
        ]
    )


@router.post("/conflicts/{conflict_id}")
async def settle_conflict(
    conflict_id: str,
    body: schemas.SettleRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
) -> schemas.MemoryEntry:
    """Keep one side; the other is superseded by it."""
    return _there(await souvenir.memories.settle(space, conflict_id, body.keep, caller.require_user()))


@router.get("/{memory_id:memory}")
async def read_memory(memory_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.MemoryEntry:
    """One memory, whatever became of it."""
    found = await souvenir.memories.get(space, [memory_id])
    return _there(found.get(memory_id))


@router.patch("/{memory_id:memory}")
async def edit_memory(
    memory_id: str,
    body: schemas.EditRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
) -> schemas.MemoryEntry:
    """Correct a memory: a new version, verified, takes its place."""
    if body.content is None and body.category is None:
        raise BadInput("content", "give content or category")
    known = _there_memory((await souvenir.memories.get(space, [memory_id])).get(memory_id))
    content = " ".join((body.content or known.content).split())
    found_by = await souvenir.formation.found_by(content)
    edited = await souvenir.memories.edit(space, memory_id, content, caller.require_user(), found_by, body.category)
    return _there(edited)


@router.delete("/{memory_id:memory}", status_code=204, response_class=Response)
async def forget_memory(
    memory_id: str,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
    purge: Annotated[bool, Query(description="Remove it for good, with its history.")] = False,
) -> Response:
    """Forget a memory: it is no longer found, and stays in its history unless it is purged."""
    gone = (
        await souvenir.memories.purge(space, memory_id)
        if purge
        else await souvenir.memories.delete(space, memory_id, caller.require_user())
    )
    if not gone:
        raise NotFound(_UNKNOWN)
    return Response(status_code=204)


@router.get("/{memory_id:memory}/history")
async def read_history(memory_id: str, souvenir: TheSouvenir, space: TheSpace) -> schemas.MemoryHistory:
    """All versions of a memory, what changed from one to the next, and why."""
    versions, audit = await souvenir.memories.history(space, memory_id)
    if not versions:
        raise NotFound(_UNKNOWN)
    return schemas.MemoryHistory(versions=[entry(one) for one in versions], events=[_event(one) for one in audit])


@router.post("/{memory_id:memory}/undo")
async def undo(
    memory_id: str,
    body: schemas.UndoRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
) -> schemas.MemoryEntry:
    """Go back to an older version, which becomes the newest."""
    version = _there_memory((await souvenir.memories.get(space, [body.to])).get(body.to))
    found_by = await souvenir.formation.found_by(version.content)
    return _there(
        await souvenir.memories.undo(space, memory_id, body.to, caller.require_user(), found_by.vector, found_by.model)
    )


@router.post("/{memory_id:memory}/share")
async def share(
    memory_id: str,
    body: schemas.ShareRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
) -> schemas.MemoryEntry:
    """Copy a memory into a project or the org, where it lives a life of its own; again changes nothing."""
    if (body.project_id is None) != body.org:
        raise BadInput("project_id", "give either project_id or org")
    to = _org_space(caller) if body.org else caller.scope(body.project_id).space
    return _there(await souvenir.memories.share(space, memory_id, to, caller.require_user()))


@router.post("/{memory_id:memory}/feedback")
async def judge(
    memory_id: str,
    body: schemas.FeedbackRequest,
    souvenir: TheSouvenir,
    caller: TheCaller,
    space: TheSpace,
) -> schemas.MemoryEntry:
    """Say whether a memory is of use."""
    return _there(await souvenir.memories.feedback(space, memory_id, body.useful, caller.require_user()))


def entry(memory: Memory) -> schemas.MemoryEntry:
    """A memory as people see it."""
    return schemas.MemoryEntry(
        memory_id=memory.memory_id,
        content=memory.content,
        category=memory.category,
        importance=memory.importance,
        confidence=memory.confidence,
        reasoning=memory.reasoning,
        lifetime=memory.lifetime,
        expires_at=memory.expires_at,
        version=memory.version,
        superseded_by=memory.superseded_by,
        verified=memory.verified,
        path=memory.path,
        source=_source(memory.origin),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        deleted_at=memory.deleted_at,
        ups=memory.ups,
        downs=memory.downs,
        uses=memory.uses,
    )


def _source(origin: JsonObject | None) -> schemas.MemorySource | schemas.SharedSource | None:
    if not origin:
        return None
    if shared := origin.get("shared"):
        return schemas.SharedSource(memory_id=shared["memory_id"], shared_by=shared.get("by"))
    return schemas.MemorySource(chat_id=origin.get("chat_id"), message_id=origin.get("message_id"))


def _there_memory(memory: Memory | None) -> Memory:
    if memory is None:
        raise NotFound(_UNKNOWN)
    return memory


def _there(memory: Memory | None) -> schemas.MemoryEntry:
    return entry(_there_memory(memory))


def _remembered(decided: Decided) -> schemas.Remembered:
    action: Literal["add", "replace", "ignore"] = "ignore" if decided.action == "reject" else decided.action
    memory = entry(decided.memory) if decided.memory is not None else None
    return schemas.Remembered(action=action, target_id=decided.target, reason=decided.reason, memory=memory)


def _extracted(decided: Decided) -> schemas.ExtractedEntry:
    candidate = decided.candidate
    return schemas.ExtractedEntry(
        content=candidate.content,
        category=candidate.category,
        importance=candidate.importance,
        confidence=candidate.confidence,
        reasoning=candidate.reasoning,
        lifetime=candidate.lifetime,
        expires_at=candidate.expires_at,
        action=decided.action,
        target_id=decided.target,
        reason=decided.reason,
    )


def _event(audit: Audit) -> schemas.HistoryEvent:
    parts = differences(audit.old or "", audit.new or "") if audit.old is not None and audit.new is not None else ()
    return schemas.HistoryEvent(
        event=audit.event,
        memory_id=audit.memory_id,
        old=audit.old,
        new=audit.new,
        diff=[schemas.DiffPart(kind=part.kind, text=part.text) for part in parts],
        reason=audit.reason,
        by=audit.by,
        at=audit.at,
    )
