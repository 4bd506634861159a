"""`souvenir reembed`: give every passage a vector of the configured model."""

import typer

from souvenir.app import check_dimension, create_embedder
from souvenir.cli.progress import showing_progress
from souvenir.cli.run import Json, print_json, run
from souvenir.config import Settings
from souvenir.retrieval.embedding import embed_missing
from souvenir.storage import open_storage


def reembed(as_json: Json = False) -> None:
    """Embed what has no vector of the configured model yet. Search goes on meanwhile; stop and go on at any time."""
    done = 0

    async def work(settings: Settings) -> str:
        nonlocal done
        async with open_storage(settings) as storage:
            embedder = create_embedder(settings, storage.metrics)
            try:
                await embedder.start()
                await check_dimension(embedder, storage)
                missing, _ = await storage.passages.count_unembedded(embedder.model)
                with showing_progress(f"embedding with {embedder.model}", missing, silent=as_json) as advance:
                    async for progress in embed_missing(storage.passages, embedder):
                        advance(progress.done - done)
                        done = progress.done
            finally:
                await embedder.aclose()
            return embedder.model

    try:
        model = run(work)
    except KeyboardInterrupt:
        typer.echo(f"Stopped after {done} passages. Run it again to go on.", err=True)
        raise
    if as_json:
        print_json({"model": model, "embedded": done})
    else:
        typer.echo(f"{done} passages embedded with {model}; all have its vectors now.")
