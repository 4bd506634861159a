"""Every chat engine by name, on real servers of this test run, for tests that go beyond the contract."""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from souvenir.config import ChatEngineName, Settings, load_settings
from souvenir.storage import create_chat_engine, create_dynamodb_tables, open_storage
from souvenir.stores.ports import ChatEngine
from souvenir.testing.clock import ManualClock
from souvenir.testing.dynamodb import DynamoDbForTests
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.redis import RedisForTests

ENGINES: tuple[ChatEngineName, ...] = ("postgres", "dynamodb", "redis")
AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> ChatEngineName:
    name: ChatEngineName = request.param
    return name


@contextlib.contextmanager
def servers(engines: Iterable[ChatEngineName], postgres: PostgresForTests, folder: Path) -> Iterator[dict[str, str]]:
    """Servers of these engines, and the settings, as variables, of any process that shall use them."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        for name, value in AWS.items():
            patch.setenv(name, value)
        variables = {
            "SOUVENIR_DATABASE_URL": stack.enter_context(postgres.database()),
            "SOUVENIR_DATA_DIR": str(folder / "data"),
            "SOUVENIR_PORT": "0",
        }
        if "redis" in engines:
            variables["SOUVENIR_REDIS_URL"] = stack.enter_context(RedisForTests(folder / "redis")).url
        if "dynamodb" in engines:
            server = stack.enter_context(DynamoDbForTests(folder / "dynamodb"))
            variables["SOUVENIR_DYNAMODB_ENDPOINT_URL"] = server.endpoint_url
            variables["SOUVENIR_DYNAMODB_REGION"] = "eu-west-1"
            asyncio.run(create_dynamodb_tables(load_settings(variables)))
        yield variables


@pytest.fixture(scope="module")
def environ(
    engine: ChatEngineName, postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    with servers([engine], postgres, tmp_path_factory.mktemp(engine)) as variables:
        yield variables | {"SOUVENIR_CHAT_STORE": engine}


@pytest.fixture(scope="module")
def engine_settings(environ: dict[str, str]) -> Settings:
    return load_settings(environ)


@dataclass(frozen=True, slots=True)
class Opened:
    """An engine on an event loop of its own, for tests that are not coroutines themselves."""

    runner: asyncio.Runner
    store: ChatEngine
    clock: ManualClock


@pytest.fixture(scope="module")
def opened(engine: ChatEngineName, engine_settings: Settings) -> Iterator[Opened]:
    clock = ManualClock()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        async def start() -> ChatEngine:
            storage = await stack.enter_async_context(open_storage(engine_settings, clock))
            store = create_chat_engine(engine, storage)
            stack.push_async_callback(store.aclose)
            await store.open()
            return store

        store = runner.run(start())
        yield Opened(runner, store, clock)
        runner.run(stack.aclose())
