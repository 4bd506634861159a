"""What goes before and after a statement: greetings, "by the way", "I think that", "In my free time", "lol"."""

from collections.abc import Sequence
from typing import NamedTuple

from souvenir.memory.local_extract.english.joiners import IMPERATIVES, asks
from souvenir.memory.local_extract.english.lexicon import FINITE
from souvenir.memory.local_extract.english.subjects import subject_at
from souvenir.memory.local_extract.english.verbs import verb_form
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import QUOTED, Word, count_of, lows, word_set

_POLITE_IF = r"""
(if|in case) (it|that|this|you|anyone)( 's| is| 're| are)? (helps?|matters?|wondering|curious|relevant|must know|
need to know|want to know|did n't know|wonder|care)"""
_LEADS = compiled(
    rf"""
    ((hi|hello|hey|hiya|yo|greetings|dear|good (morning|afternoon|evening|day)|yes|yeah|yep|yup|no|nope|nah|well|so|oh|
    ah|ok|okay|and|but|also|plus|actually|honestly|frankly|basically|anyway|anyways|btw|by the way|fyi|
    for your information|just so you know|just so you 're aware|just to let you know|just fyi|to be (honest|fair|clear|
    precise|frank)|tbh|for (context|reference|background|the record|what it 's worth)|some context|in fact|
    as you (know|may know|might know)|(as|like) i (said|mentioned|told you)( before| earlier)?|i mean|you see|
    you know( that)?|the thing is( that)?|the truth is( that)?|truth is|fun fact|random fact|(a (little|bit)|some more|
    more|something) about (me|myself)|about me|quick intro|as mentioned|sure|right|look|listen|unfortunately|sadly|
    luckily|fortunately|thankfully|personally|obviously|of course|naturally|truth be told|please note( that)?|
    note( that)?|as for me|first of all|firstly|first|secondly|second|finally|lastly|one more thing|additionally|
    furthermore|moreover|p\.?s|update|correction|sorry|thanks( a lot| so much)?|thank you( so much| very much)?|great|
    cool|nice|awesome|perfect|haha|lol|hmm|um|uh|er|wow|there|everyone|all|guys|assistant|again|nice to meet you|
    pleased to meet you|there you go|{_POLITE_IF}|let me introduce myself|to introduce myself|
    allow me to introduce myself|quick (question|note|update)|context|background|important|reminder|guess what|
    good news|bad news|see) ?[,:!.;-]* ?)
    """
)
# what frames a statement and changes nothing about it
_FRAMES = compiled(
    r"""
    (i (should|must|have to|gotta|want to|wanted to|'d like to|need to|can|will|'ll) (also |just )?(mention|add|say|
    admit|confess|tell you|note|point out)|i (just )?(forgot|wanted|want) to (mention|say|tell you|add)|i (already |
    just )?(told you|said|mentioned|realized|realised|found out|noticed|discovered|remembered)( before| earlier)?|
    did i (mention|tell you)|you (should|already|must) know|let me tell you|it ('s|is) worth (noting|mentioning)|i ('m|
    am) (happy|proud|glad|sad|sorry|pleased) to (say|report)|(it )?turns out|i (confess|admit)|it ('s|is) true|
    the fact is|i know|i can say|i ('d|would) like you to know|you might want to know|please be aware|be aware|
    just know|keep in mind|(my|the) (doctor|gp|dentist|allergist|psychiatrist|therapist|cardiologist|neurologist|
    dermatologist|optician) (just |recently )?(told me|said|says|thinks|confirmed|found))( that)? (?=(i|my|we|our|
    both my|one of my|all my)\b)
    """
)
_HEDGING = compiled(
    r"""
    (i (think|guess|suppose|believe|feel like|assume|'d say|would say|imagine|reckon|suspect)|maybe|perhaps|possibly|
    probably|it seems( like)?|it looks like|apparently|i ('m|am) pretty sure|chances are|there 's a chance|i ('m|
    am) thinking)( that)? ,? ?(?=(i|my|we|our)\b)
    """
)
_TRAILING = compiled(
    rf"""
    (( ,)? (by the way|btw|lol|haha|hahaha|though|you know|too|as well|actually|to be honest|tbh|honestly|please|
    thanks|thank you|{_POLITE_IF}|just fyi|fyi|as you know|i swear|no joke|for what it 's worth|xd|:\)|: \)|; \)|: d|
    so yeah|yeah|lmao|anyway|anyways|just so you know|and so on|etc|and stuff|and all|and whatnot|so|and|but|or)|
    [ ], (fight me|unfortunately|sadly|luckily|of course|obviously|ok|okay|man|dude|bro|believe it or not|period|
    full stop|apparently|already|either|personally|right|especially|mostly|mainly|sorry|hope that helps|
    which is nice))$
    """
)
_CLOSING = frozenset({QUOTED, ")", "%", "+", "n't", "'s"})
_ADVERBIAL = word_set("""
    in at on since for after before during every each last next this these nowadays currently recently now today
    yesterday tomorrow tonight lately usually sometimes often until by from with as while when whenever once back most
    outside apart besides over throughout originally formerly previously occasionally normally right growing being to
    two three ten a because although though even unlike like thanks despite about starting given seeing considering
    """)
