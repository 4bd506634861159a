"""`souvenir memories`: what is remembered about a user, read, corrected, shared, judged and forgotten."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Literal, TypeVar

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from souvenir.api import memories as routes
from souvenir.api import memory_schemas as schemas
from souvenir.app import Souvenir, open_souvenir
from souvenir.cli import memory_archive
from souvenir.cli.callers import Project, User, operator_for
from souvenir.cli.run import Json, checked, plain, print_json, run
from souvenir.config import Settings
from souvenir.errors import BadInput, NotFound
from souvenir.identity.caller import Caller
from souvenir.types import SpaceId

T = TypeVar("T")

app = typer.Typer(help="Memories: what is remembered about a user.", no_args_is_help=True)

MemoryId = Annotated[str, typer.Argument(help="The memory's id, as `memories list` shows it.")]

_PAGE = 100
_STYLES = {"same": "", "added": "green", "removed": "red strike"}


@app.command("list")
def list_memories(
    user: User = None,
    project: Project = None,
    containing: Annotated[str | None, typer.Option(help="Only those that contain this text.")] = None,
    category: Annotated[schemas.Category | None, typer.Option(help="Only of this category.")] = None,
    include: Annotated[str | None, typer.Option(help="Also superseded, expired, deleted ones; by comma.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Most memories.")] = 100,
    as_json: Json = False,
) -> None:
    """List memories, newest first."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> list[schemas.MemoryEntry]:
        found: list[schemas.MemoryEntry] = []
        cursor: str | None = None
        while len(found) < limit:
            most = min(_PAGE, limit - len(found))
            page = await routes.list_memories(souvenir, space, category, containing, include, cursor, most)
            found += page.memories
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    found = _run(user, project, work)
    if as_json:
        print_json([memory.model_dump(mode="json") for memory in found])
        return
    _show(found)


@app.command("add")
def add(
    content: Annotated[str, typer.Argument(help="One sentence, such as “User prefers TypeScript”.")],
    user: User = None,
    project: Project = None,
    category: Annotated[schemas.Category, typer.Option(help="What it is about.")] = "context",
    importance: Annotated[int, typer.Option(min=1, max=10, help="How much it matters.")] = 9,
    lifetime: Annotated[schemas.Lifetime, typer.Option(help="How long it lasts.")] = "preference",
    as_json: Json = False,
) -> None:
    """Remember a sentence; what it repeats or contradicts is found out."""
    given = {"content": content, "category": category, "importance": importance, "lifetime": lifetime}
    body = checked(schemas.RememberRequest, given | {"project_id": project})

    async def work(souvenir: Souvenir, caller: Caller, _: SpaceId) -> schemas.Remembered:
        return await routes.remember(body, souvenir, caller)

    remembered = _run(user, project, work)
    if as_json:
        print_json(remembered.model_dump(mode="json"))
        return
    told = {"add": "Remembered", "replace": f"Remembered in place of {remembered.target_id}", "ignore": "Known already"}
    typer.echo(f"{told[remembered.action]}{f': {remembered.reason}' if remembered.reason else ''}.")
    _show([remembered.memory] if remembered.memory is not None else [])


@app.command("show")
def show(memory_id: MemoryId, user: User = None, project: Project = None, as_json: Json = False) -> None:
    """Show all that is known of one memory."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> schemas.MemoryEntry:
        return await routes.read_memory(memory_id, souvenir, space)

    memory = _run(user, project, work)
    if as_json:
        print_json(memory.model_dump(mode="json"))
        return
    table = Table(Column(style="bold"), "", box=None, show_header=False)
    for name, value in memory.model_dump(mode="json").items():
        if value is not None:
            table.add_row(name.replace("_", " "), Text(plain(str(value))))
    Console().print(table)


@app.command("edit")
def edit(
    memory_id: MemoryId,
    content: Annotated[str | None, typer.Argument(help="What it shall say; as it is if not given.")] = None,
    category: Annotated[schemas.Category | None, typer.Option(help="Another category.")] = None,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Correct a memory: a new version, verified, takes its place."""
    body = checked(schemas.EditRequest, {"content": content, "category": category})

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.MemoryEntry:
        return await routes.edit_memory(memory_id, body, souvenir, caller, space)

    _tell(_run(user, project, work), "Corrected", as_json=as_json)


@app.command("forget")
def forget(
    memory_id: MemoryId,
    purge: Annotated[bool, typer.Option("--purge", help="Remove it for good, with its history.")] = False,
    user: User = None,
    project: Project = None,
) -> None:
    """Forget a memory: it is no longer found, and stays in its history unless it is purged."""

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> None:
        await routes.forget_memory(memory_id, souvenir, caller, space, purge=purge)

    _run(user, project, work)
    typer.echo("Removed for good." if purge else f"Forgotten. Bring it back with: souvenir memories undo {memory_id}")


