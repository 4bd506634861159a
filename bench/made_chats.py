"""Chats by the million: sentences of a small grammar, embedded once, recombined into turns of conversations.

Words follow Zipf's law, with a tail of names and codes that never ends, as in what people write. People talk about
matters (the ferry to Zadar, Marta's second exam), come back to them after weeks, and stay with one for some turns. A
turn is made of phrases of one to three sentences, mostly about the matter at hand; its vector is the mix of theirs
with noise, part of it the chat's own, which is about what the embedder would say at a thousandth of the cost.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count, islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from souvenir.retrieval.signs import signs_of, words_of
from souvenir.retrieval.terms import terms_of
from souvenir.stores.passage_ports import NewPassage

T = TypeVar("T")

BEGAN = datetime(2021, 1, 4, 8, tzinfo=UTC)
MATTERS = 1500
SENTENCES = 5  # about each matter
TURNS = 18  # about a matter before another comes up, on average
NOISE = 0.35  # of the length of a turn's vector: its own, and as much of its chat

_BATCH = 5000
_SUBJECTS = {
    "work": "meeting deadline report manager project budget contract interview salary office colleague presentation",
    "code": "database function server deployment branch bug library compiler test query container backup",
    "family": "daughter brother wedding grandmother birthday cousin school homework playground nursery uncle twins",
    "food": "recipe oven garlic soup bakery restaurant dinner noodles breakfast spice cheese dessert",
    "travel": "flight hotel passport suitcase train museum beach itinerary visa airport ferry hostel",
    "health": "doctor allergy prescription headache dentist clinic surgery vaccine sleep physiotherapy glasses diet",
    "sport": "marathon bicycle training match goalkeeper swimming coach stadium injury tournament racket referee",
    "home": "kitchen landlord boiler rent sofa balcony plumber mortgage curtain window neighbour insulation",
    "garden": "tomato hedge lawn compost greenhouse rose seedling watering pruning orchard shed beehive",
    "music": "guitar concert album piano rehearsal choir singer festival drummer melody violin microphone",
    "books": "novel library author chapter poem biography bookshop translation publisher manuscript essay sequel",
    "money": "invoice pension tax savings loan bank insurance refund receipt subscription dividend currency",
    "cars": "engine tyre garage mechanic brake parking motorway battery dealer insurance licence clutch",
    "pets": "dog kitten vet leash aquarium hamster collar kennel parrot litter groomer shelter",
    "film": "cinema director trailer series actor documentary script sequel subtitle premiere camera comedy",
    "study": "exam lecture thesis professor scholarship essay seminar laboratory semester degree tutor campus",
    "weather": "storm snow umbrella heatwave flood thunder forecast fog frost hail drought rainbow",
    "art": "painting gallery sculpture sketch exhibition canvas portrait museum pottery brush frame collage",
    "games": "chess puzzle console tournament dice campaign controller quest opponent deck strategy level",
    "sea": "sailing harbour lighthouse anchor tide captain island reef mooring regatta current dinghy",
    "law": "lawyer court will contract licence fine witness appeal notary deposit claim verdict",
    "clothes": "jacket boots tailor dress sweater laundry button scarf trousers wardrobe zip umbrella",
    "phones": "charger screen password update camera contract signal app headphones warranty keyboard tablet",
    "crafts": "knitting needle yarn workshop hammer drill plywood varnish pattern sewing soldering clay",
}
_NAMES = """
Marta Jonas Priya Ahmed Chloe Diego Yuki Olga Sven Amara Pietro Hannah Luca Ingrid Mateo Zofia Kwame Leila Tomas
Nadia Oscar Bianca Ravi Greta Malik Elena Hugo Freya Samir Paula Viktor Carmen Idris Noor Felix Ayla Bruno Tessa
""".split()  # noqa: SIM905
_PLACES = """
Lisbon Ghent Oslo Kyoto Porto Dublin Tbilisi Quito Malmo Bergen Cork Naples Graz Lyon Zadar Tartu Seville Leeds Basel
""".split()  # noqa: SIM905
_WHO = ["I", "We", "My sister", "My boss", "The neighbours", "They", "My friend", "Nobody here", "The team"]
_DID = """
booked cancelled forgot repaired sold found changed ordered lost postponed finished recommended tried compared
borrowed cleaned described planned shared returned
""".split()  # noqa: SIM905
_LIKE = """
small old broken second quiet expensive favourite new wrong blue local cheap famous heavy empty strange Italian wooden
""".split()  # noqa: SIM905
_WHEN = """
yesterday|last week|on Monday|in March|two days ago|this morning|before the holidays|after lunch|next month|in 2023
|on Friday evening|during the summer|at the end of June|every weekend|the other day
""".replace("\n", "").split("|")
_WHY = """
because it was too late|and it turned out well|although nobody asked|so that there is time|which was a surprise
|as we had agreed|without telling anyone|and now it works again|but I would not do it twice|because of the price
|after a long discussion|since there was no other way|and everybody liked it|in spite of the rain
""".replace("\n", "").split("|")
_OPEN = [
    "{who} {did} the {like} {noun}", "{who} has long wanted a {like} {noun}", "The {noun} from {place} is {like}",
    "{name} says the {noun} and the {other} belong together", "I prefer the {like} {noun} to the {other}",
    "Remember that the {noun} is due", "{name} {did} a {noun} for {who}", "We need a {noun} near {place}",
]  # fmt: skip
_MIDDLE = [
    "with {name} in {place}", "for the {other}", "next to the {like} {other}", "and {did} the {other} too",
    "while {name} {did} the {other}", "in {place}", "together with a {like} {other}",
]  # fmt: skip
_ANSWERS = ["Good to know.", "I see.", "That sounds sensible.", "Thanks for telling me.", "Let me summarise.", "Sure."]
_ASKED = [
    "What did {name} say about the {noun}?", "When did we talk about the {like} {noun} in {place}?",
    "Which {noun} did I prefer?", "Who {did} the {noun} with the {like} {other}?", "How much was the {noun} {when}?",
    "What happened to the {noun} and the {other}?", "Did you recommend a {noun} near {place}?",
    "{name} {did} a {like} {noun}, what was it?", "the {like} {noun} {why}", "Where is the {noun} that I {did} {when}?",
    "How many times was the {other} {did} because of the {noun}?", "{tail} and the {noun}",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Matter:
    """What is talked about for a while: words that come up, and what is said, in phrases that can be taken apart."""

    words: dict[str, str]
    sentences: tuple[tuple[str, str, str], ...]


class Speaker:
    """Says things: subjects, words and names each with their own frequency. `words` are spread over the subjects."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self.random = random.Random(seed)
        own = [words.split() for words in _SUBJECTS.values()]
        self._nouns = [nouns + list(words[place :: len(own)]) for place, nouns in enumerate(own)]
        self._like = _LIKE + list(words[::7])

    def matter(self) -> Matter:
        nouns = self.often(self._nouns)
        words = {
            "noun": self.often(nouns), "other": self.often(nouns), "like": self.often(self._like),
            "name": self.often(_NAMES), "place": self.often(_PLACES),
        }  # fmt: skip
        return Matter(words, tuple(self._sentence(words) for _ in range(SENTENCES)))

    def question(self, matter: Matter) -> str:
        return self._fill(_ASKED, matter.words)

    def tail(self) -> str:
        """A name, a code, a sum: half of them are said once or twice and never again."""
        number = int(self.random.paretovariate(0.35))
        made = "".join(_SYLLABLES[digit] for digit in _digits(number, len(_SYLLABLES)))
        return self.random.choice([made.capitalize(), f"{made[:2].upper()}-{number}", f"{number % 9000 + 10} euros"])

    def often(self, choices: Sequence[T]) -> T:
        """One of them, the first ones most often."""
        return choices[_RANKS[len(choices)](self.random)]

    def _sentence(self, words: dict[str, str]) -> tuple[str, str, str]:
        when, why = self.often(_WHEN), self.often(_WHY)
        last = self.random.choice([when, why, f"{when}, {why}"])
        return self._fill(_OPEN, words), self._fill(_MIDDLE, words), last

    def _fill(self, templates: Sequence[str], words: dict[str, str]) -> str:
        return self.random.choice(templates).format(
            **words, who=self.often(_WHO), did=self.often(_DID), when=self.often(_WHEN), why=self.often(_WHY),
            tail=self.tail(),
        )  # fmt: skip