_SUBORDINATING = word_set(
    "when while whenever after before because although though since as until once given considering"
)
_TWO_WORDS = frozenset(
    {("even", "though"), ("given", "that"), ("now", "that"), ("seeing", "that"), ("considering", "that")}
)
_CAUSAL = word_set("since because as although though even given now seeing considering")
_FIRST_PERSON = word_set("i me my we us our")
_AGO = frozenset({"ago", "later"})
_NO_TRADE = word_set(
    "kid child teen teenager boy girl baby toddler hobby result rule side start treat gift joke reward youngster family"
)
_GOES_ON = word_set(
    "that who which when if because where how what than as so and or but while until before after thing things time "
    "place way"
)


class Lead(NamedTuple):
    """A sentence in its order: a statement before the main one, the main one, and what is only said of its time."""

    statement: Sequence[Word]
    main: Sequence[Word]
    adverbial: Sequence[Word]


def without_leads(words: Sequence[Word]) -> Sequence[Word]:
    """Without greetings and "by the way"; nothing where that is all."""
    for _ in range(6):
        low = lows(words)
        lead = _LEADS.match(low)
        if lead is None or (lead.end() < len(low) and low[lead.end() - 1] != " "):
            break
        if lead.end() >= len(low):
            return words if len(words) <= 1 else words[:0]
        words = words[count_of(low[: lead.end()]) :]
    while words and not words[0].low[0].isalnum() and words[0].low != QUOTED:
        words = words[1:]
    return words


def without_frames(words: Sequence[Word]) -> tuple[Sequence[Word], bool]:
    """Without "I should mention that"; and whether "I think" went before."""
    doubtful = False
    for _ in range(3):
        low = lows(words[:24])
        frame, hedge = _FRAMES.match(low), _HEDGING.match(low)
        found = frame or hedge
        if found is None:
            break
        doubtful = doubtful or frame is None
        words = words[count_of(low[: found.end()]) :]
    return words, doubtful


def trimmed(words: Sequence[Word]) -> Sequence[Word]:
    """Without what trails: "by the way", "lol", closing marks."""
    kept = list(words)
    for _ in range(4):
        while kept and _is_mark(kept[-1]):
            kept.pop()
        if kept and kept[-1].low == ")" and not any(word.low == "(" or word.low.isdigit() for word in kept):
            kept.pop()
        low = lows(kept[-8:])
        trail = _TRAILING.search(low)
        if trail is None:
            break
        del kept[len(kept) - count_of(low[trail.start() :]) :]
    return kept


def _is_mark(word: Word) -> bool:
    return not word.low[0].isalnum() and word.low not in _CLOSING and len(word.low) < 3


def lead_of(words: Sequence[Word]) -> Lead:
    """What else is said before the subject: "As a nurse, …", "Since I'm vegan, …", "In my free time …"."""
    plain = Lead((), words, ())
    if not words or words[0].low not in _ADVERBIAL or subject_at(words, 0) is not None:
        return plain
    begin = _main_begins(words)
    if begin is None:
        return plain
    first, main, before = words[0].low, words[begin:], words[:begin]
    if first in {"a", "two", "three", "ten"} and _AGO.isdisjoint(word.low for word in before):
        return plain
    while before and before[-1].low in {",", "-", "–", ":"}:  # noqa: RUF001 - a dash that people type
        before = before[:-1]
    own = not _FIRST_PERSON.isdisjoint(word.low for word in main)  # not "As a doctor, what do you say?"
    if own and len(before) > 1 and (first == "being" or (first == "as" and _is_trade(before[1:]))):
        return Lead(_i_am(before[1:]), main, ())
    clause = _own_clause(before)
    if first in _CAUSAL and clause is not None:
        return Lead(before[clause:], main, ())
    return Lead((), main, () if first in {"unlike", "like", "thanks"} else before)


def _is_trade(words: Sequence[Word]) -> bool:
    return len(words) > 1 and words[0].low in {"a", "an"} and _NO_TRADE.isdisjoint(word.low for word in words)


def _i_am(predicate: Sequence[Word]) -> Sequence[Word]:
    at = predicate[0].start
    return (Word("I", "i", at, at), Word("am", "am", at, at), *predicate)


def _own_clause(words: Sequence[Word]) -> int | None:
    """Where the subject stands of a clause that begins with "since" or "given that"."""
    two = len(words) > 2 and (words[0].low, words[1].low) in _TWO_WORDS
    if not two and words[0].low not in _SUBORDINATING:
        return None
    place = 2 if two else 1
    return place if subject_at(words, place) is not None else None


def _main_begins(words: Sequence[Word]) -> int | None:
    """Where the main clause begins: at its subject, after a comma where the part before has a subject too."""
    clausal = _own_clause(words) is not None
    for place in range(1, min(len(words), 24 if clausal else 14)):
        comma = words[place - 1].low in {",", "-", ":"}
        if clausal and not comma:
            continue
        low = words[place].low
        if not clausal and low in FINITE:
            return None
        if low in {"i", "we"} or (low in {"my", "our"} and comma and subject_at(words, place) is not None):
            return place
        if comma and (asks(words, place) or low in IMPERATIVES):
            return place
    return _begins_anew(words) if clausal else None


def _begins_anew(words: Sequence[Word]) -> int | None:
    """Where an "I" without a comma begins the main clause: "Since I'm vegan I eat beans"."""
    for place in range(4, min(len(words), 24)):
        before = words[place - 1].low
        if words[place].low in {"i", "we"} and before not in _GOES_ON and verb_form(before) is None:
            return place
    return None
