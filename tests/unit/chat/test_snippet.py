"""The memory message: within 2,000 characters and 15% of the window, whatever is remembered."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from souvenir.chat.budget import MEMORY_SHARE, Budget, Window
from souvenir.chat.snippet import snippet_of
from souvenir.chat.tokens import Tokens
from souvenir.config import load_settings
from souvenir.llm.recalled import LIMIT, Recalled, citation, render

pytestmark = pytest.mark.req("TURN-4", "TURN-10")

MARCH = datetime(2026, 3, 12, tzinfo=UTC)
PLAIN = load_settings({})
BUDGETS = {"counted": Budget(PLAIN, Tokens.load(PLAIN)), "estimated": Budget(PLAIN, Tokens(None))}
WORDS = st.sampled_from(
    ["ferry", "Naxos", "the", "<b>", "你好", "😀", "antidisestablishmentarianism", "\n", ".", "7:30"]
)
TEXT = st.lists(WORDS, max_size=150).map(" ".join) | st.text(max_size=300)
CATEGORY = st.sampled_from([None, "identity", "preference", "project", "context", "relationship"])
MEMORY = st.builds(
    Recalled, st.just(""), TEXT, st.sampled_from(["you", "Anna", "<x>"]), st.just(MARCH), CATEGORY, st.just("memory")
)


def compose(items: list[Recalled], question: str, window: Window, budget: Budget) -> tuple[list[Recalled], str]:
    """As a turn does it: fit, cite, write."""
    kept = budget.fit(items, window, lambda item: item)
    cited = [Recalled(citation(n), m.text, m.who, m.at, m.category, m.kind) for n, m in enumerate(kept, start=1)]
    return cited, snippet_of(cited, question, budget, window)


@pytest.mark.parametrize("how", BUDGETS)
@settings(max_examples=60)
@given(
    items=st.lists(MEMORY, max_size=25),
    size=st.integers(1000, 20_000),
    question=st.sampled_from(["", "When is the ferry?"]),
)
def test_all_that_was_kept_is_shown_within_both_limits(
    how: str, items: list[Recalled], size: int, question: str
) -> None:
    budget, window = BUDGETS[how], Window(size, known=True)
    cited, text = compose(items, question, window, budget)
    assert len(text) <= LIMIT
    assert all(f"\n{memory.citation} " in text for memory in cited)
    if cited:
        assert budget.count(text) <= size * MEMORY_SHARE


def test_a_small_window_shortens_texts_before_it_gives_any_up() -> None:
    items = [Recalled("", "The ferry to Naxos leaves at 7:30 from Piraeus. " * 12, "you", MARCH) for _ in range(4)]
    small, large = Window(2500, known=True), Window(100_000, known=True)
    budget = BUDGETS["counted"]
    few, short = compose(items, "When does the ferry leave?", small, budget)
    all_of_them, long = compose(items, "When does the ferry leave?", large, budget)
    assert len(few) == len(all_of_them) == 4
    assert len(short) < len(long) <= LIMIT
    assert budget.count(short) <= small.for_memory


def test_with_room_enough_it_is_the_block_as_it_is() -> None:
    memories = [Recalled("[M1]", "User prefers tea.", "you", MARCH, "preference", "memory")]
    assert snippet_of(memories, "tea?", BUDGETS["counted"], Window(8192, known=True)) == render(memories, "tea?")
