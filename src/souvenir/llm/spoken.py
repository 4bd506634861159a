"""A provider whose words are given: it shapes them as a model's host would, whole or in chunks."""

import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from souvenir.clock import Clock
from souvenir.errors import BadInput
from souvenir.llm.port import OFFLINE, ModelInfo
from souvenir.types import JsonObject

MODEL = "souvenir"

_MAX_CHOICES = 128


class SpokenProvider:
    """Answers with what it was given to say, and calls nobody."""

    def __init__(self, clock: Clock, said: str, name: str = OFFLINE) -> None:
        self._clock = clock
        self._said = said
        self._name = name

    @property
    def name(self) -> str:
        """The name it goes by in logs and metrics."""
        return self._name

    async def complete(self, body: JsonObject) -> JsonObject:
        """A `chat.completion` object. Raises BadInput for a demand that only a model can meet."""
        answer = _answer(body, self._words(body))
        message = {"role": "assistant", "content": answer.text, "refusal": None}
        choices = [
            {"index": index, "message": message, "logprobs": None, "finish_reason": answer.finish}
            for index in range(answer.choices)
        ]
        return self._frame(body, "chat.completion") | {"choices": choices, "usage": answer.usage}

    async def stream(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """The same answer in chunks of a few words, the role first."""
        answer = _answer(body, self._words(body))
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

    def _words(self, _body: JsonObject) -> str:
        """What to say to a request."""
        return self._said


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


def _answer(body: JsonObject, said: str) -> _Answer:
    pieces = re.findall(r"\S+\s*", _until_stop(said, body.get("stop")))
    limit = _limit(body)
    finish = "length" if limit is not None and limit < len(pieces) else "stop"
    return _Answer(pieces[:limit], finish, _choices(body), _prompt_words(body))


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
    return len(text_of(message).split())


def text_of(message: object) -> str:
    """The words of a message, of one in parts too."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return " ".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
