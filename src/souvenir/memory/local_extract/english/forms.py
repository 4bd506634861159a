"""Statements with another subject than "I" and "my": "Jane is my wife", "Deadline: Dec 2024", "Cats make me sneeze"."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from souvenir.memory.local_extract.english import lexicon
from souvenir.memory.local_extract.english.clause import parse
from souvenir.memory.local_extract.english.lexicon import FINITE
from souvenir.memory.local_extract.english.openings import trimmed
from souvenir.memory.local_extract.english.pieces import pieces_of
from souvenir.memory.local_extract.english.predicates import is_name, predicate_kind
from souvenir.memory.local_extract.english.remembering import standing
from souvenir.memory.local_extract.english.rephrase import third_person_text, tidy
from souvenir.memory.local_extract.english.subjects import SOMETHING, USER, subject_at
from souvenir.memory.local_extract.english.tables import POINTING
from souvenir.memory.local_extract.english.telling import name_of, told
from souvenir.memory.local_extract.kinds import (
    ATTRIBUTE,
    DEADLINE,
    FAMILY,
    HEALTH,
    NAME,
    TASTE,
    Found,
    lasting,
)
from souvenir.memory.local_extract.lifetimes import date_ahead
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.sentences import Sentence
from souvenir.memory.local_extract.words import QUOTED, Word, count_of, low_at, lows, word_set

_KEYED = compiled(
    r"""
    (my )?(?P<key>(full |first |last |job |home |native |current |favou?rite |project |due |programming |food )?(name|
    location|age|job|occupation|profession|city|country|hometown|allergy|allergies|diet|deadline|date|hobby|hobbies|
    pronouns|birthday|title|role|language|languages|nationality|timezone|employer|company|major|school|university|
    height|weight|movie|food|colou?r|book|band|team)) ?[:=] (?=\S)
    """
)
_PLURAL_KEYS = word_set("allergies hobbies pronouns languages")
_CALLED = compiled(
    r"""
    ((you can |please |just |but |most |my |all |so )*(call me|((my|our) \w+( \w+)?|people|everyone|everybody|friends|
    folks|they|colleagues|the kids|kids) (usually |mostly |all |just |always )?calls? me|i go by|i ('m|am) (called|
    known as)))( by)?[ ]
    """
)
_AFTER_NAME = frozenset({",", "and", "-", "but", "please", "by", "if", "because", "for", "instead"})
_SELF = compiled(r"(this|it) (is|'s) (?=[a-z]+( [a-z]+)? (here|speaking|again)$)")
_NO_NAMES = word_set(
    "same ditto likewise nothing nobody everyone anyone right out over up done all me not also still back nice"
)
_SHORT_ADJECTIVES = word_set(
    "allergic born vegan vegetarian pescatarian based married divorced diabetic retired lactose originally"
)
_SHORT_VERBS = compiled(
    r"""
    (love|hate|prefer|dislike|enjoy) (?!to |it|this|that|you|the|your|how|when|what|for|from)\S|live (in|with|near|
    on) |work (as|at|for|in a) |moved (to|from) |grew up |studied |graduated |study \S+ at[ ]
    """
)
_BEGUN = compiled(r"(?P<been>been) \w+ing\b|currently (\w+ing|in|at|on)\b|not a (big |huge )?fan of \S")
_MINE = compiled(
    r"""
    (?P<be>is|are|was|were|'s)(?P<no> n't| not)? (also |still |now |actually |definitely |by far )?(my|
    our) (?P<what>\S.*)
    """
)
_NO_SUBJECT = compiled(
    r"(this|that|these|those|it|here|what|he|she|they|there|today|tomorrow|which|who|you|your|the way)\b"
)
_STATED_OF = lexicon.FAVOURITE | word_set(
    "passion hobby hobbies guilty dream goal language tongue weakness hometown specialty"
)
_DUE = compiled(
    r"""
    (the|this|that|a) (?P<noun>([\w'-]+ ){1,6}?)(is|are|was)( now| still| officially| currently)? (due|on|in|at|
    scheduled|set|planned|next|this|tomorrow|by|for|coming|\S+day|\S+ \d|\d)|(the|
    this) (?P<launched>([\w'-]+ ){1,4}?)(launches|ships|opens|goes live|expires|starts|ends|closes|releases) (on|in|
    next|by|this|tomorrow|at)\b
    """
)
_ANY_DAY = datetime(2024, 1, 1, tzinfo=UTC)
_AFFECTS = compiled(
    r"""
    ([\w'-]+ ){1,4}?(?P<verb>make|give|help|upset|annoy|scare|terrif(y|ie)|bother|relax|relaxe|calm|trigger|bore|
    disgust|stresse)s? me(?P<how> .*|$)
    """
)
_AFFECTED = compiled(
    r"""
    [ ]?((feel )?(really |very |so |quite )?(sick|ill|nauseous|bloated|anxious|sleepy|itchy|sneeze|gag|cry|happy|dizzy|
    tired|jittery|queasy|vomit|break out|swell up|drowsy|relax|sleep|focus|concentrate|fall asleep|unwind|calm down)|
    (bad |terrible |awful |severe |a |an )*(migraines?|headaches?|heartburn|hives|rash|insomnia|anxiety|nightmares|
    stomach ?aches?|indigestion|gas|acne|the creeps|vertigo|asthma attacks)|out|a lot|the most|crazy|)
    """
)
_NOBODY = compiled(
    r"(this|that|it|the|your|you|he|she|they|which|what|these|my|our|and|who|everything|nothing|something)\b"
)
_ILL = compiled(r"sick|ill|hives|rash|migraine|sneeze|swell|asthma")


def is_naming(low: str) -> bool:
    """Whether it says how to call the user."""
    return _CALLED.match(low) is not None


def other_form(sentence: Sentence, words: Sequence[Word]) -> list[Found] | None:
    """What a whole sentence of such a form says; None where it is none."""
    low = lows(words)
    if sentence.asks:
        return None
    for read in (_keyed, _called, standing, _introduced, _short, _belonging):
        found = read(sentence, words, low)
        if found is not None:
            return found
    return None


def other_subject(sentence: Sentence, words: Sequence[Word]) -> Found | None:
    """What a part of a sentence with another subject says of the user."""
    if sentence.asks:
        return None
    words = trimmed(words)
    low = lows(words)
    called = _called(sentence, words, low)
    if called:
        return called[0]
    return _mine(sentence, words, low) or _due(sentence, words, low) or _affecting(sentence, words, low)


def _keyed(sentence: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """ "Deadline: Dec 2024"."""
    keyed = _KEYED.match(low)
    if keyed is None or len(words) > 16 or keyed["key"] == "date":
        return None
    key = keyed["key"]
    value = tidy(third_person_text(sentence.text, words[count_of(low[: keyed.end()]) :], USER))
    if not value:
        return None
    if "deadline" in key or "due" in key:
        return [Found(f"User's {key} is {value}", DEADLINE)]
    kind = NAME if key.endswith("name") else HEALTH if "allerg" in key else TASTE if "favo" in key else ATTRIBUTE
    return [Found(f"User's {key} {'are' if key in _PLURAL_KEYS else 'is'} {value}", kind)]


def _called(sentence: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """ "You can call me Sam"."""
    called = _CALLED.match(low)
    if called is None:
        return None
    rest = words[count_of(low[: called.end()]) :]
    end = next((place for place, word in enumerate(rest) if word.low in _AFTER_NAME), len(rest))
    name = rest[:end]
    if not name or not (is_name(name) or name[0].low == QUOTED):
        return [] if len(words) < 8 else None
    return [Found(f"User goes by {name_of(name)}", NAME), *_clauses(sentence, rest[end + 1 :])]


def _clauses(sentence: Sentence, words: Sequence[Word]) -> list[Found]:
    pieces = [piece for piece in pieces_of(sentence.text, words) if piece.role != "request"]
    clauses = [parse(sentence.text, trimmed(piece.words)) for piece in pieces]
    return [found for clause in clauses if clause is not None for found in told(clause)]


def _introduced(_: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """ "Anna here", "It's Anna again"."""
    itself = _SELF.match(low)
    name = words[2 if itself else 0 : -1]
    last = words[-1].low
    if last not in {"here", "speaking"} and not (itself and last == "again"):
        return None
    if (
        not 0 < len(name) <= 2
        or not all(word.capital for word in name)
        or name[0].low in _NO_NAMES
        or not is_name(name)
    ):
        return None
    return [Found(f"User's name is {name_of(name)}", NAME)]


def _short(sentence: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """Without a subject, as in a list: "Allergic to peanuts", "Love hiking"."""
    if len(words) > 14:
        return None
    first = words[0]
    begun = _BEGUN.match(low)
    if begun is not None:
        helper = "have" if begun["been"] else "am"
        i_am = [Word(text, text.lower(), first.start, first.start) for text in ("I", helper)]
        return _clauses(sentence, (*i_am, first._replace(text=first.low), *words[1:]))
    if first.low in _SHORT_ADJECTIVES:
        words = words[:-1] if words[-1].low == "here" else words
        kind = predicate_kind(words)
        if lasting(kind) and kind is not NAME:
            said = third_person_text(sentence.text, trimmed(words), USER)
            return [Found(f"User is {said[:1].lower()}{said[1:]}", kind._replace(confidence=0.8))]
    elif _SHORT_VERBS.match(low) and low_at(words, 1) not in FINITE | {"'s", "and", "or"}:
        i = Word("I", "i", first.start, first.start)
        return _clauses(sentence, (i, first._replace(text=first.low), *words[1:]))
    return None


def _belonging(sentence: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """ "Chess and reading are my hobbies", whole, before it is cut at "and"."""
    found = _mine(sentence, trimmed(words), low) if subject_at(words, 0) is None else None
    return [found] if found is not None else None


def _mine(sentence: Sentence, words: Sequence[Word], low: str) -> Found | None:
    """ "Jane is my wife", "Blue is my favorite color"."""
    mine = _MINE.search(low)
    if mine is None or _NO_SUBJECT.match(low):
        return None
    before = words[: count_of(low[: mine.start()])]
    noun = words[count_of(low[: mine.start("what")]) :]
    if not 0 < len(before) <= 8 or len(noun) > 6 or any(word.low in {"i", "my", "you", "your", ","} for word in before):
        return None
    what = " ".join(word.text for word in noun)
    be = ("is" if mine["be"] == "'s" else mine["be"]) + (" not" if mine["no"] else "")
    who = third_person_text(sentence.text, before, USER)
    if noun[-1].low in lexicon.KIN | lexicon.ACQUAINTED | lexicon.PETS and is_name(before):
        return Found(tidy(f"User's {what} {be} named {who}"), FAMILY)
    nouns = {word.low for word in noun}
    if _STATED_OF.isdisjoint(nouns) or POINTING.match(lows(before)):
        return None
    kind = ATTRIBUTE if nouns & {"language", "tongue", "hometown"} else TASTE
    return Found(tidy(f"User's {what} {be} {who}"), kind)


def _due(sentence: Sentence, words: Sequence[Word], low: str) -> Found | None:
    """ "The report is due on Friday"."""
    due = _DUE.match(low)
    if due is None:
        return None
    nouns = (due["noun"] or due["launched"]).split()
    dated = " due " in low or not lexicon.DATED_THINGS.isdisjoint(nouns)
    if not dated or date_ahead(low, _ANY_DAY) is None:
        return None
    return Found(_capitalised(third_person_text(sentence.text, words, SOMETHING)), DEADLINE)


def _affecting(sentence: Sentence, words: Sequence[Word], low: str) -> Found | None:
    """ "Cats make me sneeze"."""
    affects = _AFFECTS.match(low)
    if affects is None or _NOBODY.match(low) or not _AFFECTED.fullmatch(affects["how"]):
        return None
    if not affects["how"] and affects["verb"] in {"make", "give", "help"}:
        return None
    kind = HEALTH if _ILL.search(affects["how"]) else TASTE
    return Found(_capitalised(third_person_text(sentence.text, words, SOMETHING)), kind)


def _capitalised(said: str) -> str:
    return tidy(re.sub(r"^.", lambda first: first[0].upper(), said))
