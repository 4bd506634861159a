"""The times a question speaks of, on a Wednesday in June."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.retrieval.times import TimeRange, time_ranges

NOW = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


def day(text: str) -> datetime:
    """A date with or without a time, or `MIN` or `MAX`."""
    limits = {"MIN": datetime.min.replace(tzinfo=UTC), "MAX": datetime.max.replace(tzinfo=UTC)}
    return limits[text] if text in limits else datetime.fromisoformat(text).replace(tzinfo=UTC)


def found(text: str, now: datetime = NOW) -> list[tuple[datetime, datetime]]:
    return [(each.start, each.end) for each in time_ranges(text, now)]


# sentence, then start and end of each range
SENTENCES = [
    # years, months and days with a year
    ("What did I do in 2022?", "2022-01-01 2023-01-01"),
    ("In the year 2019, where did we live?", "2019-01-01 2020-01-01"),
    ("What was the highlight of 2021?", "2021-01-01 2022-01-01"),
    ("Who came on my 2019 trip to Rome?", "2019-01-01 2020-01-01"),
    ("In 2020 people stayed at home; did I?", "2020-01-01 2021-01-01"),
    ("What happened in May 2021?", "2021-05-01 2021-06-01"),
    ("and in may 2021?", "2021-05-01 2021-06-01"),
    ("WHAT HAPPENED IN MAY 2021", "2021-05-01 2021-06-01"),
    ("In May, 2021, I moved. Where to?", "2021-05-01 2021-06-01"),
    ("Which talk did I give in Jan. 2022?", "2022-01-01 2022-02-01"),
    ("What of February 2022's trip?", "2022-02-01 2022-03-01"),
    ("Who was there on May 8, 2022?", "2022-05-08 2022-05-09"),
    ("Who was there on May 8th 2022?", "2022-05-08 2022-05-09"),
    ("Who was there on 8 May 2022?", "2022-05-08 2022-05-09"),
    ("Who was there on the 8th of May, 2022?", "2022-05-08 2022-05-09"),
    ("On Sunday, May 8, 2022, who was there?", "2022-05-08 2022-05-09"),
    ("What is logged under 2022-05-08?", "2022-05-08 2022-05-09"),
    ("What is logged at 2022-05-08T10:00:00Z?", "2022-05-08 2022-05-09"),
    ("Show me the invoices of 05/2022", "2022-05-01 2022-06-01"),
    ("Show me the invoices of 2022-05", "2022-05-01 2022-06-01"),
    # the latest one, where no year is named
    ("Who was there on the 8th of May?", "2023-05-08 2023-05-09"),
    ("Who called on May 8?", "2023-05-08 2023-05-09"),
    ("Who called on Sept. 8?", "2022-09-08 2022-09-09"),
    ("Who called on June 14?", "2023-06-14 2023-06-15"),
    ("Who called on June 15?", "2022-06-15 2022-06-16"),
    ("May the 4th, what was that?", "2023-05-04 2023-05-05"),
    ("Did I propose on Feb 29?", "2020-02-29 2020-03-01"),
    ("what about may 8", "2023-05-08 2023-05-09"),
    ("Where was I last May?", "2023-05-01 2023-06-01"),
    ("Where was I in May?", "2023-05-01 2023-06-01"),
    ("where was i in march?", "2023-03-01 2023-04-01"),
    ("Where was I in June?", "2023-06-01 2023-07-01"),
    ("Where was I in July?", "2022-07-01 2022-08-01"),
    ("Who led the November meeting?", "2022-11-01 2022-12-01"),
    ("How many came this May?", "2023-05-01 2023-06-01"),
    ("In March 40 people came; who?", "2023-03-01 2023-04-01"),
    # relative to now
    ("What did I eat last week?", "2023-06-05 2023-06-12"),
    ("What did I eat last month?", "2023-05-01 2023-06-01"),
    ("What did I eat LAST YEAR?", "2022-01-01 2023-01-01"),
    ("What came up in last week's call?", "2023-06-05 2023-06-12"),
    ("And last quarter?", "2023-01-01 2023-04-01"),
    ("Where did we hike last weekend?", "2023-06-10 2023-06-12"),
    ("What is due this week?", "2023-06-12 2023-06-19"),
    ("What is due this month?", "2023-06-01 2023-07-01"),
    ("What is due this year?", "2023-01-01 2024-01-01"),
    ("What did I say yesterday?", "2023-06-13 2023-06-14"),
    ("What did I say today?", "2023-06-14 2023-06-15"),
    ("What did I say this morning?", "2023-06-14 2023-06-15"),
    ("What did I dream last night?", "2023-06-13T12:00 2023-06-14T12:00"),
    ("What did I say the day before yesterday?", "2023-06-12 2023-06-13"),
    ("Whom did I meet two weeks ago?", "2023-05-28 2023-06-04"),
    ("Whom did I meet 3 days ago?", "2023-06-11 2023-06-12"),
    ("Whom did I meet a month ago?", "2023-04-29 2023-05-30"),
    ("Whom did I meet 2 years ago?", "2020-12-14 2021-12-14"),
    ("Whom did I meet a few weeks ago?", "2023-04-30 2023-06-04"),
    ("Whom did I meet a couple of days ago?", "2023-06-11 2023-06-13"),
    ("What did I ask an hour ago?", "2023-06-14T14:00 2023-06-14T15:00"),
    ("What did I read in the last two weeks?", "2023-05-31 2023-06-15"),
    ("What did I read over the past month?", "2023-05-14 2023-06-15"),
    ("Whom did I call last Friday?", "2023-06-09 2023-06-10"),
    ("Whom did I call last Wednesday?", "2023-06-07 2023-06-08"),
    ("Whom did I call on Monday?", "2023-06-12 2023-06-13"),
    ("Whom did I call on Wednesday?", "2023-06-14 2023-06-15"),
    # seasons, quarters, holidays, decades
    ("Where did we go last summer?", "2022-06-01 2022-09-01"),
    ("Where did we go last winter?", "2022-12-01 2023-03-01"),
    ("Where did we go in the summer of 2021?", "2021-06-01 2021-09-01"),
    ("Where did we go in the fall?", "2022-09-01 2022-12-01"),
    ("What was revenue in Q1 2024?", "2024-01-01 2024-04-01"),
    ("What was revenue in Q2?", "2023-04-01 2023-07-01"),
    ("Who visited at Christmas 2021?", "2021-12-24 2021-12-27"),
    ("What did I get for Christmas?", "2022-12-24 2022-12-27"),
    ("Which bands of the 1990s do I like?", "1990-01-01 2000-01-01"),
    # parts
    ("What broke in early May 2022?", "2022-05-01 2022-05-11"),
    ("What broke in mid-May 2022?", "2022-05-11 2022-05-21"),
    ("What broke in late May 2022?", "2022-05-21 2022-06-01"),
    ("What broke at the end of last year?", "2022-09-01 2023-01-01"),
    ("What broke in the first week of May 2022?", "2022-05-01 2022-05-08"),
    ("What broke the week before May 8, 2022?", "2022-05-01 2022-05-08"),
    ("What broke two days before Christmas 2022?", "2022-12-22 2022-12-23"),
    # between two
    ("What did I buy between March and May 2022?", "2022-03-01 2022-06-01"),
    ("What did I buy between November and February 2022?", "2021-11-01 2022-03-01"),
    ("Where was I from 3 May to 10 May 2022?", "2022-05-03 2022-05-11"),
    ("Where was I between the 3rd and the 10th of May 2022?", "2022-05-03 2022-05-11"),
    ("Where was I March 3 – March 10, 2022?", "2022-03-03 2022-03-11"),  # noqa: RUF001 - a dash, as people type it
    ("Where was I from 2019 to 2021?", "2019-01-01 2022-01-01"),
    ("Where was I from Monday to Friday?", "2023-06-05 2023-06-10"),
    ("Where was I in May and June 2022?", "2022-05-01 2022-06-01 2022-06-01 2022-07-01"),
    ("Compare last month with 2021-03.", "2023-05-01 2023-06-01 2021-03-01 2021-04-01"),
    ("Yesterday, I mean yesterday?", "2023-06-13 2023-06-14"),
    # open-ended
    ("What changed since March?", "2023-03-01 MAX"),
    ("What changed since last summer?", "2022-06-01 MAX"),
    ("What changed since the day before yesterday?", "2023-06-12 MAX"),
    ("What changed after 2021?", "2022-01-01 MAX"),
    ("What changed after May 8?", "2023-05-09 MAX"),
    ("What was true before June 2022?", "MIN 2022-06-01"),
    ("What was true until yesterday?", "MIN 2023-06-14"),
    ("How many days before May 8 did I book?", "MIN 2023-05-08"),
    # other languages
    ("Was habe ich gestern gesagt?", "2023-06-13 2023-06-14"),
    ("Wo war ich am 8. Mai 2022?", "2022-05-08 2022-05-09"),
    ("Wo war ich im März?", "2023-03-01 2023-04-01"),
    ("¿Qué comí ayer?", "2023-06-13 2023-06-14"),
    ("¿Dónde estuve el 8 de mayo de 2022?", "2022-05-08 2022-05-09"),
    ("Qu'est-ce que j'ai mangé hier ?", "2023-06-13 2023-06-14"),
    ("Où étais-je en août 2022 ?", "2022-08-01 2022-09-01"),
]

TRAPS = [
    "", "What is the name of my dog?", "May I ask you something?", "may i ask you something?", "March on!",
    "They march on Rome.", "This may be true.", "The state I'm in may be bad.", "Of the 3 may be one.",
    "The last may have been better.", "What did May say to April about June?", "Is Jan coming?", "Mr. March called.",
    "Give me a second.", "the second one", "A May-December romance", "may 8 people come?", "They march 8 miles.",
    "Does Python 3.11 have it?", "What does HTTP 404 mean?", "a 1920x1080 screen", "I owe 2000 euros.",
    "Can I live on 2000 dollars?", "in 2000 words", "the 2000 word essay", "for 2000 years", "$2000", "version 2023.1",
    "I live at 2023 Main Street.",
    "Is 2023 prime?", "Feb 30", "on 31 April 2023", "2023-13-40", "2023-02-30", "13/2023",
    "12/25/2022", "next May", "next Friday", "every Monday", "on Mondays", "on Black Friday", "What is my last name?",
    "once a week", "How many days ago?", "in 3 days", "my birthday", "Sum 1 to 31", "quarter past ten", "the past",
    "Was ist hier passiert?", "the last day", "9999 years ago", "from 10 May 2022 to 3 May 2022", "a fall",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_a_sentence_speaks_of_these_times(text: str, expected: str) -> None:
    limits = [day(part) for part in expected.split()]
    assert found(text) == list(zip(limits[::2], limits[1::2], strict=True))


@pytest.mark.parametrize("text", TRAPS)
def test_a_trap_speaks_of_no_time(text: str) -> None:
    assert found(text) == []


def test_a_range_is_a_value_in_utc_whatever_zone_now_is_in() -> None:
    auckland = timezone(timedelta(hours=12))
    now = datetime(2023, 6, 15, 3, 30, tzinfo=auckland)
    assert time_ranges("today", now) == (TimeRange(day("2023-06-14"), day("2023-06-15")),)


def test_a_month_that_has_just_begun_is_the_latest() -> None:
    assert found("in June", day("2023-06-01")) == [(day("2023-06-01"), day("2023-07-01"))]
    assert found("in June", day("2023-05-31T23:59")) == [(day("2022-06-01"), day("2022-07-01"))]


def test_the_same_day_of_a_shorter_month_is_its_last() -> None:
    assert found("the past month", day("2023-03-31")) == [(day("2023-02-28"), day("2023-04-01"))]


WORDS = """
    may May march March last this next week month year day ago in on of the from to between and since before after
    until early mid-May 8 31 30 2 2023 1999 2023-05-08 05/2023 0 00 Feb 29 8th 99th 1990s Q1 Q4 Christmas summer winter
    Monday yesterday two few couple a 999 , . ? night weekend first hier
