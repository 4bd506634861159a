"""The values every layer speaks of: who calls, which space a row lives in, JSON as it comes from outside."""

import re
from dataclasses import dataclass
from typing import Any, NewType

JsonObject = dict[str, Any]

SpaceId = NewType("SpaceId", str)

GLOBAL_SPACE = SpaceId("global")

_MAX_NAME = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_name(text: str) -> bool:
    """Whether a user, org or project id can be stored and shown: 1 to 255 characters, none of them a control."""
    return 0 < len(text) <= _MAX_NAME and text.strip() == text and not _CONTROL.search(text)


def user_space(user_id: str) -> SpaceId:
    """The space that holds what belongs to one user."""
    return SpaceId(f"user:{user_id}")


def project_space(project_id: str) -> SpaceId:
    """The space that holds what belongs to one project."""
    return SpaceId(f"project:{project_id}")


def org_space(org_id: str) -> SpaceId:
    """The space that holds what belongs to one organisation."""
    return SpaceId(f"org:{org_id}")


@dataclass(frozen=True, slots=True)
class Scope:
    """What one request may touch: the space it writes to and the spaces it reads, the first of them its own."""

    space: SpaceId
    readable: tuple[SpaceId, ...]
