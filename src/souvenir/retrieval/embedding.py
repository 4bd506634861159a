"""Gives passages the vectors they lack: those written while no embedder answered, and all after a change of model."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import groupby

from souvenir.embed.port import Embedder
from souvenir.stores.passage_ports import PassageStore
from souvenir.types import SpaceId

TASK = "embed-passages"

_STEP = 256


@dataclass(frozen=True, slots=True)
class Progress:
    """How many passages have been given a vector so far."""

    done: int


async def embed_missing(
    passages: PassageStore, embedder: Embedder, space: SpaceId | None = None
) -> AsyncIterator[Progress]:
    """Embed whatever has no vector of the embedder's model, step by step. Raises Unavailable when it does not answer.

    Steps are transactions of their own, so it can be stopped at any time and simply goes on when called again; search
    goes on meanwhile, by words alone for what is not done yet.
    """
    done = 0
    while batch := await passages.unembedded(embedder.model, limit=_STEP, space=space):
        embedding = await embedder.embed([passage.text for passage in batch])
        vectors = dict(zip((passage.passage_id for passage in batch), embedding.vectors, strict=True))
        for owner, group in groupby(batch, key=lambda passage: passage.space):
            await passages.set_vectors(
                owner, embedder.model, {passage.passage_id: vectors[passage.passage_id] for passage in group}
            )
        done += len(batch)
        yield Progress(done)
