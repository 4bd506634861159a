"""Every provider runs the whole contract."""

import pytest

from souvenir.clock import SystemClock
from souvenir.llm.offline import OfflineProvider
from souvenir.testing.provider_contract import ProviderContract


@pytest.mark.req("TURN-1")
class TestOpenAIProvider(ProviderContract):
    @pytest.fixture
    def model(self) -> str:
        return "scripted"


@pytest.mark.req("TURN-12")
class TestOfflineProvider(ProviderContract):
    @pytest.fixture
    def provider(self) -> OfflineProvider:
        return OfflineProvider(SystemClock())

    @pytest.fixture
    def model(self) -> str:
        return "souvenir"
