"""From the headers of a request to its caller, by the configured mode."""

from dataclasses import dataclass

from souvenir.config import Settings
from souvenir.errors import BadInput, Unauthenticated
from souvenir.identity.caller import USER_HEADER, Caller
from souvenir.identity.keys import PREFIX, KeyRing
from souvenir.identity.tokens import TokenVerifier
from souvenir.types import is_name


@dataclass(frozen=True, slots=True)
class Credentials:
    """The headers that say who calls, as they came."""

    authorization: str | None = None
    user: str | None = None
    org: str | None = None


class Authenticator:
    """Turns credentials into a caller. Nothing in a request's body ever reaches it."""

    def __init__(self, settings: Settings, keys: KeyRing) -> None:
        self._settings = settings
        self._keys = keys
        self._tokens = TokenVerifier(settings) if settings.auth == "jwt" else None

    async def authenticate(self, credentials: Credentials) -> Caller:
        """The caller. Raises Unauthenticated, Forbidden (an org it is not in), BadInput (a malformed header)."""
        if self._settings.auth == "none":
            user = _named_user(credentials) or self._settings.default_user or None
            return Caller(user, orgs=None, projects=None, org=credentials.org)
        token = _bearer(credentials.authorization)
        if token.startswith(PREFIX):
            return await self._by_key(token, credentials)
        if self._tokens is None:
            raise Unauthenticated
        identity = await self._tokens.verify(token)
        return Caller(identity.user_id, identity.orgs, identity.projects, credentials.org)

    async def _by_key(self, token: str, credentials: Credentials) -> Caller:
        key = await self._keys.verify(token)
        if key is None:
            raise Unauthenticated
        user = _named_user(credentials) if key.is_service else key.user_id
        return Caller(user, frozenset(key.orgs), frozenset(key.projects), credentials.org)


def _named_user(credentials: Credentials) -> str | None:
    if not credentials.user:
        return None
    if not is_name(credentials.user):
        raise BadInput(USER_HEADER, "must be 1 to 255 characters, with no control characters or outer spaces")
    return credentials.user


def _bearer(authorization: str | None) -> str:
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated
    return token.strip()
