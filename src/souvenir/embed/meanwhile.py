"""What can be done while a text is embedded, without keeping the embedder from beginning."""

import asyncio
from typing import Any

_TURNS = 20  # of the loop, in which the embedder's thread gets hold of the interpreter


async def once_embedding_began(embedding: "asyncio.Task[Any] | None" = None) -> None:
    """Let whoever is about to embed go first; who does not wait for a vector has a few milliseconds after that.

    Nobody is waited for any longer when it is known who embeds, and that the vector was at hand.
    """
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        if embedding is not None and embedding.done():
            return
