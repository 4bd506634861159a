"""The scripted server itself, seen by the official SDK and by a bare HTTP client."""

import asyncio
import base64
import json
import subprocess
import sys
import threading
from collections.abc import Iterator

import httpx2
import numpy as np
import openai
import pytest

from souvenir.testing.openai_server import (
    Abort,
    BadVectors,
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

HELLO = {"model": "scripted", "messages": [{"role": "user", "content": "hello there"}]}


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


def post(server: ScriptedOpenAI, body: object, **headers: str) -> httpx2.Response:
    return httpx2.post(f"{server.base_url}/chat/completions", json=body, headers=headers)


def events(response: httpx2.Response) -> list[str]:
    return [block.removeprefix("data: ") for block in response.text.split("\n\n") if block]


def sdk(server: ScriptedOpenAI) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, api_key="any", max_retries=0)


def test_it_echoes_when_nothing_is_scripted(server: ScriptedOpenAI) -> None:
    answer = post(server, HELLO).json()
    assert answer["choices"][0]["message"]["content"] == "You said: hello there"
    assert answer["usage"] == {"prompt_tokens": 2, "completion_tokens": 4, "total_tokens": 6}


def test_replies_are_used_up_in_order(server: ScriptedOpenAI) -> None:
    server.script("one", lambda body: Reply(f"two for {body['model']}"))
    texts = [post(server, HELLO).json()["choices"][0]["message"]["content"] for _ in range(3)]
    assert texts == ["one", "two for scripted", "You said: hello there"]
    assert server.chats == [HELLO] * 3