""".split()  # noqa: SIM905


@given(st.text() | st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.dates(date(1971, 1, 1)))
def test_no_text_breaks_it_and_every_range_begins_before_it_ends(text: str, today: date) -> None:
    for start, end in found(text, datetime(today.year, today.month, today.day, 12, tzinfo=UTC)):
        assert start < end
        assert start.tzinfo is end.tzinfo is UTC


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    st.sampled_from(["{d} {m} {y}", "{m} {d}, {y}", "{y}-{n:02}-{d:02}", "{d} of {a} {y}"]),
)
def test_a_day_with_its_year_is_that_day_whenever_it_is_asked(when: date, form: str) -> None:
    name = MONTHS[when.month - 1]
    text = form.format(d=when.day, m=name, a=name[:3], n=when.month, y=when.year)
    start = datetime(when.year, when.month, when.day, tzinfo=UTC)
    assert found(f"What did we do on {text}?") == [(start, start + timedelta(days=1))]


@given(st.dates(date(1980, 1, 1), date(2090, 1, 1)), st.integers(0, 11))
def test_a_month_without_a_year_is_the_latest_that_has_begun(today: date, month: int) -> None:
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    [(start, end)] = found(f"What did we do in {MONTHS[month]}?", now)
    assert start.month == month + 1
    assert start <= now < start.replace(year=start.year + 1)
    assert timedelta(days=28) <= end - start <= timedelta(days=31)


def test_a_pasted_page_is_read_no_further_than_its_beginning() -> None:
    assert found("x" * 5000 + " yesterday") == []
