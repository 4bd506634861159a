"""How a sentence says what it says: denied, doubted, wished, planned, over, begun, or one of several."""

from dataclasses import dataclass, replace

import regex

from souvenir.memory.local_resolve.lists import word_set
from souvenir.memory.local_resolve.words import fold, term_of
from souvenir.patterns import lazy_regex


@dataclass(frozen=True, slots=True)
class Mood:
    """`manner` keeps a slot apart from the plain present, which is "": "want", "plan", "need", "past"."""

    negative: bool = False
    tentative: bool = False
    also: bool = False
    changed: bool = False
    manner: str = ""


MANNERS = frozenset(("want", "plan", "need", "past"))
PRESENT = Mood()
_BE = r"(?:is|are|was|were|'s)"
_HAVE = r"(?:has|have|had)"
_GERUND = r"(?=\p{Ll}{2,}ing\b)"
_PARTICIPLE = (
    r"(?=(?:(?:\p{Ll}+ly|just|now|never|already|not|since) )?(?:\p{Ll}+ed|been|become|left|got|gotten|gone"
    r"|given|grown|begun|sold|lost"
    r"|bought|found|taken|quit|split|started|met|won|read|written|seen|chosen|fallen|had|made|known|broken|come|eaten"
    r"|drunk|spoken|driven|put|cut)\b)"
)


def _starts(words: str) -> regex.Pattern[str]:
    return lazy_regex(rf"(?:{words}) ?(?=\S|$)", regex.I)


# what may stand before the verb, with what it says; tried again until none is left
_BEFORE: tuple[tuple[regex.Pattern[str], dict[str, object]], ...] = (
    (
        _starts(
            r"(?:now|currently|nowadays|recently|just|lately|already|finally|officially|today|as of now"
            r"|since then|then)\b"
        ),
        {"changed": True},
    ),
    (_starts(r"(?:also|additionally|likewise|sometimes|occasionally)\b"), {"also": True}),
    (
        _starts(
            r"(?:still|really|very much|absolutely|truly|usually|generally|mostly|mainly|typically|often"
            r"|always|regularly"
            r"|actually|personally|particularly|especially|strongly|greatly|deeply|completely|even|quite|primarily|only"
            r"|simply|generally|definitely|certainly|genuinely|fully|normally|frequently|once again|both|all)\b"
        ),
        {},
    ),
    (
        _starts(r"(?:probably|maybe|perhaps|possibly|apparently|supposedly|presumably|seemingly|allegedly|likely)\b"),
        {"tentative": True},
    ),
    (_starts(r"(?:seems to|appears to|may be|might be|could be)\b"), {"tentative": True}),
    (
        _starts(rf"(?:{_BE} not|{_BE} no longer) (?:a (?:big )?fan of|fond of|into|keen on)\b"),
        {"negative": True, "verb": "likes "},
    ),
    (_starts(rf"{_BE} (?:no longer)\b"), {"negative": True, "changed": True, "verb": "is "}),
    (_starts(r"(?:is|are) (?:not|never)\b"), {"negative": True, "verb": "is "}),
    (_starts(r"(?:was|were) (?:not|never)\b"), {"negative": True, "verb": "was "}),
    (_starts(r"(?:does|do|did) (?:not|no longer|never)(?: really)?\b"), {"negative": True}),
    (_starts(rf"{_HAVE} (?:never|not|no longer|not yet) {_PARTICIPLE}"), {"negative": True, "perfect": True}),
    (_starts(r"cannot (?:stand|bear|tolerate)(?: to)?\b"), {"negative": True, "verb": "likes "}),
    (_starts(r"(?:cannot|can no longer|can not|could not|is unable to|is not able to)\b"), {"negative": True}),
    (
        _starts(r"(?:will not|would not|will never|would never|refuses to|avoids(?= \p{Ll}+ing)|never)\b"),
        {"negative": True},
    ),
    (_starts(r"no longer\b"), {"negative": True, "changed": True}),
    (_starts(r"(?:not)\b"), {"negative": True}),
    (_starts(rf"(?:{_HAVE} )?(?:used|formerly used) to\b"), {"negative": True, "changed": True}),
    (
        _starts(rf"(?:{_HAVE} )?(?:stopped|quit|ceased|given up|gave up|discontinued|swore off|finished) {_GERUND}"),
        {"negative": True, "changed": True},
    ),
    (
        _starts(
            rf"(?:{_HAVE} |{_BE} )?(?:started|began|begun|resumed|taken up|took up|got into|picked up|back"
            rf" to) {_GERUND}"
        ),
        {"changed": True},
    ),
    (
        _starts(rf"(?:{_HAVE} )?(?:started|began|begun|come|came|grown|grew) to(?= (?!see|visit)\p{{Ll}})"),
        {"changed": True},
    ),
    (
        _starts(
            r"(?:wants|want|wanted|wishes|would like|would love|hopes|hope|aims|dreams of|is hoping|is"
            r" looking|longs|desires"
            r"|is eager|is keen|would rather) (?:to\b|(?=\p{Ll}+ing\b))"
        ),
        {"manner": "want"},
    ),
    (
        _starts(
            r"(?:plans|plan|intends|intend|is planning|are planning|is preparing|has decided|decided|is set)"
            r" (?:to|on)\b"
            r"|(?:is|are) (?:going|about) to\b|will\b|(?:is|are) planning\b"
        ),
        {"manner": "plan"},
    ),
    (
        _starts(r"(?:might|may|could|would)\b|is (?:thinking (?:about|of)|considering|contemplating)\b|thinks about\b"),
        {"manner": "plan", "tentative": True},
    ),
    (
        _starts(r"(?:is|are) (?=moving|relocating|leaving|getting|joining|starting|switching|quitting)"),
        {"manner": "plan"},
    ),
    (_starts(r"(?:needs|need|has|have|must|tries|is trying|tried|is supposed) to\b|must\b"), {"manner": "need"}),
    (_starts(r"(?:can|is able to|knows how to|is capable of|tends to|does|do)\b"), {}),
    (_starts(rf"{_HAVE} (?:\p{{Ll}}+ly )?been {_GERUND}"), {}),
    (_starts(rf"(?:is|are) (?:\p{{Ll}}+ly |now )?{_GERUND}(?!\p{{Ll}}+ing (?:to be|and)\b)"), {}),
    (_starts(rf"(?:was|were) {_GERUND}"), {"manner": "past"}),
    (_starts(rf"{_HAVE} always {_PARTICIPLE}(?!been\b)"), {"perfect": True, "lasting": True}),
    (_starts(rf"{_HAVE} {_PARTICIPLE}(?!been (?:to|in)\b)(?!been \p{{Ll}}+ed\b)"), {"perfect": True}),
    (_starts(rf"{_HAVE} (?=been \p{{Ll}}+ed\b)"), {"verb": "", "perfect": True}),
)
_AFTER = lazy_regex(
    r"[ ,]+(?:(?P<over>anymore|any more|any longer)|(?P<now>now|nowadays|these days|currently|recently"
    r"|lately|again|at the moment"
    r"|right now|from now on|as of now|today|for now)|(?P<also>too|as well|also|sometimes|occasionally)"
    r"|(?:very much|(?<!^\S+[ ,]+)a lot|so much|in general|already|yet|instead|though|however|before|once))$",
    regex.I,
)
_STATES_IN_THE_PAST = word_set(
    "lived worked liked loved enjoyed owned had drank ate smoked spoke preferred hated disliked"
    " resided studied wanted knew drove belonged needed believed"
)
_LASTING = lazy_regex(
    r"\b(?:since|for (?:the (?:past|last) )?(?:\w+ )?(?:years?|months?|weeks?|decades?|a while))\b", regex.I
)


