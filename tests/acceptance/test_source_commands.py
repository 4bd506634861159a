"""`souvenir sources` as a person and as a script use it."""

import json
from pathlib import Path
from typing import Any

import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.processes import run_to_end
from tests.acceptance.conftest import scripted

pytestmark = pytest.mark.req("OPS-1", "FILE-1", "FILE-3")


@pytest.fixture
def environ(database_url: str, folder: Path, host: ScriptedOpenAI, tmp_path: Path) -> dict[str, str]:
    names = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()}
    return {
        **names, "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_DATA_DIR": str(folder),
        "SOUVENIR_SOURCE_ROOTS": f"{tmp_path / 'files'}, /nowhere",
    }  # fmt: skip


def test_a_folder_is_added_listed_indexed_again_and_removed(environ: dict[str, str], tmp_path: Path) -> None:
    boats = tmp_path / "files" / "boats"
    boats.mkdir(parents=True)
    (boats / "ropes.md").write_text("# Ropes\n\nHemp holds best.\n")
    (boats / "broken.pdf").write_bytes(b"%PDF-")

    def souvenir(*command: str) -> Any:
        ended = run_to_end(["sources", *command], environ, tmp_path)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout) if "--json" in command else ended.stdout

    told = souvenir("add", str(boats))
    assert "2 files: 1 indexed in 1 chunks, 0 skipped, 1 failed" in told
    source_id = told.split()[0]
    (listed,) = souvenir("list", "--json")
    assert (listed["source_id"], listed["path"]) == (source_id, str(boats))
    assert source_id in souvenir("list")
    assert souvenir("list", "--user", "other", "--json") == []
    assert "broken.pdf: is broken" in souvenir("status", source_id)
    found = run_to_end(["search", "hemp ropes", "--threshold", "0", "--json"], environ, tmp_path)
    assert json.loads(found.stdout)["hits"][0]["source"]["path"] == "ropes.md"
    (boats / "sails.txt").write_text("Cotton flaps.\n")
    again = souvenir("reindex", source_id, "--json")
    assert again["job"]["state"] == "done"
    assert again["statistics"]["indexed"] == 2
    assert souvenir("reindex", source_id, "--no-wait", "--json")["job"]["state"] == "queued"
    assert "Removed" in souvenir("remove", source_id)
    assert souvenir("list", "--json") == []


def test_a_folder_outside_the_roots_is_refused_in_one_line(environ: dict[str, str], tmp_path: Path) -> None:
    ended = run_to_end(["sources", "add", str(tmp_path)], environ, tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.startswith("souvenir: ")
    assert "SOUVENIR_SOURCE_ROOTS" in ended.stderr
    assert "Traceback" not in ended.stderr
