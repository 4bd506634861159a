"""LangGraph's in-memory store with its vector index, one namespace per conversation."""

from pathlib import Path

from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, WIDTH, Lookup, run


class Store:
    def __init__(self, name: str, lookup: Lookup, _folder: Path) -> None:
        def embed(texts: list[str]) -> list[list[float]]:
            return [lookup(text).tolist() for text in texts]

        self._namespace = (name,)
        self._store = InMemoryStore(index={"dims": WIDTH, "embed": embed, "fields": ["text"]})

    def add(self, id_: str, text: str, at: str) -> None:
        self._store.put(self._namespace, id_, {"text": text, "at": at})

    def search(self, query: str) -> list[str]:
        return [hit.key for hit in self._store.search(self._namespace, query=query, limit=TOP)]


if __name__ == "__main__":
    run(Store)
