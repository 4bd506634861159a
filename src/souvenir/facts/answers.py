"""Words an answer from stored facts, and nothing that is not stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from souvenir.facts.asked import Asked, Question
from souvenir.facts.lists import same
from souvenir.facts.ranks import ordinal_name
from souvenir.facts.topics import label
from souvenir.stores.fact_ports import Fact, FactTopic

NOT_STORED = "I don't have that stored yet"

Status = Literal["found", "missing", "which"]

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What to say, the facts it says, in order, and the topic.

    `missing`: it is not stored. `which`: no topic was named, and the text asks for it.
    """

    text: str
    facts: tuple[Fact, ...] = ()
    topic_key: str | None = None
    status: Status = "found"


@dataclass(frozen=True, slots=True)
class _Known:
    """All there is of a topic; at least one fact."""

    key: str
    ranked: Sequence[Fact]
    single: Fact | None

    @property
    def one(self) -> str:
        return label(self.key, many=False)

    @property
    def several(self) -> str:
        return label(self.key, many=True)

    @property
    def count(self) -> int:
        return len(self.ranked) or 1


def answer_of(question: Question, facts: Sequence[Fact]) -> Answer:
    """The answer from one topic's facts, of which there is at least one."""
    single = next((fact for fact in facts if fact.kind == "single"), None)
    ranked = sorted((fact for fact in facts if fact.kind == "ranked"), key=lambda fact: fact.rank or 0)
    return _ANSWERS[question.asked](question, _Known(facts[0].topic_key, ranked, single))


def item_of(question: Question, facts: Sequence[Fact]) -> Fact | None:
    """The fact whose value a question names."""
    wanted = same(question.value)
    exact = next((fact for fact in facts if same(fact.value) == wanted), None)
    # a rye, the Ritz
    loose = wanted.removeprefix("a ").removeprefix("an ")
    return exact or next((fact for fact in facts if same(fact.value).removeprefix("a ") == loose), None)


def together(answers: Sequence[Answer]) -> Answer:
    """One answer of several."""
    if len(answers) == 1:
        return answers[0]
    facts = tuple(fact for answer in answers for fact in answer.facts)
    status: Status = next((answer.status for answer in answers if answer.status != "found"), "found")
    return Answer(" ".join(answer.text for answer in answers), facts, answers[-1].topic_key, status)


def not_stored(key: str) -> Answer:
    """Nothing is stored under the topic."""
    return Answer(f"{NOT_STORED}.", topic_key=key, status="missing")


def which_one(known: Sequence[FactTopic]) -> Answer:
    """No topic was named, and none was spoken of: ask, and say what there is."""
    names = [label(key, many=True) for key in dict.fromkeys(topic.topic_key for topic in known)][:_NAMED]
    if not names:
        return Answer("Which list do you mean? I have none stored yet.", status="which")
    return Answer(f"Which list do you mean? I have your {_joined(names)}.", status="which")


def told(facts: Sequence[Fact]) -> str:
    """Facts of one kind of a topic as a sentence."""
    return answer_of(Question("list", None), facts).text


def _of_ranks(question: Question, known: _Known) -> Answer:
    by_rank = {fact.rank: fact for fact in known.ranked}
    found: list[Fact] = []
    for rank in question.ranks:
        place = known.ranked[rank].rank if -len(known.ranked) <= rank < 0 else rank
        fact = by_rank.get(place) or (known.single if rank in {1, -1} and not known.ranked else None)
        if fact is None:
            return _missing(known)
        found.append(fact)
    said = [f"your {ordinal_name(fact.rank) + ' ' if fact.rank else ''}{known.one} is {fact.value}" for fact in found]
    text = _joined(said)
    return Answer(f"{text[0].upper()}{text[1:]}.", tuple(found), known.key)


def _of_one(_: Question, known: _Known) -> Answer:
    """The favorite: what was said last of the single fact and the first of the list."""
    first = next((fact for fact in known.ranked if fact.rank == 1), None)
    candidates = [fact for fact in (first, known.single) if fact is not None]
    if not candidates:
        return _missing(known)
    newest = max(candidates, key=lambda fact: (fact.created_at, fact.source_message_id or "", fact.kind == "single"))
    return Answer(f"Your {known.one} is {newest.value}.", (newest,), known.key)


def _of_some(question: Question, known: _Known) -> Answer:
    count = question.count or 0
    wanted = known.ranked[count:] if count < 0 else known.ranked[:count]
    return _listing(known, wanted) if count else _missing(known)


def _of_all(_: Question, known: _Known) -> Answer:
    return _listing(known, known.ranked)


def _listing(known: _Known, ranked: Sequence[Fact]) -> Answer:
    if not ranked and known.single is not None:
        return Answer(f"Your {known.one} is {known.single.value}.", (known.single,), known.key)
    items = ", ".join(f"{fact.rank}) {fact.value}" for fact in ranked)
    return Answer(f"Your {known.several}{':' if len(ranked) == 1 else ' are'} {items}.", tuple(ranked), known.key)


def _counted(_: Question, known: _Known) -> Answer:
    listing = _listing(known, known.ranked)
    name = known.one if known.count == 1 else known.several
    return Answer(f"I have {known.count} {name} of yours stored. {listing.text}", listing.facts, known.key)


def _placed(question: Question, known: _Known) -> Answer:
    """Where a value stands in a list, or that it does not."""
    found = item_of(question, known.ranked or [fact for fact in (known.single,) if fact is not None])
    if found is None:
        listing = _listing(known, known.ranked)
        return Answer(f"{question.value} is not among them. {listing.text}", listing.facts, known.key)
    place = f"number {found.rank} of your {known.several}" if found.rank else f"your {known.one}"
    return Answer(f"{found.value} is {place}.", (found,), known.key)


def _of_next(question: Question, known: _Known) -> Answer:
    """What stands beside a value: after it, or before it."""
    found = item_of(question, known.ranked)
    rank = found.rank + (question.count or 1) if found is not None and found.rank is not None else 0
    beside = next((fact for fact in known.ranked if fact.rank == rank), None)
    if beside is None:
        return _missing(known)
    return Answer(f"Your {ordinal_name(rank)} {known.one} is {beside.value}.", (beside,), known.key)


def _missing(known: _Known) -> Answer:
    name = known.one if known.count == 1 else known.several
    text = f"{NOT_STORED}. I have {known.count} {name} of yours stored."
    return Answer(text, topic_key=known.key, status="missing")


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_ANSWERS: dict[Asked, Callable[[Question, _Known], Answer]] = {
    "ranks": _of_ranks,
    "single": _of_one,
    "some": _of_some,
    "list": _of_all,
    "count": _counted,
    "place": _placed,
    "next": _of_next,
}
