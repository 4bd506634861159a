"""What the official OpenAI SDK is made to send, and what the model answers: the table of `test_official_sdk`."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from souvenir.config import Settings
from souvenir.testing.openai_server import ErrorEvent, HttpError, Reply, ScriptedOpenAI, ToolCall
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import scripted
from tests.acceptance.remembering import Memory

OURS = "getUserMemories"
ADA, REMEMBERED = "ada", "User's name is Ada."

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "prompt_tokens_details": {"cached_tokens": 4}}


@contextlib.contextmanager
def knowing_ada(postgres: PostgresForTests, folder: Path, host: ScriptedOpenAI) -> Iterator[RunningSouvenir]:
    """A Souvenir that tries nothing twice, as the SDK in these tests, and knows Ada."""
    with postgres.database() as url:
        settings = Settings(database_url=url, data_dir=folder, llm_max_retries=0, **scripted(host))
        with RunningSouvenir(settings) as running:
            with Memory(running.url, ADA) as memory:
                assert memory.post("/memories", content=REMEMBERED, category="identity").status_code == 200
            yield running


class Weather(BaseModel):
    """What a structured answer is read into."""

    city: str
    degrees: int


def asking(content: Any = "What is the weather like in Zürich? 🌦") -> dict[str, Any]:
    """What a user says."""
    return {"role": "user", "content": content}


def _tool(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": name, "description": f"The {name}.", "parameters": parameters}}


def _parts(kind: str, **content: Any) -> dict[str, Any]:
    return asking([{"type": "text", "text": "What is this?"}, {"type": kind, kind: content}])


TOOLS = [_tool("weather"), _tool("tides")]
CALLS = (ToolCall("weather", {"city": "Zürich"}, "call_a"), ToolCall("tides", '{"city": "Ostende"}', "call_b"))
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "weather",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
            "required": ["city", "degrees"],
            "additionalProperties": False,
        },
    },
}
CONVERSATION = [
    {"role": "system", "content": "Speak like a sailor."},
    {"role": "developer", "content": "Be brief."},
    {**asking("Ahoy there"), "name": "ann"},
    {"role": "assistant", "content": "Ahoy."},
    asking("And the weather?"),
]
RESULTS = [
    asking(),
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
            for call in CALLS
        ],
    },
    {"role": "tool", "tool_call_id": "call_a", "content": "19 degrees, rain"},
    {"role": "tool", "tool_call_id": "call_b", "content": [{"type": "text", "text": "high at 14:05"}]},
]
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
FAR_IMAGE = "https://example.org/a.png?b=c&d=%20"


@dataclass(frozen=True, slots=True)
class Case:
    """One call: what it says, how the model answers, and whether our tool goes along with the client's."""

    asked: dict[str, Any] = field(default_factory=dict)
    reply: Reply | HttpError = Reply("Rain, and 19 degrees.")  # noqa: RUF009 - it is frozen
    joins: bool = False

    @property
    def body(self) -> dict[str, Any]:
        """As it is given to the SDK."""
        return {"model": "scripted", "messages": [asking()], **self.asked}

    @property
    def script(self) -> Reply | HttpError:
        """The reply with a fixed count: a model counts what we added too."""
        if isinstance(self.reply, HttpError) or self.reply.usage is not None:
            return self.reply
        return replace(self.reply, usage=USAGE)


