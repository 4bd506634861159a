"""Watches the folders of sources, and queues the indexing of what changed, a moment after it has."""

import asyncio
import contextlib
from collections.abc import Iterable
from pathlib import Path

import structlog
import watchfiles

from souvenir.errors import NotFound, SouvenirError
from souvenir.files.names import allowed_root, unwritten, written
from souvenir.files.sources import MOST_PLACES, Sources
from souvenir.stores.source_ports import Source, SourceStore
from souvenir.types import SpaceId

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 2.0
_AGAIN_SECONDS = 30.0
_LOST = "\N{REPLACEMENT CHARACTER}"


class Watching:
    """Watches every watched source of the database, those that are added while it runs too."""

    def __init__(self, store: SourceStore, sources: Sources, roots: tuple[Path, ...], debounce_ms: int) -> None:
        self._store = store
        self._sources = sources
        self._roots = roots
        self._debounce_ms = debounce_ms

    async def run(self) -> None:
        """Watch until cancelled. A folder that cannot be watched is tried again, and others go on."""
        tasks: dict[tuple[SpaceId, str], asyncio.Task[None]] = {}
        try:
            while True:
                await self._bring_up_to_date(tasks)
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _bring_up_to_date(self, tasks: dict[tuple[SpaceId, str], asyncio.Task[None]]) -> None:
        try:
            wanted = {(space, source.source_id): source for space, source in await self._store.watched()}
        except SouvenirError as error:
            log.warning("sources to watch could not be read", error=str(error))
            return
        for key in [key for key in tasks if key not in wanted]:
            tasks.pop(key).cancel()
        for key, source in wanted.items():
            if key not in tasks:
                tasks[key] = asyncio.create_task(self._watch(key[0], source))

    async def _watch(self, space: SpaceId, source: Source) -> None:
        while True:
            try:
                await self._follow(space, source)
            except NotFound:
                return
            except Exception as error:  # noqa: BLE001 - one folder's trouble is not that of others
                log.warning("a source cannot be watched; trying again", source=source.source_id, reason=str(error))
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _follow(self, space: SpaceId, source: Source) -> None:
        root = allowed_root(unwritten(source.root), self._roots)
        following = watchfiles.awatch(
            root,
            watch_filter=None,
            debounce=max(self._debounce_ms, 1),
            step=max(self._debounce_ms // 4, 1),
            rust_timeout=1000,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        looked_over = False
        async with contextlib.aclosing(following) as batches:
            async for changes in batches:
                if not looked_over:
                    # now that nothing escapes us: what changed while nobody watched
                    await self._sources.start(space, source.source_id)
                    looked_over = True
                elif changes:
                    await self._sources.start(
                        space, source.source_id, paths=_places(root, (path for _, path in changes))
                    )


def _places(root: Path, paths: Iterable[str]) -> list[str] | None:
    """Where something changed, as a job takes it; None is everywhere."""
    places: set[str] = set()
    for path in paths:
        try:
            parts = Path(path).relative_to(root).parts
        except ValueError:
            return None
        # of a name that is not UTF-8 only the folder is told
        known = [*parts]
        while any(_LOST in part for part in known):
            known.pop()
        if not known:
            return None
        places.add(written("/".join(known)))
    return sorted(places) if len(places) <= MOST_PLACES else None
