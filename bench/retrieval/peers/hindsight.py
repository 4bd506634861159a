"""Hindsight's server without a language model, on its own embedded Postgres, over HTTP; a bank per conversation."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pg0  # type: ignore[import-not-found]

from bench.retrieval.peers.common import Job, Lookup, run, tree_memory

_ORDINARY = "nobody"  # Postgres refuses to run as root
_MODEL = "all-MiniLM-L6-v2"
_START_SECONDS = 180


class Embeddings(ThreadingHTTPServer):
    """`/v1/embeddings` with the vectors made beforehand; texts it does not know (cut by Hindsight) go to Souvenir."""

    def __init__(self, lookup: Lookup, real: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lookup = lookup
        self.real = real
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def vectors(self, texts: list[str]) -> list[list[float]]:
        unknown = [text for text in dict.fromkeys(texts) if text not in self.lookup]
        made = dict(zip(unknown, self._ask(unknown), strict=True)) if unknown else {}
        return [made[text] if text in made else self.lookup(text).tolist() for text in texts]

    def _ask(self, texts: list[str]) -> list[list[float]]:
        body = json.dumps({"model": _MODEL, "input": texts}).encode()
        request = urllib.request.Request(f"{self.real}/embeddings", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return [row["embedding"] for row in json.load(answer)["data"]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Embeddings

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        rows = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(self.server.vectors(texts))
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "model": _MODEL, "data": rows, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Nothing: a line for every request helps nobody."""


class Store:
    def __init__(self, port: int, bank: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self._path = f"/v1/default/banks/{bank}/memories"
        self._last = ""

    def add(self, id_: str, text: str, at: str) -> None:
        self._last = at
        self._post("", {"items": [{"content": text, "timestamp": at, "document_id": id_}]})

    def search(self, query: str) -> list[str]:
        # asked on the day of the last message, with room for more than twenty messages
        asked = {"query": query, "max_tokens": 200_000, "query_timestamp": self._last, "include": {"entities": None}}
        return [hit["document_id"] for hit in self._post("/recall", asked)["results"]]

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self._connection.request("POST", self._path + path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        read = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"Hindsight answered {answer.status}: {read[:500]!r}")
        loaded: dict[str, Any] = json.loads(read)
        return loaded


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of Hindsight's own Postgres, run by an ordinary user."""
    binary = Path(shutil.copy(Path(pg0.__file__).parent / "bin" / "pg0", folder / "pg0"))
    home = folder / "home"
    home.mkdir()
    as_user: dict[str, Any] = {"env": {**os.environ, "HOME": str(home)}, "cwd": home}
    if os.geteuid() == 0:
        as_user |= {"user": _ORDINARY, "group": "nogroup", "extra_groups": []}
        folder.chmod(0o755)
        shutil.chown(home, _ORDINARY)
    started = subprocess.run(
        [binary, "start", "--name", "bench", "--port", str(free_port())],
        check=True,
        capture_output=True,
        text=True,
        **as_user,
    ).stdout
    try:
        process = re.search(r"PID:\s+(\d+)", started)
        address = re.search(r"(postgresql://\S+)", started)
        if process is None or address is None:
            raise RuntimeError(f"pg0 did not start:\n{started}")
        yield address.group(1), int(process.group(1))
    finally:
        subprocess.run([binary, "stop", "--name", "bench"], check=True, **as_user)


@contextlib.contextmanager
def hindsight(folder: Path, database: str, embeddings: str) -> Iterator[tuple[int, int]]:
    """The port and the process of the server."""
    port = free_port()
    settings = {
        "HINDSIGHT_API_DATABASE_URL": database,
        "HINDSIGHT_API_HOST": "127.0.0.1",
        "HINDSIGHT_API_PORT": str(port),
        "HINDSIGHT_API_LLM_PROVIDER": "none",
        "HINDSIGHT_API_RERANKER_PROVIDER": "rrf",
        "HINDSIGHT_API_EMBEDDINGS_PROVIDER": "openai",
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_BASE_URL": embeddings,
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY": "none",
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_MODEL": _MODEL,
        "HINDSIGHT_API_LOG_LEVEL": "warning",
        "HINDSIGHT_API_WORKER_ID": "bench",
    }
    server = subprocess.Popen(
        [Path(sys.executable).parent / "hindsight-api"], env={**os.environ, **settings}, cwd=folder
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server)
        yield port, server.pid
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


def wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        embeddings = Embeddings(Job(Path(sys.argv[1])).lookup, os.environ["BENCH_EMBEDDINGS_URL"])
        with (
            postgres(folder) as (database, cluster),
            hindsight(folder, database, embeddings.base_url) as (port, server),
        ):
            run(lambda name, *_: Store(port, name), lambda: tree_memory(server) + tree_memory(cluster))


if __name__ == "__main__":
    main()
