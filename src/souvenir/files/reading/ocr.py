"""The text in a picture, by a model that comes with the extra `ocr`. Only the reading process ever loads it."""

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from souvenir.files.reading.document import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST = 2000
"""The most pixels on a side that the model looks at; A4 has 170 to the inch then."""
NEEDED = "is a picture or a scan; its text is read once the extra is installed: pip install 'souvenir[ocr]'"

_SMALLEST = 10  # pixels, in which no letter can be written
_TALL = 2.0  # times as high as wide: looked at in bands, as a whole it would be too small to read
_WIDEST_BAND = 1500
_MARGIN = 0.2  # of a band, in which the emptiest row is searched to cut it at
_THINNEST = 2  # times as long as wide; a thinner one gets a margin, or else it would be looked at much enlarged
_MOST_THREADS = 4


@dataclass(slots=True)
class _Row:
    """What stands beside each other, and how high up it does."""

    top: float
    bottom: float
    right: float
    text: str


def installed() -> bool:
    """Whether the extra is there; nothing is loaded to know."""
    return importlib.util.find_spec("rapidocr") is not None


def require() -> None:
    """Raise Unreadable, saying how to get it, unless the extra is installed."""
    if not installed():
        raise Unreadable(NEEDED, "skipped")


def fitted(picture: "Image") -> "Image":
    """The picture, made smaller if it is larger than is looked at; a very tall one in its width alone."""
    width, height = picture.size
    most = _WIDEST_BAND / width if _is_tall(picture) else LONGEST / max(width, height)
    if most >= 1:
        return picture
    return picture.resize((max(1, int(width * most)), max(1, int(height * most))), reducing_gap=2.0)


def bands(picture: "Image") -> Iterator["Image"]:
    """The picture, or a very tall one from top to bottom in bands that are cut between lines."""
    width, height = picture.size
    if not _is_tall(picture):
        yield picture
        return
    most = max(int(_TALL * width), LONGEST // 2)
    top = 0
    while top < height:
        bottom = height if height - top <= most else top + _quietest(picture, top, most)
        yield picture.crop((0, top, width, bottom))
        top = bottom


def _is_tall(picture: "Image") -> bool:
    return picture.height > LONGEST and picture.height > _TALL * picture.width


def _quietest(picture: "Image", top: int, most: int) -> int:
    """Where a band that begins at `top` can end: the last of the rows near its end in which least is to be seen."""
    first = int(most * (1 - _MARGIN))
    rows = np.asarray(picture.crop((0, top + first, picture.width, top + most)).convert("L"), dtype=np.float32)
    spread = rows.std(axis=1)
    return first + int(np.flatnonzero(spread <= spread.min())[-1]) + 1


def text_in(picture: "Image") -> str:
    """The text in a picture in RGB, row by row, with an empty line where there is a gap; empty if there is none."""
    if min(picture.size) < _SMALLEST:
        return ""
    found = _engine()(_pixels(picture))
    if found.txts is None or found.boxes is None:
        return ""
    lines: list[str] = []
    before: _Row | None = None
    for row in _rows(found.boxes, found.txts):
        if before is not None and row.top - before.bottom > before.bottom - before.top:
            lines.append("")
        lines.append(row.text)
        before = row
    return "\n".join(lines)


def _rows(boxes: Any, texts: Any) -> Iterator[_Row]:
    """Boxes come from top to bottom, and those of one row from left to right."""
    held: _Row | None = None
    for box, text in zip(boxes, texts, strict=True):
        (left, top), (right, bottom) = np.min(box, axis=0).tolist(), np.max(box, axis=0).tolist()
        if held is not None and held.top < (top + bottom) / 2 < held.bottom and left >= held.right:
            held = _Row(held.top, held.bottom, right, f"{held.text} {text.strip()}")
            continue
        if held is not None:
            yield held
        held = _Row(top, bottom, right, text.strip())
    if held is not None:
        yield held


def _pixels(picture: "Image") -> NDArray[np.uint8]:
    """As the model takes them: the colours in the other order, and no picture too thin."""
    pixels = np.asarray(picture, dtype=np.uint8)[:, :, ::-1]
    height, width = pixels.shape[:2]
    rows, columns = max(height, width // _THINNEST), max(width, height // _THINNEST)
    if (rows, columns) == (height, width):
        return np.ascontiguousarray(pixels)
    padded = np.full((rows, columns, 3), 255, dtype=np.uint8)
    top, left = (rows - height) // 2, (columns - width) // 2
    padded[top : top + height, left : left + width] = pixels
    return padded


@cache
def _engine() -> Any:
    import cv2  # noqa: PLC0415 - it takes a second and 100 MB, and few files need it
    from rapidocr import RapidOCR  # noqa: PLC0415

    cores = os.cpu_count() or 1
    cv2.setNumThreads(1)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": LONGEST,
            "Global.use_cls": False,  # it takes upright lines for lines upside down now and then
            "Rec.rec_batch_num": 1,  # more take more memory, and no less time
            # half of the machine at most: embedding goes on beside this
            "EngineConfig.onnxruntime.intra_op_num_threads": max(1, min(_MOST_THREADS, cores // 2)),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
