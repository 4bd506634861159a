"""The command `souvenir`: puts the groups together and turns our errors into one line and an exit status."""

import sys
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from souvenir import __version__
from souvenir.errors import SouvenirError

_WHERE = {
    "serve": "serve:serve",
    "worker": "serve:worker",
    "chat": "chat:chat",
    "search": "search:search",
    "index": "index:index",
    "reembed": "reembed:reembed",
    "migrate": "migrate:migrate",
    "doctor": "doctor:doctor",
    "memories": "memories:app",
    "facts": "facts:app",
    "sources": "sources:app",
    "keys": "keys:app",
    "jobs": "jobs:app",
    "chats": "chats:app",
    "dynamodb": "dynamodb:app",
}


class _Commands(MutableMapping[str, Any]):
    """The commands by name. The module of one is imported when it is asked for: each needs other libraries."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = dict.fromkeys(_WHERE)

    def __getitem__(self, name: str) -> Any:
        if self._made[name] is None:
            module, _, found = _WHERE[name].partition(":")
            command = getattr(import_module(f"souvenir.cli.{module}"), found)
            self._made[name] = typer.main.get_group(command) if isinstance(command, typer.Typer) else _single(command)
            self._made[name].name = name
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def _single(function: Any) -> Any:
    alone = typer.Typer(add_completion=False)
    alone.command()(function)
    return typer.main.get_command(alone)


class _Root(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": None})
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - Typer's signature
        return list(self.commands)


app = typer.Typer(
    cls=_Root,
    name="souvenir",
    help="Long-term memory for chat, self-hosted. Settings are SOUVENIR_* variables or souvenir.toml.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
