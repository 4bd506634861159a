"""What a new sentence does to known ones when rules decide: which is replaced, repeated, kept beside it, left alone."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from souvenir.memory.local_resolve import LocalResolver
from souvenir.memory.local_resolve.similar import threshold_of
from souvenir.memory.local_resolve.slots import read
from souvenir.memory.port import Candidate, Decision, Known

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RESOLVER = LocalResolver()


def decide(new: str, *old: str | Known, at: datetime = NOW, vector: np.ndarray | None = None) -> Decision:
    """The decision on a sentence said now; what is known was said a day ago, unless it says otherwise."""
    known = [each if isinstance(each, Known) else said(each, number) for number, each in enumerate(old)]
    candidate = Candidate(new, "context", 8, 0.9, "", "preference")
    return asyncio.run(RESOLVER.resolve(candidate, vector, at, known))


def said(content: str, number: int = 0, at: datetime = NOW - timedelta(days=1)) -> Known:
    return Known(f"m{number}", content, "context", at)


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    ("old", "new", "action"),
    [
        ("User lives in NY", "User moved to LA", "replace"),
        ("User likes JS", "User likes TypeScript", "replace"),
        ("User uses Node", "User uses Bun", "replace"),
        ("User uses Bun", "User switched from Bun to Node", "replace"),
        ("User likes coffee", "User hates coffee", "replace"),
        ("User has a dog", "User has a dog named Rex", "replace"),
        ("User drinks coffee", "User no longer drinks coffee", "replace"),
        ("User is a software engineer using Bun.", "User is a dev", "ignore"),
        ("User prefers dark theme", "User likes dark mode", "ignore"),
        ("User's wife is named Jane", "My wife is Jane", "add"),
        ("User likes Bun", "User prefers TypeScript", "add"),
    ],
)
def test_the_examples_of_the_specification(old: str, new: str, action: str) -> None:
    assert decide(new, old).action == action


@pytest.mark.parametrize(
    ("sentence", "subject", "slot", "terms", "negative", "single"),
    [
        ("User lives in Berlin", ("user",), "residence", {"berlin"}, False, True),
        ("User moved to LA.", ("user",), "residence", {"los angeles"}, False, True),
        ("User's wife is named Jane", ("user",), "spouse", {"jane"}, False, True),
        ("User's sister Anna lives in Oslo", ("user", "sister"), "residence", {"oslo"}, False, True),
        ("The capital of Germany is Berlin", ("",), "attr capit germani", {"berlin"}, False, True),
        ("User no longer drinks coffee", ("user",), "drink", {"coffe"}, True, False),
        ("User has a dog named Rex", ("user",), "have", {"dog"}, False, False),
        ("User's deadline for the thesis is May 3", ("user",), "attr deadlin thesi", {"may", "3"}, False, True),
        ("User's favourite editor is Vim", ("user",), "attr editor favourit", {"vim"}, False, True),
        ("User works as a nurse at Charité", ("user",), "title", {"nurs"}, False, True),
        ("User is 34 years old", ("user",), "age", {"34"}, False, True),
        ("User is allergic to peanuts", ("user",), "allergy", {"peanut"}, False, False),
        ("Acme was founded by Joe Wile", ("acm",), "founded by", {"joe wile"}, False, True),
        ("Der Nutzer wohnt in München", ("user",), "residence", {"munchen"}, False, True),
        ("Al usuario no le gusta el café", ("user",), "like", {"cafe"}, True, False),
        ("L'utilisateur a 31 ans", ("user",), "age", {"31"}, False, True),
        ("用户住在上海。", ("user",), "residence", {"上海"}, False, True),
    ],
)
def test_a_sentence_is_read_into_subject_slot_and_value(
    sentence: str, subject: tuple[str, ...], slot: str, terms: set[str], negative: bool, single: bool
) -> None:
    frame = read(sentence).frames[0]
    assert (frame.subject.path, frame.slot) == (subject, slot)
    assert frame.items[0].terms == frozenset(terms)
    assert (frame.negative, frame.single) == (negative, single)


def test_what_is_wished_planned_or_over_fills_no_present_slot() -> None:
    for sentence in ("User wants to live in Rome", "User might move to Rome", "User lived in Rome as a child"):
        assert decide(sentence, "User lives in Berlin").action == "add"


def test_an_older_contradiction_is_ignored_and_says_why() -> None:
    newer = said("User lives in Munich", at=NOW + timedelta(minutes=1))
    decision = decide("User lives in Berlin", newer)
    assert (decision.action, decision.target) == ("ignore", "m0")
    assert "later" in decision.reason


@pytest.mark.req("LIFE-5")
def test_two_sides_of_one_moment_stay_open() -> None:
    decision = decide("User hates coffee", said("User likes coffee", at=NOW))
    assert (decision.action, decision.undecided, decision.target) == ("add", True, "m0")


def test_a_refinement_of_the_same_moment_is_added() -> None:
    decision = decide("User has a dog named Rex", said("User has a dog", at=NOW))
    assert (decision.action, decision.undecided) == ("add", False)


@pytest.mark.req("LIFE-5")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Berlin and Paris", "User lives in London"),
        ("User lives in Berlin", "User probably lives in London"),
        ("User lives in Berlin and works at Siemens", "User moved to Munich"),
        ("User uses Vim", "User uses VS Code"),
        ("User's sister lives in Oslo", "User's sister Anna lives in Bergen"),
        ("User drinks coffee and tea", "User no longer drinks coffee"),
        ("User's meeting is on Monday", "User's meeting is on May 3"),
        ("User is a citizen of France", "User is a citizen of Peru"),
        ("User's friend lives in Paris", "User's friend lives in Rome"),
        ("User's deadline for the report is tomorrow", "User's deadline for the report is Friday"),
        ("User works at Google", "User works at the library on weekends"),
        ("User is an accountant", "User is a certified yoga instructor"),
    ],
)
def test_a_contradiction_in_which_both_may_hold_stays_open(old: str, new: str) -> None:
    decision = decide(new, old)
    assert (decision.action, decision.undecided, decision.target) == ("add", True, "m0")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Berlin", "User also lives in Paris during the summer"),
        ("User's sister Anna lives in Oslo", "User's sister Maria lives in Bergen"),
        ("User lives in Berlin", "Anna lives in Munich"),
        ("User likes meat", "User does not like red meat"),
        ("User has an exam on May 3", "User has an exam on May 10"),
        ("User was born in 1985", "User's birthday is in May"),
        ("User is a nurse", "User is a former teacher"),
        ("User runs every morning", "User runs a bakery"),
        ("User likes coffee ice cream", "User does not like coffee"),
        ("User is working as an analyst at Spotify", "User switched from Spotify to Tidal"),
        ("User has a Tesla", "User resigned from Tesla"),
        ("User is a member of a tennis club", "User left Google"),
        ("User lives in a house with a garden", "User lives alone"),
    ],
)
def test_what_does_not_contradict_is_added_and_not_called_open(old: str, new: str) -> None:
    decision = decide(new, old)
    assert (decision.action, decision.undecided) == ("add", False)


def test_of_several_known_sentences_the_one_it_is_about_is_the_target() -> None:
    known = ("User has a dog", "User works in Berlin", "User's sister lives in Berlin", "User lives in Berlin")
    assert decide("User moved to Munich", *known).target == "m3"
    assert decide("User's sister moved to Munich", *known).target == "m2"


def test_what_is_known_already_is_ignored_before_anything_is_replaced() -> None:
    decision = decide("User lives in Munich", "User lives in Berlin", "User lives in Munich")
    assert (decision.action, decision.target) == ("ignore", "m1")


def test_a_contradiction_goes_before_a_refinement() -> None:
    decision = decide("User moved to Berlin, Germany", "User lives in Germany", "User lives in Paris")
    assert (decision.action, decision.target) == ("replace", "m1")


def test_vectors_find_what_means_the_same_in_other_words() -> None:
    old = Known("m0", "User goes to the gym often", "context", NOW - timedelta(days=1), unit(1, 0.1))
    assert decide("User works out at the gym a lot", old, vector=unit(1, 0.12)).action == "ignore"
    assert decide("User works out at the gym a lot", old, vector=unit(0.1, 1)).action == "add"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User walked the dog on Monday", "User walked the dog on Friday"),
        ("User has met Anna before", "User has met Maria before"),
        ("User paid 20 euros for lunch", "User paid 40 euros for lunch"),
        ("User's wife fixed the sink", "User's sister fixed the sink"),
        ("User was there without a map", "User was there with a map"),
    ],
)
def test_no_cosine_makes_other_names_numbers_days_or_people_the_same(old: str, new: str) -> None:
    known = Known("m0", old, "context", NOW - timedelta(days=1), unit(1, 1))
    assert decide(new, known, vector=unit(1, 1)).action == "add"


def test_vectors_of_another_model_are_not_compared() -> None:
    known = Known("m0", "User goes to the gym often", "context", NOW - timedelta(days=1), unit(1, 0))
    assert decide("User works out at the gym a lot", known, vector=unit(1, 0, 0)).action == "add"


def test_every_model_has_a_threshold() -> None:
    assert threshold_of("text-embedding-3-small") == 0.85
    assert threshold_of("all-MiniLM-L6-v2") > 0.9
    assert threshold_of("some-other-model") == threshold_of(None) == 0.9


def test_slots_are_trusted_more_than_vectors() -> None:
    known = [
        Known("m0", "Corvane was founded by Quill Harbor", "context", NOW - timedelta(days=1), unit(1, 0)),
        Known("m1", "Corvane was created in the country of Peru", "context", NOW - timedelta(days=1), unit(1, 0.1)),
    ]
    decision = decide("Corvane was created in the country of Quill Harbor", *known, vector=unit(1, 0))
    assert (decision.action, decision.target) == ("replace", "m1")


def test_the_first_of_two_equal_targets_is_taken() -> None:
    assert decide("User lives in Rome", "User lives in Berlin", "User lives in Paris").target == "m0"


# properties

_PIECES = """
    User User's the The no longer not lives in Berlin and , works at Google is was has a dog named Rex 34 May 3 likes
    drinks coffee wife sister of capital Germany moved to from switched instead now used every day $ % ' " ? Der Nutzer
    wohnt usuario El L'utilisateur habite à 用户 住在 的 year-old 4-year-old 5-year-old ² 10,000 @ : ; ( ) ex- or Die
    Frau des Nutzers heißt gusta Al ne plus pas boit 不 喜欢 是 user's favourite deadline for who died quit gave up
