"""What a query asks: its words, the names in it, who it speaks of, what kind of answer it wants, and of which time."""

import re
from dataclasses import dataclass
from datetime import datetime

from souvenir.config import Fusion
from souvenir.patterns import lazy
from souvenir.retrieval.terms import STOP_WORDS, question_terms, terms_of
from souvenir.retrieval.times import TimeRange, time_ranges

MAX_TERMS = 64  # the rarest are what decides; a pasted page is a question too

_CHARACTERS = 4000  # of a query that are read for words and times; the embedder reads it whole
_YOU_SAID = lazy(
    r"\b(?:did|had) you\b|\bhave you (?:ever |already )?(?!got\b)\w+(?:ed|en|id|aid|old|ave|ote)\b"
    r"|\byou (?:have |had |'ve )?(?:recommended|suggested|said|told|advised|mentioned|proposed|gave|given|provided"
    r"|explained|answered|wrote|showed|described|listed)\b"
    r"|\byour (?:advice|suggestion|answer|recommendation|explanation|response|instruction|proposal)s?\b",
    re.IGNORECASE,
)
_TOGETHER = lazy(
    r"\bsummar(?:y|i[sz]e)\b|\b(?:we|we've|we have) (?:\w+ )?(?:discussed|covered|talked|went|gone|worked)\b",
    re.IGNORECASE,
)
_REQUEST = lazy(
    r"\bhow (?:do|can|could|should|would|might) (?:i|we|you|one)\b"
    r"|\b(?:can|could|would|will) you (?:please )?"
    r"(?:help|show|explain|teach|write|suggest|recommend|create|walk me through how)\b"
    r"|\b(?:would|do) you (?:suggest|recommend|advise)\b|\bwhat (?:should|can|could) (?:i|we)\b"
    r"|\bwhat (?:are|is) (?:some|the (?:best|different|common|typical|usual|easiest))\b|\bshould (?:i|we)\b"
    r"|^i(?:'m| am|'d| would) (?:planning|working|looking|trying|like|want)\b",
    re.IGNORECASE,
)
_NUMBER = lazy(
    r"\b(?:how (?:many|much|long|often|old|far|big|large)"
    r"|what (?:percentage|number|amount|score|version|average|time|price|cost|size|rate)"
    r"|average|percentage|total|count|quota|score|budget|cost|salary)\b",
    re.IGNORECASE,
)
_WHEN = lazy(
    r"\b(?:when|what (?:date|day|month|year|time)|how (?:long|many (?:days|weeks|months|years))"
    r"|deadline|since|until)\b",
    re.IGNORECASE,
)
_NAME = lazy(
    r"\b(?=[\w.-]*\d)(?=[\w.-]*[^\W\d])\w+(?:[-._]\w+)*"  # a code: letters and figures
    r"|\b[A-Z](?:(?<![.!?:] .)(?<!^.)[\w'-]*[a-z][\w'-]*|[A-Z]+\b)"
)
# capitalised, and not the name of anybody: a time that nobody wrote out is no sign that nothing was said
_TIME_NAMES = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun christmas
    easter
    """.split()
)

_NO_NAMES = STOP_WORDS | _TIME_NAMES


@dataclass(frozen=True, slots=True)
class Question:
    """A query, read once for all spaces it is asked of.

    `names` are those of its terms that look like names or codes: to know none of them is to know nothing.
    """

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    about_assistant: bool
    about_both: bool
    wants_help: bool
    wants_number: bool
    wants_time: bool
    asked_at: datetime
    fusion: Fusion = "weighed"

    def periods(self, newest: datetime) -> tuple[TimeRange, ...]:
        """The times it speaks of, as somebody means them who speaks of what goes no further than `newest`.

        Of conversations that ended long ago "last May" is the last one they knew.
        """
        return time_ranges(self.text[:_CHARACTERS], min(newest, self.asked_at))


def read_question(text: str, now: datetime, fusion: Fusion = "weighed") -> Question:
    """Read a query as it was asked at `now`; `fusion` is how its signs of relevance become one number."""
    beginning = text[:_CHARACTERS].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    terms = tuple(question_terms(beginning, MAX_TERMS))
    about_both = bool(_TOGETHER.search(beginning))
    return Question(
        text=text,
        terms=terms,
        names=_names(beginning) & frozenset(terms),
        about_assistant=bool(_YOU_SAID.search(beginning)),
        about_both=about_both,
        wants_help=not about_both and bool(_REQUEST.search(beginning)),
        wants_number=bool(_NUMBER.search(beginning)),
        wants_time=bool(_WHEN.search(beginning)),
        asked_at=now,
        fusion=fusion,
    )


def _names(text: str) -> frozenset[str]:
    words = (word for word in _NAME.findall(text) if word.lower() not in _NO_NAMES)
    return frozenset(term for word in words for term in terms_of(word))
