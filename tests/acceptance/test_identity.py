"""Who calls, over HTTP, in every mode."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from souvenir.storage import open_storage
from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.server import RunningSouvenir
from souvenir.testing.users import SECRET, token, two_users
from tests.acceptance.conftest import Serve

CHAT = {"model": "souvenir", "messages": [{"role": "user", "content": "Hello"}]}
ROUTES = [
    ("GET", "/whoami", None),
    ("GET", "/v1/models", None),
    ("GET", "/v1/models/souvenir", None),
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", "/v1/embeddings", {"model": "souvenir", "input": "x"}),
    ("POST", "/search", {"query": "x"}),
    ("POST", "/index-chat-message", {"chat_id": "c", "role": "user", "content": "x"}),
    ("POST", "/index-chat-messages", {"messages": [{"chat_id": "c", "role": "user", "content": "x"}]}),
]


@pytest.fixture
def jwt_server(serve: Serve) -> RunningSouvenir:
    return serve(auth="jwt", jwt_secret=SECRET)


def whoami(running: RunningSouvenir, headers: dict[str, str], **params: str) -> httpx2.Response:
    return httpx2.get(f"{running.url}/whoami", headers=headers, params=params)


def create_key(running: RunningSouvenir, **options: Any) -> tuple[str, str]:
    async def create() -> tuple[str, str]:
        async with open_storage(running.souvenir.settings) as storage:
            key, made = await storage.keys.create("test", options.pop("user", None), **options)
            return key.key_id, made

    return asyncio.run(create())


def revoke_key(running: RunningSouvenir, key_id: str) -> None:
    async def revoke() -> None:
        async with open_storage(running.souvenir.settings) as storage:
            await storage.keys.revoke(key_id)

    asyncio.run(revoke())


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


@pytest.mark.req("ID-3")
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_without_a_valid_credential_every_route_is_401_with_one_and_the_same_body(
    jwt_server: RunningSouvenir, host: ScriptedOpenAI, method: str, path: str, body: Any
) -> None:
    bad = [
        {}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": "Basic YTpi"}, bearer("x"),
        bearer(token("alice", expires_in=-60)), bearer(token("alice", secret="another secret, also long enough")),
        bearer("sv-abc-def"), {"x-openwebui-user-id": "alice"}, {"x-org-id": "acme"},
    ]  # fmt: skip
    answers = [httpx2.request(method, jwt_server.url + path, json=body, headers=headers) for headers in bad]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
    assert host.chats == []


@pytest.mark.req("ID-3", "ID-9")
def test_a_credential_is_asked_for_before_the_body_is_looked_at(jwt_server: RunningSouvenir) -> None:
    answer = httpx2.post(f"{jwt_server.url}/v1/chat/completions", content=b"{", headers={"content-type": "text/plain"})
    assert answer.status_code == 401


@pytest.mark.req("ID-2")
@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/metrics", "/openapi.json"])
def test_what_machines_watch_needs_no_credential_and_names_no_user(jwt_server: RunningSouvenir, path: str) -> None:
    alice, _ = two_users()
    whoami(jwt_server, alice.headers)
    answer = httpx2.get(jwt_server.url + path)
    assert answer.status_code == 200
    assert "alice" not in answer.text


@pytest.mark.req("ID-1", "ID-2")
def test_the_token_names_the_user_and_nothing_else_does(jwt_server: RunningSouvenir, host: ScriptedOpenAI) -> None:
    alice, _ = two_users()
    headers = {**alice.headers, "x-openwebui-user-id": "bob"}
    assert whoami(jwt_server, headers, user_id="bob").json()["user_id"] == "alice"
    body = {**CHAT, "user": "bob", "user_id": "bob"}
    assert httpx2.post(f"{jwt_server.url}/v1/chat/completions", json=body, headers=headers).status_code == 200


@pytest.mark.req("ID-2")
def test_a_users_key_works_in_both_modes_until_it_is_revoked(serve: Serve) -> None:
    for running in (serve(auth="keys"), serve(auth="jwt", jwt_secret=SECRET)):
        key_id, key = create_key(running, user="alice")
        assert whoami(running, bearer(key)).json()["user_id"] == "alice"
        revoke_key(running, key_id)
        assert whoami(running, bearer(key)).status_code == 401


@pytest.mark.req("ID-2")
def test_in_mode_keys_a_token_is_no_credential(serve: Serve) -> None:
    alice, _ = two_users()
    assert whoami(serve(auth="keys"), alice.headers).status_code == 401


@pytest.mark.req("ID-4")
def test_a_service_key_acts_for_the_named_user_and_a_users_key_only_for_its_own(serve: Serve) -> None:
    running = serve(auth="keys")
    _, service = create_key(running)
    _, personal = create_key(running, user="alice")
    named = {"x-openwebui-user-id": "bob"}
    assert whoami(running, bearer(service) | named).json()["user_id"] == "bob"
    assert whoami(running, bearer(personal) | named).json()["user_id"] == "alice"
    assert whoami(running, bearer(service)).json()["user_id"] is None


@pytest.mark.req("ID-4")
def test_without_authentication_the_header_names_the_user_and_local_is_the_default(shared: RunningSouvenir) -> None:
    assert whoami(shared, {}).json()["user_id"] == "local"
    assert whoami(shared, {"x-openwebui-user-id": "ann"}).json()["user_id"] == "ann"
    assert whoami(shared, {"x-openwebui-user-id": "x" * 300}).status_code == 400
    for name in ("Straße 7", "用户", "user@example.org", "auth0|123"):
        sent = {b"x-openwebui-user-id": name.encode()}
        assert httpx2.get(f"{shared.url}/whoami", headers=sent).json()["user_id"] == name
    assert whoami(shared, bearer("ignored")).json()["user_id"] == "local"


@pytest.mark.req("ID-5")
def test_a_chat_without_a_user_is_served_and_belongs_to_no_space(serve: Serve, host: ScriptedOpenAI) -> None:
    anonymous, keyed = serve(default_user=""), serve(auth="keys")
    _, service = create_key(keyed)
    for running, headers in [(anonymous, {}), (keyed, bearer(service))]:
        you = whoami(running, headers).json()
        assert (you["user_id"], you["writes_to"], you["reads"]) == (None, None, [])
        host.script("Served all the same.")
        answer = httpx2.post(f"{running.url}/v1/chat/completions", json=CHAT, headers=headers)
        assert answer.json()["choices"][0]["message"]["content"] == "Served all the same."
        assert host.chats[-1]["messages"] == CHAT["messages"]


@pytest.mark.req("ID-6", "ID-8")
def test_orgs_and_projects_are_open_to_members_only(serve: Serve) -> None:
    running = serve(auth="jwt", jwt_secret=SECRET)
    alice = bearer(token("alice", orgs=["acme"], projects=["apollo"]))
    bob = bearer(token("bob", orgs=["zeta"]))
    mine = whoami(running, alice | {"X-Org-Id": "acme"}, project_id="apollo").json()
    assert mine["writes_to"] == "project:apollo"
    assert set(mine["reads"]) == {"project:apollo", "user:alice", "org:acme", "global"}
    refused = [
        whoami(running, bob | {"X-Org-Id": "acme"}),
        whoami(running, bob, project_id="apollo"),
        whoami(running, bob, project_id="never made"),
        whoami(running, alice | {"X-Org-Id": "zeta"}),
    ]
    assert {answer.status_code for answer in refused} == {403}
    assert len({answer.text for answer in refused}) == 1
    chat = httpx2.post(f"{running.url}/v1/chat/completions", json=CHAT, headers=bob | {"X-Org-Id": "acme"})
    assert chat.status_code == 403
    assert chat.json()["error"]["type"] == "permission_error"


@pytest.mark.req("ID-6")
def test_membership_comes_with_a_key_too_and_mode_none_allows_all(serve: Serve, shared: RunningSouvenir) -> None:
    running = serve(auth="keys")
    _, key = create_key(running, user="alice", orgs=("acme",), projects=("apollo",))
    assert whoami(running, bearer(key) | {"X-Org-Id": "acme"}, project_id="apollo").status_code == 200
    assert whoami(running, bearer(key), project_id="gemini").status_code == 403
    assert whoami(shared, {"X-Org-Id": "any"}, project_id="thing").json()["writes_to"] == "project:thing"


@pytest.mark.req("ID-8")
def test_a_second_user_with_the_same_requests_gets_only_spaces_of_its_own(jwt_server: RunningSouvenir) -> None:
    alice, bob = two_users()
    hers, his = whoami(jwt_server, alice.headers).json(), whoami(jwt_server, bob.headers).json()
    assert (hers["writes_to"], his["writes_to"]) == ("user:alice", "user:bob")
    assert set(hers["reads"]) & set(his["reads"]) == {"global"}


@pytest.mark.req("ID-10")
def test_contents_and_secrets_do_not_reach_the_log(
    serve: Serve,
    host: ScriptedOpenAI,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    with caplog.at_level("INFO"):
        running = serve(auth="jwt", jwt_secret=SECRET, llm_api_key="sk-very-secret", llm_max_retries=0)
        alice, _ = two_users()
        body = {**CHAT, "messages": [{"role": "user", "content": "my diary of tuesday"}]}
        httpx2.post(f"{running.url}/v1/chat/completions", json=body, headers=alice.headers)
        httpx2.post(
            f"{running.url}/v1/embeddings", json={"model": "souvenir", "input": "my diary"}, headers=alice.headers
        )
        httpx2.post(f"{running.url}/v1/chat/completions", json={**body, "model": "diary"}, headers=alice.headers)
    captured = capsys.readouterr()
    said = caplog.text + captured.out + captured.err
    assert "request" in said
    for secret in ("diary", "very-secret", SECRET, alice.token):
        assert secret not in said
