"""What a KeyStore promises, on Postgres."""

from datetime import timedelta

import pytest

from souvenir.config import Settings
from souvenir.errors import BadInput, NotFound, Unavailable
from souvenir.identity.keys import KeyRing
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.keys import PostgresKeyStore
from souvenir.testing.clock import ManualClock


@pytest.fixture
def keys(database: PostgresDatabase, clock: ManualClock) -> KeyRing:
    return KeyRing(PostgresKeyStore(database), clock)


@pytest.mark.req("ID-2")
async def test_a_key_is_verified_by_its_token_and_by_nothing_near_it(keys: KeyRing) -> None:
    key, token = await keys.create("laptop", "alice", orgs=("acme",), projects=("apollo",))
    found = await keys.verify(token)
    assert found is not None
    assert (found.key_id, found.user_id, found.orgs, found.projects) == (key.key_id, "alice", ("acme",), ("apollo",))
    for wrong in (token[:-1], token + "x", token.upper(), f"sv-{key.key_id}-", f"sv-{key.key_id}", "sv-", "sv-x-é"):
        assert await keys.verify(wrong) is None


@pytest.mark.req("ID-2")
async def test_the_secret_is_not_in_the_database(keys: KeyRing, database: PostgresDatabase) -> None:
    _, token = await keys.create("laptop", "alice")
    secret = token.split("-", 2)[2]
    async with database.transaction() as connection:
        rows = await (await connection.execute("select api_keys::text as row from api_keys")).fetchall()
    assert secret not in str(rows)
    assert secret.encode().hex() not in str(rows)


@pytest.mark.req("ID-2")
async def test_a_revoked_key_stops_at_once_and_keeps_the_time_of_its_first_revocation(
    keys: KeyRing, clock: ManualClock
) -> None:
    key, token = await keys.create("laptop", "alice")
    first = await keys.revoke(key.key_id)
    clock.advance(hours=1)
    again = await keys.revoke(key.key_id)
    assert again.revoked_at == first.revoked_at
    assert await keys.verify(token) is None


async def test_an_expired_key_stops_at_its_time(keys: KeyRing, clock: ManualClock) -> None:
    _, token = await keys.create("laptop", "alice", expires_at=clock.now() + timedelta(days=1))
    clock.advance(hours=23)
    assert await keys.verify(token) is not None
    clock.advance(hours=1)
    assert await keys.verify(token) is None


async def test_keys_are_listed_newest_first_with_their_last_use_to_the_minute(
    keys: KeyRing, clock: ManualClock
) -> None:
    _, first = await keys.create("first", "alice")
    clock.advance(minutes=1)
    await keys.create("second", None)
    await keys.verify(first)
    used = clock.now()
    clock.advance(seconds=30)
    await keys.verify(first)
    assert [(key.name, key.is_service, key.last_used_at) for key in await keys.list()] == [
        ("second", True, None),
        ("first", False, used),
    ]


async def test_revoking_an_unknown_key_says_so(keys: KeyRing) -> None:
    with pytest.raises(NotFound, match="nothing-like-it"):
        await keys.revoke("nothing-like-it")


@pytest.mark.parametrize("user", ["", " ", "a\x00", "x" * 256, "\ud800"])
async def test_a_key_for_a_name_that_cannot_be_stored_is_refused(keys: KeyRing, user: str) -> None:
    with pytest.raises(BadInput, match="user"):
        await keys.create("laptop", user)
    assert await keys.list() == []


@pytest.mark.req("ID-8")
async def test_one_users_key_never_stands_for_another(keys: KeyRing) -> None:
    (alices, token_a), (bobs, token_b) = await keys.create("k", "alice"), await keys.create("k", "bob")
    await keys.revoke(alices.key_id)
    assert await keys.verify(token_a) is None
    found = await keys.verify(token_b)
    assert found is not None
    assert found.user_id == "bob"
    swapped = f"sv-{bobs.key_id}-{token_a.split('-', 2)[2]}"
    assert await keys.verify(swapped) is None


async def test_a_closed_database_is_unavailable_rather_than_a_crash(settings: Settings, clock: ManualClock) -> None:
    database = PostgresDatabase(settings)
    await database.open()
    await database.close()
    with pytest.raises(Unavailable):
        await PostgresKeyStore(database).list()