CASES: dict[str, Case] = {
    "plain": Case(),
    "empty answer": Case(reply=Reply("")),
    "answer without content": Case(reply=Reply(None, refusal="I would rather not.")),
    "system prompts, names and several turns": Case({"messages": CONVERSATION}),
    "text in parts": Case({"messages": [asking([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}])]}),
    "n": Case({"n": 2}),
    "n of one": Case({"n": 1}),
    "stop": Case({"stop": ["END", "\n\n"]}),
    "max_tokens": Case({"max_tokens": 5}, Reply("Rain, and", finish_reason="length")),
    "max_completion_tokens": Case({"max_completion_tokens": 5}, Reply("Rain, and", finish_reason="length")),
    "content filter": Case(reply=Reply("Rain", finish_reason="content_filter")),
    "sampling": Case(
        {
            "temperature": 0.1, "top_p": 1e-05, "seed": 2**53 + 1, "logit_bias": {"50256": -100}, "user": "u-1",
            "presence_penalty": -2.0, "frequency_penalty": 0.30000000000000004, "metadata": {"a": "ü", "b": ""},
            "store": False, "service_tier": "flex", "reasoning_effort": "low", "safety_identifier": "s-1",
        }
    ),
    "logprobs": Case({"logprobs": True, "top_logprobs": 2}),
    "tools, auto": Case({"tools": TOOLS, "tool_choice": "auto"}, Reply(None, tool_calls=CALLS[:1]), joins=True),
    "tools, no choice named": Case({"tools": TOOLS}, Reply(None, tool_calls=CALLS[:1]), joins=True),
    "tools, none called": Case({"tools": TOOLS}, joins=True),
    "tools, required": Case({"tools": TOOLS, "tool_choice": "required"}, Reply(None, tool_calls=CALLS[:1])),
    "tools, one named": Case(
        {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "weather"}}},
        Reply(None, tool_calls=CALLS[:1]),
    ),
    "tools, none allowed": Case({"tools": TOOLS, "tool_choice": "none"}),
    "tools and n": Case({"tools": TOOLS, "n": 2}, Reply(None, tool_calls=CALLS[:1])),
    "no tools in the list": Case({"tools": []}),
    "calls in parallel": Case({"tools": TOOLS, "parallel_tool_calls": True}, Reply("", tool_calls=CALLS), joins=True),
    "words and a call": Case({"tools": TOOLS}, Reply("Let me look.", tool_calls=CALLS[:1]), joins=True),
    "a call with broken arguments": Case(
        {"tools": TOOLS}, Reply(None, tool_calls=[ToolCall("tides", "{")]), joins=True
    ),
    "a call of a tool nobody has": Case({"tools": TOOLS}, Reply(None, tool_calls=[ToolCall("nowhere")]), joins=True),
    "tool results": Case({"messages": RESULTS, "tools": TOOLS}, joins=True),
    "tool results, tools no more": Case({"messages": RESULTS}),
    "functions, as they were": Case(
        {"functions": [TOOLS[0]["function"]], "function_call": "auto"},
        Reply(None, extra_message={"function_call": {"name": "weather", "arguments": "{}"}}),
    ),
    "json_object": Case({"response_format": {"type": "json_object"}}, Reply.json({"city": "Zürich"})),
    "json_schema": Case({"response_format": SCHEMA}, Reply.json({"city": "Zürich", "degrees": 19})),
    "json_schema and tools": Case(
        {"response_format": SCHEMA, "tools": TOOLS}, Reply.json({"city": "Zürich", "degrees": 19}), joins=True
    ),
    "image inside": Case({"messages": [_parts("image_url", url=PIXEL, detail="low")]}),
    "image elsewhere": Case({"messages": [_parts("image_url", url=FAR_IMAGE)]}),
    "image alone": Case({"messages": [asking([{"type": "image_url", "image_url": {"url": PIXEL}}])]}),
    "audio": Case({"messages": [_parts("input_audio", data="UklGRg==", format="wav")]}),
    "file": Case({"messages": [_parts("file", file_data="data:application/pdf;base64,JVBE", filename="ü.pdf")]}),
    "audio answer": Case(
        {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}},
        Reply(None, extra_message={"audio": {"id": "a", "data": "UklGRg==", "expires_at": 9, "transcript": "Rain."}}),
    ),
    "unknown fields": Case(
        {"extra_body": {"top_k": 40, "never_heard_of": {"deep": [1, {"er": None}], "ü": 1e300}, "empty": {}}},
        Reply(
            "Rain.",
            extra={"citations": ["https://example.org"], "system_fingerprint": "fp", "service_tier": "default"},
            extra_message={"reasoning_content": "Clouds…", "annotations": []},
        ),
    ),
    "unknown fields and tools": Case(
        {"tools": TOOLS},
        Reply("Rain.", extra={"citations": ["a"]}, extra_message={"reasoning_content": "Clouds…", "tool_calls": []}),
        joins=True,
    ),
    "extra headers": Case({"extra_headers": {"x-anything": "at all", "openai-beta": "x=v1"}}),
    "refusal": Case({"response_format": SCHEMA}, Reply(None, refusal="I cannot help with that.")),
    "half a character": Case(reply=Reply("\ud83d and", pieces=["\ud83d", "\ude00", " and"])),
    "a zero byte": Case(reply=Reply("a\x00b", pieces=["a\x00", "b"])),
    "a number that JSON lacks": Case(reply=Reply("Rain.", extra={"score": float("-inf")})),
    "very long": Case({"messages": [asking("Rain. " * 20_000)]}, Reply("Sun. " * 500)),
    **{
        f"error {status}": Case(reply=HttpError(status, f"No: {status}.", f"kind_{status}", f"code_{status}", "model"))
        for status in (400, 401, 403, 404, 409, 422, 429, 500, 503)
    },
    "error 429 with Retry-After": Case(reply=HttpError(429, "Slow down.", headers={"retry-after": "7"})),
    "error 503 with Retry-After as a date": Case(
        reply=HttpError(503, "Later.", headers={"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"})
    ),
    "error with more in it": Case(
        reply=HttpError(400, body={"error": {"message": "No.", "code": 7, "type": None, "innererror": {"a": [1]}}})
    ),
    "error with tools": Case({"tools": TOOLS}, HttpError(400, "No.", code="c", param="tools[0]"), joins=True),
}  # fmt: skip
"""Calls that are made whole and streamed."""

STREAM_CASES: dict[str, Case] = {
    "usage": Case({"stream_options": {"include_usage": True}}),
    "usage and tools": Case(
        {"stream_options": {"include_usage": True}, "tools": TOOLS}, Reply("", tool_calls=CALLS), joins=True
    ),
    "usage and n": Case({"stream_options": {"include_usage": True}, "n": 2}),
    "no [DONE]": Case(reply=Reply("Rain.", done=False)),
    "a comment first": Case(reply=Reply("Rain.", preamble=": thinking\n\n")),
    "an error in the middle": Case(reply=Reply("one two three four", fault=ErrorEvent())),
    "an error with a code in the middle": Case(
        reply=Reply(
            "one two three four", fault=ErrorEvent({"message": "Gone.", "type": "t", "code": 500, "param": "p"})
        )
    ),
}
"""And those that are only streamed."""
