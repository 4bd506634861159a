"""What can be done while a text is embedded, without keeping the embedder from beginning."""

import asyncio

_TURNS = 20  # of the loop, in which the embedder's thread gets hold of the interpreter


async def once_embedding_began() -> None:
    """Let whoever is about to embed go first; who does not wait for a vector has a few milliseconds after that."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)
