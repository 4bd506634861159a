"""The verb of a clause with its helpers, said of the third person: "I've never been" is "has never been"."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from souvenir.memory.local_extract.english.lexicon import (
    ADVERBS,
    BE,
    DO,
    HAVE,
    HEDGES,
    MEANT,
    MODALS,
    NO_VERBS,
    PROJECTS,
)
from souvenir.memory.local_extract.english.subjects import Subject
from souvenir.memory.local_extract.english.verbs import guess_form, is_participle, third_person, verb_form
from souvenir.memory.local_extract.words import Word, low_at, word_set

Tense = Literal["present", "past", "perfect", "progressive", "future", "modal"]

_HABITUAL = word_set("always usually often never rarely seldom typically normally regularly mostly generally")
_NOT = frozenset({"not", "n't"})
_ADJECTIVES = word_set("boring interesting amazing charming outgoing loving caring missing evening morning wedding")
_GOT_DONE = word_set("married divorced promoted engaged better worse")
_HAS_DONE = word_set("start move live become begin go finish decide")
_STRESSED = word_set("like love prefer have enjoy hate")  # "I do like it"
_WOULD = word_set("like love read quit cut put")
_NOUNS_AFTER_TO = word_set("work study practice")  # "going to work"


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb with its helpers: `text` agrees with the subject, `lemma` is its base form, `end` the place after it."""

    text: str
    lemma: str
    tense: Tense
    negated: bool
    hedged: bool
    habitual: bool
    modal: str
    end: int


def verb_after(words: Sequence[Word], subject: Subject) -> Verb | None:
    """The verb of a subject, in the third person, or None where there is none."""
    group = _Group(words, subject, subject.end)
    while group.place < len(words):
        if not (group.read_negation() or group.read_adverb() or group.read_helper()):
            return group.main()
    return group.done(group.helper) if group.helper in {"be", "have"} else None


