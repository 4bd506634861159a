"""`/v1/embeddings` as OpenAI's SDK uses it, on the built-in model and on an endpoint."""

import math

import httpx2
import openai
import pytest

from souvenir.testing.openai_server import HttpError, ScriptedOpenAI
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve


@pytest.mark.req("SRCH-10")
def test_the_sdk_gets_the_built_in_models_vectors_by_default(serve: Serve) -> None:
    running = serve(embed_base_url=None, embed_model=None)
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key="x") as sdk:
        both = sdk.embeddings.create(model="all-MiniLM-L6-v2", input=["a cat", "a kitten", "tax law"])
        one = sdk.embeddings.create(model="souvenir", input="a cat", encoding_format="float")
    cat, kitten, law = (entry.embedding for entry in both.data)
    assert len(cat) == 384
    assert both.usage.prompt_tokens > 6
    assert math.isclose(sum(x * x for x in cat), 1, abs_tol=1e-4)
    assert one.data[0].embedding == pytest.approx(cat, abs=1e-5)
    assert (
        sum(a * b for a, b in zip(cat, kitten, strict=True)) > sum(a * b for a, b in zip(cat, law, strict=True)) + 0.3
    )


@pytest.mark.req("SRCH-10")
def test_base64_and_numbers_say_the_same_and_keep_the_order(shared: RunningSouvenir) -> None:
    texts = [f"text {number}" for number in range(50)]
    with openai.OpenAI(base_url=f"{shared.url}/v1", api_key="x") as sdk:
        packed = sdk.embeddings.create(model="souvenir", input=texts)
        plain = sdk.embeddings.create(model="souvenir", input=texts, encoding_format="float")
    assert [entry.index for entry in packed.data] == list(range(50))
    for a, b in zip(packed.data, plain.data, strict=True):
        assert a.embedding == pytest.approx(b.embedding, abs=1e-6)


def test_an_endpoint_that_is_down_is_503_and_comes_back_by_itself(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve()
    body = {"model": "souvenir", "input": "a text"}
    host.script_embeddings(*[HttpError(500)] * 5)
    assert httpx2.post(f"{running.url}/v1/embeddings", json=body, timeout=30).status_code == 503
    host.reset()
    assert httpx2.post(f"{running.url}/v1/embeddings", json=body, timeout=30).status_code == 200


def test_a_server_starts_while_its_embedding_endpoint_is_away_and_says_so(serve: Serve) -> None:
    running = serve(embed_base_url="http://127.0.0.1:1/v1")
    ready = httpx2.get(f"{running.url}/ready", timeout=20)
    assert ready.status_code == 200
    assert ready.json()["checks"]["embedder"] == "unreachable"
    answer = httpx2.post(f"{running.url}/v1/embeddings", json={"model": "souvenir", "input": "x"}, timeout=30)
    assert answer.status_code == 503


@pytest.mark.req("SRCH-7")
def test_the_same_text_again_is_answered_from_the_cache(shared: RunningSouvenir, host: ScriptedOpenAI) -> None:
    for text in ("cache me", "  cache   me\n"):
        httpx2.post(f"{shared.url}/v1/embeddings", json={"model": "souvenir", "input": text})
    assert len([request for request in host.requests if "cache" in str(request.body)]) == 1
    metrics = httpx2.get(f"{shared.url}/metrics").text
    assert 'souvenir_embed_cache_total{result="hit"} ' in metrics
