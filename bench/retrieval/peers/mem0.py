"""mem0 with FAISS, nothing inferred: one collection per conversation, because its FAISS store filters after its cut."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mem0 import Memory  # type: ignore[import-not-found]

from bench.retrieval.peers.common import TOP, WIDTH, Lookup, Message, run


class Embedder:
    """What mem0 asks of an embedding model."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        vector: list[float] = self._lookup(text).tolist()
        return vector


class Store:
    def __init__(self, name: str, lookup: Lookup, folder: Path) -> None:
        self._name = name
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {
                    "provider": "faiss",
                    "config": {
                        "collection_name": name,
                        "path": str(folder / name / "faiss"),
                        "embedding_model_dims": WIDTH,
                        "distance_strategy": "cosine",
                    },
                },
                # neither is ever called: nothing is inferred, and the embedder is replaced below
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(folder / name / "history.db"),
            }
        )
        self._memory.embedding_model = Embedder(lookup)

    def add(self, id_: str, text: str, at: str) -> None:
        self._memory.add(text, user_id=self._name, metadata={"external_id": id_, "at": at}, infer=False)

    def fill(self, messages: Sequence[Message]) -> None:
        """It writes its whole index to disk with every message: here only with the last."""
        store = self._memory.vector_store
        store._save, save = lambda: None, store._save
        for message in messages:
            self.add(*message)
        store._save = save
        save()

    def search(self, query: str) -> list[str]:
        found = self._memory.search(query, filters={"user_id": self._name}, top_k=TOP, threshold=0.0)
        return [hit["metadata"]["external_id"] for hit in found["results"]]


if __name__ == "__main__":
    run(Store)
