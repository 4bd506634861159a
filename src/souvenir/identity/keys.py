"""API keys: made once, shown once, stored as a hash, revocable."""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from souvenir.clock import Clock
from souvenir.errors import BadInput, NotFound
from souvenir.stores.ports import ApiKey, KeyStore
from souvenir.types import is_name

PREFIX = "sv-"
_SECRET_BYTES = 32


class KeyRing:
    """Creates, lists, revokes and verifies the keys of this installation."""

    def __init__(self, store: KeyStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def create(
        self,
        name: str,
        user_id: str | None,
        *,
        orgs: tuple[str, ...] = (),
        projects: tuple[str, ...] = (),
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key and its token, which exists nowhere else. `user_id` None makes a service key."""
        for field, value in [
            ("name", name),
            ("user", user_id),
            *(("org", o) for o in orgs),
            *(("project", p) for p in projects),
        ]:
            if value is not None and not is_name(value):
                raise BadInput(field, "must be 1 to 255 characters, with no control characters or outer spaces")
        now = self._clock.now()
        if expires_at is not None and expires_at <= now:
            raise BadInput("expires", "is in the past")
        key_id = base64.b32encode(secrets.token_bytes(10)).decode().lower()
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        key = ApiKey(key_id, _hash(secret), name, user_id, orgs, projects, created_at=now, expires_at=expires_at)
        await self._store.add(key)
        return key, f"{PREFIX}{key_id}-{secret}"

    async def list(self) -> list[ApiKey]:
        """All keys, newest first."""
        return await self._store.list()

    async def revoke(self, key_id: str) -> ApiKey:
        """Revoke a key at once, for every process."""
        key = await self._store.revoke(key_id, self._clock.now())
        if key is None:
            raise NotFound(f"there is no key {key_id}")
        return key

    async def verify(self, token: str) -> ApiKey | None:
        """The key a token belongs to; None for a token that is malformed, unknown, revoked or expired."""
        key_id, _, secret = token.removeprefix(PREFIX).partition("-")
        if not token.isascii() or not secret:
            return None
        key = await self._store.get(key_id)
        now = self._clock.now()
        if key is None or not hmac.compare_digest(key.secret_hash, _hash(secret)):
            return None
        if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now):
            return None
        await self._store.touch(key_id, now)
        return key


def _hash(secret: str) -> bytes:
    # the secret is 256 random bits: nothing to guess, so a fast hash is as good as a slow one
    return hashlib.sha256(secret.encode()).digest()
