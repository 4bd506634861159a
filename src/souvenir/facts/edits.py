"""Reads sentences that change a list: swap, add, remove, move, replace, clear."""

import re
from collections.abc import Callable

from souvenir.facts.lists import clean, read_list, split_row
from souvenir.facts.operations import Add, Clear, Item, Move, Operation, Place, Remove, Replace, Restate, Swap, Tell
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.places import place_of, with_place
from souvenir.facts.ranks import cardinal
from souvenir.facts.topics import Topic
from souvenir.facts.wording import one_of

MOST_CHARS = 300

_POLITE_WORD = one_of(
    r"""please, pls, hey, hi, ok, okay, actually, now, then, and, also, so, no, oh, oops, well, just, yes, sorry,
    instead, wait, correction, can you, could you, would you, will you, can we, let's, let us, go ahead and,
    you can, you should, next, i(?:'d| would)?(?: also| just| now| still)* (?:want|like|need) (?:you )?to"""
)
_POLITE = re.compile(rf"(?:{_POLITE_WORD}\b[\s,:!-]*)+", re.IGNORECASE)
_ASKING = re.compile(r".*\b(?:can|could|would|will) (?:you|we)\b", re.IGNORECASE)
_BEHIND_WORD = one_of(
    """please, pls, for me, now, thanks, thank you, instead, again, if you can, okay, ok, will you, would you, as well,
    too"""
)
_BEHIND = re.compile(rf"(?:[\s,]+{_BEHIND_WORD})+$", re.IGNORECASE)
_NO_ITEM = re.compile(
    one_of("my, our, your, it, this, that, these, those, them, everything, all, up, down, on, off") + r"\b"
)
_CORRECTED = re.compile(
    r"(?P<rank>(?:the\s+|my\s+)?(?:number\s+\w+|#\d+|\w+)(?:\s+one)?)\s+is\s+(?:now\s+)?(?P<value>\S+(?:\s\S+){0,3})",
    re.IGNORECASE,
)
_NO_SUBJECT = one_of("my, our, it, this, that, these, those, he, she, they, we, you, i, what, which, who, there")
_WISHED = re.compile(
    rf"(?!{_NO_SUBJECT}\b)(?P<item>.{{1,80}}?)\s+"
    r"(?:should (?:be|come|go|rank)|is now|belongs|(?:now )?(?:goes|comes))\s+"
    r"(?P<place>(?:(?:in|at|on|to)\s+)?(?:my\s+|the\s+)?"
    r"(?:number|no\.?|#|first|second|third|fourth|fifth|\d|last|top|bottom).*)",
    re.IGNORECASE,
)
_LIST = re.compile(r"(?:my|our|the|that|this)\s+[^,;:]+|it|them|there|mine", re.IGNORECASE)
_SIDES = re.compile(r"\s(?:after|before|above|below|behind|ahead of)\s", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?P<before>.*?)\s+(?P<side>before|above|ahead of|in front of|over|after|below|behind|beneath|under)\s+"
    r"(?P<other>.+)",
    re.IGNORECASE,
)
_BELOW = frozenset({"after", "below", "behind", "beneath", "under"})
_BETWEEN = re.compile(r"(?P<item>.+?)\s+between\s+(?P<other>.+?)\s+and\s+(?P<rest>.+)", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<before>.*?)\s+(?P<way>up|down)(?:\s+(?:by\s+)?(?P<many>\w+)(?:\s+(?:place|spot|position|rank|step|notch)e?s?)?)?",
    re.IGNORECASE,
)
_FROM_RANK = re.compile(r"\s+from\s+(?:number\s+|#)?\w+(?:\s+place)?(?=\s+to\s)", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|with|&|for)\s+", re.IGNORECASE)
_MINE = re.compile(r"(?P<item>.+?)\s+(?P<phrase>(?:my|our|the)\s+.+)", re.IGNORECASE)
_AS_MINE = re.compile(r"(?P<item>.+?)\s+(?:as|to be|at|in)\s+(?P<phrase>(?:my|our)\s.+)", re.IGNORECASE)
_LINKS = "to|into|onto|in|on|from|of|off|among|within"


