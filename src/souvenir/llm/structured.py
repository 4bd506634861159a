"""A model's answer as a validated object: asked for by schema, repaired if almost JSON, and asked for again once."""

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from souvenir.errors import ProviderError, StructuredOutputError
from souvenir.llm.port import Provider
from souvenir.types import JsonObject

T = TypeVar("T", bound=BaseModel)

_MAX_CHARS = 400_000  # beyond this an answer is a model running wild
_MAX_REPAIR_CHARS = 50_000
_MAX_QUOTE = 4_000
_MAX_PROBLEMS = 10
_REFUSES_FORMAT = {400, 422, 501}
_NOT_OURS = {"stream", "stream_options", "n", "response_format"}
_DROPPED = {"default", "title", "minLength", "maxLength", "uniqueItems", "discriminator", "examples"}
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_OBJECT = re.compile(r"""\{\s*["'}]""")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


@dataclass(slots=True)
class Spend:
    """Tokens as the provider counts them, over every try; added to as they are spent, so a failure counts too."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, usage: object) -> None:
        """Count one answer's `usage`; a host that sends none adds nothing."""
        if isinstance(usage, dict):
            self.prompt_tokens += _tokens(usage.get("prompt_tokens"))
            self.completion_tokens += _tokens(usage.get("completion_tokens"))


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """The validated object and what it cost."""

    value: T
    spend: Spend = field(default_factory=Spend)


