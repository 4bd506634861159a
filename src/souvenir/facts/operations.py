"""What a sentence does to a list, and how: pure steps from one ranking to the next that keep ranks without gaps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from souvenir.facts.lists import MOST_ITEMS, same
from souvenir.facts.topics import Topic
from souvenir.stores.fact_ports import Fact

Ranking = dict[int, Fact]
Make = Callable[[str], Fact]
"""A fact of this message with a value; its rank follows from its place."""

Item = int | str
"""An item of a list: by rank (below zero from the end), or by its value."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Something said about a topic, or, where none is named, about the one last spoken of.

    What is not `sure` looks like a thousand other sentences: it counts only where it fits what is stored.
    """

    topic: Topic | None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Tell(Operation):
    """A single fact."""

    value: str = ""


@dataclass(frozen=True, slots=True)
class Restate(Operation):
    """A whole list, in place of the one before."""

    items: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place(Operation):
    """One rank's value."""

    rank: int = 1
    value: str = ""


@dataclass(frozen=True, slots=True)
class Add(Operation):
    """New values at a rank, beside another item, or at the end; to a list that is not `named`, only names to names."""

    values: tuple[str, ...] = ()
    rank: int | None = None
    beside: Item | None = None
    below: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Remove(Operation):
    """Items that go."""

    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Move(Operation):
    """An item to a rank, by so many places, or beside another item.

    What is not there yet comes in where it `adds`; where no list is named, only if its place is one of a list and not
    `plain`, as in `put the kettle on first`.
    """

    item: Item = 1
    rank: int | None = None
    by: int = 0
    beside: Item | None = None
    below: bool = False
    adds: bool = False
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Swap(Operation):
    """Two items in each other's place."""

    one: Item = 1
    other: Item = 2


@dataclass(frozen=True, slots=True)
class Replace(Operation):
    """Another value in an item's place."""

    item: Item = 1
    value: str = ""


@dataclass(frozen=True, slots=True)
class Reverse(Operation):
    """The last first."""


