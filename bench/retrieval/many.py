"""Ten thousand made messages and two hundred questions: everybody's speed is compared on them beside the real talks."""

from itertools import chain

import numpy as np

from bench.made_chats import matters, questions, sentences, turns
from bench.retrieval.data import Conversation, Item, Question

AMOUNT = 10_000
QUESTIONS = 200


def many() -> Conversation:
    """The same in every run; nobody knows which message answers."""
    about = matters(())
    made = chain.from_iterable(turns(about, np.ones((len(sentences(about)), 2), np.float32), "none", AMOUNT))
    items = [
        Item(str(number), "user" if passage.role == "user" else "assistant", passage.speaker, passage.text, passage.at)
        for number, passage in enumerate(made)
    ]
    return Conversation("many", tuple(items), tuple(Question(text, "speed") for text in questions(about, QUESTIONS)))
