"""An answer with our own tool in between: the client sees one answer, its own calls, and none of ours."""

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from souvenir.chat.answering import MOST_STEPS, Answering, Called, Chunk, Returned, Routed
from souvenir.errors import ProviderError, ProviderUnreachable
from souvenir.llm.port import ModelInfo
from souvenir.testing.openai_replies import Reply, ToolCall
from souvenir.types import JsonObject

MESSAGES: list[JsonObject] = [{"role": "user", "content": "Where do I live?"}]
THEIRS: JsonObject = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
USAGE: JsonObject = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


@dataclass
class Host:
    """A provider that plays replies and remembers what it was asked."""

    replies: list[Reply | Exception]
    name: str = "host"
    asked: list[JsonObject] = field(default_factory=list)

    def _next(self, body: JsonObject) -> Reply:
        self.asked.append(json.loads(json.dumps(body)))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def complete(self, body: JsonObject) -> JsonObject:
        whole: JsonObject = json.loads(b"".join(part for part in self._next(body).completion(body)))  # type: ignore[misc]
        return whole

    async def stream(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        for event in self._next(body).stream(body):
            assert isinstance(event, bytes)
            data = event.decode().removeprefix("data: ").strip()
            if data != "[DONE]":
                yield json.loads(data)

    async def models(self) -> list[ModelInfo]:
        return []

    async def aclose(self) -> None: ...


@dataclass(frozen=True)
class To:
    provider: Host
    model: str = "m"
    reason: str = "asked for"


@dataclass
class Tool:
    """Answers with what it was asked."""

    name: str = "getUserMemories"
    calls: list[str] = field(default_factory=list)

    @property
    def definition(self) -> JsonObject:
        return {"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}

    async def call(self, arguments: str) -> str:
        self.calls.append(arguments)
        return f"found for {arguments}"


def ours(query: str = "home", call_id: str = "call_1") -> ToolCall:
    return ToolCall("getUserMemories", {"query": query}, call_id)


def weather(call_id: str = "call_2") -> ToolCall:
    return ToolCall("weather", {"city": "Oslo"}, call_id)


async def streamed(hosts: Sequence[Host], tool: Tool | None, **body: Any) -> list[Any]:
    answering = Answering([To(host) for host in hosts], {"messages": MESSAGES, "stream": True, **body}, tool)
    return [step async for step in answering.stream()]


def chunks(steps: list[Any]) -> list[JsonObject]:
    return [step.data for step in steps if isinstance(step, Chunk)]


def text(steps: list[Any]) -> str:
    return "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks(steps) if one["choices"])


def calls_seen(steps: list[Any]) -> dict[int, tuple[str, str]]:
    seen: dict[int, tuple[str, str]] = {}
    for chunk in chunks(steps):
        for call in chunk["choices"][0]["delta"].get("tool_calls", ()) if chunk["choices"] else ():
            name, arguments = seen.get(call["index"], ("", ""))
            function = call["function"]
            seen[call["index"]] = (name + function.get("name", ""), arguments + function.get("arguments", ""))
    return seen


async def test_without_a_tool_every_chunk_goes_through_as_it_came() -> None:
    reply = Reply("Good day to you.", extra={"service_tier": "x"})
    body = {"model": "m", "messages": MESSAGES, "stream": True, "n": 2, "stream_options": {"include_usage": True}}
    expected = [one async for one in Host([reply]).stream(body)]
    steps = await streamed([Host([reply])], None, n=2, stream_options={"include_usage": True})
    assert chunks(steps) == expected
    assert steps[0] == Routed("host", "m", "asked for")


async def test_a_tool_that_is_not_called_changes_nothing_of_the_answer() -> None:
    reply = Reply("Good day to you.")
    body = {"model": "m", "messages": MESSAGES, "stream": True, "stream_options": {"include_usage": True}}
    expected = [one async for one in Host([reply]).stream(body)]
    assert chunks(await streamed([Host([reply])], Tool(), stream_options={"include_usage": True})) == expected


async def test_our_call_is_served_in_between_and_the_client_sees_one_answer() -> None:
    host = Host([Reply("Let me look. ", tool_calls=[ours()]), Reply("You live in Oslo.")])
    tool = Tool()
    steps = await streamed([host], tool, tools=[THEIRS])
    assert text(steps) == "Let me look. You live in Oslo."
    assert calls_seen(steps) == {}
    assert len({chunk["id"] for chunk in chunks(steps)}) == 1
    assert sum("role" in chunk["choices"][0]["delta"] for chunk in chunks(steps)) == 1
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks(steps)].count("stop") == 1
    assert "tool_calls" not in [chunk["choices"][0]["finish_reason"] for chunk in chunks(steps)]
    called = Called("call_1", "getUserMemories", '{"query": "home"}')
    assert called in steps
    returned = next(step for step in steps if isinstance(step, Returned))
    assert returned.call == called
    assert host.asked[0]["tools"] == [THEIRS, tool.definition]
    assert host.asked[1]["messages"][1:] == [
        {"role": "assistant", "content": "Let me look. ", "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "getUserMemories", "arguments": '{"query": "home"}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": 'found for {"query": "home"}'},
    ]  # fmt: skip


async def test_the_tokens_of_all_steps_are_counted_once_at_the_end() -> None:
    host = Host([Reply(tool_calls=[ours()], usage=USAGE), Reply("Oslo.", usage=USAGE)])
    steps = await streamed([host], Tool(), stream_options={"include_usage": True})
    told = [chunk["usage"] for chunk in chunks(steps) if chunk.get("usage")]
    assert told == [{"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24}]
    assert chunks(steps)[-1]["usage"] == told[0]


async def test_the_clients_own_calls_reach_it_numbered_from_the_first_and_ours_are_left_out() -> None:
    host = Host([Reply(tool_calls=[ours(), weather()])])
    tool = Tool()
    steps = await streamed([host], tool, tools=[THEIRS])
    assert calls_seen(steps) == {0: ("weather", '{"city": "Oslo"}')}
    assert chunks(steps)[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert tool.calls == []


async def test_the_same_call_again_is_answered_without_another_look() -> None:
    host = Host([Reply(tool_calls=[ours()]), Reply(tool_calls=[ours(call_id="call_9")]), Reply("Oslo.")])
    tool = Tool()
    steps = await streamed([host], tool)
    assert len(tool.calls) == 1
    assert len([step for step in steps if isinstance(step, Returned)]) == 2
    assert text(steps) == "Oslo."


async def test_after_five_steps_the_model_has_to_answer() -> None:
    host = Host([*(Reply(tool_calls=[ours(str(step))]) for step in range(MOST_STEPS)), Reply("Enough.")])
    steps = await streamed([host], Tool())
    assert text(steps) == "Enough."
    assert "tool_choice" not in host.asked[-2]
    assert host.asked[-1]["tool_choice"] == "none"


async def test_a_tool_nobody_has_is_told_to_the_model_and_not_to_a_client_without_tools() -> None:
    host = Host([Reply(tool_calls=[ToolCall("launch", {})]), Reply("I cannot.")])
    steps = await streamed([host], Tool())
    assert text(steps) == "I cannot."
    assert "there is no tool named 'launch'" in host.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize("demand", ["required", {"type": "function", "function": {"name": "weather"}}])
async def test_our_tool_stays_away_where_a_call_is_demanded(demand: Any) -> None:
    host = Host([Reply(tool_calls=[weather()])])
    await streamed([host], Tool(), tools=[THEIRS], tool_choice=demand)
    assert host.asked[0]["tools"] == [THEIRS]


async def test_a_model_that_knows_no_tools_is_asked_again_without_ours() -> None:
    refusal = ProviderError("host", 400, None, "this model does not support tools")
    host = Host([refusal, Reply("Oslo.")])
    assert text(await streamed([host], Tool())) == "Oslo."
    assert "tools" not in host.asked[1]


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_a_provider_that_fails_before_the_first_token_is_replaced_by_the_next(status: int) -> None:
    first, second = Host([ProviderError("a", status, None, "no")], "a"), Host([Reply("Oslo.")], "b")
    steps = await streamed([first, second], None)
    assert steps[0] == Routed("b", "m", "asked for")
    assert text(steps) == "Oslo."


async def test_a_request_that_is_wrong_is_not_sent_elsewhere() -> None:
    first, second = Host([ProviderError("a", 400, None, "bad")], "a"), Host([Reply("Oslo.")], "b")
    with pytest.raises(ProviderError, match="bad"):
        await streamed([first, second], None)
    assert second.asked == []


async def test_when_all_providers_fail_the_last_ones_error_is_told() -> None:
    hosts = [Host([ProviderUnreachable("a is down")], "a"), Host([ProviderUnreachable("b is down")], "b")]
    with pytest.raises(ProviderUnreachable, match="b is down"):
        await streamed(hosts, None)


async def test_a_whole_answer_is_served_the_same_way() -> None:
    host = Host([Reply(tool_calls=[ours()], usage=USAGE), Reply("You live in Oslo.", usage=USAGE)])
    answering = Answering([To(host)], {"messages": MESSAGES, "tools": [THEIRS]}, Tool())
    answer, routed, served = await answering.complete()
    assert answer["choices"][0]["message"]["content"] == "You live in Oslo."
    assert answer["usage"]["total_tokens"] == 24
    assert routed.provider == "host"
    assert [one.result for one in served] == ['found for {"query": "home"}']


async def test_a_whole_answer_with_calls_of_both_kinds_keeps_the_clients() -> None:
    host = Host([Reply(tool_calls=[ours(), weather()])])
    answer, _, served = await Answering([To(host)], {"messages": MESSAGES, "tools": [THEIRS]}, Tool()).complete()
    assert [call["function"]["name"] for call in answer["choices"][0]["message"]["tool_calls"]] == ["weather"]
    assert served == []
