"""Opens what is kept: the database with its stores, and a chat engine. For commands that need no model this is all."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from souvenir.clock import Clock, SystemClock
from souvenir.config import ChatEngineName, Settings
from souvenir.facts.service import Facts
from souvenir.identity.keys import KeyRing
from souvenir.jobs.queue import JobQueue
from souvenir.metrics import Metrics
from souvenir.stores.memory_ports import MemoryStore
from souvenir.stores.passage_ports import PassageStore
from souvenir.stores.ports import ChatEngine, EmbeddingModelStore
from souvenir.stores.postgres.chats import PostgresChatStore
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.facts import PostgresFactStore
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.stores.postgres.keys import PostgresKeyStore
from souvenir.stores.postgres.memories import PostgresMemoryStore
from souvenir.stores.postgres.models import PostgresEmbeddingModelStore
from souvenir.stores.postgres.passages import PostgresPassageStore


@dataclass(frozen=True, slots=True)
class Storage:
    """An open database and what is kept in it."""

    settings: Settings
    clock: Clock
    metrics: Metrics
    database: PostgresDatabase
    keys: KeyRing
    jobs: JobQueue
    models: EmbeddingModelStore
    passages: PassageStore
    memories: MemoryStore
    facts: Facts


@contextlib.asynccontextmanager
async def open_storage(
    settings: Settings, clock: Clock | None = None, metrics: Metrics | None = None
) -> AsyncIterator[Storage]:
    """The database and its stores, for commands that need no model. Raises StartError."""
    clock = clock or SystemClock()
    metrics = metrics or Metrics()
    database = PostgresDatabase(settings)
    await database.open()
    try:
        jobs = JobQueue(PostgresJobStore(database), settings, clock, metrics)
        await jobs.open(database.pool)
        passages = PostgresPassageStore(database, clock)
        yield Storage(
            settings=settings,
            clock=clock,
            metrics=metrics,
            database=database,
            keys=KeyRing(PostgresKeyStore(database), clock),
            jobs=jobs,
            models=PostgresEmbeddingModelStore(database),
            passages=passages,
            memories=PostgresMemoryStore(database, passages, clock),
            facts=Facts(PostgresFactStore(database), clock),
        )
    finally:
        await database.close()


@contextlib.asynccontextmanager
async def open_chats(settings: Settings, engine: ChatEngineName) -> AsyncIterator[ChatEngine]:
    """One chat engine alone, whichever is configured to serve. Raises StartError."""
    async with open_storage(settings) as storage, opened(create_chat_engine(engine, storage)) as chats:
        yield chats


@contextlib.asynccontextmanager
async def opened(engine: ChatEngine) -> AsyncIterator[ChatEngine]:
    """An engine while it is open."""
    try:
        await engine.open()
        yield engine
    finally:
        await engine.aclose()


def create_chat_engine(engine: ChatEngineName, storage: Storage) -> ChatEngine:
    """The engine of that name; not opened."""
    if engine == "postgres":
        return PostgresChatStore(storage.database, storage.clock)
    # imported here: their drivers take long to import, and few use them
    if engine == "redis":
        from souvenir.stores.redis.chats import RedisChatStore  # noqa: PLC0415

        return RedisChatStore(storage.settings, storage.clock)
    from souvenir.stores.dynamodb.chats import DynamoDbChatStore  # noqa: PLC0415

    return DynamoDbChatStore(storage.settings, storage.clock)


async def create_dynamodb_tables(settings: Settings) -> tuple[str, ...]:
    """Make DynamoDB's two tables where they are missing; returns the names of both. Raises StartError."""
    from souvenir.stores.dynamodb.tables import create_tables  # noqa: PLC0415

    return await create_tables(settings)
