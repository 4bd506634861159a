"""The command `souvenir`: puts the groups together and turns our errors into one line and an exit status."""

import sys
from typing import Annotated

import typer

from souvenir import __version__
from souvenir.cli import (
    chat,
    chats,
    doctor,
    dynamodb,
    facts,
    index,
    jobs,
    keys,
    memories,
    migrate,
    reembed,
    search,
    serve,
    sources,
)
from souvenir.errors import SouvenirError

app = typer.Typer(
    name="souvenir",
    help="Long-term memory for chat, self-hosted. Settings are SOUVENIR_* variables or souvenir.toml.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("serve")(serve.serve)
app.command("worker")(serve.worker)
app.command("chat")(chat.chat)
app.command("search")(search.search)
app.command("index")(index.index)
app.command("reembed")(reembed.reembed)
app.command("migrate")(migrate.migrate)
app.command("doctor")(doctor.doctor)
app.add_typer(memories.app, name="memories")
app.add_typer(facts.app, name="facts")
app.add_typer(sources.app, name="sources")
app.add_typer(keys.app, name="keys")
app.add_typer(jobs.app, name="jobs")
app.add_typer(chats.app, name="chats")
app.add_typer(dynamodb.app, name="dynamodb")


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"souvenir {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Long-term memory for chat, self-hosted."""


def main() -> None:
    """Run a command. Errors made on purpose end in one line on stderr; 1 when it failed, 130 when interrupted."""
    try:
        app()
    except SouvenirError as error:
        typer.secho(f"souvenir: {error}", err=True, fg=typer.colors.RED)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
