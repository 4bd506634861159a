"""Reads commands that change a list: swap, add, remove, move, replace, clear."""

import re
from collections.abc import Callable

from souvenir.facts.edit_parts import (
    INSTEAD,
    is_below,
    is_one,
    is_sure,
    item_of,
    named_item,
    parts_of,
    read_value_at_rank,
    topic_of,
    value_for,
    with_list,
)
from souvenir.facts.lists import clean, read_list, split_row
from souvenir.facts.operations import Add, Clear, Move, Operation, Remove, Replace, Restate, Reverse, Swap, Tell
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.places import place_of
from souvenir.facts.ranks import cardinal
from souvenir.facts.wording import one_of
from souvenir.patterns import lazy

_NO_ITEM = lazy(one_of("my, our, your, it, this, that, these, those, them, everything, all, up, down, on, off") + r"\b")
_OF_A_LIST = lazy(
    r"\b(?:in|at|to|as)\s+(?:the\s+)?(?:number\s+\w+|#\s?\d+|\w+\s+(?:place|position|spot|slot)|(?:top|bottom"
    r"|end) of (?:the|my) list)$"
    r"|\b(?:number\s+\w+|#\s?\d+)\s+(?:on|in)\s+(?:the|my) list$",
    re.IGNORECASE,
)
_PROPER = lazy(r"(?:The\s)?[A-Z][\w.'\u2019-]*(?:\s(?:[A-Z]|of|the|de|la|and)[\w.'\u2019-]*){0,3}")
_WHOLE_LIST = lazy(r"(?:the|my|that|this)\s+(?:(?:whole|entire|full|complete)\s+)?(?:list|thing)", re.IGNORECASE)
_FROM_VALUE = lazy(r"\s+from\s+[^,;]{1,60}?(?=\s+to\s)", re.IGNORECASE)
_AT_RANK = lazy(
    r"(?P<rank>(?:the\s+)?(?:number|no\.?)\s+\w+|#\s?\d+|the\s+\w+\s+one)\s+(?:to be\s+|be\s+|into\s+)?"
    r"(?P<value>.{1,80})",
    re.IGNORECASE,
)
_MOST_COUNTED = 100
_BESIDE = lazy(
    r"(?P<before>.*?)\s+(?P<side>before|above|ahead of|in front of|over|after|below|behind|beneath|under)\s+"
    r"(?P<other>.+)",
    re.IGNORECASE,
)
_BETWEEN = lazy(r"(?P<item>.+?)\s+between\s+(?P<other>.+?)\s+and\s+(?P<rest>.+)", re.IGNORECASE)
_STEP = lazy(
    r"(?P<before>.*?)\s+(?P<way>up|down)(?:\s+(?:by\s+)?(?P<many>\w+)(?:\s+(?:place|spot|position|rank|step"
    r"|notch)e?s?)?)?",
    re.IGNORECASE,
)
_STEPS_BEFORE = lazy(
    r"\s+(?P<many>one|two|three|four|five|\d{1,3})(?:\s+(?:place|spot|position|rank|step|notch)e?s?)?\s+(?P<way>up"
    r"|down)$",
    re.IGNORECASE,
)
_RIGHT_BESIDE = lazy(
    r"\s+(?:right|just|directly|immediately|straight)\s+(?=(?:after|before|above|below|behind|ahead|under|over)\s)",
    re.IGNORECASE,
)
_FROM_RANK = lazy(r"\s+from\s+(?:number\s+|#)?\w+(?:\s+place)?(?=\s+to\s)", re.IGNORECASE)
_AND = lazy(r"\s+(?:and|with|&|for)\s+", re.IGNORECASE)
_MINE = lazy(r"(?P<item>.+?)\s+(?P<phrase>(?:my|our|the)\s+.+)", re.IGNORECASE)
_AS_MINE = lazy(r"(?P<item>.+?)\s+(?:as|to be|at|in)\s+(?P<phrase>(?:my|our)\s.+)", re.IGNORECASE)
_EVERYTHING = lazy(
    r"^(?:(?:out|up|everything (?:in|from|about|on)|all(?: of)?|the (?:whole|entire)(?= list))\s+)+", re.IGNORECASE
)


