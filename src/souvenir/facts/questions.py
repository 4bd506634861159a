"""Tells a question about exact facts from every other message, and reads what it asks for."""

import re
from collections.abc import Callable
from dataclasses import replace

from souvenir.facts.asked import Question
from souvenir.facts.attributes import HINT as ATTRIBUTE_HINT
from souvenir.facts.attributes import read_attribute_question
from souvenir.facts.item_questions import read_item_question, read_next
from souvenir.facts.loose_questions import read_loose
from souvenir.facts.nouns import singular
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.question_words import (
    BEST,
    LEAD,
    LISTED,
    MINE,
    NOT_A_QUESTION,
    NOUN,
    OF,
    POLITE,
    RANK,
    STATED,
    TELL,
    WH,
    asking_part,
    favorites_of,
    phrase_of,
)
from souvenir.facts.ranks import LAST, ORDINALS
from souvenir.facts.topics import split_noun
from souvenir.facts.wording import APOSTROPHE, BE, DASHES, spelt
from souvenir.patterns import lazy

MOST_CHARS = 300

_HINT = lazy(
    r"\b(?:fav|prefer|how many|(?:do|did|have) i\b|about\b|what (?:number|rank|place|position)|comes?\b|rank"
    r"|numbers|bottom|the (?:\w+ )?list\b|list\b|"
    r"no\. ?\d|like (?:the )?(?:best|most)\b|(?:my|our|top|last|number|them|runner-up"
    rf"|{'|'.join(word for word in ORDINALS if '-' not in word)})\b)|#\s?\d|\d(?:st|nd|rd|th)\b"
)


def read_questions(text: str) -> tuple[Question, ...]:
    """The questions of a message: one, or two joined by `and`; none for every other message.

    A glance at its words is enough for most.
    """
    lower = text[: MOST_CHARS + 1].lower()
    short = len(lower) <= _SHORT and lower.rstrip().endswith("?")
    if len(text) > MOST_CHARS or not (short or _HINT.search(lower) or ATTRIBUTE_HINT.search(lower)):
        return ()
    asked = asking_part(spelt(" ".join(text.split())))
    if (forgotten := _FORGOTTEN.fullmatch(asked)) is not None:
        phrase = phrase_of(forgotten["phrase"])
        question = _of_phrase(phrase) if phrase is not None else None
        if question is not None and "forg" in asked.lower():
            # one can forget an umbrella too
            question = replace(question, sure=False)
        return (question,) if question is not None else ()
    item = read_attribute_question(asked) or read_item_question(asked)
    if item is not None:
        return (item,)
    if not asked or NOT_A_QUESTION.match(asked):
        return ()
    question = _read(asked, asks=text.rstrip(" .!").endswith("?") or "? " in text)
    if question is not None:
        question = replace(question, otherwise=read_next(asked))
    if question is not None and question.sure:
        return (question,)
    several = _joined(asked)
    loose = read_loose(asked, asks=text.rstrip(" .!").endswith("?")) if question is None and not several else None
    question = question or loose
    return several or ((question,) if question is not None else ())


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
            phrase = phrase_of(" ".join(words[start:end]))
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
    said = re.sub(rf"^(?:{WH}\s+{BE}\s+|my\s+)", "", second, flags=re.IGNORECASE)
    phrase = read_phrase(f"my {said}")
    if phrase is None or phrase.topic is None:
        return ()
    if not phrase.marked and not phrase.ranks:
        phrase = read_phrase(f"my favorite {said}")
    other = _of_phrase(phrase) if phrase is not None else None
    return (one, replace(other, sure=True)) if other is not None and not (phrase and phrase.joined) else ()


Groups = dict[str, str | None]


def _of_object(groups: Groups) -> Question | None:
    if (groups["phrase"] or "").lower() in {"first", "second", "last"}:
        return None
    phrase = phrase_of(groups["phrase"])
    return _of_phrase(phrase) if phrase is not None else None


def _of_other(groups: Groups) -> Question | None:
    """`what about my colors`, `how about colors`."""
    said = groups["phrase"] or ""
    named = _of_object(groups)
    phrase = read_phrase(f"my {said}") if named is None and not said.lower().startswith(("my ", "the ")) else None
    other = _of_phrase(phrase) if phrase is not None and phrase.many else None
    return named or (replace(other, sure=False) if other is not None else None)


def _of_listing(groups: Groups) -> Question | None:
    phrase = phrase_of(groups["phrase"])
    question = _of_phrase(phrase, listing=True) if phrase is not None else None
    # "print my favorite number in Python" wants something else
    tailed = question is not None and question.topic is not None and bool(split_noun(question.topic.key.split("_"))[1])
    return replace(question, sure=False) if question is not None and tailed else question


