"""Asks a model for its answer: the next provider when one fails, and our own tool served in between, unseen.

A client that brought tools of its own sees its calls and never ours; the answer reads as if the model had known all
along.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import structlog

from souvenir.errors import ProviderError, ServiceError
from souvenir.llm.port import Provider
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

MOST_STEPS = 5  # in which the model may call our tool

_THEIR_FAULT = {401, 403, 404, 408, 429}  # of a host, not of the request; so is everything from 500 on
_BAD_REQUEST = {400, 422}
_SERVER_ERROR = 500


class Route(Protocol):
    """Where a request may go, and why."""

    @property
    def provider(self) -> Provider:
        """The host."""
        ...

    @property
    def model(self) -> str:
        """The model's name as the host knows it."""
        ...

    @property
    def reason(self) -> str:
        """Why there."""
        ...


class OwnTool(Protocol):
    """A tool of ours that the model may call while it answers."""

    @property
    def name(self) -> str:
        """What the model calls."""
        ...

    @property
    def definition(self) -> JsonObject:
        """As it is offered to the model."""
        ...

    async def call(self, arguments: str) -> str:
        """The result, as the model reads it. Raises nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Routed:
    """The provider that answers."""

    provider: str
    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the answer, as OpenAI streams it."""

    data: JsonObject


