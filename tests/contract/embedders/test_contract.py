"""Every embedder runs the whole contract."""

from collections.abc import AsyncIterator

import pytest

from souvenir.embed.cache import CachedEmbedder
from souvenir.embed.minilm import MiniLmEmbedder
from souvenir.embed.port import Embedder
from souvenir.metrics import Metrics
from souvenir.testing.embedder_contract import EmbedderContract
from tests.contract.embedders.conftest import Connect, Plain


@pytest.mark.req("SRCH-7")
class TestMiniLm(EmbedderContract):
    @pytest.fixture
    async def embedder(self, plain_settings: Plain, metrics: Metrics) -> AsyncIterator[Embedder]:
        embedder = MiniLmEmbedder(plain_settings(), metrics)
        await embedder.start()
        yield embedder
        await embedder.aclose()


@pytest.mark.req("SRCH-7")
class TestOpenAI(EmbedderContract):
    @pytest.fixture
    async def embedder(self, connect: Connect) -> Embedder:
        embedder = connect(embed_max_tokens=512)
        await embedder.start()
        return embedder


@pytest.mark.req("SRCH-7")
class TestCached(EmbedderContract):
    @pytest.fixture
    async def embedder(self, connect: Connect, plain_settings: Plain, metrics: Metrics) -> Embedder:
        embedder = CachedEmbedder(connect(embed_max_tokens=512), plain_settings(embed_cache_size=5), metrics)
        await embedder.start()
        return embedder
