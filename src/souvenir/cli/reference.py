"""Writes the generated pages of docs/reference: settings, routes, commands, requirements. Run by `make docs`."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import click
import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from souvenir.api.server import ROUTERS
from souvenir.cli.main import app
from souvenir.config import PREFIX, ProviderSettings, Settings
from souvenir.routing_rules import RoutingSettings

_DOCS = Path(__file__).parents[3] / "docs"
_NOTE = "<!-- Written by `make docs`; a test keeps it true. Edit the code it comes from. -->\n"

_SETTINGS_INTRODUCTION = (
    f"A setting is `{PREFIX}NAME` in the environment or `name` in `souvenir.toml` (in the working directory, or where "
    "`SOUVENIR_CONFIG` says). The environment wins. Unknown names and wrong values stop the start with a line that "
    "says why.\n"
)
_ROUTING_INTRODUCTION = (
    "`[routing]` in `souvenir.toml`, and `[routing.orgs.NAME]` with the same keys and `default` for what one org "
    "prefers; models are `PROVIDER/MODEL`. See [providers](../guides/providers.md#which-model-answers-what).\n"
)


def pages() -> dict[str, str]:
    """Every generated page by its path under docs/."""
    return {
        "reference/settings.md": settings_page(),
        "reference/routes.md": routes_page(),
        "reference/commands.md": commands_page(),
        "reference/requirements.md": requirements_page(),
    }


def settings_page() -> str:
    """The table of settings, the one of provider tables and the one of routing."""
    return "\n".join([
        "# Settings",
        _NOTE,
        _SETTINGS_INTRODUCTION,
        "| variable | type | default | what it does |",
        "|---|---|---|---|",
        *(_setting_row(f"`{PREFIX}{name.upper()}`", field) for name, field in Settings.model_fields.items()),
        "\n## A provider's table\n",
        "`[providers.NAME]` in `souvenir.toml`; see [providers](../guides/providers.md).\n",
        "| key | type | default | what it does |",
        "|---|---|---|---|",
        *(_setting_row(f"`{name}`", field) for name, field in ProviderSettings.model_fields.items()),
        "\n## The table of routing\n",
        _ROUTING_INTRODUCTION,
        "| key | type | default | what it does |",
        "|---|---|---|---|",
        *(_setting_row(f"`{name}`", field) for name, field in RoutingSettings.model_fields.items()),
        "",
    ])  # fmt: skip


def _setting_row(name: str, field: FieldInfo) -> str:
    return f"| {name} | {_type(field.annotation)} | {_default(field)} | {field.description} |"


def _type(annotation: Any) -> str:
    parts = [part for part in get_args(annotation) if part is not type(None)]
    if annotation is SecretStr or SecretStr in parts:
        return "secret"
    if get_origin(annotation) is Annotated:
        return _type(parts[0])
    if get_origin(annotation) in {Union, UnionType} and len(parts) > 1:
        return " or ".join(map(_type, parts))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    text = str(annotation) if parts else annotation.__name__
    literal = re.fullmatch(r"typing\.Literal\[(.*)\]", text)
    if literal:
        return " or ".join(f"`{word.strip(chr(39))}`" for word in literal.group(1).split(", "))
    text = re.sub(r"\b(\w+\.)+", "", text).replace(" | None", "")
    names = {"str": "text", "int": "number", "float": "number", "bool": "true or false", "Path": "path"}
    return names.get(text, "list" if text.startswith("tuple") else "table" if text.startswith("dict") else text)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return "your user data folder" if field.annotation is Path else "none"
    if field.default in (None, ()):
        return "unset"
    if isinstance(field.default, tuple):
        return f"`{','.join(field.default)}`"
    text = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
    return f"`{text}`" if text else "empty"


def routes_page() -> str:
    """The table of routes."""
    lines = ["# Routes", _NOTE, "The whole description is served at `/openapi.json`.\n"]
    lines += ["| route | what it does |", "|---|---|"]
    for route in (route for router in ROUTERS for route in router.routes):
        methods = ", ".join(sorted(getattr(route, "methods", ())))
        path = re.sub(r":\w+}", "}", getattr(route, "path", ""))
        summary = (getattr(route, "endpoint", None).__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `{methods} {path}` | {summary} |")
    return "\n".join([*lines, ""])


def commands_page() -> str:
    """The list of commands with their options."""
    lines = ["# Commands", _NOTE]
    for path, command in _commands(typer.main.get_command(app), "souvenir"):
        lines += [f"## `{path}`\n", (command.help or "").strip() + "\n"]
        options = [parameter for parameter in command.params if parameter.name != "help"]
        if options:
            lines += ["| option | what it does |", "|---|---|"]
            lines += [f"| `{_usage(parameter)}` | {getattr(parameter, 'help', '') or ''} |" for parameter in options]
            lines.append("")
    return "\n".join(lines)


def _commands(command: Any, path: str) -> Iterable[tuple[str, click.Command]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    for name, child in children.items():
        yield from _commands(child, f"{path} {name}")


def _usage(parameter: click.Parameter) -> str:
    return parameter.opts[-1] if parameter.opts[-1].startswith("-") else (parameter.name or "").upper()


def requirements_page() -> str:
    """The table of requirements and where each stands."""
    listed: dict[str, dict[str, str]] = tomllib.loads((_DOCS / "requirements.toml").read_text(encoding="utf-8"))
    lines = ["# Requirements", _NOTE, "| id | what it asks for | status |", "|---|---|---|"]
    for name, entry in listed.items():
        missing = f"; {entry['missing']}" if "missing" in entry else ""
        lines.append(f"| {name} | {entry['text']} | {entry['status']}{missing} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        (_DOCS / path).write_text(text, encoding="utf-8")
        typer.echo(f"docs/{path}")


if __name__ == "__main__":
    main()
