"""Tells a question about exact facts from every other message, and reads what it asks for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from souvenir.facts.lists import clean
from souvenir.facts.nouns import singular
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.plain import sentences
from souvenir.facts.ranks import LAST, ORDINALS
from souvenir.facts.topics import Topic, split_noun
from souvenir.facts.wording import APOSTROPHE, BE, DASHES, one_of

MOST_CHARS = 300

Asked = Literal["ranks", "some", "list", "single", "count", "place"]

_HINT = re.compile(
    r"\b(?:fav|prefer|no\. ?\d|like (?:the )?(?:best|most)\b|(?:my|our|top|last|number|them|runner-up"
    rf"|{'|'.join(word for word in ORDINALS if '-' not in word)})\b)|#\s?\d|\d(?:st|nd|rd|th)\b"
)
_GREETING_WORD = one_of(
    r"""hi, hello, hey, there, ok, okay, so, well, um, umm, hmm, yes, no, yeah, please, pls, and, also, now, then, but,
    oh, right, sorry, wait, quick question, question, one more, another one, remind me again, souvenir, btw,
    by the way, just, real quick, out of curiosity, again, good morning, good evening, actually,
    (?:remind|tell) me(?=[:\,]), (?:i forgot|i forget|i can't remember|i don't remember)(?=\s*[\,.:;!-])"""
)
_GREETING = re.compile(rf"(?:{_GREETING_WORD}\b[\s,:.!-]*)+", re.IGNORECASE)
_THANKS_WORD = one_of(
    """please, pls, plz, thanks, thank you, thx, again, for me, then, by the way, btw, exactly, right now,
    do you know, do you remember, if you remember, if you know, by any chance, so far, stored, saved, in order,
    all together, i forgot, already, you know, anyway, though, buddy, souvenir, can you tell me, could you tell me,
    in total, at the moment, once more, one more time"""
)
_THANKS = re.compile(rf"(?:[\s,.!?]*\b{_THANKS_WORD})+[\s.!?]*$", re.IGNORECASE)
_ELSE = one_of(
    """i(?!'d like to (?:know|hear|see)), i'm(?! (?:wondering|curious)), i've, we, it, he, she, they, you, that, this,
    these, those, there, if, when, because, let, let's, write, make, use, add, put, remove, buy, translate, fix,
    explain, help, open, send, find, compare, create, describe, play, book, order, pick, choose, recommend, suggest"""
)
_NOT_A_QUESTION = re.compile(rf"{_ELSE}\b", re.IGNORECASE)
_TELLS = re.compile(r"\s*(?:i|i'm|i've|i'd|we|we're|it|it's|my|our|the|he|she|they)\b", re.IGNORECASE)
_STATED = one_of("listed, told you, mentioned, said, gave, given, named, ranked, shared, stated, put, picked, chose")
_TOLD_BY_ME = re.compile(
    rf"\s+(?:(?:that|which)\s+)?(?:i(?:'ve| have)?\s+(?:just\s+)?{_STATED}|you have|you've got|you know)\b.*$",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\s+(?:called|named)$", re.IGNORECASE)

_WH = rf"(?:(?:what|wat|wut|who|which)(?:{APOSTROPHE}?s|{APOSTROPHE}re)?(?!['\u2019\w]))"
_POLITE_WORD = one_of(
    """can, could, would, will, do, did, please, pls, kindly, you, u, still, happen to, even, ever, i want you to,
    i'd like you to, i want to, i'd like to, i would like to, i need you to, may i, can i, could i, let me, help me"""
)
_POLITE = rf"(?:{_POLITE_WORD}\s+)*"
_TELL_WORD = one_of(
    """list, show, name, give, tell, recite, recall, print, display, read, repeat, remind, say, state, enumerate,
    write down, see, hear, know, get, have, remember, pull up, bring up, share, spell out, fetch, retrieve, output,
    look up"""
)
_TELL = (
    rf"{_TELL_WORD}(?:\s+(?:me|us|out|back|off|to me|down|up))*(?:\s+(?:of|what|which|who|again|with|all|once more))*"
)
_LEAD = rf"(?:{_POLITE}{_TELL}\s+)?"
_NOUN = r"(?P<noun>[^\W\d_][\w\s'\u2019-]{1,60}?)"
_RANK = r"(?P<rank>(?:[\w#'-]+\s){0,3}?[\w#'-]+)"
_OF = r"(?:on|in|of|from|among|amongst|within|out of)"
_MINE = r"(?P<phrase>(?:my|our)\s.+?)"
_LISTED = r"(?P<phrase>(?:my|our|the)\s.+)"
_BEST = r"(?:like|love|prefer)\s+(?:the\s+)?(?:best|most)"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for, of which topic; none: of the one last spoken of.

    What is not `sure` may be about anything else: it counts only where it can be answered.
    """

    asked: Asked
    topic: Topic | None
    ranks: tuple[int, ...] = ()
    count: int | None = None
    value: str = ""
    sure: bool = True


def read_questions(text: str) -> tuple[Question, ...]:
    """The questions of a message: one, or two joined by `and`; none for every other message.

    A glance at its words is enough for most.
    """
    if len(text) > MOST_CHARS or not _HINT.search(text.lower()):
        return ()
    asked = _asking_part(" ".join(text.split()))
    if (forgotten := _FORGOTTEN.fullmatch(asked)) is not None:
        phrase = _phrase(forgotten["phrase"])
        question = _of_phrase(phrase) if phrase is not None else None
        return (question,) if question is not None else ()
    if not asked or _NOT_A_QUESTION.match(asked):
        return ()
    question = _read(asked, asks=text.rstrip(" .!").endswith("?") or "? " in text)
    if question is not None and question.sure:
        return (question,)
    return _joined(asked) or ((question,) if question is not None else ())


def _asking_part(text: str) -> str:
    """The sentence that asks, without greetings and thanks; empty when more is wanted than an answer."""
    parted = [part for _, part in sentences(text)]
    while parted and _GREETING.fullmatch(parted[0].strip() + " "):
        del parted[0]
    while len(parted) > 1 and _THANKS.fullmatch(" " + parted[-1]):
        del parted[-1]
    if not parted or any(part.rstrip().endswith("?") or not _TELLS.match(part) for part in parted[:-1]):
        return ""
    asked = parted[-1].strip()
    greeting = _GREETING.match(asked)
    asked = asked[greeting.end() :] if greeting is not None else asked
    return _THANKS.sub("", asked.rstrip(" ?!.,")).rstrip(" ?!.,:")


def _read(text: str, *, asks: bool) -> Question | None:
    for form, read in _FORMS:
        match = form.fullmatch(text)
        question = read(match.groupdict()) if match is not None else None
        if question is not None:
            # of series and sheep only the verb tells how many
            several = question.asked == "single" and _OF_SEVERAL.search(text) is not None
            return replace(question, asked="list") if several else question
    return _loose(text) or _fragment(text, asks=asks)


def _loose(text: str) -> Question | None:
    """A favorite among words that do nothing but ask: `what's the name of my second favorite city that I told you`."""
    words = text.split()
    plain = [word.lower().strip(",.:;!?").replace("\u2019", "'") for word in words]
    start = next((place for place, word in enumerate(plain) if word in {"my", "our"}), 0)
    before = set(plain[:start])
    told = {"about"} if {"told", "said"} & before else set()
    if not before <= _ASKING_BEFORE | told or not _ASKING & before:
        return None
    for end in range(start + 2, len(words) + 1):
        if set(plain[end:]) <= _ASKING_BEHIND:
            phrase = _phrase(" ".join(words[start:end]))
            question = _of_phrase(phrase, listing=True) if phrase is not None and phrase.favorite else None
            if question is not None:
                return question
    return None


def _joined(text: str) -> tuple[Question, ...]:
    """Two questions in one: `what are my favorite colors and cities`, `… and what is my favorite film`."""
    first, _, second = text.partition(" and ")
    one = _read(first, asks=True) if second and " and " not in second else None
    if one is None or not one.sure or one.topic is None:
        return ()
    said = re.sub(rf"^(?:{_WH}\s+{BE}\s+|my\s+)", "", second, flags=re.IGNORECASE)
    phrase = read_phrase(f"my {said}")
    if phrase is None or phrase.topic is None:
        return ()
    if not phrase.marked and not phrase.ranks:
        phrase = read_phrase(f"my favorite {said}")
    other = _of_phrase(phrase) if phrase is not None else None
    return (one, replace(other, sure=True)) if other is not None and not (phrase and phrase.joined) else ()


Groups = dict[str, str | None]


def _of_object(groups: Groups) -> Question | None:
    phrase = _phrase(groups["phrase"])
    return _of_phrase(phrase) if phrase is not None else None


def _of_listing(groups: Groups) -> Question | None:
    phrase = _phrase(groups["phrase"])
    question = _of_phrase(phrase, listing=True) if phrase is not None else None
    # "print my favorite number in Python" wants something else
    tailed = question is not None and question.topic is not None and bool(split_noun(question.topic.key.split("_"))[1])
    return replace(question, sure=False) if question is not None and tailed else question


def _of_rank(groups: Groups) -> Question | None:
    """`number 2 on my favorite colors list`, `second in my favorite cities`, `the last film on my list`."""
    phrase, noun = _phrase(groups["phrase"]), groups.get("noun")
    rank = _rank(groups["rank"] or "")
    if rank is None or phrase is None or phrase.ranks:
        return None
    if phrase.topic is not None and not phrase.marked and phrase.owner == "the":
        return None
    phrase = replace(phrase, topic=None) if phrase.topic is not None and phrase.topic.key == "lists" else phrase
    named = _favorite(noun) if noun is not None else rank
    if phrase.topic is None and named is not None:
        phrase = replace(phrase, topic=named.topic)
    return _of_phrase(replace(phrase, ranks=rank.ranks, count=rank.count))


def _of_noun(groups: Groups) -> Question | None:
    """`which color is my second favorite`, `what cities do I like best`, `which languages are in my top 2`."""
    named, said = _favorite(groups["noun"]), groups.get("favorite")
    phrase = read_phrase(said) if said is not None else Phrase("my", marked=True, favorite=True)
    if named is None or named.joined or phrase is None or phrase.topic is not None or not phrase.marked:
        return None
    if said is not None and re.search(r"\bleast\b", said, re.IGNORECASE):
        named = read_phrase(f"my least favorite {groups['noun']}") or named
    return _of_phrase(replace(phrase, topic=named.topic, many=named.many))


def _of_noun_at_rank(groups: Groups) -> Question | None:
    """`which color is number 2`."""
    named, rank = _favorite(groups["noun"]), _rank(groups["rank"] or "")
    if named is None or named.topic is None or rank is None or rank.topic is not None or not rank.ranks:
        return None
    return Question("ranks", named.topic, rank.ranks, sure=False)


def _of_place(groups: Groups) -> Question | None:
    """`which one is third`, of whatever was spoken of."""
    rank = _rank(groups["rank"] or "")
    if rank is None or rank.topic is not None or not rank.ranks or rank.owner == "my" or rank.favorite:
        return None
    return Question("ranks", None, rank.ranks, sure=False)


def _of_count(groups: Groups) -> Question | None:
    phrase = _phrase(groups["phrase"])
    if phrase is None or not phrase.marked or phrase.topic is None:
        return None
    return Question("count", phrase.topic, sure=_is_certain(phrase))


def _of_value(groups: Groups) -> Question | None:
    """`where is Rome in my favorite cities`, `is Rome one of my favorite cities`."""
    phrase, value = _phrase(groups["phrase"]), clean(groups["value"] or "")
    if phrase is None or phrase.topic is None or not phrase.favorite or phrase.ranks or not value:
        return None
    if re.match(r"(?:it|that|this|there|he|she|one|any|some|what|which|my)\b", value, re.IGNORECASE):
        return None
    return Question("place", phrase.topic, value=value, sure=False)


def _of_them(_: Groups) -> Question | None:
    return Question("list", None, sure=False)


_SHAPES: tuple[tuple[str, Callable[[Groups], Question | None]], ...] = (
    (rf"{_POLITE}(?:list|show|name|recite|repeat|give)(?:\s+(?:me|us))?\s+(?:them|all|them all|all of them)", _of_them),
    (
        (
            r"(?:where|(?:what|which) (?:number|rank|place|position|spot))\s+(?:is|does|do|did)\s+(?P<value>.+?)\s+"
            rf"(?:(?:rank|come|stand|sit|fall|land)\s+)?{_OF}\s+(?P<phrase>my\s.+)"
        ),
        _of_value,
    ),
    (r"is\s+(?P<value>.+?)\s+(?:(?:on|in|among|one of|part of|also one of)\s+)(?P<phrase>my\s.+)", _of_value),
    (rf"{_LEAD}(?:what|which)\s+{_NOUN}\s+{BE}\s+(?:(?:in|at|ranked)\s+)?{_RANK}\s+{_OF}\s+{_LISTED}", _of_rank),
    (
        (
            rf"{_LEAD}{_WH}\s*(?:(?:{BE}|comes|ranks|stands|sits|goes)\s+)?(?:(?:in|at|as|ranked)\s+)?"
            rf"{_RANK}\s+{_OF}\s+{_LISTED}"
        ),
        _of_rank,
    ),
    (rf"{_WH}\s+of\s+{_MINE}\s+(?:is|comes|ranks|was)\s+(?:in\s+|ranked\s+)?{_RANK}", _of_rank),
    (
        (
            rf"{_LEAD}(?:what|which)\s+{_NOUN}\s+{BE}\s+(?:(?:in|on|among|one of)\s+)?"
            r"(?P<favorite>my\s+(?:.*?\bfav\w*|top\s\w+)(?:\s+list)?)"
        ),
        _of_noun,
    ),
    (
        rf"{_WH}\s+(?:{BE}\s+)?(?:the|all|all the)\s+{_NOUN}\s+(?:on|in|from)\s+(?P<favorite>my\s+fav\w*(?:\s+list)?)",
        _of_noun,
    ),
    (
        (
            rf"{_WH}\s+(?:{BE}\s+)?(?:the|all|all the)\s+{_NOUN}\s+(?:that\s+)?i(?:'ve)?\s+{_STATED}\s+as\s+"
            r"(?:my\s+)?fav\w*"
        ),
        _of_noun,
    ),
    (rf"(?:{_LEAD}the\s+)?{_NOUN}\s+(?:that\s+)?i\s+{_BEST}", _of_noun),
    (rf"(?:what|which)\s+{_NOUN}\s+(?:do|did)\s+i\s+{_BEST}", _of_noun),
    (
        (
            rf"(?:what|which)\s+{_NOUN}\s+(?:did|have)\s+i\s+(?:say|list|name|mention|tell you|call|rank|{_STATED})\s+"
            r"(?:(?:as|were|are|was|is|among)\s+)*(?P<favorite>my\s+.*?\bfav\w*)"
        ),
        _of_noun,
    ),
    (
        rf"(?:what|which)\s+{_NOUN}\s+(?:is|was|comes|ranks|did i (?:rank|put))\s+(?:(?:in|at)\s+)?(?:the\s+)?{_RANK}",
        _of_noun_at_rank,
    ),
    (rf"{_MINE}\s+{BE}\s+(?:what|who|which)", _of_object),
    (rf"(?:what|which)(?:\s+one)?\s+(?:is|was|comes)\s+(?:in\s+)?(?:the\s+)?{_RANK}", _of_place),
    (rf"{_WH}\s+did i\s+(?:say|tell you|mention)\s+(?:that\s+)?(?:{BE}\s+)?{_MINE}(?:\s+{BE})?", _of_object),
    (
        (
            r"what\s+(?:do|have|did)\s+(?:i|you|we)\s+(?:have|got|know|store|save|put|note)"
            rf"(?:\s+(?:stored|saved|down|noted|got))?\s+(?:as|for|under|of|about)\s+{_MINE}"
        ),
        _of_object,
    ),
    (
        (
            r"how many\s+(?:of\s+)?(?P<phrase>.+?)\s+(?:do i have|do you (?:know|have)|have i (?:told|given) you"
            r"|are there|did i (?:give|tell) you(?: about)?|are (?:on|in) my list)(?:\s.*)?"
        ),
        _of_count,
    ),
    (r"do i have\s+(?:a|an|any)\s+(?P<phrase>.+)", lambda groups: _of_object({"phrase": f"my {groups['phrase']}"})),
    (
        (
            rf"{_POLITE}{_TELL}\s+(?:{_WH}\s*)?(?:{BE}\s+)?"
            r"(?P<phrase>(?:all\s+|all of\s+|each of\s+|(?:the|a)\s+(?:\w+\s+)?list of\s+|the\s+)?"
            rf"(?:my|our|the|top|first|fav\w*)\b.*?)(?:\s+{BE})?"
        ),
        _of_listing,
    ),
    (rf"{_WH}\s+(?:{BE}\s+)?(?:(?:on|in)\s+(?=my\s))?(?P<phrase>.+?)(?:\s+{BE}(?:\s+called)?)?", _of_object),
    (r"(?:how|what) about\s+(?P<phrase>.+)", _of_object),
)
_FORMS = tuple((re.compile(shape, re.IGNORECASE), read) for shape, read in _SHAPES)

_FORGOTTEN = re.compile(
    rf"i (?:(?:need|want|would like) (?=(?:my|the) list)"
    rf"|(?:can{APOSTROPHE}?t|cannot|don{APOSTROPHE}?t|do not|can not) (?:remember|recall|know)\s+)"
    rf"(?:what\s+|who\s+)?(?P<phrase>(?:my|the list of my)\s[^,;.]+?)(?:\s+{BE})?"
    rf"(?:\s*[,;.{DASHES}]\s*(?:so\s+|but\s+)?"
    r"(?:(?:can|could|would|do|will) you\b|please|what|which|remind|tell|list|help).*)?",
    re.IGNORECASE,
)
_OF_SEVERAL = re.compile(r"\b(?:are|were|list|enumerate)\b", re.IGNORECASE)
_LEFT_OPEN = re.compile(rf"\s+{BE}[\s.\u2026]*$", re.IGNORECASE)
_FAVORITES_OF = re.compile(r"\bfav(?:ou?rite|e)?s\s+(?!list|of|ever|so far|right now|again|please)\w", re.IGNORECASE)
_ENDS = {"top": 1, "very top": 1, "head": 1, "bottom": LAST, "very bottom": LAST, "end": LAST, "very end": LAST}
_ASKING = frozenset(
    """what what's whats which who who's whos list show name give tell recite recall display repeat remind know
    remember hear see say names told wats wat""".split()
)
_ASKING_BEFORE = _ASKING | frozenset(
    """is are was were would be the a name names of all me us you i to can could will do did please just again now so
    and based on told said mentioned earlier before have had need want like i'd i'm wondering curious that's it's
    there if might would what're say at in with from here by your memory according everything so far ever exactly
    each every one ones""".split()
)
_ASKING_BEHIND = frozenset(
    """is are was were be called named again that i i've have told you said listed mentioned gave please then exactly
    right now stored saved thanks as the way me know remember can tell could list them they it to earlier before
    once more on file yet already so far do did which what who one ones supposed""".split()
)
_PREDICATES = frozenset(
    """open closed made called named available worth known missing near good bad ready doing playing making saying
    selling going coming happening working using wearing eating serving showing airing performing looking""".split()
)
_ELSEWHERE = frozenset(
    "tonight tomorrow yesterday this that these those based according above below attached following".split()
)
_PLAIN_WORDS = 2
_MOST_HEAD = 6


def _phrase(said: str | None) -> Phrase | None:
    return read_phrase(_CALLED.sub("", _TOLD_BY_ME.sub("", said or "")))


def _favorite(noun: str | None) -> Phrase | None:
    """The favorites of a noun; None when it is none."""
    phrase = read_phrase(f"my favorite {noun}")
    return phrase if phrase is not None and phrase.topic is not None else None


def _rank(said: str) -> Phrase | None:
    """A rank or how many, said alone or with a noun: `number 2`, `the last film`, `the top`."""
    said = re.sub(r"\s+(?:place|spot|position|rank)$", "", said, flags=re.IGNORECASE)
    end = re.sub(r"^the\s+", "", said.lower())
    if end in _ENDS:
        return Phrase(ranks=(_ENDS[end],))
    phrase = read_phrase(said)
    if phrase is not None and phrase.marked and not phrase.favorite and not phrase.ranks and phrase.count is None:
        return replace(phrase, ranks=(1,))
    return phrase if phrase is not None and (phrase.ranks or phrase.count is not None) else None


def _of_phrase(phrase: Phrase, *, listing: bool = False, brief: bool = False) -> Question | None:
    """What a phrase asks for that stands where a question has its object."""
    if not _can_be_asked(phrase, brief=brief):
        return None
    sure = _is_certain(phrase)
    if phrase.ranks:
        return Question("ranks", phrase.topic, phrase.ranks, sure=sure)
    if phrase.count is not None:
        return Question("some", phrase.topic, count=phrase.count, sure=sure)
    several = phrase.many or (listing and phrase.topic is None)
    return Question("list" if several else "single", phrase.topic, sure=sure)


def _can_be_asked(phrase: Phrase, *, brief: bool) -> bool:
    """Whether a phrase names something that is asked for like this: `my favorite city`, not `the top 5 cities`."""
    counted = bool(phrase.ranks) or phrase.count is not None
    if phrase.owner == "a" or (phrase.owner == "the" and not counted):
        return False
    if phrase.topic is None:
        return phrase.marked or counted
    if phrase.owner == "the":
        return phrase.count is None
    if phrase.owner == "nobody":
        return phrase.favorite or (phrase.marked and (counted or brief))
    return phrase.marked or phrase.many or counted


def _fragment(text: str, *, asks: bool) -> Question | None:
    """`second favorite color`, `my favorite colors`, `number 2`: a phrase and nothing else.

    `my favorite team lost` reads the same; so without a question mark only a plain noun is certain.
    """
    phrase = _phrase(_LEFT_OPEN.sub("", text) if asks else text)
    question = _of_phrase(phrase, brief=asks) if phrase is not None else None
    if phrase is None or question is None or (not asks and _FAVORITES_OF.search(text)):
        return None
    if phrase.topic is None:
        if phrase.marked:
            return question if phrase.owner == "my" or (phrase.ranks and (asks or phrase.favorite)) else None
        return question if asks and len(phrase.ranks) == 1 else None
    if phrase.favorite or phrase.count is not None:
        plain = asks or phrase.topic.key.count("_") < _PLAIN_WORDS
        return question if plain else replace(question, sure=False)
    return replace(question, sure=question.sure and phrase.owner == "my") if asks else None


def _is_certain(phrase: Phrase) -> bool:
    """Whether a phrase can be about nothing but a stored fact."""
    if phrase.joined or phrase.owner == "the":
        return False
    if phrase.topic is None:
        return phrase.marked and phrase.owner == "my"
    if not _is_plain(phrase.topic.key.split("_")):
        return False
    if phrase.owner == "nobody":
        return phrase.favorite and bool(phrase.ranks)
    return phrase.marked or len(phrase.topic.keys) == 1


def _is_plain(words: list[str]) -> bool:
    """Whether a topic's words are a noun, as far as one can tell, and not `team doing tonight`."""
    head, _ = split_noun(words)
    if len(head) > _MOST_HEAD or _ELSEWHERE & set(words):
        return False
    return not _PREDICATES & {singular(word) for word in head[2:]}
