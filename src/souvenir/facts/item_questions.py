"""Questions about an item of a list, or about how many there are: where it stands, if it is there, what comes next."""

import re
from collections.abc import Callable
from dataclasses import replace

from souvenir.facts.asked import Question
from souvenir.facts.lists import clean
from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.question_words import LISTED, OF, WH, favorites_of, phrase_of
from souvenir.facts.topics import Topic
from souvenir.facts.wording import APOSTROPHE, BE, one_of
from souvenir.patterns import lazy

Groups = dict[str, str | None]

_VALUE = r"(?P<value>.{1,80}?)"
_PLACE = "(?:number|rank|ranking|place|position|spot|slot)"
_STANDS = one_of(
    "rank, ranks, ranked, come, comes, stand, stands, sit, sits, fall, falls, land, lands, place, placed, in at"
)
_ON = (
    r"(?:(?:still|already|also|even|currently|actually|ranked|listed|included|anywhere|as|there)\s+)*"
    r"(?:on|in|among|amongst|one of|part of|under|within|of|at)"
)
_LIST = r"(?P<phrase>(?:my|our|the|that|this)\s.+|there|it|mine)"
_PUT = one_of("put, rank, ranked, place, placed, list, listed, have, give, gave, rate, rated")
_HAVE = one_of(
    """have, had, got, list, listed, include, included, put, mention, mentioned, name, named, say, said, count, add,
    added, rank, ranked, place, tell you, told you, call, pick"""
)
_SIDE = r"(?P<side>after|before|above|below|behind|ahead of|under|over|following|preceding|beneath)"
_RIGHT = r"(?:(?:right|just|directly|immediately|one|the one|placed|ranked|listed|next|the next|the next one)\s+)*"
_BEFORE = frozenset({"before", "above", "ahead of", "over", "preceding"})
_SAID = one_of(
    r"""do i have, have i got, i have, do you (?:know|have), have i \w+(?: you)?(?: about)?, did i \w+(?: you)?(?:
    about)?,
    are there, are stored, are saved, are listed, have you (?:stored|saved|got), did you (?:store|save|note)"""
)
_AFTER = lazy(rf"{WH}\s+(?:{BE}\s+)?(?P<phrase>my\s(?:next\s)?fav.+?)\s+{_SIDE}\s+{_VALUE}", re.IGNORECASE)
_MOST_NOUN = 3
_IF = r"(?:(?:if|whether)\s+)?"
_NO_VALUE = lazy(
    one_of("it, that, this, there, he, she, one, any, some, what, which, my, anything, something, everything, i, you")
    + r"\b",
    re.IGNORECASE,
)
_ITEMS = lazy(r"(?:items?|things?|entries|entry|ones?|of them|values?|elements?|favou?rites?)?", re.IGNORECASE)


def read_item_question(text: str) -> Question | None:
    """What is asked about an item or the number of them, None when nothing is; never certain that it is about facts."""
    for form, read in _FORMS:
        match = form.fullmatch(text)
        question = read(match.groupdict()) if match is not None else None
        if question is not None:
            return question
    return None


def read_next(text: str) -> Question | None:
    """What `my favorite tree after Beech` asks for where it is no topic of its own."""
    match = _AFTER.fullmatch(text)
    return _next(match.groupdict()) if match is not None else None


def _list_of(said: str | None) -> tuple[bool, Topic | None]:
    """Whether words name a list that is kept here, and its topic; none: it is the one last spoken of."""
    if said is None or said.lower() in {"there", "it", "mine"}:
        return True, None
    phrase = phrase_of(said)
    if phrase is None or phrase.ranks or phrase.owner not in {"my", "the"}:
        return False, None
    if phrase.owner == "the" and phrase.topic is not None and not phrase.favorite:
        return False, None
    bare = phrase.topic is None or phrase.topic.key == "lists"
    return True, None if bare else phrase.topic


def _place(groups: Groups) -> Question | None:
    """`where is Rome in my favorite cities`, `is Rome one of my favorite cities`."""
    known, topic = _list_of(groups.get("phrase"))
    value = clean(groups["value"] or "")
    if not known or not value or _NO_VALUE.match(value):
        return None
    return Question("place", topic, value=value, sure=False)