@dataclass(frozen=True, slots=True)
class Called:
    """Our tool is called."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Returned:
    """Our tool has answered."""

    call: Called
    result: str
    milliseconds: int


Step = Routed | Chunk | Called | Returned


class Answering:
    """One answer to one request. `body` is the request as it goes to the host, its model aside."""

    def __init__(self, routes: Sequence[Route], body: JsonObject, tool: OwnTool | None) -> None:
        self._routes = list(routes)
        self._body = body
        self._tool = tool if tool is not None and _may_join(body) else None
        self._results: dict[tuple[str, str], str] = {}

    async def stream(self) -> AsyncGenerator[Step, None]:
        """The answer as it comes. What fails before the first chunk is raised by the first step."""
        messages = list(self._body["messages"])
        shown = _Shown()
        for step in range(MOST_STEPS + 1):
            calls = _Calls(self._own)
            chunks, first = await self._open(messages, offering=step < MOST_STEPS)
            async with aclosing(chunks):
                if step == 0:
                    yield self._routed
                chunk = first
                while chunk is not None:
                    visible = shown.of(calls.without_own(chunk), step) if self._tool is not None else chunk
                    if visible is not None:
                        yield Chunk(visible)
                    chunk = await anext(chunks, None)
            if not calls.is_own_step:
                break
            messages.append({"role": "assistant", "content": calls.text or None, "tool_calls": calls.as_sent()})
            for call in calls.own():
                yield call
                returned = await self._serve(call)
                yield returned
                messages.append({"role": "tool", "tool_call_id": call.call_id, "content": returned.result})
        if (counted := shown.count()) is not None:
            yield Chunk(counted)

    async def complete(self) -> tuple[JsonObject, Routed, list[Returned]]:
        """The whole answer at once, where it came from, and what our tool did for it."""
        messages = list(self._body["messages"])
        used: JsonObject = {}
        served: list[Returned] = []
        for step in range(MOST_STEPS + 1):
            answer = await self._complete(messages, offering=step < MOST_STEPS)
            used = _summed(used, answer.get("usage"))
            message = _message_of(answer)
            calls = [one for one in message.get("tool_calls") or () if isinstance(one, dict)]
            own = [one for one in calls if self._own(_name_of(one))]
            if not own:
                break
            if len(own) < len(calls):
                message["tool_calls"] = [one for one in calls if one not in own]
                break
            if step == MOST_STEPS:
                del message["tool_calls"]  # it was told to stop, and the client has no such tool
                answer["choices"][0]["finish_reason"] = "stop"
                break
            messages.append({"role": "assistant", "content": message.get("content"), "tool_calls": own})
            for one in own:
                function = one.get("function") or {}
                call = Called(str(one.get("id")), _name_of(one), str(function.get("arguments") or ""))
                served.append(await self._serve(call))
                messages.append({"role": "tool", "tool_call_id": call.call_id, "content": served[-1].result})
        if used:
            answer["usage"] = used
        return answer, self._routed, served

    @property
    def _routed(self) -> Routed:
        route = self._routes[0]
        return Routed(route.provider.name, route.model, route.reason)

    def _own(self, name: str) -> bool:
        """Whether a call is for us: of our tool, or of none at all when the client has no tools to call."""
        return self._tool is not None and (name == self._tool.name or not self._body.get("tools"))

    async def _serve(self, call: Called) -> Returned:
        started = perf_counter()
        key = (call.name, call.arguments)
        if self._tool is None or call.name != self._tool.name:
            result = json.dumps({"error": f"there is no tool named {call.name!r}"})
        elif key in self._results:
            result = self._results[key]  # asked again, it is no other
        else:
            result = self._results[key] = await self._tool.call(call.arguments)
        return Returned(call, result, round((perf_counter() - started) * 1000))

    def _request(self, route: Route, messages: list[JsonObject], offering: bool) -> JsonObject:
        body: JsonObject = {**self._body, "model": route.model, "messages": messages}
        if self._tool is not None:
            body["tools"] = [*(self._body.get("tools") or ()), self._tool.definition]
            if not offering:
                body["tool_choice"] = "none"
        return body

    async def _open(
        self, messages: list[JsonObject], *, offering: bool
    ) -> tuple[AsyncGenerator[JsonObject, None], JsonObject | None]:
        """A stream and its first chunk, from the first provider that gives one."""
        while True:
            chunks = self._routes[0].provider.stream(self._request(self._routes[0], messages, offering))
            try:
                return chunks, await anext(chunks, None)
            except ServiceError as error:
                self._give_way(error)

    async def _complete(self, messages: list[JsonObject], *, offering: bool) -> JsonObject:
        while True:
            try:
                return await self._routes[0].provider.complete(self._request(self._routes[0], messages, offering))
            except ServiceError as error:
                self._give_way(error)

    def _give_way(self, error: ServiceError) -> None:
        """Make ready for another try after a failure, or raise it."""
        if self._tool is not None and _is_refusal(error) and not self._body.get("tools"):
            # many models know no tools, and only we have asked for one
            self._tool = None
            return
        if len(self._routes) == 1 or not _may_go_elsewhere(error):
            raise error
        failed = self._routes.pop(0)
        log.warning("a provider failed; the next one is asked", provider=failed.provider.name, error=str(error))


def _may_join(body: JsonObject) -> bool:
    """Our tool stays away where one call is demanded, or several answers are wanted at once."""
    return body.get("tool_choice") in (None, "auto") and body.get("n") in (None, 1)


def _is_refusal(error: ServiceError) -> bool:
    return isinstance(error, ProviderError) and error.status in _BAD_REQUEST


def _may_go_elsewhere(error: ServiceError) -> bool:
    if not isinstance(error, ProviderError):
        return True
    return error.status in _THEIR_FAULT or error.status >= _SERVER_ERROR


def _message_of(answer: JsonObject) -> JsonObject:
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    return message if isinstance(message, dict) else {}


def _name_of(call: JsonObject) -> str:
    return str((call.get("function") or {}).get("name") or "")


def _summed(used: JsonObject, more: object) -> JsonObject:
    """Token counts added up, whatever else a host counts taken from the last."""
    if not isinstance(more, dict):
        return used
    total = dict(more)
    for name, value in used.items():
        if isinstance(value, int) and isinstance(total.get(name, 0), int):
            total[name] = total.get(name, 0) + value
    return total


class _Calls:
    """Sorts the tool calls of one step: those for us are held, those for the client go on, numbered anew."""

    def __init__(self, own: Any) -> None:
        self._is_own = own
        self._held: dict[int, JsonObject] = {}
        self._shown: dict[int, int] = {}
        self.text = ""

    @property
    def is_own_step(self) -> bool:
        """Whether all the model wants is our tool."""
        return bool(self._held) and not self._shown

    def own(self) -> list[Called]:
        """Our calls, whole."""
        return [Called(one["id"], one["name"], one["arguments"]) for one in self._held.values()]

    def as_sent(self) -> list[JsonObject]:
        """Our calls as the model sent them."""
        return [
            {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": one["arguments"]}}
            for one in self._held.values()
        ]

    def without_own(self, chunk: JsonObject) -> JsonObject | None:
        """A chunk without what is for us; None when nothing else is in it."""
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            return chunk
        left = [self._choice(one) if isinstance(one, dict) else one for one in choices]
        return None if left != choices and all(map(_is_empty, left)) else {**chunk, "choices": left}

    def _choice(self, choice: JsonObject) -> JsonObject:
        delta = choice.get("delta")
        if isinstance(delta, dict) and isinstance(delta.get("content"), str):
            self.text += delta["content"]
        if isinstance(delta, dict) and isinstance(delta.get("tool_calls"), list):
            kept = [shown for one in delta["tool_calls"] if (shown := self._call(one)) is not None]
            if kept != delta["tool_calls"]:
                delta = {name: value for name, value in delta.items() if name != "tool_calls"}
                choice = {**choice, "delta": {**delta, "tool_calls": kept} if kept else delta}
        if choice.get("finish_reason") and self.is_own_step:
            choice = {**choice, "finish_reason": None}
        return choice

    def _call(self, call: Any) -> JsonObject | None:
        if not isinstance(call, dict):
            return None
        index = call.get("index") or 0
        function = call.get("function") or {}
        if index in self._shown:
            return {**call, "index": self._shown[index]}
        if index not in self._held and not self._is_own(str(function.get("name") or "")):
            self._shown[index] = len(self._shown)
            return {**call, "index": self._shown[index]}
        held = self._held.setdefault(index, {"id": f"call_{index}", "name": "", "arguments": ""})
        held["id"] = call.get("id") or held["id"]
        held["name"] += str(function.get("name") or "")
        held["arguments"] += str(function.get("arguments") or "")
        return None


@dataclass(slots=True)
class _Shown:
    """What the client sees of all steps together: one id, one role, one count of tokens at the end."""

    frame: JsonObject = field(default_factory=dict)
    usage: JsonObject | None = None
    _used: JsonObject = field(default_factory=dict)

    def of(self, chunk: JsonObject | None, step: int) -> JsonObject | None:
        """What to show of a chunk: of the first step all, of later ones what goes on from there."""
        if chunk is None:
            return None
        choices = chunk.get("choices")
        if chunk.get("usage") and not choices:
            self._used = _summed(self._used, chunk["usage"])
            self.usage = chunk
            return None
        if not self.frame:
            self.frame = {name: chunk[name] for name in ("id", "created") if name in chunk}
        if step == 0 or not isinstance(choices, list):
            return chunk
        choices = [_unbegun(one) for one in choices]
        return None if all(map(_is_empty, choices)) else {**chunk, **self.frame, "choices": choices}

    def count(self) -> JsonObject | None:
        """The tokens of all steps, as the last chunk tells them."""
        return {**self.usage, **self.frame, "usage": self._used} if self.usage is not None else None


def _unbegun(choice: Any) -> Any:
    """Without the role, which was told by the first chunk."""
    delta = choice.get("delta") if isinstance(choice, dict) else None
    if not isinstance(delta, dict) or "role" not in delta:
        return choice
    return {**choice, "delta": {name: value for name, value in delta.items() if name != "role"}}


def _is_empty(choice: Any) -> bool:
    """Whether a choice says nothing at all."""
    if not isinstance(choice, dict) or choice.get("finish_reason"):
        return False
    delta = choice.get("delta")
    return isinstance(delta, dict) and not any(delta.values())
