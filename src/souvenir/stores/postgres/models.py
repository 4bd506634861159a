"""Which embedding models have been used here, in Postgres."""

from datetime import datetime

from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.types import GLOBAL_SPACE


class PostgresEmbeddingModelStore:
    """The EmbeddingModelStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def register(self, model: str, dimension: int, at: datetime) -> int:
        """Record a model once; returns the dimension on record."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "insert into embedding_models (space_id, model, dimension, created_at) values (%s, %s, %s, %s)"
                " on conflict do nothing",
                [GLOBAL_SPACE, model, dimension, at],
            )
            cursor = await connection.execute(
                "select dimension from embedding_models where space_id = %s and model = %s", [GLOBAL_SPACE, model]
            )
            row = await cursor.fetchone()
        if row is None:
            raise LookupError(model)
        return int(row["dimension"])
