"""Whom or what a pronoun stands for: the nearest entity that agrees in number, kind and gender."""

from collections.abc import Iterator
from typing import NamedTuple

from souvenir.chat.rewriting.entities import Entity, Gender, many, one_of, pair
from souvenir.chat.rewriting.thread import Exchange, Thread

_NEAR = 2  # exchanges in which two people are rivals for one pronoun
_BACK = 3  # exchanges that are searched for a plural before a singular will do


class Choice(NamedTuple):
    """An entity, the name it gets in this place, and the others that fit as well."""

    entity: Entity
    name: str
    rivals: tuple[Entity, ...] = ()


def someone(thread: Thread, gender: Gender) -> Choice | None:
    """Whom "he" or "she" stands for."""
    found = [
        (age, entity)
        for age, exchange in enumerate(thread.recent)
        for entity in sorted(exchange.entities, key=_is_person, reverse=True)
        if (_is_person(entity) or _may_be_person(entity)) and entity.gender in {"", gender}
    ]
    if found:
        return _with_rivals(thread, found)
    found = [(age, one) for age, exchange in enumerate(thread.recent) for one in exchange.entities if _is_name(one)]
    return _with_rivals(thread, found) if found else None


def _with_rivals(thread: Thread, found: list[tuple[int, Entity]]) -> Choice:
    """Who was meant by the last pronoun is meant again, as long as nobody else came up since."""
    newest = found[0][0]
    centre = thread.centre
    if centre is not None and any(age == newest and one.key == centre.key for age, one in found):
        return Choice(centre, centre.name)
    first = found[0][1]
    near = [one for age, one in found if age < newest + _NEAR and _rank(one) == _rank(first)]
    others = {one.key: one for one in near if not _same_person(one, first)}
    return Choice(first, first.name, tuple(others.values()))


def _rank(entity: Entity) -> tuple[bool, bool, bool]:
    """Only what is known alike fits equally: a name is no rival of "a politician", which it may be."""
    return _is_person(entity), entity.proper, is_own(entity)


def is_own(entity: Entity) -> bool:
    """Whether it is the user's own: "my sister", "my dog"."""
    return entity.name.lower().startswith("my ")


def _same_person(one: Entity, other: Entity) -> bool:
    """One of them may be called by a part of the other's name."""
    return set(one.key.split()) <= set(other.key.split()) or set(other.key.split()) <= set(one.key.split())


def _is_person(entity: Entity) -> bool:
    return entity.kind == "person" and not entity.plural


def _may_be_person(entity: Entity) -> bool:
    """Two or three words in capitals of which nothing else is known, or an animal of the user's."""
    words = entity.name.split()
    named = entity.kind == "" and 1 < len(words) < 4 and all(word[:1].isupper() for word in words)
    return not entity.plural and (named or is_own(entity))


def _is_name(entity: Entity) -> bool:
    return entity.kind == "" and entity.proper and not entity.plural and not entity.name.isupper()


def something(thread: Thread) -> Choice | None:
    """What "it" stands for."""
    for exchange in thread.recent:
        found = next((one for one in _things(exchange) if _is_one(one) and not one.aside), None)
        if found is not None:
            return Choice(found, found.name, _equals(exchange, found))
    topic = thread.topic
    if topic is not None and topic.plural and not topic.parts and topic.kind != "person":
        return Choice(topic, one_of(topic))
    named = [one for exchange in thread.recent for one in _things(exchange) if not one.plural]
    found = next((one for one in named if not one.weak), named[0] if named else None)
    return Choice(found, found.name) if found is not None else None


def _is_one(entity: Entity) -> bool:
    return not entity.plural and not entity.weak


def _things(exchange: Exchange) -> Iterator[Entity]:
    return (one for one in exchange.entities if one.kind != "person")


def _equals(exchange: Exchange, found: Entity) -> tuple[Entity, ...]:
    """The other parts of a pair that was asked about."""
    pairs = (one for one in exchange.entities[:1] if one.parts)
    return tuple(part for one in pairs if found in one.parts for part in one.parts if part != found)


def both(thread: Thread) -> Choice | None:
    """What "they" stands for in a question that compares: the last two that were asked about, if none is many."""
    tops = [next((one for one in exchange.entities if not one.aside), None) for exchange in thread.recent]
    named = list({one.core.lower(): one for one in tops if one is not None and not one.weak}.values())
    if len(named) < 2 or any(one.plural for one in named[:2]):
        return several(thread)
    two = pair(named[1::-1])
    return Choice(two, two.name)


def several(thread: Thread) -> Choice | None:
    """Whom or what "they" stands for."""
    centre = _still_meant(thread)
    if centre is not None:
        return Choice(centre, many(centre))
    for exchange in thread.recent[:_BACK]:
        found = _several_of(exchange)
        if found is not None:
            return found
    topic = thread.topic
    two = _two_people(thread) if topic is not None and _is_person(topic) else None
    if two is not None:
        return Choice(two, two.name)
    passing = (one for exchange in thread.recent[:_BACK] for one in exchange.entities if one.plural and one.aside)
    found_in_passing = next(passing, topic)
    return Choice(found_in_passing, found_in_passing.name) if found_in_passing is not None else None


def _several_of(exchange: Exchange) -> Choice | None:
    """What there are many of in an exchange, the sides of things last."""
    plain = [one for one in exchange.entities if not one.aside]
    for found in (one for one in plain if not one.weak and (one.plural or one.countable)):
        return Choice(found, many(found))
    side = next((one for one in plain if one.plural), None)
    return Choice(side, side.name) if side is not None else None


def _two_people(thread: Thread) -> Entity | None:
    people = [one for exchange in thread.recent[:_NEAR] for one in exchange.entities if _is_person(one)]
    if len(people) < 2 or _same_person(people[0], people[1]):
        return None
    return pair(people[1::-1])


def _still_meant(thread: Thread) -> Entity | None:
    """What the last pronoun stood for, if there are many of it and the newest exchange speaks of it."""
    centre, last = thread.centre, thread.last
    if centre is None or last is None or centre.proper or centre.noun not in {one.noun for one in last.entities}:
        return None
    return next((one for one in thread.entities() if one.noun == centre.noun and (one.plural or one.countable)), None)
