"""Reads what people call a list or an item of it: `my second favorite color`, `my top 3 cities`, `number 2`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from souvenir.facts.ranks import cardinal, ordinal
from souvenir.facts.topics import ARTICLES, MOST_CHARS, TAIL_OPENS, Topic, is_many, make_topic, parts, split_noun
from souvenir.patterns import lazy

Owner = Literal["my", "the", "a", "nobody", "other"]

_FAVORITE = lazy(
    r"fav(?!a\b|as\b|ela|icon|ou?rs?$|ou?red|ou?ring|ou?rab|ou?ritis)[a-z]{0,9}|f(?:ao|va|vo)[a-z]{1,3}rites?|preferred"
)
_TOKEN = lazy(r"#\s?-?\d+|-?\d+(?:st|nd|rd|th)?\b|[^\W_]+(?:['\u2019-][^\W_]+)*[+#]*['\u2019]?", re.IGNORECASE)
_OWNERS: dict[str, Owner] = {"my": "my", "our": "my", "the": "the", "a": "a", "an": "a"}
_OTHERS = frozenset("your his her their its whose everyone's everybody's people's someone's".split())
_SKIPPED = frozenset("all of both each every".split())
_SIDES = {"top": 1, "first": 1, "bottom": -1, "last": -1}
_EMPHASIS = frozenset(
    """all-time absolute absolutely very personal own current ultimate really actual real overall single present most
    alltime new ranked""".split()
)
_NUMBER_WORDS = frozenset(
    "number numbers no nr num rank ranks position positions place places spot spots item items choice pick".split()
)
_ENDINGS = lazy(
    r"(?:^|[\s,])(?:of all[ -]time|of all|of them|ever|so far|rn|atm|lately|right now|these days|at the moment|at "
    r"present"
    r"|in the (?:whole |entire )?world|overall|in general|again|please|pls|currently|now|today|too|as well|by far"
    r"|nowadays|of mine|personally|in (?:[a-z]+ ){0,2}order(?: of [a-z]+)?|stored|saved|thanks|thank you|though"
    r"|then|exactly|anyway"
    r"|for me|in my opinion|imo|imho|(?:(?:rank|go|look|read|stand|are|is) )?(?:as follows|like this|like so)"
    r"|ranked|altogether|in total|on file|on record|with you|for you|to you)$"
)
_FROM_END = lazy(
    r"\b(\d+(?:nd|rd|th)|second|third|fourth|fifth|sixth)"
    r"(?:[ -]to[ -](?:the[ -])?last|[ -]from[ -](?:the )?(?:last|end|bottom)|[ -]last)\b"
)
_RANGE = lazy(r"(?<![\d-])(#?\d{1,4})\s?[\u2013\u2014-]\s?(#?\d{1,4})(?![\d-])")
_RANKED_AT = {"lowest": "last", "highest": "first", "top": "first", "bottom": "last", "last": "last", "best": "first"}
_RANKED = lazy(rf"\b({'|'.join(_RANKED_AT)})[ -](?:ranked|ranking|rated|placed)\b")
_TO = frozenset({"to", "through", "thru", "till", "until"})
_WHOLE = lazy(r"\b(?:full|whole|complete|entire) list of\b")
_AWAITS_MORE = lazy(r"(?:^|\s)(?:for|from|of|until|by|since|in|to|at|about)$")
_NOT_IN_A_NOUN = frozenset(
    """i you he she it we they me him us them is are was were am be been being do does did can could will would should
    shall may might must have has had not why because but if so what how isn't aren't wasn't don't doesn't didn't
    i'm i've i'd it's that's what's there here yes no please vs versus than""".split()
)
_MOST_WORDS = 10
_MOST_COUNTED = 100  # more is a year or a name: favorite 2024 movies


@dataclass(frozen=True, slots=True)
class Phrase:
    """Whose, which ranks or how many of the first (or, below zero, of the last), and of what; no topic: none is named.

    `favorite` tells that it is called so, `marked` that, or top, or a number; `joined` that it names two things, `many`
    that it is a plural.
    """

    owner: Owner = "nobody"
    ranks: tuple[int, ...] = ()
    count: int | None = None
    topic: Topic | None = None
    marked: bool = False
    favorite: bool = False
    many: bool = False
    joined: bool = False


def is_favorite(word: str) -> bool:
    """Whether a word in lower case means favorite, abbreviated and misspelt ones included."""
    return _FAVORITE.fullmatch(word) is not None


def tokens(text: str) -> list[str]:
    """The words and numbers of a text in lower case."""
    text = _RANGE.sub(r"\1 to \2", _FROM_END.sub(r"\1 to last", text.casefold()))
    text = _RANKED.sub(lambda said: _RANKED_AT[said[1]], text)
    text = text.replace("last but one", "penultimate").replace("next to last", "penultimate")
    text = text.replace("-fav", " fav").replace("all time fav", "all-time fav").replace("\u2019", "'")
    return [token.replace(" ", "") for token in _TOKEN.findall(text)]


def without_endings(text: str) -> str:
    """A text in lower case without what says nothing at its end: `of all time`, `again`, `please`."""
    text = text.strip(" ,.!?:;")
    while (match := _ENDINGS.search(text)) and not _AWAITS_MORE.search(text, 0, match.start()):
        text = text[: match.start()].rstrip(" ,")
    return text


@lru_cache(maxsize=2048)
def read_phrase(text: str) -> Phrase | None:
    """What a phrase names, None when it is none: it speaks of somebody else's, or is a whole clause."""
    if len(text) > MOST_CHARS:
        return None
    owner, words = _owner(tokens(_WHOLE.sub("list of", without_endings(text.casefold()))))
    if words[:2] in (["list", "of"], ["ranking", "of"], ["lists", "of"]):
        ranked = words[0] == "ranking"
        inner, words = _owner(words[2:])
        owner = inner if inner != "nobody" else owner
        words = ["top", *words] if ranked and words and words[0] != "top" else words
    return _noun_phrase(Phrase(owner), words) if owner != "other" else None