def _of_rank(groups: Groups) -> Question | None:
    """`number 2 on my favorite colors list`, `second in my favorite cities`, `the last film on my list`."""
    phrase, noun = phrase_of(groups["phrase"]), groups.get("noun")
    rank = _rank(groups["rank"] or "")
    if rank is None or phrase is None or phrase.ranks:
        return None
    if phrase.topic is not None and not phrase.marked and phrase.owner == "the":
        return None
    phrase = replace(phrase, topic=None) if phrase.topic is not None and phrase.topic.key == "lists" else phrase
    named = favorites_of(noun) if noun is not None else rank
    if phrase.topic is None and named is not None:
        phrase = replace(phrase, topic=named.topic)
    question = _of_phrase(replace(phrase, ranks=rank.ranks, count=rank.count))
    # "my list" is one of those kept here, where it is none of paper
    mine = question is not None and question.topic is None and phrase.owner == "my"
    return replace(question, sure=True) if question is not None and mine else question


def _of_noun(groups: Groups) -> Question | None:
    """`which color is my second favorite`, `what cities do I like best`, `which languages are in my top 2`."""
    named, said = favorites_of(groups["noun"]), groups.get("favorite")
    bare = re.sub(r"\bleast\s+", "", said, flags=re.IGNORECASE) if said is not None else None
    phrase = read_phrase(bare) if bare is not None else Phrase("my", marked=True, favorite=True)
    if named is None or named.joined or phrase is None or phrase.topic is not None or not phrase.marked:
        return None
    if said is not None and re.search(r"\bleast\b", said, re.IGNORECASE):
        named = read_phrase(f"my least favorite {groups['noun']}") or named
    return _of_phrase(replace(phrase, topic=named.topic, many=named.many))


def _of_noun_at_rank(groups: Groups) -> Question | None:
    """`which color is number 2`."""
    named, rank = favorites_of(groups["noun"]), _rank(groups["rank"] or "")
    if named is None or named.topic is None or rank is None or rank.topic is not None or not rank.ranks:
        return None
    return Question("ranks", named.topic, rank.ranks, sure=False)


def _of_place(groups: Groups) -> Question | None:
    """`which one is third`, of whatever was spoken of."""
    rank = _rank(groups["rank"] or "")
    if rank is None or rank.topic is not None or not rank.ranks or rank.owner in {"my", "a"} or rank.favorite:
        return None
    return Question("ranks", None, rank.ranks, sure=False)


def _of_them(_: Groups) -> Question | None:
    return Question("list", None, sure=False)


_SHAPES: tuple[tuple[str, Callable[[Groups], Question | None]], ...] = (
    (
        (
            rf"(?:{POLITE}(?:list|show|name|recite|repeat|give|see|read|display)(?:\s+(?:me|us|out|back))*\s+"
            r"(?:them|all|them all|all of them|(?:(?:the|my)\s+(?:whole|full|entire|complete|current|updated)"
            r"|my)\s+list)"
            rf"|{WH}\s+(?:{BE}\s+)?(?:(?:on|in)\s+)?"
            r"(?:(?:the|my)\s+(?:whole|full|entire|complete|current|updated)|my)\s+list(?:\s+(?:now|again))?)"
        ),
        _of_them,
    ),
    (
        (
            rf"{LEAD}(?:what|which)\s+{NOUN}\s+(?:{BE}|comes|ranks|stands|sits|goes|(?:did|do|have)\s+i\s+\w+)\s+"
            rf"(?:(?:in|at|as|ranked|placed)\s+)?{RANK}\s+{OF}\s+{LISTED}"
        ),
        _of_rank,
    ),
    (
        (
            rf"{LEAD}{WH}(?:\s+one)?\s*(?:(?:{BE}|comes|ranks|stands|sits|goes|do i have|did i (?:put|rank|list))\s+)?"
            r"(?:(?:in|at|as|ranked)\s+)?"
            rf"{RANK}\s+{OF}\s+{LISTED}"
        ),
        _of_rank,
    ),
    (rf"{POLITE}{TELL}\s+(?:{BE}\s+)?{RANK}\s+{OF}\s+{LISTED}", _of_rank),
    (rf"{WH}\s+of\s+{MINE}\s+(?:is|comes|ranks|was)\s+(?:in\s+|ranked\s+)?{RANK}", _of_rank),
    (
        (
            rf"{LEAD}(?:what|which)\s+{NOUN}\s+{BE}\s+(?:(?:in|on|among|one of)\s+)?"
            r"(?P<favorite>my\s+(?:.*?\bfav\w*|top\s\w+)(?:\s+list)?)"
        ),
        _of_noun,
    ),
    (
        rf"{WH}\s+(?:{BE}\s+)?(?:the|all|all the)\s+{NOUN}\s+(?:on|in|from)\s+(?P<favorite>my\s+fav\w*(?:\s+list)?)",
        _of_noun,
    ),
    (
        (
            rf"{WH}\s+(?:{BE}\s+)?(?:the|all|all the)\s+{NOUN}\s+(?:that\s+)?i(?:'ve)?\s+{STATED}\s+as\s+"
            r"(?:my\s+)?fav\w*"
        ),
        _of_noun,
    ),
    (rf"(?:(?:{LEAD}|{WH}\s+(?:{BE}\s+)?|{WH}\s*)the\s+)?{NOUN}\s+(?:that\s+)?i\s+{BEST}", _of_noun),
    (
        (
            r"(?:what|which)(?:\s+one)?\s+(?:did|do|have)\s+i\s+(?:put|rank|list|place|have|name|ranked|say was)\s+"
            rf"(?:(?:in|at|as)\s+)?{RANK}"
        ),
        _of_place,
    ),
    (rf"(?:what|which)\s+{NOUN}\s+(?:(?:do|did)\s+)?i\s+{BEST}", _of_noun),
    (
        (
            rf"(?:what|which)\s+{NOUN}\s+(?:did|have)\s+i\s+(?:say|list|name|mention|tell you|call|rank|{STATED})\s+"
            r"(?:(?:as|were|are|was|is|among)\s+)*(?P<favorite>my\s+.*?\bfav\w*)"
        ),
        _of_noun,
    ),
    (
        rf"(?:what|which)\s+{NOUN}\s+(?:is|was|comes|ranks|did i (?:rank|put))\s+(?:(?:in|at)\s+)?(?:the\s+)?{RANK}",
        _of_noun_at_rank,
    ),
    (rf"{MINE}\s+{BE}\s+(?:what|who|which)", _of_object),
    (
        (
            rf"(?:(?:what|which|who)(?:\s+one)?\s+(?:is|was|comes|ranks)|(?:what|who|which){APOSTROPHE}?s)\s+"
            rf"(?:the\s+one\s+(?=in|at))?(?:(?:in|at)\s+)?(?:the\s+)?{RANK}"
        ),
        _of_place,
    ),
    (rf"{WH}\s+did i\s+(?:say|tell you|mention)\s+(?:that\s+)?(?:{BE}\s+)?{MINE}(?:\s+{BE})?", _of_object),
    (
        (
            r"what\s+(?:do|have|did)\s+(?:i|you|we)\s+(?:have|got|know|store|save|put|note)"
            rf"(?:\s+(?:stored|saved|down|noted|got))?\s+(?:as|for|under|of|about)\s+{MINE}"
        ),
        _of_object,
    ),
    (r"do i have\s+(?:a|an|any)\s+(?P<phrase>.+)", lambda groups: _of_object({"phrase": f"my {groups['phrase']}"})),
    (
        (
            rf"{POLITE}{TELL}\s+(?:{WH}\s*)?(?:{BE}\s+)?"
            r"(?P<phrase>(?:all\s+|all of\s+|each of\s+|(?:the|a)\s+(?:\w+\s+)?list of\s+|the\s+)?"
            rf"(?:my|our|the|top|first|fav\w*|numbers?)\b.*?)(?:\s+{BE})?"
        ),
        _of_listing,
    ),
    (
        rf"{WH}\s+(?:ones?\s+)?(?:{BE}\s+)?(?:(?:on|in)\s+(?=my\s))?(?P<phrase>.+?)(?:\s+{BE}(?:\s+called)?)?",
        _of_object,
    ),
    (r"(?:how|what) about\s+(?P<phrase>.+)", _of_other),
)
_FORMS = tuple((lazy(shape, re.IGNORECASE), read) for shape, read in _SHAPES)

