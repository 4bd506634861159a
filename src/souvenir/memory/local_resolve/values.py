"""What fills a slot, read from the words that say it: things, places, names, or a date or amount as a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import regex

from souvenir.memory.local_resolve.frames import NOTHING, Item, Terms
from souvenir.memory.local_resolve.kinds import kinds_of, versions_of
from souvenir.memory.local_resolve.lists import word_set
from souvenir.memory.local_resolve.places import containing
from souvenir.memory.local_resolve.words import canonical, fold, is_number, term_of, tokens_of
from souvenir.patterns import lazy_regex


@dataclass(frozen=True, slots=True)
class Grammar:
    """The small words of a language: what says nothing, what joins, what begins a detail, what begins a reason."""

    empty: frozenset[str]
    joins: frozenset[str]
    details: frozenset[str]
    reason: regex.Pattern[str]
    kept: frozenset[str] = frozenset()  # small words of details that change what they say
    dropped: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Work out once which words of a detail say nothing."""
        object.__setattr__(self, "dropped", (self.empty | self.details | self.joins) - self.kept)


ENGLISH = Grammar(
    empty=word_set(
        "a an the his her hers their theirs its some any of very really quite lot lots own one's s this"
        " that these those bit little new both all other another he she they it him them is are was were"
        " be been also too well again now currently still just anymore longer much more most"
        " currently recently lately nowadays please new newly who which called named known whose has have"
        " had do does did so such as there here"
    ),
    joins=frozenset(("and", "or", ",", "&", "plus")),
    details=word_set(
        "with without in at on for from during every each when whenever while after before since until"
        " till by near to about as per twice once daily weekly monthly yearly named called who which that"
        " where if unless around over working using specializing specialising focusing focused majoring"
        " such especially including like under between through towards toward using via outside inside"
        " against than fluently well regularly often sometimes usually occasionally into again lately"
        " whose always never only mostly mainly because due"
    ),
    reason=lazy_regex(
        r",? ?\b(?:because|due to|thanks to|so that|in order to|since (?=he|she|they|it|the\b)|as (?=he|she|they|it)\b"
        r"|for (?:health|medical|ethical|religious|personal|financial) reasons)\b(?P<why>.*)",
        regex.I,
    ),
    kept=word_set("without before after from until not no never only sometimes occasionally to"),
)
# what is done with the words that follow, where "cooking shows" are shows
_DOING = word_set(
    "reading playing watching making writing learning collecting baking building riding visiting"
    " drawing eating drinking spending taking going doing having trying working studying practising"
    " practicing buying using driving wearing listening talking exploring helping teaching attending"
    " living staying meeting seeing getting being"
)
_PART = lazy_regex(r"(?:[^\s,;&()\"]|,(?=\d{3}\b))+|[,;&]")
_UNIT = r"(?:day|week|month|year|night|hour|morning|evening|summer|winter|spring|autumn|fall|weekend|time)s?"
_WHEN = lazy_regex(
    rf",? (?:since (?=\d|\p{{Lu}}|last|the)|in (?=(?:early |late )?(?:19|20)\d\d|(?:January|February|March"
    rf"|April|May|June|July"
    r"|August|September|October|November|December)\b)"
    rf"|last {_UNIT}|yesterday|earlier this|a (?:few|couple of) {_UNIT} ago|[\w\-]+ {_UNIT} ago|recently\b)"
    rf"|^(?:last {_UNIT}|yesterday|earlier this|a (?:few|couple of) {_UNIT} ago|[\w\-]+ {_UNIT} ago|since \S+$)"
)
_PER = lazy_regex(rf" (?:an?|per|each|every) {_UNIT}\b")
_ANY: Terms = frozenset(("*",))
_HONORIFICS = frozenset(("mr", "mrs", "ms", "dr", "prof", "professor"))
_CLASS = lazy_regex(
    r"^(?:the )?(?:(?:city|town|village|country|state|continent|region|island|capital|sport|religion|language|position"
    r"|field|genre|instrument|party|company|university|area|district|neighbou?rhood|county|province) of) (?=\S)",
    regex.I,
)
_JOIN = lazy_regex(r",? and |,? & | or ")
_PLACE_END = lazy_regex(
    r",? (?:with|since|for|from|during|because|as|while|where|who|which|when|until|after|before|to|again|now|anymore"
    r"|currently|permanently|temporarily|full-time|part-time|alone|together|right now|at the moment|these"
    r" days|last|this"
    r"|next|at|on|near|close to|due|and (?=\p{Ll}+s ))\b",
)
_IN_PLACE = lazy_regex(r", ?| in ")
_YEAR = lazy_regex(
    r" in (?=(?:early |late )?(?:\d{4}|(?:January|February|March|April|May|June|July|August|September"
    r"|October|November|December)\b|the (?:summer|winter|spring|fall|autumn)))"
)
_LOWER_LEAD = lazy_regex(
    r"^(?:(?:the|a|an|his|her|their|downtown|central|northern|southern|eastern|western|nearby"
    r"|beautiful|sunny|rural|greater) )+",
    regex.I,
)


