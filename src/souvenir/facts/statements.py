"""Finds what a message states about favorites and lists: whole lists, one rank's value, single facts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from souvenir.facts.heads import Head, after_fillers, find_heads
from souvenir.facts.lists import MOST_VALUE_CHARS, Listed, clean, read_lines, read_list, row_end, split_row
from souvenir.facts.operations import Add, Operation, Place, Remove, Restate, Tell
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.plain import is_list_line, sentences
from souvenir.facts.topics import Topic
from souvenir.facts.wording import APOSTROPHE, DASHES, one_of
from souvenir.patterns import lazy

_LEAD_IN_WORD = one_of(
    r"""only, just, also, now, still, currently, definitely, probably, obviously, actually, really, simply, easily,
    always,
    clearly, of course, basically, that would be, that's, that is, it's, it is, it would be, has to be, gotta be, easy,
    i'd say, i would say, i think, i guess, hmm, well, mostly, mainly, called, named, ranked, below, as follows,
    the following(?: \w+)?, these(?: \w+)?(?=\s*:), in (?:this |that |the following )?order(?: of \w+)?"""
)
_LEAD_IN = lazy(
    r"(?:\s*(?:[:=,>\u2013\u2014]|-(?!\d)|\(in order\)|from \w+ to \w+(?: favorite)?(?=\s*[:,])"
    rf"|{_LEAD_IN_WORD}\b))*\s*",
    re.IGNORECASE,
)
_NOT_A_VALUE = one_of(
    """not, no, either, neither, when, that, that's, how, what, whatever, which, where, because, if, unknown,
    undecided, a secret, secret, none, nothing, the one, the ones, the same, it, this, these, those, too, so, very,
    in, on, at, near, under, from, with, out, over, back, gone, broken, missing, coming, getting, being, going,
    becoming, closed, closing, ending, sold, dead, here, there, your, yours, mine, hard, difficult, about, unclear,
    complicated, subject, constantly, changing, different, still"""
)
_NO_VALUE = lazy(rf"{_NOT_A_VALUE}\b.*|(?:i|you|we|they|he|she) \w.*|.*\?", re.IGNORECASE | re.DOTALL)
_STATE = lazy(
    r"[a-z]{3,}ed|"
    + one_of(
        """burning, leaking, dying, failing, crashing, melting, bleeding, sinking, ringing, expiring, retiring, leaving,
        dirty, gone, broken, torn, old, dead, lost, small, big, tight, loose, wet, cold, hot, expensive, cheap,
        great, good, bad, nice, awesome, amazing, fine, many, few, simple, easy, obvious, weird, boring, here,
        there, empty, full, sold out, everything, everyone, stuck"""
    )
)
_HOW_LONG = lazy(
    r"[\s,]+"
    + one_of(
        """now, these days, at the moment, right now, currently, too, as well, for sure, by far, of all time, i think,
        i guess, today, instead, anymore, nowadays, hands down, i'd say, obviously, lol, haha, btw, by the way,
        if you must know, if you want to know, you know, again, ever, actually"""
    )
    + "$",
    re.IGNORECASE,
)
_NO_LONGER = lazy(
    r"\s*(?:no longer\s+(?P<value>[^,;]{1,60}?)|not\s+(?P<other>[^,;]{1,60}?)\s+(?:anymore|any more|any "
    r"longer))[\s.!]*$",
    re.IGNORECASE,
)
_RATHER = lazy(
    r"\s*(?:no longer|not)\s+[^,;]{1,60}?(?:\s+(?:anymore|any more|any longer))?"
    rf"(?:\s*[,;{DASHES}]\s*(?:but\s+)?|\s+but\s+)"
    rf"(?:it{APOSTROPHE}s|it is|rather|now|instead)?\s*(?:now\s+)?(?P<value>.+)",
    re.IGNORECASE,
)

_GOES_ON = lazy(
    r"(?:\s*[,;]\s*|\s+)(?:(?:and|then|but)\s+)*(?:(?:my|the)\s+)?"
    r"(?P<rank>#\s?\d{1,4}|number\s+\w+|\d{1,4}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh"
    r"|eighth|ninth"
    r"|tenth|last)(?:\s+(?:one|place|favou?rite|fav|choice|pick))?(?:\s+(?:is|are|would be|goes to|comes)\s+"
    r"|\s*[:=]\s*)",
    re.IGNORECASE,
)
_HOW = one_of(
    """now, also, still, both, all, definitely, probably, actually, currently, easily, by far, no longer, not,
    hands down, officially, obviously, really, simply, clearly"""
)
_REVERSED = lazy(
    rf"(?P<verb>\s(?:is|are)(?:n{APOSTROPHE}t)?|{APOSTROPHE}s|\s[{DASHES}]+(?=\smy\s))\s+(?P<how>(?:{_HOW}\s+)*)"
    r"(?P<part>(?:one|some|two|three|part)\s+of\s+|among\s+)?(?P<phrase>(?:my|our)\s+[^,.;:!?]{2,90}?)"
    r"(?P<longer>\s+(?:anymore|any more|any longer))?[\s.!]*$",
    re.IGNORECASE,
)
_ANOTHER = lazy(r"(?:,\s+(?:and\s+)?|\s+and\s+)(?=[^,]{1,60}?\s(?:is|are)\s+my\b)", re.IGNORECASE)
_IS_MINE = lazy(r"\s(?:is|are)\s+my\b", re.IGNORECASE)
_NO_SUBJECT = lazy(
    one_of(
        """that, this, it, he, she, they, we, you, these, those, there, here, what, whats, waht, wht, wat, wut,
        whta, which, wich, who, whos, whose, where, when,
        why, how, i, one, neither, none, nothing, if, everything, something, anything, so"""
    )
    + r"\b.*",
    re.IGNORECASE | re.DOTALL,
)
_REPORTED = lazy(
    r"\b(?:said|says|tell|told|thinks?|believes?|wonder|asked|whether|if|why|how|what)\b|^(?:translate|write)\b",
    re.IGNORECASE,
)
_THOSE = lazy(rf"\s*[,:;{DASHES}]\s*(?:those|these|they|that|this|all of (?:those|these|them))$", re.IGNORECASE)
_NAME = lazy(r"(?:(?:an?|the)\s)?[^\Wa-z_]")
_INSTEAD_OF = lazy(r"[\s,]+(?:now\s+)?(?:instead of|rather than|(?<=,\s)not|and not)\s+.+$", re.IGNORECASE)
_ABOVE = lazy(
    r"\s*(?:(?:so|and)\s+)?(?:those|these|they|that|this|the above|all of (?:those|these))\s+(?:are|is|would be"
    r"|'re|were)\s+"
    r"(?P<phrase>my\s[^,.;:!?]{2,90}?)[\s.!]*",
    re.IGNORECASE,
)
_SUPPOSED = lazy(r"\b(?:if|unless|had)\b", re.IGNORECASE)
_JOINING = lazy(r"[\s,;]+(?:and|but|while|whereas|plus|then|also|and then|and also)\s*$", re.IGNORECASE)
_MOST_SINGLE_WORDS = 14
_MOST_ROW_VALUE = 120


def find_statements(text: str) -> Iterator[tuple[int, Operation]]:
    """What a plain text states, each with its place in the text, in order."""
    lines = text.split("\n")
    place = number = 0
    topic: Topic | None = None
    while number < len(lines):
        used = 1
        for at, operation, below in _of_line(lines, number, topic):
            topic = operation.topic or topic
            used = max(used, 1 + below)
            yield place + at, operation
        place += sum(len(line) + 1 for line in lines[number : number + used])
        number += used


def _of_line(lines: Sequence[str], number: int, topic: Topic | None) -> Iterator[tuple[int, Operation, int]]:
    """What a line states: place, operation, and how many lines below it belong to it."""
    line = lines[number]
    heads = find_heads(line) or _title(lines, number)
    for head, end in heads:
        rest = _JOINING.sub("", line[head.end : end])
        listed, row, below = _body(lines, number, rest.rstrip(" ?") if head.asked else rest, last=end == len(line))
        if _is_anybodys(head) and not _is_all(lines, number, head, listed or read_list(row)):
            continue
        named = head.phrase.topic or head.topic or (topic if head.phrase.ranks else None)
        for operation in _stated(head, named, listed, row):
            topic = operation.topic or topic
            yield head.start, operation, below
    if not heads and (above := _of_list_above(lines, number)) is not None:
        yield 0, above, 0
    elif not heads:
        yield from ((at, operation, 0) for at, operation in _reversed(line))


def _of_list_above(lines: Sequence[str], number: int) -> Operation | None:
    """`Those are my favorite cities`, under a list that nothing leads in."""
    match = _ABOVE.fullmatch(lines[number])
    end = next((at for at in range(number - 1, -1, -1) if lines[at].strip()), None) if match is not None else None
    if match is None or end is None or not is_list_line(lines[end]):
        return None
    start = end
    while start > 0 and is_list_line(lines[start - 1]):
        start -= 1
    phrase = read_phrase(match["phrase"])
    listed, _ = read_lines(lines[start : end + 1])
    if phrase is None or not phrase.marked or not phrase.many or phrase.topic is None or phrase.ranks:
        return None
    return Restate(phrase.topic, True, listed.items, listed.notes) if listed.items else None


def _is_anybodys(head: Head) -> bool:
    """Whether a head says neither whose a list is nor that it is of favorites: `Top 3 cities:`."""
    return head.phrase.owner == "nobody" and not head.phrase.favorite and not head.phrase.ranks


def _is_all(lines: Sequence[str], number: int, head: Head, listed: Listed) -> bool:
    """Whether a message is nothing but a list, of as many items as its head says."""
    before = any(line.strip() for line in lines[:number])
    asks = any(line.rstrip().endswith("?") for line in lines)
    return not before and not asks and head.phrase.count == len(listed.items)


def _title(lines: Sequence[str], number: int) -> list[tuple[Head, int]]:
    """A line that is nothing but the name of the list under it."""
    line = lines[number]
    if is_list_line(line) or not _list_follows(lines, number, within=1):
        return []
    phrase = read_phrase(line[after_fillers(line) :])
    if phrase is None or not phrase.favorite or phrase.topic is None or phrase.owner not in {"my", "nobody"}:
        return []
    return [(Head(0, len(line), phrase, ":"), len(line))]


def _body(lines: Sequence[str], number: int, rest: str, *, last: bool) -> tuple[Listed | None, str, int]:
    """What a head leads in: a list, or the row to read one from, and how many lines below it takes."""
    lead = _LEAD_IN.match(rest)
    row = rest[lead.end() if lead is not None else 0 :]
    first = row if is_list_line(row) else rest.lstrip()
    if last and is_list_line(first) and _list_follows(lines, number, within=1):
        listed, taken = read_lines([first, *lines[number + 1 :]])
        return listed, "", taken - 1
    if last and (not row.strip() or (row.rstrip().endswith(":") and _list_follows(lines, number))):
        listed, taken = read_lines(lines[number + 1 :])
        return listed, "", taken
    return None, row, 0


def _list_follows(lines: Sequence[str], number: int, *, within: int = 3) -> bool:
    return next((is_list_line(line) for line in lines[number + 1 : number + 1 + within] if line.strip()), False)


def _stated(head: Head, topic: Topic | None, listed: Listed | None, row: str) -> Iterator[Operation]:
    phrase = head.phrase
    if head.is_past or (head.is_supposed and (_SUPPOSED.search(row) or not head.is_of_several)):
        return
    row = f"not {row}" if head.is_denied else row
    if phrase.ranks:
        yield from _placed(phrase, topic, row)
        return
    if topic is None:
        return
    if listed is None and row.strip():
        found = read_list(row)
        listed = found if head.is_of_several or found.numbered else None
    if listed is not None:
        if listed.items and _is_list_of(phrase, topic, listed, head.verb, below=not row):
            values = tuple(value for _, value in listed.items)
            yield Add(topic, True, values) if head.part else Restate(topic, True, listed.items, listed.notes)
        return
    if (gone := _NO_LONGER.match(row)) is not None:
        yield Remove(topic, False, (clean(gone["value"] or gone["other"]),))
        return
    value = _single(row)
    # "my top drawer is stuck" is no favorite
    if value and (phrase.favorite or (phrase.marked and not value[0].islower())):
        yield Tell(topic, True, value)


def _is_list_of(phrase: Phrase, topic: Topic, listed: Listed, verb: str, *, below: bool) -> bool:
    """Whether a list is one: of favorites anything but a clause, else only what is plainly enumerated."""
    values = [value for _, value in listed.items]
    if listed.numbered or below:
        return phrase.marked or not any(value.endswith("?") for value in values)
    if any(len(value) > _MOST_ROW_VALUE for value in values) or _NO_VALUE.fullmatch(values[0]):
        return False
    if len(values) == 1 and _STATE.fullmatch(values[0]):
        return False
    if phrase.marked or len(topic.keys) == 1:
        return True
    return len(values) > 1 and (verb in ":=" or all(map(_NAME.match, values)))


def _placed(phrase: Phrase, topic: Topic | None, row: str) -> Iterator[Operation]:
    sure = phrase.marked or (topic is not None and phrase.topic is None)
    if len(phrase.ranks) == 1 and (others := list(_GOES_ON.finditer(row))):
        yield from _each(phrase.ranks[0], topic, row, others, sure=sure)
        return
    values = split_row(row) if len(phrase.ranks) > 1 else [value for value in (_single(row),) if value]
    if len(values) == len(phrase.ranks):
        for rank, value in zip(phrase.ranks, values, strict=True):
            if rank != 0 and rank >= -1:
                yield Place(topic, sure, rank, value)


def _each(
    rank: int, topic: Topic | None, row: str, others: Sequence[re.Match[str]], *, sure: bool
) -> Iterator[Operation]:
    """What `my number one car is a Saab, number two is a Volvo` places."""
    ends = [*(match.start() for match in others), len(row)]
    starts = [0, *(match.end() for match in others)]
    ranks = [rank, *(_rank_said(match["rank"]) for match in others)]
    for place, start, end in zip(ranks, starts, ends, strict=True):
        value = _single(row[start:end])
        if value and place is not None and place > 0:
            yield Place(topic, sure, place, value)


def _rank_said(said: str) -> int | None:
    phrase = read_phrase(said)
    return phrase.ranks[0] if phrase is not None and phrase.ranks else None


def _single(row: str) -> str:
    """The one value a row gives, empty when it gives none."""
    corrected = _RATHER.match(row)
    row = corrected["value"] if corrected is not None else row
    value = clean(_INSTEAD_OF.sub("", row[: row_end(row)]))
    while (shorter := clean(_HOW_LONG.sub("", value))) != value:
        value = shorter
    if not value or len(value) > MOST_VALUE_CHARS or len(value.split()) > _MOST_SINGLE_WORDS:
        return ""
    return "" if _NO_VALUE.fullmatch(value) or _STATE.fullmatch(value) else value


def _reversed(line: str) -> Iterator[tuple[int, Operation]]:
    """`Blue is my favorite color`, `Lime is one of my favorite colors`, and what is one no longer."""
    topic: Topic | None = None
    for start, sentence in sentences(line):
        for clause in _clauses(sentence) if len(sentence) <= MOST_VALUE_CHARS else ():
            match = _REVERSED.search(clause)
            phrase = read_phrase(match["phrase"]) if match is not None else None
            if match is None or phrase is None or not phrase.marked:
                continue
            topic = phrase.topic or (topic if phrase.ranks else None)
            body = _THOSE.sub("", clause[after_fillers(clause) : match.start()].strip())
            if (
                topic is None
                or not body
                or _NO_SUBJECT.fullmatch(body)
                or _REPORTED.search(body)
                or body.count('"') % 2
            ):
                continue
            for operation in _said_of(body, match, replace(phrase, topic=topic)):
                yield start, operation


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence that each say what something is to the user."""
    start = 0
    for match in _ANOTHER.finditer(sentence):
        if _IS_MINE.search(sentence, start, match.start()):
            yield sentence[start : match.start()]
            start = match.end()
    yield sentence[start:]


def _said_of(body: str, match: re.Match[str], phrase: Phrase) -> Iterator[Operation]:
    topic = phrase.topic
    denied = "not" in match["how"].lower() or "n" in match["verb"].lower()
    gone = "no longer" in match["how"].lower() or (denied and match["longer"] is not None)
    listed = read_list(body)
    values = tuple(value for _, value in listed.items)
    if gone or (denied and match["part"]):
        yield Remove(topic, gone, values)
    elif denied:
        return
    elif match["part"]:
        yield Add(topic, True, values)
    elif phrase.ranks:
        if len(phrase.ranks) == len(values):
            yield from (Place(topic, True, rank, value) for rank, value in zip(phrase.ranks, values, strict=True))
    elif phrase.many and (len(values) > 1 or match["verb"].strip()[:1].isalpha()):
        yield Restate(topic, True, listed.items, listed.notes)
    elif len(body.split()) <= _MOST_SINGLE_WORDS and match["verb"].strip()[:1] not in DASHES:
        yield Tell(topic, True, values[0] if listed.numbered else clean(body))
