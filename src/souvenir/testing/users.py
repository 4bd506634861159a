"""Two people with credentials of their own, for every test that asks what the other one sees."""

import time
from dataclasses import dataclass
from typing import Any

import jwt

SECRET = "a secret for tests, long enough for HS256"  # noqa: S105 - of the test kit


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who can call."""

    id: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers of this user's requests."""
        return {"Authorization": f"Bearer {self.token}"}


def token(user_id: str, secret: str = SECRET, *, expires_in: float = 3600, **claims: Any) -> str:
    """A signed token; more claims by keyword."""
    return jwt.encode({"sub": user_id, "exp": int(time.time() + expires_in), **claims}, secret, algorithm="HS256")


def two_users(**claims: Any) -> tuple[User, User]:
    """Alice and Bob, with the same claims."""
    return User("alice", token("alice", **claims)), User("bob", token("bob", **claims))