def read_edit(sentence: str) -> Operation | None:
    """What a sentence asks to change, None when it asks for nothing of the kind."""
    text = " ".join(sentence.split())
    if not 0 < len(text) <= MOST_CHARS:
        return None
    polite = _POLITE.match(text)
    if text.endswith("?") and not (polite and _ASKING.match(polite[0])):
        return None
    body = _BEHIND.sub("", text[polite.end() if polite else 0 :].rstrip(" .!?"))
    match = _COMMAND.match(body)
    if match is not None:
        return _READERS[match["verb"].lower()](match["rest"])
    return _wished(body) or (_corrected(body) if polite else None)


def _wished(body: str) -> Operation | None:
    """`Lisbon should be number 1`."""
    match = _WISHED.fullmatch(body)
    return _ranked(f"{match['item']} {match['place']}", adds=True) if match is not None else None


def _corrected(body: str) -> Operation | None:
    """`no, number 2 is Lisbon`."""
    match = _CORRECTED.fullmatch(body)
    phrase = read_phrase(match["rank"]) if match is not None else None
    if match is None or phrase is None or phrase.topic is not None or len(phrase.ranks) != 1:
        return None
    return Place(None, False, phrase.ranks[0], clean(match["value"]))


def _swap(rest: str) -> Operation | None:
    rest = re.sub(r"^(?:the )?(?:order|places|positions|ranks) of\s+", "", rest, flags=re.IGNORECASE)
    phrase = read_phrase(rest)
    if phrase is not None and phrase.count == 2 and (phrase.owner == "my" or phrase.topic is None):
        return Swap(phrase.topic, _is_sure(phrase), 1, 2)
    if phrase is not None and len(phrase.ranks) == 2:
        return Swap(phrase.topic, _is_sure(phrase), *phrase.ranks)
    rest, named = _with_list(rest)
    if named is None and (outward := re.fullmatch(r"(?:out )?(.+?) for (.+)", rest, re.IGNORECASE)):
        return Replace(None, False, _item(outward[1]), clean(outward[2]))
    items = _AND.split(rest)
    if len(items) != 2:
        return None
    named = named or next((phrase for phrase, _ in map(_named_item, items) if phrase is not None), None)
    return Swap(_topic(named), _is_sure(named), _item(items[0]), _item(items[1]))


def _add(rest: str) -> Operation | None:
    ranked = _AS_MINE.fullmatch(rest)
    phrase = read_phrase(ranked["phrase"]) if ranked is not None else None
    if ranked is not None and phrase is not None and len(phrase.ranks) == 1:
        return Add(phrase.topic, _is_sure(phrase), tuple(split_row(ranked["item"])), phrase.ranks[0])
    if between := _BETWEEN.fullmatch(rest):
        _, named = _with_list(between["rest"])
        return Add(_topic(named), _is_sure(named), (clean(between["item"]),), None, _item(between["other"]), True)
    rest, named, rank = _parts(rest)
    beside = _BESIDE.fullmatch(rest) if rank is None else None
    if beside is not None and named is None:
        rest, named = _with_list(beside["before"])
    elif beside is not None and beside["side"].islower():
        rest = beside["before"]
    else:
        # Life After Beth is a title
        beside = None
    values = tuple(split_row(rest))
    if not values or (named is None and rank is None and beside is None):
        return None
    other = _item(beside["other"]) if beside is not None else None
    return Add(_topic(named), _is_sure(named), values, rank, other, _is_below(beside))


def _remove(rest: str) -> Operation | None:
    rest = re.sub(r"\s+(?:off|out|from)\s+of\s+", " from ", rest, flags=re.IGNORECASE)
    shorter, named = _with_list(rest, "from|off|in|of|on|out of")
    if named is not None:
        if re.fullmatch(r"everything|all(?: of it| items)?", shorter, re.IGNORECASE):
            return _cleared(named)
        items = tuple(_item(item) for item in split_row(shorter))
        return Remove(named.topic, _is_sure(named), items) if items else None
    phrase = read_phrase(rest)
    if phrase is not None and phrase.ranks and (phrase.owner != "nobody" or phrase.topic is None):
        return Remove(phrase.topic, _is_sure(phrase), phrase.ranks)
    if phrase is not None and phrase.marked and phrase.owner == "my" and phrase.topic is not None:
        return _cleared(phrase)
    values = tuple(split_row(rest))
    return Remove(None, False, values) if values else None


