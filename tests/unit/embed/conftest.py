"""One MiniLM for all tests that do not close it, and settings that nothing of this machine comes into."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from souvenir.config import Settings, load_settings
from souvenir.embed.minilm import MiniLmEmbedder
from souvenir.metrics import Metrics

Plain = Callable[..., Settings]


@pytest.fixture
def plain_settings(tmp_path: Path) -> Plain:
    return lambda **overrides: load_settings({}, **({"data_dir": tmp_path} | overrides))


@pytest.fixture(scope="session")
def shared_metrics() -> Metrics:
    return Metrics()


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory, shared_metrics: Metrics) -> Iterator[MiniLmEmbedder]:
    embedder = MiniLmEmbedder(load_settings({}, data_dir=tmp_path_factory.mktemp("data")), shared_metrics)
    asyncio.run(embedder.start())
    yield embedder
    asyncio.run(embedder.aclose())
