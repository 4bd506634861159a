"""Questions by their words alone: a noun that may be a topic, ranks, and otherwise nothing but words that ask.

Such a question is never certain: it counts only where a topic of just that noun is stored.
"""

import re

from souvenir.facts.asked import Asked, Question
from souvenir.facts.phrases import is_favorite, read_phrase, tokens
from souvenir.facts.ranks import LAST, cardinal, ordinal
from souvenir.patterns import lazy

_TOLD = lazy(r"\b(told you|tell you|spoken|talked|mentioned) about\b", re.IGNORECASE)
_MOST_WORDS = 22
_MOST_NOUN = 4
_FEW_WORDS = 6

_MINE = frozenset("my our mine i i've i'd".split())
_ASKS = frozenset(
    """what what's whats which who who's list show name give tell recite recall display repeat remind know remember say
    recap enumerate read run telling listing showing naming reminding giving how're what're where""".split()
)
_FILLERS = (
    frozenset(
        """is are was were be been being would could can will do did does have had has got the a an of on in at to
        for from
        as among amongst with that those these they them it its you u please pls kindly just again now so and then
        mind happen any idea i'm me us our we like love prefer liked enjoy most favor one ones list lists ranking
        order ordered full whole entire complete current currently said told mention mentioned listed named share
        shared ranked stated gave given
        given put placed rank ranks come comes came go goes stand stands sit sits place position spot slot number
        numbers
        item items stored saved noted down earlier before previously already ever all every each everything here there
        hey hi ok okay um thanks thank exactly actually really still also back out up over through off again once more
        quickly real quick very total right today personally by memory record file call called consider count
        considered supposed
        want need hear see get curious wondering wonder question keep keeping kept answer tell saying let lets
        let's if or between but well anyway was having make made makes choose chose chosen pick picked picks choice
        choices""".split()
    )
    | _ASKS
    | _MINE
)
_ENDS = {"tops": 1, "leads": 1, "heads": 1, "top": 1, "topmost": 1, "bottom": LAST, "last": LAST, "wins": 1}
_SIDES = {"top": 1, "first": 1, "last": -1, "bottom": -1, "final": -1}


def read_loose(text: str, *, asks: bool) -> Question | None:
    """What is asked for, as far as the words tell; None when there is a word too many."""
    words = tokens(_TOLD.sub(r"\1", text))
    favorite = any(map(is_favorite, words))
    mine = favorite or bool(_MINE & set(words))
    if len(words) > _MOST_WORDS or not (mine or (asks and len(words) <= _FEW_WORDS)):
        return None
    if not (asks or _ASKS & set(words[:4])):
        return None
    ranks, count, rest = _numbers(words)
    noun = _noun([word for word in rest if not is_favorite(word)])
    if noun is None or (not mine and not ranks):
        return None
    phrase = read_phrase(f"my {'favorite ' if favorite else ''}{' '.join(noun)}") if noun else None
    if phrase is None or phrase.topic is None or phrase.ranks or phrase.count is not None:
        return None
    several = phrase.many or bool({"list", "all", "favorites", "favourites", "faves", "favs"} & set(words))
    asked: Asked = "ranks" if ranks else "some" if count is not None else "list" if several else "single"
    return Question(asked, phrase.topic, ranks, None if ranks else count, sure=False)


def _numbers(words: list[str]) -> tuple[tuple[int, ...], int | None, list[str]]:
    """Ranks, or how many of the first or last, and the words without them."""
    ranks: list[int] = []
    count: int | None = None
    rest: list[str] = []
    place = 0
    while place < len(words):
        word, following = words[place], words[place + 1 : place + 3]
        number = cardinal(following[0]) if following else None
        if word in _SIDES and number is not None and following[0] != "one":
            count = _SIDES[word] * number
            place += 2
        elif word in {"number", "no", "#", "position", "rank", "place", "spot"} and number is not None:
            ranks.append(number)
            place += 2
        elif word in _ENDS:
            ranks.append(_ENDS[word])
            place += 1
        elif (rank := ordinal(word)) is not None:
            from_end = following == ["to", "last"]
            ranks.append(-rank if from_end else rank)
            place += 3 if from_end else 1 + (following[:1] == ["best"])
        else:
            rest.append(word)
            place += 1
    return tuple(ranks), count, rest


def _noun(words: list[str]) -> list[str] | None:
    """The words that ask nothing, when they stand together; None when they do not, or are too many."""
    places = [place for place, word in enumerate(words) if word not in _FILLERS]
    if not places or len(places) > _MOST_NOUN or places[-1] - places[0] != len(places) - 1:
        return None
    return [words[place] for place in places]
