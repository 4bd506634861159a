"""Reads the items of a list as people write them: numbered, by ordinal words, bulleted, or in a row with commas."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from souvenir.facts.pairs import PAIRS
from souvenir.facts.plain import BULLET, is_list_line, sentence_end, without_point
from souvenir.facts.ranks import CARDINALS, MOST_RANK, ORDINALS
from souvenir.facts.wording import DASHES, one_of
from souvenir.patterns import lazy

MOST_ITEMS = 10_000
MOST_VALUE_CHARS = 1000

_MOST_CLEANED = 2 * MOST_VALUE_CHARS

_ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
_CARDINAL = "|".join(CARDINALS)
_AFTER = rf"(?:\s+(?:is|place|comes|one|choice|goes to|would be|being))*\s*(?:[:,)={DASHES}]\s*)?(?:is\s+)?"


@dataclass(frozen=True, slots=True)
class Listed:
    """Items by rank as they were given, whether the ranks were said, and what was left out and why."""

    items: tuple[tuple[int, str], ...]
    numbered: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Style:
    """One way of numbering; `strict` ones are so common in prose that only the next number counts as a marker."""

    pattern: re.Pattern[str]
    read: Callable[[str], int]
    strict: bool = False
    wordy: bool = False


def _style(pattern: str, read: Callable[[str], int] = int, *, strict: bool = False, wordy: bool = False) -> _Style:
    compiled = lazy(rf"(?:(?<=^)|(?<=[\s,;]))(?:and\s+|then\s+)?{pattern}", re.IGNORECASE)
    return _Style(compiled, read, strict, wordy)


_STYLES = (
    _style(r"(-?\d{1,9})[)\]\uff09]\s*"),
    _style(r"\((-?\d{1,9})\)\s*", strict=True),
    _style(rf"#\s?(-?\d{{1,9}})\b\s*(?:[).:,={DASHES}]\s*)?(?:is\s+)?"),
    _style(r"(-?\d{1,9})\.(?=\s|[^\W\d]|[\"\u201c'*])\s*", strict=True),
    _style(r"(-?\d{1,9})\s?:(?=\s|\D)\s*", strict=True),
    _style(rf"(\d{{1,9}})(?:\s?[=/{DASHES}]\s|[{DASHES}](?=[^\W\d]))\s*", strict=True),
    _style(rf"({_CARDINAL})[):.{DASHES}]\s*", lambda word: CARDINALS[word.lower()], strict=True),
    _style(rf"(?:the\s+)?(\d{{1,9}})(?:st|nd|rd|th)\b{_AFTER}"),
    _style(
        rf"(?:number|nr\.?|rank)\s+(\d{{1,9}}|{_CARDINAL})\b{_AFTER}",
        lambda word: CARDINALS[word.lower()] if word.lower() in CARDINALS else int(word),
    ),
    _style(
        rf"(?:the\s+|my\s+)?({_ORDINAL})(?:ly)?\b{_AFTER}", lambda word: ORDINALS[word.lower()], strict=True, wordy=True
    ),
    _style(r"([a-z])\)\s*", lambda letter: ord(letter.lower()) - ord("a") + 1, strict=True),
)
_BARE = _style(r"(\d{1,3})\s+(?=[^\W\d])", strict=True)
_LINE_NUMBER = lazy(
    rf"\s*(?:{BULLET}\s+)?(?:\(?(-?\d{{1,9}})(?:[).:\]\uff09]|\s[{DASHES}])|#(\d{{1,9}})[).:]?)(?:\s+|$|(?=[^\W\d]))"
)
_BULLET = lazy(rf"\s*{BULLET}\s+")

_REMARK = one_of(
    r"""so, since, while, as(?! in\b), when, if, not, except, i, i'm, we, they, it, it's, and that, and those,
    and these, and they, no doubt, no question, no matter, without, hands, for sure, by far, of course, obviously,
    definitely, always, especially, mainly, mostly, just, at least, even, thanks, believe, in case, after all"""
)
_CLAUSE = lazy(
    rf"\s*[,;{DASHES}]?\s+(?:but|because|although|though|however|whereas|which|who)\s"
    rf"|,\s+{_REMARK}\b"
    r"|\s*,?\s+and (?:i|i'm|i've|i'd|we|you|they|he|she|it|mine|his|hers|theirs|yours)\s+\w"
    r"|\s*,?\s+and (?:my|our) (?:[^\s,]+ ){1,7}(?:is|are)\b"
    r"|\s*,?\s+\(?(?:in that order|in this order|in order|in no particular order|respectively)\b"
    r"|\s+please (?:remember|save|store|keep|note)\b",
    re.IGNORECASE,
)
_WHEN = "now|these days|at the moment|right now|currently|lately|today|nowadays|instead|again|anymore"
_TRAILING = lazy(
    r"[\s,;]+(?:and|&|then|or|also|plus|while|whereas|in that order|for now|as well|too|thanks|thank you|please|lol"
    rf"|haha|:\)|;\)|:-\)|<3|\^\^|etc\.?|[{DASHES}]+|(?-i:{_WHEN}))$",
    re.IGNORECASE,
)
_LEADING_WORD = one_of(
    """and, then, plus, followed by, finally, lastly, also, after that, next, of course, maybe, perhaps, probably,
    possibly, definitely, obviously, especially, even"""
)
_LEADING = lazy(rf"^(?:{_LEADING_WORD}\b[\s,:]*|&\s*)+(?=\S)", re.IGNORECASE)
_LAST = lazy(r"(?:and|plus|finally|lastly)\b|&", re.IGNORECASE)
_LEADING_MARK = lazy(rf"^(?:[:=>•*{DASHES}]\s*)+(?!\d)")
_REASON = lazy(rf"\s*[,(:{DASHES}]?\s(?:because|cause|cuz|since it|as it)\s.*", re.IGNORECASE | re.DOTALL)
_FIRST = lazy(r"\s+(?:first|number one|#1)$", re.IGNORECASE)
_ASIDE = lazy(r"(?<=\band),\s*(?:of course|naturally|obviously|finally|lastly|not least|maybe|perhaps),\s*")
_AND_SO_ON = lazy(
    one_of(
        r"etc\.?, more, others, so on, so forth, many more, many others, the like, stuff, things like that, whatnot"
    ),
    re.IGNORECASE,
)
_GLUE, _COMMA = "\x01", "\x02"
_SPLIT_AND = lazy(r"\s+(?:and then|and|&|n|then|followed by|\+)\s+", re.IGNORECASE)
_SEPARATORS = tuple(map(re.compile, (r";", r"\s(?:>|→|->)\s", r"\s\|\s", r",", r"\s/\s")))
_DASHED = lazy(rf"\s[{DASHES}]{{1,2}}\s")
_SLASHES = lazy(r"[^\s/]+(?:/[^\s/]+){2,}")
_RANK_BEHIND = lazy(
    rf"\s*(?:\(#?(\d{{1,6}})(?:st|nd|rd|th)?\)|#(\d{{1,6}})"
    rf"|[({DASHES}]?\s*\b(?:(?:is|comes|at|in|my|the)\s+)*({_ORDINAL})(?:\s+place)?\)?)$",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "\u201c": "\u201d", "'": "'", "\u2018": "\u2019", "«": "»", "`": "`"}


def read_list(text: str) -> Listed:
    """The items of a list in one line; what follows it is left alone."""
    if _BARE.pattern.match(text) and len(bare := _numbered(text, _BARE)) > 1 and bare[0][0] == 1:
        return _checked(bare)
    style = next((style for style in _STYLES if style.pattern.match(text)), None)
    if style is not None:
        pairs = _numbered(text, style)
        if len(pairs) > 1 or pairs[0][0] != 1 or not style.wordy:
            return _checked(pairs)
        text = style.pattern.sub("", text, count=1)
    values = split_row(text, keep_ranks=True)
    ranks = [_RANK_BEHIND.search(value) for value in values]
    if len(values) > 1 and all(ranks):
        numbers = [int(rank[1] or rank[2] or ORDINALS[rank[3].lower()]) for rank in ranks if rank is not None]
        return _checked(
            [(number, clean(_RANK_BEHIND.sub("", value))) for number, value in zip(numbers, values, strict=True)]
        )
    return _counted(split_row(text))


def read_lines(lines: Sequence[str]) -> tuple[Listed, int]:
    """The list that lines begin with, and how many of them it takes; items further in belong to the one above them."""
    taken = _list_block(lines)
    block = [line for line in lines[:taken] if line.strip()]
    if not block or not is_list_line(block[0]):
        return _counted([clean(line) for line in block]), taken
    depth = _indent(block[0])
    top = [line for line in block if _indent(line) <= depth + 1 and is_list_line(line)]
    numbers = [_LINE_NUMBER.match(line) for line in top]
    if numbers[0] is None:
        return _counted([clean(_BULLET.sub("", line, count=1)) for line in top]), taken
    pairs = [
        (int(number[1] or number[2]), clean(line[number.end() :]))
        for number, line in zip(numbers, top, strict=True)
        if number is not None
    ]
    if len(pairs) > 1 and len({rank for rank, _ in pairs}) == 1:
        # markdown numbers such a list by itself
        return _counted([value for _, value in pairs]), taken
    return _checked(pairs), taken


def split_row(text: str, *, keep_ranks: bool = False) -> list[str]:
    """The values of a plain row: by semicolons, arrows or commas, the last two by `and`; quotes and brackets hold."""
    text = _ASIDE.sub(" ", text)
    text = PAIRS.sub(lambda pair: pair[0].replace(" ", _GLUE).replace(",", _COMMA), text[: row_end(text)].strip(" ,;"))
    if _SLASHES.fullmatch(text):
        text = text.replace("/", ",")
    inside = _protected(text)
    places = next((found for mark in _SEPARATORS if (found := _outside(mark, text, inside))), [])
    if not places and len(dashes := _outside(_DASHED, text, inside)) > 1:
        places = dashes
    if not places:
        places = _outside(_SPLIT_AND, text, inside)
    elif text[places[0].start()] == "," and not _LAST.match(text[places[-1].end() :].lstrip()):
        places += [match for match in _outside(_SPLIT_AND, text, inside) if match.start() > places[-1].end()][-1:]
    ends = [*(match.start() for match in places), len(text)]
    starts = [0, *(match.end() for match in places)]
    pieces = [_LEADING.sub("", text[start:end].strip()) for start, end in zip(starts, ends, strict=True)]
    if len(pieces) > 1 and not keep_ranks:
        pieces[0] = _FIRST.sub("", pieces[0])
    # a call at the end ends the sentence, one before that is of a name: Yahoo!, Neu!
    values = [clean(piece) + "!" * (piece.endswith("!") and piece is not pieces[-1]) for piece in pieces]
    return [value for value in values if value and not _AND_SO_ON.fullmatch(value)]


def row_end(text: str) -> int:
    """Where a list or value in a line ends: with its sentence, or where another clause begins."""
    end = sentence_end(text)
    inside = _protected(text[:end])
    return next((match.start() for match in _CLAUSE.finditer(text, 0, end) if not inside[match.start()]), end)


def clean(value: str) -> str:
    """A value as it was meant: without quotes around it, ends of sentences and words that only connect.

    One that is far too long to be kept stays as it is: its ends could take as many rounds as it has words.
    """
    if len(value) > _MOST_CLEANED:
        return value
    value = _LEADING_MARK.sub("", " ".join(value.replace(_GLUE, " ").replace(_COMMA, ",").split()))
    value = _REASON.sub("", value)
    while (shorter := _TRAILING.sub("", without_point(value))) != value:
        value = shorter
    if len(value) > 2 and _QUOTES.get(value[0]) == value[-1] and value[-1] not in value[1:-1]:
        value = value[1:-1].strip().rstrip(",.")
    return value


def _numbered(text: str, style: _Style) -> list[tuple[int, str]]:
    marks: list[tuple[int, re.Match[str]]] = []
    step = 0
    for match in style.pattern.finditer(text):
        rank = style.read(match[1])
        if marks and style.strict:
            change = rank - marks[-1][0]
            if abs(change) != 1 or (step and change != step):
                continue
            step = change
        marks.append((rank, match))
    ends = [match.start() for _, match in marks[1:]] + [len(text)]
    pairs = [(rank, text[match.end() : end]) for (rank, match), end in zip(marks, ends, strict=True)]
    *whole, (rank, last) = pairs
    return [*((number, clean(value)) for number, value in whole), (rank, clean(last[: row_end(last)]))]


def _counted(values: Sequence[str]) -> Listed:
    """Values in the order they came, each once."""
    notes: list[str] = []
    seen: dict[str, str] = {}
    for value in values:
        if not value:
            continue
        if len(value) > MOST_VALUE_CHARS:
            notes.append(f"A value of more than {MOST_VALUE_CHARS} characters was left out.")
        elif same(value) in seen:
            notes.append(f"{value} was named twice.")
        else:
            seen[same(value)] = value
    kept = list(seen.values())[:MOST_ITEMS]
    return Listed(tuple(enumerate(kept, start=1)), notes=tuple(dict.fromkeys(notes)))


def _checked(pairs: Sequence[tuple[int, str]]) -> Listed:
    """Ranks as they were said, those that can be; of a rank said twice the first stays."""
    notes: list[str] = []
    ranked: dict[int, str] = {}
    for rank, value in pairs:
        if not value:
            continue
        if not 1 <= rank <= MOST_RANK:
            notes.append(f"Number {rank} was left out: ranks go from 1 to {MOST_RANK}.")
        elif len(value) > MOST_VALUE_CHARS:
            notes.append(f"A value of more than {MOST_VALUE_CHARS} characters was left out.")
        elif rank in ranked:
            notes.append(f"Number {rank} was given twice: {ranked[rank]} stays and {value} was left out.")
        else:
            ranked[rank] = value
    counts = Counter(map(same, ranked.values()))
    notes += [f"{value} was named twice." for value in ranked.values() if counts[same(value)] > 1]
    return Listed(tuple(sorted(ranked.items())), numbered=True, notes=tuple(dict.fromkeys(notes)))


def same(value: str) -> str:
    """What two ways to write one value share."""
    return " ".join(value.casefold().replace("\u2019", "'").split()).strip(" .!\"'").removeprefix("the ")


def _list_block(lines: Sequence[str]) -> int:
    """How many lines a list takes: up to a line that is no item and not further in, or a blank one before it."""
    start = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    if start == len(lines):
        return 0
    marked = is_list_line(lines[start])
    depth = _indent(lines[start])
    last = start
    for place in range(start, len(lines)):
        line = lines[place]
        if not line.strip():
            if not marked:
                break
            continue
        if marked and not is_list_line(line) and _indent(line) <= depth:
            break
        if not marked and (is_list_line(line) or line.rstrip().endswith((":", "?"))):
            break
        last = place
    return last + 1


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _outside(pattern: re.Pattern[str], text: str, inside: bytearray) -> list[re.Match[str]]:
    """Where a separator stands outside of quotes and brackets."""
    return [match for match in pattern.finditer(text) if not inside[match.start()]]


def _protected(text: str) -> bytearray:
    """A flag for each character: within quotes or brackets that are closed again."""
    flags = bytearray(len(text) + 1)
    opened: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        if opened and character == opened[-1][0]:
            _, start = opened.pop()
            if not opened:
                flags[start : place + 1] = b"\x01" * (place + 1 - start)
        elif character in "([{":
            opened.append((")]}"["([{".index(character)], place))
        elif character in _QUOTES and character not in "'`" and (not place or not text[place - 1].isalnum()):
            opened.append((_QUOTES[character], place))
    return flags
