"""Whether a message asks to have something remembered or forgotten, and what."""

# ruff: noqa: RUF001 - the apostrophes that people type

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from souvenir.memory.asking_foreign import CHINESE, FRENCH, GERMAN, SPANISH
from souvenir.memory.asking_rules import ENGLISH, Form, Rule, Tongue
from souvenir.memory.local_extract.screen import begins_fiction, is_joke, is_test
from souvenir.memory.local_extract.sentences import Sentence, sentences_of
from souvenir.memory.local_extract.words import lows
from souvenir.patterns import lazy

Language = Literal["en", "de", "es", "fr", "zh"]

TONGUES: Mapping[Language, Tongue] = {"en": ENGLISH, "de": GERMAN, "es": SPANISH, "fr": FRENCH, "zh": CHINESE}

_LONGEST = 1500  # characters of a sentence that are read: what is longer is no memory, and refused as such
_FEW = 12  # sentences of a message that are all read; of more the first and the last
_ENDS = 3
_HAN = lazy(r"[\u4e00-\u9fff]")
_SOMETHING = lazy(r"\w\w")
_GOES_ON = lazy(r"[,;:–—]|\b(?:and|but|instead|for now)\b", re.IGNORECASE)
_OUTER = ' :,;.!–—-…。！，："“”'
_CHINESE: tuple[Language, ...] = ("zh",)
_ALPHABETIC: tuple[Language, ...] = ("en", "de", "es", "fr")


@dataclass(frozen=True, slots=True)
class Remember:
    """Something to be remembered: its author's own words without those of asking, and what else the message says."""

    content: str
    rest: str = ""
    language: Language = "en"
    form: Form = "statement"


@dataclass(frozen=True, slots=True)
class Forget:
    """Something to be forgotten; empty content is everything. What is not `sure` may have meant something else."""

    content: str
    rest: str = ""
    language: Language = "en"
    form: Form = "statement"
    sure: bool = True


class _Said(NamedTuple):
    """One sentence: what it says, and whether it asks a question."""

    text: str
    asks: bool


class _Match(NamedTuple):
    """A rule that a sentence follows."""

    language: Language
    rule: Rule
    match: re.Match[str]


def asked(text: str) -> Remember | Forget | None:
    """What a message asks to have remembered or forgotten, the first such request; None for any other message."""
    if is_test(text):
        return None
    sentences = sentences_of(text)
    if any(begins_fiction(low) or is_joke(low) for low in (lows(sentence.words) for sentence in sentences)):
        return None
    said = [_said(sentence) for sentence in sentences]
    for place in _places(len(said)):
        found = _request(said, place)
        if found is not None:
            return found
    return None


def _places(count: int) -> Iterator[int]:
    yield from range(count) if count <= _FEW else (*range(_ENDS), *range(count - _ENDS, count))


def _said(sentence: Sentence) -> _Said:
    return _Said(sentence.text[sentence.words[0].start : sentence.words[-1].end].strip(), sentence.asks)


def _request(said: Sequence[_Said], place: int) -> Remember | Forget | None:
    sentence = said[place]
    plain = sentence.text[:_LONGEST].lstrip("¿¡ ").replace("’", "'")
    others = [each for number, each in enumerate(said) if number != place]
    for language in _CHINESE if _HAN.search(plain) else _ALPHABETIC:
        tongue = TONGUES[language]
        for rule in tongue.rules:
            match = rule.pattern.match(plain)
            if match is not None and (not sentence.asks or match["polite"]):
                return _made(said, place, _Match(language, rule, match), others)
        after = tongue.after.match(plain)
        if after is not None and not sentence.asks:
            return Remember(after["c"].strip(), _joined(others), language)
    return None


def _made(said: Sequence[_Said], place: int, found: _Match, others: Sequence[_Said]) -> Remember | Forget | None:
    language, rule, tongue = found.language, found.rule, TONGUES[found.language]
    if rule.form == "above":
        stated = said[place - 1 : place] if place else ()
    elif rule.form == "below":
        stated = tuple(itertools.takewhile(lambda each: not each.asks, said[place + 1 :]))
    else:
        content = _trimmed(tongue, rule, found.match.groupdict().get("c") or "")
        if rule.form != "all" and not _is_meant(tongue, rule, content, others):
            return None
        if rule.kind == "remember":
            return Remember(content, _joined(others), language, rule.form)
        return Forget(content, _joined(others), language, rule.form, rule.sure)
    if not stated or stated[0].asks:
        return None
    return Remember(_joined(stated), _joined([each for each in others if each not in stated]), language)


def _joined(said: Sequence[_Said]) -> str:
    return "\n".join(each.text for each in said)


def _trimmed(tongue: Tongue, rule: Rule, content: str) -> str:
    """Without what is said out of politeness, and of what is to be forgotten without the reason."""
    content = tongue.trailing.sub("", content).strip(_OUTER)
    if rule.kind == "forget" and rule.form == "statement":
        content = tongue.reason.sub("", content)
    return content


def _is_meant(tongue: Tongue, rule: Rule, content: str, others: Sequence[_Said]) -> bool:
    """Whether it is the user's own matter, or the message is about nothing else."""
    if not _SOMETHING.search(content) or tongue.refused.match(content):
        return False
    if tongue.own.match(content) and rule.form != "plan":
        return True
    alone = all(not each.asks and tongue.small_talk.match(each.text) for each in others)
    return alone and (rule.sure or not _GOES_ON.search(content))
