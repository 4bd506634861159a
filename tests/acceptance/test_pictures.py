"""Text in pictures and scans over HTTP: it is found, its model stays out of the server, and work can be broken off."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PIL import Image

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.processes import SouvenirProcess, eventually, running
from tests.acceptance.conftest import scripted
from tests.acceptance.test_sources import Client
from tests.unit.files.test_pictures import bomb, encoded, mixed, picture, scanned


@pytest.fixture
def environ(host: ScriptedOpenAI, database_url: str, tmp_path: Path) -> dict[str, str]:
    return {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()} | {
        "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_PORT": "0", "SOUVENIR_SOURCE_ROOTS": str(tmp_path),
        "SOUVENIR_DATA_DIR": str(tmp_path / "data"),
    }  # fmt: skip


@pytest.fixture
def server(environ: dict[str, str], tmp_path: Path) -> Iterator[SouvenirProcess]:
    with running(["serve"], environ, tmp_path) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "album"
    folder.mkdir()
    return folder


def reads(server: SouvenirProcess) -> bool:
    """Whether the server has a reading process."""
    for child in psutil.Process(server.process.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if "souvenir.files.worker" in child.cmdline():
                return True
    return False


@pytest.mark.req("FILE-1", "FILE-2", "FILE-3")
def test_what_is_written_in_pictures_and_scans_is_found_and_the_server_loads_no_model(
    server: SouvenirProcess, folder: Path
) -> None:
    (folder / "invoice.png").write_bytes(encoded(picture("The invoice number is 48213")))
    (folder / "book.pdf").write_bytes(mixed())
    (folder / "bomb.png").write_bytes(bomb(50_000, 50_000))
    (folder / "half.jpg").write_bytes(encoded(picture("A photo"), "JPEG")[:2000])
    (folder / "blank.gif").write_bytes(encoded(Image.new("RGB", (80, 60), "white"), "GIF"))
    with Client(server.url) as me:
        source_id = me.added(folder)
        files = me.files(source_id)
        assert {path: file["status"] for path, file in files.items()} == {
            "blank.gif": "skipped", "bomb.png": "failed", "book.pdf": "indexed", "half.jpg": "failed",
            "invoice.png": "indexed",
        }  # fmt: skip
        assert files["invoice.png"]["format"] == "picture"
        assert "too many pixels" in files["bomb.png"]["error"]
        assert "is broken" in files["half.jpg"]["error"]
        assert "has no text" in files["blank.gif"]["error"]
        found = {hit["source"]["path"]: hit for hit in me.search("invoice number 48213")}
        hit = found["invoice.png"]
        assert hit["text"] == "The invoice number is 48213"
        assert (hit["source"]["start"], hit["source"]["end"]) == (0, len(hit["text"]))
        assert me.search("captain Anna dawn")[0]["source"]["path"] == "book.pdf"
        shown = me.http.get(f"/filetree/{source_id}/file", params={"path": "invoice.png"}).json()
        assert (shown["binary"], shown["text"]) == (True, None)
    loaded = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert [name for name in ("cv2", "_imaging", "pdfium") if name in loaded] == []


@pytest.mark.req("FILE-3")
def test_while_a_long_scan_is_read_the_rest_is_found_and_the_job_can_be_paused_and_resumed(
    server: SouvenirProcess, folder: Path
) -> None:
    (folder / "a note.txt").write_text("Hemp holds.")
    (folder / "long.pdf").write_bytes(scanned(*([f"Page {number} of the log"] for number in range(8))))
    with Client(server.url) as me:
        source_id = me.add(folder)
        eventually(lambda: me.get(source_id)["job"]["indexed"] == 1, seconds=60)
        assert me.search("hemp")[0]["source"]["path"] == "a note.txt"
        assert reads(server)
        assert me.http.post(f"/sources/{source_id}/pause").json()["jobs"][0]["state"] == "paused"
        eventually(lambda: not reads(server), seconds=60)
        assert list(me.files(source_id)) == ["a note.txt"]
        me.http.post(f"/sources/{source_id}/resume")
        job = me.wait(source_id)
        assert (job["state"], job["indexed"], job["unchanged"]) == ("done", 1, 1)
        pages = {hit["text"]: hit["source"].get("page") for hit in me.search("page of the log", limit=20)}
        assert pages == {"Hemp holds.": None} | {f"Page {number} of the log": number + 1 for number in range(8)}


@pytest.mark.req("FILE-1")
def test_pictures_that_were_skipped_are_read_once_the_extra_is_installed(
    environ: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    (folder / "invoice.png").write_bytes(encoded(picture("The invoice number is 48213")))
    (folder / "scan.pdf").write_bytes(scanned(["Captain Anna sails at dawn"]))
    without = tmp_path / "without"
    without.mkdir()
    # a module that is known as None is one that is not there
    (without / "sitecustomize.py").write_text("import sys\nsys.modules['rapidocr'] = None\n")
    with running(["serve"], {**environ, "PYTHONPATH": str(without)}, tmp_path) as server, Client(server.url) as me:
        source_id = me.added(folder)
        assert [file["status"] for file in me.files(source_id).values()] == ["skipped", "skipped"]
        assert all("pip install 'souvenir[ocr]'" in file["error"] for file in me.files(source_id).values())
        assert me.get(source_id)["job"]["failed"] == 0
    with running(["serve"], environ, tmp_path) as server, Client(server.url) as me:
        assert me.reindexed(source_id)["indexed"] == 2
        assert {hit["source"]["path"] for hit in me.search("invoice captain")} == {"invoice.png", "scan.pdf"}
        assert me.reindexed(source_id)["indexed"] == 0
