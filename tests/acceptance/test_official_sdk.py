"""The official OpenAI SDK against a model's host, and against the gateway before it: the same, plus `memories`.

Every call of the table in `sdk_cases` is made three times: to the host; over the gateway by somebody of whom nothing
is known; and over the gateway by somebody who is remembered. What the SDK returned or raised is compared, and the
request that reached the model. What is not compared, because it must differ:

- `memories`, the field that the gateway adds to an answer or to the first chunk of one; checked by itself;
- headers, but for the status, the content type and Retry-After: the client's stay with the gateway, as do the host's;
- a stream that is cut: of itself the SDK takes half an answer for a whole one, over the gateway it raises an error;
- `souvenir` in front of the models that are listed, and the words in which the gateway says that there is none such.
"""

import contextlib
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from souvenir.testing.openai_server import Abort, Cut, HttpError, Reply, ScriptedOpenAI, ToolCall
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.sdk_cases import (
    ADA,
    CALLS,
    CASES,
    OURS,
    REMEMBERED,
    RESULTS,
    STREAM_CASES,
    TOOLS,
    USAGE,
    Case,
    Weather,
    asking,
    knowing_ada,
)

NOBODY = "nobody in particular"

Client = Any
"""`openai.OpenAI` or `openai.AsyncOpenAI`; what either gives is settled by `_settled` and `_all`."""

MakeClient = Callable[[str | None], Client]
"""A client of the model's host, or of the gateway for a user."""


@dataclass(slots=True)
class Outcome:
    """What the SDK gave before it was done or raised, the memories apart, and the requests that reached the model."""

    values: list[Any] = field(default_factory=list)
    error: dict[str, Any] | None = None
    memories: list[Any] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)

    @property
    def answer(self) -> tuple[list[Any], dict[str, Any] | None]:
        return self.values, self.error


