"""The provider of a machine on which no model is configured: it quotes memory, and says how to connect one."""

import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from souvenir.clock import Clock
from souvenir.errors import BadInput
from souvenir.llm.port import OFFLINE, ModelInfo
from souvenir.llm.recalled import Recalled, read
from souvenir.types import JsonObject

MODEL = "souvenir"
NOTHING = "I know nothing relevant to this."
CONNECT = (
    "No chat model is connected, so I can only quote what I remember. To connect one, set SOUVENIR_LLM_BASE_URL to any "
    "OpenAI-compatible endpoint (for Ollama on this machine: http://127.0.0.1:11434/v1) and start Souvenir again."
)

_MAX_CHOICES = 128
_QUOTED_CHARS = 300  # of one memory; of a longer one the sentences that matter most
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n+")  # noqa: RUF001 - other scripts end sentences too
_STEM_CHARS = 4  # of a word: ferry and ferries count as one


class OfflineProvider:
    """Answers with an extract of the memories it is given, each cited; it searches nothing itself and calls nobody."""

    def __init__(self, clock: Clock, name: str = OFFLINE) -> None:
        self._clock = clock
        self._name = name

    @property
    def name(self) -> str:
        """The name it goes by in logs and metrics."""
        return self._name

    async def complete(self, body: JsonObject) -> JsonObject:
        """A `chat.completion` object. Raises BadInput for a demand that only a model can meet."""
        answer = _answer(body)
        message = {"role": "assistant", "content": answer.text, "refusal": None}
        choices = [
            {"index": index, "message": message, "logprobs": None, "finish_reason": answer.finish}
            for index in range(answer.choices)
        ]
        return self._frame(body, "chat.completion") | {"choices": choices, "usage": answer.usage}

    async def stream(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """The same answer in chunks of a few words, the role first."""
        answer = _answer(body)
        with_usage = _include_usage(body)
        frame = self._frame(body, "chat.completion.chunk") | ({"usage": None} if with_usage else {})
        opening: JsonObject = {"role": "assistant", "content": ""}
        deltas = [opening, *({"content": piece} for piece in answer.pieces)]
        for delta in deltas:
            for index in range(answer.choices):
                yield frame | {"choices": [_choice(index, delta, None)]}
        for index in range(answer.choices):
            yield frame | {"choices": [_choice(index, {}, answer.finish)]}
        if with_usage:
            yield frame | {"choices": [], "usage": answer.usage}

    async def models(self) -> list[ModelInfo]:
        """The one name it answers to."""
        return [ModelInfo(MODEL, "souvenir")]

    async def aclose(self) -> None:
        """Nothing to close."""

    def _frame(self, body: JsonObject, kind: str) -> JsonObject:
        return {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": kind,
            "created": int(self._clock.now().timestamp()),
            "model": body.get("model") or MODEL,
        }


@dataclass(frozen=True, slots=True)
class _Answer:
    pieces: Sequence[str]
    finish: str
    choices: int
    prompt_tokens: int

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def usage(self) -> JsonObject:
        """Counted in words: there is no tokenizer where there is no model."""
        completion = len(self.pieces) * self.choices
        total = self.prompt_tokens + completion
        return {"prompt_tokens": self.prompt_tokens, "completion_tokens": completion, "total_tokens": total}


def _choice(index: int, delta: JsonObject, finish: str | None) -> JsonObject:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}


def _answer(body: JsonObject) -> _Answer:
    _refuse_impossible(body)
    pieces = re.findall(r"\S+\s*", _until_stop(_words_of(body.get("messages")), body.get("stop")))
    limit = _limit(body)
    finish = "length" if limit is not None and limit < len(pieces) else "stop"
    return _Answer(pieces[:limit], finish, _choices(body), _prompt_words(body))


def _words_of(messages: object) -> str:
    recalled = read(messages)
    if not recalled:
        return f"{NOTHING} {CONNECT}"
    asked = _stems(_last_said(messages))
    lines = [f"- “{_quote(memory, asked)}” ({memory.who}, {memory.at.date()}) {memory.citation}" for memory in recalled]
    return "\n".join(["This is what I remember:", "", *lines, "", CONNECT])


def _quote(memory: Recalled, asked: frozenset[str]) -> str:
    """The text in one line; of a long one the sentences with most of the words that were asked for, in their order."""
    if len(memory.text) <= _QUOTED_CHARS:
        return " ".join(memory.text.split())
    sentences = [" ".join(part.split())[:_QUOTED_CHARS] for part in _SENTENCE_END.split(memory.text) if part.strip()]
    shared = [len(_stems(sentence) & asked) for sentence in sentences]
    chosen: list[int] = []
    left = _QUOTED_CHARS
    for place in sorted(range(len(sentences)), key=lambda place: -shared[place]):
        if len(sentences[place]) > left or (chosen and not shared[place]):
            break
        chosen.append(place)
        left -= len(sentences[place])
    return " … ".join(sentences[place] for place in sorted(chosen))


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM_CHARS] for word in re.findall(r"\w{3,}", text.casefold()))


def _last_said(messages: object) -> str:
    said = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    return next((_text(message) for message in reversed(said) if message.get("role") == "user"), "")


def _refuse_impossible(body: JsonObject) -> None:
    why = "needs a model, and none is connected: set SOUVENIR_LLM_BASE_URL"
    wanted = body.get("response_format")
    if isinstance(wanted, dict) and wanted.get("type") in {"json_schema", "json_object"}:
        raise BadInput("response_format", f"{wanted['type']} {why}")
    for field in ("tool_choice", "function_call"):
        if body.get(field) not in (None, "none", "auto"):
            raise BadInput(field, f"calling a tool {why}")


def _until_stop(text: str, stop: object) -> str:
    words = [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []
    ends = [text.find(word) for word in words if isinstance(word, str) and word]
    return text[: min((end for end in ends if end >= 0), default=len(text))]


def _limit(body: JsonObject) -> int | None:
    for field in ("max_completion_tokens", "max_tokens"):
        limit = body.get(field)
        if limit is not None:
            return _whole_number(field, limit, 1)
    return None


def _choices(body: JsonObject) -> int:
    count = body.get("n")
    return 1 if count is None else _whole_number("n", count, 1, _MAX_CHOICES)


def _whole_number(field: str, value: object, least: int, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        raise BadInput(field, f"must be a whole number from {least}" + (f" to {most}" if most is not None else ""))
    return value


def _include_usage(body: JsonObject) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


def _prompt_words(body: JsonObject) -> int:
    messages = body.get("messages")
    return sum(_words(message) for message in messages) if isinstance(messages, list) else 0


def _words(message: object) -> int:
    return len(_text(message).split())


def _text(message: object) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return " ".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
