"""The process that reads files for us: a parser that hangs, or wants all the memory, is killed with it.

Requests and answers are JSON, each after its length in four bytes, over standard input and output. While a file takes
long, page by page, `reading` comes before its answer. It ends when its input does, so that it never outlives who
started it for long.
"""

import hashlib
import json
import os
import resource
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from souvenir.errors import RequestError
from souvenir.files.chunking import Chunk, Count, chunks_of, counter
from souvenir.files.names import open_beneath, parts_of, written
from souvenir.files.plan import Sizes
from souvenir.files.reading.document import Beat, Document, Limits, Unreadable
from souvenir.files.reading.formats import read
from souvenir.files.scanning import changed_ns
from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import terms_of

_PIECE = 2**20


@dataclass(frozen=True, slots=True)
class _Work:
    count: Count
    sizes: Sizes
    limits: Limits
    beat: Beat

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Read one file; what it is, or why it gives nothing."""
        about: dict[str, Any] = {}
        try:
            parts = parts_of(request["path"])
            data, about = _bytes_of(Path(request["root"]), parts, self.limits)
            if about["digest"] == request.get("digest"):
                return {"status": "unchanged", **about}
            return self._read(parts, data) | about
        except FileNotFoundError:
            return {"status": "gone"}
        except Unreadable as error:
            return {"status": error.outcome, "error": error.reason, **about}
        except (OSError, RequestError, MemoryError) as error:
            return {"status": "failed", "error": _reason(error), **about}

    def _read(self, parts: tuple[str, ...], data: bytes) -> dict[str, Any]:
        document = read(parts[-1], data, self.limits, self.beat)
        path = written("/".join(parts))
        chunks = chunks_of(document, self.sizes, self.count)
        told = [_told(document, chunk, path) for chunk in chunks]
        return {"status": "indexed", "format": document.format, "chunks": told}


def _reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "there is no permission to read it"
    if isinstance(error, MemoryError):
        return "takes too much memory to read"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"


def _bytes_of(root: Path, parts: tuple[str, ...], limits: Limits) -> tuple[bytes, dict[str, Any]]:
    """A file's bytes, with its size and time from before they were read: what comes later shows as a change."""
    with os.fdopen(open_beneath(root, parts), "rb") as file:
        found = os.fstat(file.fileno())
        about = {"size": found.st_size, "changed_ns": changed_ns(found), "modified": found.st_mtime}
        if found.st_size > limits.file_bytes:
            raise Unreadable(f"has {found.st_size:,} bytes; at most {limits.file_bytes:,} are read")
        data = bytearray()
        while piece := file.read(_PIECE):
            data += piece
            if len(data) > limits.file_bytes:
                raise Unreadable(f"grew beyond {limits.file_bytes:,} bytes while it was read")
    return bytes(data), {**about, "digest": hashlib.sha256(data).hexdigest()}


def _told(document: Document, chunk: Chunk, path: str) -> dict[str, Any]:
    text = document.text[chunk.start : chunk.end]
    # found by where it stands, too
    named = " ".join((path, *chunk.heading, chunk.symbol or "", text))
    return {
        **asdict(chunk),
        "text": text,
        "terms": " ".join(terms_of(named)),
        "signs": signs_of(text),
        "words": words_of(text),
    }


def _receive(stream: BinaryIO) -> dict[str, Any] | None:
    length = stream.read(4)
    if len(length) < 4:
        return None
    request: dict[str, Any] = json.loads(stream.read(int.from_bytes(length, "big")))
    return request


def _send(stream: BinaryIO, answer: dict[str, Any]) -> None:
    data = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def main() -> None:
    """Answer requests until there are no more; the first one says how to work."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer of ours
    setup = _receive(sys.stdin.buffer)
    if setup is None:
        return
    resource.setrlimit(resource.RLIMIT_AS, (setup["memory_bytes"],) * 2)
    tokenizer = Path(setup["tokenizer"]) if setup["tokenizer"] else None

    def wind_up() -> None:
        # the usual action of this signal ends the process, whatever it is in the middle of
        signal.setitimer(signal.ITIMER_REAL, setup["seconds"])

    def beat() -> None:
        _send(answers, {"status": "reading"})
        wind_up()

    work = _Work(counter(tokenizer), Sizes(**setup["sizes"]), Limits(**setup["limits"]), beat)
    while (request := _receive(sys.stdin.buffer)) is not None:
        wind_up()
        answer = work.answer(request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _send(answers, answer)


if __name__ == "__main__":
    main()