@pytest.fixture(scope="module")
def gateway(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    with knowing_ada(postgres, tmp_path_factory.mktemp("data"), host) as running:
        yield running


@pytest.fixture(params=[openai.OpenAI, openai.AsyncOpenAI], ids=["sync", "async"])
async def make_client(
    request: pytest.FixtureRequest, gateway: RunningSouvenir, host: ScriptedOpenAI
) -> AsyncIterator[MakeClient]:
    """Both kinds of client."""
    made: list[Client] = []

    def make(user: str | None) -> Client:
        headers = {"x-openwebui-user-id": user} if user else {}
        url = f"{gateway.url}/v1" if user else host.base_url
        made.append(request.param(base_url=url, api_key="x", max_retries=0, timeout=30, default_headers=headers))
        return made[-1]

    yield make
    for client in made:
        await _settled(client.close())


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def _all(items: Any) -> AsyncIterator[Any]:
    if hasattr(items, "__aiter__"):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


@contextlib.asynccontextmanager
async def _opened(manager: Any) -> AsyncIterator[Any]:
    if hasattr(manager, "__aenter__"):
        async with manager as opened:
            yield opened
    else:
        with manager as opened:
            yield opened


def _plain(value: Any) -> Any:
    """What the SDK gave as plain values, only with the fields that came."""
    if isinstance(value, BaseModel):
        return {"is a": type(value).__name__, **value.model_dump(exclude_unset=True, warnings=False)}
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _raised(error: openai.OpenAIError) -> dict[str, Any]:
    told: dict[str, Any] = {"is a": type(error).__name__, "says": str(error)}
    for name in ("message", "code", "param", "type", "body", "status_code", "completion"):
        told[name] = _plain(getattr(error, name, None))
    if isinstance(error, openai.APIStatusError):
        told["retry-after"] = error.response.headers.get("retry-after")
    apart: dict[str, Any] = _apart(told, [])
    return apart


def _apart(value: Any, memories: list[Any]) -> Any:
    """The value without its memories, which are put by."""
    if isinstance(value, dict):
        memories += [value["memories"]] if "memories" in value else []
        return {name: _apart(one, memories) for name, one in value.items() if name != "memories"}
    return [_apart(one, memories) for one in value] if isinstance(value, list) else value


async def _made(host: ScriptedOpenAI, values: AsyncIterator[Any], *replies: Reply | HttpError) -> Outcome:
    """Make a call whose values are these, and whose answer is scripted."""
    outcome = Outcome()
    before = len(host.chats)
    host.script(*replies)
    try:
        async for value in values:
            memories: list[Any] = []
            outcome.values.append(_apart(_plain(value), memories))
            outcome.memories.append(memories)
    except openai.OpenAIError as error:
        outcome.error = _raised(error)
    outcome.bodies = host.chats[before:]
    return outcome


def _written(body: Any) -> str:
    """The body as text, so that order and kinds of numbers count too."""
    return json.dumps(body)


def _expect_same_requests(direct: Outcome, ours: Outcome, *, joins: bool, remembered: bool) -> None:
    assert len(ours.bodies) == len(direct.bodies)
    for sent, given in zip(direct.bodies, ours.bodies, strict=True):
        told = dict(given)
        if remembered:
            memory, *messages = given["messages"]
            assert memory["role"] == "system"
            assert memory["content"].startswith("Long-term memory:")
            assert REMEMBERED in memory["content"]
            told["messages"] = messages
        if joins:
            *tools, our_tool = given["tools"]
            assert our_tool["function"]["name"] == OURS
            told["tools"] = tools
        assert _written(told) == _written(sent)


def _expect_memories(ours: Outcome, expected: list[str]) -> None:
    """On the whole answer or on the first chunk, once, and nowhere else."""
    if ours.values:
        (first,), *rest = ours.memories
        assert [one["content"] for one in first] == expected
        assert not any(rest)


async def _compare(
    host: ScriptedOpenAI, make_client: MakeClient, case: Case, call: Callable[[Client, Case], AsyncIterator[Any]]
) -> Outcome:
    direct = await _made(host, call(make_client(None), case), case.script)
    assert len(direct.bodies) == 1
    assert direct.values or direct.error
    for user, expected in ((NOBODY, []), (ADA, [REMEMBERED])):
        ours = await _made(host, call(make_client(user), case), case.script)
        assert ours.answer == direct.answer
        _expect_same_requests(direct, ours, joins=case.joins, remembered=bool(expected))
        _expect_memories(ours, expected)
    return direct


async def _whole(client: Client, case: Case) -> AsyncIterator[Any]:
    yield await _settled(client.chat.completions.create(**case.body))


async def _streamed(client: Client, case: Case) -> AsyncIterator[Any]:
    async for chunk in _all(await _settled(client.chat.completions.create(**case.body, stream=True))):
        yield chunk


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("name", CASES)
async def test_a_whole_answer_is_the_models_own(host: ScriptedOpenAI, make_client: MakeClient, name: str) -> None:
    await _compare(host, make_client, CASES[name], _whole)


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("name", [*CASES, *STREAM_CASES])
async def test_a_stream_is_the_models_own(host: ScriptedOpenAI, make_client: MakeClient, name: str) -> None:
    outcome = await _compare(host, make_client, (CASES | STREAM_CASES)[name], _streamed)
    assert len(outcome.values) > 1 or outcome.error


@pytest.mark.req("TURN-1")
async def test_that_no_stream_is_wanted_may_be_said(host: ScriptedOpenAI, make_client: MakeClient) -> None:
    await _compare(host, make_client, Case({"stream": False}), _whole)


# what the SDK makes of an answer


async def _parsed(client: Client, case: Case) -> AsyncIterator[Any]:
    answer = await _settled(client.chat.completions.parse(**case.body))
    yield answer
    yield [choice.message.parsed for choice in answer.choices]
    calls = [call for choice in answer.choices for call in choice.message.tool_calls or ()]
    yield [call.function.parsed_arguments for call in calls]


async def _helped(client: Client, case: Case) -> AsyncIterator[Any]:
    """The events of the SDK's own helper, and the answer it puts together."""
    async with _opened(client.chat.completions.stream(**case.body)) as stream:
        async for event in _all(stream):
            yield event
        yield await _settled(stream.get_final_completion())


PARSED = {
    "a model": Case({"response_format": Weather}, Reply.json({"city": "Zürich", "degrees": 19})),
    "a refusal": Case({"response_format": Weather}, Reply(None, refusal="No.")),
    "n": Case({"response_format": Weather, "n": 2}, Reply.json({"city": "Zürich", "degrees": 19})),
    "cut short": Case({"response_format": Weather}, Reply('{"city": "Zü', finish_reason="length")),
    "filtered": Case({"response_format": Weather}, Reply('{"city": "Zü', finish_reason="content_filter")),
    "a tool": Case(
        {"tools": [openai.pydantic_function_tool(Weather)]},
        Reply(None, tool_calls=[ToolCall("Weather", {"city": "Zürich", "degrees": 19})]),
        joins=True,
    ),
}
HELPED = PARSED | {
    "plain": Case(),
    "logprobs": Case({"logprobs": True, "top_logprobs": 1}),
    "usage": Case({"stream_options": {"include_usage": True}}),
    "calls in parallel": Case(
        {"tools": [openai.pydantic_function_tool(Weather, name=call.name) for call in CALLS]},
        Reply(None, tool_calls=[ToolCall(call.name, {"city": "Zürich", "degrees": 19}, call.id) for call in CALLS]),
        joins=True,
    ),
    "an error": Case(reply=HttpError(429, "Slow down.", headers={"retry-after": "3"})),
}


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("name", PARSED)
async def test_what_is_parsed_is_the_same(host: ScriptedOpenAI, make_client: MakeClient, name: str) -> None:
    case = PARSED[name]
    direct = await _made(host, _parsed(make_client(None), case), case.script)
    for user, remembered in ((NOBODY, False), (ADA, True)):
        ours = await _made(host, _parsed(make_client(user), case), case.script)
        assert ours.answer == direct.answer
        _expect_same_requests(direct, ours, joins=case.joins, remembered=remembered)


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("name", HELPED)
async def test_the_stream_helper_gives_the_same_events_and_answer(
    host: ScriptedOpenAI, make_client: MakeClient, name: str
) -> None:
    case = HELPED[name]
    direct = await _made(host, _helped(make_client(None), case), case.script)
    for user, expected in ((NOBODY, []), (ADA, [REMEMBERED])):
        ours = await _made(host, _helped(make_client(user), case), case.script)
        assert ours.answer == direct.answer
        _expect_same_requests(direct, ours, joins=case.joins, remembered=bool(expected))
        if direct.error is None:
            (last,) = ours.memories[-1]
            assert [one["content"] for one in last] == expected


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_raw_responses_are_the_same(host: ScriptedOpenAI, make_client: MakeClient, stream: bool) -> None:
    async def raw(client: Client, case: Case) -> AsyncIterator[Any]:
        response = await _settled(client.chat.completions.with_raw_response.create(**case.body, stream=stream))
        parsed = await _settled(response.parse())
        async for value in _all(parsed if stream else [parsed]):
            yield value
        kind = response.headers["content-type"].partition(";")[0]
        yield {"status": response.status_code, "content-type": kind, "method": response.method}

    case = Case({"tools": TOOLS}, Reply("", tool_calls=CALLS), joins=True)
    direct = await _made(host, raw(make_client(None), case), case.script)
    ours = await _made(host, raw(make_client(ADA), case), case.script)
    assert ours.answer == direct.answer


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_whole_conversation_with_tools_is_the_same(
    host: ScriptedOpenAI, make_client: MakeClient, stream: bool
) -> None:
    """The client's own loop: it calls its tools and sends back what came of them, as the SDK gave it."""
    replies = [case.script for case in (Case(reply=Reply("", tool_calls=CALLS)), Case())]

    async def talk(client: Client) -> AsyncIterator[Any]:
        messages = [asking()]
        for _ in replies:
            body = {"model": "scripted", "messages": messages, "tools": TOOLS}
            if stream:
                async with _opened(client.chat.completions.stream(**body)) as chunks:
                    async for _ in _all(chunks):
                        pass
                    answer = await _settled(chunks.get_final_completion())
            else:
                answer = await _settled(client.chat.completions.create(**body))
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": f"result of {call.function.name}"}
                for call in message.tool_calls or ()
            ]
            yield answer

    direct = await _made(host, talk(make_client(None)), *replies)
    assert len(direct.bodies) == 2
    for user, remembered in ((NOBODY, False), (ADA, True)):
        ours = await _made(host, talk(make_client(user)), *replies)
        assert ours.answer == direct.answer
        _expect_same_requests(direct, ours, joins=True, remembered=remembered)