@dataclass(slots=True)
class _Group:
    """A verb that is being read, word by word."""

    words: Sequence[Word]
    subject: Subject
    place: int
    out: list[str] = field(default_factory=list)
    negated: bool = False
    hedged: bool = False
    habitual: bool = False
    finite: bool = False
    modal: str = ""
    tense: Tense = "present"
    helper: Literal["", "be", "have", "got", "do", "modal", "used"] = ""

    def done(self, lemma: str) -> Verb:
        text = " ".join(self.out)
        return Verb(text, lemma, self.tense, self.negated, self.hedged, self.habitual, self.modal, self.place)

    def _low(self, ahead: int = 0) -> str:
        return low_at(self.words, self.place + ahead)

    def _following(self) -> str:
        """The next word but for adverbs and negations."""
        place = self.place + 1
        while low_at(self.words, place) in ADVERBS or low_at(self.words, place) in _NOT:
            place += 1
        return low_at(self.words, place)

    def _say(self, text: str, step: int = 1) -> bool:
        self.out.append(text)
        self.finite = True
        self.place += step
        return True

    # what stands between

    def read_negation(self) -> bool:
        if self._low() in _NOT:
            if self.out and self.out[-1] == "can":
                self.out[-1] = "cannot"
            else:
                self.out.append("not")
            self.place += 1
        elif self._low() == "no" and self._low(1) == "longer":
            self.out.append("no longer")
            self.place += 2
        else:
            return False
        self.negated = True
        return True

    def read_adverb(self) -> bool:
        low, following = self._low(), self._low(1)
        if low in {"kind", "sort"} and following == "of" and self.helper != "be":
            self.hedged = True
            self.place += 2
            return True
        if low not in ADVERBS or following in {"", ",", "and"}:
            return False
        self.hedged = self.hedged or low in HEDGES
        self.habitual = self.habitual or low in _HABITUAL
        self.negated = self.negated or low == "never"
        ours = low in {"all", "both"} and low_at(self.words, self.subject.begin) == "we"
        if not ours and (low in MEANT or (self.negated and low in {"really", "quite"})):
            self.out.append(low)
        self.place += 1
        return True

    # helpers

    def read_helper(self) -> bool:
        """Read a helping verb; False where the main verb is reached."""
        low = self._low()
        if self.helper == "be":
            return False
        if (low == "been" and self.helper == "have") or (low == "be" and self.modal):
            self.helper = "be"
            return self._say(low)
        if self.finite:
            return False
        if low in BE:
            return self._be(low)
        if low in MODALS:
            return self._modal(low)
        return self._do(low) if low in DO else self._have_or_used(low)

    def _have_or_used(self, low: str) -> bool:
        if low == "used" and self._low(1) == "to":
            self.helper, self.tense = "used", "past"
            return self._say("used to", 2)
        return low in HAVE and is_participle(self._following()) and self._have(low)

    def _be(self, low: str) -> bool:
        following = self._following()
        form = verb_form(following)
        if low == "'s" and (following in {"been", "got", "had"} or (form is not None and form.lemma in _HAS_DONE)):
            return self._have(low)
        past = low in {"was", "were"}
        self.helper, self.tense = "be", "past" if past else "present"
        if self.subject.plural:
            return self._say("were" if past else "are")
        if self.subject.about == "user":
            return self._say("was" if past else "is")
        return self._say({"'s": "is", "'re": "are", "am": "is", "'m": "is"}.get(low, low))

    def _modal(self, low: str) -> bool:
        following = self._following()
        if low == "'d" and is_participle(following) and following not in _WOULD:
            self.helper, self.tense = "have", "perfect"
            return self._say("had")
        self.modal = {"'d": "would", "'ll": "will"}.get(low, low)
        self.helper, self.tense = "modal", "future" if self.modal in {"will", "shall"} else "modal"
        self.hedged = self.hedged or self.modal in {"might", "may", "could"}
        return self._say(self.modal)

    def _do(self, low: str) -> bool:
        if self._low(1) in _NOT or (low == "did" and self._following() in _STRESSED):
            self.helper, self.tense = "do", "past" if low == "did" else "present"
            return self._say("did" if low == "did" else "do" if self.subject.plural else "does")
        if self._following() in _STRESSED:
            self.place += 1
            return True
        return False

    def _have(self, low: str) -> bool:
        has = "have" if self.subject.plural else "has"
        if self._following() == "got" and low != "had" and self._low(2) not in _GOT_DONE:
            return self._have_got(has)
        self.helper, self.tense = "have", "perfect"
        return self._say("had" if low == "had" else has)

    def _have_got(self, has: str) -> bool:
        """ "I haven't got a car" is "does not have"."""
        self.helper, self.tense = "got", "present"
        if self._low(1) not in _NOT:
            return self._say(has)
        self.negated = True
        return self._say(f"{'do' if self.subject.plural else 'does'} not have", 2)

    # the main verb

    def main(self) -> Verb | None:
        low = self._low()
        if self.helper == "be":
            return self._after_be(low)
        if self.helper == "got":
            self.place += low == "got"
            return self.done("have")
        if not low[0].isalpha() or low in NO_VERBS:
            return None
        lemma, form = guess_form(low)
        if not self.helper:
            self.tense = "past" if form in {"past", "participle"} else "present"
        self._say(third_person(lemma) if form == "base" and self._agrees() else low)
        return self.done("have to" if lemma == "have" and self._low() == "to" else lemma)

    def _agrees(self) -> bool:
        """Whether the first person is still to become the third."""
        return self.subject.about == "user" and not self.subject.plural and not self.finite

    def _after_be(self, low: str) -> Verb:
        if low == "gonna" or (low == "going" and self._low(1) == "to"):
            step = 1 if low == "gonna" else 2
            form = verb_form(self._low(step))
            if self._low(step) == "be" or (form is not None and form.form == "base" and not self._is_noun(step)):
                self.tense = "future"
                self._say(f"going to {self._low(step)}", step + 1)
                return self.done(form.lemma if form is not None else "be")
        ing = low.endswith("ing") and len(low) > 4 and low not in _ADJECTIVES and guess_form(low).form == "ing"
        if ing and (self.subject.about != "thing" or self.subject.noun in PROJECTS):  # no "my hobby is painting"
            self.tense = "progressive"
            self._say(low)
            return self.done(guess_form(low).lemma)
        return self.done("be")

    def _is_noun(self, ahead: int) -> bool:
        return self.words[self.place + ahead].capital or self._low(ahead) in _NOUNS_AFTER_TO