def read_topic(text: str) -> Topic | None:
    """The topic that a name stands for, as routes and commands take it: `favorite_colors`, `Fav colours`, `cities`."""
    phrase = read_phrase(text.replace("_", " "))
    if phrase is not None and phrase.topic is not None and not phrase.ranks and phrase.count is None:
        return phrase.topic
    words = [part for word in text.split() for part in parts(word)]
    return make_topic(words) if words and len(text) <= MOST_CHARS else None


def _owner(words: list[str]) -> tuple[Owner, list[str]]:
    while words and words[0] in _SKIPPED:
        words = words[1:]
    if not words or words[0] in _OTHERS:
        return "other" if words else "nobody", words
    owner = _OWNERS.get(words[0], "nobody")
    return owner, words[1:] if owner != "nobody" and words[0] != "our" else words


def _noun_phrase(phrase: Phrase, words: list[str]) -> Phrase | None:
    ours, words = (["our"], words[1:]) if words[:1] == ["our"] else ([], words)
    mark = next((place for place, word in enumerate(words) if is_favorite(word)), None)
    before, top, phrase, words = _qualifiers(phrase, words, mark)
    if mark is not None:
        place = next(place for place, word in enumerate(words) if is_favorite(word))
        before, named, words = [*before, *words[:place]], words[place], words[place + 1 :]
        before = [word for word in before if word not in _EMPHASIS]
        phrase = replace(phrase, many=named.endswith("s"))
    marked = mark is not None or top
    phrase, words = _rank_behind(replace(phrase, marked=marked, favorite=mark is not None), words)
    several = mark is not None and phrase.many
    while words and words[0] in (
        ARTICLES | ({"of", "among", "amongst"} if several else {"of"}) if marked else ARTICLES
    ):
        words = words[1:]
    many = cardinal(words[0]) if mark is not None and len(words) > 1 else None
    if many is not None and many <= _MOST_COUNTED and words[0] != "one":
        phrase, words = replace(phrase, count=many), words[1:]
    listed = words[-1:] in (["list"], ["lists"], ["ranking"]) and len(words) > 1
    if marked and words[-1:] in (["list"], ["lists"], ["ranking"]):
        words = words[:-1]
    if not _is_noun(before, words):
        return None
    if words in ([], ["one"], ["ones"], ["list"], ["ranking"], ["favorites"], ["choice"], ["pick"], ["item"]):
        return phrase if not before else None
    topic = make_topic(words, owner=[*ours, *before], marked=mark is not None, top=top)
    if listed and not marked and _is_noun(before, words[:-1]):
        # "my bread list" may be called so, or be the list of breads
        of_items = make_topic(words[:-1], owner=[*ours, *before])
        topic = replace(topic, keys=(*topic.keys, *of_items.keys))
    return replace(phrase, topic=topic, many=is_many(words), joined=bool({"and", "or"} & set(words)))