# our own tool


@pytest.mark.req("TURN-8")
@pytest.mark.parametrize("call", [_whole, _streamed], ids=["whole", "streamed"])
@pytest.mark.parametrize("then", [(), CALLS], ids=["words", "their calls"])
async def test_a_step_of_our_tool_leaves_no_trace_in_the_answer(
    host: ScriptedOpenAI,
    make_client: MakeClient,
    call: Callable[[Client, Case], AsyncIterator[Any]],
    then: tuple[ToolCall, ...],
) -> None:
    case = Case({"tools": TOOLS, "messages": RESULTS}, Reply("Rain.", tool_calls=then))
    direct = await _made(host, call(make_client(None), case), case.script)
    ours = Reply(None, tool_calls=[ToolCall(OURS, {"query": "name"}, "call_ours")], usage=dict.fromkeys(USAGE, 0))
    found = await _made(host, call(make_client(ADA), case), ours, case.script)
    assert found.answer == direct.answer
    _expect_memories(found, [REMEMBERED])
    first, second = found.bodies
    assert second["messages"][: len(first["messages"])] == first["messages"]
    asked, result = second["messages"][len(first["messages"]) :]
    assert asked["tool_calls"][0]["function"]["name"] == OURS
    assert REMEMBERED in result["content"]


# where it breaks


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("fault", [Cut("middle"), Abort("middle")], ids=["ended early", "hung up"])
async def test_a_cut_stream_is_as_far_as_it_came_and_then_an_error(
    host: ScriptedOpenAI, make_client: MakeClient, fault: Cut | Abort
) -> None:
    case = Case(reply=Reply("one two three four", fault=fault))
    direct = await _made(host, _streamed(make_client(None), case), case.script)
    ours = await _made(host, _streamed(make_client(ADA), case), case.script)
    assert ours.values == direct.values
    assert len(ours.values) > 1
    assert ours.error is not None
    assert ours.error["is a"] == "APIError"
    assert "broke off its answer" in ours.error["message"]


