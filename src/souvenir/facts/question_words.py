"""The words around a question: greetings, politeness and thanks, and the pieces that its forms are made of."""

import re

from souvenir.facts.phrases import Phrase, read_phrase
from souvenir.facts.plain import sentences
from souvenir.facts.wording import APOSTROPHE, one_of
from souvenir.patterns import lazy

_GREETING_WORD = one_of(
    r"""hi, hello, hey, there, ok, okay, so, well, um, umm, hmm, yes, no, yeah, please, pls, and, also, now, then, but,
    oh, right, sorry, wait, quick question, question, one more, another one, remind me again, souvenir, btw,
    by the way, just, real quick, out of curiosity, again, good morning, good evening, actually,
    thanks, thank you, thx, great, cool, nice, perfect, awesome, good, got it, lovely, excellent, yo, hiya, heya,
    dude, mate, uh, er, erm, ah, hm, cheers, quick one, quick q, q, just checking, just curious,
    checking, curious, for the record, remind me please, one thing, one last thing, last question, next question,
    follow-up, follow up, (?:remind|tell) me(?=[:\,]), refresh my memory, jog my memory, if you don't mind, if i may,
    if i may ask, if i may ask you, as far as you know,
    (?:i forgot|i forget|i can't remember|i don't remember|i keep forgetting)(?=\s*[\,.:;!-]),
    (?:according to|based on|from|of|in|on|looking at) (?:my list|my lists|what i(?:'ve)?
    (?:told|said|gave)[^\,?]{0\,30})(?=\,)"""
)
_EXCUSE = r"(?:sorry|apologies|pardon|excuse)\s[^,.;:?!]{0,40}[,.;:-]"
_GREETING = lazy(rf"(?:(?:{_EXCUSE}|{_GREETING_WORD}\b)[\s,:.!-]*)+", re.IGNORECASE)
_THANKS_WORD = one_of(
    """please, pls, plz, thanks, thank you, thx, again, for me, then, by the way, btw, exactly, right now,
    do you know, do you remember, if you remember, if you know, by any chance, so far, stored, saved, in order,
    all together, i forgot, already, you know, anyway, though, buddy, souvenir, can you tell me, could you tell me,
    in total, at the moment, once more, one more time, cheers, ta, mate, dude, man, kindly, if you don't mind,
    if you please, would you, will you, could you, can you, when you get a chance, for the record, overall,
    do you recall, remind me, tell me, i can't remember, i can't recall, i wonder, just curious, out of curiosity,
    off the top of your head, according to you, as far as you know, if i may ask, altogether, at present, currently"""
)
_THANKS = lazy(rf"(?:[\s,.!?]*\b{_THANKS_WORD})+[\s.!?]*$", re.IGNORECASE)
_ELSE = one_of(
    """i(?!'d like to (?:know|hear|see)), i'm(?! (?:wondering|curious)), i've, we, it, he, she, they, you, that, this,
    these, those, there, if, when, because, let, let's, write, make, use, add, put, remove, buy, translate, fix,
    explain, help, open, send, find, compare, create, describe, play, book, order, pick, choose, recommend, suggest"""
)
NOT_A_QUESTION = lazy(rf"{_ELSE}\b", re.IGNORECASE)
_TELLS = lazy(r"\s*(?:i|i'm|i've|i'd|we|we're|it|it's|my|our|the|he|she|they)\b", re.IGNORECASE)
STATED = one_of("listed, told you, mentioned, said, gave, given, named, ranked, shared, stated, put, picked, chose")
_TOLD_BY_ME = lazy(
    rf"\s+(?:(?:that|which)\s+)?(?:i(?:'ve| have)?\s+(?:just\s+)?{STATED}|you have|you've got|you know)\b.*$",
    re.IGNORECASE,
)
_CALLED = lazy(r"\s+(?:called|named)$", re.IGNORECASE)
_EVERYTHING = lazy(
    r"^(?:everything|all(?: of)?(?: the)? (?:items|things|entries)|the (?:items|things|entries)|what(?:ever)? is)\s+"
    r"(?:that(?:'s| is)\s+)?(?:on|in)\s+(?=my\b)",
    re.IGNORECASE,
)

