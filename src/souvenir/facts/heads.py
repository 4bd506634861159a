"""Finds where a statement about favorites or a list begins: `my favorite colors are`, `Favorite colors:`."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.plain import sentences
from souvenir.facts.topics import Topic, make_topic, parts
from souvenir.facts.wording import APOSTROPHE, DASHES, FAVORITE, one_of
from souvenir.patterns import lazy

_WORD = (
    r"(?!(?:my|our)\b)(?:[^\s:=,;!?\"\u201c\u201d()]*[^\s:=,;!?\"\u201c\u201d().]"
    r"|(?:\d{1,6}(?:st|nd|rd|th)|first|second|third|fourth|fifth),)"
)
_CLAUSE_START = r"(?:(?<=^)|(?<=[,;:.!?]\s)|(?<=\band\s))"
_BEST = r"i\s(?:like|love|prefer)\s(?:the\s)?(?:best|most)"
_OPENING = lazy(
    r"(?<![\w'\u2019-])(?:my|our)\b"
    rf"|{_CLAUSE_START}(?:#?\d{{1,6}}(?:st|nd|rd|th)?\s|[^\W\d_]{{3,12}}\s)?(?:least\s)?{FAVORITE}"
    rf"|(?<=\bi\shave\s)(?:\w+\s)?{FAVORITE}|(?<=\bi've\sgot\s)(?:\w+\s)?{FAVORITE}"
    rf"|{_CLAUSE_START}(?:my\s)?top\s(?:\d{{1,3}}|two|three|four|five|six|seven|eight|nine|ten)\s(?=[^:.]{{2,60}}:)"
    rf"|{_CLAUSE_START}i\s(?:like|love|prefer)\sthese\s(?=[\w\s'-]{{2,40}}\s(?:the\s)?(?:best|most)\s?:)"
    rf"|{_CLAUSE_START}the\s(?=[\w\s'-]{{2,40}}\s{_BEST}\b)",
    re.IGNORECASE,
)
_LIKED = lazy(
    rf"the\s+(?P<noun>.+?)\s+{_BEST}|i\s+\w+\s+these\s+(?P<those>.+?)\s+(?:the\s+)?(?:best|most)", re.IGNORECASE
)

_ASIDE = one_of(
    r"""best first, favou?rites? first, most to least, starting with the best, top to bottom, in order[\w\s]{0\,20},
    ranked[\w\s]{0\,30}, from \w+ to \w+(?: favorite)?, so far, currently, these days,
    right now, at the moment, of all time, ever, as of \w+, of course, by the way, btw"""
)
_VERB = one_of(
    rf"""isn{APOSTROPHE}t, aren{APOSTROPHE}t, ain{APOSTROPHE}t, was, were, used to be, would have to be,
    has (?:got )?to be, have to be, would be, is, are, r, will be, should be, (?:has|have) (?:always )?been,
    (?:has |have |is |are )?(?:changed|switched) to, (?:has|have) changed(?=\s*[:-]), has become, have become,
    became, includes?, remains?"""
)
_HEAD = lazy(
    rf"(?P<phrase>\S+(?:\s+{_WORD}){{0,11}}?)(?:\s*[,(]\s*{_ASIDE}\s*[,)]?)?"
    rf"(?:\s+(?P<also>also\s+)?(?P<verb>{_VERB})\b|\s?(?P<colon>[:=]|(?<=\s)[{DASHES}](?=\s[^{DASHES}]{{1,300}}$))"
    r"|(?P<question>\?)(?=\s+[^?]{1,80}$))",
    re.IGNORECASE,
)
_SHORT_HEAD = lazy(
    rf"(?P<phrase>my\s+(?:{_WORD}\s+){{0,4}}?{FAVORITE}\s+[\w-]+(?:\s[\w-]+){{0,2}}?){APOSTROPHE}(?P<verb>s|re)\s",
    re.IGNORECASE,
)
_DASH = frozenset("-\u2013\u2014")
_SPELT_OUT = {"s": "is", "re": "are", "r": "are"}
_PAST = lazy(r"was|were|used to be", re.IGNORECASE)

_RANK_BEFORE = lazy(
    r"(?:^|\s)(?P<rank>(?:number|no\.?|#)\s?\w+|[a-z]+|\d+(?:st|nd|rd|th))(?:\s+(?:place|spot))?"
    r"\s+(?:on|in|of|among|from)\s+$",
    re.IGNORECASE,
)
_PART_BEFORE = lazy(r"\b(?:some|one|two|three|a few|a couple|several|another|other) of\s+$|\bamong\s+$", re.IGNORECASE)

_FILLER_WORD = one_of(
    r"""yo, hiya, heya, dude, mate, souvenir, good morning, good evening, hi, hello, hey, there, ok, okay, so, well,
    um, yes, no, yeah, nope, wait, sorry, actually, honestly, btw,
    by the way, fyi, for the record, just so you know, remember, memorize, memorise, record, log, please, note,
    that, this, and, also, now, oh, right, sure, thanks, but, plus, while, because, since, these are, those are,
    make it, make that, scratch that,
    (?:i )?(?:just )?(?:wanted|want|like|would like|wish|have) to (?:say|tell you|let you
    know|share|mention|add|note)(?: that)?,
    i should (?:say|mention|add)(?: that)?, let me (?:say|add|mention)(?: that)?, i'll tell you, i can tell you, if
    you ask me, if i'm honest, if i had to (?:choose|pick), if i have to (?:choose|pick), as you know,
    for what it's worth, fwiw, without a doubt, hands down, no surprise, i'd argue, to be fair, in case you wonder,
    in case you're wondering, if you're wondering, let me (?:tell|share|give)(?: you)?(?: about)?, i mean, i meant,
    in fact, here are, here is, here's, this is, the following are, following are, i think, i guess, i'd say, i
    would say,
    i'd have to say, i believe, i must say, i(?:'d| would)? (?:want|like|need) you to(?: know)?,
    i want to tell you, you should know, you must know, let me (?:tell|share|give)(?: you)?, let's say, update,
    correction, new list, save, store, keep in mind, for reference, to be honest, tbh, imo, imho, in my opinion,
    personally, currently, today, these days, nowadays, right now, at the moment, as of today, as of now, as of,
    from now on, haha, lol, to recap, fun fact,
    (?:as|like)? ?i(?:'ve| have)? (?:already )?(?:told|said|mentioned)(?:
    (?:you|this|that|it|already|before|earlier|yesterday))*, i have, i've got, i decided, i've decided,
    it turns out, turns out, of course, let it be known, everyone knows, you know, did you know, ranking, ranked,
    in order, i rank, i ranked, i'd rank, make a note, don't forget, take note, write down,
    (?:can|could|would|will) you(?: please)? (?:remember|note|save|store|keep|write down), a list of, the list of,
    list of, all of, some of, one of, a few of, a couple of, two of, three of, several of, another of, among"""
)
_FILLER = lazy(rf"(?:{_FILLER_WORD}\b[\s,:;.!{DASHES}]*)*", re.IGNORECASE)
_CLAUSE_END = lazy(
    rf".*(?:[,:;){DASHES}]|\s(?:but|and|so|because|since|although|though|while))(?:\s+|$)", re.IGNORECASE | re.DOTALL
)
_AIMED_ELSEWHERE = one_of(
    r"""say, said, says, saying, tell, tells, telling, told, write, writes, writing, written, wrote, translat\w*,
    sentences?, phrases?, texts?, quotes?, poems?, essays?, story, stories, titled?, imagin\w*, pretend\w*,
    suppos\w*, assum\w*, if, whether, unless, examples?, correct, rewrite, grammar, paraphrase, ask\w*, thinks?,
    believes?, wonder\w*, guess, guesses, guessed, claims?, maybe, perhaps, what, why, how, whose, which, where,
    summari[sz]e, explain, prompt, input, output, spell, type, print, reply, replies, respond, repeat, define,
    parse, doubt, generate, create, code, function, variable, string, he, she, user, doctor, teacher, someone,
    everyone, people, nobody, act as, role"""
)
_NOT_OWN = lazy(rf"\b{_AIMED_ELSEWHERE}\b", re.IGNORECASE)
_SUBJECT = lazy(
    r"(?:as for|when it comes to|for|regarding|concerning|in terms of|speaking of|talking about|among|(?:out )?of all)"
    r"\s+(?:the\s+|my\s+)?(?P<noun>[^\W\d_][\w\s'-]{1,60}?)\s*,?\s*$",
    re.IGNORECASE,
)
_ASKED_TO_KEEP = lazy(r"\s*(?:please\s+)?(?:can|could|would|will) you\b", re.IGNORECASE)
_MOST_BEFORE = 120


@dataclass(frozen=True, slots=True)
class Head:
    """What a statement is about, where its words begin and end, and how it goes on.

    `part` tells that it is about some of a list, `topic` what it is about where its phrase names nothing, and `asked`
    that it ends in a question mark all the same.
    """

    start: int
    end: int
    phrase: Phrase
    verb: str
    part: bool = False
    topic: Topic | None = None
    asked: bool = False

    @property
    def is_past(self) -> bool:
        """Whether it says what was so."""
        return _PAST.fullmatch(self.verb) is not None

    @property
    def is_supposed(self) -> bool:
        """Whether it says what might be so."""
        return self.verb == "would be"

    @property
    def is_denied(self) -> bool:
        """Whether it says what is not so."""
        return self.verb.endswith("t")

    @property
    def is_of_several(self) -> bool:
        """Whether a list follows rather than a value."""
        listed = self.verb in {":", "="} and self.phrase.topic is not None and self.phrase.topic.key.endswith("lists")
        return (
            listed or self.phrase.many or self.phrase.count is not None or self.verb in {"are", "include"} or self.part
        )


def find_heads(line: str) -> list[tuple[Head, int]]:
    """The statements of a line that are the user's own, each with where what it says must end."""
    heads = list(_candidates(line))
    starts = [start for start, _ in sentences(line)] if heads else []
    ends = [*(head.start for head in heads[1:]), len(line)]
    own: dict[int, bool] = {}
    found: list[tuple[Head, int]] = []
    for head, end in zip(heads, ends[: len(heads)], strict=True):
        sentence = bisect_right(starts, head.start) - 1
        before = line[starts[sentence] : head.start]
        # a second statement in a sentence is said as the first one is
        own[sentence] = own.get(sentence, False) or is_own_word(before)
        closed = starts[sentence + 1] if sentence + 1 < len(starts) else len(line)
        asked = line[head.start : closed].rstrip().endswith("?") and head.verb != "?"
        if own[sentence] and (not asked or _ASKED_TO_KEEP.match(before)):
            found.append((replace(head, topic=_subject(before, head.phrase), asked=asked), end))
    return found


