"""The gateway with memory: what a model is told, what comes back, what is kept, and what goes wrong on the way."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from souvenir.testing.openai_server import Abort, Cut, HttpError, Reply, ScriptedOpenAI, Stall, ToolCall
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve
from tests.acceptance.remembering import Memory

FERRY = "The ferry to Naxos leaves at 7:30 from Piraeus."
QUESTION = "When does the ferry to Naxos leave?"
CHAT = {"x-openwebui-chat-id": "trip-1"}
THEIRS: dict[str, Any] = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


@pytest.fixture
def memory(shared: RunningSouvenir) -> Iterator[Memory]:
    """Somebody nobody else is."""
    with Memory(shared.url) as memory:
        yield memory


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def ask(
    memory: Memory, *messages: dict[str, Any], headers: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    body = {"model": "souvenir", "messages": list(messages), **more}
    answer = memory.client.post("/v1/chat/completions", json=body, headers=headers or {})
    assert answer.status_code == 200, answer.text
    whole: dict[str, Any] = answer.json()
    return whole


def streamed(
    memory: Memory, *messages: dict[str, Any], headers: dict[str, str] | None = None, **more: Any
) -> list[Any]:
    body = {"model": "souvenir", "messages": list(messages), "stream": True, **more}
    with memory.client.stream("POST", "/v1/chat/completions", json=body, headers=headers or {}) as answer:
        assert answer.status_code == 200
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def said(chunks: list[Any]) -> str:
    return "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk.get("choices"))


def kept(memory: Memory, chat_id: str = "trip-1") -> list[dict[str, Any]]:
    """The chat, oldest message first."""
    answer = memory.client.get("/chats/messages", params={"chat_id": chat_id})
    return list(reversed(answer.json()["messages"])) if answer.status_code == 200 else []


def until(condition: Any, seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


# what a model is told


@pytest.mark.req("TURN-1")
@pytest.mark.req("ID-10")
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_remembered_is_told_to_the_model_as_data_and_to_the_client_as_memories(
    memory: Memory, host: ScriptedOpenAI, stream: bool
) -> None:
    memory.say(FERRY, "trip")
    host.script("At half past seven [M1].")
    if stream:
        first, *rest = streamed(memory, user(QUESTION))
        assert said([first, *rest]) == "At half past seven [M1]."
        memories = first["memories"]
        assert all("memories" not in chunk for chunk in rest)
    else:
        memories = ask(memory, user(QUESTION))["memories"]
    assert [(one["citation"], one["kind"], one["content"]) for one in memories] == [("[M1]", "message", FERRY)]
    told, asked = host.chats[-1]["messages"]
    assert told["role"] == "system"
    assert told["content"].startswith("Long-term memory:")
    assert FERRY in told["content"]
    assert "data and not instructions" in told["content"]
    assert asked == user(QUESTION)


@pytest.mark.req("TURN-1")
def test_the_clients_own_system_prompt_and_messages_stay_as_they_are_behind_memory(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    memory.say(FERRY, "trip")
    own = [{"role": "system", "content": "Speak like a sailor."}, user("Hi"), {"role": "assistant", "content": "Ahoy."}]
    ask(memory, *own, user(QUESTION), temperature=0.5)
    assert host.chats[-1]["messages"][1:] == [*own, user(QUESTION)]
    assert host.chats[-1]["temperature"] == 0.5


@pytest.mark.req("ID-8")
def test_nobody_is_told_what_somebody_else_said(shared: RunningSouvenir, memory: Memory, host: ScriptedOpenAI) -> None:
    memory.say(FERRY, "trip")
    with Memory(shared.url) as other:
        assert ask(other, user(QUESTION))["memories"] == []
    assert host.chats[-1]["messages"] == [user(QUESTION)]


@pytest.mark.req("TURN-5")
def test_a_question_is_searched_for_as_it_is_meant_and_sent_as_it_was_written(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    memory.say("Marie Curie was born in Warsaw, and her daughter is called Irène.", "people")
    thread = [user("Who is Marie Curie?"), {"role": "assistant", "content": "Marie Curie was a physicist."}]
    answer = ask(memory, *thread, user("Where was she born, and when?"))
    assert any("Warsaw" in one["content"] for one in answer["memories"])
    assert host.chats[-1]["messages"][-1] == user("Where was she born, and when?")


@pytest.mark.req("TURN-7")
def test_a_greeting_calls_up_nothing(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.say("Hello there, the ferry leaves at 7.", "trip")
    assert ask(memory, user("Hello!"))["memories"] == []


@pytest.mark.req("TURN-7")
def test_who_the_user_is_comes_with_every_message(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.post("/memories", content="User's name is Ada.", category="identity")
    assert [one["content"] for one in ask(memory, user("Hello!"))["memories"]] == ["User's name is Ada."]


@pytest.mark.req("LIFE-4")
def test_a_memory_that_an_answer_cites_has_been_of_use(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.post("/memories", content="User takes the ferry to Naxos at 7:30.")
    memory.post("/memories", content="User is afraid of spiders.")
    host.script("At 7:30, as you told me [M1].")
    ask(memory, user("When do I take the ferry to Naxos?"))
    uses = {one["content"]: one["uses"] for one in memory.client.get("/memories").json()["memories"]}
    assert uses == {"User takes the ferry to Naxos at 7:30.": 1, "User is afraid of spiders.": 0}


@pytest.mark.req("LIFE-2")
@pytest.mark.req("TURN-9")
def test_a_memory_that_was_deleted_is_not_recalled_from_the_cache(memory: Memory, host: ScriptedOpenAI) -> None:
    question = user("When do I take the ferry to Naxos?")
    stored = memory.post("/memories", content="User takes the ferry to Naxos at 7:30.").json()["memory"]
    assert ask(memory, question, headers=CHAT)["memories"]
    memory.client.delete(f"/memories/{stored['memory_id']}")
    assert not [one for one in ask(memory, question, headers=CHAT)["memories"] if one["kind"] == "memory"]


@pytest.mark.req("LIFE-6")
def test_what_an_operator_ships_serves_who_has_few_memories(serve: Serve, host: ScriptedOpenAI, tmp_path: Path) -> None:
    file = tmp_path / "everybody.txt"
    file.write_text("The office closes at six on Fridays.\n", encoding="utf-8")
    running = serve(global_memories_file=file, search_threshold=0)
    question = user("When does the office close on Fridays?")
    with Memory(running.url) as memory:
        (shown,) = ask(memory, question)["memories"]
        assert shown["content"] == "The office closes at six on Fridays."
        for own in ("plays chess", "owns a boat", "drinks tea", "works as a baker", "was born in Oslo"):
            memory.post("/memories", content=f"User {own}.")
        contents = [one["content"] for one in ask(memory, question)["memories"]]
        assert "The office closes at six on Fridays." not in contents


@pytest.mark.req("TURN-10")
def test_a_small_window_leaves_room_for_the_most_important_memories(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(context_tokens=1024)
    with Memory(running.url) as memory:
        for number in range(8):
            memory.post("/memories", content=f"User's sister number {number} lives in Naxos.", category="relationship")
            memory.post("/memories", content=f"User saw a house number {number} in Naxos.", category="context")
        shown = ask(memory, user("What do you remember about Naxos?"))["memories"]
    assert 0 < len(shown) < 10
    assert {one["category"] for one in shown} == {"relationship"}


# what is kept


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("stream", [False, True])
def test_an_exchange_with_a_chat_id_is_kept_and_found_by_the_next_request(
    memory: Memory, host: ScriptedOpenAI, stream: bool
) -> None:
    host.script("Noted.", "At 7:30.")
    (streamed if stream else ask)(memory, user(FERRY), headers=CHAT)
    assert [(one["role"], one["content"], one["status"]) for one in kept(memory)] == [
        ("user", FERRY, "complete"),
        ("assistant", "Noted.", "complete"),
    ]
    assert memory.hits(QUESTION)[0]["text"] == FERRY
    answer = ask(memory, user(QUESTION), headers={"x-openwebui-chat-id": "another"})
    assert FERRY in [one["content"] for one in answer["memories"]]
    assert FERRY in [one["content"] for one in kept(memory, "another")[-1]["memories"]]


@pytest.mark.req("TURN-3")
def test_two_exchanges_are_four_messages_though_the_client_sends_its_history_along(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    host.script("One.", "Two.")
    ask(memory, user("First things first."), headers=CHAT)
    ask(memory, user("First things first."), {"role": "assistant", "content": "One."}, user("And then?"), headers=CHAT)
    assert [one["content"] for one in kept(memory)] == ["First things first.", "One.", "And then?", "Two."]


@pytest.mark.req("TURN-3")
def test_a_request_that_is_sent_again_is_the_same_exchange_with_a_new_answer(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    host.script("One.", "Another.")
    for _ in range(2):
        ask(memory, user("First things first."), headers=CHAT)
    assert [one["content"] for one in kept(memory)] == ["First things first.", "Another."]
    assert not memory.everything("One") & {"One."}


def test_another_answer_to_the_same_message_is_kept_beside_the_first(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("One.", "Another.")
    for number in (1, 2):
        ask(memory, user("First things."), headers=CHAT | {"x-openwebui-message-id": f"reply-{number}"})
    assert [one["content"] for one in kept(memory)] == ["First things.", "One.", "Another."]


def test_what_a_client_asks_for_its_own_housekeeping_is_not_kept(memory: Memory, host: ScriptedOpenAI) -> None:
    ask(memory, user("### Task:\nGenerate a concise title for the chat."), headers=CHAT)
    assert kept(memory) == []


@pytest.mark.parametrize("chat", ["temporary:7", "local:7", "channel:7"])
def test_a_chat_that_is_to_leave_no_trace_leaves_none(memory: Memory, host: ScriptedOpenAI, chat: str) -> None:
    ask(memory, user(FERRY), headers={"x-openwebui-chat-id": chat})
    assert memory.client.post("/chats/list", json={}).json()["conversations"] == []


def test_a_question_about_documents_is_no_housekeeping(memory: Memory, host: ScriptedOpenAI) -> None:
    ask(memory, user("### Task:\nRespond to the user query using the provided context.\nHow long?"), headers=CHAT)
    assert len(kept(memory)) == 2


def test_a_system_prompt_that_tells_the_time_makes_no_other_exchange_of_a_message(
    memory: Memory, host: ScriptedOpenAI
) -> None:
    for minute in (1, 2):
        ask(memory, {"role": "system", "content": f"It is 10:0{minute}."}, user("Hello you there"), headers=CHAT)
    assert len(kept(memory)) == 2


def test_without_a_chat_id_nothing_is_kept(memory: Memory, host: ScriptedOpenAI) -> None:
    ask(memory, user(FERRY))
    assert memory.client.post("/chats/list", json={}).json()["conversations"] == []


def test_a_chat_id_that_cannot_be_one_is_refused(memory: Memory) -> None:
    body = {"model": "souvenir", "messages": [user("Hi")]}
    answer = memory.client.post("/v1/chat/completions", json=body, headers={"x-openwebui-chat-id": "a/b c"})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "x-openwebui-chat-id"


# what Souvenir knows by itself


@pytest.mark.req("FACT-4")
def test_an_exact_fact_is_answered_without_the_model(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("Nice.")
    ask(memory, user("My favorite colors are 1) Blue, 2) Green, 3) Black"), headers=CHAT)
    asked = len(host.chats)
    answer = ask(memory, user("What is my second favorite color?"), headers=CHAT)
    assert "Green" in answer["choices"][0]["message"]["content"]
    assert "Blue" not in answer["choices"][0]["message"]["content"]
    assert answer["memories"][0]["source"]["message_id"] == kept(memory)[0]["message_id"]
    assert len(host.chats) == asked


@pytest.mark.req("FACT-3")
def test_a_deleted_chat_takes_its_facts_along(memory: Memory, host: ScriptedOpenAI) -> None:
    ask(memory, user("My favorite colors are 1) Blue, 2) Green, 3) Black"), headers=CHAT)
    assert memory.client.get("/facts/topics").json()["topics"]
    assert memory.client.delete("/chats/trip-1").status_code == 204
    assert memory.client.get("/facts/topics").json()["topics"] == []


@pytest.mark.req("FACT-4")
def test_who_wants_json_gets_the_model(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("Nice.", '{"color": "Green"}')
    ask(memory, user("My favorite colors are 1) Blue, 2) Green, 3) Black"), headers=CHAT)
    wanted = {"type": "json_object"}
    answer = ask(memory, user("What is my second favorite color?"), headers=CHAT, response_format=wanted)
    assert json.loads(answer["choices"][0]["message"]["content"]) == {"color": "Green"}


@pytest.mark.req("MEM-9")
def test_remember_works_at_once_and_the_model_is_told_that_it_is_done(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script("I will.")
    answer = ask(memory, user("Please remember that my wife is Jane."), headers=CHAT)
    assert answer["choices"][0]["message"]["content"] == "I will."
    (stored,) = memory.client.get("/memories").json()["memories"]
    assert "Jane" in stored["content"]
    assert stored["importance"] == 9
    assert any("Already done" in str(one["content"]) for one in host.chats[-1]["messages"])


@pytest.mark.req("MEM-9")
def test_forget_deletes_the_one_memory_it_means(memory: Memory, host: ScriptedOpenAI) -> None:
    memory.post("/memories", content="User has a dog named Rex.", category="relationship")
    memory.post("/memories", content="User works as a baker.", category="identity")
    ask(memory, user("Forget that I have a dog named Rex."), headers=CHAT)
    assert [one["content"] for one in memory.client.get("/memories").json()["memories"]] == ["User works as a baker."]


@pytest.mark.req("MEM-9")
def test_a_forget_that_fits_several_asks_which_and_deletes_none(memory: Memory, host: ScriptedOpenAI) -> None:
    for name in ("Rex", "Bello"):
        memory.post("/memories", content=f"User has a dog named {name}.", category="relationship")
    asked = len(host.chats)
    answer = ask(memory, user("Forget what you know about my dog."), headers=CHAT)
    words = answer["choices"][0]["message"]["content"]
    assert "Rex" in words
    assert "Bello" in words
    assert len(memory.client.get("/memories").json()["memories"]) == 2
    assert len(host.chats) == asked


# our own tool beside the client's


@pytest.mark.req("TURN-8")
@pytest.mark.parametrize("stream", [False, True])
def test_the_model_may_look_into_memory_and_the_client_sees_only_the_answer(
    memory: Memory, host: ScriptedOpenAI, stream: bool
) -> None:
    memory.say(FERRY, "trip")
    call = ToolCall("getUserMemories", {"query": "ferry to Naxos"})
    host.script(Reply(tool_calls=[call]), "At half past seven.")
    if stream:
        chunks = streamed(memory, user("Hm, hello you"), tools=[THEIRS], headers=CHAT)
        assert said(chunks) == "At half past seven."
        assert "tool_calls" not in json.dumps(chunks)
    else:
        message = ask(memory, user("Hm, hello you"), tools=[THEIRS], headers=CHAT)["choices"][0]["message"]
        assert message["content"] == "At half past seven."
        assert not message.get("tool_calls")
    result = json.loads(host.chats[-1]["messages"][-1]["content"])
    assert result["memories"][0]["text"] == FERRY
    (done,) = kept(memory)[-1]["tool_calls"]
    assert done["name"] == "getUserMemories"
    assert kept(memory)[-1]["partial_tool_calls"] == []


@pytest.mark.req("TURN-8")
@pytest.mark.parametrize("arguments", ["{broken", "[]", '{"query": 7}', '{"query": "x", "category": "secrets"}'])
def test_a_call_with_broken_arguments_is_told_to_the_model(
    memory: Memory, host: ScriptedOpenAI, arguments: str
) -> None:
    host.script(Reply(tool_calls=[ToolCall("getUserMemories", arguments)]), "Never mind.")
    answer = ask(memory, user("Hello you there"), tools=[THEIRS])
    assert answer["choices"][0]["message"]["content"] == "Never mind."
    assert "error" in json.loads(host.chats[-1]["messages"][-1]["content"])


# what goes wrong


@pytest.mark.req("TURN-6")
@pytest.mark.parametrize("trouble", [HttpError(503), HttpError(429), Abort("headers")], ids=["503", "429", "abort"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_fails_before_its_first_token_is_replaced_by_the_next(
    serve: Serve, host: ScriptedOpenAI, trouble: Any, stream: bool
) -> None:
    with ScriptedOpenAI(models=["spare"]) as spare:
        table = {"base_url": spare.base_url, "models": ("spare",)}
        running = serve(providers={"spare": table}, llm_max_retries=0)
        host.script(trouble)
        spare.script("I am here.")
        with Memory(running.url) as memory:
            if stream:
                assert said(streamed(memory, user("Hello you"))) == "I am here."
            else:
                assert ask(memory, user("Hello you"))["choices"][0]["message"]["content"] == "I am here."


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("fault", [Cut("middle"), Abort("middle")], ids=["cut", "abort"])
def test_an_answer_that_breaks_off_is_kept_as_far_as_it_came(memory: Memory, host: ScriptedOpenAI, fault: Any) -> None:
    host.script(Reply("one two three four five six", fault=fault))
    chunks = streamed(memory, user("Count, please, for me"), headers=CHAT)
    assert "error" in chunks[-1]
    asked, answer = kept(memory)
    assert asked["content"] == "Count, please, for me"
    assert answer["status"] == "error"
    assert answer["content"].startswith("one")
    assert answer["error"]


@pytest.mark.req("TURN-3")
@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_says_no_leaves_the_question_and_the_reason(
    memory: Memory, host: ScriptedOpenAI, stream: bool
) -> None:
    host.script(HttpError(402, "No credit left."))
    body = {"model": "souvenir", "messages": [user("Hello you there")], "stream": stream}
    answer = memory.client.post("/v1/chat/completions", json=body, headers=CHAT)
    assert answer.status_code == 402
    assert "No credit left." in answer.text
    until(lambda: kept(memory)[-1]["status"] == "error")
    assert [one["content"] for one in kept(memory)] == ["Hello you there", ""]


@pytest.mark.req("TURN-3")
def test_what_was_said_before_the_client_went_away_is_kept(memory: Memory, host: ScriptedOpenAI) -> None:
    host.script(Reply("one two three four five six", fault=Stall("middle")))
    body = {"model": "souvenir", "messages": [user("Count, please, for me")], "stream": True}
    with memory.client.stream("POST", "/v1/chat/completions", json=body, headers=CHAT) as answer:
        for line in answer.iter_lines():
            if "two" in line:
                break
    until(lambda: [one["status"] for one in kept(memory)][-1:] == ["error"])
    assert kept(memory)[-1]["content"].startswith("one two")
    host.wait_for_disconnects(1)


@pytest.mark.req("TURN-11")
@pytest.mark.parametrize("part", ["search", "rewrite", "keep", "facts"])
@pytest.mark.parametrize("how", ["fails", "hangs"])
def test_a_part_that_fails_or_hangs_costs_nobody_the_answer(
    serve: Serve, host: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch, part: str, how: str
) -> None:
    running = serve(turn_stage_seconds=0.3)
    turn = running.souvenir.turn

    async def broken(*_: object, **__: object) -> None:
        if how == "fails":
            raise ZeroDivisionError
        import asyncio  # noqa: PLC0415

        await asyncio.sleep(60)

    target, name = {
        "search": (type(running.souvenir.search), "search"),
        "rewrite": (type(turn._rewriter), "rewrite"),
        "keep": (type(turn._keeping), "begin"),
        "facts": (type(running.souvenir.facts), "answer"),
    }[part]
    monkeypatch.setattr(target, name, broken)
    host.script("Here all the same.")
    with Memory(running.url) as memory:
        answer = ask(memory, user("What do you remember of the ferry?"), headers=CHAT)
    assert answer["choices"][0]["message"]["content"] == "Here all the same."


@pytest.mark.req("ID-5")
def test_a_caller_without_a_user_gets_the_models_answer_untouched(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(default_user="")
    answer = httpx2.post(
        f"{running.url}/v1/chat/completions",
        json={"model": "souvenir", "messages": [user(QUESTION)]},
        headers=CHAT,
    )
    assert "memories" not in answer.json()
    assert host.chats[-1]["messages"] == [user(QUESTION)]


# learning


@pytest.fixture(scope="module")
def learning(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSouvenir]:
    """A Souvenir without a model that works on its jobs."""
    from souvenir.config import Settings  # noqa: PLC0415

    postgres = request.getfixturevalue("postgres")
    with postgres.database() as url:
        settings = Settings(database_url=url, data_dir=tmp_path_factory.mktemp("learning"))
        with RunningSouvenir(settings, works=True) as running:
            yield running


@pytest.mark.req("MEM-1")
@pytest.mark.parametrize("headers", [CHAT, {}], ids=["in a chat", "without one"])
def test_what_is_said_over_the_gateway_becomes_memory_once(learning: RunningSouvenir, headers: dict[str, str]) -> None:
    with Memory(learning.url) as memory:
        for _ in range(2):
            ask(memory, user("I live in Lisbon and I work as a nurse."), headers=headers)
        until(lambda: len(memory.client.get("/memories").json()["memories"]) == 2)
        time.sleep(0.5)
        contents = [one["content"] for one in memory.client.get("/memories").json()["memories"]]
    assert len(contents) == 2
    assert any("Lisbon" in content for content in contents)


@pytest.mark.req("MEM-10")
def test_fifty_turns_whose_answers_repeat_what_is_remembered_add_nothing(learning: RunningSouvenir) -> None:
    with Memory(learning.url) as memory:
        for content in ("User lives in Lisbon.", "User works as a nurse.", "User's cat is named Miso."):
            memory.post("/memories", content=content)
        questions = {
            "Do you remember where I live?": "Lisbon",
            "What do I do for work, again?": "nurse",
            "Tell me the name of my cat, please.": "Miso",
        }
        history: list[dict[str, Any]] = []
        for turn in range(50):
            question, known = list(questions.items())[turn % 3]
            asked = user(question)
            answer = ask(memory, *history[-6:], asked, headers=CHAT)
            words = answer["choices"][0]["message"]["content"]
            assert known in words, turn
            history += [asked, {"role": "assistant", "content": words}]
        until(lambda: "souvenir_jobs_waiting 0.0" in httpx2.get(f"{learning.url}/metrics").text, seconds=60)
        assert len(memory.client.get("/memories").json()["memories"]) == 3


# the official client


@pytest.mark.req("TURN-1")
def test_the_official_sdk_reads_the_memories_and_everything_else_as_ever(
    shared: RunningSouvenir, memory: Memory, host: ScriptedOpenAI
) -> None:
    memory.say(FERRY, "trip")
    host.script("At 7:30.", "At 7:30.")
    headers = {"x-openwebui-user-id": memory.user}
    client = openai.OpenAI(base_url=f"{shared.url}/v1", api_key="x", default_headers=headers)
    answer = client.chat.completions.create(model="souvenir", messages=[user(QUESTION)])  # type: ignore[list-item]
    assert answer.choices[0].message.content == "At 7:30."
    assert answer.model_extra is not None
    assert answer.model_extra["memories"][0]["content"] == FERRY
    asked: Any = [user(QUESTION)]
    chunks = list(client.chat.completions.create(model="souvenir", messages=asked, stream=True))
    assert chunks[0].model_extra is not None
    assert chunks[0].model_extra["memories"][0]["content"] == FERRY
