"""Souvenir as the peers are run: called in its own process, the vectors looked up. It still has its Postgres."""

import contextlib
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import uvloop

from bench.retrieval.peers.common import TOP, WIDTH, Lookup, cluster_memory, run
from souvenir.app import create_search
from souvenir.chat.indexing import Indexing, Said
from souvenir.config import load_settings
from souvenir.embed.port import Embedding
from souvenir.log import configure_logging
from souvenir.retrieval.filters import Filter
from souvenir.storage import create_chat_engine, open_storage, opened
from souvenir.types import user_space

T = TypeVar("T")


class Embedder:
    """What Souvenir asks of an embedding model. Pieces of long texts have no vector of their own here: only times are
    taken."""

    model, dimension = "all-MiniLM-L6-v2", WIDTH

    def __init__(self) -> None:
        self.lookup: Lookup
        self._any = np.full(WIDTH, WIDTH**-0.5, np.float32)

    async def start(self) -> None:
        return

    async def embed(self, texts: Sequence[str]) -> Embedding:
        return Embedding(
            np.array([self.lookup(text) if text in self.lookup else self._any for text in texts]), len(texts)
        )

    async def aclose(self) -> None:
        return


class Souvenir:
    """Indexing and search over one database, for every conversation of a job."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loop = uvloop.new_event_loop()
        self._stack = contextlib.AsyncExitStack()
        self._embedder = Embedder()
        self.wait(self._open())

    def open(self, name: str, lookup: Lookup, _folder: Path) -> "Store":
        self._embedder.lookup = lookup
        return Store(self, name)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        self.wait(self._stack.aclose())
        self._loop.close()

    def memory(self) -> int:
        return cluster_memory(self._folder)

    async def _open(self) -> None:
        settings = load_settings({}, data_dir=self._folder / "data", log_level="error")
        configure_logging(settings)
        storage = await self._stack.enter_async_context(open_storage(settings))
        chats = await self._stack.enter_async_context(opened(create_chat_engine("postgres", storage)))
        self.search = create_search(storage, self._embedder)
        self.indexing = Indexing(
            chats, storage.passages, self._embedder, storage.jobs, storage.database.transaction,
            storage.metrics, storage.clock,
        )  # fmt: skip


class Store:
    def __init__(self, souvenir: Souvenir, name: str) -> None:
        self._souvenir = souvenir
        self._space = user_space(name)

    def add(self, id_: str, text: str, _at: str) -> None:
        said = Said(chat_id="chat", role="user", content=text, external_id=id_)
        self._souvenir.wait(self._souvenir.indexing.index(self._space, [said]))

    def search(self, query: str) -> list[str]:
        found = self._souvenir.search.search([self._space], query, Filter(), limit=TOP, threshold=0.0)
        return [str(hit.passage.origin["external_id"]) for hit in self._souvenir.wait(found).hits]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Souvenir(Path(folder))) as souvenir:
        run(souvenir.open, souvenir.memory)
