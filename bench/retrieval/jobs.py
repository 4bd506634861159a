"""A data set as files for scripts in other environments: texts and questions, and the vectors of both."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.retrieval.data import Conversation
from souvenir.config import load_settings
from souvenir.embed.minilm import MiniLmEmbedder
from souvenir.embed.port import Vectors
from souvenir.metrics import Metrics

_TOGETHER = 256


def write(conversations: Sequence[Conversation], folder: Path) -> None:
    """The job's folder; vectors that are there already for the very same texts are kept."""
    told = json.dumps([_told(one) for one in conversations], ensure_ascii=False)
    if (folder / "vectors.npy").exists() and (folder / "job.json").read_text(encoding="utf-8") == told:
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vectors.npy").unlink(missing_ok=True)
    (folder / "job.json").write_text(told, encoding="utf-8")
    texts = [text for one in conversations for text in [*_texts(one), *_questions(one)]]
    np.save(folder / "vectors.npy", asyncio.run(_embed(texts)))


def _told(one: Conversation) -> dict[str, object]:
    return {
        "name": one.name,
        "ids": [item.id for item in one.items],
        "texts": _texts(one),
        "at": [item.at.isoformat() for item in one.items],
        "questions": _questions(one),
    }


def _texts(one: Conversation) -> list[str]:
    return [item.said for item in one.items]


def _questions(one: Conversation) -> list[str]:
    return [question.text for question in one.questions]


async def _embed(texts: Sequence[str]) -> Vectors:
    embedder = MiniLmEmbedder(load_settings({}), Metrics())
    await embedder.start()
    try:
        parts = [texts[start : start + _TOGETHER] for start in range(0, len(texts), _TOGETHER)]
        return np.concatenate([(await embedder.embed(part)).vectors for part in parts])
    finally:
        await embedder.aclose()
