"""Who a request comes from and which spaces that opens."""

from dataclasses import dataclass

from souvenir.errors import BadInput, Forbidden
from souvenir.types import GLOBAL_SPACE, Scope, SpaceId, is_name, org_space, project_space, user_space

USER_HEADER = "x-openwebui-user-id"
ORG_HEADER = "x-org-id"


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller. `orgs` and `projects` are what it belongs to; None is every one of them.

    `user_id` is None for a caller that acts for nobody in particular: it may chat, and nothing is remembered.
    """

    user_id: str | None
    orgs: frozenset[str] | None = frozenset()
    projects: frozenset[str] | None = frozenset()
    org: str | None = None

    def __post_init__(self) -> None:
        if self.org is not None:
            _require(self.org, self.orgs, ORG_HEADER)

    def scope(self, project: str | None = None) -> Scope:
        """The spaces of a request: it writes to the project's or the user's own, and reads those, the org's and global.

        Raises Forbidden for a project the caller does not belong to, existing or not, and BadInput without a user.
        """
        own = user_space(self.require_user())
        readable: list[SpaceId] = [own]
        if project is not None:
            _require(project, self.projects, "project_id")
            readable.insert(0, project_space(project))
        if self.org is not None:
            readable.append(org_space(self.org))
        return Scope(space=readable[0], readable=(*readable, GLOBAL_SPACE))

    def require_user(self) -> str:
        """The user's id, for whatever is kept by user."""
        if self.user_id is None:
            raise BadInput(USER_HEADER, "this request needs a user, and the caller names none")
        return self.user_id


def _require(name: str, allowed: frozenset[str] | None, field: str) -> None:
    if not is_name(name):
        raise BadInput(field, "must be 1 to 255 characters, with no control characters or outer spaces")
    if allowed is not None and name not in allowed:
        raise Forbidden("not a member of this org or project")