def _move(rest: str) -> Operation | None:
    step = _STEP.fullmatch(rest)
    many = cardinal((step["many"] or "one").lower()) if step is not None else None
    if step is not None and many is not None:
        named, item = _named_item(step["before"])
        return Move(_topic(named), _is_sure(named), item, None, -many if step["way"].lower() == "up" else many)
    return _beside(rest, adds=False) or _ranked(_FROM_RANK.sub("", rest), adds=False)


def _put(rest: str) -> Operation | None:
    if between := _BETWEEN.fullmatch(rest):
        return Move(None, False, _item(between["item"]), None, 0, _item(between["other"]), True, True)
    return _beside(rest, adds=True) or _ranked(rest, adds=True) or _add(rest)


def _beside(rest: str, *, adds: bool) -> Operation | None:
    """`Lisbon above Rome`."""
    beside = _BESIDE.fullmatch(rest)
    if beside is None:
        return None
    other, named = _with_list(beside["other"])
    whose, item = _named_item(beside["before"])
    named = named or whose
    return Move(_topic(named), _is_sure(named), item, None, 0, _item(other), _is_below(beside), adds)


def _ranked(rest: str, *, adds: bool) -> Operation | None:
    """`Rome to number 1`, `Rome first`, `Rome my number one city`, with a list named or not."""
    rest, named, rank = _parts(rest)
    made = _MINE.fullmatch(rest)
    phrase = read_phrase(made["phrase"]) if made is not None else None
    if made is not None and phrase is not None:
        if rank is None and _is_one(phrase):
            return Tell(phrase.topic, True, clean(made["item"]))
        if _is_one(phrase) or (rank is None and len(phrase.ranks) == 1):
            rest, rank, named = made["item"], rank or phrase.ranks[0], phrase
    whose, item = _named_item(rest)
    if rank is None or (isinstance(item, str) and _NO_ITEM.match(item.lower())):
        return None
    named = named or whose
    return Move(_topic(named), _is_sure(named), item, rank, adds=adds)


def _make(rest: str) -> Operation | None:
    """`make my second favorite color red`, `make Rome my number one city`, `set my favorite editor to Vim`."""
    return _told(rest, r"\s+to(?: be)?\s+") or _made(rest) or _ranked(rest, adds=True)


def _change(rest: str) -> Operation | None:
    """`my second favorite color to red`, `Rome to Porto`, `Rome with Porto in my favorite cities`."""
    told = _told(rest, r"\s+(?:to|with|by|into|as)\s+")
    if told is not None:
        return told
    rest, named = _with_list(rest)
    sides = re.split(r"\s+(?:to|with|by|into)\s+", rest, maxsplit=1, flags=re.IGNORECASE)
    if len(sides) != 2:
        return None
    whose, item = _named_item(sides[0])
    named = named or whose
    return Replace(_topic(named), _is_sure(named), item, clean(sides[1]))


def _substitute(rest: str) -> Operation | None:
    """`Porto for Rome`."""
    shorter, named = _with_list(rest)
    sides = re.split(r"\s+for\s+", shorter, maxsplit=1, flags=re.IGNORECASE)
    if len(sides) != 2:
        return _change(rest)
    return Replace(_topic(named), _is_sure(named), _item(sides[1]), clean(sides[0]))


def _store(rest: str) -> Operation | None:
    """`my favorite cities as 1) Oslo 2) Bergen`."""
    return _told(rest, r"\s+(?:as|to be)\s+")


def _clear(rest: str) -> Operation | None:
    phrase = read_phrase(re.sub(r"^(?:out|everything (?:in|from|about)|all(?: of)?)\s+", "", rest, flags=re.IGNORECASE))
    return _cleared(phrase) if phrase is not None and phrase.marked and phrase.owner == "my" else None


def _cleared(phrase: Phrase) -> Operation | None:
    if phrase.ranks:
        return Remove(phrase.topic, _is_sure(phrase), phrase.ranks)
    if phrase.topic is None:
        return None
    return Clear(phrase.topic, _is_sure(phrase), "all" if phrase.many else "single")


def _told(rest: str, link: str) -> Operation | None:
    """A value for a rank, a single fact or a whole list: `my favorite editor to Emacs`."""
    match = re.fullmatch(rf"(?P<phrase>(?:my|our)\s.+?){link}(?P<value>.+)", rest, re.IGNORECASE)
    phrase = read_phrase(match["phrase"]) if match is not None else None
    if match is None or phrase is None:
        return None
    if phrase.marked and phrase.many and not phrase.ranks and (listed := read_list(match["value"])).items:
        return Restate(phrase.topic, True, listed.items, listed.notes) if phrase.topic is not None else None
    return _value_for(phrase, match["value"])


