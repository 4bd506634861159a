"""The tool by which a model looks further into its user's memory; made for each request, and bound to one user."""

import json
from collections.abc import Sequence
from typing import get_args

import structlog

from souvenir.memory.port import Category
from souvenir.retrieval.filters import Filter
from souvenir.retrieval.search import Hit, Search
from souvenir.types import JsonObject, SpaceId

log = structlog.get_logger(__name__)

NAME = "getUserMemories"

_USUAL = 5
_MOST = 20
_QUERY_CHARACTERS = 2000
_TEXT_CHARACTERS = 1000
_CATEGORIES: tuple[str, ...] = get_args(Category)


class MemoryTool:
    """Searches the spaces it was made for, whatever it is asked."""

    name = NAME

    def __init__(self, search: Search, spaces: Sequence[SpaceId]) -> None:
        self._search = search
        self._spaces = tuple(spaces)

    @property
    def definition(self) -> JsonObject:
        """As OpenAI's tools are described."""
        return {
            "type": "function",
            "function": {
                "name": NAME,
                "description": "Searches the long-term memory of the user: facts about them, and what was said before.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "What to look for, in words."},
                        "category": {"type": "string", "enum": list(_CATEGORIES)},
                        "limit": {"type": "integer", "minimum": 1, "maximum": _MOST, "default": _USUAL},
                    },
                    "required": ["query"],
                },
            },
        }

    async def call(self, arguments: str) -> str:
        """What was found as JSON, or what is wrong with the call; the model reads either."""
        try:
            asked = json.loads(arguments)
        except ValueError:
            return _error("the arguments are not JSON")
        query = asked.get("query") if isinstance(asked, dict) else None
        if not isinstance(query, str) or not query.strip():
            return _error("query must be a text")
        category = asked.get("category")
        if category is not None and category not in _CATEGORIES:
            return _error(f"category must be one of {', '.join(_CATEGORIES)}")
        limit = asked.get("limit")
        wanted = min(max(limit, 1), _MOST) if isinstance(limit, int) and not isinstance(limit, bool) else _USUAL
        only = Filter(kinds=frozenset({"memory"}), categories=frozenset({category})) if category else Filter()
        try:
            found = await self._search.search(self._spaces, query[:_QUERY_CHARACTERS], only, limit=wanted)
        except Exception as error:  # noqa: BLE001 - a tool that fails never fails the answer
            log.warning("the memory tool failed", error=type(error).__name__)
            return _error("memory does not answer at the moment")
        return json.dumps({"memories": [_entry(hit) for hit in found.hits]}, ensure_ascii=False)


def _entry(hit: Hit) -> JsonObject:
    passage = hit.passage
    return {
        "text": passage.text[:_TEXT_CHARACTERS],
        "kind": passage.kind,
        "category": passage.category,
        "at": passage.at.isoformat(),
        "score": round(hit.score, 3),
    }


def _error(message: str) -> str:
    return json.dumps({"error": message})
