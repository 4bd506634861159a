"""What users say of themselves, said of them: "my" becomes "their", or "User's" where somebody else is meant too."""

# ruff: noqa: RUF001 - dashes that people type

from collections.abc import Mapping, Sequence

from souvenir.memory.local_extract.english.lexicon import ADVERBS
from souvenir.memory.local_extract.english.subjects import Subject
from souvenir.memory.local_extract.english.verb_groups import Verb
from souvenir.memory.local_extract.english.verbs import third_person, verb_form
from souvenir.memory.local_extract.words import Word, word_set

# after "User" as the subject
_THEIRS = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
    "ours": "theirs", "myself": "themselves", "ourselves": "themselves",
    "am": "are", "'m": " are", "was": "were", "'re": " are", "'ve": " have",
}  # fmt: skip
# where "they" would be somebody else
_USERS = {
    "i": "User", "we": "User", "me": "User", "us": "User", "my": "User's", "our": "User's", "mine": "User's",
    "ours": "User's", "myself": "User", "ourselves": "User",
    "am": "is", "'m": " is", "are": "is", "'re": " is", "were": "was", "'ve": " has", "have": "has", "do": "does",
}  # fmt: skip
_PEOPLE = word_set("i we me us my our mine ours myself ourselves")
_NUMBERED = word_set("war book part chapter volume vol act phase type class tier league level stage")
_TIMES = word_set("""
    in at on since for after before during every each last next this these nowadays currently recently now today
    yesterday tomorrow tonight lately usually sometimes often until by from with as while when whenever once back most
    outside apart besides right over throughout originally formerly previously occasionally normally ever two three
    ten a growing
    """)


def statement(text: str, subject: Subject, verb: Verb, rest: Sequence[Word], tail: Sequence[Word] = ()) -> str:
    """A whole sentence about the user; `tail` is what was said first ("In my free time, I paint")."""
    parts = [subject.text, verb.text, third_person_text(text, rest, subject)]
    if tail:
        said = third_person_text(text, tail, subject)
        parts.append(said[:1].lower() + said[1:] if tail[0].low in _TIMES else said)
    return tidy(" ".join(part for part in parts if part))


def third_person_text(text: str, words: Sequence[Word], subject: Subject) -> str:
    """Words of users about themselves, in the third person; spaces and capitals stay as they were."""
    forms = _THEIRS if subject.about == "user" else _USERS
    out: list[str] = []
    after_subject = False
    for place, word in enumerate(words):
        gap = " " if place == 0 else text[words[place - 1].end : word.start]
        out.append(gap + (word.text if _is_name(words, place) else _said(word, forms, after_subject=after_subject)))
        after_subject = word.low in {"i", "we"} or (after_subject and word.low in ADVERBS)
    return "".join(out).strip()


def _is_name(words: Sequence[Word], place: int) -> bool:
    """Whether "I" is a number, as in "World War I", or "US" a country."""
    word = words[place]
    if word.text != "I":
        return word.text in {"US", "ME"}
    return place > 0 and words[place - 1].low in _NUMBERED


def _said(word: Word, forms: Mapping[str, str], *, after_subject: bool) -> str:
    if word.low in _PEOPLE or (after_subject and word.low in forms):
        return forms[word.low]
    reading = verb_form(word.low) if after_subject and forms is _USERS else None
    return third_person(word.low) if reading is not None and reading.form == "base" else word.text


def tidy(said: str) -> str:
    """One space between words, none before a comma, and no stop at the end."""
    return " ".join(said.split()).replace(" ,", ",").replace(" : ", ": ").strip(" ,;:-–—.!")
