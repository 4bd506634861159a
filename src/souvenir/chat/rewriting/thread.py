"""The entity memory of a thread: what its last messages spoke of, exchange by exchange."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from souvenir.chat.rewriting.entities import Entity, Gender, Kind, entities_of, gender_of, told_apart
from souvenir.chat.rewriting.phrases import Sentence, parse
from souvenir.patterns import lazy

_NEAR = 3  # exchanges in which what was named in passing comes second
_ANSWER_CHARACTERS = 1_200
_ANSWER_SENTENCES = 10
_SENTENCE_CHARACTERS = 300
_MOST_ENTITIES = 12  # of one sentence, and of one answer
_MARKUP = lazy(r"```.*?(?:```|\Z)|[*_#`>|\[\]]|\(https?://\S*\)", re.DOTALL)
_SENTENCE_END = lazy(r"(?<=[.!?:;])(?<![A-Z]\.)(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)(?<!St\.)(?<!Mrs\.)\s+|\n+")
_YOUR = lazy(r"\byour\b", re.IGNORECASE)
_GENDERS: dict[str, Gender] = {"he": "male", "him": "male", "his": "male", "she": "female", "her": "female"}


@dataclass(slots=True)
class Exchange:
    """A question and its answer. `entities` come with the likeliest to be meant first.

    `question` is as it was understood, `original` as it was asked.
    """

    entities: list[Entity] = field(default_factory=list)
    question: Sentence | None = None
    original: Sentence | None = None


class Thread:
    """Grows with each message. Its last exchange is the one a pronoun most likely points to."""

    def __init__(self) -> None:
        self._exchanges: list[Exchange] = []
        self._known: dict[str, Entity] = {}
        self.centre: Entity | None = None
        """Whom or what the last pronoun stood for."""

    @property
    def recent(self) -> Sequence[Exchange]:
        """The exchanges, the newest first."""
        return self._exchanges[::-1]

    @property
    def last(self) -> Exchange | None:
        """The newest exchange."""
        return self._exchanges[-1] if self._exchanges else None

    @property
    def topic(self) -> Entity | None:
        """What the newest exchange is about that is about anything."""
        strong = [one for exchange in self.recent for one in exchange.entities if not one.weak]
        near = [one for exchange in self.recent[:_NEAR] for one in exchange.entities if not (one.weak or one.aside)]
        return next(iter(near or strong), None)

    def entities(self) -> Iterator[Entity]:
        """All entities, the likeliest first, each once."""
        seen: set[str] = set()
        for exchange in self.recent:
            for entity in exchange.entities:
                if entity.key not in seen:
                    seen.add(entity.key)
                    yield entity

    def learn(self, entity: Entity, kind: Kind, gender: Gender = "") -> None:
        """Keep what a reference told of an entity."""
        self._known[entity.key] = told_apart(self._known.get(entity.key, entity), kind, gender)
        for exchange in self._exchanges:
            exchange.entities = [self._told(one) for one in exchange.entities]

    def hear_user(self, original: Sentence, rewritten: Sentence, meant: Sequence[Entity] = ()) -> None:
        """A message of the user, as it was and as it is understood; what its references meant it is about."""
        named = [self._told(one) for one in entities_of(rewritten)[:_MOST_ENTITIES]]
        new = [one for one in named if not any(_overlap(one, other) for other in meant)]
        entities = [*(replace(self._told(one), aside=False) for one in meant), *new]
        if not entities and self._exchanges and not rewritten.phrases:
            return  # "Why?" speaks of what went before
        self._exchanges.append(Exchange(entities, rewritten, original))

    def hear_answer(self, text: str) -> None:
        """A message of the assistant."""
        sentences = [parse(sentence) for sentence in _sentences(text)]
        named: list[Entity] = []
        for place, sentence in enumerate(sentences):
            found = [self._told(one) for one in entities_of(sentence)[:_MOST_ENTITIES]]
            self._learn_gender(sentence, named)
            named += [one for one in found if one.proper or one.name.startswith("my ")]
            named += [one for one in found if place == 0 and not (one.proper or one.weak or one.kind == "person")]
        if not self._exchanges:
            self._exchanges.append(Exchange())
        exchange = self._exchanges[-1]
        exchange.entities = _ordered(exchange, [self._told(one) for one in named][:_MOST_ENTITIES], sentences)

    def _learn_gender(self, sentence: Sentence, named: Sequence[Entity]) -> None:
        """ "Ann is a lawyer. She …"."""
        gender = next((_GENDERS[word.low] for word in sentence.words if word.low in _GENDERS), None)
        people = [one for one in named if one.proper and one.kind in {"person", ""} and not one.plural]
        if gender is not None and people and not any(one.gender == gender for one in people):
            nameless = next((one for one in people if not one.gender), None)
            if nameless is not None:
                self.learn(nameless, "person", gender)

    def _told(self, entity: Entity) -> Entity:
        known = self._known.get(entity.key) or self._full_name(entity) or self._wider_place(entity)
        return told_apart(entity, known.kind, known.gender) if known is not None else entity

    def _full_name(self, entity: Entity) -> Entity | None:
        """The person whose last name this is."""
        if not entity.proper or " " in entity.name:
            return None
        ending = f" {entity.name.lower()}"
        return next((one for one in self.entities() if one.kind == "person" and one.key.endswith(ending)), None)

    def _wider_place(self, entity: Entity) -> Entity | None:
        """The place that "downtown Boston" is a part of."""
        if not entity.proper or entity.kind:
            return None
        words = set(entity.key.split())
        return next((one for one in self.entities() if one.kind == "place" and set(one.key.split()) <= words), None)


def _overlap(one: Entity, other: Entity) -> bool:
    return not one.parts and (one.key in other.key or (one.noun == other.noun and not one.weak))


def _sentences(text: str) -> list[str]:
    plain = _YOUR.sub("my", _MARKUP.sub(" ", text[:_ANSWER_CHARACTERS]))  # what the user would say
    parts = (part.strip()[:_SENTENCE_CHARACTERS] for part in _SENTENCE_END.split(plain))
    return [part for part in parts if part][:_ANSWER_SENTENCES]


def _ordered(exchange: Exchange, named: Sequence[Entity], sentences: Sequence[Sentence]) -> list[Entity]:
    """What was asked about, then what the answer named; the other way round where the answer is a name."""
    asked = exchange.entities
    known = {one.key for one in asked}
    # what only an answer names, other than people, is named in passing
    new = [replace(one, aside=one.kind != "person") for one in named if one.key not in known]
    answer = _answer(exchange, asked, new) if sentences else []
    unique = dict.fromkeys(one.key for one in (*answer, *asked, *new))
    by_key = {one.key: one for one in reversed((*answer, *asked, *new))}
    return [by_key[key] for key in unique]


def _answer(exchange: Exchange, asked: Sequence[Entity], new: Sequence[Entity]) -> list[Entity]:
    """The name that was asked for, as by "What is the capital of France?", and not by "What is France?"."""
    question = exchange.question
    name = next((replace(one, aside=False) for one in new if one.proper), None)
    if name is None or question is None or question.low(0) not in {"what", "which", "who", "where"}:
        return []
    subject = next((phrase for phrase in question.phrases if not phrase.owner), None)
    if question.low(0) == "who":
        if subject is None or subject.proper or question.tag(1) != "aux":
            return []
        return [told_apart(name, "person", gender_of([subject.noun], proper=False))]
    sided = any(one.weak and not one.plural for one in asked)
    first = subject is not None and subject.superlative and not subject.plural
    kind = question.low(0) == "which" or (question.low(0) == "what" and question.tag(1) == "noun")
    return [name] if sided or first or kind else []
