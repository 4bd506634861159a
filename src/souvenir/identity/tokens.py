"""JSON Web Tokens: signature, expiry, audience and issuer, by PyJWT."""

import asyncio
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from souvenir.config import Settings
from souvenir.errors import SettingsError, Unauthenticated, Unavailable
from souvenir.types import is_name

_FETCH_SECONDS = 5
_KEY_SET_SECONDS = 300

# a short secret is reported once, by `souvenir doctor` and at start, not on every request
warnings.filterwarnings("ignore", category=jwt.warnings.InsecureKeyLengthWarning)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a valid token says."""

    user_id: str
    orgs: frozenset[str]
    projects: frozenset[str]


class _KeySource(Protocol):
    algorithms: list[str]

    async def key(self, token: str) -> Any: ...


class TokenVerifier:
    """Checks tokens against the one configured key source."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._source = _key_source(settings)

    async def verify(self, token: str) -> Identity:
        """What the token says. Raises Unauthenticated, without a reason, or Unavailable when keys cannot be fetched."""
        settings = self._settings
        try:
            claims = jwt.decode(
                token,
                await self._source.key(token),
                algorithms=self._source.algorithms,
                audience=settings.jwt_audience,
                issuer=settings.jwt_issuer,
                leeway=settings.jwt_leeway_seconds,
                options={
                    "require": ["sub", "exp"] if settings.jwt_require_expiry else ["sub"],
                    "verify_aud": settings.jwt_audience is not None,
                },
            )
        except jwt.PyJWKClientConnectionError as error:
            raise Unavailable("the identity provider's keys cannot be fetched") from error
        except (jwt.PyJWTError, ValueError, TypeError):
            raise Unauthenticated from None
        if not isinstance(claims["sub"], str) or not is_name(claims["sub"]):
            raise Unauthenticated
        return Identity(
            user_id=claims["sub"],
            orgs=_names(claims.get(settings.jwt_orgs_claim)),
            projects=_names(claims.get(settings.jwt_projects_claim)),
        )


def _names(claim: object) -> frozenset[str]:
    values = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return frozenset(value for value in values if isinstance(value, str))


def _key_source(settings: Settings) -> _KeySource:
    if settings.jwt_secret is not None:
        return _FixedKey(settings.jwt_secret.get_secret_value(), ["HS256"])
    if settings.jwt_public_key_file is not None:
        return _read_public_key(settings.jwt_public_key_file)
    if settings.jwt_jwks_url is not None:
        return _KeySet(settings.jwt_jwks_url)
    raise SettingsError("auth=jwt needs a key source")


class _FixedKey:
    def __init__(self, key: Any, algorithms: list[str]) -> None:
        self._key = key
        self.algorithms = algorithms

    async def key(self, token: str) -> Any:  # noqa: ARG002 - every token has the same key
        return self._key


class _KeySet:
    """Keys by id from the identity provider; cached, and asked again at most once while tokens name unknown ids."""

    def __init__(self, url: str) -> None:
        self.algorithms = ["RS256", "ES256"]
        self._client = jwt.PyJWKClient(url, lifespan=_KEY_SET_SECONDS, timeout=_FETCH_SECONDS)
        self._lock = asyncio.Lock()

    async def key(self, token: str) -> Any:
        async with self._lock:
            return (await asyncio.to_thread(self._client.get_signing_key_from_jwt, token)).key


def _read_public_key(path: Path) -> _FixedKey:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"SOUVENIR_JWT_PUBLIC_KEY_FILE: {path} cannot be read: {error.strerror}") from None
    if b"PRIVATE KEY" in data:
        raise SettingsError(f"SOUVENIR_JWT_PUBLIC_KEY_FILE: {path} holds a private key; give the public one")
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise SettingsError(f"SOUVENIR_JWT_PUBLIC_KEY_FILE: {path} is not a PEM public key") from None
    if isinstance(key, RSAPublicKey):
        return _FixedKey(key, ["RS256"])
    if isinstance(key, EllipticCurvePublicKey) and key.curve.name == "secp256r1":
        return _FixedKey(key, ["ES256"])
    raise SettingsError(f"SOUVENIR_JWT_PUBLIC_KEY_FILE: {path} is neither an RSA nor a P-256 key")
