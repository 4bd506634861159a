"""Secrets of the installation in Postgres, so that all its processes share them."""

import secrets

from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.types import GLOBAL_SPACE

_BYTES = 32


class PostgresSecretStore:
    """The SecretStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def get(self, name: str) -> bytes:
        """The secret of that name, made on first use."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "insert into secrets (space_id, name, value) values (%s, %s, %s) on conflict do nothing",
                [GLOBAL_SPACE, name, secrets.token_bytes(_BYTES)],
            )
            cursor = await connection.execute(
                "select value from secrets where space_id = %s and name = %s", [GLOBAL_SPACE, name]
            )
            row = await cursor.fetchone()
        if row is None:
            raise LookupError(name)
        return bytes(row["value"])
