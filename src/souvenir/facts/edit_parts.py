"""Pieces of a sentence that changes a list: the item, the list and the place it names."""

import re

from souvenir.facts.lists import clean
from souvenir.facts.operations import Item, Move, Operation, Place, Tell
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.places import place_of, with_place
from souvenir.facts.ranks import cardinal
from souvenir.facts.topics import Topic
from souvenir.facts.wording import one_of
from souvenir.patterns import lazy

_CORRECTED = lazy(
    r"(?P<rank>(?:the\s+|my\s+)?(?:number\s+\w+|#\d+|\w+)(?:\s+(?:one|place|spot))?)\s+(?P<verb>is|should be|must "
    r"be|has to be|ought to be|goes to|belongs to|should go to)\s+(?:now\s+)?(?P<value>\S+(?:\s\S+){0,3})",
    re.IGNORECASE,
)
NO_CORRECTION = lazy(
    one_of(
        r"""ok, okay, fine, good, great, bad, nice, me, you, him, her, us, them, not, no, yes, too, so, very, just,
        only,
        my, your, his, their, our, the, a, an, that, this, about, for, in, on, at, to, from, with, what, how, why, when,
        where, if, because, all, more, less, better, worse, still, never, always, raining, cold, hot, late, early,
        time, done, (?:mon|tues|wednes|thurs|fri|satur|sun)day, january, february, march, april, may, june, july,
        august,
        september, october, november, december, today, tomorrow, yesterday, midnight, noon, \d.*, over, right,
        wrong, true, false, easy, hard, up, down, \w+ing, \w+ed, broken, hopeless, impossible"""
    )
    + r"\b",
    re.IGNORECASE,
)
_LIST = lazy(r"(?:my|our|the|that|this)\s+[^,;:]+|it|them|there|mine", re.IGNORECASE)
_SIDES = lazy(r"\s(?:after|before|above|below|behind|ahead of)\s", re.IGNORECASE)
_BELOW = frozenset({"after", "below", "behind", "beneath", "under"})
INSTEAD = lazy(
    r"(?P<new>.+?)\s+(?:in\s+)?(?:instead of|rather than|in place of|in lieu of|not)\s+(?P<old>.+)", re.IGNORECASE
)
_LINKS = "to|into|onto|in|on|from|of|off|among|within"


def read_value_at_rank(body: str, *, polite: bool) -> Operation | None:
    """`no, number 2 is Lisbon`, `the second one should be Lisbon`."""
    match = _CORRECTED.fullmatch(body)
    if match is not None and match["verb"].lower() == "is" and not polite:
        return None
    if match is not None and match["verb"].lower() != "is" and NO_CORRECTION.match(match["value"]):
        return None
    said = re.sub(r"\s+(?:place|spot)$", "", match["rank"], flags=re.IGNORECASE) if match is not None else ""
    phrase = read_phrase(said) if match is not None else None
    if match is None or phrase is None or phrase.topic is not None or len(phrase.ranks) != 1:
        return None
    return Place(None, False, phrase.ranks[0], clean(match["value"]))


def value_for(phrase: Phrase, value: str) -> Operation | None:
    """What a value does that a phrase is given: at its rank, or as the single fact."""
    if phrase.topic is None or not (phrase.marked or phrase.ranks):
        return None
    if len(phrase.ranks) == 1:
        # "my third color to number 1" moves it
        if (rank := place_of(value)) is not None and cardinal(value.lower()) is None:
            return Move(phrase.topic, is_sure(phrase), phrase.ranks[0], rank)
        return Place(phrase.topic, is_sure(phrase), phrase.ranks[0], clean(value))
    return Tell(phrase.topic, True, clean(value)) if is_one(phrase) else None


def parts_of(rest: str) -> tuple[str, Phrase | None, int | None]:
    """What is left of a text without the list and the place it names at its end, in either order; and those."""
    rest, rank = with_place(rest)
    rest, named = with_list(rest)
    if rank is None:
        rest, rank = with_place(rest)
    return rest, named, rank


def with_list(text: str, links: str = _LINKS) -> tuple[str, Phrase | None]:
    """The text without the list it names at its end, and that list."""
    for match in re.finditer(rf"\s+(?:{links})\s+", text, re.IGNORECASE):
        said = re.sub(r"^(?:that|this)\s+(?=list)", "the ", text[match.end() :], flags=re.IGNORECASE)
        if not _LIST.fullmatch(said) or _SIDES.search(said):
            continue
        if said.lower() in {"it", "them", "there", "mine"}:
            return text[: match.start()], Phrase("the")
        phrase = read_phrase(said)
        if phrase is None or phrase.owner not in {"my", "the"} or phrase.ranks:
            continue
        if phrase.owner == "my" or phrase.topic is None or phrase.marked:
            return text[: match.start()], phrase
    return text, None


def item_of(text: str) -> Item:
    """An item by its rank where the words say one, else by its value."""
    text = clean(text)
    phrase = read_phrase(text)
    if phrase is not None and len(phrase.ranks) == 1 and (phrase.topic is None or phrase.owner == "my"):
        return phrase.ranks[0]
    number = cardinal(text.lower()) if not text.isalpha() else None
    return number if number is not None else text


def named_item(text: str) -> tuple[Phrase | None, Item]:
    """An item, and the list that its words name, as `my third favorite city` does."""
    phrase = read_phrase(text)
    if phrase is not None and len(phrase.ranks) == 1 and phrase.owner == "my" and phrase.topic is not None:
        return phrase, phrase.ranks[0]
    return None, item_of(text)


def topic_of(phrase: Phrase | None) -> Topic | None:
    """The topic of a phrase, if there is one."""
    return phrase.topic if phrase is not None else None


def is_sure(phrase: Phrase | None) -> bool:
    """Whether a phrase can mean nothing but a list of facts."""
    if phrase is None or phrase.topic is None:
        return False
    return phrase.owner == "my" and (phrase.marked or len(phrase.topic.keys) == 1)


def is_one(phrase: Phrase) -> bool:
    """Whether a phrase is of a single fact: `my favorite film`."""
    return phrase.favorite and phrase.topic is not None and not (phrase.ranks or phrase.many or phrase.count)


def is_below(match: re.Match[str] | None) -> bool:
    """Whether a match says after rather than before."""
    return match is not None and match["side"].lower() in _BELOW
