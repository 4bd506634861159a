"""What a scripted OpenAI-compatible server can be told to answer, and how each answer looks on the wire."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from souvenir.types import JsonObject

Place = Literal["headers", "start", "role", "first", "middle", "last", "finish"]
"""Before the headers, before the body, after its first event, after the first piece of the text, halfway, after the
last piece, and after the finish reason. Of a whole answer everything after `start` is halfway."""

_CREATED = 1_700_000_000
_ARGUMENT_PIECE = 7


@dataclass(frozen=True, slots=True)
class Stall:
    """Falls silent at a place, until released."""

    at: Place = "headers"


@dataclass(frozen=True, slots=True)
class Abort:
    """Closes the connection at a place."""

    at: Place = "headers"


@dataclass(frozen=True, slots=True)
class Cut:
    """Ends the body in good HTTP order, but without what should have followed: finish reason, usage and `[DONE]`."""

    at: Place = "middle"


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """An error object inside a stream that began well; without streaming, a 200 whose body is the error object."""

    error: Any = field(default_factory=lambda: {"message": "The model broke.", "type": "server_error", "code": None})
    at: Place = "middle"


@dataclass(frozen=True, slots=True)
class Garble:
    """An event whose data is not JSON; without streaming, a body that is not JSON."""

    data: str = '{"choices": [{"delta'
    at: Place = "middle"


@dataclass(frozen=True, slots=True)
class BadVectors:
    """An embedding answer that is wrong: one vector too few, a NaN inside, or vectors one element too long."""

    kind: Literal["count", "nan", "dimension"]


@dataclass(frozen=True, slots=True)
class HttpError:
    """An answer with an error status; the body is an OpenAI error object unless another is given."""

    status: int
    message: str = "Scripted error."
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: JsonObject | str | None = None

    def content(self) -> bytes:
        """The body to send."""
        if isinstance(self.body, str):
            return self.body.encode()
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return json.dumps({"error": error} if self.body is None else self.body).encode()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function the model wants called; `arguments` as a string is sent as it is, broken JSON included."""

    name: str
    arguments: JsonObject | str = field(default_factory=dict)
    id: str = "call_1"

    @property
    def text(self) -> str:
        """The arguments as the string that a model writes."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


Fault = Stall | Abort | Cut | ErrorEvent | Garble
Step = bytes | Stall | Abort | Cut


@dataclass(frozen=True, slots=True)
class Reply:
    """A chat answer. `extra` is added to the body and every chunk, `extra_message` to the message and the first delta.

    `pieces` are the content deltas of a stream (words by default), `usage` replaces the counted one, `preamble` is sent
    raw before the first event (a comment, say), `done` is whether a stream ends with `[DONE]`, `content_type` is sent
    instead of the right one, and `fault` is what goes wrong on the way.
    """

    text: str | None = ""
    pieces: Sequence[str] | None = None
    delay_seconds: float = 0.0
    tool_calls: Sequence[ToolCall] = ()
    refusal: str | None = None
    finish_reason: str | None = None
    usage: JsonObject | None = None
    extra: JsonObject = field(default_factory=dict)
    extra_message: JsonObject = field(default_factory=dict)
    preamble: str = ""
    done: bool = True
    content_type: str | None = None
    fault: Fault | None = None

    @classmethod
    def json(cls, value: Any) -> Self:
        """A reply whose text is this value as JSON."""
        return cls(json.dumps(value))

    def completion(self, body: JsonObject) -> list[Step]:
        """The whole `chat.completion` object, in two halves, with the fault where it belongs."""
        whole = _frame(body, "chat.completion") | self.extra
        whole["choices"] = [self._choice(index, body) for index in range(_count(body))]
        whole["usage"] = self._usage(body)
        content = json.dumps(whole).encode()
        if isinstance(self.fault, ErrorEvent):
            content = json.dumps({"error": self.fault.error}).encode()
        if isinstance(self.fault, Garble):
            content = self.fault.data.encode()
        half = len(content) // 2
        return self._with_fault([content[:half], content[half:]], {})

    def stream(self, body: JsonObject) -> list[Step]:
        """The server-sent events, with the fault where it belongs."""
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        base = _frame(body, "chat.completion.chunk") | self.extra | ({"usage": None} if with_usage else {})
        indexes = range(_count(body))
        deltas = [{"role": "assistant", "content": "", **self.extra_message}, *self._deltas()]
        chunks = [
            base | {"choices": [_delta(index, delta, None, _logprobs(body, _pieces(delta)))]}
            for delta in deltas
            for index in indexes
        ]
        chunks += [base | {"choices": [_delta(index, {}, self._finish())]} for index in indexes]
        if with_usage:
            chunks.append(base | {"choices": [], "usage": self._usage(body)})
        events = [_event(json.dumps(chunk)) for chunk in chunks] + ([_event("[DONE]")] if self.done else [])
        events[0] = self.preamble.encode() + events[0]
        middle, last = 1 + max(1, (len(deltas) - 1) // 2), len(deltas)
        said: dict[Place, int] = {"role": 1, "first": 2, "middle": middle, "last": last, "finish": last + 1}
        return self._with_fault(events, {place: many * len(indexes) for place, many in said.items()})

    def _with_fault(self, parts: list[bytes], places: Mapping[Place, int]) -> list[Step]:
        steps: list[Step] = [*parts]
        if self.fault is None:
            return steps
        at = 0 if self.fault.at in {"headers", "start"} else places.get(self.fault.at, 1)
        match self.fault:
            case ErrorEvent(error=error):
                return [*steps[:at], _event(json.dumps({"error": error}))] if len(parts) > 2 else steps
            case Garble(data=data):
                return [*steps[:at], _event(data), *steps[at:]] if len(parts) > 2 else steps
            case fault:
                return [*steps[:at], fault, *steps[at:]]

    def _choice(self, index: int, body: JsonObject) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": self.text, "refusal": self.refusal, **self.extra_message}
        if self.tool_calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
                for call in self.tool_calls
            ]
        logprobs = _logprobs(body, self._words())
        return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": self._finish()}

    def _words(self) -> Sequence[str]:
        return self.pieces if self.pieces is not None else re.findall(r"\S+\s*|\s+", self.text or "")

    def _deltas(self) -> Iterator[JsonObject]:
        yield from ({"content": piece} for piece in self._words())
        if self.refusal is not None:
            yield {"refusal": self.refusal}
        for number, call in enumerate(self.tool_calls):
            opening = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
            yield {"tool_calls": [{"index": number, **opening}]}
            for start in range(0, len(call.text), _ARGUMENT_PIECE):
                part = {"arguments": call.text[start : start + _ARGUMENT_PIECE]}
                yield {"tool_calls": [{"index": number, "function": part}]}

    def _finish(self) -> str:
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")

    def _usage(self, body: JsonObject) -> JsonObject:
        if self.usage is not None:
            return self.usage
        asked = sum(len(text_of(message).split()) for message in body.get("messages", []))
        answered = len((self.text or "").split()) * _count(body)
        return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


Scripted = Reply | HttpError | Callable[[JsonObject], Reply | HttpError]


def echo(body: JsonObject) -> Reply:
    """The answer when nothing is scripted: what the user said last."""
    said = [text_of(message) for message in body.get("messages", []) if message.get("role") == "user"]
    return Reply(f"You said: {said[-1]}" if said else "You said nothing.")


def text_of(message: JsonObject) -> str:
    """The text of a message, its other parts left out."""
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content if part.get("type") == "text")
    return content if isinstance(content, str) else ""


def embeddings(body: JsonObject, texts: Sequence[str], dimension: int, bad: BadVectors | None) -> JsonObject:
    """The answer to an embedding call, as numbers or as base64."""
    vectors = _vectors(texts, body.get("dimensions") or dimension, bad.kind if bad else None)
    plain = body.get("encoding_format", "float") == "float"
    coded = [vector.tolist() if plain else base64.b64encode(vector.tobytes()).decode() for vector in vectors]
    data = [{"object": "embedding", "index": index, "embedding": code} for index, code in enumerate(coded)]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body.get("model"), "usage": usage}


def _vectors(texts: Sequence[str], dimension: int, wrong: str | None) -> list[Any]:
    vectors = [_vector(text, dimension + (wrong == "dimension")) for text in texts]
    if wrong == "nan" and vectors:
        vectors[-1][0] = np.nan
    return vectors[:-1] if wrong == "count" else vectors


def _vector(text: str, dimension: int) -> Any:
    """A unit vector made of the text's words, so that texts which share words are near each other."""
    words = text.lower().split() or [""]
    digests = b"".join(hashlib.shake_128(word.encode()).digest(2 * dimension) for word in words)
    total = np.frombuffer(digests, dtype="<i2").reshape(len(words), dimension).sum(axis=0, dtype=np.float64) + 0.5
    return (total / np.linalg.norm(total)).astype("<f4")


def _count(body: JsonObject) -> int:
    return body.get("n") or 1


def _frame(body: JsonObject, kind: str) -> JsonObject:
    return {"id": "chatcmpl-scripted", "object": kind, "created": _CREATED, "model": body.get("model", "scripted")}


def _delta(index: int, delta: JsonObject, finish: str | None, logprobs: JsonObject | None = None) -> JsonObject:
    return {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish}


def _pieces(delta: JsonObject) -> Sequence[str]:
    return [delta["content"]] if delta.get("content") else []


def _logprobs(body: JsonObject, pieces: Sequence[str]) -> JsonObject | None:
    """How likely each piece was, where that is asked for; the alternatives are other spellings of it."""
    if not body.get("logprobs") or not pieces:
        return None
    most = body.get("top_logprobs") or 0
    return {
        "content": [
            _likely(piece, 0.0) | {"top_logprobs": [_likely(piece * (rank + 1), -1.5 * rank) for rank in range(most)]}
            for piece in pieces
        ],
        "refusal": None,
    }


def _likely(piece: str, logprob: float) -> JsonObject:
    return {"token": piece, "logprob": logprob, "bytes": list(piece.encode(errors="surrogatepass"))}


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()
