"""What people say to one another: much of it is understood only by who heard what came before, or is said of "us"."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.local_resolve import LocalResolver
from souvenir.memory.port import Candidate, Known, Utterance

AT = datetime(2026, 3, 1, tzinfo=UTC)


def kept(text: str) -> list[str]:
    found = asyncio.run(LocalExtractor().extract(Utterance("user", text, AT), (), ())).candidates
    return [one.content for one in found if one.importance >= 7 and one.confidence >= 0.7]


@pytest.mark.parametrize(
    "text",
    [
        "They built the whole set by hand, and I love their work.",
        "I love his voice.",
        "I love escaping to that place.",
        "I have a shelf of records that take me there.",
        "I loved doing something similar with my brothers.",
        "We trust and rely on one another.",
        "We have played together for quite some time.",
        "I believe in us!",
        "We hang out a lot.",
        "I'm happy that I could share it and help out.",
        "I've been working on a project lately.",
        "I'm sure people will remember you and love the film even more.",
    ],
)
def test_what_cannot_stand_alone_is_not_kept(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My sister plays her own songs.", "User's sister plays her own songs"),
        ("I love stories that tackle hard questions.", "User loves stories that tackle hard questions"),
        ("We're all vegetarian.", "User is vegetarian"),
        ("We're both nurses.", "User is a nurse"),
        ("I eat out a lot.", "User eats out a lot"),
        ("I'm working on a project about bees.", "User is working on a project about bees"),
        ("I play chess together with my brother.", "User plays chess together with their brother"),
        ("I can swim and I love the sea.", "User loves the sea"),
    ],
)
def test_what_stands_alone_is_kept(text: str, said: str) -> None:
    assert said in kept(text)


@pytest.mark.parametrize(
    ("old", "new", "action"),
    [
        ("User loves owls", "User has always liked owls", "ignore"),
        ("User has always liked owls", "User loves owls", "ignore"),
        ("User has always loved owls", "User hates owls", "replace"),
        ("User started their own flower shop not so long ago", "User opened a flower shop", "ignore"),
        ("User is working on their thesis", "User has been working hard on their thesis", "ignore"),
        ("User opened a flower shop", "User opened a bank account", "add"),
        ("User started a flower shop", "User starts at 9", "add"),
    ],
)
def test_the_same_in_other_words_is_known(old: str, new: str, action: str) -> None:
    known = Known("old", old, "context", AT)
    candidate = Candidate(new, "context", 8, 0.9, "", "preference")
    decision = asyncio.run(LocalResolver().resolve(candidate, None, AT + timedelta(days=1), [known]))
    assert decision.action == action
