"""Pictures: what is written in them, after a look at how large they unpack."""

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from souvenir.files.reading import ocr
from souvenir.files.reading.document import Beat, Builder, Document, Limits, Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"}
NO_TEXT = "has no text that could be read in its pictures"

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_DEEP = {"I", "F", "I;16", "I;16L", "I;16B", "I;16N"}
_TURNED = 0x0112
_BRIGHT = 160  # of 255: what is brighter on average shows on black only


def read_picture(data: bytes, limits: Limits, beat: Beat) -> Document:
    """The text in a picture: pages of a TIFF one by one, of what moves the first frame. Raises Unreadable."""
    ocr.require()
    builder = Builder("picture", limits)
    for picture in _frames(data, limits, builder):
        for band in ocr.bands(picture):
            beat()
            builder.paragraph(ocr.text_in(band))
    if not builder.length:
        raise Unreadable(NO_TEXT, "skipped")
    return builder.document()


def _frames(data: bytes, limits: Limits, builder: Builder) -> Iterator["Image"]:
    picture = _opened(data, limits)
    pages = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
    if pages > limits.ocr_pages:
        raise Unreadable(f"has {pages:,} pages; at most {limits.ocr_pages:,} are read of a scan")
    for page in range(pages):
        if pages > 1:
            picture.seek(page)
            builder.page()
        _check_size(picture, limits)
        picture.draft("RGB", (ocr.LONGEST, ocr.LONGEST))
        yield _flat(picture)


def _opened(data: bytes, limits: Limits) -> "Image":
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - few files need it

    try:
        with warnings.catch_warnings():
            # how large it unpacks is ours to judge, and its metadata is not read
            warnings.simplefilter("ignore")
            return Image.open(io.BytesIO(data), formats=_FORMATS)
    except Image.DecompressionBombError:
        raise Unreadable(f"unpacks to too many pixels; at most {limits.pixels:,} are read") from None
    except UnidentifiedImageError:
        raise Unreadable("is broken: not a picture of a known format") from None


def _check_size(picture: "Image", limits: Limits) -> None:
    width, height = picture.size
    if width * height > limits.pixels:
        raise Unreadable(f"has {width:,} x {height:,} pixels; at most {limits.pixels:,} are read")


def _flat(picture: "Image") -> "Image":
    """The picture upright, no larger than is looked at, in RGB, on a ground on which it shows."""
    from PIL import Image, ImageStat  # noqa: PLC0415

    picture = _upright(picture)
    if picture.mode in _DEEP:
        picture = _shallow(picture)
    if not picture.has_transparency_data:
        return ocr.fitted(picture.convert("RGB"))
    seen = ocr.fitted(picture.convert("RGBA"))
    alpha = seen.getchannel("A")
    bright = bool(alpha.getbbox()) and ImageStat.Stat(seen.convert("L"), mask=alpha).mean[0] > _BRIGHT
    ground = Image.new("RGBA", seen.size, "black" if bright else "white")
    ground.alpha_composite(seen)
    return ground.convert("RGB")


def _upright(picture: "Image") -> "Image":
    from PIL import ImageOps  # noqa: PLC0415

    try:
        turned = picture.getexif().get(_TURNED, 1) != 1
    except (SyntaxError, ValueError, OSError):
        return picture  # what it says of itself is broken, and it may be whole
    return ImageOps.exif_transpose(picture) if turned else picture


def _shallow(picture: "Image") -> "Image":
    """More than eight bits a pixel in eight, from the darkest to the brightest."""
    from PIL import Image  # noqa: PLC0415

    values = np.nan_to_num(np.asarray(picture, dtype=np.float32))
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8))