def things(text: str, grammar: Grammar = ENGLISH) -> tuple[Item, ...]:
    """The things a noun phrase lists, each with the details said of them."""
    text, reasons = split_reason(text, grammar)
    text, when = _cut(text, _WHEN)
    text, _, listed = text.partition(": ")
    text, often = _cut(text, _PER)
    reasons |= when
    cores, rest = _split(_PART.findall(text), grammar)
    details = _content(rest, grammar) | _content(tokens_of(listed), grammar) | often
    items = [_thing(core, details, reasons, grammar) for core in cores]
    return tuple(item for item in items if item is not None)


def split_reason(text: str, grammar: Grammar = ENGLISH) -> tuple[str, Terms]:
    """A phrase without the reason it gives, and the reason."""
    found = grammar.reason.search(text)
    if found is None:
        return text, NOTHING
    return text[: found.start()], _content(tokens_of(found["why"]), grammar) | {"because"}


def _split(parts: Sequence[str], grammar: Grammar) -> tuple[list[list[str]], list[str]]:
    """The joined cores of a phrase, and everything from its first detail on."""
    cores: list[list[str]] = [[]]
    for at, part in enumerate(parts):
        word = part.lower()
        if word in grammar.joins:
            cores.append([])
        elif word in grammar.details and any(cores):
            return cores, list(parts[at:])
        else:
            cores[-1].append(part)
    return cores, []


def _content(words: Iterable[str], grammar: Grammar) -> Terms:
    tokens = [token for word in words for token in tokens_of(word) if token.lower() not in grammar.dropped]
    return frozenset(canonical(tokens))


def _thing(words: Sequence[str], details: Terms, reasons: Terms, grammar: Grammar) -> Item | None:
    tokens = [token for word in words for token in tokens_of(word) if token.lower() not in grammar.empty]
    terms = canonical(tokens)
    count = None
    if len(terms) > 1 and is_number(terms[0]):
        count, terms = terms[0], terms[1:]
    if not terms:
        return None
    if len(terms) > 1 and (tokens[0] in _DOING or (tokens[0].endswith("ing") and tokens[1][0].isupper())):
        return make_item(terms[0], frozenset(terms[:1]), details | frozenset(terms[1:]), reasons, count)
    named = [term for term in terms if not is_number(term)] or terms
    item = make_item(named[-1], frozenset(terms), details, reasons, count)
    # a blue Ford Focus is a car by its first name
    brands = frozenset(kind for token in tokens if token[0].isupper() for kind in kinds_of(term_of(fold(token))))
    return replace(item, heads=item.heads | brands)


def is_aside(text: str) -> bool:
    """Whether a phrase says only when."""
    return _WHEN.match(text) is not None


