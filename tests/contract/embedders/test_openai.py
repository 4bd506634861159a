"""The endpoint embedder against a scripted server: what is sent, what is believed, and what happens when it fails."""

import asyncio
from typing import Any

import numpy as np
import pytest

from souvenir.embed.openai import OpenAIEmbedder
from souvenir.errors import DimensionMismatch, SettingsError, Unavailable
from souvenir.metrics import Metrics
from souvenir.testing.openai_replies import BadVectors
from souvenir.testing.openai_server import Abort, HttpError, ScriptedOpenAI, Stall
from tests.contract.embedders.conftest import Connect, Plain

KEY = "sk-very-secret-5858"
AT_ONCE = {"retry-after-ms": "1"}


def answer(*vectors: list[Any], indexes: list[int] | None = None, **rest: Any) -> HttpError:
    """A whole answer of one's own making."""
    places = indexes if indexes is not None else list(range(len(vectors)))
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in zip(places, vectors, strict=True)]
    return HttpError(200, body={"object": "list", "data": data, "model": "small"} | rest)


def inputs(server: ScriptedOpenAI) -> list[list[str]]:
    return [request.body["input"] for request in server.requests]


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(name, labels) or 0.0


async def failure(embedder: OpenAIEmbedder, texts: list[str] | None = None) -> str:
    with pytest.raises(Unavailable) as caught:
        await embedder.embed(texts or ["a text"])
    return str(caught.value)


