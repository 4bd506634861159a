"""What a list is called: any words, brought to one key whichever way they are said."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from souvenir.facts.nouns import american, is_plural, several, singular
from souvenir.patterns import lazy

MOST_CHARS = 200
FAVORITE = "favorite"

ARTICLES = frozenset("a an the my our some any all".split())

_PREPOSITIONS = """about above across after against among around as at before below beside between beyond by during for
    from in inside into like near of off on onto out outside over per since than this that these those through to toward
    under until upon when where which while who whose with within without"""
TAIL_OPENS = frozenset(_PREPOSITIONS.split())
_PARTS = lazy(r"[^\W_]+[+#]*")

_COLORS, _CRYPTOS, _TV, _CANDIES = "colors", "cryptos", "tv", "candies"
_KNOWN: dict[str, str] = {
    "color": _COLORS,
    "crypto": _CRYPTOS, "cryptocurrency": _CRYPTOS, "crypto currency": _CRYPTOS, "crypto coin": _CRYPTOS,
    "crypto token": _CRYPTOS, "crypto asset": _CRYPTOS, "digital currency": _CRYPTOS,
    "tv": _TV, "tv show": _TV, "tv series": _TV, "tv program": _TV, "show": _TV, "television": _TV,
    "television show": _TV, "television series": _TV, "television program": _TV,
    "candy": _CANDIES, "sweet": _CANDIES,
}  # fmt: skip
_KIN = frozenset(
    """sister brother mom dad mother father parent wife husband partner son daughter child kid baby girlfriend boyfriend
    fiance fiancee friend boss manager neighbor roommate flatmate landlord doctor dentist teacher grandma grandpa
    grandmother grandfather aunt uncle cousin niece nephew dog cat pet car""".split()
)
"""Who things are said to be of: `sister_names` is of a sister's name."""

_NAMES = {_TV: ("TV show", "TV shows")}


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic by its key; `keys` are those it may be stored under, the best first.

    `my cities` may be the favorite ones, and `my top goals` the goals; `my favorite cars` are never just the cars.
    """

    key: str
    keys: tuple[str, ...]


def make_topic(noun: Sequence[str], *, owner: Sequence[str] = (), marked: bool = False, top: bool = False) -> Topic:
    """The topic of a noun's words: whose it is, whether it is called a favorite, and whether only by the word top."""
    head, tail = split_noun([part for word in noun for part in parts(word)])
    known = _KNOWN.get(" ".join([*head[:-1], singular(head[-1])]))
    known = known if not tail else None
    name = [known] if known is not None else [*map(american, head[:-1]), several(head[-1])]
    name += [word for word in tail if word not in ARTICLES]
    before = [american(part) for word in owner for part in parts(word)]
    bare, favorite = "_".join([*before, *name]), "_".join([*before, FAVORITE, *name])
    if marked or known is not None:
        return Topic(favorite, (favorite,))
    return Topic(favorite, (favorite, bare)) if top else Topic(bare, (bare, favorite))


def split_noun(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The noun with what stands before it, and what follows it: `things`, `about paris`."""
    at = next((place for place, word in enumerate(words) if place and word in TAIL_OPENS), len(words))
    return list(words[:at]), list(words[at:])


def is_many(noun: Sequence[str]) -> bool:
    """Whether a noun's words speak of several."""
    head, _ = split_noun([part for word in noun for part in parts(word)])
    return bool(head) and is_plural(head[-1])


def parts(word: str) -> list[str]:
    """What a key is made of: `sci-fi` gives two parts, `c++` one, and possessive endings go."""
    plain = unicodedata.normalize("NFKC", word).casefold().replace("\u2019", "'")
    return _PARTS.findall(plain.removesuffix("'s").replace("'", ""))


def label(key: str, *, many: bool) -> str:
    """A key as people say it: `favorite colors`, `favorite color`, `wife's favorite TV shows`."""
    words = key.split("_")
    place = words.index(FAVORITE) if FAVORITE in words else -1
    owner = [word for word in words[: max(place, 0)] if word not in {"least", "our"}]
    marks = [word for word in words[: place + 1] if word in {"least", FAVORITE}]
    head, tail = split_noun(words[place + 1 :])
    if not head:
        return " ".join(words)
    if place < 0 and head[0] in _KIN and len(head) > 1:
        owner, head = head[:1], head[1:]
    last = _NAMES.get(head[-1], (singular(head[-1]), head[-1]))[many]
    whose = [*owner[:-1], f"{owner[-1]}'" + "s" * (not owner[-1].endswith("s"))] if owner else []
    return " ".join([*whose, *marks, *head[:-1], last, *tail])