def _made(rest: str) -> Operation | None:
    """The same with no word between the two: the shortest phrase that is one, and the rest is the value."""
    words = rest.split()
    if not words or words[0].lower() not in {"my", "our"}:
        return None
    cuts = ((" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(3, len(words)))
    values = (_value_for(phrase, value) for said, value in cuts if (phrase := read_phrase(said)) is not None)
    return next((operation for operation in values if operation is not None), None)


def _value_for(phrase: Phrase, value: str) -> Operation | None:
    if phrase.topic is None or not (phrase.marked or phrase.ranks):
        return None
    if len(phrase.ranks) == 1:
        # "my third color to number 1" moves it
        if (rank := place_of(value)) is not None and cardinal(value.lower()) is None:
            return Move(phrase.topic, _is_sure(phrase), phrase.ranks[0], rank)
        return Place(phrase.topic, _is_sure(phrase), phrase.ranks[0], clean(value))
    return Tell(phrase.topic, True, clean(value)) if _is_one(phrase) else None


def _parts(rest: str) -> tuple[str, Phrase | None, int | None]:
    """What is left of a text without the list and the place it names at its end, in either order; and those."""
    rest, rank = with_place(rest)
    rest, named = _with_list(rest)
    if rank is None:
        rest, rank = with_place(rest)
    return rest, named, rank


def _with_list(text: str, links: str = _LINKS) -> tuple[str, Phrase | None]:
    """The text without the list it names at its end, and that list."""
    for match in re.finditer(rf"\s+(?:{links})\s+", text, re.IGNORECASE):
        said = text[match.end() :]
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


def _item(text: str) -> Item:
    """An item by its rank where the words say one, else by its value."""
    text = clean(text)
    phrase = read_phrase(text)
    if phrase is not None and len(phrase.ranks) == 1 and (phrase.topic is None or phrase.owner == "my"):
        return phrase.ranks[0]
    number = cardinal(text.lower()) if not text.isalpha() else None
    return number if number is not None else text


def _named_item(text: str) -> tuple[Phrase | None, Item]:
    """An item, and the list that its words name, as `my third favorite city` does."""
    phrase = read_phrase(text)
    if phrase is not None and len(phrase.ranks) == 1 and phrase.owner == "my" and phrase.topic is not None:
        return phrase, phrase.ranks[0]
    return None, _item(text)


def _topic(phrase: Phrase | None) -> Topic | None:
    return phrase.topic if phrase is not None else None


def _is_sure(phrase: Phrase | None) -> bool:
    """Whether a phrase can mean nothing but a list of facts."""
    if phrase is None or phrase.topic is None:
        return False
    return phrase.owner == "my" and (phrase.marked or len(phrase.topic.keys) == 1)


def _is_one(phrase: Phrase) -> bool:
    """Whether a phrase is of a single fact: `my favorite film`."""
    return phrase.favorite and phrase.topic is not None and not (phrase.ranks or phrase.many or phrase.count)


def _is_below(match: re.Match[str] | None) -> bool:
    return match is not None and match["side"].lower() in _BELOW


_VERBS: dict[str, Callable[[str], Operation | None]] = {
    "swap, swap out, switch, exchange, interchange, flip, trade": _swap,
    "add, append, include, insert": _add,
    "put, place, rank": _put,
    "remove, delete, drop, erase, take, strike, cross, cross out, cross off, get rid of, kick, kick out": _remove,
    "move, shift, bump, promote, demote": _move,
    "make, set": _make,
    "replace, change, update, rename": _change,
    "substitute": _substitute,
    "clear, reset, wipe, empty, forget": _clear,
    "store, save, record, register, log, note": _store,
}
_READERS = {verb: read for verbs, read in _VERBS.items() for verb in verbs.split(", ")}
_COMMAND = re.compile(rf"(?P<verb>{one_of(','.join(_READERS))})\s+(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)

_FIRST_WORDS = one_of(",".join(verb.split()[0] for verb in _READERS))
HINT = re.compile(rf"\b(?:{_FIRST_WORDS}|should|is now|belongs|goes|comes|actually|oops|correction|no)\b")
"""A word in lower case that every sentence that changes something has."""
