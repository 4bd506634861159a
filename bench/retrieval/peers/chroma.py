"""Chroma on disk: one collection per conversation, cosine, vectors passed in."""

from collections.abc import Sequence
from pathlib import Path

import chromadb  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, Lookup, Message, run

_BATCH = 1000


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

    def fill(self, messages: Sequence[Message]) -> None:
        """In batches."""
        for start in range(0, len(messages), _BATCH):
            ids, texts, times = zip(*messages[start : start + _BATCH], strict=True)
            vectors = [self._lookup(text) for text in texts]
            self._collection.add(
                ids=list(ids), embeddings=vectors, documents=list(texts), metadatas=[{"at": at} for at in times]
            )

    def search(self, query: str) -> list[str]:
        ids: list[str] = self._collection.query(query_embeddings=[self._lookup(query)], n_results=TOP)["ids"][0]
        return ids


if __name__ == "__main__":
    run(Store)
