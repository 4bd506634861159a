"""What contract tests on Postgres share."""

from collections.abc import AsyncIterator

import pytest

from souvenir.config import Settings
from souvenir.stores.postgres.database import PostgresDatabase


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(settings)
    await database.open()
    yield database
    await database.close()