def is_own_word(before: str) -> bool:
    """Whether what stands before a statement leaves it the user's own: not quoted, asked, imagined or to translate."""
    before = before.strip()
    if not before or _FILLER.fullmatch(before):
        return True
    if len(before) > _MOST_BEFORE or (before.count('"') + before.count("\u201c") - before.count("\u201d")) % 2:
        return False
    if _SUBJECT.search(before):
        return True
    clause = _CLAUSE_END.match(before)
    if clause is None or not _FILLER.fullmatch(before[clause.end() :]):
        return False
    return not _NOT_OWN.search(before[: clause.end()])


def after_fillers(sentence: str) -> int:
    """Where a sentence begins to say something: behind `actually`, `by the way`, `I think`."""
    filler = _FILLER.match(sentence)
    return filler.end() if filler is not None else 0


def _candidates(line: str) -> Iterator[Head]:
    end = 0
    for opening in _OPENING.finditer(line):
        start = opening.start()
        match = (_HEAD.match(line, start) or _SHORT_HEAD.match(line, start)) if start >= end else None
        if match is None:
            continue
        liked = _LIKED.fullmatch(match["phrase"])
        phrase = read_phrase(f"my favorite {liked['noun'] or liked['those']}" if liked is not None else match["phrase"])
        if phrase is not None:
            end = match.end()
            before = line[max(0, start - 40) : start]
            phrase, lead = _with_rank_before(phrase, before)
            also = (match.groupdict().get("also") or "").strip().lower() == "also"
            yield Head(start - lead, end, phrase, _verb(match), also or _PART_BEFORE.search(before) is not None)


def _with_rank_before(phrase: Phrase, before: str) -> tuple[Phrase, int]:
    """A phrase with the rank of `number one on my list of …`, and how many characters that is."""
    match = _RANK_BEFORE.search(before) if not phrase.ranks else None
    rank = read_phrase(match["rank"]) if match is not None else None
    if match is None or rank is None or not rank.ranks:
        return phrase, 0
    return replace(phrase, ranks=rank.ranks), len(before) - match.start("rank")


def _verb(match: re.Match[str]) -> str:
    said = match.groupdict()
    verb = str(said["verb"] or said["colon"] or said["question"]).lower() if "colon" in said else match["verb"].lower()
    return ":" if verb in _DASH else _SPELT_OUT.get(verb, verb)


def _subject(before: str, phrase: Phrase) -> Topic | None:
    """The topic that `as for movies, my favorites are …` speaks of."""
    match = _SUBJECT.search(before) if phrase.marked and phrase.topic is None else None
    words = [part for word in match["noun"].split() for part in parts(word)] if match is not None else []
    return make_topic(words, marked=True) if words else None
