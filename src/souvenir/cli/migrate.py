"""`souvenir migrate`: bring the schema up to date and say so."""

import typer

from souvenir.cli.run import run
from souvenir.config import Settings
from souvenir.storage import open_storage


def migrate() -> None:
    """Bring the database's schema up to date (serve and worker do it too)."""

    async def work(settings: Settings) -> None:
        async with open_storage(settings) as storage:
            typer.echo(f"The schema at {storage.database.place} is up to date ({storage.database.revision}).")

    run(work)
