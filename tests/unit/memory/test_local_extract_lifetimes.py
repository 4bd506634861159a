"""How long what was extracted lasts, seen from a Wednesday in June."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.local_extract.lifetimes import date_ahead, expiry
from souvenir.memory.port import Candidate, Utterance

AT = datetime(2024, 6, 12, 15, 30, tzinfo=UTC)


async def candidate(said: str, at: datetime = AT) -> Candidate:
    [found] = (await LocalExtractor().extract(Utterance("user", said, at), [], [])).candidates
    return found


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("due 2024-07-01", "2024-07-01"),
        ("on 12/5/2024", "2024-12-05"),
        ("on 25/12/2024", "2024-12-25"),
        ("on 5.12.2024", "2024-12-05"),
        ("am 5.12.", "2024-12-05"),
        ("on 7/4", "2024-07-04"),
        ("by December 5th, 2025", "2025-12-05"),
        ("on 5 December", "2024-12-05"),
        ("on the 5th of January", "2025-01-05"),
        ("on June 12", "2024-06-12"),
        ("on June 11", "2025-06-11"),
        ("Dec 2024", "2024-12-31"),
        ("in February 2028", "2028-02-29"),
        ("in July", "2024-07-31"),
        ("in May", "2025-05-31"),
        ("on Friday", "2024-06-14"),
        ("by next Friday", "2024-06-21"),
        ("this Wednesday", "2024-06-12"),
        ("tomorrow at 10", "2024-06-13"),
        ("in two weeks", "2024-06-26"),
        ("in a few days", "2024-06-15"),
        ("next week", "2024-06-23"),
        ("this month", "2024-06-30"),
        ("next month", "2024-07-31"),
        ("by the end of the year", "2024-12-31"),
        ("at the end of next quarter", "2024-09-30"),
        ("in Q3", "2024-09-30"),
        ("in Q1", "2025-03-31"),
        ("this fall", "2024-11-30"),
        ("before Christmas", "2024-12-25"),
        ("on the 20th", "2024-06-20"),
        ("by the 3rd", "2024-07-03"),
        ("by 2030", "2030-12-31"),
        ("am Freitag", "2024-06-14"),
        ("el viernes", "2024-06-14"),
        ("en juillet", "2024-07-31"),
        ("7月3日", "2024-07-03"),
    ],
)
def test_dates_lie_ahead(text: str, date: str) -> None:
    assert date_ahead(text, AT) == datetime.fromisoformat(date).replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["soon", "30 February", "version 1.2.3", "a month ago", "the sun", "may I ask", ""])
def test_what_is_no_date(text: str) -> None:
    assert date_ahead(text, AT) is None


@pytest.mark.req("LIFE-1")
def test_the_day_is_that_of_the_message() -> None:
    late = datetime(2024, 6, 12, 23, 30, tzinfo=timezone(timedelta(hours=-5)))  # already Thursday in UTC
    assert date_ahead("tomorrow", late) == datetime(2024, 6, 14, tzinfo=UTC)
    assert date_ahead("in November", datetime(2024, 12, 1, tzinfo=UTC)) == datetime(2025, 11, 30, tzinfo=UTC)
    assert date_ahead("on the 15th", datetime(2024, 12, 20, tzinfo=UTC)) == datetime(2025, 1, 15, tzinfo=UTC)
    assert date_ahead("next month", datetime(2024, 12, 20, tzinfo=UTC)) == datetime(2025, 1, 31, tzinfo=UTC)


@pytest.mark.req("LIFE-1")
def test_each_lifetime_has_its_end() -> None:
    assert expiry("preference", AT) is None
    assert expiry("contextual", AT) == AT + timedelta(days=7)
    assert expiry("temporary", AT) == AT + timedelta(days=1)
    assert expiry("deadline", AT, datetime(2024, 12, 31, tzinfo=UTC)) == datetime(2025, 1, 7, tzinfo=UTC)


@pytest.mark.req("LIFE-1")
@pytest.mark.parametrize(
    ("said", "lifetime", "ends"),
    [
        ("I live in Oslo", "preference", None),
        ("My birthday is on May 3rd", "preference", None),
        ("I was born in March", "preference", None),
        ("I need to submit the report by next Friday", "deadline", datetime(2024, 6, 28, tzinfo=UTC)),
        ("My thesis is due on June 30", "deadline", datetime(2024, 7, 7, tzinfo=UTC)),
        ("I'm working on a project with a deadline of July 1", "deadline", datetime(2024, 7, 8, tzinfo=UTC)),
        ("We're moving to Denver next month", "deadline", datetime(2024, 8, 7, tzinfo=UTC)),
        ("I'm looking for a new job", "contextual", AT + timedelta(days=7)),
        ("I'm planning to move to Spain", "contextual", AT + timedelta(days=7)),
        ("I'm tired", "temporary", AT + timedelta(days=1)),
    ],
)
async def test_what_is_said_decides_how_long_it_lasts(said: str, lifetime: str, ends: datetime | None) -> None:
    found = await candidate(said)
    assert (found.lifetime, found.expires_at) == (lifetime, ends)


async def test_something_to_be_done_by_no_day_is_not_kept() -> None:
    found = await candidate("I need to fix the fence before the party")
    assert found.importance < 7
