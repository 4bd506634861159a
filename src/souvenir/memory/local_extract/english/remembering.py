"""What a user asks to have remembered: "remember that …", "don't forget", "always answer in French"."""

import re
from collections.abc import Sequence

from souvenir.memory.local_extract.english.openings import trimmed
from souvenir.memory.local_extract.english.rephrase import third_person_text, tidy
from souvenir.memory.local_extract.english.subjects import SOMETHING, USER
from souvenir.memory.local_extract.kinds import INSTRUCTION, REMINDER, Found
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.sentences import Sentence
from souvenir.memory.local_extract.words import Word, count_of, low_at, lows

_REMEMBER = compiled(
    r"""
    ((please|pls|also|and|hey|ok|so|just|can you|could you|would you|i want you to|i need you to|i 'd like you to|
    you should|you must) ,? ?)*(remember|do n't (ever )?forget|never forget|do not forget|keep in mind|bear in mind|
    take note|make (a )?note|note down|memorize|memorise|save|store|write down|add (this |the following )?to (your |
    my )?memor(y|ies)|note to self|for (your )?future reference|please note)( this| the following| it| down| for (me|
    later|next time|the future|future reference)| in (your )?memory| the fact)* ?(?P<mark>[:,-]|that\b)? ?(that )?
    """
)
_NOTHING = compiled(
    r"(when|how|what|where|why|who|whether|if|me\b|you|last time|the time|our (last|previous)|it$|this$|that$|$|\?)"
)
_TOLD = compiled(r"(i|my|we|our|to(?! \w+ yourself))\b")
_SAVING = compiled(r"(save|store|write down)\b(?! this| that| it|:)")
_THAT = "(that|this|it)"
_AFTER = compiled(
    rf"""
    [,;-] (please |so )?(remember {_THAT}|do n't forget {_THAT}|keep {_THAT} in mind|please remember|
    make a note of {_THAT})$
    """
)
_ABOVE = compiled(
    rf"""
    (please |can you |so )?(remember ({_THAT}|all that|all this)|do n't forget {_THAT}?|keep {_THAT} in mind|
    make a note of {_THAT}|save {_THAT}|note that down)( please| for (next time|later|the future))?$
    """
)
_STANDING = compiled(
    r"""
    (please ,? )?(?P<when>from now on|going forward|in (the )?future|for all future (answers|replies|responses)|
    whenever you answer)?( ,)? ?(please )?(?P<often>always|never)? ?(?P<verb>answer|respond|reply|use|write|give|
    include|explain|address|speak|format|keep|talk|cite|add|provide|be|show|end|start|do n't|avoid|call|stick|
    translate|convert)\b(?! up\b| me )
    """
)
_ANSWERING = compiled(
    r"""
    (always|never|not|only|do n't|be|answer|respond|reply|use|write|give|include|explain|address|speak|format|keep|talk|
    cite|add|provide|show|end|start|avoid|stick|translate|convert|ask me|call me|tell me|mention|double-?check|check|
    greet|suggest|recommend|sign|refer|consider)\b
    """
)


def remember_words(low: str, *, asked: bool) -> int | None:
    """The number of words of "remember that" at the beginning, where a statement follows it."""
    remember = _REMEMBER.match(low)
    if remember is None or _SAVING.match(low):
        return None
    rest = low[remember.end() :]
    politely = low.startswith(("can you", "could you", "would you", "please"))
    if _NOTHING.match(rest) or (asked and (not politely or rest.startswith("to "))):
        return None
    return count_of(low[: remember.end()]) if remember["mark"] in {":", "-", "that"} or _TOLD.match(rest) else None


def words_before_remember(low: str) -> int | None:
    """The number of words before ", remember that" at the end."""
    after = _AFTER.search(low)
    return count_of(low[: after.start()]) if after is not None else None


def means_the_above(low: str) -> bool:
    """Whether "please remember that" is all that is said."""
    return _ABOVE.fullmatch(low) is not None


def standing(sentence: Sentence, words: Sequence[Word], low: str) -> list[Found] | None:
    """ "Always answer in French"."""
    found = _STANDING.match(low)
    if found is None or sentence.asks or not (found["when"] or found["often"]):
        return None
    begin = count_of(low[: found.start("often") if found["often"] else found.start("verb")])
    return [Found(instruction(sentence.text, words[begin:], found["when"] or ""), INSTRUCTION)]


def without_second_that(words: Sequence[Word]) -> list[Word]:
    """ "that I'm vegan and that I live in Oslo" is two statements."""
    return [
        word
        for place, word in enumerate(words)
        if word.low != "that"
        or low_at(words, place - 1) not in {"and", ","}
        or not _TOLD.match(low_at(words, place + 1))
    ]


def to_be_done(text: str, words: Sequence[Word]) -> Found:
    """What follows "remember to": how to answer, or something that users have to do themselves."""
    if _ANSWERING.match(lows(words)):
        return Found(instruction(text, words), INSTRUCTION, explicit=True)
    said = third_person_text(text, trimmed(words), USER)
    return Found(tidy(f"User needs to {said}"), REMINDER, explicit=True)


def instruction(text: str, words: Sequence[Word], when: str = "") -> str:
    """What the assistant is to do."""
    said = third_person_text(text, trimmed(words), SOMETHING)
    said = re.sub(r"\byour\b", "its", re.sub(r"\byou\b", "it", said))
    said = re.sub(r"^do(?: not|n't|n’t) ", "not ", said, flags=re.IGNORECASE)  # noqa: RUF001
    said = said[:1].lower() + said[1:]
    to = "not to" if said.startswith("not ") else "to"
    return tidy(f"User wants the assistant {to} {said.removeprefix('not ')} {when}")
