"""`souvenir dynamodb`: the tables that chats in DynamoDB live in."""

import typer

from souvenir.cli.run import run
from souvenir.config import Settings
from souvenir.storage import create_dynamodb_tables

app = typer.Typer(help="Chats in DynamoDB (SOUVENIR_CHAT_STORE=dynamodb).", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Keep `create-tables` a subcommand though it is the only one."""


@app.command("create-tables")
def create_tables() -> None:
    """Create the two tables, or check that they are right; wait until they can be used."""

    async def work(settings: Settings) -> tuple[str, ...]:
        return await create_dynamodb_tables(settings)

    typer.echo(f"The tables {' and '.join(run(work))} are ready.")
