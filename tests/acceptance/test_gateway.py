"""The gateway as the official OpenAI SDK and plain HTTP see it: everything goes through, both ways, untouched."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest

from souvenir.testing.openai_server import Cut, ErrorEvent, HttpError, Reply, ScriptedOpenAI, Stall, ToolCall
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve

HELLO: Any = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def sdk(shared: RunningSouvenir) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{shared.url}/v1", api_key="anything", max_retries=0)


@pytest.fixture
async def async_sdk(shared: RunningSouvenir) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{shared.url}/v1", api_key="anything", max_retries=0) as client:
        yield client


@pytest.mark.req("TURN-1")
def test_the_sdk_gets_a_plain_answer_with_usage(sdk: openai.OpenAI, host: ScriptedOpenAI) -> None:
    host.script("Good day.")
    answer = sdk.chat.completions.create(model="scripted", messages=HELLO)
    assert answer.choices[0].message.content == "Good day."
    assert answer.usage is not None
    assert answer.usage.total_tokens > 0


@pytest.mark.req("TURN-1")
def test_the_sdk_gets_the_same_answer_as_a_stream_with_usage_at_the_end(
    sdk: openai.OpenAI, host: ScriptedOpenAI
) -> None:
    host.script(Reply("Good day to you."))
    chunks = list(
        sdk.chat.completions.create(
            model="scripted", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Good day to you."
    assert chunks[-1].usage is not None


@pytest.mark.req("TURN-1")
def test_tool_calls_stream_through(sdk: openai.OpenAI, host: ScriptedOpenAI) -> None:
    host.script(Reply(tool_calls=[ToolCall("look_up", {"city": "Zürich"})]))
    tools: Any = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
    pieces = ""
    name = ""
    for chunk in sdk.chat.completions.create(model="scripted", messages=HELLO, tools=tools, stream=True):
        for call in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            name += (call.function.name or "") if call.function else ""
            pieces += (call.function.arguments or "") if call.function else ""
    assert name == "look_up"
    assert json.loads(pieces) == {"city": "Zürich"}
    *theirs, ours = host.chats[-1]["tools"]
    assert theirs == tools
    assert ours["function"]["name"] == "getUserMemories"


@pytest.mark.req("TURN-1")
def test_a_request_reaches_the_host_as_it_was_sent(client: httpx2.Client, host: ScriptedOpenAI) -> None:
    body = {
        "model": "scripted",
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "name": "ann", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
            ]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "42"},
        ],
        "temperature": 0.25, "n": 2, "stop": ["END"], "response_format": {"type": "json_object"}, "seed": 7,
        "never_heard_of": {"deep": [1, {"er": None}]},
    }  # fmt: skip
    assert client.post("/v1/chat/completions", json=body).status_code == 200
    assert host.chats[-1] == body


@pytest.mark.req("TURN-1")
def test_unknown_fields_of_the_answer_come_back(client: httpx2.Client, host: ScriptedOpenAI) -> None:
    host.script(Reply("Yes.", extra={"citations": ["https://example.org"]}))
    answer = client.post("/v1/chat/completions", json={"model": "scripted", "messages": HELLO})
    assert answer.json()["citations"] == ["https://example.org"]


def test_the_name_souvenir_stands_for_the_default_model(sdk: openai.OpenAI, host: ScriptedOpenAI) -> None:
    sdk.chat.completions.create(model="souvenir", messages=HELLO)
    assert host.chats[-1]["model"] == "scripted"


@pytest.mark.req("TURN-1")
def test_models_are_listed_and_one_can_be_looked_up(sdk: openai.OpenAI) -> None:
    assert [model.id for model in sdk.models.list()][:2] == ["souvenir", "scripted"]
    assert sdk.models.retrieve("other").id == "other"
    with pytest.raises(openai.NotFoundError):
        sdk.models.retrieve("no such model")


@pytest.mark.req("ID-9")
@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model_is_400_and_reaches_no_host(sdk: openai.OpenAI, host: ScriptedOpenAI, stream: bool) -> None:
    before = len(host.chats)
    with pytest.raises(openai.BadRequestError) as error:
        sdk.chat.completions.create(model="nobody", messages=HELLO, stream=stream)
    assert error.value.code == "model_not_found"
    assert error.value.param == "model"
    assert len(host.chats) == before


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
def test_the_hosts_own_error_is_passed_on(
    serve: Serve, host: ScriptedOpenAI, stream: bool, status: int, kind: type[openai.APIStatusError]
) -> None:
    running = serve(llm_max_retries=0)
    host.script(HttpError(status, "as the host put it", code="c"))
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key="x", max_retries=0) as sdk, pytest.raises(kind) as error:
        list(sdk.chat.completions.create(model="scripted", messages=HELLO, stream=stream))
    assert "as the host put it" in str(error.value)
    assert error.value.code == "c"


def test_a_rate_limit_tells_the_client_when_to_come_back(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(llm_max_retries=0)
    host.script(HttpError(429, headers={"retry-after": "7"}))
    answer = httpx2.post(f"{running.url}/v1/chat/completions", json={"model": "scripted", "messages": HELLO})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")


def test_a_stream_that_breaks_after_its_first_token_ends_in_an_error_the_sdk_raises(
    sdk: openai.OpenAI, host: ScriptedOpenAI
) -> None:
    for fault in (Cut("middle"), ErrorEvent()):
        host.script(Reply("one two three four", fault=fault))
        seen = ""
        with pytest.raises(openai.APIError):
            for chunk in sdk.chat.completions.create(model="scripted", messages=HELLO, stream=True):
                seen += chunk.choices[0].delta.content or ""
        assert seen.startswith("one")


@pytest.mark.parametrize("stream", [False, True])
def test_a_host_that_is_away_is_502_and_one_that_is_silent_is_504(
    serve: Serve, host: ScriptedOpenAI, stream: bool
) -> None:
    dead = serve(llm_base_url="http://127.0.0.1:1/v1", llm_max_retries=0)
    slow = serve(llm_timeout_seconds=0.2, llm_max_retries=0)
    body = {"model": "scripted", "messages": HELLO, "stream": stream}
    answer = httpx2.post(f"{dead.url}/v1/chat/completions", json=body, timeout=20)
    assert answer.status_code == 502
    assert answer.json()["error"]["type"] == "api_error"
    host.script(Reply("late", fault=Stall("headers")))
    assert httpx2.post(f"{slow.url}/v1/chat/completions", json=body, timeout=20).status_code == 504


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_goes_away_before_the_first_token_stops_the_host(
    async_sdk: openai.AsyncOpenAI, host: ScriptedOpenAI, stream: bool
) -> None:
    host.script(Reply("never read", fault=Stall("headers")))
    asking = asyncio.ensure_future(async_sdk.chat.completions.create(model="scripted", messages=HELLO, stream=stream))
    await asyncio.to_thread(host.wait_for_stalls, 1)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await asyncio.to_thread(host.wait_for_disconnects, 1)


async def test_a_client_that_goes_away_in_the_middle_of_a_stream_stops_the_host(
    async_sdk: openai.AsyncOpenAI, host: ScriptedOpenAI
) -> None:
    host.script(Reply("one two three", fault=Stall("middle")))
    stream = await async_sdk.chat.completions.create(model="scripted", messages=HELLO, stream=True)
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            break
    await stream.close()
    await asyncio.to_thread(host.wait_for_disconnects, 1)


async def test_sixty_four_streams_at_once_hold(async_sdk: openai.AsyncOpenAI, host: ScriptedOpenAI) -> None:
    async def one(number: int) -> str:
        messages: Any = [{"role": "user", "content": f"number {number}"}]
        stream = await async_sdk.chat.completions.create(model="scripted", messages=messages, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

    answers = await asyncio.gather(*(one(number) for number in range(64)))
    assert answers == [f"You said: number {number}" for number in range(64)]


@pytest.mark.req("TURN-12")
@pytest.mark.parametrize("stream", [False, True])
def test_with_no_provider_the_offline_one_answers_and_says_how_to_connect_a_model(serve: Serve, stream: bool) -> None:
    running = serve(llm_base_url=None, llm_model=None)
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key="x", max_retries=0) as sdk:
        answer: Any = sdk.chat.completions.create(model="souvenir", messages=HELLO, stream=stream)
        if stream:
            text = "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
        else:
            text = answer.choices[0].message.content
    assert "SOUVENIR_LLM_BASE_URL" in text


@pytest.mark.req("TURN-6")
def test_several_providers_are_reached_by_name(serve: Serve, host: ScriptedOpenAI) -> None:
    with ScriptedOpenAI(models=["far"]) as second:
        running = serve(providers={"second": {"base_url": second.base_url}})
        with openai.OpenAI(base_url=f"{running.url}/v1", api_key="x", max_retries=0) as sdk:
            assert "second/far" in [model.id for model in sdk.models.list()]
            sdk.chat.completions.create(model="second/far", messages=HELLO)
            sdk.chat.completions.create(model="far", messages=HELLO)
            sdk.chat.completions.create(model="default/scripted", messages=HELLO)
        assert [chat["model"] for chat in second.chats] == ["far", "far"]
        assert [chat["model"] for chat in host.chats][-1] == "scripted"