def _leads() -> dict[str, tuple[int, ...]]:
    """Which of the patterns may begin with a word, so that a verb that none begins with costs nothing."""
    words = {word for pattern, _ in _BEFORE for word in regex.findall(r"\p{Ll}{2,}", pattern.pattern)} | {"'s"}
    return {
        word: found
        for word in words
        if (found := tuple(at for at, (rule, _) in enumerate(_BEFORE) if rule.match(f"{word} ", partial=True)))
    }


_LEADS = _leads()


def peel(text: str) -> tuple[Mood, str]:
    """The mood of a predicate, and the predicate from its verb on, without what said the mood."""
    mood, text = _trailing(text)
    perfect = lasting = False
    while (found := _leading(text)) is not None:
        says, end = found
        mood, perfect = _with(mood, says, perfect)
        lasting = lasting or bool(says.get("lasting"))
        text = str(says.get("verb", "")) + text[end:]
    if lasting:
        verb, _, rest = text.partition(" ")
        return mood, f"{lemma(verb)} {rest}".rstrip()  # what was always so is no event of the past
    return _tensed(mood, text, perfect), text


def _leading(text: str) -> tuple[dict[str, object], int] | None:
    for at in _LEADS.get(text.split(" ", 1)[0].lower(), ()):
        pattern, says = _BEFORE[at]
        if (match := pattern.match(text)) is not None and match.end() > 0:
            return says, match.end()
    return None


