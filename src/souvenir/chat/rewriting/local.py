"""References resolved by rules, with an entity memory of the thread: no model, no network."""

from collections.abc import Sequence

from souvenir.chat.rewriting.ellipsis import fill_ellipsis
from souvenir.chat.rewriting.entities import entities_of
from souvenir.chat.rewriting.gaps import fill_gaps
from souvenir.chat.rewriting.mentions import resolve_mentions
from souvenir.chat.rewriting.phrases import Sentence, parse
from souvenir.chat.rewriting.port import Rewritten, Turn
from souvenir.chat.rewriting.references import Draft, resolve_pointers, resolve_pronouns
from souvenir.chat.rewriting.screen import LONGEST, asks, is_prose, sentences_of
from souvenir.chat.rewriting.thread import Thread
from souvenir.chat.rewriting.words import AUXILIARIES, QUESTION_WORDS

_TURNS = 24  # messages of the thread that are read: what is older is named again by who means it
_ANSWERED_TURNS = 8  # of them, those in which answers are read too
_SENTENCES = 6  # of one message
_MOST_GROWTH = 400  # characters: more is no question any longer
_MARKS = ".?!…"


class LocalRewriter:
    """Rules for English; anything else is left as it is. It costs a few milliseconds, however long the thread is."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> Rewritten:
        """The question with its references resolved; see `Rewriter`."""
        if not history or not is_prose(question):
            return Rewritten(question)
        sentences = sentences_of(question)
        if len(sentences) > _SENTENCES or not any(asks(sentence) for _, sentence in sentences):
            return Rewritten(question)
        return _rewritten(question, sentences, _remembered(history[-_TURNS:]))


def _remembered(history: Sequence[Turn]) -> Thread:
    thread = Thread()
    for age, turn in zip(range(len(history), 0, -1), history, strict=True):
        if turn.role == "assistant":
            if age <= _ANSWERED_TURNS:
                thread.hear_answer(turn.content)
        elif is_prose(turn.content[:LONGEST]):
            for _, sentence in sentences_of(turn.content[:LONGEST])[:_SENTENCES]:
                _understand(sentence, thread)
    return thread


def _rewritten(question: str, sentences: Sequence[tuple[int, str]], thread: Thread) -> Rewritten:
    drafts = _drafts(sentences, thread)
    text = question
    for place, draft in reversed(drafts):
        if draft.edits:
            end = place + len(draft.sentence.text)
            text = text[:place] + _finished(draft.text) + text[end:]
    if text.split() == question.split() or len(text) > len(question) + _MOST_GROWTH:
        return Rewritten(question)
    used = dict.fromkeys(one.name for _, draft in drafts for one in draft.entities)
    rivals = next((draft.rivals for _, draft in drafts if draft.rivals), ())
    return Rewritten(text.strip(), True, tuple(used), tuple(dict.fromkeys(one.name for one in rivals)))


def _drafts(sentences: Sequence[tuple[int, str]], thread: Thread) -> list[tuple[int, Draft]]:
    """Each sentence with its edits. What the message itself names before is no reference to the thread."""
    drafts: list[tuple[int, Draft]] = []
    own: set[str] = set()
    for place, sentence in sentences:
        draft = _understand(sentence, thread)
        if own and (not draft.used or any(one.key in own for one in draft.used)):
            draft = Draft(draft.sentence)
        drafts.append((place, draft))
        own.update(one.key for one in entities_of(draft.sentence))
    return drafts


def _understand(sentence: str, thread: Thread) -> Draft:
    """The sentence with what it refers to, which the thread then knows of."""
    read = parse(sentence)
    draft = _draft(read, thread) if asks(sentence) else Draft(read)
    thread.hear_user(read, parse(draft.text) if draft.edits else read, draft.entities)
    return draft


def _draft(sentence: Sentence, thread: Thread) -> Draft:
    draft = Draft(sentence)
    if thread.last is None:
        return draft
    resolve_pronouns(draft, thread)
    resolve_mentions(draft, thread)
    if not draft.edits:
        resolve_pointers(draft, thread)
    if not draft.edits and not fill_ellipsis(draft, thread):
        fill_gaps(draft, thread)
    return draft


def _finished(text: str) -> str:
    """With a capital, and the mark of a question that was typed without one."""
    text = text.strip()
    first = text.split(" ", 1)[0].lower()
    asked = first in QUESTION_WORDS or first in AUXILIARIES
    mark = "?" if asked and text[-1:] not in _MARKS else ""
    return text[:1].upper() + text[1:] + mark
