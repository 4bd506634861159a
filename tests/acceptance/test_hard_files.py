"""Files that make it hard, over HTTP: gone while they are indexed, closed to us, in loops of links."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from souvenir.testing.processes import eventually
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.test_sources import Client, allowed, fresh, me, root, works

__all__ = ["allowed", "me", "root", "works"]


@pytest.mark.req("FILE-1", "FILE-5")
def test_what_may_not_be_read_is_403(me: Client, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source_id = me.added(root / "boats")
    usual, look = os.open, os.stat

    def refuse(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if path in {"notes.md", "deep"}:
            raise PermissionError(13, "Permission denied")
        return usual(path, flags, *more, **named)

    def refuse_a_look(path: Any, **named: Any) -> os.stat_result:
        if str(path).endswith("/unreachable"):
            raise PermissionError(13, "Permission denied")
        return look(path, **named)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "stat", refuse_a_look)

    def status(route: str, path: str) -> int:
        return me.http.get(f"/filetree/{source_id}{route}", params={"path": path}).status_code

    assert [status("/file", path) for path in ("notes.md", "deep/tides.txt", "boat.py")] == [403, 403, 200]
    assert status("", "deep") == 403
    tree = me.http.get(f"/filetree/{source_id}", params={"depth": 3}).json()
    assert [entry["path"] for entry in tree["entries"]] == ["boat.py", "deep", "notes.md"]
    answer = me.http.post("/sources", json={"path": str(root / "unreachable")})
    assert (answer.status_code, "permission" in answer.text) == (403, True)


@pytest.mark.req("FILE-3")
def test_a_folder_that_goes_away_in_the_middle_of_indexing_fails_the_job_and_comes_back(
    me: Client, root: Path, works: RunningSouvenir
) -> None:
    folder = root / "many"
    folder.mkdir()
    for number in range(3000):
        (folder / f"{number}.txt").write_text(f"File number {number} speaks of boats.\n")
    source_id = me.add(folder)
    eventually(lambda: me.get(source_id)["job"]["indexed"] > 0)
    folder.rename(root / "elsewhere")
    job = me.wait(source_id)
    assert job["state"] == "failed"
    assert "cannot be read" in job["error"]
    assert 0 < me.get(source_id)["statistics"]["files"] < 3000
    (root / "elsewhere").rename(folder)
    assert me.reindexed(source_id)["state"] == "done"
    assert fresh(me, works.souvenir.database.url, folder, source_id)


@pytest.mark.req("FILE-3")
def test_folders_in_a_source_that_go_away_in_the_middle_of_indexing_are_not_in_the_index(
    me: Client, root: Path, works: RunningSouvenir
) -> None:
    folder = root / "many"
    for number in range(2000):
        place = folder / str(number // 100)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_text(f"File number {number} speaks of boats.\n")
    source_id = me.add(folder)
    eventually(lambda: me.get(source_id)["job"]["indexed"] > 0)
    for number in range(0, 20, 2):
        shutil.rmtree(folder / str(number))
    assert me.wait(source_id)["state"] == "done"
    me.reindexed(source_id)
    assert len(me.files(source_id)) == 1000
    assert fresh(me, works.souvenir.database.url, folder, source_id)


@pytest.mark.req("FILE-1")
def test_loops_of_links_of_every_kind_end(me: Client, root: Path) -> None:
    folder = root / "boats"
    (folder / "itself").symlink_to("itself")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "up").symlink_to("..")
    (folder / "deep" / "round").symlink_to(folder / "deep", target_is_directory=True)
    source_id = me.added(folder)
    assert sorted(me.files(source_id)) == ["boat.py", "deep/tides.txt", "notes.md"]
    tree = me.http.get(f"/filetree/{source_id}", params={"depth": 10}).json()
    kinds = {entry["path"]: entry["kind"] for entry in tree["entries"]}
    assert [path for path, kind in sorted(kinds.items()) if kind == "link"] == [
        "deep/round", "itself", "one", "two", "up",
    ]  # fmt: skip
    for path in ("itself", "one", "up", "deep/round/tides.txt"):
        assert me.http.get(f"/filetree/{source_id}/file", params={"path": path}).status_code == 400
