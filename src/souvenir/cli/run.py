"""What every command shares: settings, logs, an event loop, and output for people or for machines."""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

import typer
import uvloop
from pydantic import BaseModel, ValidationError

from souvenir.config import Settings, load_settings
from souvenir.errors import BadInput
from souvenir.log import configure_logging

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def settings_from_environment() -> Settings:
    """Settings of this process, with logging set up by them. Raises SettingsError."""
    settings = load_settings()
    configure_logging(settings)
    return settings


def run(work: Callable[[Settings], Coroutine[Any, Any, T]]) -> T:
    """Load settings and run an async command."""
    settings = settings_from_environment()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work(settings))


def checked(model: type[Model], fields: Any) -> Model:
    """What a command was given, checked as a route checks it. Raises BadInput with the name of the field."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")) from None


def print_json(value: Any) -> None:
    """One JSON document on stdout; times as ISO 8601."""
    typer.echo(json.dumps(value, indent=2, default=lambda thing: thing.isoformat()))


def plain(text: str) -> str:
    """A text without the codes that a terminal would obey."""
    return _CONTROL.sub("�", text)
