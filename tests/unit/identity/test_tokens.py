"""Tokens: what is accepted, and that every refusal looks alike."""

import itertools
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from souvenir.config import load_settings
from souvenir.errors import SettingsError, Unauthenticated, Unavailable
from souvenir.identity.tokens import TokenVerifier
from souvenir.testing.users import SECRET, token

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())


def verifier(**overrides: Any) -> TokenVerifier:
    return TokenVerifier(load_settings({}, auth="jwt", **({"jwt_secret": SECRET} | overrides)))


def signed(key: Any, algorithm: str, headers: dict[str, Any] | None = None, **claims: Any) -> str:
    body = {"sub": "alice", "exp": int(time.time()) + 60, **claims}
    return jwt.encode(body, key, algorithm=algorithm, headers=headers)


@pytest.mark.req("ID-2")
async def test_a_valid_token_names_its_user_and_where_the_user_belongs() -> None:
    identity = await verifier().verify(token("alice", orgs=["acme", 7], projects="apollo"))
    assert identity.user_id == "alice"
    assert identity.orgs == {"acme"}
    assert identity.projects == {"apollo"}


def _none_algorithm() -> str:
    return jwt.encode({"sub": "alice", "exp": int(time.time()) + 60}, "", algorithm="none")


@pytest.mark.req("ID-2", "ID-3")
@pytest.mark.parametrize(
    "bad",
    [
        "", "x", "a.b.c", "é.b.c", "." * 10_000,
        token("alice", secret="another secret that is also long enough"),
        token("alice", expires_in=-60),
        token("", expires_in=60),
        token("a\x00b"),
        token("x" * 300),
        signed(SECRET, "HS256", sub=7),
        signed(SECRET, "HS256", nbf=int(time.time()) + 3600),
        signed(SECRET, "HS256", exp="soon"),
        jwt.encode({"exp": int(time.time()) + 60}, SECRET, algorithm="HS256"),
        signed(SECRET + SECRET, "HS512"),
        signed(RSA, "RS256"),
        _none_algorithm(),
    ],
    ids=itertools.count(),  # the tokens themselves change with the second
)  # fmt: skip
async def test_whatever_is_wrong_with_a_token_the_refusal_says_nothing(bad: str) -> None:
    with pytest.raises(Unauthenticated) as error:
        await verifier().verify(bad)
    assert str(error.value) == ""


@pytest.mark.req("ID-2")
async def test_audience_and_issuer_are_checked_when_they_are_set() -> None:
    strict = verifier(jwt_audience="souvenir", jwt_issuer="https://id.example")
    good = token("alice", aud="souvenir", iss="https://id.example")
    assert (await strict.verify(good)).user_id == "alice"
    wrong: list[dict[str, Any]] = [
        {},
        {"aud": "souvenir"},
        {"aud": "other", "iss": "https://id.example"},
        {"aud": "souvenir", "iss": "x"},
    ]
    for claims in wrong:
        with pytest.raises(Unauthenticated):
            await strict.verify(token("alice", **claims))
    assert (await verifier().verify(token("alice", aud="anything", iss="anyone"))).user_id == "alice"


async def test_a_token_without_expiry_can_be_refused_by_setting() -> None:
    endless = jwt.encode({"sub": "alice"}, SECRET, algorithm="HS256")
    assert (await verifier().verify(endless)).user_id == "alice"
    with pytest.raises(Unauthenticated):
        await verifier(jwt_require_expiry=True).verify(endless)


@pytest.mark.req("ID-2")
@pytest.mark.parametrize(("key", "algorithm"), [(RSA, "RS256"), (EC, "ES256")])
async def test_a_public_key_file_verifies_what_its_private_key_signed(tmp_path: Path, key: Any, algorithm: str) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(_public(key))
    check = verifier(jwt_secret=None, jwt_public_key_file=file)
    assert (await check.verify(signed(key, algorithm))).user_id == "alice"
    # the classic confusion: the public key, known to all, used as an HMAC secret
    forged = jwt.api_jws.PyJWS().encode(b'{"sub":"alice"}', SECRET, algorithm="HS256")
    with pytest.raises(Unauthenticated):
        await check.verify(forged)


def _public(key: Any) -> bytes:
    data: bytes = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return data


def _pem(key: Any) -> bytes:
    data: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return data


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read"),
        (b"", "not a PEM public key"),
        (b"\xff\x00", "not a PEM public key"),
        (_pem(RSA), "private key"),
        (_public(ec.generate_private_key(ec.SECP521R1())), "P-256"),
    ],
)  # fmt: skip
def test_a_wrong_key_file_is_refused_at_start(tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "key.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=says):
        verifier(jwt_secret=None, jwt_public_key_file=file)


@pytest.fixture
def key_set() -> Iterator[tuple[str, list[int]]]:
    """An identity provider's JWKS endpoint, and how often it was asked."""
    asked: list[int] = []
    entry = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA.public_key())) | {
        "kid": "one",
        "use": "sig",
        "alg": "RS256",
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(1)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": [entry]}).encode())

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/jwks", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.req("ID-2")
async def test_a_key_set_is_fetched_once_and_unknown_ids_do_not_make_it_fetch_for_ever(
    key_set: tuple[str, list[int]],
) -> None:
    url, asked = key_set
    check = verifier(jwt_secret=None, jwt_jwks_url=url)
    for _ in range(3):
        assert (await check.verify(signed(RSA, "RS256", {"kid": "one"}))).user_id == "alice"
    for number in range(5):
        with pytest.raises(Unauthenticated):
            await check.verify(signed(RSA, "RS256", {"kid": f"unknown-{number}"}))
    assert len(asked) == 1


async def test_an_identity_provider_that_is_away_is_not_a_bad_credential() -> None:
    check = verifier(jwt_secret=None, jwt_jwks_url="http://127.0.0.1:1/jwks")
    with pytest.raises(Unavailable):
        await check.verify(signed(RSA, "RS256", {"kid": "one"}))


async def test_a_little_clock_difference_is_forgiven() -> None:
    just_over = int((datetime.now(UTC) - timedelta(seconds=3)).timestamp())
    assert (await verifier().verify(signed(SECRET, "HS256", exp=just_over))).user_id == "alice"
