"""Chroma on disk: one collection per conversation, cosine, vectors passed in."""

from pathlib import Path

import chromadb  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, Lookup, run


class Store:
    def __init__(self, name: str, lookup: Lookup, folder: Path) -> None:
        self._lookup = lookup
        self._client = chromadb.PersistentClient(
            path=str(folder / "chroma"), settings=chromadb.Settings(anonymized_telemetry=False)
        )
        self._collection = self._client.create_collection(
            name, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, id_: str, text: str, at: str) -> None:
        vector = self._lookup(text)
        self._collection.add(ids=[id_], embeddings=[vector], documents=[text], metadatas=[{"at": at}])

    def search(self, query: str) -> list[str]:
        ids: list[str] = self._collection.query(query_embeddings=[self._lookup(query)], n_results=TOP)["ids"][0]
        return ids


if __name__ == "__main__":
    run(Store)
