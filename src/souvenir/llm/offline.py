"""The provider of a machine on which no model is configured: it quotes memory, and says how to connect one."""

from souvenir.clock import Clock
from souvenir.errors import BadInput
from souvenir.llm.excerpts import excerpt
from souvenir.llm.port import OFFLINE
from souvenir.llm.recalled import Recalled, read
from souvenir.llm.spoken import SpokenProvider, text_of
from souvenir.types import JsonObject

NOTHING = "I know nothing relevant to this."
CONNECT = (
    "No chat model is connected, so I can only quote what I remember. To connect one, set SOUVENIR_LLM_BASE_URL to any "
    "OpenAI-compatible endpoint (for Ollama on this machine: http://127.0.0.1:11434/v1) and start Souvenir again."
)

_YOURS = {"the user": "you"}
_QUOTED_CHARS = 300  # of one memory


class OfflineProvider(SpokenProvider):
    """Answers with an extract of the memories it is given, each cited; it searches nothing itself and calls nobody."""

    def __init__(self, clock: Clock, name: str = OFFLINE) -> None:
        super().__init__(clock, "", name)

    def _words(self, body: JsonObject) -> str:
        """An extract, or that nothing is known. Raises BadInput for a demand that only a model can meet."""
        _refuse_impossible(body)
        return _words_of(body.get("messages"))


def _words_of(messages: object) -> str:
    recalled = read(messages)
    if not recalled:
        return f"{NOTHING} {CONNECT}"
    asked = _last_said(messages)
    lines = [
        f"- “{_quote(memory, asked)}” ({_YOURS.get(memory.who, memory.who)}, {memory.at.date()}) {memory.citation}"
        for memory in recalled
    ]
    return "\n".join(["This is what I remember:", "", *lines, "", CONNECT])


def _quote(memory: Recalled, asked: str) -> str:
    """The text in one line; of a long one what bears on the question."""
    return " ".join(excerpt(memory.text, asked, _QUOTED_CHARS).split())


def _last_said(messages: object) -> str:
    said = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    return next((text_of(message) for message in reversed(said) if message.get("role") == "user"), "")


def _refuse_impossible(body: JsonObject) -> None:
    why = "needs a model, and none is connected: set SOUVENIR_LLM_BASE_URL"
    wanted = body.get("response_format")
    if isinstance(wanted, dict) and wanted.get("type") in {"json_schema", "json_object"}:
        raise BadInput("response_format", f"{wanted['type']} {why}")
    for field in ("tool_choice", "function_call"):
        if body.get(field) not in (None, "none", "auto"):
            raise BadInput(field, f"calling a tool {why}")
