"""The official JavaScript SDK against a model's host, and against the gateway before it: the same, plus `memories`.

It needs Node and npm, which fetches the SDK; so it is run by `make soak` alone. The calls are those of `sdk_cases`, and
what is not compared is what `test_official_sdk` says.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from souvenir.testing.openai_server import ScriptedOpenAI
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.sdk_cases import ADA, CASES, OURS, REMEMBERED, STREAM_CASES, knowing_ada

pytestmark = pytest.mark.soak

NOT_JSON = {"a number that JSON lacks"}  # only Python's reader takes it
CALLS = [(name, case, False) for name, case in CASES.items() if name not in NOT_JSON]
CALLS += [(name, case, True) for name, case in (CASES | STREAM_CASES).items() if name not in NOT_JSON]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script, with the SDK beside it."""
    folder = tmp_path_factory.mktemp("javascript")
    shutil.copy(Path(__file__).with_name("sdk_calls.mjs"), folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", str(folder), "openai@6"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder / "sdk_calls.mjs"


@pytest.fixture(scope="module")
def gateway(
    postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory, host: ScriptedOpenAI
) -> Iterator[RunningSouvenir]:
    with knowing_ada(postgres, tmp_path_factory.mktemp("data"), host) as running:
        yield running


def made(program: Path, host: ScriptedOpenAI, base_url: str, user: str | None) -> tuple[list[Any], list[Any]]:
    """What came of every call, and what reached the model."""
    calls = []
    for _, case, stream in CALLS:
        body = {name: value for name, value in case.body.items() if name not in {"extra_body", "extra_headers"}}
        calls.append(
            {
                "body": body | case.body.get("extra_body", {}) | ({"stream": True} if stream else {}),
                "options": {"headers": case.body.get("extra_headers", {})},
            }
        )
        host.script(case.script)
    before = len(host.chats)
    given = {"baseURL": base_url, "headers": {"x-openwebui-user-id": user} if user else {}, "calls": calls}
    told = subprocess.run(
        ["node", str(program)], input=json.dumps(given), check=True, capture_output=True, text=True, timeout=150
    )
    return json.loads(told.stdout), host.chats[before:]


@pytest.mark.req("TURN-1")
@pytest.mark.parametrize(("user", "remembered"), [("nobody", []), (ADA, [REMEMBERED])])
def test_every_call_gives_what_the_model_gives_plus_memories(
    program: Path, host: ScriptedOpenAI, gateway: RunningSouvenir, user: str, remembered: list[str]
) -> None:
    direct, sent = made(program, host, host.base_url, None)
    ours, given = made(program, host, f"{gateway.url}/v1", user)
    assert len(direct) == len(ours) == len(sent) == len(given) == len(CALLS)
    for place, (name, case, stream) in enumerate(CALLS):
        found = [value.pop("memories", None) for value in ours[place]["values"]]
        assert ours[place] == direct[place], (name, stream)
        if found:
            assert [one["content"] for one in found[0]] == remembered, (name, stream)
            assert not any(found[1:]), (name, stream)
        told = given[place]
        told["messages"] = told["messages"][len(remembered) :]
        if case.joins:
            assert told["tools"].pop()["function"]["name"] == OURS, (name, stream)
        assert json.dumps(told) == json.dumps(sent[place]), (name, stream)
