"""A source's folder to look around in, read only."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from souvenir.api import source_schemas as schemas
from souvenir.api.callers import BEARER, TheSouvenir
from souvenir.api.documented import NATIVE_ERRORS, THING_ERRORS
from souvenir.api.requests import CallerRoute
from souvenir.api.sources import TheSpace
from souvenir.errors import BadInput
from souvenir.files.tree import list_tree, read_file

router = APIRouter(
    prefix="/filetree",
    tags=["sources"],
    route_class=CallerRoute,
    dependencies=[BEARER],
    responses=NATIVE_ERRORS | THING_ERRORS,
)

_USUAL_ENTRIES, _MOST_ENTRIES = 200, 2000
_MOST_DEPTH = 10
_USUAL_BYTES, _MOST_BYTES = 256 * 2**10, 4 * 2**20


@router.get("/{source_id}")
async def list_folder(
    source_id: str,
    souvenir: TheSouvenir,
    space: TheSpace,
    path: Annotated[str, Query(description="A folder below the source's; empty: that itself.")] = "",
    depth: Annotated[int, Query(description="How many levels; above 10 is 10.")] = 1,
    limit: Annotated[int | None, Query(description="Most entries: 200 if not given; above 2000 is 2000.")] = None,
) -> schemas.Tree:
    """What is in a folder. A path that leads out is 400, a missing one 404, one that may not be read 403."""
    _at_least_one("depth", depth)
    _at_least_one("limit", limit)
    root = await souvenir.sources.root(space, source_id)
    entries, truncated = await asyncio.to_thread(
        list_tree,
        root,
        path,
        depth=min(depth, _MOST_DEPTH),
        limit=min(limit or _USUAL_ENTRIES, _MOST_ENTRIES),
    )
    return schemas.Tree(
        entries=[
            schemas.TreeEntry(path=one.path, kind=one.kind, size=one.size, modified_at=one.modified_at)
            for one in entries
        ],
        truncated=truncated,
    )


@router.get("/{source_id}/file")
async def show_file(
    source_id: str,
    souvenir: TheSouvenir,
    space: TheSpace,
    path: Annotated[str, Query(min_length=1, description="A file below the source's folder.")],
    limit: Annotated[int | None, Query(description="Most bytes: 256 KiB if not given; above 4 MiB is 4 MiB.")] = None,
) -> schemas.FileContent:
    """A file's text, or that it is binary. The positions of search hits in text files are characters of this text."""
    _at_least_one("limit", limit)
    root = await souvenir.sources.root(space, source_id)
    content = await asyncio.to_thread(read_file, root, path, limit=min(limit or _USUAL_BYTES, _MOST_BYTES))
    return schemas.FileContent(
        path=path, size=content.size, binary=content.text is None, text=content.text, truncated=content.truncated
    )


def _at_least_one(field: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise BadInput(field, "must be at least 1")
