"""Names, roots, patterns and the tree: nothing leads out, and every name can be written down and read back."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.errors import BadInput, Forbidden, NotFound, RequestError
from souvenir.files.names import allowed_root, open_beneath, opened, unwritten, written
from souvenir.files.patterns import USUALLY_EXCLUDED, Patterns
from souvenir.files.scanning import RootGone, scan
from souvenir.files.tree import list_tree, read_file

NAME_BYTES = st.one_of(
    st.binary(min_size=1, max_size=30),
    st.lists(st.sampled_from([b"\\", b"udcff", b"\xff", b"a", b"\n", "é".encode()]), min_size=1).map(b"".join),
).filter(lambda name: b"\0" not in name and b"/" not in name)


@pytest.mark.req("FILE-1")
@given(NAME_BYTES)
def test_every_name_can_be_written_and_read_back(name: bytes) -> None:
    text = written(os.fsdecode(name))
    text.encode()
    assert os.fsencode(unwritten(text)) == name


@given(NAME_BYTES, NAME_BYTES)
def test_two_names_are_never_written_alike(one: bytes, other: bytes) -> None:
    assert (written(os.fsdecode(one)) == written(os.fsdecode(other))) == (one == other)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("alpha")
    (root / "sub" / "b.txt").write_text("beta")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (root / "out").symlink_to(outside)
    (root / "out.txt").symlink_to(outside / "secret.txt")
    (root / "loop").symlink_to(root)
    (root / "dangling").symlink_to(root / "nowhere")
    return root


@pytest.mark.req("FILE-1", "FILE-5")
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("..", BadInput), ("../outside/secret.txt", BadInput), ("sub/../../outside/secret.txt", BadInput),
        ("/etc/passwd", BadInput), ("out/secret.txt", BadInput), ("out.txt", BadInput), ("loop/a.txt", BadInput),
        ("a\0b", BadInput), ("x" * 5000, BadInput), ("sub", BadInput), ("nowhere", NotFound), ("a.txt/b", NotFound),
        ("sub/nowhere/c", NotFound), ("dangling", BadInput), ("x" * 300, BadInput),
    ],
    ids=range(15),
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(root: Path, path: str, error: type[RequestError]) -> None:
    with pytest.raises(error):
        read_file(root, path, limit=100)


@pytest.mark.req("FILE-5")
def test_no_permission_is_forbidden(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.open

    def refuse(path: str, flags: int, **more: int) -> int:
        if path == "a.txt":
            raise PermissionError(13, "Permission denied")
        return usual(path, flags, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Forbidden):
        opened(root, ("a.txt",))


def test_a_pipe_is_no_file_and_nobody_waits_for_it(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(BadInput):
        open_beneath(root, ("pipe",))


@pytest.mark.req("FILE-1")
def test_only_folders_in_the_roots_are_allowed(root: Path, tmp_path: Path) -> None:
    assert allowed_root(str(root / "sub"), (root,)) == root / "sub"
    assert allowed_root(str(root), (root,)) == root
    assert allowed_root(str(root / "loop" / "sub"), (root,)) == root / "sub"
    for folder in (tmp_path, tmp_path / "outside", root / "out", root / ".." / "outside", tmp_path / "root2"):
        with pytest.raises(Forbidden):
            allowed_root(str(folder), (root,))
    with pytest.raises(Forbidden, match="SOUVENIR_SOURCE_ROOTS"):
        allowed_root(str(root), ())
    for folder in (root / "a.txt", root / "nowhere"):
        with pytest.raises(BadInput):
            allowed_root(str(folder), (root,))
    with pytest.raises(BadInput):
        allowed_root("root/sub", (root,))


def names(root: Path, **patterns: tuple[str, ...]) -> list[str]:
    given = {"include": (), "exclude": USUALLY_EXCLUDED} | patterns
    return [seen.path for seen in scan(root, Patterns(**given))]


@pytest.mark.req("FILE-1")
def test_scanning_follows_no_link(root: Path) -> None:
    assert names(root) == ["a.txt", "sub/b.txt"]


@pytest.mark.req("FILE-1")
def test_patterns_choose_files(root: Path) -> None:
    for name in ("sub/c.md", "node_modules/d.txt", "sub/deep/e.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    assert names(root) == ["a.txt", "sub/b.txt", "sub/c.md", "sub/deep/e.md"]
    assert names(root, include=("*.md",)) == ["sub/c.md", "sub/deep/e.md"]
    assert names(root, include=("sub/*.md",)) == ["sub/c.md"]
    assert names(root, exclude=("sub/",)) == ["a.txt", "node_modules/d.txt"]
    assert names(root, include=("*.md", "*.txt"), exclude=("deep", "/a.txt", "node_modules")) == [
        "sub/b.txt",
        "sub/c.md",
    ]


@pytest.mark.parametrize(
    "patterns", [("*a*a*a*a*",), ("",), ("x" * 201,), ("a\0",), ("a",) * 101, ("**/a/**/b/**/**",)], ids=range(6)
)
def test_a_bad_pattern_is_named(patterns: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match=re.escape("include")):
        Patterns(patterns, ())


def test_odd_names_are_seen(root: Path) -> None:
    odd = [b"new\nline.txt", b"inv\xffalid.txt", b"-rf", "ünï.txt".encode()]
    for name in odd:
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")
    assert {os.fsencode(name) for name in names(root)} >= set(odd)


def test_a_folder_that_is_gone_is_told(root: Path) -> None:
    with pytest.raises(RootGone):
        list(scan(root / "nowhere", Patterns((), ())))


def tree(root: Path, path: str = "", depth: int = 5, limit: int = 100) -> list[tuple[str, str]]:
    entries, _ = list_tree(root, path, depth=depth, limit=limit)
    return [(entry.path, entry.kind) for entry in entries]


@pytest.mark.req("FILE-5")
def test_the_tree_shows_what_is_there_and_goes_into_no_link(root: Path) -> None:
    assert tree(root) == [
        ("a.txt", "file"), ("dangling", "link"), ("loop", "link"), ("out", "link"), ("out.txt", "link"),
        ("sub", "folder"), ("sub/b.txt", "file"),
    ]  # fmt: skip
    assert tree(root, "sub") == [("sub/b.txt", "file")]
    assert ("sub/b.txt", "file") not in tree(root, depth=1)
    assert list_tree(root, "", depth=9, limit=3)[1]
    assert len(tree(root, limit=3)) == 3


@pytest.mark.req("FILE-5")
@pytest.mark.parametrize(
    ("data", "limit", "text", "truncated"),
    [
        (b"alpha", 100, "alpha", False),
        (b"alpha", 3, "alp", True),
        ("aé".encode(), 2, "a", True),
        ("日本".encode(), 5, "日", True),
        ("🙂🙂".encode(), 7, "🙂", True),
        (b"\0\1\2", 100, None, False),
        (b"", 10, "", False),
    ],
)
def test_a_file_is_read_up_to_a_limit(root: Path, data: bytes, limit: int, text: str | None, truncated: bool) -> None:
    (root / "f").write_bytes(data)
    content = read_file(root, "f", limit=limit)
    assert (content.text, content.truncated, content.size) == (text, truncated, len(data))


READERS: list[Callable[[Path], object]] = [
    lambda root: list_tree(root, "out", depth=1, limit=1),
    lambda root: list_tree(root, "..", depth=1, limit=1),
    lambda root: list_tree(root, "a.txt", depth=1, limit=1),
]


@pytest.mark.req("FILE-5")
@pytest.mark.parametrize("reader", READERS, ids=range(3))
def test_the_tree_leads_nowhere_else(root: Path, reader: Callable[[Path], object]) -> None:
    with pytest.raises(BadInput):
        reader(root)
