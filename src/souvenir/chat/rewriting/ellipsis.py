"""Questions that lean on the one before: "What about in Europe?", "And Ann?", "Why?". They take its words."""

from souvenir.chat.rewriting.entities import entities_of, is_side, is_vague
from souvenir.chat.rewriting.phrases import Phrase, Sentence, is_superlative
from souvenir.chat.rewriting.references import Draft, Edit
from souvenir.chat.rewriting.thread import Exchange, Thread

_MOST_WORDS = 20  # of a question that is taken up
_ASKED_ALONE = frozenset({"why", "how", "when", "where"})
_ANAPHORS = frozenset({"it", "its", "they", "them", "their", "he", "she", "his", "her", "him"})


def fill_ellipsis(draft: Draft, thread: Thread) -> bool:
    """Say the question before again with what is new in this one."""
    last = thread.last
    if last is None or last.question is None or len(last.question.words) > _MOST_WORDS:
        return False
    text = _asked_alone(draft.sentence, last.question) or _asked_about(draft.sentence, last)
    if text is None:
        return False
    draft.edits.append(Edit(0, len(draft.sentence.text.rstrip(" ?!.")), text.rstrip(" ?!.")))
    return True


def _asked_alone(sentence: Sentence, before: Sentence) -> str | None:
    """ "Why?" after a question that can be answered by yes or no."""
    words = [word.low for word in sentence.words if word.tag != "mark"]
    if len(words) != 1 or words[0] not in _ASKED_ALONE or not before.words or before.words[0].tag != "aux":
        return None
    return f"{sentence.words[0].text} {before.text[:1].lower()}{before.text[1:]}"


def _asked_about(sentence: Sentence, last: Exchange) -> str | None:
    start = _start(sentence)
    if start is None or last.question is None or last.original is None:
        return None
    rest = sentence.text[sentence.words[start].start :].rstrip(" ?!.")
    if sentence.words[start].tag == "prep":
        return _with_circumstance(sentence, start, last.question, rest)
    phrases = sentence.phrases
    whole = phrases and phrases[0].first == start and all(one.joined for one in phrases[1:])
    if not whole or sentence.tag(phrases[-1].last + 1) != "mark":
        return None
    if phrases[0].head is None:
        return _with_superlative(last.question, rest)
    if is_side(phrases[0]) or is_vague(phrases[0]):
        return None
    return _with_other(phrases[0], last.question, last.original, rest)


def _start(sentence: Sentence) -> int | None:
    """Where what is new begins: after "What about", or after "And" where no verb follows."""
    if sentence.low(0) in {"what", "how"} and sentence.low(1) == "about" and len(sentence.words) > 2:
        return 2
    bare = not any(word.tag in {"verb", "aux", "ask"} for word in sentence.words)
    return 1 if sentence.low(0) == "and" and bare and len(sentence.words) > 1 else None


def _with_circumstance(sentence: Sentence, start: int, before: Sentence, rest: str) -> str | None:
    """ "What about in Europe?": in the place of what the same preposition introduced, or added."""
    if not before.words or before.words[0].tag not in {"ask", "aux"}:
        return None
    preposition = sentence.low(start)
    for phrase in reversed(before.phrases):
        if phrase.preposition == preposition:
            return before.text[: before.words[phrase.first - 1].start] + rest + before.text[phrase.end :]
    added = preposition in {"in", "on", "at", "during", "near"}
    return f"{before.text.rstrip(' ?!.')} {rest}" if added else None


def _with_superlative(before: Sentence, rest: str) -> str | None:
    """ "What about the oldest?" after a question for the youngest."""
    for other in before.phrases:
        if other.head is not None and other.superlative:
            kept = [word for word in other.core if not is_superlative(word)]
            start = kept[0].start if kept else other.end
            return f"{before.text[: other.start]}{rest} {before.text[start:]}"
    return None


def _with_other(phrase: Phrase, before: Sentence, original: Sentence, rest: str) -> str | None:
    """ "What about tea?" after a question that asks something of coffee."""
    if not _asks_something(before):
        return None
    alike = [one for at, one in enumerate(original.phrases) if _is_alike(original, at, phrase)]
    if not alike:
        return None
    pointed = any(word.low in _ANAPHORS for word in original.words)
    replaced = alike[-1] if pointed else alike[0]
    name = original.text[replaced.start : replaced.end]
    at = before.text.rfind(name)
    return before.text[:at] + rest + before.text[at + len(name) :] if at >= 0 else None


def _is_alike(sentence: Sentence, place: int, other: Phrase) -> bool:
    """Both names, or both common and with the same article."""
    one = sentence.phrases[place]
    joined = any(each.joined for each in sentence.phrases[place : place + 2])
    if one.head is None or one.proper != other.proper or is_side(one) or is_vague(one) or one.owned or joined:
        return False
    return one.proper or (one.determiner == other.determiner and len(one.core) <= 2)


def _asks_something(before: Sentence) -> bool:
    """More than what or who something is."""
    if before.words[0].tag not in {"ask", "aux"}:
        return False
    plain = before.low(0) in {"what", "who"} and before.tag(1) == "aux" and len(entities_of(before)) == 1
    return not (plain and not any(word.tag in {"verb", "prep"} for word in before.words))
