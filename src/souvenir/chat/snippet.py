"""What is remembered, in the words a model reads: short, cited, grouped, and marked as data."""

from collections.abc import Sequence

from souvenir.chat.budget import Budget, Window
from souvenir.llm.recalled import MemoryBlock, Recalled, needs, render, skeleton


def snippet_of(recalled: Sequence[Recalled], question: str, budget: Budget, window: Window) -> MemoryBlock:
    """The text of the system message, of at most 2,000 characters and memory's part of the window.

    What is given has been through `Budget.fit`, best first; texts are shortened to what bears on the question until
    all of it has room. The message must be sent with this very object, by which the offline provider knows it.
    """
    block = render(recalled, question)
    most, least = window.for_memory, len(skeleton(recalled)) + sum(map(needs, recalled))
    while not budget.fits(block, most):
        limit = min(len(block) - 1, len(block) * most // budget.count(block))
        if limit <= least:
            return render(recalled, "", least)  # word for word what `fit` has counted
        block = render(recalled, question, limit)
    return block
