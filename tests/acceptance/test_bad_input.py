"""Bad input over HTTP: 400 or 413 with the field's name; nothing is changed and nothing is 5xx."""

import json
from typing import Any

import httpx2
import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve

CHAT = "/v1/chat/completions"
EMBED = "/v1/embeddings"
GOOD: dict[str, Any] = {"model": "scripted", "messages": [{"role": "user", "content": "Hello"}]}
JSON = {"content-type": "application/json"}


def _message(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "messages": [{**GOOD["messages"][0], **changes}]}


@pytest.mark.req("ID-9")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({**GOOD, "model": None}, "model"),
        ({**GOOD, "model": ""}, "model"),
        ({**GOOD, "model": 7}, "model"),
        ({**GOOD, "model": "x" * 300}, "model"),
        ({"model": "scripted"}, "messages"),
        ({**GOOD, "messages": []}, "messages"),
        ({**GOOD, "messages": "Hello"}, "messages"),
        ({**GOOD, "messages": [None]}, "messages[0]"),
        (_message(role="robot"), "messages[0].role"),
        (_message(content=7), "messages[0].content"),
        (_message(content=[{"text": "no type"}]), "messages[0].content[0].type"),
        (_message(content="a\x00b"), "messages[0].content"),
        ({**GOOD, "stream": "maybe"}, "stream"),
        ({**GOOD, "n": 0}, "n"),
        ({**GOOD, "n": 10**9}, "n"),
        ({**GOOD, "max_tokens": -1}, "max_tokens"),
        ({**GOOD, "stop": {"a": 1}}, "stop"),
        ({**GOOD, "stream_options": 7}, "stream_options"),
        ({**GOOD, "metadata": {"deep": ["x\x00"]}}, "metadata.deep[0]"),
        ([], "body"),
        ("text", "body"),
    ],
)
def test_a_wrong_chat_request_is_400_and_names_the_field(
    client: httpx2.Client, host: ScriptedOpenAI, body: Any, field: str
) -> None:
    answer = client.post(CHAT, json=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["param"] == field
    assert field in error["message"]
    assert host.chats == []


@pytest.mark.req("ID-9")
@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"null", b"nonsense",
        b"\xff\xfe", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 1e999}', b"[" * 100_000,
        b'{"model": "scripted", "messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"model": "\\udfff", "messages": []}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"model": "scripted", "messages": [{"role": "user", "content": "a\x00b"}]}',
    ],
)  # fmt: skip
def test_a_body_that_is_not_clean_json_is_400(client: httpx2.Client, host: ScriptedOpenAI, content: bytes) -> None:
    for path in (CHAT, EMBED):
        answer = client.post(path, content=content, headers=JSON)
        assert answer.status_code == 400
        assert answer.json()["error"]["message"]
    assert host.chats == []


@pytest.mark.req("ID-9")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_of_another_type_is_refused_so_that_no_web_page_can_post_one(client: httpx2.Client, kind: str) -> None:
    answer = client.post(CHAT, content=json.dumps(GOOD), headers={"content-type": kind})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "content-type"


@pytest.mark.req("ID-9")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"model": "souvenir", "input": ""}, "input"),
        ({"model": "souvenir", "input": ["ok", " \n"]}, "input[1]"),
        ({"model": "souvenir", "input": []}, "input"),
        ({"model": "souvenir", "input": ["x"] * 2049}, "input"),
        ({"model": "souvenir", "input": [1, 2, 3]}, "input[0]"),
        ({"model": "souvenir", "input": {"a": 1}}, "input"),
        ({"model": "souvenir", "input": "a\x00"}, "input"),
        ({"input": "x"}, "model"),
        ({"model": "another", "input": "x"}, "model"),
        ({"model": "souvenir", "input": "x", "encoding_format": "hex"}, "encoding_format"),
        ({"model": "souvenir", "input": "x", "dimensions": 7}, "dimensions"),
        ({"model": "souvenir", "input": "x", "dimensions": 0}, "dimensions"),
    ],
)
def test_a_wrong_embedding_request_is_400_and_names_the_field(client: httpx2.Client, body: Any, field: str) -> None:
    answer = client.post(EMBED, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == field


@pytest.mark.req("ID-9")
def test_a_body_over_the_maximum_is_413_whether_it_says_so_or_not(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(max_body_bytes=2000, max_message_chars=1000)
    big = json.dumps(_message(content="x" * 3000)).encode()

    def in_pieces() -> Any:
        yield from (big[i : i + 100] for i in range(0, len(big), 100))

    for content in (big, in_pieces()):
        answer = httpx2.post(running.url + CHAT, content=content, headers=JSON)
        assert answer.status_code == 413
        assert "2000" in answer.json()["error"]["message"]
    assert host.chats == []


@pytest.mark.req("ID-9")
def test_a_message_over_the_maximum_is_413_and_one_at_it_is_served(serve: Serve) -> None:
    running = serve(max_message_chars=100)
    parts = [{"type": "text", "text": "x" * 60}, {"type": "text", "text": "y" * 41}]
    for content, status in [("x" * 100, 200), ("x" * 101, 413), (parts, 413), (parts[:1], 200)]:
        assert httpx2.post(running.url + CHAT, json=_message(content=content)).status_code == status
    assert httpx2.post(running.url + EMBED, json={"model": "souvenir", "input": "x" * 101}).status_code == 413


@pytest.mark.req("ID-9")
def test_errors_are_problem_details_on_native_routes_and_openai_objects_under_v1(client: httpx2.Client) -> None:
    native = client.get("/whoami", params={"project_id": ""})
    assert native.status_code == 400
    assert native.headers["content-type"] == "application/problem+json"
    problem = native.json()
    assert {"type", "title", "status", "detail", "field"} <= problem.keys()
    assert (problem["status"], problem["field"]) == (400, "project_id")
    for path, key in [("/nothing", "title"), ("/v1/nothing", "error")]:
        answer = client.get(path)
        assert answer.status_code == 404
        assert key in answer.json()
    wrong_method = client.delete(CHAT)
    assert wrong_method.status_code == 405
    assert wrong_method.headers["allow"] == "POST"
    assert "error" in wrong_method.json()


@pytest.mark.parametrize("header", ["evil.example", "evil.example:5858", "127.0.0.1.evil.example", ""])
def test_a_web_page_that_rebinds_its_name_to_this_machine_is_refused(client: httpx2.Client, header: str) -> None:
    answer = client.get("/whoami", headers={"host": header})
    assert answer.status_code == 400
    assert answer.json()["field"] == "host"


@pytest.mark.parametrize("header", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:5858", "host.docker.internal"])
def test_this_machine_by_any_of_its_names_is_served(client: httpx2.Client, header: str) -> None:
    assert client.get("/whoami", headers={"host": header}).status_code == 200


def test_a_bug_is_a_plain_500_with_a_request_id_and_no_traceback(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    running = serve()

    async def broken(*_: object) -> None:
        raise ZeroDivisionError("the inner workings")

    monkeypatch.setattr(type(running.souvenir.providers), "resolve", broken)
    answer = httpx2.post(running.url + CHAT, json=GOOD)
    assert answer.status_code == 500
    assert answer.headers["x-request-id"]
    assert "inner workings" not in answer.text


def test_two_users_bad_requests_leave_the_database_as_it_was(shared: RunningSouvenir, client: httpx2.Client) -> None:
    for user in ("alice", "bob"):
        assert client.post(CHAT, json={**GOOD, "n": -1}, headers={"x-openwebui-user-id": user}).status_code == 400
    assert client.get("/ready").json()["status"] == "ready"