def content(text: str, grammar: Grammar = ENGLISH) -> Terms:
    """The words of a phrase that say something."""
    return _content(tokens_of(text), grammar)


def make_item(
    head: str, terms: Terms, details: Terms = NOTHING, reasons: Terms = NOTHING, count: str | None = None
) -> Item:
    """An item with all that follows from it by what it is a kind of."""
    above = frozenset(kind for term in terms for kind in kinds_of(term))
    return Item(
        head=head,
        terms=terms,
        heads=frozenset((head,)) | kinds_of(head),
        reach=terms | above | details,
        details=details,
        reasons=reasons,
        count=count,
        soft=versions_of(head),
    )


def names(text: str) -> tuple[Item, ...]:
    """The names a phrase lists: of people, of companies, of anything with one."""
    text, reasons = split_reason(text)
    text, details = _cut(text, _PLACE_END)
    found = [frozenset(canonical(_named(part))) for part in _JOIN.split(text)]
    return tuple(_free(terms, details, reasons) for terms in found if terms)


def _named(text: str) -> list[str]:
    tokens = [token for token in tokens_of(text) if token.lower() not in ("the", "a", "an", "his", "her", "their")]
    return [token for token in tokens if token.lower().rstrip(".") not in _HONORIFICS] or tokens


def whole(text: str) -> tuple[Item, ...]:
    """A date, an amount, a title: every word of it says which."""
    text, reasons = split_reason(text)
    terms = frozenset(canonical(_named(_CLASS.sub("", text)))) - _FILLERS
    return (_free(terms, NOTHING, reasons),) if terms else ()


_FILLERS = frozenset(("of", "at", "on", "by", "in", "now", "around", "about", "current"))


def _free(terms: Terms, details: Terms = NOTHING, reasons: Terms = NOTHING) -> Item:
    return Item("*", terms, _ANY, terms | details, details, reasons)


def exactly(text: str) -> tuple[Item, ...]:
    """One name that is only itself: "Rome" is no part of "New Rome", but "Washington" is of "Washington, D.C."."""
    parts = [" ".join(canonical(_named(part))) for part in _CLASS.sub("", text).split(",")]
    terms = frozenset(part for part in parts if part)
    return (Item(parts[0], terms, terms, terms),) if parts[0] else ()


def _cut(text: str, end: regex.Pattern[str]) -> tuple[str, Terms]:
    found = end.search(text)
    if found is None:
        return text, NOTHING
    return text[: found.start()], _content(tokens_of(text[found.start() :]), ENGLISH)


def places(text: str) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """The places a phrase names, and the dwellings it describes ("a small apartment in Berlin")."""
    text, reasons = split_reason(text)
    text, details = _cut(text, _PLACE_END)
    text, when = _cut(text, _YEAR)
    details |= when
    found: list[Item] = []
    dwellings: list[Item] = []
    for one in _JOIN.split(text):
        parts = [part for part in _IN_PLACE.split(one) if part.strip()]
        lower = [part for part in parts if not _is_place(part)]
        named = [_place_term(part) for part in parts if _is_place(part)]
        if named:
            more = _content([word for part in lower for word in tokens_of(part)], ENGLISH)
            found.append(_place(named, details | more, reasons))
        if lower:
            dwellings.extend(things(lower[0]))
    return tuple(found), tuple(dwellings)


def _is_place(part: str) -> bool:
    bare = _LOWER_LEAD.sub("", _CLASS.sub("", part.strip()))
    return bool(bare) and (not bare[0].islower() or bool(containing(_place_term(part))))


def _place_term(part: str) -> str:
    return " ".join(canonical(tokens_of(_LOWER_LEAD.sub("", _CLASS.sub("", part.strip())))))


def _place(parts: Sequence[str], details: Terms, reasons: Terms) -> Item:
    terms = frozenset(parts)
    above = terms | {place for part in parts for place in containing(part)}
    return Item(parts[0], terms, above, above | details, details, reasons)
