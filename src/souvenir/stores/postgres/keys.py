"""API keys in Postgres."""

from datetime import datetime, timedelta

from psycopg.rows import DictRow

from souvenir.stores.ports import ApiKey
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.types import GLOBAL_SPACE

_COLUMNS = "key_id, secret_hash, name, user_id, orgs, projects, created_at, expires_at, revoked_at, last_used_at"


class PostgresKeyStore:
    """The KeyStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        """Keep a new key."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "insert into api_keys (space_id, key_id, secret_hash, name, user_id, orgs, projects, created_at,"
                " expires_at) values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [
                    GLOBAL_SPACE,
                    key.key_id,
                    key.secret_hash,
                    key.name,
                    key.user_id,
                    list(key.orgs),
                    list(key.projects),
                    key.created_at,
                    key.expires_at,
                ],
            )

    async def get(self, key_id: str) -> ApiKey | None:
        """The key, or None."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                f"select {_COLUMNS} from api_keys where space_id = %s and key_id = %s", [GLOBAL_SPACE, key_id]
            )
            row = await cursor.fetchone()
        return _key(row) if row is not None else None

    async def list(self) -> list[ApiKey]:
        """All keys, newest first."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                f"select {_COLUMNS} from api_keys where space_id = %s order by created_at desc, key_id", [GLOBAL_SPACE]
            )
            return [_key(row) for row in await cursor.fetchall()]

    async def revoke(self, key_id: str, at: datetime) -> ApiKey | None:
        """Revoke a key; the first time stands."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "update api_keys set revoked_at = coalesce(revoked_at, %s) where space_id = %s and key_id = %s"
                f" returning {_COLUMNS}",
                [at, GLOBAL_SPACE, key_id],
            )
            row = await cursor.fetchone()
        return _key(row) if row is not None else None

    async def touch(self, key_id: str, at: datetime) -> None:
        """Note the use, at most once a minute."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "update api_keys set last_used_at = %s where space_id = %s and key_id = %s"
                " and (last_used_at is null or last_used_at < %s)",
                [at, GLOBAL_SPACE, key_id, at - timedelta(minutes=1)],
            )


def _key(row: DictRow) -> ApiKey:
    return ApiKey(**{**row, "orgs": tuple(row["orgs"]), "projects": tuple(row["projects"])})
