"""Settings that nothing of this machine comes into, and a scripted endpoint."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from souvenir.config import Settings, load_settings
from souvenir.embed.openai import OpenAIEmbedder
from souvenir.metrics import Metrics
from souvenir.testing.openai_server import ScriptedOpenAI

Plain = Callable[..., Settings]
Connect = Callable[..., OpenAIEmbedder]


@pytest.fixture
def plain_settings(tmp_path: Path) -> Plain:
    return lambda **overrides: load_settings({}, **({"data_dir": tmp_path} | overrides))


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI(dimension=16) as running:
        yield running


@pytest.fixture
async def connect(server: ScriptedOpenAI, plain_settings: Plain, metrics: Metrics) -> AsyncIterator[Connect]:
    """Make an embedder of the scripted endpoint: `connect(embed_max_tokens=64, embed_api_key="…")`."""
    made: list[OpenAIEmbedder] = []

    def make(**overrides: Any) -> OpenAIEmbedder:
        base: dict[str, Any] = {"embed_base_url": server.base_url, "embed_model": "small"}
        made.append(OpenAIEmbedder(plain_settings(**(base | overrides)), metrics))
        return made[-1]

    yield make
    for embedder in made:
        await embedder.aclose()