def matters(words: Sequence[str], amount: int = MATTERS, seed: int = 1) -> list[Matter]:
    """What there is to talk about; those that come first are talked about most."""
    speaker = Speaker(words, seed)
    return [speaker.matter() for _ in range(amount)]


def sentences(about: Sequence[Matter]) -> list[str]:
    """All that is said of them, in order, for the embedder."""
    return [f"{' '.join(phrases)}." for matter in about for phrases in matter.sentences]


def questions(about: Sequence[Matter], amount: int, seed: int = 7) -> list[str]:
    """Different questions about what may have been said."""
    speaker = Speaker((), seed)
    found: dict[str, None] = {}
    while len(found) < amount:
        found.setdefault(speaker.question(speaker.random.choice(about)))
    return list(found)


def turns(
    about: Sequence[Matter], vectors: NDArray[np.float32], model: str, amount: int, seed: int = 3
) -> Iterator[list[NewPassage]]:
    """Chats one after the other, a turn at a time, in batches ready to be written. `vectors` are the sentences'."""
    speaker = Speaker((), seed)
    noise = np.random.default_rng(seed)
    steady = _conversation(speaker, about)
    while amount > 0:
        made = list(islice(steady, min(_BATCH, amount)))
        amount -= len(made)
        mixed = _mixed(vectors, made, noise)
        yield [_passage(turn, vector, model) for turn, vector in zip(made, mixed, strict=True)]


