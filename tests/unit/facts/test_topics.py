"""A topic has one key whichever way it is said, and no two topics share one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.facts.nouns import several, singular
from souvenir.facts.phrases import read_phrase, read_topic
from souvenir.facts.topics import label

SEED = {
    "favorite_colors": "colors, favorite color, Favourite Colours, fav colours, my favs colors, top color",
    "favorite_cryptos": "crypto, cryptos, favorite cryptocurrency, favorite cryptocurrencies, fav crypto coins",
    "favorite_tv": "tv, tv shows, favorite TV show, favourite television series, shows, favorite television",
    "favorite_candies": "candy, candies, favorite candy, favourite sweets",
}
SAME = [
    ("favorite cities", "my favourite city"),
    ("top cities", "favorite city"),
    ("favorite people", "favorite person"),
    ("favorite knives", "favorite knife"),
    ("favorite theatres", "favorite theater"),
    ("fav movies", "favorite movie"),
    ("favorite analyses", "favorite analysis"),
    ("favorite superheroes", "fav superhero"),
    ("favorite buses", "favorite bus"),
    ("favorite sci-fi books", "favorite sci fi book"),
    ("favorite movie of all time", "favorite movies"),
    ("my list of favorite cities", "favorite cities list"),
    ("all-time favorite songs", "favorite song"),
    ("favorite programmes", "favorite program"),
    ("preferred editors", "favorite editor"),
    ("favorite geese", "favorite goose"),
]
DIFFERENT = [
    ("favorite colors", "least favorite colors"),
    ("favorite colors", "favorite hair colors"),
    ("favorite C", "favorite C++"),
    ("favorite C# libraries", "favorite C++ libraries"),
    ("my favorite songs", "my wife's favorite songs"),
    ("my favorite songs", "our favorite songs"),
    ("favorite universities", "favorite universes"),
    ("favorite candies", "favorite candy bars"),
    ("favorite cryptos", "favorite coins"),
    ("favorite tv", "favorite series"),
    ("favorite places in Rome", "favorite places"),
    ("favorite buses", "favorite busses of Rome"),
    ("favorite glass", "favorite grass"),
    ("favorite news", "favorite newts"),
]


@pytest.mark.req("FACT-1")
@pytest.mark.parametrize("key", SEED)
def test_the_seeds_four_topics_have_their_keys_by_all_their_names(key: str) -> None:
    for name in (key, *SEED[key].split(", ")):
        topic = read_topic(name)
        assert topic is not None, name
        assert topic.key == key, name


@pytest.mark.req("FACT-1")
@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_topic_said_in_two_ways_has_one_key(one: str, other: str) -> None:
    first, second = read_topic(one), read_topic(other)
    assert first is not None
    assert second is not None
    assert first.key == second.key


@pytest.mark.req("FACT-4")
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_topics_have_two_keys(one: str, other: str) -> None:
    first, second = read_topic(one), read_topic(other)
    assert first is not None
    assert second is not None
    assert not set(first.keys) & set(second.keys)


def test_a_bare_topic_may_be_the_favorite_one_but_not_the_other_way_round() -> None:
    bare, favorite, top = (read_topic(name) for name in ("goals", "favorite goals", "top goals"))
    assert bare is not None
    assert favorite is not None
    assert top is not None
    assert bare.keys == ("goals", "favorite_goals")
    assert favorite.keys == ("favorite_goals",)
    assert top.keys == ("favorite_goals", "goals")


@pytest.mark.parametrize("name", ["", "   ", "_", "!?", "🙂", "x" * 201])
def test_what_names_nothing_is_no_topic(name: str) -> None:
    assert read_topic(name) is None


@pytest.mark.parametrize(
    ("key", "one", "several"),
    [
        ("favorite_colors", "favorite color", "favorite colors"),
        ("favorite_tv", "favorite TV show", "favorite TV shows"),
        ("wife_favorite_cities", "wife's favorite city", "wife's favorite cities"),
        ("kids_favorite_movies", "kids' favorite movie", "kids' favorite movies"),
        ("least_favorite_foods", "least favorite food", "least favorite foods"),
        ("favorite_things_about_paris", "favorite thing about paris", "favorite things about paris"),
        ("goals", "goal", "goals"),
        ("our_favorite_restaurants", "favorite restaurant", "favorite restaurants"),
    ],
)
def test_a_key_is_told_as_people_say_it(key: str, one: str, several: str) -> None:
    assert (label(key, many=False), label(key, many=True)) == (one, several)


@pytest.mark.parametrize(
    ("said", "ranks", "count"),
    [
        ("my second favorite color", (2,), None),
        ("my 2nd favourite colour", (2,), None),
        ("#2 favorite color", (2,), None),
        ("my number two favorite color", (2,), None),
        ("my favorite color number 2", (2,), None),
        ("my twenty-first favorite color", (21,), None),
        ("my first and third favorite colors", (1, 3), None),
        ("my last favorite color", (-1,), None),
        ("my second to last favorite color", (-2,), None),
        ("my top 2 favorite colors", (), 2),
        ("my three favorite colors", (), 3),
        ("my last two favorite colors", (), -2),
        ("my favorite colors", (), None),
    ],
)
def test_ranks_and_counts_are_read_off_a_phrase(said: str, ranks: tuple[int, ...], count: int | None) -> None:
    phrase = read_phrase(said)
    assert phrase is not None
    assert phrase.topic is not None
    assert (phrase.topic.key, phrase.ranks, phrase.count) == ("favorite_colors", ranks, count)


@pytest.mark.parametrize("said", ["your favorite color", "his favorite color", "my favorite color is blue"])
def test_somebody_elses_and_whole_clauses_are_no_phrases_of_ours(said: str) -> None:
    assert read_phrase(said) is None


NOUNS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=12)


@given(NOUNS)
def test_singular_and_plural_of_any_noun_are_one_noun(noun: str) -> None:
    assert several(singular(noun)) == several(noun)
    assert several(several(noun)) == several(noun)


@given(st.lists(NOUNS, min_size=1, max_size=3), st.booleans())
def test_a_key_is_the_key_of_itself(words: list[str], favorite: bool) -> None:
    topic = read_topic(" ".join((["favorite"] if favorite else []) + words))
    if topic is not None:
        again = read_topic(topic.key)
        assert again is not None
        assert again.key == topic.key


@given(st.text(max_size=250))
def test_any_text_can_be_asked_for_as_a_topic(text: str) -> None:
    topic = read_topic(text)
    assert topic is None or (topic.key and "\x00" not in topic.key)
