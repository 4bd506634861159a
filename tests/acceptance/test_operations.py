"""Health, readiness, metrics, and what the OpenAPI description promises."""

import subprocess
import sys
from pathlib import Path

import httpx2
import psycopg
import pytest

from souvenir.testing.users import SECRET, token
from tests.acceptance.conftest import Serve

CHAT = {"model": "souvenir", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.req("OPS-2")
def test_health_and_readiness_answer_without_a_credential(client: httpx2.Client) -> None:
    assert client.get("/health").json()["status"] == "ok"
    ready = client.get("/ready").json()
    assert ready["status"] == "ready"
    assert ready["checks"]["database"] == "ok"
    assert ready["checks"]["embedder"] == "ok"


@pytest.mark.req("OPS-2")
def test_readiness_is_503_while_the_database_is_away_and_health_is_not(serve: Serve, database_url: str) -> None:
    running = serve(database_timeout_seconds=0.5)
    admin = database_url.replace(database_url.split("@/")[1].split("?", maxsplit=1)[0], "postgres")
    name = database_url.split("@/")[1].split("?", maxsplit=1)[0]
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f'alter database "{name}" allow_connections false'.encode())
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])
        answer = httpx2.get(f"{running.url}/ready", timeout=20)
        assert answer.status_code == 503
        assert answer.json()["checks"]["database"] == "unreachable"
        assert httpx2.get(f"{running.url}/health").status_code == 200
        assert httpx2.get(f"{running.url}/metrics", timeout=20).status_code == 200
        assert httpx2.post(f"{running.url}/v1/chat/completions", json=CHAT, timeout=20).status_code == 200
        connection.execute(f'alter database "{name}" allow_connections true'.encode())


@pytest.mark.req("OPS-2")
def test_metrics_count_requests_tokens_embeddings_and_jobs(client: httpx2.Client) -> None:
    client.post("/v1/chat/completions", json=CHAT)
    client.post("/v1/embeddings", json={"model": "souvenir", "input": "x"})
    client.post("/v1/chat/completions", json={})
    text = client.get("/metrics").text
    for line in (
        'souvenir_http_request_seconds_count{method="POST",route="/v1/chat/completions",status="200"}',
        'souvenir_http_request_seconds_count{method="POST",route="/v1/chat/completions",status="400"}',
        'souvenir_provider_tokens_total{kind="completion",provider="default"}',
        'souvenir_embed_texts_total{model="scripted-embedder"}',
        "souvenir_jobs_waiting ",
        "souvenir_jobs_failed 0.0",
    ):
        assert line in text


@pytest.mark.req("OPS-2")
def test_every_answer_carries_a_request_id_and_a_dangerous_one_is_replaced(client: httpx2.Client) -> None:
    assert client.get("/health").headers["x-request-id"]
    assert client.get("/health", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    assert client.get("/health", headers={"x-request-id": 'x" evil'}).headers["x-request-id"] != 'x" evil'
    assert client.get("/nothing").headers["x-request-id"]


def test_the_description_names_no_other_host_and_no_422(client: httpx2.Client) -> None:
    schema = client.get("/openapi.json").json()
    assert not [
        path for path, methods in schema["paths"].items() for op in methods.values() if "422" in op["responses"]
    ]
    assert client.get("/docs").status_code == 404


@pytest.mark.req("ID-9")
@pytest.mark.parametrize("auth", ["none", "jwt"])
def test_a_fuzzer_finds_no_5xx_no_undocumented_status_and_no_undocumented_shape(
    serve: Serve, tmp_path: Path, auth: str
) -> None:
    running = serve(auth=auth, jwt_secret=SECRET if auth == "jwt" else None)
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{running.url}/openapi.json", "--seed", "1",
        "--max-examples", "7", "--phases", "examples,coverage,fuzzing", "--no-color", "--continue-on-failure",
        # not every text that fits the schema names a model or a project that exists
        "--exclude-checks", "positive_data_acceptance",
        "--exclude-path", "/memories/import",  # its body is JSON Lines, of which the fuzzer can make none
        *(["-H", f"Authorization: Bearer {token('alice')}"] if auth == "jwt" else []),
    ]  # fmt: skip
    ended = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=170)
    assert ended.returncode == 0, ended.stdout[-6000:]
