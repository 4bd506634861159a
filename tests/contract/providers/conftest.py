"""A scripted host, and providers that talk to it."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from souvenir.config import ProviderSettings, Settings
from souvenir.llm.openai import OpenAIProvider
from souvenir.metrics import Metrics
from souvenir.testing.openai_server import ScriptedOpenAI

Connect = Callable[..., OpenAIProvider]


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def connect(server: ScriptedOpenAI, metrics: Metrics) -> AsyncIterator[Connect]:
    """Make a provider of the scripted host: `connect(retries=2, timeout_seconds=0.1, api_key="…")`."""
    made: list[OpenAIProvider] = []

    def make(*, retries: int = 0, environ: dict[str, str] | None = None, **table: Any) -> OpenAIProvider:
        row = ProviderSettings(**({"base_url": server.base_url} | table))
        provider = OpenAIProvider("host", row, Settings(llm_max_retries=retries), metrics, environ or {})
        made.append(provider)
        return provider

    yield make
    for provider in made:
        await provider.aclose()


@pytest.fixture
def provider(connect: Connect) -> OpenAIProvider:
    return connect()
