"""Bytes to text in any common encoding, and the difference between text and binary data."""

import codecs
import re

import charset_normalizer

from souvenir.files.reading.document import Unreadable

# the longer ones first: UTF-32's mark begins with UTF-16's
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WESTERN = "cp1252"
_SAMPLE_BYTES = 65_536
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS = 0.02

BINARY = "is binary data, not text"


def decode(data: bytes) -> str:
    """The text of a file without its byte order mark, line ends as they are. Raises Unreadable for binary data."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(data[len(mark) :].decode(encoding, "replace"))
    if b"\0" in data:
        return _checked(_without_mark(data))
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    return _checked(data.decode(_guessed(data[:_SAMPLE_BYTES]), "replace"))


def _guessed(sample: bytes) -> str:
    """The likeliest encoding; of several that are as likely the western one, which is the commonest."""
    guesses = charset_normalizer.from_bytes(sample)
    best = guesses.best()
    if best is None:
        raise Unreadable(BINARY, "skipped")
    alike = [one for one in guesses if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    return _WESTERN if any(one.encoding == _WESTERN for one in alike) else best.encoding


def _without_mark(data: bytes) -> str:
    """UTF-16 with no mark has a zero in nearly every second byte, as long as it is mostly Latin."""
    sample = data[:_SAMPLE_BYTES]
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if half >= 2 and odd > 0.6 * half and even < 0.05 * half:
        return data.decode("utf-16-le", "replace")
    if half >= 2 and even > 0.6 * half and odd < 0.05 * half:
        return data.decode("utf-16-be", "replace")
    raise Unreadable(BINARY, "skipped")


def _checked(text: str) -> str:
    sample = text[:_SAMPLE_BYTES]
    strange = len(_CONTROLS.findall(sample)) + sample.count("\N{REPLACEMENT CHARACTER}")
    if "\0" in text or strange > max(1, _MOST_CONTROLS * len(sample)):
        raise Unreadable(BINARY, "skipped")
    return text