def _swap(rest: str) -> Operation | None:
    if re.match(r"the (?:whole )?order\b", rest, re.IGNORECASE) and (reversed_ := _reverse(rest)) is not None:
        return reversed_
    rest = re.sub(r"^(?:the )?(?:order|places|positions|ranks) of\s+", "", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\s+(?:around|over|round)$", "", rest, flags=re.IGNORECASE)
    phrase = read_phrase(rest)
    if phrase is not None and phrase.count in {2, -2} and (phrase.owner == "my" or phrase.topic is None):
        return Swap(phrase.topic, is_sure(phrase), *((1, 2) if phrase.count == 2 else (-2, -1)))
    if phrase is not None and len(phrase.ranks) == 2:
        return Swap(phrase.topic, is_sure(phrase), *phrase.ranks)
    rest, named = with_list(rest)
    if named is None and (outward := re.fullmatch(r"(?:out )?(.+?) for (.+)", rest, re.IGNORECASE)):
        return Replace(None, False, item_of(outward[1]), clean(outward[2]))
    items = _AND.split(rest)
    if len(items) != 2:
        return None
    named = named or next((phrase for phrase, _ in map(named_item, items) if phrase is not None), None)
    return Swap(topic_of(named), is_sure(named), item_of(items[0]), item_of(items[1]))


def _add(rest: str) -> Operation | None:
    rest = _RIGHT_BESIDE.sub(" ", rest)
    ranked = _AS_MINE.fullmatch(rest)
    phrase = read_phrase(ranked["phrase"]) if ranked is not None else None
    if ranked is not None and phrase is not None and len(phrase.ranks) == 1:
        return Add(phrase.topic, is_sure(phrase), tuple(split_row(ranked["item"])), phrase.ranks[0])
    if between := _BETWEEN.fullmatch(rest):
        _, named = with_list(between["rest"])
        return Add(topic_of(named), is_sure(named), (clean(between["item"]),), None, item_of(between["other"]), True)
    rest, named, rank = parts_of(rest)
    beside = _BESIDE.fullmatch(rest) if rank is None else None
    if beside is not None and named is None:
        rest, named = with_list(beside["before"])
    elif beside is not None and beside["side"].islower():
        rest = beside["before"]
    else:
        # Life After Beth is a title
        beside = None
    values = tuple(split_row(rest))
    if not values:
        return None
    if named is None and rank is None and beside is None:
        return Add(None, False, values, named=False) if all(map(_PROPER.fullmatch, values)) else None
    other = item_of(beside["other"]) if beside is not None else None
    return Add(topic_of(named), is_sure(named), values, rank, other, is_below(beside))


def removal(rest: str) -> Operation | None:
    """`Rome`, `Rome from my favorite cities`, `the last two`, `my second favorite city`, `the whole list`."""
    rest = re.sub(r"\s+(?:off|out|away)$", "", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\s+(?:off|out|from)\s+of\s+", " from ", rest, flags=re.IGNORECASE)
    if _WHOLE_LIST.fullmatch(rest):
        return Clear(None, False)
    shorter, named = with_list(rest, "from|off|in|of|on|out of")
    if named is not None:
        return _removal_from(named, shorter)
    phrase = read_phrase(rest)
    found = (_removal_of(phrase) if phrase is not None else None) or _clear(rest)
    values = tuple(split_row(rest)) if found is None else ()
    return Remove(None, False, values) if values else found


def _removal_from(named: Phrase, said: str) -> Operation | None:
    """What goes from a list that is named."""
    if re.fullmatch(r"everything|all(?: of it| items)?", said, re.IGNORECASE):
        return _cleared(named)
    phrase = read_phrase(said)
    if phrase is not None and phrase.count and phrase.topic is None:
        return Remove(named.topic, is_sure(named), _counted(phrase.count))
    if phrase is not None and phrase.ranks and phrase.owner == "the" and named.topic is None:
        return Remove(phrase.topic, False, phrase.ranks)
    items = tuple(item_of(item) for item in split_row(said))
    return Remove(named.topic, is_sure(named), items) if items else None


def _removal_of(phrase: Phrase) -> Operation | None:
    """What goes by its rank, or a whole list."""
    if phrase.count and (phrase.owner == "my" or phrase.topic is None):
        return Remove(phrase.topic, is_sure(phrase), _counted(phrase.count))
    if phrase.ranks and (phrase.owner != "nobody" or phrase.topic is None):
        return Remove(phrase.topic, is_sure(phrase), phrase.ranks)
    whole = phrase.marked and phrase.owner == "my" and phrase.topic is not None
    return _cleared(phrase) if whole else None


def _counted(count: int) -> tuple[int, ...]:
    """The ranks of the first so many, or, below zero, of the last."""
    return tuple(range(1, min(count, _MOST_COUNTED) + 1) if count > 0 else range(max(count, -_MOST_COUNTED), 0))


def _move(rest: str) -> Operation | None:
    rest = _STEPS_BEFORE.sub(r" \g<way> \g<many>", rest)
    step = _STEP.fullmatch(rest)
    many = cardinal((step["many"] or "one").lower()) if step is not None else None
    if step is not None and many is not None:
        named, item = named_item(step["before"])
        return Move(topic_of(named), is_sure(named), item, None, -many if step["way"].lower() == "up" else many)
    return _beside(rest, adds=False) or ranked(_FROM_RANK.sub("", rest), adds=False)


def _put(rest: str) -> Operation | None:
    if between := _BETWEEN.fullmatch(rest):
        return Move(None, False, item_of(between["item"]), None, 0, item_of(between["other"]), True, True)
    return _instead(rest) or _beside(rest, adds=True) or ranked(rest, adds=True) or _add(rest)


def _beside(rest: str, *, adds: bool) -> Operation | None:
    """`Lisbon above Rome`."""
    beside = _BESIDE.fullmatch(_RIGHT_BESIDE.sub(" ", rest))
    if beside is None:
        return None
    other, named = with_list(beside["other"])
    whose, item = named_item(beside["before"])
    named = named or whose
    return Move(topic_of(named), is_sure(named), item, None, 0, item_of(other), is_below(beside), adds)


def ranked(rest: str, *, adds: bool) -> Operation | None:
    """`Rome to number 1`, `Rome first`, `Rome my number one city`, with a list named or not."""
    said = rest
    rest, named, rank = parts_of(rest)
    made = _MINE.fullmatch(rest)
    phrase = read_phrase(made["phrase"]) if made is not None else None
    if made is not None and phrase is not None:
        if rank is None and is_one(phrase):
            return Tell(phrase.topic, True, clean(made["item"]))
        if is_one(phrase) or (rank is None and len(phrase.ranks) == 1):
            rest, rank, named = made["item"], rank or phrase.ranks[0], phrase
    whose, item = named_item(rest)
    if rank is None or (isinstance(item, str) and _NO_ITEM.match(item.lower())):
        return None
    named = named or whose
    return Move(
        topic_of(named),
        is_sure(named),
        item,
        rank,
        adds=adds,
        plain=topic_of(named) is None and _OF_A_LIST.search(said) is None,
    )


def _make(rest: str) -> Operation | None:
    """`make my second favorite color red`, `make Rome my number one city`, `set my favorite editor to Vim`."""
    told = _told(rest, r"\s+to(?: be)?\s+") or _made(rest)
    at_rank = _AT_RANK.fullmatch(rest) if told is None else None
    if at_rank is not None and place_of(at_rank["value"]) is None:
        return read_value_at_rank(f"{at_rank['rank']} is {re.sub('^to ', '', at_rank['value'])}", polite=True)
    return told or ranked(rest, adds=True)


def _change(rest: str) -> Operation | None:
    """`my second favorite color to red`, `Rome to Porto`, `Rome with Porto in my favorite cities`."""
    rest = _FROM_VALUE.sub("", rest) if rest.lower().startswith("my ") else rest
    told = _told(rest, r"\s+(?:to|with|by|into|as)\s+")
    if told is not None:
        return told
    rest, named = with_list(rest)
    sides = re.split(r"\s+(?:to|with|by|into)\s+", rest, maxsplit=1, flags=re.IGNORECASE)
    if len(sides) != 2:
        return None
    whose, item = named_item(sides[0])
    named = named or whose
    return Replace(topic_of(named), is_sure(named), item, clean(sides[1]))


def _substitute(rest: str) -> Operation | None:
    """`Porto for Rome`."""
    shorter, named = with_list(rest)
    sides = re.split(r"\s+for\s+", shorter, maxsplit=1, flags=re.IGNORECASE)
    if len(sides) != 2:
        return _change(rest)
    return Replace(topic_of(named), is_sure(named), item_of(sides[1]), clean(sides[0]))


def _store(rest: str) -> Operation | None:
    """`my favorite cities as 1) Oslo 2) Bergen`."""
    return _told(rest, r"\s+(?:as|to be)\s+")


def _instead(rest: str) -> Operation | None:
    """`Porto instead of Rome`, `Porto rather than Rome in my favorite cities`."""
    shorter, named = with_list(rest)
    sides = INSTEAD.fullmatch(shorter)
    if sides is None:
        return None
    return Replace(topic_of(named), is_sure(named), item_of(sides["old"]), clean(sides["new"]))


def _reverse(rest: str) -> Operation | None:
    """`my favorite cities`, `the order of my favorite cities`, `the list`."""
    phrase = read_phrase(
        re.sub(r"^the (?:whole )?(?:order|ranking|sequence)(?: of)?\s+", "", rest, flags=re.IGNORECASE)
    )
    if phrase is None or phrase.ranks or phrase.count or phrase.joined or phrase.owner != "my":
        return None
    return Reverse(phrase.topic, is_sure(phrase))


def _clear(rest: str) -> Operation | None:
    phrase = read_phrase(_EVERYTHING.sub("", rest))
    if phrase is None or phrase.owner not in {"my", "the"}:
        return None
    if phrase.marked and phrase.owner == "my":
        return _cleared(phrase)
    # "the list", "my bread list": one of those kept here, if any
    listed = re.search(r"\b(?:list|ranking)$", rest, re.IGNORECASE) is not None and not phrase.ranks
    return Clear(phrase.topic, False) if listed and (phrase.topic is None or phrase.owner == "my") else None


def _cleared(phrase: Phrase) -> Operation | None:
    if phrase.ranks:
        return Remove(phrase.topic, is_sure(phrase), phrase.ranks)
    if phrase.topic is None:
        return None
    return Clear(phrase.topic, is_sure(phrase), "all" if phrase.many else "single")


def _told(rest: str, link: str) -> Operation | None:
    """A value for a rank, a single fact or a whole list: `my favorite editor to Emacs`."""
    match = re.fullmatch(rf"(?P<phrase>(?:my|our)\s.+?){link}(?P<value>.+)", rest, re.IGNORECASE)
    phrase = read_phrase(match["phrase"]) if match is not None else None
    if match is None or phrase is None:
        return None
    if phrase.marked and phrase.many and not phrase.ranks and (listed := read_list(match["value"])).items:
        return Restate(phrase.topic, True, listed.items, listed.notes) if phrase.topic is not None else None
    return value_for(phrase, match["value"])


def _made(rest: str) -> Operation | None:
    """The same with no word between the two: the shortest phrase that is one, and the rest is the value."""
    words = rest.split()
    if not words or words[0].lower() not in {"my", "our"}:
        return None
    cuts = ((" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(3, len(words)))
    values = (value_for(phrase, value) for said, value in cuts if (phrase := read_phrase(said)) is not None)
    return next((operation for operation in values if operation is not None), None)


_VERBS: dict[str, Callable[[str], Operation | None]] = {
    "swap, swap out, switch, exchange, interchange, flip, trade": _swap,
    "add, append, include, insert": _add,
    "put, place, rank, stick, pop, slot, slip, squeeze, throw, slide": _put,
    "remove, delete, drop, erase, take, take out, take off, take away, strike, cross, cross out, cross off, get "
    "rid of, kick, kick out, scratch, scrap": removal,
    "ditch, dump, nix, axe, lose, cut, eliminate, discard, pull, bin, knock, toss, chuck, toss out, chuck out": removal,
    "move, shift, bump, promote, demote, push, raise, lower, bring, lift": _move,
    "use": _instead,
    "reverse, invert, flip around, turn around": _reverse,
    "make, set": _make,
    "replace, change, update, rename, correct, edit, modify, turn": _change,
    "substitute": _substitute,
    "clear, reset, wipe, empty, forget": _clear,
    "store, save, record, register, log, note": _store,
}
READERS = {verb: read for verbs, read in _VERBS.items() for verb in verbs.split(", ")}
COMMAND = lazy(rf"(?P<verb>{one_of(','.join(READERS))})\s+(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)