async def test_it_asks_for_numbers_from_the_configured_model(connect: Connect, server: ScriptedOpenAI) -> None:
    await connect(embed_api_key=KEY).embed(["a text"])
    [request] = server.requests
    assert request.body == {"model": "small", "input": ["a text"], "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_dimension_that_is_set_is_asked_for(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect(embed_dimension=12)
    made = await embedder.embed(["a text"])
    assert server.requests[0].body["dimensions"] == 12
    assert made.vectors.shape == (1, 12)


async def test_nothing_of_another_program_is_sent(
    connect: Connect, server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "somebody-elses")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: somebody-elses")
    await connect().embed(["a text"])
    [request] = server.requests
    assert "authorization" not in request.headers
    assert "somebody-elses" not in str(request.headers)


async def test_starting_asks_once_and_learns_the_dimension(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    before = embedder.dimension
    await embedder.start()
    assert (before, embedder.dimension) == (None, 16)
    assert len(server.requests) == 1


async def test_starting_fails_while_the_endpoint_does_and_the_first_answer_teaches_it_later(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    embedder = connect()
    server.script_embeddings(HttpError(400, "no such model"))
    with pytest.raises(Unavailable, match="no such model"):
        await embedder.start()
    await embedder.embed(["a text"])
    assert embedder.dimension == 16


async def test_rows_are_put_in_the_order_of_their_index(connect: Connect, server: ScriptedOpenAI) -> None:
    server.script_embeddings(answer([0.0, 1.0], [1.0, 0.0], indexes=[1, 0]))
    made = await connect().embed(["first", "second"])
    np.testing.assert_array_equal(made.vectors, [[1.0, 0.0], [0.0, 1.0]])


async def test_rows_without_an_index_are_in_order(connect: Connect, server: ScriptedOpenAI) -> None:
    data = [{"embedding": [1, 0]}, {"embedding": [0, 1]}]
    server.script_embeddings(HttpError(200, body={"data": data}))
    made = await connect().embed(["first", "second"])
    np.testing.assert_array_equal(made.vectors, [[1.0, 0.0], [0.0, 1.0]])
    assert made.tokens > 0


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
async def test_vectors_are_made_unit_length(connect: Connect, server: ScriptedOpenAI, scale: float) -> None:
    server.script_embeddings(answer([3.0 * scale, -4.0 * scale]))
    made = await connect().embed(["a text"])
    np.testing.assert_allclose(made.vectors, [[0.6, -0.8]], rtol=1e-6)


async def test_a_call_has_at_most_so_many_texts(connect: Connect, server: ScriptedOpenAI) -> None:
    texts = [f"text {number}" for number in range(10)]
    made = await connect(embed_batch_texts=4).embed(texts)
    assert sorted(len(sent) for sent in inputs(server)) == [2, 4, 4]
    assert made.tokens == 20


async def test_single_texts_that_arrive_together_share_a_call(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    made = await asyncio.gather(*(embedder.embed([f"text {'more ' * n}"]) for n in range(20)))
    assert len(server.requests) == 1
    assert sum(one.tokens for one in made) == sum(len(sent.split()) for sent in inputs(server)[0])


@pytest.mark.req("SRCH-7")
async def test_a_vector_of_another_dimension_than_asked_for_is_refused(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    server.script_embeddings(BadVectors("dimension"))
    with pytest.raises(DimensionMismatch, match=r"gave a vector of 13 elements for small.*EMBED_DIMENSION asks for 12"):
        await connect(embed_dimension=12).embed(["a text"])


@pytest.mark.req("SRCH-7")
async def test_a_vector_of_another_dimension_than_before_is_refused(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    await embedder.start()
    server.script_embeddings(BadVectors("dimension"))
    with pytest.raises(DimensionMismatch, match="17 elements for small, and it gave 16 before"):
        await embedder.embed(["a text"])
    assert embedder.dimension == 16


async def test_vectors_of_different_dimensions_in_one_answer_are_refused(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    server.script_embeddings(answer([1.0, 0.0], [1.0]))
    with pytest.raises(DimensionMismatch):
        await connect().embed(["first", "second"])


BROKEN = {
    "a vector too few": (BadVectors("count"), "gave 0 vectors for 1 texts"),
    "not a number": (BadVectors("nan"), "not a finite number"),
    "zeros": (answer([0.0, 0.0]), "a vector of zeros"),
    "null inside": (answer([None, 1.0]), "not a finite number"),
    "words inside": (answer(["x", 1.0]), "not a finite number"),
    "too large": (answer([float("inf"), 1.0]), "not a finite number"),
    "not JSON": (HttpError(200, body="<html>Welcome</html>"), "not a list of embeddings"),
    "half a JSON": (HttpError(200, body='{"data": [{"embed'), "not a list of embeddings"),
    "another JSON": (HttpError(200, body={"object": "list"}), "not a list of embeddings"),
    "a list": (HttpError(200, body="[1, 2]"), "not a list of embeddings"),
    "no vector": (HttpError(200, body={"data": [{"index": 0}]}), "not a list of embeddings"),
    "base64": (HttpError(200, body={"data": [{"index": 0, "embedding": "AACAPw=="}]}), "not a list of embeddings"),
    "an index twice": (answer([1.0], [1.0], indexes=[0, 0]), "not a list of embeddings"),
}


@pytest.mark.parametrize(("reply", "message"), BROKEN.values(), ids=list(BROKEN))
async def test_an_answer_that_makes_no_sense_is_unavailable(
    connect: Connect, server: ScriptedOpenAI, metrics: Metrics, reply: Any, message: str
) -> None:
    server.script_embeddings(reply)
    assert message in await failure(connect())
    assert value(metrics, "souvenir_embed_errors_total", model="small") == 1


async def test_a_failure_that_passes_is_tried_again(connect: Connect, server: ScriptedOpenAI) -> None:
    server.script_embeddings(HttpError(500, headers=AT_ONCE), HttpError(429, headers=AT_ONCE))
    await connect().embed(["a text"])
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_failure_that_stays_is_unavailable_and_names_the_host(
    connect: Connect, server: ScriptedOpenAI, status: int
) -> None:
    server.script_embeddings(*[HttpError(status, "out of order", headers=AT_ONCE)] * 3)
    message = await failure(connect())
    assert f"the embedding endpoint at {server.base_url.split('/')[2]} answered {status}: out of order" == message


async def test_a_connection_that_breaks_off_is_unavailable(connect: Connect, server: ScriptedOpenAI) -> None:
    server.script_embeddings(*[Abort("middle")] * 3)
    assert "cannot be reached" in await failure(connect(embed_timeout_seconds=5))


async def test_nobody_listening_is_unavailable(connect: Connect) -> None:
    assert "the embedding endpoint at 127.0.0.1:1 " in await failure(connect(embed_base_url="http://127.0.0.1:1/v1"))


async def test_silence_is_unavailable_when_the_time_is_over(connect: Connect, server: ScriptedOpenAI) -> None:
    server.script_embeddings(Stall())
    assert await failure(connect(embed_timeout_seconds=0.05)) == (
        f"the embedding endpoint at {server.base_url.split('/')[2]} did not answer within 0.05 s"
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_no_error_shows_the_key(connect: Connect, server: ScriptedOpenAI, status: int) -> None:
    server.script_embeddings(HttpError(status, f"Incorrect API key provided: {KEY}"))
    embedder = connect(embed_api_key=f" {KEY}\n", embed_base_url=server.base_url.replace("//", "//user:pass@"))
    message = await failure(embedder)
    assert KEY not in message
    assert "pass" not in message


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines"])
def test_a_key_that_no_header_can_carry_is_a_settings_error(connect: Connect, key: str) -> None:
    with pytest.raises(SettingsError, match="SOUVENIR_EMBED_API_KEY has characters") as caught:
        connect(embed_api_key=key)
    assert key not in str(caught.value)


def test_settings_without_an_endpoint_are_refused(plain_settings: Plain, metrics: Metrics) -> None:
    with pytest.raises(SettingsError, match="SOUVENIR_EMBED_BASE_URL"):
        OpenAIEmbedder(plain_settings(), metrics)


async def test_a_text_over_the_window_is_sent_in_parts_that_end_with_sentences(
    connect: Connect, server: ScriptedOpenAI, metrics: Metrics
) -> None:
    text = "One two three four five six. " * 40
    made = await connect(embed_max_tokens=100).embed([text, "short"])
    sent = [part for call in inputs(server) for part in call]
    assert "".join(sorted(sent, key=lambda part: (part == "short", -len(part)))) == text + "short"
    assert all(part.endswith(". ") for part in sent if part != "short")
    assert made.vectors.shape == (2, 16)
    assert value(metrics, "souvenir_embed_windowed_texts_total", model="small") == 1
    assert value(metrics, "souvenir_embed_texts_total", model="small") == 2
    assert value(metrics, "souvenir_embed_tokens_total", model="small") == made.tokens == 241


async def test_a_text_the_endpoint_finds_too_long_is_halved_until_it_passes(
    connect: Connect, server: ScriptedOpenAI, metrics: Metrics
) -> None:
    server.max_input_chars = 300
    text = "One two three four five six. " * 40
    embedder = connect()
    made = await embedder.embed([text, "short"])
    one = (await embedder.embed(["One two three four five six."])).vectors
    np.testing.assert_allclose(made.vectors[:1], one, atol=1e-5)
    taken = [part for call in inputs(server) for part in call if len(part) <= 300]
    assert "".join(part for part in taken if part.startswith("One") and part.endswith(" ")) == text
    assert value(metrics, "souvenir_embed_windowed_texts_total", model="small") == 1


TOO_LONG = {
    "OpenAI": HttpError(400, "This model's maximum context length is 8192 tokens, however you requested 9000 tokens."),
    "OpenAI's sum": HttpError(400, "Requested 400000 tokens, max 300000 tokens per request"),
    "vLLM": HttpError(400, body={"object": "error", "message": "maximum context length is 512 tokens.", "code": 400}),
    "TEI": HttpError(
        413, body={"error": "Input validation error: `inputs` must have less than 512 tokens. Given: 900"}
    ),
    "Ollama": HttpError(400, body={"error": "the input length exceeds the context length"}),
    "llama.cpp": HttpError(500, "input is too large to process. increase the physical batch size", headers=AT_ONCE),
    "Mistral": HttpError(400, body={"message": "Input id 0 has 9000 tokens, exceeding max 8192 tokens.", "code": 3210}),
}


@pytest.mark.parametrize("host", TOO_LONG)
async def test_each_host_is_understood_when_it_says_too_long(
    connect: Connect, server: ScriptedOpenAI, host: str
) -> None:
    server.script_embeddings(*[TOO_LONG[host]] * (3 if TOO_LONG[host].status == 500 else 1))
    await connect().embed(["One two three four five six. " * 10])
    first, *parts = inputs(server)[-3:]
    assert [part for sent in parts for part in sent] != first
    assert "".join(part for sent in parts for part in sent) == first[0]


async def test_an_endpoint_that_finds_everything_too_long_is_not_asked_forever(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    server.max_input_chars = 0
    assert "maximum context length" in await failure(connect(), ["One two three four five six. " * 300])
    assert len(server.requests) < 20


async def test_a_text_that_is_refused_fails_alone(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    refused = HttpError(400, "this text is against the rules")
    probe = answer([1.0] * server.dimension)
    server.script_embeddings(refused, probe, refused, refused)
    outcomes = await asyncio.gather(*(embedder.embed([f"text {n}"]) for n in range(4)), return_exceptions=True)
    assert [isinstance(outcome, Unavailable) for outcome in outcomes] == [True, False, False, False]


async def test_too_many_texts_in_a_call_are_sent_in_smaller_ones(connect: Connect, server: ScriptedOpenAI) -> None:
    server.script_embeddings(HttpError(422, body={"error": "batch size 64 > maximum allowed batch size 32"}))
    await connect().embed([f"text {number}" for number in range(64)])
    assert [len(sent) for sent in inputs(server)] == [64, 1, 32, 32]


async def test_an_endpoint_that_refuses_everything_is_not_asked_for_every_text(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    refused = HttpError(400, "no such model")
    server.script_embeddings(refused, refused)
    assert "no such model" in await failure(connect(), [f"text {number}" for number in range(64)])
    assert [len(sent) for sent in inputs(server)] == [64, 1]


async def test_unreadable_characters_are_replaced_and_emptiness_has_a_stand_in(
    connect: Connect, server: ScriptedOpenAI
) -> None:
    await connect().embed(["a\x00b\ud800"])
    await connect().embed(["  "])
    assert inputs(server) == [["a\ufffdb\ufffd"], ["."]]


async def test_parts_of_nothing_but_white_space_are_not_sent(connect: Connect, server: ScriptedOpenAI) -> None:
    await connect(embed_max_tokens=32).embed(["a" + "\n" * 200 + "b"])
    assert all(part.strip() for sent in inputs(server) for part in sent)


async def test_a_call_that_nobody_waits_for_any_more_is_hung_up(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    server.script_embeddings(Stall())
    calls = [asyncio.create_task(embedder.embed([text])) for text in ("first", "second")]
    await asyncio.to_thread(server.wait_for_stalls, 1)
    for call in calls:
        call.cancel()
    await asyncio.to_thread(server.wait_for_disconnects, 1)


async def test_a_call_that_somebody_waits_for_goes_on(connect: Connect, server: ScriptedOpenAI) -> None:
    embedder = connect()
    server.script_embeddings(Stall())
    calls = [asyncio.create_task(embedder.embed([text])) for text in ("first", "second")]
    await asyncio.to_thread(server.wait_for_stalls, 1)
    calls[0].cancel()
    server.release()
    assert (await calls[1]).vectors.shape == (1, 16)
    assert len(server.requests) == 1