class _Invalid(Exception):
    """Why an answer cannot be used, in words the model can act on."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text


async def ask(provider: Provider, body: JsonObject, schema: type[T], spend: Spend | None = None) -> Answered[T]:
    """Ask for an object of this shape. Raises StructuredOutputError when it stays invalid after one retry.

    `body` is a chat request; `spend` may be passed in to learn what a failure cost.
    """
    spend = Spend() if spend is None else spend
    shape = strict_schema(schema)
    request, answer = await _first_try(provider, body, schema.__name__, shape)
    spend.add(answer.get("usage"))
    try:
        return Answered(await _read(answer, schema), spend)
    except _Invalid as problem:
        request |= {"messages": _told(request["messages"], problem, shape)}
    answer = await provider.complete(request)
    spend.add(answer.get("usage"))
    try:
        return Answered(await _read(answer, schema), spend)
    except _Invalid as problem:
        raise StructuredOutputError(f"{provider.name} gave no valid {schema.__name__}: {problem.reason}") from None


async def _first_try(
    provider: Provider, body: JsonObject, name: str, shape: JsonObject
) -> tuple[JsonObject, JsonObject]:
    """The request that the host took, and its answer: with the schema as a parameter, or else in words."""
    plain = {key: value for key, value in body.items() if key not in _NOT_OURS}
    request = plain | {"response_format": _response_format(name, shape)}
    try:
        return request, await provider.complete(request)
    except ProviderError as error:
        if error.status not in _REFUSES_FORMAT:
            raise
    request = plain | {"messages": _with_schema(plain["messages"], shape)}
    return request, await provider.complete(request)


def strict_schema(schema: type[BaseModel]) -> JsonObject:
    """The model's JSON schema in the subset that OpenAI's strict mode takes: every field required, none besides."""
    strict: JsonObject = _strict(schema.model_json_schema())
    return strict


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    kept = {("anyOf" if key == "oneOf" else key): value for key, value in node.items() if key not in _DROPPED}
    strict = {key: _named(value) if key in {"properties", "$defs"} else _strict(value) for key, value in kept.items()}
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _named(nodes: JsonObject) -> JsonObject:
    """The keys here are names of fields, which may well be called `title` or `default`."""
    return {name: _strict(node) for name, node in nodes.items()}


def _response_format(name: str, shape: JsonObject) -> JsonObject:
    safe = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]
    return {"type": "json_schema", "json_schema": {"name": safe, "schema": shape, "strict": True}}


def _with_schema(messages: list[JsonObject], shape: JsonObject) -> list[JsonObject]:
    """The schema in words, in the one system message that every chat template has room for."""
    text = _instruction(shape)
    first = messages[0] if messages else {}
    if first.get("role") == "system" and isinstance(first.get("content"), str):
        return [first | {"content": f"{first['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def _told(messages: list[JsonObject], problem: _Invalid, shape: JsonObject) -> list[JsonObject]:
    """The schema again too: a host may take `response_format` and never show it to its model."""
    said = [{"role": "assistant", "content": problem.text[:_MAX_QUOTE]}] if problem.text else []
    return [
        *messages,
        *said,
        {"role": "user", "content": f"That cannot be used: {problem.reason}\n{_instruction(shape)}"},
    ]


def _instruction(shape: JsonObject) -> str:
    schema = json.dumps(shape, ensure_ascii=False)
    return f"Answer with one JSON object that fits this JSON schema, and with nothing else:\n{schema}"


async def _read(answer: JsonObject, schema: type[T]) -> T:
    # In a thread: repairing a long enough muddle takes seconds, and others are being answered meanwhile.
    return await asyncio.to_thread(_read_now, answer, schema)


def _read_now(answer: JsonObject, schema: type[T]) -> T:
    text = _text(answer)
    problem: _Invalid | None = None
    for candidate in _candidates(text):
        try:
            return _validated(candidate, schema, text)
        except _Invalid as found:
            problem = problem or found
    raise problem or _Invalid("it holds no JSON object.", text)


def _text(answer: JsonObject) -> str:
    choices = answer.get("choices") or [{}]
    message = choices[0].get("message") or {}
    text = _joined(message.get("content"))
    if message.get("refusal"):
        raise StructuredOutputError("the model refused to answer")
    if choices[0].get("finish_reason") == "content_filter":
        raise StructuredOutputError("the host's filter withheld the answer")
    if choices[0].get("finish_reason") == "length":
        # Repair would close the brackets and pass half an answer off as the whole.
        raise _Invalid("it was cut off at the token limit; be briefer.", text)
    if len(text) > _MAX_CHARS:
        raise _Invalid(f"it is longer than {_MAX_CHARS} characters; be briefer.", text)
    text = _THOUGHT.sub("", text).strip()
    if not text:
        raise _Invalid("it is empty.")
    return text


def _joined(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _candidates(text: str) -> Iterator[Any]:
    """Every value the text may mean, the most literal reading first, repaired ones last."""
    places = [*(block.strip() for block in _FENCE.findall(text)), text]
    for place in reversed(places):
        with contextlib.suppress(ValueError, RecursionError):
            yield json.loads(place)
    for place in places:
        yield from _embedded(place)
    for place in places:
        yield from _repaired(place)


def _embedded(text: str) -> Iterator[Any]:
    """The objects in prose, up to the first broken one: what is inside that one is not the answer but a part of it."""
    decoder = json.JSONDecoder()
    start = _OBJECT.search(text)
    while start is not None:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            return
        yield value
        start = _OBJECT.search(text, end)


def _repaired(text: str) -> Iterator[Any]:
    start = _OBJECT.search(text)
    broken = text[start.start() if start else max(text.find("{"), 0) :]
    if "{" in broken and len(broken) <= _MAX_REPAIR_CHARS:
        with contextlib.suppress(ValueError, RecursionError):
            yield json_repair.loads(broken, skip_json_loads=True)


def _validated(candidate: object, schema: type[T], text: str) -> T:
    if not isinstance(candidate, dict):
        raise _Invalid("it is JSON, but not an object.", text)
    fields = set(schema.model_json_schema().get("properties", {}))
    if "properties" in candidate and "properties" not in fields:
        raise _Invalid("it repeats the schema instead of filling it in.", text)
    if not fields & candidate.keys():
        # Where every field has a default, any object would pass, and mean that nothing was found.
        raise _Invalid(f"it has none of the fields {', '.join(sorted(fields))}.", text)
    try:
        return schema.model_validate(_encodable(candidate))
    except ValidationError as error:
        raise _Invalid(_problems(error), text) from None


def _encodable(value: Any) -> Any:
    """Half an emoji (a lone surrogate, which no database takes) becomes a replacement character."""
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'object'}: {item['msg']}" for item in found) + "."


def _tokens(count: object) -> int:
    return count if isinstance(count, int) and count > 0 else 0
