"""Objects out of models: asked for by schema, repaired, asked for again once, and never half an answer."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from souvenir.config import ProviderSettings, Settings
from souvenir.errors import ProviderError, StructuredOutputError
from souvenir.llm.openai import OpenAIProvider
from souvenir.llm.structured import Spend, ask, strict_schema
from souvenir.metrics import Metrics
from souvenir.testing.openai_server import HttpError, Reply, ScriptedOpenAI
from souvenir.types import JsonObject

pytestmark = pytest.mark.req("MEM-11")


class Fact(BaseModel):
    content: str = Field(min_length=1, description="In the user's words.")
    category: Literal["identity", "preference"] = "identity"
    title: str | None = None


class Facts(BaseModel):
    facts: list[Fact]
    main: Fact | None = Field(None, description="The chief one.")


class Loose(BaseModel):
    names: list[str] = []
    count: int = 0


BODY: JsonObject = {"model": "scripted", "messages": [{"role": "user", "content": "I am Ann."}], "stream": True, "n": 2}
GOOD = {"facts": [{"content": "Ann", "category": "identity", "title": None}], "main": None}
TEXT = json.dumps(GOOD)


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


@pytest.fixture
async def provider(server: ScriptedOpenAI) -> AsyncIterator[OpenAIProvider]:
    table = ProviderSettings(base_url=server.base_url)
    host = OpenAIProvider("host", table, Settings(llm_max_retries=0), Metrics(), {})
    yield host
    await host.aclose()


def test_the_schema_is_one_that_strict_mode_takes() -> None:
    schema = strict_schema(Facts)
    fact = schema["$defs"]["Fact"]
    assert schema["required"] == ["facts", "main"]
    assert schema["additionalProperties"] is fact["additionalProperties"] is False
    assert fact["required"] == ["content", "category", "title"]
    assert fact["properties"]["content"] == {"type": "string", "description": "In the user's words."}
    assert schema["properties"]["facts"]["items"] == {"$ref": "#/$defs/Fact"}
    assert "default" not in json.dumps(schema)


async def test_the_schema_goes_with_the_request(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(Reply(TEXT, usage={"prompt_tokens": 5, "completion_tokens": 7}))
    answered = await ask(provider, BODY, Facts)
    assert answered.value.model_dump() == GOOD
    assert answered.spend == Spend(5, 7)
    sent = server.chats[0]
    assert sent["response_format"]["json_schema"] == {"name": "Facts", "schema": strict_schema(Facts), "strict": True}
    assert sent["messages"] == BODY["messages"]
    assert not {"stream", "n"} & sent.keys()


async def test_a_host_that_refuses_the_parameter_gets_the_schema_in_words(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    server.refuse_response_format = True
    server.script(TEXT, TEXT)
    assert (await ask(provider, BODY, Facts)).value.facts[0].content == "Ann"
    system, user = server.chats[1]["messages"]
    assert "response_format" not in server.chats[1]
    assert (system["role"], user) == ("system", BODY["messages"][0])
    assert json.dumps(strict_schema(Facts), ensure_ascii=False) in system["content"]
    await ask(provider, {"messages": [{"role": "system", "content": "Be brief."}, *BODY["messages"]]}, Facts)
    assert [message["role"] for message in server.chats[3]["messages"]] == ["system", "user"]
    assert server.chats[3]["messages"][0]["content"].startswith("Be brief.\n\nAnswer with one JSON object")


async def test_another_failure_of_the_host_is_passed_on(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(HttpError(401))
    with pytest.raises(ProviderError):
        await ask(provider, BODY, Facts)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"Sure! Here you are:\n\n```\n{TEXT}\n```\nIs that {{fine}}?",
        f"Sure, {{name}}: {TEXT} - I hope that helps {{a lot}}.",
        f'<think>Maybe {{"facts": []}}?</think>\n{TEXT}',
        f"﻿  {TEXT}\n\n",
        "{'facts': [{'content': 'Ann'}], 'main': None}",
        '{"facts": [{"content": "Ann",}],}',
        '{facts: [{content: "Ann"}]}',
        '{"facts": [{"content": "Ann"}]',
        'The facts: {"facts": [{"content": "Ann"}], // all of them\n "main": null} There.',
        f'{{"note": "not this"}} but {TEXT}',
    ],
)
async def test_almost_json_is_read(server: ScriptedOpenAI, provider: OpenAIProvider, text: str) -> None:
    server.script(text)
    value = (await ask(provider, BODY, Facts)).value
    assert [fact.content for fact in value.facts] == ["Ann"]
    assert len(server.chats) == 1


async def test_half_an_emoji_is_replaced(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    server.script(r'{"names": ["a\ud83d", "\ud83d\ude00"]}')
    assert (await ask(provider, BODY, Loose)).value.names == ["a\ufffd", "😀"]


async def test_content_in_parts_is_read(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    parts = [{"type": "text", "text": TEXT[:10]}, {"type": "text", "text": TEXT[10:]}]
    server.script(Reply(extra_message={"content": parts}))
    assert (await ask(provider, BODY, Facts)).value.facts


async def test_an_invalid_answer_is_asked_for_again_with_the_reason(
    server: ScriptedOpenAI, provider: OpenAIProvider
) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 7}
    wrong = '{"facts": [{"content": "", "category": "mood"}]}'
    server.script(Reply(wrong, usage=usage), Reply(TEXT, usage=usage))
    answered = await ask(provider, BODY, Facts)
    assert answered.value.facts
    assert answered.spend == Spend(10, 14)
    first, said, told = server.chats[1]["messages"]
    assert first == BODY["messages"][0]
    assert said == {"role": "assistant", "content": wrong}
    assert "facts.0.content: String should have at least 1 character" in told["content"]
    assert "facts.0.category" in told["content"]
    assert json.dumps(strict_schema(Facts), ensure_ascii=False) in told["content"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(""), "it is empty"),
        (Reply(None), "it is empty"),
        (Reply("<think>hm</think>"), "it is empty"),
        (Reply("I would rather not."), "it holds no JSON object"),
        (Reply("[1, 2]"), "not an object"),
        (Reply.json(strict_schema(Loose)), "it repeats the schema"),
        (Reply.json({}), "none of the fields count, names"),
        (Reply.json({"facts": []}), "none of the fields count, names"),
        (Reply.json({"count": "many"}), "count: Input should be a valid integer"),
        (Reply('{"names": ["Ann", "Bo', finish_reason="length"), "cut off at the token limit"),
        (Reply('{"names": ["' + "x" * 400_000 + '"]}'), "longer than 400000 characters"),
        (Reply("{" * 60_000), "it holds no JSON object"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_stays_invalid_is_an_error_and_its_cost_is_known(
    server: ScriptedOpenAI, provider: OpenAIProvider, reply: Reply, reason: str
) -> None:
    server.script(reply, reply)
    spend = Spend()
    with pytest.raises(StructuredOutputError, match=f"host gave no valid Loose: .*{reason}"):
        await ask(provider, BODY, Loose, spend)
    assert len(server.chats) == 2
    assert reason in server.chats[1]["messages"][-1]["content"]
    assert spend.prompt_tokens > 0


@pytest.mark.parametrize("reply", [Reply(None, refusal="I must not."), Reply(TEXT, finish_reason="content_filter")])
async def test_a_refusal_is_not_argued_with(server: ScriptedOpenAI, provider: OpenAIProvider, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(StructuredOutputError):
        await ask(provider, BODY, Loose)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "odd", [{"choices": []}, {"choices": None}, {"choices": [{"message": None}]}, {"usage": "free"}]
)
async def test_an_answer_of_an_odd_shape_is_an_invalid_one(
    server: ScriptedOpenAI, provider: OpenAIProvider, odd: dict[str, Any]
) -> None:
    server.script(HttpError(200, body=odd), HttpError(200, body=odd))
    with pytest.raises(StructuredOutputError, match="empty"):
        await ask(provider, BODY, Loose)


async def test_the_callers_request_is_left_as_it_was(server: ScriptedOpenAI, provider: OpenAIProvider) -> None:
    before = json.dumps(BODY)
    server.script("no", TEXT)
    await ask(provider, BODY, Facts)
    assert json.dumps(BODY) == before
