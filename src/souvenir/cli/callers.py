"""Whom a command acts for: its operator may act for every user and in every project."""

from typing import Annotated

import typer

from souvenir.config import Settings
from souvenir.errors import BadInput
from souvenir.identity.caller import Caller
from souvenir.types import is_name

User = Annotated[str | None, typer.Option(help="The user to act for; unset: SOUVENIR_DEFAULT_USER.")]
Project = Annotated[str | None, typer.Option(help="A project, in place of the user's own space.")]


def operator_for(user: str | None, settings: Settings) -> Caller:
    """The caller that stands for a user. Raises BadInput when none is named and the settings name none either."""
    name = settings.default_user if user is None else user
    if not name:
        raise BadInput("--user", "name one: SOUVENIR_DEFAULT_USER is empty")
    if not is_name(name):
        raise BadInput("--user", "must be 1 to 255 characters, with no control characters or outer spaces")
    return Caller(name, orgs=None, projects=None)