def _is_noun(before: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words can name something: no clause, and no preposition or owner where the noun itself is."""
    head, _ = split_noun(words)
    if len(words) > _MOST_WORDS or _NOT_IN_A_NOUN & {*before, *words}:
        return False
    if words and words[-1] in TAIL_OPENS:
        return False
    return not (TAIL_OPENS | {"my", "our", "mine"}) & {*before, *words[:1], *head}


def _qualifiers(phrase: Phrase, words: list[str], mark: int | None) -> tuple[list[str], bool, Phrase, list[str]]:
    """Owners, ranks and counts in front; what is left begins with the favorite, or the noun where there is none."""
    owner: list[str] = []
    top = False
    while words:
        counted = _counted(phrase, words, mark)
        if counted is not None:
            phrase, rest, by_number = counted
            top = top or by_number
            words = rest
        elif words[0] == "top":
            top, words = True, words[1:]
        elif _says_whose(words):
            owner, words = [*owner, words[0]], words[1:]
        elif _is_emphasis(words, mark):
            words = words[1:]
        else:
            break
    return owner, top, phrase, words


def _counted(phrase: Phrase, words: list[str], mark: int | None) -> tuple[Phrase, list[str], bool] | None:
    """A rank or a count at the front taken in, what follows it, and if it ranks the thing by itself, as `top 3`."""
    word, following = words[0], words[1:]
    number = cardinal(following[0]) if following else None
    if word in _SIDES and number is not None and following[0] != "one":
        return replace(phrase, count=_SIDES[word] * number), following[1:], word in {"top", "bottom"}
    if word in _NUMBER_WORDS and number is not None:
        return replace(phrase, ranks=(*phrase.ranks, number)), following[1:], True
    if (rank := ordinal(word)) is not None:
        if following[:2] == ["to", "last"]:
            rank, following = -rank, following[2:]
        return replace(phrase, ranks=(*phrase.ranks, rank)), following, word.startswith("#")
    if mark is not None and (many := cardinal(word)) is not None:
        return replace(phrase, count=many), following, False
    return _counted_on(phrase, word, following, number) if phrase.ranks and following else None


def _counted_on(
    phrase: Phrase, word: str, following: list[str], number: int | None
) -> tuple[Phrase, list[str], bool] | None:
    """The same behind a rank: `to fourth`, `and fourth`."""
    if word in {"and", "or"} and following[0] in ARTICLES and len(following) > 1:
        following = following[1:]
        number = cardinal(following[0])
    first, last = phrase.ranks[-1], number if number is not None else ordinal(following[0])
    if word in _TO and last is not None and 0 < first < last <= first + _MOST_COUNTED:
        return replace(phrase, ranks=(*phrase.ranks, *range(first + 1, last + 1))), following[1:], False
    if word in {"and", "or", "&"} and (number is not None or _is_rank(following)):
        return phrase, following if _is_rank(following) else ["number", *following], False
    return None


def _is_emphasis(words: list[str], mark: int | None) -> bool:
    following = words[1:]
    if words[0] not in _EMPHASIS or not following:
        return False
    return mark is not None or _is_rank(following) or following[0] == "top"


def _says_whose(words: Sequence[str]) -> bool:
    """Whether the first word says whose it is: `wife's favorite …`, `best friend's second …`."""
    at = next((place for place, word in enumerate(words[:4]) if word.endswith(("'s", "s'"))), None)
    return at is not None and not is_favorite(words[0]) and _has_qualifier(words[at + 1 :])


def _has_qualifier(words: Sequence[str]) -> bool:
    return bool(words) and (is_favorite(words[0]) or words[0] in _EMPHASIS | {"top", "least"} or _is_rank(words))


def _is_rank(words: Sequence[str]) -> bool:
    if ordinal(words[0]) is not None:
        return True
    return words[0] in _NUMBER_WORDS and len(words) > 1 and cardinal(words[1]) is not None


def _rank_behind(phrase: Phrase, words: list[str]) -> tuple[Phrase, list[str]]:
    """A rank at the end: `favorite color number 3`, `favorite color #3`."""
    if len(words) >= 2 and words[-2] in _NUMBER_WORDS and (number := cardinal(words[-1])) is not None:
        return replace(phrase, ranks=(*phrase.ranks, number)), words[:-2]
    if words and words[-1].startswith("#") and (number := cardinal(words[-1])) is not None:
        return replace(phrase, ranks=(*phrase.ranks, number)), words[:-1]
    if len(words) > 3 and words[-2] in _TO | {"and"}:
        first, last = cardinal(words[-3]), cardinal(words[-1])
        if first is not None and last is not None and 0 < first < last <= first + _MOST_COUNTED:
            ranks = (first, last) if words[-2] == "and" else range(first, last + 1)
            return replace(phrase, ranks=(*phrase.ranks, *ranks)), words[:-3]
    return phrase, words