WH = rf"(?:(?:what|wat|wut|waht|wht|whta|who|which|wich)(?:{APOSTROPHE}?s|{APOSTROPHE}re)?(?!['\u2019\w]))"
_POLITE_WORD = one_of(
    """can, could, would, will, do, did, please, pls, kindly, you, u, still, happen to, even, ever, i want you to,
    i'd like you to, i want to, i'd like to, i would like to, i need you to, may i, can i, could i, let me, help me"""
)
POLITE = rf"(?:{_POLITE_WORD}\s+)*"
_TELL_WORD = one_of(
    """list, show, name, give, gimme, tell, recite, recall, print, display, read, repeat, remind, say, state, enumerate,
    write down, see, hear, know, get, have, remember, pull up, bring up, share, spell out, fetch, retrieve, output,
    look up"""
)
TELL = (
    rf"{_TELL_WORD}(?:\s+(?:me|us|out|back|off|to me|down|up))*(?:\s+(?:of|what|which|who|again|with|all|once more))*"
)
LEAD = rf"(?:{POLITE}{TELL}\s+)?"
NOUN = r"(?P<noun>[^\W\d_][\w\s'\u2019-]{1,60}?)"
RANK = r"(?P<rank>(?:[\w#'-]+\s){0,3}?[\w#'-]+)"
OF = r"(?:on|in|of|from|among|amongst|within|out of)"
MINE = r"(?P<phrase>(?:my|our)\s.+?)"
LISTED = r"(?P<phrase>(?:my|our|the)\s.+)"
BEST = r"(?:like|love|prefer)\s+(?:the\s+)?(?:best|most)"
_PREAMBLE = lazy(
    r"(?:"
    r"(?:(?:can|could|would|will|do|did)\s+(?:you|u)\s+)?(?:(?:please|pls|kindly|happen to|still|even|ever|maybe)\s+)*"
    r"(?:tell|remind|know|remember|recall|say|check|see|confirm|let me know|look up)(?:\s+(?:me|us))?"
    rf"|i(?:{APOSTROPHE}d| would)?\s+(?:just\s+)?(?:like|want|need|love)\s+to\s+(?:know|hear|see|check)"
    rf"|i(?:{APOSTROPHE}m| am| was)\s+(?:just\s+)?(?:wondering|curious|not sure|unsure|trying to remember)(?:\s+about)?"
    rf"|i\s+(?:forgot|forget|wonder|don{APOSTROPHE}?t (?:remember|recall|know)|can{APOSTROPHE}?t (?:remember|recall)"
    r"|keep forgetting)"
    r"|any\s+(?:idea|clue|chance you (?:know|remember))(?:\s+as to)?"
    r")[\s,:]+(?:again[\s,:]+)?(?:exactly\s+)?(?=(?:wh(?:at|ich|o|ere|ether|en)|how|if|at what|in what|is|are)\b)",
    re.IGNORECASE,
)
_WISH = lazy(
    rf"(?:(?:please\s+)?help me (?:to )?(?:remember|recall)|i(?:{APOSTROPHE}m| am) trying to (?:remember"
    rf"|recall))\s+(?=my\b)|i(?:{APOSTROPHE}d| would)?\s+(?:just\s+)?(?:like|want|need|love)\s+to\s+(?:know"
    r"|hear|see|check|get)\s+(?:again\s+)?(?=my\b)",
    re.IGNORECASE,
)


def asking_part(text: str) -> str:
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
    asked = _THANKS.sub("", asked.rstrip(" ?!.,")).rstrip(" ?!.,:")
    preamble = _PREAMBLE.match(asked) or _WISH.match(asked)
    return asked[preamble.end() :] if preamble is not None else asked


def phrase_of(said: str | None) -> Phrase | None:
    """What a question's words name, without `that I told you` and `called` behind them."""
    return read_phrase(_CALLED.sub("", _TOLD_BY_ME.sub("", _EVERYTHING.sub("", said or ""))))


def favorites_of(noun: str | None) -> Phrase | None:
    """The favorites of a noun; None when it is none."""
    phrase = read_phrase(f"my favorite {noun}")
    return phrase if phrase is not None and phrase.topic is not None else None
