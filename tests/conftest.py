"""What tests of every kind share: one Postgres for the whole run, a database of its own for each test."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from souvenir.config import Settings, load_settings
from souvenir.log import configure_logging
from souvenir.testing.clock import ManualClock
from souvenir.testing.postgres import PostgresForTests

# a shell that runs us in the background has us ignore it, and so would every command that a test interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep this run's files in a folder of its own.

    pytest's usual one is closed to other users again by every run that starts, and as root Postgres runs as another.
    """
    if not config.option.basetemp and "PYTEST_XDIST_WORKER" not in os.environ:
        config.option.basetemp = tempfile.mkdtemp(prefix="souvenir-tests-")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Leave nothing behind, unless there is something to look into."""
    folder = Path(session.config.option.basetemp)
    if exitstatus == 0 and folder.name.startswith("souvenir-tests-"):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _logging() -> None:
    """Logs as the program writes them; pytest shows them when a test fails."""
    configure_logging(load_settings({}, log_format="json"))


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the whole run, the same in every worker process."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def postgres(run_folder: Path) -> Iterator[PostgresForTests]:
    with PostgresForTests(run_folder / "pg") as server:
        yield server


@pytest.fixture
def database_url(postgres: PostgresForTests) -> Iterator[str]:
    with postgres.database() as url:
        yield url


MakeSettings = Callable[..., Settings]


@pytest.fixture
def make_settings(database_url: str, tmp_path: Path) -> MakeSettings:
    """Settings on a database of the test's own; nothing of the machine's environment comes in."""

    def make(**overrides: Any) -> Settings:
        defaults = {"database_url": database_url, "data_dir": tmp_path / "data", "port": 0}
        return load_settings({}, **(defaults | overrides))

    return make


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    return make_settings()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()
