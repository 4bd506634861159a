"""What fits a model's context window: memories within their share of it, and the newest part of a long conversation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from souvenir.chat.tokens import Tokens, most_tokens
from souvenir.config import Settings
from souvenir.llm.recalled import LIMIT, Recalled, citation, needs, shortest, skeleton
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

MEMORY_SHARE = 0.15
"""Of a model's window, for all memories together."""
GIVEN_UP = (None, "context", "project", "identity", "preference", "relationship")
"""Categories in the order in which they are given up; a message or a file, which has none, goes first."""

_STANDING = {"system", "developer"}
_LATEST = ":latest"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """A model's context window. `known` tells that a setting states it; else the size is a cautious guess."""

    tokens: int
    known: bool

    @property
    def for_memory(self) -> int:
        """The tokens memories may take."""
        return int(self.tokens * MEMORY_SHARE)


class Budget:
    """Cuts to size, by the configured windows."""

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        self._tables = settings.provider_tables()
        self._otherwise = Window(settings.context_tokens, "context_tokens" in settings.model_fields_set)
        self._tokens = tokens

    def window(self, provider: str, model: str) -> Window:
        """The window of a provider's model."""
        table = self._tables.get(provider)
        sizes = table.context_tokens if table is not None else None
        if isinstance(sizes, dict):
            names = (model, model + _LATEST, model.removesuffix(_LATEST))
            sizes = next((sizes[name] for name in names if name in sizes), None)
        return self._otherwise if sizes is None else Window(sizes, known=True)

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return self._tokens.count(text)

    def fits(self, text: str, most: int) -> bool:
        """Whether a text has at most so many tokens; one with as few bytes need not be counted."""
        return len(text.encode()) <= most or self.count(text) <= most

    def fit(self, items: Sequence[T], window: Window, of: Callable[[T], Recalled]) -> list[T]:
        """The items, best first, that memory's part of the window and of the prompt has room for, in their order.

        Their texts are taken to be as short as they can be made; `snippet_of` gives them the room that is left.
        """
        # a later number is never shorter than the one it will have
        shown = [replace(of(item), citation=citation(place)) for place, item in enumerate(items, start=1)]
        kept = _kept(shown, [needs(memory) for memory in shown], LIMIT - len(skeleton(shown)))
        kept = self._kept_by_tokens(kept, shown, window.for_memory)
        if len(kept) < len(items):
            log.info(f"[Memory] Truncated {len(items)} → {len(kept)} memories")
        return [items[place] for place in kept]

    def fit_history(self, messages: Sequence[JsonObject], window: Window, reserve: int = 0) -> list[JsonObject]:
        """The messages without the oldest exchanges, where all would leave less than `reserve` tokens of the window.

        System prompts stay, and so does the current message with all that follows it, even where they are too long by
        themselves. An exchange goes whole, so that no tool's result is left without its call.
        """
        room = window.tokens - reserve
        if sum(map(most_tokens, messages)) <= room:
            return list(messages)
        *earlier, current = _exchanges(messages)
        standing = [place for place, message in enumerate(messages) if message.get("role") in _STANDING]
        room -= sum(self._tokens.of_message(messages[place], room) for place in (*standing, *current))
        kept = {*standing, *current}
        for exchange in reversed(earlier):
            room -= sum(self._tokens.of_message(messages[place], max(room, 0)) for place in exchange)
            if room < 0:
                break
            kept.update(exchange)
        return [message for place, message in enumerate(messages) if place in kept]

    def _kept_by_tokens(self, kept: list[int], shown: Sequence[Recalled], most: int) -> list[int]:
        left = [shown[place] for place in kept]
        bare, lines = skeleton(left), [shortest(memory) for memory in left]
        if self.fits("".join([bare, *lines]), most):
            return kept
        costs = [self.count(line) for line in lines]
        return [kept[place] for place in _kept(left, costs, most - self.count(bare))]


def _kept(shown: Sequence[Recalled], costs: Sequence[int], room: int) -> list[int]:
    """The places of those that stay: the least relevant of the first category go first."""
    total = sum(costs)
    kept = set(range(len(shown)))
    for category in GIVEN_UP:
        own = [place for place, memory in enumerate(shown) if _category(memory) == category]
        while total > room and own:
            total -= costs[place := own.pop()]
            kept.discard(place)
    return sorted(kept)


def _category(memory: Recalled) -> str | None:
    return memory.category if memory.category in GIVEN_UP else None


def _exchanges(messages: Sequence[JsonObject]) -> list[list[int]]:
    """The places of each user's message with what answers it, oldest first; the last is the current one."""
    exchanges: list[list[int]] = [[]]
    for place, message in enumerate(messages):
        if message.get("role") in _STANDING:
            continue
        if message.get("role") == "user" and exchanges[-1]:
            exchanges.append([])
        exchanges[-1].append(place)
    return exchanges
