"""Facts from what a user says, by rules: no model, no network."""

import re
from collections.abc import Sequence
from itertools import groupby

from souvenir.memory.local_extract.english.answers import as_statement
from souvenir.memory.local_extract.english.reader import EnglishReader
from souvenir.memory.local_extract.foreign.book import read_foreign
from souvenir.memory.local_extract.foreign.chinese import read_chinese
from souvenir.memory.local_extract.kinds import DEADLINE, REMINDER, Found, hedged
from souvenir.memory.local_extract.language import BOOKS, language_of
from souvenir.memory.local_extract.lifetimes import date_ahead, expiry
from souvenir.memory.local_extract.screen import begins_fiction, is_joke, is_test
from souvenir.memory.local_extract.sentences import Sentence, sentences_of
from souvenir.memory.local_extract.words import lows, words_of
from souvenir.memory.port import Candidate, Extraction, Utterance
from souvenir.patterns import lazy

_MOST = 24  # candidates of one message: who says more has pasted something
_READ_BEFORE = 600  # characters of an earlier message that may begin a game
_EXPLICIT_IMPORTANCE, _EXPLICIT_CONFIDENCE = 9, 1.0
_DUE = lazy(r"\b(?:deadline|due|by|until)\b", re.IGNORECASE)


class LocalExtractor:
    """Finds facts with rules for English, and a smaller set for German, Spanish, French and Chinese.

    Of another language nothing is kept. What somebody else than the user says is never a source.
    """

    async def extract(self, said: Utterance, before: Sequence[Utterance], known: Sequence[str]) -> Extraction:
        """The candidates of one message; see `Extractor`. It never raises."""
        del known  # rules need no context but the chat
        if said.role != "user" or is_test(said.content):
            return Extraction((), "local")
        found = _found(said.content, before)
        if any(each.role == "user" and _plays(each.content) for each in before):
            found = [each if each.explicit else each._replace(kind=hedged(each.kind)) for each in found]
        return Extraction(tuple(_candidate(each, said) for each in found[:_MOST]), "local")


def _plays(message: str) -> bool:
    return begins_fiction(lows(words_of(message[:_READ_BEFORE])))


def _found(message: str, before: Sequence[Utterance]) -> list[Found]:
    """What a message says of the user, each thing once."""
    sentences = sentences_of(message)
    told = [lows(sentence.words) for sentence in sentences]
    if any(map(is_joke, told)):
        return []
    fiction = next((place for place, low in enumerate(told) if begins_fiction(low)), len(told))
    if len(sentences) == 1 and before and before[-1].role == "assistant":
        answer = as_statement(before[-1].content, message)
        if answer is not None:
            return EnglishReader().read(sentences_of(answer))
    return list(dict.fromkeys(_read(sentences[:fiction])))


def _read(sentences: Sequence[Sentence]) -> list[Found]:
    """Each sentence in its own language, and where a short one does not tell, in that of the message."""
    whole = language_of(" ".join(dict.fromkeys(sentence.text for sentence in sentences)))
    found: list[Found] = []
    for language, alike in groupby(sentences, lambda sentence: language_of(sentence.text, whole)):
        if language == "en":
            found.extend(EnglishReader().read(list(alike)))
        elif language == "zh":
            found.extend(each for sentence in alike for each in read_chinese(sentence))
        elif language in BOOKS:
            found.extend(each for sentence in alike for each in read_foreign(BOOKS[language], sentence))
    return found


def _candidate(found: Found, said: Utterance) -> Candidate:
    kind, lifetime = found.kind, found.kind.lifetime
    ends = kind.dated or (kind.category == "project" and _DUE.search(found.content) is not None)
    date = date_ahead(found.content, said.at) if ends else None
    if date is not None:
        lifetime = "deadline"
    elif found.explicit and kind is not REMINDER:
        lifetime = "preference"
    elif kind.why == DEADLINE.why:
        kind = kind._replace(importance=5, why="is to be done, but no day is named")
    return Candidate(
        content=found.content,
        category=kind.category,
        importance=_EXPLICIT_IMPORTANCE if found.explicit else kind.importance,
        confidence=_EXPLICIT_CONFIDENCE if found.explicit else kind.confidence,
        reasoning=f"asked to remember; {kind.why}" if found.explicit else kind.why,
        lifetime=lifetime,
        expires_at=expiry(lifetime, said.at, date),
        message_id=said.message_id,
    )
