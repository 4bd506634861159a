"""Every command in the README and the guides does what the page says."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from souvenir.config import load_settings
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.processes import SouvenirProcess, environment

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
STAYS = re.compile(r"(?:make run|souvenir serve|souvenir worker)\s*$")
# these are what runs this very test; that they exist is checked, running them again would never end
RECURSIVE = {"make test"}


def blocks(language: str) -> list[ParameterSet]:
    return [
        pytest.param(text, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, text in enumerate(re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL))
    ]


@pytest.fixture(scope="module")
def model_host() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI(models=["llama3.2", "nomic-embed-text"]) as host:
        yield host


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    data = tmp_path_factory.mktemp("data")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return environment({"SOUVENIR_DATA_DIR": str(data), "SOUVENIR_PORT": "0", "PATH": path})


@pytest.fixture(scope="module")
def made(environ: dict[str, str]) -> Iterator[SouvenirProcess]:
    """The README's first command, in a checkout where it has run before: it starts without installing."""
    process = SouvenirProcess(["make", "run"], environ, ROOT)
    try:
        yield process
    finally:
        process.stop()


Adapt = Callable[[str], str]


@pytest.fixture
def adapt(made: SouvenirProcess, model_host: ScriptedOpenAI, database_url: str) -> Adapt:
    """Put this run's addresses where a page has its examples."""

    def apply(text: str) -> str:
        text = text.replace("http://127.0.0.1:5858", made.url)
        text = re.sub(r"http://127\.0\.0\.1:(11434|8000|8080)/v1", model_host.base_url, text)
        return re.sub(r"postgresql://souvenir:secret@\S+", f"'{database_url}'", text)

    return apply


def shell(command: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run as a page shows it, except that curl also fails when the server says no."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command.replace("curl ", "curl -fsS ")], env=environ, cwd=ROOT, check=False,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_make_run_starts_without_installing_again_and_prints_what_to_try(
    made: SouvenirProcess, environ: dict[str, str]
) -> None:
    assert made.url.startswith("http://127.0.0.1:")
    assert "installing" not in made.output
    assert environ["SOUVENIR_DATA_DIR"] in made.output
    tries = made.wait_for(r"Try:\n((?:.|\n)*?)\n\n").group(1)
    assert tries.count("curl") == 3
    ended = shell(tries, environ)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("text", blocks("sh"))
def test_a_shell_block_works(text: str, adapt: Adapt, environ: dict[str, str]) -> None:
    for command in re.split(r"(?<!\\)\n", text.strip()):
        if command in RECURSIVE:
            assert (
                subprocess.run(
                    ["make", "-n", command.split()[1]], cwd=ROOT, check=False, capture_output=True
                ).returncode
                == 0
            )
        elif STAYS.search(command):
            process = SouvenirProcess(["bash", "-c", f"exec env {adapt(command)}"], environ, ROOT)
            try:
                process.wait_for("is on http|works on jobs")
            finally:
                process.stop()
        else:
            ended = shell(adapt(command), environ)
            assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"


@pytest.mark.parametrize("text", blocks("toml"))
def test_a_settings_block_is_valid(text: str, tmp_path: Path) -> None:
    file = tmp_path / "souvenir.toml"
    file.write_text(text)
    assert tomllib.loads(text)
    load_settings({"SOUVENIR_CONFIG": str(file)})


@pytest.mark.parametrize("text", blocks("python"))
def test_a_python_block_runs(text: str, adapt: Adapt, tmp_path: Path) -> None:
    prelude = "" if "import" in text else "from souvenir.testing.openai_server import *\n"
    ended = subprocess.run(
        [sys.executable, "-c", prelude + adapt(text)], cwd=tmp_path, env=environment({}), check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
