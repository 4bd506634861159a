"""An OpenAI-compatible host: what goes through untouched, what is told when it fails, what it costs to leave early."""

import asyncio
import contextlib
import json
import socket
import traceback
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from souvenir.errors import (
    BadInput,
    ProviderError,
    ProviderTimeout,
    ProviderUnreachable,
    ServiceError,
    SettingsError,
)
from souvenir.llm.openai import OpenAIProvider
from souvenir.llm.port import ModelInfo, Provider
from souvenir.metrics import Metrics
from souvenir.testing.openai_server import (
    Abort,
    Cut,
    ErrorEvent,
    Garble,
    HttpError,
    Place,
    Reply,
    ScriptedOpenAI,
    Stall,
    ToolCall,
)
from souvenir.types import JsonObject

Connect = Callable[..., OpenAIProvider]

BODY: JsonObject = {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}
KEY = "sk-very-secret-0123456789"


async def read(provider: Provider, body: JsonObject = BODY) -> list[JsonObject]:
    return [chunk async for chunk in provider.stream(body)]


async def call(provider: Provider, stream: bool) -> None:
    await (read(provider) if stream else provider.complete(BODY))


def sample(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, {"provider": "host"} | labels)


both = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])


@pytest.mark.req("TURN-1")
@both
async def test_unknown_fields_go_through_untouched(
    server: ScriptedOpenAI, provider: OpenAIProvider, stream: bool
) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}
    body: JsonObject = {
        "model": "scripted",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "é 😀 \ud800"}, picture], "x": None}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "unheard_of": {"deep": [1, 2.5, None, True]},
    }
    server.script(Reply("hi", extra={"citations": ["a"]}, extra_message={"reasoning_content": "hm"}))
    if stream:
        first, *_ = await read(provider, body)
        assert first["choices"][0]["delta"]["reasoning_content"] == "hm"
    else:
        first = await provider.complete(body)
        assert first["choices"][0]["message"]["reasoning_content"] == "hm"
    assert first["citations"] == ["a"]
    assert server.chats == [body | ({"stream": True} if stream else {})]


