"""What every chat provider must do, as tests: for our adapters and for anyone who writes one.

    class TestMyProvider(ProviderContract):
        @pytest.fixture
        async def provider(self):
            provider = MyProvider(...)
            yield provider
            await provider.aclose()

        @pytest.fixture
        def model(self):
            return "small"

The host behind the provider must give the same answer, of two words or more, each time it is asked the same.
"""

import contextlib
import copy

import pytest

from souvenir.llm.port import Provider
from souvenir.types import JsonObject


class ProviderContract:
    """Subclass it, and give the fixtures `provider` and `model`. It needs pytest-asyncio in auto mode."""

    @pytest.fixture
    def body(self, model: str) -> JsonObject:
        """A request that any model can answer."""
        return {"model": model, "messages": [{"role": "user", "content": "Say a few words, please."}]}

    def test_it_has_a_name(self, provider: Provider) -> None:
        """Metrics and errors are told apart by it."""
        assert provider.name

    async def test_an_answer_is_a_completion_object(self, provider: Provider, body: JsonObject) -> None:
        """The fields that the official SDK reads are there."""
        answer = await provider.complete(body)
        assert answer["object"] == "chat.completion"
        assert isinstance(answer["id"], str)
        assert isinstance(answer["created"], int)
        assert isinstance(answer["model"], str)
        choice = answer["choices"][0]
        assert (choice["index"], choice["message"]["role"], choice["finish_reason"]) == (0, "assistant", "stop")
        assert len(choice["message"]["content"].split()) > 1

    async def test_an_answer_says_what_it_used(self, provider: Provider, body: JsonObject) -> None:
        """The three counts are there and add up."""
        usage = (await provider.complete(body))["usage"]
        assert usage["prompt_tokens"] > 0
        assert usage["completion_tokens"] > 0
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]

    async def test_a_stream_joins_to_the_plain_answer(self, provider: Provider, body: JsonObject) -> None:
        """Streaming changes how the text arrives, not what it is."""
        plain = await provider.complete(body)
        chunks = await _read(provider, body)
        assert _text(chunks) == plain["choices"][0]["message"]["content"]

    async def test_a_stream_is_chunks_of_one_answer(self, provider: Provider, body: JsonObject) -> None:
        """One id, the role first, several pieces, the finish reason last."""
        chunks = await _read(provider, body)
        assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
        assert len({chunk["id"] for chunk in chunks}) == 1
        assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
        assert len([chunk for chunk in chunks if chunk["choices"][0]["delta"].get("content")]) > 1
        assert [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]][-1] == "stop"

    async def test_usage_is_streamed_when_asked_for(self, provider: Provider, body: JsonObject) -> None:
        """It comes last, in a chunk without choices; unasked it does not come."""
        last = (await _read(provider, body | {"stream_options": {"include_usage": True}}))[-1]
        assert last["choices"] == []
        assert last["usage"]["total_tokens"] > 0
        assert not any(chunk.get("usage") for chunk in await _read(provider, body))

    async def test_the_stream_flag_follows_the_method(self, provider: Provider, body: JsonObject) -> None:
        """Whichever method is called decides, not what the body happens to say."""
        assert (await provider.complete(body | {"stream": True}))["object"] == "chat.completion"
        assert len(await _read(provider, body | {"stream": False})) > 1

    async def test_the_request_is_left_as_it_was(self, provider: Provider, body: JsonObject) -> None:
        """The caller may send the same body to the next host."""
        before = copy.deepcopy(body)
        await provider.complete(body)
        await _read(provider, body)
        assert body == before

    async def test_a_stream_that_is_closed_early_leaves_it_usable(self, provider: Provider, body: JsonObject) -> None:
        """A reader that goes away takes nothing with it."""
        async with contextlib.aclosing(provider.stream(body)) as stream:
            await anext(stream)
        assert (await provider.complete(body))["choices"]

    async def test_models_are_listed(self, provider: Provider, model: str) -> None:
        """The one in use is among them."""
        assert model in [info.id for info in await provider.models()]

    async def test_closing_twice_is_fine(self, provider: Provider) -> None:
        """Shutdown may run over the same provider more than once."""
        await provider.aclose()
        await provider.aclose()


async def _read(provider: Provider, body: JsonObject) -> list[JsonObject]:
    return [chunk async for chunk in provider.stream(body)]


def _text(chunks: list[JsonObject]) -> str:
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices if choice["index"] == 0)
