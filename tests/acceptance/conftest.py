"""Fixtures of acceptance tests: whole Souvenirs over HTTP, a scripted model host, processes."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from souvenir.config import Settings
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.conftest import MakeSettings


@pytest.fixture(scope="session", autouse=True)
def _patience() -> Iterator[None]:
    """Requests may take their time on a busy machine; a test that wants less says so."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("get", "post", "request"):
            patch.setattr(httpx2, name, partial(getattr(httpx2, name), timeout=30))
        yield


@pytest.fixture(scope="module")
def host() -> Iterator[ScriptedOpenAI]:
    """A scripted model host, for chat and embeddings; scripts are dropped between tests."""
    with ScriptedOpenAI(models=["scripted", "other"], dimension=8) as server:
        yield server


@pytest.fixture(autouse=True)
def _forget_scripts(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "host" in request.fixturenames:
        request.getfixturevalue("host").reset()


def scripted(host: ScriptedOpenAI) -> dict[str, Any]:
    """Settings that use the scripted host for chat and for embeddings, which also starts faster than MiniLM."""
    return {
        "llm_base_url": host.base_url, "llm_model": "scripted",
        "embed_base_url": host.base_url, "embed_model": "scripted-embedder",
    }  # fmt: skip


Serve = Callable[..., RunningSouvenir]


@pytest.fixture
def serve(make_settings: MakeSettings, host: ScriptedOpenAI) -> Iterator[Serve]:
    """Start a Souvenir with settings of the test's own; by default it uses the scripted host."""
    with contextlib.ExitStack() as stack:

        def start(**overrides: Any) -> RunningSouvenir:
            return stack.enter_context(RunningSouvenir(make_settings(**(scripted(host) | overrides))))

        yield start


@pytest.fixture(scope="module")
def shared(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    """One Souvenir for the tests of a module that leave no trace in it."""
    with postgres.database() as url:
        settings = Settings(database_url=url, data_dir=tmp_path_factory.mktemp("data"), **scripted(host))
        with RunningSouvenir(settings) as running:
            yield running


@pytest.fixture
def client(shared: RunningSouvenir) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=shared.url, timeout=20) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory of the test's own."""
    return tmp_path / "data"