@dataclass(frozen=True, slots=True)
class Clear(Operation):
    """All facts of a topic; of a single one only that."""

    kind: Literal["single", "all"] = "all"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A ranking after a step, None when the step does not apply, and what there is to say about it."""

    ranking: Ranking | None
    notes: tuple[str, ...] = ()


def apply(operation: Operation, ranking: Ranking, make: Make) -> Outcome:
    """One step; the ranking that is given is left as it is."""
    for kind, step in _STEPS.items():
        if isinstance(operation, kind):
            return step(operation, dict(ranking), make)
    return Outcome(None)


def fits(operation: Operation, ranking: Ranking) -> bool:
    """Whether an operation that may be about anything is about this list: what it names is there."""
    named: tuple[Item, ...]
    match operation:
        case Remove(items=items):
            named = items
        case Swap(one=one, other=other):
            named = (one, other)
        case Move(item=item, adds=adds, plain=plain):
            named = () if adds and not plain else (item,)
        case Add(beside=beside) if beside is not None:
            named = (beside,)
        case Replace(item=item):
            named = (item,)
        case _:
            named = ()
    there = all(rank_of(item, ranking) is not None for item in named)
    return bool(ranking) and there and _is_alike(operation, ranking)


def _is_alike(operation: Operation, ranking: Ranking) -> bool:
    """Whether a value that may be for any list is written as those of this one: names go to names."""
    names = all(fact.value[:1].isupper() for fact in ranking.values())
    match operation:
        case Add(named=False):
            return names
        case Place(topic=None, value=value):
            return value[:1].isupper() or not names
        case _:
            return True


def rank_of(item: Item, ranking: Ranking) -> int | None:
    """The rank an item has, None when it is not there."""
    if isinstance(item, int):
        ranks = sorted(ranking)
        if item < 0:
            return ranks[item] if -item <= len(ranks) else None
        return item if item in ranking else None
    wanted = same(item)
    return next((rank for rank, fact in sorted(ranking.items()) if same(fact.value) == wanted), None)


def _restate(operation: Restate, _: Ranking, make: Make) -> Outcome:
    return Outcome({rank: make(value) for rank, value in operation.items}, operation.notes)


def _place(operation: Place, ranking: Ranking, make: Make) -> Outcome:
    rank = max(ranking, default=1) if operation.rank < 0 else operation.rank
    known = rank_of(operation.value, ranking)
    if known == rank:
        return Outcome({**ranking, rank: make(operation.value)})
    if known is None:
        return Outcome({**ranking, rank: make(operation.value)})
    del ranking[known]
    shifted = _inserted(_closed(ranking, known), rank, make(operation.value))
    return Outcome(shifted, (f"{operation.value} was number {known} before.",))


def _add(operation: Add, ranking: Ranking, make: Make) -> Outcome:
    notes: list[str] = []
    rank = operation.rank
    if rank == 0:
        return Outcome(None, ("There is no number 0: ranks begin at 1.",))
    if operation.beside is not None:
        beside = rank_of(operation.beside, ranking)
        if beside is None:
            return Outcome(None, (_missing(operation.beside),))
        rank = beside + operation.below
    added = 0
    for value in operation.values:
        known = rank_of(value, ranking)
        if known is not None:
            notes.append(f"{ranking[known].value} is number {known} already.")
            continue
        if len(ranking) >= MOST_ITEMS:
            notes.append(f"{value} was left out: a list takes {MOST_ITEMS} items.")
            continue
        end = max(ranking, default=0) + 1
        wanted = end if rank is None or rank < 0 else rank + added
        if wanted > end:
            notes.append(f"{value} is number {end}: there are only {len(ranking)} before it.")
        ranking = _inserted(ranking, min(wanted, end), make(value))
        added += 1
    return Outcome(ranking if added else None, tuple(notes))


def _remove(operation: Remove, ranking: Ranking, _: Make) -> Outcome:
    ranks = {item: rank_of(item, ranking) for item in operation.items}
    notes = tuple(_missing(item) for item, rank in ranks.items() if rank is None)
    found = {rank for rank in ranks.values() if rank is not None}
    for rank in sorted(found, reverse=True):
        del ranking[rank]
        ranking = _closed(ranking, rank)
    return Outcome(ranking if found else None, notes)


def _move(operation: Move, ranking: Ranking, make: Make) -> Outcome:
    known = rank_of(operation.item, ranking)
    if known is None:
        if operation.adds and isinstance(operation.item, str):
            added = Add(None, True, (operation.item,), operation.rank, operation.beside, operation.below)
            return _add(added, ranking, make)
        return Outcome(None, (_missing(operation.item),))
    if operation.rank == 0 or (operation.rank is not None and operation.rank < -1):
        return Outcome(None, (f"There is no number {operation.rank}: ranks begin at 1.",))
    moved = ranking.pop(known)
    ranking = _closed(ranking, known)
    end = max(ranking, default=0) + 1
    if operation.beside is not None:
        beside = rank_of(operation.beside, ranking)
        if beside is None:
            return Outcome(None, (_missing(operation.beside),))
        rank = beside + operation.below
    elif operation.rank is None:
        rank = max(1, known + operation.by)
    else:
        rank = end if operation.rank < 0 else operation.rank
    notes = (f"{moved.value} is number {end}: there are only {end}.",) if rank > end else ()
    return Outcome(_inserted(ranking, min(rank, end), moved), notes)


def _swap(operation: Swap, ranking: Ranking, _: Make) -> Outcome:
    one, other = rank_of(operation.one, ranking), rank_of(operation.other, ranking)
    missing = tuple(_missing(item) for item, rank in ((operation.one, one), (operation.other, other)) if rank is None)
    if one is None or other is None:
        return Outcome(None, missing)
    return Outcome({**ranking, one: ranking[other], other: ranking[one]})


def _replace(operation: Replace, ranking: Ranking, make: Make) -> Outcome:
    rank = rank_of(operation.item, ranking)
    if rank is None:
        return Outcome(None, (_missing(operation.item),))
    known = rank_of(operation.value, ranking)
    if known is not None and known != rank:
        return Outcome(None, (f"{ranking[known].value} is number {known} already.",))
    return Outcome({**ranking, rank: make(operation.value)})


def _reverse(_: Reverse, ranking: Ranking, __: Make) -> Outcome:
    ranks = sorted(ranking)
    return Outcome(dict(zip(ranks, (ranking[rank] for rank in reversed(ranks)), strict=True)) if ranks else None)


def _clear(_: Clear, ranking: Ranking, __: Make) -> Outcome:
    return Outcome({} if ranking else None)


_STEPS: dict[type[Operation], Callable[..., Outcome]] = {
    Restate: _restate, Place: _place, Add: _add, Remove: _remove, Move: _move, Swap: _swap, Replace: _replace,
    Reverse: _reverse, Clear: _clear,
}  # fmt: skip


def _inserted(ranking: Ranking, rank: int, fact: Fact) -> Ranking:
    """With a fact at a rank; what stands there and right behind it moves down by one, as far as it must."""
    ranking = dict(ranking)
    while rank in ranking:
        ranking[rank], fact = fact, ranking[rank]
        rank += 1
    return {**ranking, rank: fact}


def _closed(ranking: Ranking, gap: int) -> Ranking:
    """Without the gap at a rank: what stands behind it moves up by one."""
    return {rank - (rank > gap): fact for rank, fact in ranking.items()}


def _missing(item: Item) -> str:
    return f"There is no number {item}." if isinstance(item, int) else f"{item} is not there."
