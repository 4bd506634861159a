"""Which memories somebody means who asks to have something forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from souvenir.memory.asking_parse import Forget
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_resolve.compare import Relation, relate
from souvenir.memory.local_resolve.frames import USER, Reading
from souvenir.memory.local_resolve.signs import signs_of
from souvenir.memory.local_resolve.similar import cosine, same_text
from souvenir.memory.local_resolve.slots import read
from souvenir.memory.port import Known
from souvenir.patterns import lazy_regex
from souvenir.retrieval.terms import terms_of

# words for what a memory may say without them, and the slots it then fills
_SLOTS = tuple(
    (compiled(pattern, regex.IGNORECASE), slots)
    for pattern, slots in (
        (
            r"""
            where (i|we) live|(home )?address|hometown|wo ich wohne|adresse|wohnort|dónde vivo|dirección|où j'habite|
            我住在?哪里?|住址|地址
            """,
            ("residence", "attr address"),
        ),
        (
            r"""
            where (i|we) work|what i do( for a living)?|\bjobs?\b|\bemployer\b|\bprofession\b|wo ich arbeite|\bberuf\b|
            dónde trabajo|\btrabajo\b|où je travaille|\bmon travail\b|我的工作
            """,
            ("employer", "title"),
        ),
        (r"(what )?my name( is)?|mein\w* namen?|mi nombre|mon nom|我的名字", ("name",)),
        (r"how old (i|we) (am|are)|my age|wie alt ich bin|mi edad|mon âge|我的年龄", ("age",)),
        (r"when i was born|birthday|birth ?date|geburtstag|cumpleaños|mon anniversaire|生日", ("birthday",)),
        (r"what i earn|how much i (earn|make)|salary|income|wage|gehalt|sueldo|salaire|工资", ("income",)),
        (r"\bdiet\b|ernährung|dieta|régime|饮食", ("state diet", "eat")),
        (r"allerg(y|ies)|what i('m| am) allergic to|allergien?|alergias?|过敏", ("allergy",)),
    )
)
_SMALL = compiled(
    r"""
    ^(my|our|the|a|an|all|any|mein\w*|unser\w*|der|die|das|den|dem|mi|mis|nuestr[oa]s?|el|la|los|las|mon|ma|mes|notre|nos|le|
    les|l'|where|what|who|when|which|how|i|we|is|am|are|to|de|del|du|des|von|zu)$
    """,
    regex.IGNORECASE,
)
_HAN = lazy_regex(r"\p{Han}")
_OF_THE_USER = lazy_regex("我们?的?|用户的?|关于|的|事情?")
_ASKING = compiled(
    r"(where|what|who|when|which|how|wo|wer|wann|wie|was|dónde|quién|cuándo|qué|où|qui|quand)\b", regex.IGNORECASE
)
# cosines from which something may be what is meant; never enough to delete it
_NEAR_TOPIC = 0.5
_NEAR_SENTENCE = 0.65


@dataclass(frozen=True, slots=True)
class Matches:
    """The memories that certainly are meant, and those that may be, nearest first."""

    meant: tuple[str, ...]
    perhaps: tuple[str, ...]


def matches(
    request: Forget, sentences: Sequence[str], vector: NDArray[np.float32] | None, known: Sequence[Known]
) -> Matches:
    """Hold what is to be forgotten against memories, nearest first.

    `sentences` are what it says in the third person, none where it only names a topic; `vector` is of all of it. A
    memory that contradicts it is not what is meant.
    """
    if request.form == "topic":
        meant = [one for one in known if _tells(request.content, one.content)]
        named = [one for one in known if _has_words(request.content, one.content)]
        perhaps = [one for one in known if cosine(one.vector, vector) >= _NEAR_TOPIC]
        # "where I live" shares a word with where anybody lives
        if not meant and not _ASKING.match(request.content):
            meant = named
        return _sorted(meant, [*named, *perhaps])
    same = [one for one in known if _says(sentences, one.content)]
    more = [one for one in known if _says_more(sentences, one.content)]
    near = [
        one
        for one in known
        if cosine(one.vector, vector) >= _NEAR_SENTENCE or _relation(sentences, one) >= Relation.LESS
    ]
    return _sorted(same or more, [one for one in near if _relation(sentences, one) is not Relation.CLASH])


def _sorted(meant: Sequence[Known], perhaps: Sequence[Known]) -> Matches:
    certain = dict.fromkeys(one.memory_id for one in meant)
    return Matches(
        tuple(certain), tuple(dict.fromkeys(one.memory_id for one in perhaps if one.memory_id not in certain))
    )


def _says(sentences: Sequence[str], memory: str) -> bool:
    """Whether a memory says one of the sentences."""
    old = read(memory)
    return any(same_text(old, new) or relate(old, new) is Relation.SAME for new in map(read, sentences))


def _says_more(sentences: Sequence[str], memory: str) -> bool:
    """Whether a memory says one of the sentences and more, in the same words."""
    old = read(memory)
    told = signs_of(old.text)
    for new in map(read, sentences):
        wanted = signs_of(new.text)
        alike = wanted.terms and wanted.terms <= told.terms and wanted.negative == told.negative
        if alike and _of_one(old, new) and relate(old, new) is not Relation.CLASH:
            return True
    return False


def _of_one(old: Reading, new: Reading) -> bool:
    """Whether they may be about the same person: "User's brother lives in Rome" is not about the user."""
    whose, of_whom = ({frame.subject.path for frame in each.frames} for each in (old, new))
    return not whose or not of_whom or not whose.isdisjoint(of_whom)


def _relation(sentences: Sequence[str], memory: Known) -> Relation:
    return max((relate(read(memory.content), read(sentence)) for sentence in sentences), default=Relation.NONE)


def _tells(topic: str, memory: str) -> bool:
    """Whether a memory tells what a topic asks for, in whatever words."""
    for pattern, slots in _SLOTS:
        found = pattern.search(topic)
        if found is not None and any(_fills(memory, slot) for slot in slots):
            rest = _told(f"{topic[: found.start()]} {topic[found.end() :]}")
            return not rest.strip() or _has_words(rest, memory)
    return False


def _fills(memory: str, slot: str) -> bool:
    return any(frame.subject.path == (USER,) and frame.slot.startswith(slot) for frame in read(memory).frames)


def _told(topic: str) -> str:
    """The words that name something."""
    if _HAN.search(topic):
        return _OF_THE_USER.sub("", topic)
    return " ".join(word for word in topic.split() if not _SMALL.match(word.strip(".,;:!?\"'")))


def _has_words(topic: str, memory: str) -> bool:
    """Whether a memory has all the words of a topic that name something."""
    told = _told(topic).strip()
    if _HAN.search(told):
        return told in memory
    words = set(terms_of(told))
    return bool(words) and words <= set(terms_of(memory))
