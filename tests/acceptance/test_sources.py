"""Files over HTTP: folders are indexed and found, watched, browsed, paused and removed, and nothing leads out."""

import json
import os
import random
import shutil
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import httpx2
import psycopg
import pytest

from souvenir.config import Settings
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import eventually, running
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token
from tests.acceptance.conftest import Serve, scripted
from tests.conftest import MakeSettings
from tests.unit.files.test_reading import pdf, word

ENDED = {"done", "failed", "cancelled", "paused"}


class Client:
    """Somebody who has sources."""

    def __init__(self, url: str, headers: dict[str, str] | None = None) -> None:
        self.http = httpx2.Client(base_url=url, timeout=60, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def add(self, folder: Path, **more: Any) -> str:
        answer = self.http.post("/sources", json={"path": str(folder), "watch": False, **more})
        assert answer.status_code == 200, answer.text
        source_id: str = answer.json()["source_id"]
        return source_id

    def added(self, folder: Path, **more: Any) -> str:
        """A source that has been indexed."""
        source_id = self.add(folder, **more)
        self.wait(source_id, **{name: value for name, value in more.items() if name == "project_id"})
        return source_id

    def get(self, source_id: str, **query: Any) -> dict[str, Any]:
        answer = self.http.get(f"/sources/{source_id}", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def jobs(self, source_id: str, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.http.get(f"/sources/{source_id}/jobs", params=query).json()["jobs"]
        return found

    def wait(self, source_id: str, **query: Any) -> dict[str, Any]:
        eventually(lambda: all(job["state"] in ENDED for job in self.jobs(source_id, **query)), seconds=120)
        return self.jobs(source_id, **query)[0]

    def reindexed(self, source_id: str, **body: Any) -> dict[str, Any]:
        assert self.http.post(f"/sources/{source_id}/reindex", json=body).status_code == 200
        return self.wait(source_id)

    def files(self, source_id: str) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        after = ""
        while True:
            page = self.http.get(f"/sources/{source_id}/files", params={"after": after, "limit": 40}).json()
            found |= {file["path"]: file for file in page["files"]}
            if page["next_after"] is None:
                return found
            after = page["next_after"]

    def search(self, query: str, **more: Any) -> list[dict[str, Any]]:
        answer = self.http.post("/search", json={"query": query, "kinds": ["chunk"], "threshold": 0, **more})
        assert answer.status_code == 200, answer.text
        hits: list[dict[str, Any]] = answer.json()["hits"]
        return hits


@pytest.fixture(scope="module")
def allowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operator's root."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def root(allowed: Path) -> Path:
    """A folder of the test's own in the root, with another one in it."""
    root = allowed / uuid.uuid4().hex
    (root / "boats" / "deep").mkdir(parents=True)
    (root / "boats" / "notes.md").write_text("# Ropes\n\nHemp holds best.\n\n## Knots\n\nThe bowline is reliable.\n")
    (root / "boats" / "boat.py").write_text("class Boat:\n    def sail(self):\n        return 'wind'\n")
    (root / "boats" / "deep" / "tides.txt").write_text("Low tide is at six in the morning.\n")
    return root


@pytest.fixture(scope="module")
def works(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI, allowed: Path
) -> Iterator[RunningSouvenir]:
    """One Souvenir for the whole module; every test is another user's."""
    with postgres.database() as url:
        settings = Settings(
            database_url=url, data_dir=tmp_path_factory.mktemp("data"), source_roots=(allowed,), source_watch_ms=100,
            **scripted(host),
        )  # fmt: skip
        with RunningSouvenir(settings, works=True) as souvenir:
            yield souvenir


@pytest.fixture
def me(works: RunningSouvenir) -> Iterator[Client]:
    with Client(works.url, {"x-openwebui-user-id": uuid.uuid4().hex}) as me:
        yield me


def index_of(url: str, source_id: str) -> list[tuple[Any, ...]]:
    """What can be found of a source, whatever numbers it has."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "select origin ->> 'path', start_char, end_char, text, terms, origin - 'source_id', embedding::text"
            "  from passages where origin ->> 'source_id' = %s order by 1, 2, 3",
            [source_id],
        ).fetchall()


def fresh(me: Client, url: str, folder: Path, source_id: str) -> bool:
    """Whether a source's index is what indexing its folder anew, in another space, would make."""
    other = me.added(folder, project_id=uuid.uuid4().hex)
    return index_of(url, source_id) == index_of(url, other)


@pytest.mark.req("FILE-1", "FILE-3")
def test_a_folder_is_indexed_and_found_with_file_position_and_structure(me: Client, root: Path) -> None:
    source_id = me.added(root / "boats")
    source = me.get(source_id)
    assert source["statistics"] | {"bytes": 0} == {
        "files": 3, "indexed": 3, "skipped": 0, "failed": 0, "chunks": 3, "bytes": 0,
    }  # fmt: skip
    assert source["job"]["state"] == "done"
    assert (source["job"]["found"], source["job"]["indexed"], source["job"]["chunks"]) == (3, 3, 3)
    (hit, *_) = me.search("bowline knots")
    assert hit["kind"] == "chunk"
    assert hit["source"]["path"] == "notes.md"
    assert hit["source"]["source_id"] == source_id
    assert hit["source"]["heading"] == ["Ropes"]
    text = me.http.get(f"/filetree/{source_id}/file", params={"path": "notes.md"}).json()["text"]
    assert text[hit["source"]["start"] : hit["source"]["end"]] == hit["text"]
    assert {hit["source"]["symbol"] for hit in me.search("sail wind")} >= {"Boat"}


@pytest.mark.req("FILE-3")
def test_unchanged_files_are_skipped_and_changed_renamed_and_deleted_ones_are_not(me: Client, root: Path) -> None:
    folder = root / "boats"
    for path in folder.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    source_id = me.added(folder)
    (folder / "deep" / "tides.txt").write_text("High tide is at noon.\n")
    (folder / "boat.py").unlink()
    (folder / "notes.md").rename(folder / "ropes.md")
    job = me.reindexed(source_id)
    assert (job["found"], job["indexed"], job["removed"]) == (2, 2, 2)
    assert sorted(me.files(source_id)) == ["deep/tides.txt", "ropes.md"]
    assert me.search("tide noon")[0]["source"]["path"] == "deep/tides.txt"
    assert "six" not in " ".join(hit["text"] for hit in me.search("tide"))
    again = me.reindexed(source_id)
    assert (again["indexed"], again["unchanged"], again["chunks"]) == (0, 2, 0)
    full = me.reindexed(source_id, full=True)
    assert (full["indexed"], full["unchanged"]) == (2, 0)
    assert me.get(source_id)["statistics"]["files"] == 2


@pytest.mark.req("FILE-1", "FILE-3")
def test_a_file_that_fails_is_reported_and_the_rest_goes_on(me: Client, root: Path) -> None:
    folder = root / "boats"
    (folder / "plan.pdf").write_bytes(pdf("We sail at dawn"))
    (folder / "crew.docx").write_bytes(word())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (folder / "data.txt").write_bytes(bytes(range(256)) * 10)
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(2 * 2**30)
    (folder / "line\nbreak.txt").write_text("a name of two lines")
    Path(os.fsdecode(os.fsencode(folder) + b"/inv\xff.txt")).write_text("a name of odd bytes")
    os.mkfifo(folder / "pipe")
    source_id = me.added(folder)
    files = me.files(source_id)
    assert {path: file["status"] for path, file in files.items() if file["status"] != "indexed"} == {
        "broken.pdf": "failed", "data.txt": "skipped", "huge.txt": "failed",
    }  # fmt: skip
    assert "binary" in files["data.txt"]["error"]
    assert "2,147,483,648 bytes" in files["huge.txt"]["error"]
    assert "broken" in files["broken.pdf"]["error"]
    assert {"line\nbreak.txt", "inv\\udcff.txt", "plan.pdf", "crew.docx"} <= files.keys()
    assert me.get(source_id)["job"]["failed"] == 2
    (hit, *_) = me.search("dawn", limit=1)
    assert hit["source"]["path"] in {"plan.pdf", "crew.docx"}
    shown = me.http.get(f"/filetree/{source_id}/file", params={"path": "inv\\udcff.txt"}).json()
    assert shown["text"] == "a name of odd bytes"


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    ("path", "status"),
    [("/etc", 403), ("{root}/../..", 403), ("{root}/out", 403), ("boats", 400), ("{root}/nowhere", 400),
     ("{root}/boats/notes.md", 400), ("", 400), ("x" * 5000, 400)],
    ids=range(8),
)  # fmt: skip
def test_only_folders_in_the_operators_roots_can_be_sources(me: Client, root: Path, path: str, status: int) -> None:
    (root / "out").symlink_to("/etc")
    assert me.http.post("/sources", json={"path": path.format(root=root)}).status_code == status


def test_without_roots_no_folder_can_be_a_source(serve: Serve, root: Path) -> None:
    answer = httpx2.post(f"{serve().url}/sources", json={"path": str(root)})
    assert answer.status_code == 403
    assert "SOUVENIR_SOURCE_ROOTS" in answer.text


@pytest.mark.req("FILE-1")
@pytest.mark.parametrize(
    "body",
    [{}, {"path": 7}, {"path": "/", "include": "*.py"}, {"path": "/", "include": ["*a*b*c*d*"]},
     {"path": "/", "exclude": [""]}, {"path": "/", "watch": "yes"}, {"path": "/", "more": 1}],
    ids=range(7),
)  # fmt: skip
def test_a_wrong_body_is_400(me: Client, root: Path, body: dict[str, Any]) -> None:
    given = {name: str(root) if value == "/" else value for name, value in body.items()}
    assert me.http.post("/sources", json=given).status_code == 400


@pytest.mark.req("FILE-1")
def test_links_in_a_source_are_not_followed(me: Client, root: Path) -> None:
    folder = root / "boats"
    (root / "secret.txt").write_text("secret treasure")
    (folder / "secret.txt").symlink_to(root / "secret.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "etc").symlink_to("/etc")
    source_id = me.added(folder)
    assert sorted(me.files(source_id)) == ["boat.py", "deep/tides.txt", "notes.md"]


@pytest.mark.req("FILE-1")
def test_a_folder_is_a_source_once_and_patterns_choose(me: Client, root: Path) -> None:
    source_id = me.added(root / "boats", include=["*.md", "*.txt"], exclude=["deep/"])
    assert sorted(me.files(source_id)) == ["notes.md"]
    assert me.http.post("/sources", json={"path": str(root / "boats")}).status_code == 409
    assert [source["source_id"] for source in me.http.get("/sources").json()["sources"]] == [source_id]


@pytest.mark.req("FILE-1", "ID-8")
def test_a_second_user_sees_and_changes_nothing(make_settings: MakeSettings, host: Any, root: Path) -> None:
    settings = make_settings(**scripted(host), source_roots=(root,), auth="jwt", jwt_secret=SECRET)
    with (
        RunningSouvenir(settings, works=True) as souvenir,
        Client(souvenir.url, {"Authorization": f"Bearer {token('alice')}"}) as alice,
        Client(souvenir.url, {"Authorization": f"Bearer {token('bob')}"}) as bob,
    ):
        source_id = alice.added(root / "boats")
        assert bob.http.get("/sources").json() == {"sources": []}
        assert bob.search("bowline") == []
        for method, path in [
            ("GET", ""), ("DELETE", ""), ("GET", "/jobs"), ("GET", "/files"), ("POST", "/reindex"), ("POST", "/pause"),
            ("POST", "/resume"), ("POST", "/cancel"), ("GET", "/events"),
        ]:  # fmt: skip
            assert bob.http.request(method, f"/sources/{source_id}{path}").status_code == 404
        for path in ("", "/file?path=notes.md"):
            assert bob.http.get(f"/filetree/{source_id}{path}").status_code == 404
        assert alice.http.get("/sources", params={"project_id": "p"}).status_code == 403
        assert alice.get(source_id)["statistics"]["files"] == 3
        assert bob.add(root / "boats") != source_id


@pytest.mark.req("FILE-1")
def test_a_removed_source_is_no_longer_found(me: Client, root: Path) -> None:
    source_id = me.added(root / "boats")
    assert me.http.delete(f"/sources/{source_id}").status_code == 204
    assert me.search("bowline") == []
    assert me.http.get(f"/sources/{source_id}").status_code == 404
    assert me.http.delete(f"/sources/{source_id}").status_code == 404
    assert (root / "boats" / "notes.md").exists()


@pytest.mark.req("ID-9")
@pytest.mark.parametrize("source_id", ["%00", "x", "%F0%9F%99%82", "0" * 26, "%ff", "x" * 3000], ids=range(6))
def test_an_id_that_is_none_is_404(me: Client, source_id: str) -> None:
    for path in ("", "/jobs", "/files", "/events"):
        assert me.http.get(f"/sources/{source_id}{path}").status_code == 404
    for path in ("/reindex", "/pause", "/resume", "/cancel"):
        assert me.http.post(f"/sources/{source_id}{path}").status_code == 404
    assert me.http.delete(f"/sources/{source_id}").status_code == 404
    assert me.http.get(f"/filetree/{source_id}").status_code == 404
    assert me.http.get(f"/filetree/{source_id}/file", params={"path": "a"}).status_code == 404
    assert me.http.get("/sources", params={"project_id": "a\0"}).status_code == 400


def events(client: Client, source_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    with client.http.stream("GET", f"/sources/{source_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


@pytest.mark.req("FILE-3")
def test_progress_is_told_live_and_indexing_can_be_paused_resumed_and_cancelled(me: Client, root: Path) -> None:
    folder = root / "many"
    folder.mkdir()
    for number in range(1500):
        (folder / f"{number}.txt").write_text(f"File number {number} speaks of boats.\n" * 3)
    source_id = me.add(folder)
    seen = events(me, source_id)
    for name, source in seen:
        assert name == "progress"
        if source["job"]["indexed"]:
            break
    (paused,) = me.http.post(f"/sources/{source_id}/pause").json()["jobs"]
    assert paused["state"] == "paused"
    *_, (name, source) = seen
    assert (name, source["job"]["state"]) == ("done", "paused")
    assert 0 < source["statistics"]["indexed"] < 1500
    assert me.http.post(f"/sources/{source_id}/pause").status_code == 409
    assert me.http.post(f"/sources/{source_id}/resume").status_code == 200
    assert me.http.post(f"/sources/{source_id}/resume").status_code == 409
    assert me.http.post(f"/sources/{source_id}/cancel").json()["jobs"][0]["state"] == "cancelled"
    assert me.http.post(f"/sources/{source_id}/cancel").status_code == 409
    done = me.reindexed(source_id)
    assert done["state"] == "done"
    assert done["found"] == done["indexed"] + done["unchanged"] == 1500
    assert me.get(source_id)["statistics"]["indexed"] == 1500
    assert done["chunks_per_second"] > 0


@pytest.mark.req("FILE-3")
def test_a_folder_removed_while_it_is_indexed_keeps_what_was_known(me: Client, root: Path) -> None:
    folder = root / "boats"
    source_id = me.added(folder)
    shutil.move(folder, root / "elsewhere")
    job = me.reindexed(source_id)
    assert job["state"] == "failed"
    assert "cannot be read" in job["error"] or "not a folder" in job["error"]
    assert me.get(source_id)["statistics"]["files"] == 3
    shutil.move(root / "elsewhere", folder)
    shutil.rmtree(folder / "deep")
    assert me.reindexed(source_id)["removed"] == 1


@pytest.mark.req("FILE-3")
def test_a_file_that_grows_while_it_is_read_is_whole_in_the_end(me: Client, root: Path, works: RunningSouvenir) -> None:
    folder = root / "boats"
    stop = threading.Event()

    def grow() -> None:
        number = 0
        while not stop.is_set():
            with (folder / "log.txt").open("a") as log:
                log.write(f"Entry {number} of the log book.\n")
            number += 1
            stop.wait(0.002)

    writing = threading.Thread(target=grow)
    writing.start()
    try:
        source_id = me.added(folder)
        me.reindexed(source_id)
    finally:
        stop.set()
        writing.join()
    me.reindexed(source_id)
    assert fresh(me, works.souvenir.database.url, folder, source_id)


@pytest.mark.req("FILE-4")
def test_after_random_creates_changes_renames_and_deletes_the_index_equals_a_fresh_one(
    me: Client, root: Path, works: RunningSouvenir
) -> None:
    folder = root / "watched"
    folder.mkdir()
    (folder / "0.txt").write_text("first")
    source_id = me.added(folder, watch=True)
    eventually(lambda: len(me.jobs(source_id)) >= 2)  # it looks over the folder once it watches
    me.wait(source_id)
    rng = random.Random(7)
    names = [
        f"{part}{number}{end}" for part in ("", "sub/", "sub/deep/") for number in range(8) for end in (".txt", ".md")
    ]
    for step in range(1000):
        _change(rng, folder, names, step)
    (folder / "last.txt").write_text("the last change of all")
    eventually(lambda: "last.txt" in me.files(source_id), seconds=60)
    me.wait(source_id)
    expected = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    eventually(lambda: set(me.files(source_id)) == expected, seconds=60)
    me.wait(source_id)
    assert fresh(me, works.souvenir.database.url, folder, source_id)


def _change(rng: random.Random, folder: Path, names: list[str], step: int) -> None:
    path, other = folder / rng.choice(names), folder / rng.choice(names)
    action = rng.random()
    if action < 0.6:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Step {step} wrote about boats and tides. " * rng.randint(1, 40))
    elif action < 0.75 and path.exists():
        path.unlink()
    elif action < 0.9 and path.exists():
        other.parent.mkdir(parents=True, exist_ok=True)
        path.rename(other)
    elif action < 0.95 and (folder / "sub").exists() and not (folder / "moved").exists():
        (folder / "sub").rename(folder / "moved")
    elif (folder / "moved").exists():
        shutil.rmtree(folder / "moved")


@pytest.mark.req("FILE-3")
def test_kill_9_in_the_middle_of_indexing_and_start_again_ends_equal_to_an_undisturbed_run(
    root: Path, host: ScriptedOpenAI, database_url: str, tmp_path: Path
) -> None:
    folder = root / "many"
    folder.mkdir()
    for number in range(1200):
        (folder / f"{number}.txt").write_text(f"File number {number} speaks of boats.\n" * 5)
    environ = {f"SOUVENIR_{name.upper()}": value for name, value in scripted(host).items()} | {
        "SOUVENIR_DATABASE_URL": database_url, "SOUVENIR_PORT": "0", "SOUVENIR_SOURCE_ROOTS": str(root),
        "SOUVENIR_JOB_HEARTBEAT_SECONDS": "0.3", "SOUVENIR_DATA_DIR": str(tmp_path / "data"),
    }  # fmt: skip
    with running(["serve"], environ, tmp_path) as server, Client(server.url) as me:
        source_id = me.add(folder)
        eventually(lambda: me.get(source_id)["statistics"]["indexed"] > 0)
        server.kill()
    with running(["serve"], environ, tmp_path) as again, Client(again.url) as me:
        before = me.get(source_id)["statistics"]["indexed"]
        assert 0 < before < 1200
        done = me.wait(source_id)
        assert done["state"] == "done"
        assert done["unchanged"] + done["indexed"] == 1200
        assert me.get(source_id)["statistics"]["indexed"] == 1200
        assert fresh(me, database_url, folder, source_id)


@pytest.mark.req("FILE-5")
def test_the_tree_is_browsed_within_limits_and_never_left(me: Client, root: Path) -> None:
    folder = root / "boats"
    (folder / "raw.bin").write_bytes(b"\0\1\2")
    (folder / "out").symlink_to("/etc")
    source_id = me.added(folder)

    def look(route: str = "", **query: Any) -> httpx2.Response:
        return me.http.get(f"/filetree/{source_id}{route}", params=query)

    tree = look(depth=3).json()
    assert [(entry["path"], entry["kind"]) for entry in tree["entries"]] == [
        ("boat.py", "file"), ("deep", "folder"), ("notes.md", "file"), ("out", "link"), ("raw.bin", "file"),
        ("deep/tides.txt", "file"),
    ]  # fmt: skip
    assert look(limit=2).json()["truncated"] is True
    assert look("/file", path="boat.py", limit=5).json() | {"size": 0} == {
        "path": "boat.py", "size": 0, "binary": False, "text": "class", "truncated": True,
    }  # fmt: skip
    assert look("/file", path="raw.bin").json()["binary"] is True
    for path in ("..", "../..", "/etc/passwd", "deep/../../..", "out/passwd", "out"):
        assert look("/file", path=path).status_code == 400
        assert look(path=path).status_code == 400
    assert look("/file", path="nowhere").status_code == 404
    assert look(path="nowhere").status_code == 404
    assert look("/file").status_code == 400
    assert look(limit=0).status_code == 400
    assert look(depth=0).status_code == 400
    assert me.http.get("/filetree/nowhere").status_code == 404


@pytest.mark.req("FILE-1")
def test_a_chat_is_answered_from_files_with_a_citation(make_settings: MakeSettings, root: Path) -> None:
    with (
        RunningSouvenir(make_settings(source_roots=(root,)), works=True) as souvenir,
        Client(souvenir.url) as me,
    ):
        me.added(root / "boats")
        asked = {"model": "souvenir", "messages": [{"role": "user", "content": "At what time is low tide?"}]}
        answer = me.http.post("/v1/chat/completions", json=asked).json()["choices"][0]["message"]["content"]
        assert "six in the morning" in answer
        assert "[M1]" in answer