@app.command("undo")
def undo(
    memory_id: MemoryId,
    to: Annotated[
        int | None, typer.Option(help="The version to go back to; the one before the newest if unset.")
    ] = None,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Go back to an older version, which becomes the newest; what was forgotten comes back."""

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.MemoryEntry:
        history = await routes.read_history(memory_id, souvenir, space)
        body = schemas.UndoRequest(to=_version(history.versions, to))
        return await routes.undo(memory_id, body, souvenir, caller, space)

    _tell(_run(user, project, work), "Back", as_json=as_json)


@app.command("history")
def history(memory_id: MemoryId, user: User = None, project: Project = None, as_json: Json = False) -> None:
    """Show a memory's versions and what happened to them, word by word."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> schemas.MemoryHistory:
        return await routes.read_history(memory_id, souvenir, space)

    told = _run(user, project, work)
    if as_json:
        print_json(told.model_dump(mode="json"))
        return
    console = Console()
    _show(told.versions)
    console.print()
    table = Table("when", "what", "by", "why", "words", box=None)
    for event in told.events:
        words = Text.assemble(*((plain(part.text), _STYLES[part.kind]) for part in event.diff))
        if not event.diff:
            words = Text(plain(event.new or event.old or ""))
        when = f"{event.at:%Y-%m-%d %H:%M}"
        table.add_row(when, event.event, Text(plain(event.by)), Text(plain(event.reason)), words)
    console.print(table)


@app.command("share")
def share(
    memory_id: MemoryId,
    to_project: Annotated[str | None, typer.Option(help="The project to share it with.")] = None,
    to_org: Annotated[str | None, typer.Option(help="The org to share it with.")] = None,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Copy a memory into a project or an org, where it lives a life of its own."""
    body = checked(schemas.ShareRequest, {"project_id": to_project, "org": to_org is not None})

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.MemoryEntry:
        sharing = Caller(caller.user_id, orgs=None, projects=None, org=to_org)
        return await routes.share(memory_id, body, souvenir, sharing, space)

    _tell(_run(user, project, work), "Shared", as_json=as_json)


@app.command("conflicts")
def conflicts(
    settle: Annotated[str | None, typer.Option(help="The conflict to settle, by its id.")] = None,
    keep: Annotated[str | None, typer.Option(help="The memory of it that is right.")] = None,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """List memories that contradict each other, or settle one such conflict."""
    if (settle is None) != (keep is None):
        raise BadInput("--settle", "and --keep come together")

    async def decide(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.MemoryEntry:
        return await routes.settle_conflict(
            settle or "", schemas.SettleRequest(keep=keep or ""), souvenir, caller, space
        )

    async def read(souvenir: Souvenir, _: Caller, space: SpaceId) -> schemas.ConflictList:
        return await routes.list_conflicts(souvenir, space)

    if settle is not None:
        _tell(_run(user, project, decide), "Kept", as_json=as_json)
        return
    listed = _run(user, project, read)
    if as_json:
        print_json(listed.model_dump(mode="json"))
        return
    table = Table("conflict", "memory", "says", "since", box=None)
    for one in listed.conflicts:
        for side in (one.older, one.newer):
            table.add_row(one.conflict_id, side.memory_id, Text(plain(side.content)), f"{side.created_at:%Y-%m-%d}")
    Console().print(table if listed.conflicts else "No memory contradicts another.")


@app.command("extract")
def extract(
    text: Annotated[str, typer.Argument(help="What a user might say.")],
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Show what would be remembered of a text, and why; nothing is stored."""
    body = checked(schemas.ExtractRequest, {"text": text, "project_id": project})

    async def work(souvenir: Souvenir, caller: Caller, _: SpaceId) -> schemas.Extracted:
        return await routes.would_remember(body, souvenir, caller)

    found = _run(user, project, work)
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    table = Table("", "sentence", "category", "importance", "confidence", "why", box=None)
    for fact in found.facts:
        figures = (str(fact.importance), f"{fact.confidence:.2f}")
        table.add_row(fact.action, Text(plain(fact.content)), fact.category, *figures, Text(plain(fact.reason)))
    Console().print(table if found.facts else "Nothing would be remembered.")


@app.command("feedback")
def feedback(
    memory_id: MemoryId,
    thumb: Annotated[Literal["up", "down"], typer.Argument(help="Whether it is of use.")],
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Say whether a memory is of use."""
    body = schemas.FeedbackRequest(useful=thumb == "up")

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.MemoryEntry:
        return await routes.judge(memory_id, body, souvenir, caller, space)

    judged = _run(user, project, work)
    _tell(judged, f"{judged.ups} up, {judged.downs} down", as_json=as_json)


app.command("export")(memory_archive.export)
app.command("import")(memory_archive.import_)
app.command("erase")(memory_archive.erase)


def _run(user: str | None, project: str | None, work: Callable[[Souvenir, Caller, SpaceId], Awaitable[T]]) -> T:
    async def opened(settings: Settings) -> T:
        caller = operator_for(user, settings)
        space = caller.scope(project).space
        async with open_souvenir(settings) as souvenir:
            return await work(souvenir, caller, space)

    return run(opened)


def _version(versions: Sequence[schemas.MemoryEntry], wanted: int | None) -> str:
    """The id of a version. With none named: what was forgotten itself, else the one before the newest."""
    newest = versions[-1]
    number = wanted if wanted is not None else newest.version - (newest.deleted_at is None)
    for one in versions:
        if one.version == number:
            return one.memory_id
    there = ", ".join(str(one.version) for one in versions)
    raise NotFound(f"there is no version {number}; there are: {there}")


def _tell(memory: schemas.MemoryEntry, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(memory.model_dump(mode="json"))
        return
    typer.echo(f"{done}.")
    _show([memory])


def _show(memories: Sequence[schemas.MemoryEntry]) -> None:
    table = Table(Column("id", no_wrap=True), "v", "category", "!", "since", "state", "says", box=None)
    for memory in memories:
        table.add_row(
            memory.memory_id,
            str(memory.version),
            memory.category,
            str(memory.importance),
            f"{memory.created_at:%Y-%m-%d}",
            _state(memory),
            # as text: what people write is neither markup nor control codes here
            Text(plain(memory.content)),
        )
    Console().print(table if memories else "Nothing is remembered.")


def _state(memory: schemas.MemoryEntry) -> str:
    if memory.superseded_by is not None:
        return "replaced"
    if memory.deleted_at is not None:
        return "forgotten"
    return f"until {memory.expires_at:%Y-%m-%d}" if memory.expires_at is not None else "stands"