@dataclass(frozen=True, slots=True)
class _Turn:
    chat: int
    number: int
    speaker: str
    text: str
    at: datetime
    parts: tuple[int, ...]


def _conversation(speaker: Speaker, about: Sequence[Matter]) -> Iterator[_Turn]:
    draw = speaker.random
    for chat in count():
        at = BEGAN + timedelta(minutes=draw.randrange(5 * 365 * 24 * 60))
        name, tails, number = speaker.often(_NAMES), [speaker.tail() for _ in range(3)], 0
        for _ in range(draw.choice((1, 1, 2, 3, 4))):
            matter = int(len(about) * draw.random() ** 1.6)
            for _ in range(draw.randrange(2, 2 * TURNS)):
                parts = [_part(draw, matter, len(about)) for _ in range(draw.choice((1, 2, 2, 3)))]
                said = [about[part // SENTENCES].sentences[part % SENTENCES] for part in parts]
                text = _said(draw, said, draw.choice(tails), assistant=number % 2 == 1)
                yield _Turn(chat, number, name, text, at, tuple(parts))
                at += timedelta(seconds=draw.choice((20, 45, 90, 300, 300, 4000)))
                number += 1


def _part(draw: random.Random, matter: int, matters: int) -> int:
    if draw.random() < 0.15:
        matter = draw.randrange(matters)
    return matter * SENTENCES + draw.randrange(SENTENCES)


def _said(draw: random.Random, parts: Sequence[tuple[str, str, str]], tail: str, *, assistant: bool) -> str:
    phrases = [parts[min(place, len(parts) - 1)][place] for place in range(3)]
    if len(parts) == 3:
        phrases += [parts[1][0], parts[2][1]]
    phrases = phrases[: draw.choice((1, 2, len(phrases), len(phrases)))]
    if draw.random() < 0.3:
        phrases.append(f"for {tail}")
    text = " ".join(phrases)
    if assistant:
        return f"{draw.choice(_ANSWERS)} {text}."
    return f"{text}?" if draw.random() < 0.15 else f"{text}."


def _mixed(vectors: NDArray[np.float32], made: Sequence[_Turn], noise: np.random.Generator) -> NDArray[np.float32]:
    mixed = _noise(noise, len(made), vectors.shape[1])
    chats = sorted({turn.chat for turn in made})
    mixed += _noise(noise, len(chats), vectors.shape[1])[np.searchsorted(chats, [turn.chat for turn in made])]
    for number, weight in enumerate((0.7, 0.5, 0.35)):
        rows = [row for row, turn in enumerate(made) if len(turn.parts) > number]
        mixed[rows] += np.float32(weight) * vectors[[made[row].parts[number] for row in rows]]
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return mixed


def _noise(noise: np.random.Generator, rows: int, dimension: int) -> NDArray[np.float32]:
    made = noise.standard_normal((rows, dimension), np.float32)
    made *= NOISE / np.linalg.norm(made, axis=1, keepdims=True)
    return made


def _passage(turn: _Turn, vector: NDArray[np.float32], model: str) -> NewPassage:
    assistant = turn.number % 2 == 1
    name = None if assistant else turn.speaker
    return NewPassage(
        kind="message",
        text=turn.text,
        terms=" ".join(terms_of(f"{name or ''} {turn.text}")),
        at=turn.at,
        end=len(turn.text),
        signs=signs_of(turn.text),
        words=words_of(turn.text),
        chat_id=f"chat-{turn.chat:08}",
        message_id=f"{turn.chat:08}-{turn.number:06}",
        role="assistant" if assistant else "user",
        speaker=name,
        tags=("starred",) if turn.number % 50 == 7 else (),
        vector=vector,
        model=model,
    )


def _digits(number: int, base: int) -> Iterator[int]:
    while number:
        number, digit = divmod(number, base)
        yield digit


def _zipf(length: int) -> Callable[[random.Random], int]:
    sums = list(accumulate(1 / (rank + 2) for rank in range(length)))
    ranks = range(length)
    return lambda draw: draw.choices(ranks, cum_weights=sums)[0]


class _Ranks(dict[int, Callable[[random.Random], int]]):
    def __missing__(self, length: int) -> Callable[[random.Random], int]:
        self[length] = _zipf(length)
        return self[length]


_RANKS = _Ranks()
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "or", "el")]