_FORGOTTEN = lazy(
    rf"i (?:(?:need|want|would like) (?=(?:my|the) list)"
    rf"|(?:forgot|forget|keep forgetting|have forgotten)\s+|(?:can{APOSTROPHE}?t|cannot|don{APOSTROPHE}?t|do not"
    r"|can not) (?:remember|recall|know)\s+)"
    rf"(?:what\s+|who\s+)?(?P<phrase>(?:my|the list of my)\s[^,;.]+?)(?:\s+{BE})?"
    rf"(?:\s*[,;.{DASHES}]\s*(?:so\s+|but\s+)?"
    r"(?:(?:can|could|would|do|will) you\b|please|what|which|remind|tell|list|help).*)?",
    re.IGNORECASE,
)
_OF_SEVERAL = lazy(r"\b(?:are|were|list|enumerate)\b", re.IGNORECASE)
_LEFT_OPEN = lazy(rf"\s+{BE}[\s.\u2026]*$", re.IGNORECASE)
_FAVORITES_OF = lazy(r"\bfav(?:ou?rite|e)?s\s+(?!list|of|ever|so far|right now|again|please)\w", re.IGNORECASE)
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
_SHORT = 60
_MOST_HEAD = 6


def _rank(said: str) -> Phrase | None:
    """A rank or how many, said alone or with a noun: `number 2`, `the last film`, `the top`."""
    said = re.sub(r"\s+(?:place|spot|position|rank)$", "", said, flags=re.IGNORECASE)
    if re.fullmatch(r"\d{1,4}(?:\s*(?:,|and|&|to|-)\s*\d{1,4})+", said):
        said = f"numbers {said}"
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
    phrase = phrase_of(_LEFT_OPEN.sub("", text) if asks else text)
    question = _of_phrase(phrase, brief=asks) if phrase is not None else None
    if phrase is None or question is None or (not asks and _FAVORITES_OF.search(text)):
        return None
    if phrase.topic is None:
        if phrase.marked:
            mine = phrase.owner == "my" and (asks or phrase.many or phrase.ranks or phrase.count is not None)
            return question if mine or (phrase.ranks and (asks or phrase.favorite)) else None
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
