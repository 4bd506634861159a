"""What English sentences say about their author, in the third person."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from souvenir.memory.local_extract.english import lexicon
from souvenir.memory.local_extract.english.clause import Clause, parse
from souvenir.memory.local_extract.english.forms import is_naming, other_form, other_subject
from souvenir.memory.local_extract.english.having import object_noun
from souvenir.memory.local_extract.english.joiners import CAUSES
from souvenir.memory.local_extract.english.openings import lead_of, trimmed, without_frames, without_leads
from souvenir.memory.local_extract.english.pieces import Piece, pieces_of, statements_of
from souvenir.memory.local_extract.english.remembering import (
    means_the_above,
    remember_words,
    to_be_done,
    without_second_that,
    words_before_remember,
)
from souvenir.memory.local_extract.english.rephrase import third_person_text, tidy
from souvenir.memory.local_extract.english.screen import is_ironic, says_nothing
from souvenir.memory.local_extract.english.subjects import SOMETHING, USER, About, Subject
from souvenir.memory.local_extract.english.telling import told
from souvenir.memory.local_extract.english.verb_groups import verb_after
from souvenir.memory.local_extract.kinds import EXPLICIT, Found, lasting
from souvenir.memory.local_extract.sentences import Sentence
from souvenir.memory.local_extract.words import Word, low_at, lows, word_set

_SOMEBODY = lexicon.KIN | lexicon.ACQUAINTED | lexicon.PETS
_GETTING = word_set("have adopt get buy")
_DETERMINERS = word_set("a an the one two three four five my our another new some twin")
_OF_THEIRS = word_set("name birthday job favorite favourite")
_MALE = word_set(
    "husband father dad son brother uncle nephew grandfather grandpa grandson boyfriend fiancé boy papa stepfather "
    "father-in-law brother-in-law"
)
_FEMALE = word_set(
    "wife mother mom mum daughter sister aunt niece grandmother grandma granddaughter girlfriend fiancée girl mama "
    "stepmother mother-in-law sister-in-law"
)


class EnglishReader:
    """Reads the sentences of one message in order, so that "she" is who was spoken of before."""

    def __init__(self) -> None:
        self._spoken_of: Subject | None = None

    def read(self, sentences: Sequence[Sentence]) -> list[Found]:
        """Everything that is said of the user."""
        found: list[Found] = []
        last = 0
        for sentence in sentences:
            if not sentence.asks and means_the_above(lows(sentence.words)):
                found[last:] = _explicit(found[last:])
                continue
            last = len(found)
            found.extend(self._sentence(sentence))
        return found

    def _sentence(self, sentence: Sentence) -> Iterator[Found]:
        words = without_leads(sentence.words)
        self._spoken_of = _mentioned(words) or self._spoken_of
        low = lows(words)
        if not words or is_ironic(lows(sentence.words)):
            return
        begin = remember_words(low, asked=sentence.asks)
        end = words_before_remember(low)
        if begin is not None:
            yield from self._remembered(replace(sentence, mark=""), words[begin:])
        elif end is not None:
            yield from _explicit(self._said(sentence, words[:end]))
        elif is_naming(low) or not says_nothing(low):
            yield from self._said(sentence, words)

    def _remembered(self, sentence: Sentence, words: Sequence[Word]) -> Iterator[Found]:
        """What follows "remember that": kept as it is where it is not about the user."""
        if low_at(words, 0) == "to":
            yield to_be_done(sentence.text, words[1:])
            return
        found = _explicit(self._said(sentence, without_second_that(words)))
        yield from found
        if not found and len(words) > 1:
            said = tidy(third_person_text(sentence.text, words, SOMETHING))
            yield Found(said[:1].upper() + said[1:], EXPLICIT, explicit=True)

    def _said(self, sentence: Sentence, words: Sequence[Word]) -> Iterator[Found]:
        form = other_form(sentence, words) if words else []
        if form is not None:
            yield from form
            return
        lead = lead_of(words)
        if lead.statement:
            yield from self._said(replace(sentence, mark=""), lead.statement)
        main, doubtful = without_frames(lead.main)
        pieces = pieces_of(sentence.text, main)
        yield from self._pieces(sentence, pieces, lead.adverbial, doubtful=doubtful)

    def _pieces(
        self, sentence: Sentence, pieces: Sequence[Piece], tail: Sequence[Word], *, doubtful: bool
    ) -> Iterator[Found]:
        found: list[Found] = []
        previous: Clause | None = None
        stated = statements_of(pieces, asked=sentence.asks)
        for place, piece in enumerate(pieces):
            if place not in stated:
                previous = None
                continue
            clause = self._clause(sentence.text, piece, () if place else tail, doubtful=doubtful and not place)
            if clause is None:
                other = other_subject(sentence, piece.words) if piece.link != "so" else None
                found.extend([other] if other is not None else [])
            elif piece.link in CAUSES and previous is not None and found and lasting(found[-1].kind):
                found[-1] = _with_cause(found[-1], piece, clause)
            else:
                previous = _completed(clause, previous)
                self._note(previous)
                found.extend(told(previous))
        yield from found

    def _clause(self, text: str, piece: Piece, tail: Sequence[Word], *, doubtful: bool) -> Clause | None:
        words, unsure = without_frames(piece.words)
        words = trimmed(words)
        clause = parse(text, words) or self._resolved(text, words)
        if clause is None:
            return None
        return replace(clause, tail=(*tail, *clause.tail), hedged=clause.hedged or doubtful or unsure)

    def _resolved(self, text: str, words: Sequence[Word]) -> Clause | None:
        """A clause about "she" or "his name", where it is known who that is."""
        known, low = self._spoken_of, low_at(words, 0)
        if known is None or not _can_be(low, known):
            return None
        if low in {"he", "she", "it", "they"}:
            subject = replace(known, begin=0, end=1)
        elif low_at(words, 1) in _OF_THEIRS:
            end = next((place for place, word in enumerate(words) if word.low in {"is", "'s", "are", "was"}), 2)
            owned = " ".join(word.low for word in words[1:end])
            subject = replace(known, text=f"{known.text}'s {owned}", begin=0, end=end, owned=words[end - 1].low)
        else:
            return None
        verb = verb_after(words, subject)
        return Clause(text, tuple(words), subject, verb, tuple(words[verb.end :])) if verb is not None else None

    def _note(self, clause: Clause) -> None:
        """Keep in mind who was spoken of."""
        subject, rest = clause.subject, clause.rest
        if subject.about in {"person", "pet"}:
            whose = subject.text.rpartition("'s ")[0] if subject.owned else subject.text
            self._spoken_of = replace(subject, text=whose, owned="")
        elif subject.about == "user" and clause.verb.lemma in _GETTING and rest:
            noun = object_noun(rest)
            if noun in _SOMEBODY:
                about: About = "pet" if noun in lexicon.PETS else "person"
                place = next(place for place, word in enumerate(rest) if word.low == noun)
                described = " ".join(word.text for word in rest[: place + 1] if word.low not in _DETERMINERS)
                self._spoken_of = Subject(f"User's {described}", about, noun, plural=_is_plural(noun), begin=0, end=0)


def _mentioned(words: Sequence[Word]) -> Subject | None:
    """The last of the user's people or animals that are named: "a gift for my wife"."""
    for place in range(len(words) - 2, -1, -1):
        if words[place].low not in {"my", "our"}:
            continue
        nouns = words[place + 1 : place + 4]
        end = next((end for end, word in enumerate(nouns, start=1) if word.low in _SOMEBODY), None)
        if end is not None and low_at(words, place + 1 + end) != "'s":
            noun = nouns[end - 1].low
            about: About = "pet" if noun in lexicon.PETS else "person"
            text = f"User's {' '.join(word.text for word in nouns[:end])}"
            return Subject(text, about, noun, plural=_is_plural(noun), begin=0, end=0)
    return None


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") or noun == "children"


def _explicit(found: Iterator[Found] | Sequence[Found]) -> list[Found]:
    return [each._replace(explicit=True) for each in found]


def _can_be(pronoun: str, known: Subject) -> bool:
    if pronoun in {"they", "their"}:
        return known.plural
    if known.plural:
        return False
    if pronoun in {"it", "its"}:
        return known.about == "pet"
    if pronoun in {"he", "his"}:
        return known.noun not in _FEMALE
    return pronoun in {"she", "her"} and known.noun not in _MALE


def _completed(clause: Clause, previous: Clause | None) -> Clause:
    """ "I'm vegetarian, but my kids aren't": what is not said again."""
    if clause.rest or previous is None or clause.verb.lemma != "be" or previous.verb.lemma != "be":
        return clause
    return replace(clause, rest=previous.rest)


def _with_cause(found: Found, piece: Piece, clause: Clause) -> Found:
    said = third_person_text(clause.text, trimmed(piece.words), USER)
    return found._replace(content=f"{found.content} {piece.link} {tidy(said)}")