# the other routes


@pytest.mark.req("TURN-1")
async def test_models_are_the_hosts_with_souvenir_before_them(make_client: MakeClient) -> None:
    async def listed(client: Client) -> list[Any]:
        return [_plain(model) async for model in _all(client.models.list())]

    direct, (first, *ours) = await listed(make_client(None)), await listed(make_client(ADA))
    assert first["id"] == "souvenir"
    assert ours == direct
    for name in ("scripted", "other"):
        one, other = [await _settled(make_client(user).models.retrieve(name)) for user in (None, ADA)]
        assert _plain(other) == _plain(one)


@pytest.mark.req("TURN-1")
async def test_a_model_nobody_has_is_the_same_kind_of_error(make_client: MakeClient) -> None:
    for user in (None, ADA):
        with pytest.raises(openai.NotFoundError) as error:
            await _settled(make_client(user).models.retrieve("no/such model"))
        assert (error.value.code, error.value.param) == ("model_not_found", "model")


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize(
    "asked",
    [
        {"input": "The weather in Zürich."},
        {"input": ["one", "two words"], "encoding_format": "float"},
        {"input": ["one"], "encoding_format": "base64", "dimensions": 8},
        {"input": ["one"], "user": "u-1"},
    ],
    ids=["a text", "texts as numbers", "base64", "a user"],
)
async def test_embeddings_are_the_embedders(make_client: MakeClient, asked: dict[str, Any]) -> None:
    direct, ours = [
        _plain(await _settled(make_client(user).embeddings.create(model="scripted-embedder", **asked)))
        for user in (None, ADA)
    ]
    assert ours == direct