def _with(mood: Mood, says: dict[str, object], perfect: bool) -> tuple[Mood, bool]:
    return (
        Mood(
            negative=mood.negative != bool(says.get("negative")),
            tentative=mood.tentative or bool(says.get("tentative")),
            also=mood.also or bool(says.get("also")),
            changed=mood.changed or bool(says.get("changed")),
            manner=mood.manner or str(says.get("manner", "")),
        ),
        perfect or bool(says.get("perfect")),
    )


def _trailing(text: str) -> tuple[Mood, str]:
    mood = PRESENT
    while (match := _AFTER.search(text)) is not None:
        text = text[: match.start()]
        mood = replace(
            mood,
            changed=mood.changed or bool(match["now"] or match["over"]),
            also=mood.also or bool(match["also"]),
        )
    return mood, text


def _tensed(mood: Mood, text: str, perfect: bool) -> Mood:
    """A state in the past is another matter than the state; a perfect that goes on is the present."""
    verb = text.split(" ", 1)[0].lower()
    if mood.manner or mood.negative or verb not in _STATES_IN_THE_PAST:
        return mood
    if perfect and _LASTING.search(text):
        return mood
    return replace(mood, manner="past")


_IRREGULAR = {
    form: lemma
    for lemma, forms in {
        "be": "is are was were been am being",
        "have": "has had having",
        "do": "does did doing done",
        "go": "goes went gone going",
        "get": "gets got gotten getting",
        "eat": "ate eaten",
        "drink": "drank drunk",
        "speak": "spoke spoken",
        "leave": "left leaving leaves",
        "sell": "sold",
        "buy": "bought",
        "become": "became becoming",
        "begin": "began begun",
        "give": "gave given giving",
        "take": "took taken taking",
        "know": "knew known",
        "run": "ran running",
        "swim": "swam swum swimming",
        "drive": "drove driven driving",
        "ride": "rode ridden riding",
        "write": "wrote written writing",
        "read": "read",
        "teach": "taught",
        "think": "thought",
        "grow": "grew grown",
        "come": "came coming",
        "wake": "woke woken waking",
        "sleep": "slept",
        "lose": "lost losing",
        "make": "made making",
        "break": "broke broken",
        "sing": "sang sung",
        "wear": "wore worn",
        "find": "found",
        "meet": "met",
        "keep": "kept",
        "pay": "paid",
        "spend": "spent",
        "marry": "married marries marrying",
        "study": "studied studies studying",
        "die": "died dies dying",
        "build": "built",
        "win": "won",
        "see": "saw seen",
        "tell": "told",
        "feel": "felt",
        "split": "split",
        "quit": "quit quits quitting quitted",
        "overcome": "overcame overcoming",
        "outgrow": "outgrew outgrown",
        "shave": "shaved shaving",
        "withdraw": "withdrew withdrawn",
        "beat": "beaten",
        "hold": "held",
        "bring": "brought",
        "fall": "fell fallen",
        "draw": "drew drawn",
        "sit": "sat sitting",
        "stand": "stood",
        "say": "said",
        "send": "sent",
        "lead": "led",
        "lend": "lent",
        "hear": "heard",
        "choose": "chose chosen",
        "direct": "directed",
        "fly": "flies flew flown",
        "practise": "practice practices practicing practiced practising practises",
    }.items()
    for form in forms.split()
}


_ADVERB = lazy_regex(
    r"(?:(?P<now>now|currently|recently|nowadays|finally|officially)|(?P<also>also|sometimes|partly)"
    r"|(?P<maybe>probably|perhaps|possibly|apparently|likely)|(?P<no>not|no longer|never)"
    r"|still|really|already|actually|both|mostly|mainly|usually) "
)


def adverbs(mood: Mood, text: str) -> tuple[Mood, str]:
    """The mood with what the words between "is" and the rest say, and the rest."""
    while (match := _ADVERB.match(text)) is not None:
        mood = Mood(
            negative=mood.negative != (match["no"] is not None),
            tentative=mood.tentative or match["maybe"] is not None,
            also=mood.also or match["also"] is not None,
            changed=mood.changed or match["now"] is not None,
            manner=mood.manner,
        )
        text = text[match.end() :]
    return mood, text


def lemma(verb: str) -> str:
    """The plain form of a verb, or at least one form for all of its forms."""
    folded = fold(verb)
    return term_of(_IRREGULAR.get(folded, folded)) if folded else ""


_NOT_PAST = lazy_regex(r"(?:s|ing)$")


def is_past(verb: str) -> bool:
    """Whether a verb is written in the past tense."""
    folded = fold(verb)
    return folded.endswith("ed") or (folded in _IRREGULAR and not _NOT_PAST.search(folded) and folded != "read")