@pytest.mark.req("TURN-1")
async def test_tool_calls_arrive_whole_and_in_pieces(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    calls = Reply(None, tool_calls=[ToolCall("find", {"query": "the blue house"}), ToolCall("stop", {}, "call_2")])
    server.script(calls, calls)
    message = (await provider.complete(BODY))["choices"][0]["message"]
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["find", "stop"]
    deltas = [chunk["choices"][0]["delta"] for chunk in await read(provider)]
    parts = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    arguments = "".join(part["function"]["arguments"] for part in parts if part["index"] == 0)
    assert json.loads(arguments) == {"query": "the blue house"}


async def test_several_choices_go_through(provider: OpenAIProvider) -> None:
    answer = await provider.complete(BODY | {"n": 2})
    assert [choice["index"] for choice in answer["choices"]] == [0, 1]


async def test_the_path_prefix_of_the_base_url_is_kept(server: ScriptedOpenAI, connect: Connect) -> None:
    await connect(base_url=server.base_url + "/").complete(BODY)
    assert server.requests[0].path == "/v1/chat/completions"


async def test_comments_empty_events_and_odd_line_breaks_in_a_stream_are_no_matter(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    server.script(Reply("a\u2028b\u0085c d", preamble=": waiting\n\nevent: ping\n\nid: 7\n\n"))
    chunks = await read(provider)
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == "a\u2028b\u0085c d"


async def test_a_connection_is_used_again_after_a_stream(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    for _ in range(3):
        await read(provider)
    assert len({request.client for request in server.requests}) == 1


@both
async def test_a_host_that_asks_to_wait_is_asked_again(server: ScriptedOpenAI, connect: Connect, stream: bool) -> None:
    busy = HttpError(429, "slow down", headers={"retry-after-ms": "1"})
    server.script(busy, busy, "at last")
    await call(connect(retries=2), stream)
    assert len(server.chats) == 3


async def test_a_connection_that_breaks_before_the_headers_is_tried_again(
    server: ScriptedOpenAI, connect: Connect
) -> None:
    server.script(Reply(fault=Abort("headers")), "fine")
    assert (await connect(retries=1).complete(BODY))["choices"][0]["message"]["content"] == "fine"


@both
async def test_a_silent_host_is_not_asked_twice(
    server: ScriptedOpenAI, connect: Connect, metrics: Metrics, stream: bool
) -> None:
    server.script(Reply(fault=Stall("headers")))
    with pytest.raises(ProviderTimeout, match=r"host \(http://127.* was silent for 0.05 s"):
        await call(connect(retries=2, timeout_seconds=0.05), stream)
    assert len(server.chats) == 1
    assert sample(metrics, "souvenir_provider_errors_total", reason="timeout") == 1


@pytest.mark.parametrize("place", ["start", "middle"])
@both
async def test_a_host_that_falls_silent_midway_times_out(
    server: ScriptedOpenAI, connect: Connect, place: Place, stream: bool
) -> None:
    server.script(Reply("one two", fault=Stall(place)))
    with pytest.raises(ProviderTimeout):
        await call(connect(timeout_seconds=0.05), stream)
    server.wait_for_disconnects()


async def test_a_host_that_cannot_be_connected_to_is_unreachable(connect: Connect, metrics: Metrics) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ProviderUnreachable, match=f"host \\(http://127.0.0.1:{port}/v1\\) cannot be reached"):
        await connect(base_url=f"http://127.0.0.1:{port}/v1").complete(BODY)
    assert sample(metrics, "souvenir_provider_errors_total", reason="unreachable") == 1


@pytest.mark.parametrize(
    "fault",
    [Abort("headers"), Abort("start"), Abort("middle"), Cut("start"), Cut("middle"), Garble(), Garble('["a"]')],
    ids=str,
)
@both
async def test_a_broken_answer_is_unreachable(
    server: ScriptedOpenAI, provider: OpenAIProvider, fault: Any, stream: bool
) -> None:
    server.script(Reply("one two", fault=fault))
    with pytest.raises(ProviderUnreachable):
        await call(provider, stream)


async def test_what_came_before_a_break_is_given(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(Reply("one two", fault=Abort("middle")))
    stream = provider.stream(BODY)
    assert [(await anext(stream))["choices"][0]["delta"]["content"] for _ in range(2)] == ["", "one "]
    with pytest.raises(ProviderUnreachable, match="broke off"):
        await anext(stream)


async def test_a_stream_may_end_with_a_finish_reason_instead_of_done(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    server.script(Reply("one two", done=False))
    assert (await read(provider))[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.req("TURN-1")
@both
async def test_an_error_status_comes_with_the_hosts_own_body(
    server: ScriptedOpenAI, provider: OpenAIProvider, metrics: Metrics, stream: bool
) -> None:
    refusal = HttpError(404, "No such model.", code="model_not_found", param="model")
    server.script(refusal)
    with pytest.raises(ProviderError) as caught:
        await call(provider, stream)
    error = caught.value
    assert (error.provider, error.status, error.message) == ("host", 404, "No such model.")
    assert error.body == json.loads(refusal.content())
    assert str(error) == "host answered 404: No such model."
    assert sample(metrics, "souvenir_provider_errors_total", reason="404") == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": "just a word"}, "just a word"),
        ({"object": "error", "message": "vLLM's way"}, "vLLM's way"),
        ({"detail": "FastAPI's way"}, "FastAPI's way"),
        ({"detail": [{"loc": ["x"]}]}, '{"detail": [{"loc": ["x"]}]}'),
        ("<html>gone</html>", "<html>gone</html>"),
        ("", "Service Unavailable"),
    ],
)
async def test_the_reason_is_found_wherever_a_host_puts_it(
    server: ScriptedOpenAI, provider: OpenAIProvider, body: Any, message: str
) -> None:
    server.script(HttpError(503, body=body))
    with pytest.raises(ProviderError) as caught:
        await provider.complete(BODY)
    assert caught.value.message == message
    assert caught.value.body == (body if isinstance(body, dict) else None)


async def test_a_redirect_to_nowhere_is_not_passed_on_as_one(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(HttpError(304))
    with pytest.raises(ProviderError) as caught:
        await provider.complete(BODY)
    assert caught.value.status == 502


@pytest.mark.parametrize(("code", "status"), [(None, 502), ("overloaded", 502), (429, 429), (7, 502)])
@both
async def test_an_error_object_in_a_good_answer_is_the_hosts_error(
    server: ScriptedOpenAI, provider: OpenAIProvider, code: object, status: int, stream: bool
) -> None:
    error = {"message": "The model broke.", "type": "server_error", "code": code}
    server.script(Reply("one two", fault=ErrorEvent(error)))
    with pytest.raises(ProviderError) as caught:
        await call(provider, stream)
    assert (caught.value.status, caught.value.message) == (status, "The model broke.")
    assert caught.value.body == {"error": error}


async def test_an_error_object_instead_of_a_stream_is_the_hosts_error(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    server.script(HttpError(200, "No credit left."), HttpError(200, body={"id": "x"}), HttpError(200, body="hello"))
    with pytest.raises(ProviderError, match=r"No credit left\."):
        await read(provider)
    with pytest.raises(ProviderUnreachable, match="did not stream"):
        await read(provider)
    with pytest.raises(ProviderUnreachable, match="text/event-stream"):
        await read(provider)


async def test_what_fails_before_the_first_chunk_is_raised_by_the_first_step(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    server.script(HttpError(500), Reply("one two", fault=ErrorEvent()))
    with pytest.raises(ProviderError):
        await anext(provider.stream(BODY))
    stream = provider.stream(BODY)
    assert (await anext(stream))["choices"]
    assert (await anext(stream))["choices"]
    with pytest.raises(ProviderError):
        await anext(stream)


async def test_a_number_that_json_lacks_is_the_callers_error(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    with pytest.raises(BadInput, match="NaN"):
        await provider.complete(BODY | {"temperature": float("nan")})
    assert server.requests == []


@pytest.mark.parametrize("place", ["headers", "start", "middle"])
@both
async def test_cancelling_closes_the_connection(
    server: ScriptedOpenAI, provider: OpenAIProvider, place: Place, stream: bool
) -> None:
    server.script(Reply("one two", fault=Stall(place)))
    task = asyncio.create_task(call(provider, stream))
    await asyncio.to_thread(server.wait_for_stalls)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    server.wait_for_disconnects()
    assert (await provider.complete(BODY))["choices"]


async def test_cancelling_by_a_cancel_scope_closes_the_connection(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    """Starlette cancels a streaming response this way, and there every later await is cancelled again."""
    server.script(Reply("one two", fault=Stall("middle")))
    async with anyio.create_task_group() as group:
        group.start_soon(read, provider)
        await asyncio.to_thread(server.wait_for_stalls)
        group.cancel_scope.cancel()
    server.wait_for_disconnects()


async def test_closing_the_generator_closes_the_connection(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(Reply("one two", fault=Stall("middle")))
    async with contextlib.aclosing(provider.stream(BODY)) as stream:
        await anext(stream)
    server.wait_for_disconnects()


async def test_a_key_is_sent_as_a_bearer_token(server: ScriptedOpenAI, connect: Connect) -> None:
    server.api_key = KEY
    await connect(api_key=KEY).complete(BODY)
    await connect(api_key_env="MY_KEY", environ={"MY_KEY": KEY}).complete(BODY)
    with pytest.raises(ProviderError, match="401"):
        await connect().complete(BODY)


async def test_a_variable_that_is_not_set_is_named_at_the_start(connect: Connect) -> None:
    with pytest.raises(SettingsError, match=r"providers\.host\.api_key_env names MY_KEY, which is not set"):
        connect(api_key_env="MY_KEY")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"base_url": "http://[::bad/v1"}, "base_url is not an address"),
        ({"base_url": "http:///v1"}, "base_url names no host"),
        ({"api_key": "sk-\n-cut"}, "api_key holds a character"),
        ({"headers": {"X-Name": "Zoë"}}, "X-Name holds a character"),
    ],
)
async def test_what_no_request_could_carry_is_told_at_the_start(
    connect: Connect, table: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SettingsError, match=f"providers.host.*{reason}"):
        connect(**table)


async def test_a_key_with_a_line_break_after_it_is_mended(server: ScriptedOpenAI, connect: Connect) -> None:
    server.api_key = KEY
    await connect(api_key=f"{KEY}\n").complete(BODY)


async def test_variables_of_the_sdk_do_not_leak_in(
    server: ScriptedOpenAI, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaks = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_ADMIN_KEY": KEY,
        "OPENAI_ORG_ID": "leaked-org",
        "OPENAI_PROJECT_ID": "leaked-project",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/leaked",
        "OPENAI_CUSTOM_HEADERS": "X-Leak: leaked\nAuthorization: Bearer leaked",
    }
    for name, value in leaks.items():
        monkeypatch.setenv(name, value)
    await connect(environ=leaks).complete(BODY)
    await connect(environ=leaks, api_key="mine-mine-mine").models()
    sent = [request.headers for request in server.requests]
    assert "leaked" not in str(sent)
    assert KEY not in str(sent)
    assert "authorization" not in sent[0]
    assert sent[1]["authorization"] == "Bearer mine-mine-mine"


async def test_configured_headers_are_sent(server: ScriptedOpenAI, connect: Connect) -> None:
    await connect(headers={"api-key": "azure-key", "X-Title": "Souvenir"}).complete(BODY)
    headers = server.requests[0].headers
    assert (headers["api-key"], headers["x-title"]) == ("azure-key", "Souvenir")


@pytest.mark.parametrize("stream", [False, True])
async def test_the_key_is_in_no_error_text(server: ScriptedOpenAI, connect: Connect, stream: bool) -> None:
    provider = connect(api_key=KEY, headers={"api-key": KEY + "-2"}, timeout_seconds=0.05)
    quoting = {"error": {"message": f"Wrong key {KEY}.", "tried": [{"key": KEY, "header": KEY + "-2"}]}}
    server.script(
        HttpError(401, body=quoting),
        HttpError(401, body=f"no such key: {KEY}"),
        Reply("one two", fault=ErrorEvent(quoting["error"])),
        Reply("one two", fault=Garble(f"{{{KEY}")),
        Reply("one two", fault=Abort("middle")),
        Reply("one two", fault=Stall("middle")),
    )
    for _ in range(6):
        with pytest.raises(ServiceError) as caught:
            await call(provider, stream)
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(vars(caught.value))
        assert KEY not in told
    assert KEY not in repr(provider)


async def test_time_and_tokens_are_measured(server: ScriptedOpenAI, provider: OpenAIProvider, metrics: Metrics) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    server.script(Reply("one two", usage=usage), Reply("one two", usage=usage))
    await provider.complete(BODY)
    await read(provider, BODY | {"stream_options": {"include_usage": True}})
    assert sample(metrics, "souvenir_provider_seconds_count", kind="whole") == 2
    assert sample(metrics, "souvenir_provider_seconds_count", kind="first_token") == 1
    assert sample(metrics, "souvenir_provider_tokens_total", kind="prompt") == 14
    assert sample(metrics, "souvenir_provider_tokens_total", kind="completion") == 6


async def test_models_are_listed_in_any_of_the_usual_shapes(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.models = ["a", "b"]
    assert await provider.models() == [ModelInfo("a", "scripted", 1), ModelInfo("b", "scripted", 1)]
    bare = json.dumps([{"id": "c"}, {"no": "id"}, "x", {"id": "d", "created": "soon", "owned_by": None}])
    server.script_models(HttpError(200, body=bare), HttpError(200, body={"data": None}))
    assert await provider.models() == [ModelInfo("c", "host", 0), ModelInfo("d", "host", 0)]
    assert await provider.models() == []


async def test_a_host_that_lacks_a_listing_says_so(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script_models(HttpError(404, body="not here"), HttpError(200, body="hello"))
    with pytest.raises(ProviderError, match="404"):
        await provider.models()
    with pytest.raises(ProviderUnreachable):
        await provider.models()


async def test_many_calls_run_side_by_side(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    texts = [f"number {n}" for n in range(50)]
    bodies = [BODY | {"messages": [{"role": "user", "content": text}]} for text in texts]
    answers = await asyncio.gather(*(provider.complete(body) for body in bodies))
    said = [answer["choices"][0]["message"]["content"] for answer in answers]
    assert said == [f"You said: {text}" for text in texts]