def _next(groups: Groups) -> Question | None:
    """`what comes after Rome on my list`, `my favorite city right after Rome`."""
    said = groups.get("phrase")
    known, topic = _list_of(said)
    value = clean(groups["value"] or "")
    if not known or not value or _NO_VALUE.match(value):
        return None
    if topic is None and (noun := groups.get("noun")):
        named = favorites_of(noun)
        topic = named.topic if named is not None else None
    step = -1 if (groups["side"] or "").lower() in _BEFORE else 1
    return Question("next", topic, count=step, value=value, sure=False)


def _count(groups: Groups) -> Question | None:
    """`how many favorite cities do I have`, `how many cities are on my list`, `how many are there on my list`."""
    known, topic = _list_of(groups.get("list"))
    noun = re.sub(r"^(?:of\s+|the\s+)+", "", groups.get("phrase") or "", flags=re.IGNORECASE).strip()
    if not known:
        return None
    if _ITEMS.fullmatch(noun):
        return Question("count", topic, sure=False) if groups.get("list") or "fav" in noun.lower() else None
    phrase = read_phrase(noun)
    if phrase is None or phrase.topic is None or phrase.ranks or phrase.owner in {"a", "the"}:
        return None
    if not phrase.marked and (groups.get("more") or (groups.get("said") or "").lower() == "are there"):
        # "how many colors are there in a rainbow"
        return None
    sure = phrase.favorite and topic is None and _is_plain(phrase)
    if topic is None and not phrase.marked:
        phrase = read_phrase(f"my {noun}") or phrase
    return Question("count", topic or phrase.topic, sure=sure)


def _is_plain(phrase: Phrase) -> bool:
    return phrase.topic is not None and phrase.topic.key.count("_") <= 2 and not phrase.joined


def _length(groups: Groups) -> Question | None:
    """`how long is my list of favorite cities`, `count my favorite cities`."""
    phrase = phrase_of(groups["phrase"])
    if phrase is None or phrase.owner != "my" or not (phrase.marked or phrase.topic is None):
        return None
    return Question("count", phrase.topic, sure=False)


def _confirmed(groups: Groups) -> Question | None:
    """`is Rome my second favorite city`."""
    phrase, value = read_phrase(groups["phrase"] or ""), clean(groups["value"] or "")
    if phrase is None or not phrase.favorite or phrase.topic is None or not value or _NO_VALUE.match(value):
        return None
    return Question("place", phrase.topic, value=value, sure=False, known=True)


def _confirmed_behind(groups: Groups) -> Question | None:
    """`is my second favorite city Rome`: what the noun is, and what the value, only the stored facts can tell."""
    words = (groups["rest"] or "").split()
    found: Question | None = None
    for cut in range(1, min(len(words), _MOST_NOUN + 1)):
        said: Groups = {"phrase": " ".join([groups["start"] or "", *words[:cut]]), "value": " ".join(words[cut:])}
        question = _confirmed(said)
        found = replace(question, otherwise=found) if question is not None else found
    return found


