"""What fits a model's window: tokens counted, memories given up by category, old exchanges left out whole."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from souvenir.chat.budget import GIVEN_UP, Budget, Window
from souvenir.chat.tokens import Tokens, most_tokens
from souvenir.config import Settings, load_settings
from souvenir.llm.recalled import Recalled
from souvenir.types import JsonObject

pytestmark = pytest.mark.req("TURN-10")

MARCH = datetime(2026, 3, 12, tzinfo=UTC)
NOBODY = "http://127.0.0.1:9/v1"
PLAIN: Settings = load_settings({})
EXACT, ROUGH = Tokens.load(PLAIN), Tokens(None)
COUNTERS = pytest.mark.parametrize("tokens", [EXACT, ROUGH], ids=["counted", "estimated"])
BUDGET = Budget(PLAIN, EXACT)
STRANGE = [
    "",
    " ",
    "\x00",
    "\ud800",
    "a\udc00b",
    "👩\u200d👩\u200d👧",
    "\n" * 50,
    "한국어",
    "Z̸̢̛a̶",
    "\u202e",
    "[UNK] [CLS]",
]


def memory(text: str, category: str | None = None) -> Recalled:
    return Recalled("", text, "you", MARCH, category, "memory" if category else "message")


def itself(item: Recalled) -> Recalled:
    return item


def fit(items: list[Recalled], window: int) -> list[Recalled]:
    return BUDGET.fit(items, Window(window, known=True), itself)


# counting


def test_tokens_are_counted_with_a_tokenizer_where_there_is_one() -> None:
    assert EXACT.count("Where did I leave my keys?") == 7
    assert EXACT.count("unbelievable v2.14.0") == 7
    assert EXACT.count("one\ntwo") == 3


@COUNTERS
@pytest.mark.parametrize("text", STRANGE)
def test_any_text_has_some_number_of_tokens(tokens: Tokens, text: str) -> None:
    assert 0 <= tokens.count(text) <= max(1, len(text.encode("utf-8", "surrogatepass")))


@COUNTERS
@pytest.mark.parametrize(
    ("text", "least"),
    [("a" * 3000, 1000), ("QWxhZGRpbjpvcGVu" * 100, 800), ("😀" * 100, 100), ("你好" * 100, 200), (" " * 3200, 200)],
)
def test_what_is_no_word_is_not_free(tokens: Tokens, text: str, least: int) -> None:
    assert tokens.count(text) >= least


@COUNTERS
def test_counting_stops_where_there_is_too_much(tokens: Tokens) -> None:
    text = "all work and no play " * 50_000
    assert tokens.count(text, most=100) > 100
    assert tokens.count(text[:2000], most=10_000) == tokens.count(text[:2000])


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_in_two_lines_have_no_more_tokens_than_both(one: str, two: str) -> None:
    assert EXACT.count(f"{one}\n{two}") <= EXACT.count(one) + EXACT.count(f"\n{two}")


def test_weights_that_are_absent_or_broken_leave_an_estimate(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with capture_logs() as logs:
        tokens = Tokens.load(load_settings({}, weights_dir=tmp_path))
    assert logs[0]["event"] == "tokens are only estimated"
    assert 5 <= tokens.count("Where did I leave my keys?") <= 15


# windows


def test_a_window_is_the_models_own_else_the_providers_else_the_general_one() -> None:
    tables: dict[str, Any] = {
        "one": {"base_url": NOBODY, "context_tokens": {"a": 4096, "b:latest": 2048}},
        "two": {"base_url": NOBODY, "context_tokens": 32_000},
        "three": {"base_url": NOBODY},
    }
    budget = Budget(load_settings({}, providers=tables), ROUGH)
    assert budget.window("one", "a") == Window(4096, known=True)
    assert budget.window("one", "b") == Window(2048, known=True)
    assert budget.window("one", "a:latest") == Window(4096, known=True)
    assert budget.window("two", "x") == Window(32_000, known=True)
    for unknown in (budget.window("one", "x"), budget.window("three", "x"), budget.window("nobody", "x")):
        assert unknown == Window(8192, known=False)
    told = Budget(load_settings({"SOUVENIR_CONTEXT_TOKENS": "131072"}), ROUGH)
    assert told.window("offline", "souvenir") == Window(131_072, known=True)
    assert told.window("offline", "souvenir").for_memory == 19_660


# memories


def test_what_has_room_is_kept_whole_and_in_order() -> None:
    items = [
        memory("User prefers tea.", "preference"),
        memory("The ferry is blue."),
        memory("User is Anna.", "identity"),
    ]
    with capture_logs() as logs:
        assert fit(items, 8192) == items
    assert logs == []


def test_memories_are_given_up_by_category_the_least_relevant_of_each_first() -> None:
    items = [memory(f"{category} {number} " + "word " * 20, category) for number in range(3) for category in GIVEN_UP]
    order = [item for category in GIVEN_UP for item in reversed(items) if item.category == category]
    sizes = []
    for window in range(600, 9000, 100):
        kept = fit(items, window)
        gone = len(items) - len(kept)
        assert [item for item in items if item not in order[:gone]] == kept
        sizes.append(len(kept))
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert len(set(sizes)) > 8


def test_a_category_nobody_knows_counts_as_none() -> None:
    items = [memory("word " * 20, "made up"), memory("word " * 20, "context")]
    assert fit(items, 1000) == items[1:]


def test_what_is_given_up_is_logged() -> None:
    items = [
        memory(f"User likes thing number {number}, " + "and likes it very much indeed " * 3, "preference")
        for number in range(20)
    ]
    with capture_logs() as logs:
        kept = fit(items, 8192)
    assert 5 < len(kept) < 20
    assert [entry["event"] for entry in logs] == [f"[Memory] Truncated 20 → {len(kept)} memories"]


def test_one_long_text_takes_no_others_place() -> None:
    items = [memory("word " * 5000), *(memory("User prefers tea.", "preference") for _ in range(5))]
    assert fit(items, 8192) == items


# history


def turn(number: int, words: int = 50) -> list[JsonObject]:
    return [
        {"role": "user", "content": f"question {number} " + "word " * words},
        {"role": "assistant", "content": f"answer {number} " + "word " * words},
    ]


def tool_turn(number: int) -> list[JsonObject]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "user", "content": f"question {number}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": "result " * 60},
        {"role": "assistant", "content": f"answer {number}"},
    ]


SYSTEM: JsonObject = {"role": "system", "content": "Be brief."}
CURRENT: JsonObject = {"role": "user", "content": "And now?"}


def history(messages: list[JsonObject], window: int, reserve: int = 0) -> list[JsonObject]:
    return BUDGET.fit_history(messages, Window(window, known=True), reserve)


def test_a_conversation_that_fits_is_left_as_it_is() -> None:
    messages = [SYSTEM, *turn(1), *turn(2), CURRENT]
    kept = history(messages, 100_000)
    assert kept == messages
    assert all(one is other for one, other in zip(kept, messages, strict=True))


def test_the_oldest_exchanges_are_left_out_and_system_prompts_and_the_current_message_never() -> None:
    late: JsonObject = {"role": "developer", "content": "Late rule."}
    messages = [SYSTEM, *turn(1), *turn(2), late, *turn(3), CURRENT]
    assert history(messages, 400, reserve=100) == [SYSTEM, *turn(2), late, *turn(3), CURRENT]
    assert history(messages, 400, reserve=200) == [SYSTEM, late, *turn(3), CURRENT]
    assert history(messages, 20) == [SYSTEM, late, CURRENT]


def test_a_call_and_its_result_stay_or_go_together() -> None:
    messages = [SYSTEM, *tool_turn(1), *tool_turn(2), *tool_turn(3), CURRENT]
    for window in range(10, 500, 10):
        kept = history(messages, window)
        calls = {call["id"] for message in kept for call in message.get("tool_calls", ())}
        results = {message["tool_call_id"] for message in kept if message["role"] == "tool"}
        assert calls == results
        assert kept[0] == SYSTEM
        assert kept[-1] == CURRENT


def test_the_current_exchange_stays_with_the_calls_it_has_come_to() -> None:
    running = tool_turn(9)[:3]
    assert history([SYSTEM, *turn(1), *running], 10) == [SYSTEM, *running]


def test_pictures_count() -> None:
    picture: JsonObject = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "data:," + "A" * 90_000}}],
    }
    messages = [picture, {"role": "assistant", "content": "A cat."}, CURRENT]
    assert history(messages, 4096) == messages
    assert history(messages, 1000) == [CURRENT]


def test_ten_thousand_messages_are_cut_to_the_window() -> None:
    messages = [SYSTEM, *(message for number in range(5000) for message in turn(number, 20)), CURRENT]
    kept = history(messages, 8192, reserve=1000)
    assert sum(EXACT.of_message(message) for message in kept) <= 7192
    assert kept[1:] == messages[-len(kept) + 1 :]
    assert len(kept) > 100


MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool", "developer"])},
    optional={
        "content": st.none() | st.text(max_size=60) | st.lists(st.just({"type": "text", "text": "word"}) | st.just(7)),
        "tool_calls": st.just([{"id": "x"}]),
    },
)


@given(st.lists(MESSAGE, max_size=12), st.integers(256, 400), st.integers(0, 300))
def test_whatever_comes_the_order_stays_and_the_end_is_kept(messages: list[Any], window: int, reserve: int) -> None:
    kept = history(messages, window, reserve)
    places = iter(messages)
    assert all(any(one is other for other in places) for one in kept)
    assert [one for one in kept if one["role"] in {"system", "developer"}] == [
        one for one in messages if one["role"] in {"system", "developer"}
    ]
    assert kept[-1:] == messages[-1:]
    if kept != messages:
        assert sum(map(most_tokens, messages)) > window - reserve