def test_the_official_sdk_reads_its_stream(server: ScriptedOpenAI) -> None:
    server.script(Reply("a b  c"))
    with sdk(server) as client:
        stream = client.chat.completions.create(
            model="scripted",
            messages=[{"role": "user", "content": "x"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "a b  c"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_no_usage_is_streamed_unless_asked_for(server: ScriptedOpenAI) -> None:
    seen = events(post(server, HELLO | {"stream": True}))
    assert seen[-1] == "[DONE]"
    assert all("usage" not in json.loads(event) for event in seen[:-1])


def test_tool_calls_stream_as_partial_arguments(server: ScriptedOpenAI) -> None:
    server.script(Reply(None, tool_calls=[ToolCall("find", {"query": "the blue house"})]))
    deltas = [json.loads(e)["choices"][0] for e in events(post(server, HELLO | {"stream": True}))[:-1]]
    parts = [d["delta"]["tool_calls"][0]["function"] for d in deltas if "tool_calls" in d["delta"]]
    assert parts[0]["name"] == "find"
    assert len(parts) > 3
    assert json.loads("".join(part["arguments"] for part in parts)) == {"query": "the blue house"}
    assert deltas[-1]["finish_reason"] == "tool_calls"


def test_several_choices_are_given_when_asked_for(server: ScriptedOpenAI) -> None:
    assert [c["index"] for c in post(server, HELLO | {"n": 2}).json()["choices"]] == [0, 1]
    last = [json.loads(e)["choices"][0] for e in events(post(server, HELLO | {"n": 2, "stream": True}))[-3:-1]]
    assert [(choice["index"], choice["finish_reason"]) for choice in last] == [(0, "stop"), (1, "stop")]


def test_an_error_keeps_its_status_body_and_headers(server: ScriptedOpenAI) -> None:
    server.script(
        HttpError(429, "slow down", code="rate_limit", headers={"Retry-After": "3"}), HttpError(500, body="?")
    )
    refused = post(server, HELLO)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "3")
    assert refused.json()["error"]["code"] == "rate_limit"
    broken = post(server, HELLO)
    assert (broken.status_code, broken.text) == (500, "?")


def test_a_wrong_key_an_unknown_model_and_a_refused_schema_are_told() -> None:
    with ScriptedOpenAI(api_key="k", models=["m"], strict_models=True, refuse_response_format=True) as server:
        assert post(server, HELLO).status_code == 401
        unknown = post(server, HELLO, authorization="Bearer k")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")
        schema = HELLO | {"model": "m", "response_format": {"type": "json_schema"}}
        assert post(server, schema, authorization="Bearer k").status_code == 400


def test_a_body_that_is_not_json_is_refused(server: ScriptedOpenAI) -> None:
    assert httpx2.post(f"{server.base_url}/chat/completions", content="{").status_code == 400


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("place", ["headers", "start", "middle"])
async def test_a_stalled_reply_goes_on_when_released(server: ScriptedOpenAI, place: Place, stream: bool) -> None:
    server.script(Reply("one two", fault=Stall(place)))
    call = asyncio.create_task(asyncio.to_thread(post, server, HELLO | {"stream": stream}))
    await asyncio.to_thread(server.wait_for_stalls)
    server.release()
    assert ("[DONE]" in (await call).text) is stream
    assert server.disconnects == []


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("place", ["headers", "start", "middle"])
async def test_a_client_that_hangs_up_is_noticed(server: ScriptedOpenAI, place: Place, stream: bool) -> None:
    server.script(Reply("one two", fault=Stall(place)))
    async with httpx2.AsyncClient() as client:
        call = asyncio.create_task(client.post(f"{server.base_url}/chat/completions", json=HELLO | {"stream": stream}))
        await asyncio.to_thread(server.wait_for_stalls)
        call.cancel()
        await asyncio.wait({call})
    assert [gone.body["stream"] for gone in server.wait_for_disconnects()] == [stream]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("place", ["headers", "start", "middle"])
def test_an_abort_breaks_the_connection(server: ScriptedOpenAI, place: Place, stream: bool) -> None:
    server.script(Reply("one two", fault=Abort(place)))
    with pytest.raises(httpx2.RemoteProtocolError):
        post(server, HELLO | {"stream": stream})
    assert post(server, HELLO).status_code == 200
    assert server.requests[0].outcome == "aborted"


def test_what_goes_wrong_inside_a_stream_comes_after_its_first_half(server: ScriptedOpenAI) -> None:
    server.script(Reply("one two", fault=Cut()), Reply("one two", fault=ErrorEvent()), Reply("one two", fault=Garble()))
    cut, failed, garbled = (events(post(server, HELLO | {"stream": True})) for _ in range(3))
    assert [json.loads(event)["choices"][0]["delta"]["content"] for event in cut] == ["", "one "]
    assert failed[:2] == cut
    assert json.loads(failed[2])["error"]["type"] == "server_error"
    assert garbled[2] == '{"choices": [{"delta'


def test_unknown_fields_are_in_the_body_and_in_the_chunks(server: ScriptedOpenAI) -> None:
    reply = Reply("hi", extra={"citations": ["a"]}, extra_message={"reasoning_content": "hm"}, preamble=": waiting\n\n")
    server.script(reply, reply)
    whole = post(server, HELLO).json()
    assert (whole["citations"], whole["choices"][0]["message"]["reasoning_content"]) == (["a"], "hm")
    comment, first, *_ = events(post(server, HELLO | {"stream": True}))
    assert comment == ": waiting"
    assert json.loads(first)["choices"][0]["delta"]["reasoning_content"] == "hm"


def test_models_are_listed_until_told_otherwise(server: ScriptedOpenAI) -> None:
    server.models = ["a", "b"]
    server.script_models(HttpError(404))
    assert httpx2.get(f"{server.base_url}/models").status_code == 404
    assert [model["id"] for model in httpx2.get(f"{server.base_url}/models").json()["data"]] == ["a", "b"]


def test_embeddings_are_the_same_each_time_and_in_both_encodings(server: ScriptedOpenAI) -> None:
    url = f"{server.base_url}/embeddings"
    plain, other = (item["embedding"] for item in httpx2.post(url, json={"input": ["a b", "c"]}).json()["data"])
    coded = httpx2.post(url, json={"input": "a b", "encoding_format": "base64"}).json()["data"][0]["embedding"]
    assert np.frombuffer(base64.b64decode(coded), "<f4").tolist() == plain
    assert np.linalg.norm(plain) == pytest.approx(1)
    assert plain != other
    assert len(httpx2.post(url, json={"input": "a", "dimensions": 5}).json()["data"][0]["embedding"]) == 5


def test_embeddings_go_wrong_as_told(server: ScriptedOpenAI) -> None:
    url = f"{server.base_url}/embeddings"
    server.script_embeddings(BadVectors("count"), BadVectors("nan"), BadVectors("dimension"), HttpError(503), Abort())
    few, nan, long = (httpx2.post(url, json={"input": ["a", "b"]}).json()["data"] for _ in range(3))
    assert len(few) == 1
    assert np.isnan(nan[1]["embedding"]).any()
    assert len(long[0]["embedding"]) == 9
    assert httpx2.post(url, json={"input": "a"}).status_code == 503
    with pytest.raises(httpx2.RemoteProtocolError):
        httpx2.post(url, json={"input": "a"})
    server.max_input_chars = 3
    refused = httpx2.post(url, json={"input": ["a", "abcd"]})
    assert refused.status_code == 400
    assert "maximum context length" in refused.json()["error"]["message"]


def test_leaving_ends_the_thread_even_with_a_stalled_reply() -> None:
    with ScriptedOpenAI() as server:
        server.script(Reply("x", fault=Stall("middle")))
        with httpx2.stream("POST", f"{server.base_url}/chat/completions", json=HELLO):
            server.wait_for_stalls()
    assert not any(thread.name == "scripted-openai" for thread in threading.enumerate())


def test_waiting_for_what_never_comes_ends(server: ScriptedOpenAI) -> None:
    with pytest.raises(TimeoutError, match="1 requests"):
        server.wait_for_requests(1, timeout=0.01)


def test_it_runs_as_a_process_that_prints_its_address() -> None:
    command = [sys.executable, "-W", "error", "-m", "souvenir.testing.openai_server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            answer = httpx2.post(f"{url}/chat/completions", json=HELLO).json()
            assert answer["choices"][0]["message"]["content"] == "You said: hello there"
        finally:
            process.terminate()