_SHAPES: tuple[tuple[str, Callable[[Groups], Question | None]], ...] = (
    (
        (
            rf"(?:(?:at|in|on)\s+)?(?:where(?:{APOSTROPHE}s)?|how (?:high|low)|how far (?:up|down)"
            rf"|(?:what|which)\s+{_PLACE}|what(?:{APOSTROPHE}s|\s+is|\s+was)\s+the\s+{_PLACE}\s+of)\s+"
            rf"(?:(?:is|are|was|were|does|do|did|have|has|would)\s+)?(?:i\s+{_PUT}\s+)?{_VALUE}"
            rf"(?:\s+(?:{_STANDS}|have|has|is|are|at|in|get|hold|up|down))*\s+{_ON}\s+{_LIST}"
        ),
        _place,
    ),
    (
        (
            rf"(?:(?:at|in|on)\s+)?(?:what|which)\s+{_PLACE}\s+(?:(?:is|are|was|does|did|do)\s+)"
            rf"(?:i\s+{_PUT}\s+)?{_VALUE}(?:\s+(?:{_STANDS}|at|in|on|have|get|hold))*"
        ),
        _place,
    ),
    (rf"what(?:{APOSTROPHE}s|\s+is|\s+was)\s+{_VALUE}{APOSTROPHE}s\s+{_PLACE}\s+{_ON}\s+{_LIST}", _place),
    (rf"where\s+(?:does|do|did)\s+{_VALUE}\s+(?:rank|stand|place|come)", _place),
    (rf"where\s+(?:do|did)\s+i\s+(?:rank|place|put|have)\s+{_VALUE}", _place),
    (rf"{_IF}(?:is|are|was|were|isn{APOSTROPHE}?t|aren{APOSTROPHE}?t)\s+{_VALUE}\s+{_ON}\s+{_LIST}", _place),
    (rf"(?:if|whether)\s+{_VALUE}\s+(?:is|are|was|were)\s+{_ON}\s+{_LIST}", _place),
    (
        (
            rf"{_IF}(?:is|was|isn{APOSTROPHE}?t)\s+{_VALUE}\s+(?:(?:really|still|actually|also)\s+)*"
            r"(?P<phrase>my\s.+)"
        ),
        _confirmed,
    ),
    (rf"(?:if|whether)\s+{_VALUE}\s+(?:is|was)\s+(?P<phrase>my\s.+)", _confirmed),
    (rf"(?:is|was|isn{APOSTROPHE}?t)\s+(?P<start>my\s(?:\S+\s){{0,3}}?fav\w*)\s+(?P<rest>.+)", _confirmed_behind),
    (
        (
            rf"{_IF}(?:(?:do|did|have|has|had|didn{APOSTROPHE}?t)\s+)?(?:i|you|we)\s+(?:ever\s+)?{_HAVE}\s+{_VALUE}\s+"
            rf"(?:(?:to be|was|is|were|are)\s+)?{_ON}\s+{_LIST}"
        ),
        _place,
    ),
    (
        (
            rf"{_IF}(?:(?:does|do|did|doesn{APOSTROPHE}?t)\s+)?(?P<phrase>(?:my|the)\s.+?)\s+"
            rf"(?:include|includes|contain|contains|have|has|feature|features|mention)\s+{_VALUE}"
            r"(?:\s+(?:on|in) (?:it|there))?"
        ),
        _place,
    ),
    (
        (
            rf"{_IF}(?:does|do|did)\s+{_VALUE}\s+(?:appear|feature|figure|show up|make it|rank|belong|count|make)\s+"
            rf"(?:(?:on|in|onto|into|to|among|as one of|as)\s+)?{_LIST}"
        ),
        _place,
    ),
    (
        (
            rf"{WH}(?:\s+(?P<noun>[^\W\d_][\w'-]{{1,30}}(?:\s[\w'-]{{1,30}})?))?\s*"
            rf"(?:(?:{BE}|comes?|came|ranks?|sits?|stands?|goes|do i have|did i (?:put|rank))\s+)"
            rf"{_RIGHT}{_SIDE}\s+{_VALUE}(?:\s+{OF}\s+{LISTED})?"
        ),
        _next,
    ),
    (rf"{WH}\s*{_RIGHT}{_SIDE}\s+{_VALUE}\s+{OF}\s+{LISTED}", _next),
    (rf"{WH}\s*(?:{BE}\s+)?(?:the\s+)?(?:next|next one|one|one right|one just)\s+{_SIDE}\s+{_VALUE}", _next),
    (rf"{WH}\s+(?:{BE}\s+)?(?P<phrase>my\s(?:next\s)?fav.+?)\s+(?:right|just|directly)\s+{_SIDE}\s+{_VALUE}", _next),
    (
        (
            r"how many\s+(?P<phrase>.*?)(?:\s*\b(?:are|is|were|do i have|have i(?: got)?|did i (?:put|list|have))\b)?"
            r"(?:\s+there)?\s+(?:on|in)\s+(?P<list>(?:my|the)\s.+)"
        ),
        _count,
    ),
    (rf"how many\s+(?P<phrase>.+?)\s+(?P<said>{_SAID})(?P<more>\s.*)?", _count),
    (
        (
            r"how many\s+(?:do i have|have i (?:got|listed|named|ranked|given you|told you|mentioned)"
            r"|did i (?:list|name|give you))"
        ),
        lambda _: Question("count", None, sure=False),
    ),
    (r"how (?:long|big|large) is\s+(?P<phrase>my\s.+)", _length),
    (r"(?:count|number of|(?:what(?:'s| is) )?the (?:total )?(?:number|length|size) of)\s+(?P<phrase>my\s.+)", _length),
)
_FORMS = tuple((lazy(shape, re.IGNORECASE), read) for shape, read in _SHAPES)
