"""The offline provider: the same honest answer, in whatever shape it is asked for."""

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from souvenir.errors import BadInput
from souvenir.llm.offline import ANSWER, OfflineProvider
from souvenir.llm.port import ModelInfo, Provider
from souvenir.testing.clock import ManualClock
from souvenir.types import JsonObject

pytestmark = pytest.mark.req("TURN-12")

BODY: JsonObject = {"model": "souvenir", "messages": [{"role": "user", "content": "What do you know?"}]}


@pytest.fixture
def provider() -> Provider:
    return OfflineProvider(ManualClock())


async def test_it_says_that_it_knows_nothing_and_how_to_connect_a_model(provider: Provider) -> None:
    answer = await provider.complete(BODY)
    assert answer["choices"][0]["message"]["content"] == ANSWER
    assert "know nothing yet" in ANSWER
    assert "SOUVENIR_LLM_BASE_URL" in ANSWER
    assert answer["created"] == ManualClock().now().timestamp()


async def test_the_official_sdk_takes_its_objects_as_its_own(provider: Provider) -> None:
    ChatCompletion.model_validate(await provider.complete(BODY))
    async for chunk in provider.stream(BODY | {"stream_options": {"include_usage": True}}):
        ChatCompletionChunk.model_validate(chunk)


async def test_each_answer_has_an_id_of_its_own(provider: Provider) -> None:
    assert (await provider.complete(BODY))["id"] != (await provider.complete(BODY))["id"]


async def test_it_gives_as_many_choices_as_asked_for(provider: Provider) -> None:
    answer = await provider.complete(BODY | {"n": 3})
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    chunks = [chunk["choices"][0] async for chunk in provider.stream(BODY | {"n": 2})]
    for index in range(2):
        assert "".join(c["delta"].get("content", "") for c in chunks if c["index"] == index) == ANSWER
    assert [choice["finish_reason"] for choice in chunks[-2:]] == ["stop", "stop"]


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
async def test_it_stops_at_the_token_limit(provider: Provider, field: str) -> None:
    answer = await provider.complete(BODY | {field: 3})
    choice = answer["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("I know nothing ", "length")
    assert answer["usage"] == {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}


@pytest.mark.parametrize("stop", ["nothing", ["unheard", "yet", "nothing"]])
async def test_it_stops_at_a_stop_word(provider: Provider, stop: object) -> None:
    choice = (await provider.complete(BODY | {"stop": stop}))["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("I know ", "stop")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("response_format", {"type": "json_object"}),
        ("response_format", {"type": "json_schema", "json_schema": {}}),
        ("tool_choice", "required"),
        ("tool_choice", {"type": "function", "function": {"name": "f"}}),
        ("function_call", {"name": "f"}),
        ("n", 0),
        ("n", "two"),
        ("n", 1_000_000),
        ("max_tokens", 0),
    ],
)
async def test_what_only_a_model_can_do_is_refused_by_name(provider: Provider, field: str, value: object) -> None:
    with pytest.raises(BadInput) as caught:
        await provider.complete(BODY | {field: value})
    assert caught.value.field == field
    with pytest.raises(BadInput):
        await anext(provider.stream(BODY | {field: value}))


async def test_tools_it_may_but_need_not_call_are_no_matter(provider: Provider) -> None:
    body = BODY | {"tools": [{"type": "function"}], "tool_choice": "auto", "response_format": {"type": "text"}}
    assert (await provider.complete(body))["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("messages", [None, "text", [], [None], [{"content": [{"type": "text", "text": "a b"}, 7]}]])
async def test_odd_messages_do_not_break_it(provider: Provider, messages: object) -> None:
    assert (await provider.complete({"messages": messages}))["model"] == "souvenir"


async def test_it_lists_one_model(provider: Provider) -> None:
    assert await provider.models() == [ModelInfo("souvenir", "souvenir")]