"""
_WORDS = st.sampled_from(_PIECES.split())
_SENTENCES = st.lists(_WORDS, max_size=12).map(" ".join) | st.text(max_size=60)
_TIMES = st.integers(-2, 2).map(lambda days: NOW + timedelta(days=days))
_VECTORS = st.none() | st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=3).map(
    lambda values: np.array(values, dtype=np.float32)
)
_KNOWN = st.lists(st.tuples(_SENTENCES, _TIMES, _VECTORS), max_size=5).map(
    lambda rows: [Known(f"m{at}", text, "context", when, vector) for at, (text, when, vector) in enumerate(rows)]
)


@given(_SENTENCES, _VECTORS, _KNOWN)
@settings(max_examples=400, deadline=None)
def test_a_decision_keeps_the_contract_whatever_is_said(
    new: str, vector: np.ndarray | None, known: Sequence[Known]
) -> None:
    decision = decide(new, *known, vector=vector)
    target = next((memory for memory in known if memory.memory_id == decision.target), None)
    assert (decision.target is None) == (target is None)
    assert decision.reason
    if decision.action == "replace":
        assert target is not None
        assert target.at < NOW
    if decision.action == "ignore":
        assert target is not None
    if decision.undecided:
        assert decision.action == "add"
    assert decide(new, *known, vector=vector) == decision


@given(_SENTENCES, _TIMES)
@settings(max_examples=300, deadline=None)
def test_a_sentence_repeats_itself(sentence: str, at: datetime) -> None:
    decision = decide(sentence, said(sentence, at=at))
    assert (decision.action, decision.target) == ("ignore", "m0")
