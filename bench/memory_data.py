"""What people might say, as much as is asked for, each sentence worth a memory; how others' are read."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice


def _several(text: str) -> list[str]:
    return text.replace("\n", "").split("|") if "|" in text else text.split()


_FIRST = _several("""
Marta Jonas Priya Ahmed Chloe Diego Yuki Olga Sven Amara Pietro Hannah Luca Ingrid Mateo Zofia Kwame Leila Tomas Nadia
Oscar Bianca Ravi Greta Malik Elena Hugo Freya Samir Paula Viktor Carmen Idris Noor Felix Ayla Bruno Tessa Anton Mira
""")
_LAST = _several("""
Weber Okafor Lindgren Rossi Nakamura Petrov Alvarez Haddad Kowalski Moreau Fischer Novak Silva Jensen Murphy Kaya
Bianchi Horvat Svensson Costa Mensah Dubois Keller Santos Larsen Romero Yilmaz Popescu Varga Doyle Becker Eriksen
Andersen Marino Tanaka Schulz Ferrari Sato Klein Blanc Ortiz Nagy
""")
_KIN = _several("friend|colleague|cousin|neighbour|teammate|uncle|aunt|flatmate|mentor|nephew|niece")
_JOB = _several("nurse|carpenter|pilot|baker|lawyer|translator|farmer|chemist|welder|librarian|dentist|judge")
_PLACE = _several("Lisbon Ghent Oslo Kyoto Porto Dublin Tbilisi Quito Malmo Bergen Cork Naples Graz Lyon Zadar Tartu")
_PLAYED = _several("violin|cello|trumpet|drums|flute|harp|accordion|banjo")
_LIKED = _several("old clocks|jazz|chess|rye bread|sailing boats|comic books|orchids|black tea|long walks|puzzles")
_ABOUT_SOMEBODY = (
    "My {kin} {who} works as a {job} in {place}.",
    "My {kin} {who} plays the {played}.",
    "My {kin} {who} loves {liked}.",
    "I have a {kin} named {who} who lives in {place}.",
    "My {kin} {who} wants to move to {place} with the children.",
    "I love the stories that my {kin} {who} tells about {place}.",
    "I am working on a website about {liked} with my {kin} {who}.",
)


def _sentences(seed: int) -> Iterator[str]:
    """About a person each, so that nothing repeats or contradicts what was said before."""
    chance = random.Random(seed)
    people = [f"{first} {last}" for first in _FIRST for last in _LAST]
    chance.shuffle(people)
    for number in range(len(people) * len(_ABOUT_SOMEBODY)):
        who = people[number % len(people)]
        yield _ABOUT_SOMEBODY[(number + number // len(people)) % len(_ABOUT_SOMEBODY)].format(
            # the same person stays of the same kin
            kin=_KIN[number % len(people) % len(_KIN)],
            who=who,
            job=chance.choice(_JOB),
            place=chance.choice(_PLACE),
            played=chance.choice(_PLAYED),
            liked=chance.choice(_LIKED),
        )


def things_said(amount: int, seed: int = 1) -> Sequence[str]:
    """So many different sentences, at most some thousands."""
    return list(islice(_sentences(seed), amount))


# what FactConsolidation says: somebody or something, what is said of it, and the value

_JOINTS = (
    " is married to ", " was born in the city of ", " died in the city of ", " plays the position of ",
    " is located in the continent of ", " worked in the city of ", " was founded by ",
    " is associated with the sport of ", " is a citizen of ", " is famous for ", " speaks the language of ",
    " was created by ", " is affiliated with the religion of ", " was performed by ", " was developed by ",
    " was created in the country of ", "'s child is ", " was written in the language of ", " is employed by ",
    " is located in the city of ", " was founded in the city of ", " works in the field of ", " is ",
)  # fmt: skip


def place_of(fact: str) -> str:
    """All that a fact says but its value: two facts with one place cannot both be right."""
    return fact[: len(fact.rstrip(".")) - len(value_of(fact))] if _joint(fact) else fact


def value_of(fact: str) -> str:
    """What a fact says of its place."""
    joint = _joint(fact)
    return fact.rstrip(".").rpartition(joint)[2] if joint else ""


def _joint(fact: str) -> str:
    return next((joint for joint in _JOINTS if joint in fact), "")


# messages that only greet

_GREETING = frozenset(
    _several(
        "hi hello hey heya hiya good morning evening afternoon night day there thanks thank you ty cheers bye goodbye"
        " see later ya so much again everyone all welcome care take well how are what's up sup"
    )
)
_WORDS_OF_A_GREETING = 4


def is_greeting(message: str) -> bool:
    """Whether a message of a few words greets, thanks or says good-bye, a name aside, and nothing else."""
    words = [word.strip(".,!?…-~") for word in message.split()]
    told = [word for word in words if word]
    if not told or len(told) > _WORDS_OF_A_GREETING or told[0].lower() not in _GREETING:
        return False
    return all(word.lower() in _GREETING or word[:1].isupper() for word in told)
