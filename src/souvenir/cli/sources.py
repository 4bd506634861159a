"""`souvenir sources`: folders whose files are found, added, looked at, indexed again and removed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from souvenir.api import source_schemas as schemas
from souvenir.api import sources as routes
from souvenir.app import Souvenir, open_souvenir
from souvenir.cli.callers import Project, User, operator_for
from souvenir.cli.progress import showing_progress
from souvenir.cli.run import Json, checked, plain, print_json, run
from souvenir.config import Settings
from souvenir.errors import SouvenirError
from souvenir.files.names import written
from souvenir.identity.caller import Caller
from souvenir.types import SpaceId

T = TypeVar("T")

app = typer.Typer(help="Sources: folders whose files are found.", no_args_is_help=True)

SourceId = Annotated[str, typer.Argument(help="The source's id, as `sources list` shows it.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Leave the indexing to a running server or worker.")]

_LOOK_SECONDS = 0.3
_FAILED_SHOWN = 20


@app.command("add")
def add(
    folder: Annotated[Path, typer.Argument(help="A folder in one of SOUVENIR_SOURCE_ROOTS.")],
    include: Annotated[
        list[str] | None, typer.Option(help="Only files like this, as in .gitignore; repeatable.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No files or folders like this; repeatable.")] = None,
    watch: Annotated[bool, typer.Option(help="Let a running server index changes as they happen.")] = True,
    no_wait: NoWait = False,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Add a folder and index it."""
    path = written(str(folder.expanduser().absolute()))
    given = {"path": path, "include": include or [], "exclude": exclude or None, "watch": watch, "project_id": project}
    body = checked(schemas.AddSource, given)

    async def work(souvenir: Souvenir, caller: Caller, space: SpaceId) -> schemas.SourceEntry:
        added = await routes.add_source(body, souvenir, caller)
        return await _indexed(souvenir, space, added.source_id, wait=not no_wait, silent=as_json)

    _tell(_run(user, project, work), as_json=as_json)


@app.command("list")
def list_sources(user: User = None, project: Project = None, as_json: Json = False) -> None:
    """List sources, oldest first."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> schemas.SourceList:
        return await routes.list_sources(souvenir, space)

    listed = _run(user, project, work)
    if as_json:
        print_json(listed.model_dump(mode="json")["sources"])
        return
    table = Table(Column("id", no_wrap=True), "folder", "files", "chunks", "failed", "state", box=None)
    for source in listed.sources:
        figures = source.statistics
        state = source.job.state if source.job is not None else ""
        counts = (str(figures.files), str(figures.chunks), str(figures.failed))
        table.add_row(source.source_id, Text(plain(source.path)), *counts, state)
    Console().print(table if listed.sources else "No sources. Add one with: souvenir sources add FOLDER")


@app.command("status")
def status(source_id: SourceId, user: User = None, project: Project = None, as_json: Json = False) -> None:
    """Show one source: its figures, its newest job, and why files failed."""

    async def work(
        souvenir: Souvenir, _: Caller, space: SpaceId
    ) -> tuple[schemas.SourceEntry, list[schemas.SourceFile]]:
        failed = await routes.list_files(source_id, souvenir, space, "failed", "", _FAILED_SHOWN)
        return await routes.read_source(source_id, souvenir, space), failed.files

    source, failed = _run(user, project, work)
    if as_json:
        print_json({**source.model_dump(mode="json"), "failed": [one.model_dump(mode="json") for one in failed]})
        return
    _tell(source, as_json=False)
    for one in failed:
        typer.echo(f"  {plain(one.path)}: {plain(one.error or '')}")


@app.command("reindex")
def reindex(
    source_id: SourceId,
    full: Annotated[bool, typer.Option("--full", help="Read every file anew, unchanged ones too.")] = False,
    no_wait: NoWait = False,
    user: User = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Go over a source again; unchanged files are skipped."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> schemas.SourceEntry:
        await routes.reindex(source_id, souvenir, space, schemas.Reindex(full=full))
        return await _indexed(souvenir, space, source_id, wait=not no_wait, silent=as_json)

    _tell(_run(user, project, work), as_json=as_json)


@app.command("remove")
def remove(source_id: SourceId, user: User = None, project: Project = None) -> None:
    """Forget a source and all that was found in it; the files stay where they are."""

    async def work(souvenir: Souvenir, _: Caller, space: SpaceId) -> None:
        await routes.remove_source(source_id, souvenir, space)

    _run(user, project, work)
    typer.echo("Removed. The files are where they were.")


async def _indexed(
    souvenir: Souvenir, space: SpaceId, source_id: str, *, wait: bool, silent: bool
) -> schemas.SourceEntry:
    """The source when its jobs are done, by this process unless another one takes them."""
    if not wait:
        return await routes.read_source(source_id, souvenir, space)
    working = asyncio.create_task(souvenir.jobs.work())
    try:
        with showing_progress("files", None, silent=silent) as advance:
            shown = 0
            while True:
                source = await routes.read_source(source_id, souvenir, space)
                found = source.job.found if source.job is not None else 0
                if found > shown:
                    advance(found - shown)
                    shown = found
                if source.job is None or source.job.state not in {"queued", "running"}:
                    return source
                await asyncio.sleep(_LOOK_SECONDS)
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def _run(user: str | None, project: str | None, work: Callable[[Souvenir, Caller, SpaceId], Awaitable[T]]) -> T:
    async def opened(settings: Settings) -> T:
        caller = operator_for(user, settings)
        space = caller.scope(project).space
        async with open_souvenir(settings) as souvenir:
            return await work(souvenir, caller, space)

    return run(opened)


def _tell(source: schemas.SourceEntry, *, as_json: bool) -> None:
    if as_json:
        print_json(source.model_dump(mode="json"))
    else:
        figures = source.statistics
        typer.echo(f"{source.source_id}  {plain(source.path)}")
        typer.echo(
            f"{figures.files} files: {figures.indexed} indexed in {figures.chunks} chunks,"
            f" {figures.skipped} skipped, {figures.failed} failed"
        )
        if source.job is not None:
            rate = f", {source.job.chunks_per_second:g} chunks/s" if source.job.chunks_per_second else ""
            typer.echo(f"Newest job: {source.job.state}, {source.job.unchanged} unchanged{rate}")
    if source.job is not None and source.job.state == "failed":
        raise SouvenirError(f"indexing failed: {source.job.error}")
