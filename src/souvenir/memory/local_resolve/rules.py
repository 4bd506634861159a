"""What a rule of a predicate is, and the pieces that many rules share."""

from dataclasses import dataclass

import regex

from souvenir.patterns import lazy_regex

Pattern = regex.Pattern[str]


@dataclass(frozen=True, slots=True)
class Fill:
    """One slot that a rule fills, from a group of its pattern, with a constant, or (neither) with anything at all."""

    slot: str
    group: str | None = "v"
    kind: str = "thing"
    single: bool = False
    negative: bool = False
    changed: bool = False
    loose: bool = False
    implied: bool = False
    value: str | None = None
    unless: str | None = None  # a group that must be missing


@dataclass(frozen=True, slots=True)
class Rule:
    """A predicate and what it fills. `ever`: the past tense says the same as the present ("was born in")."""

    pattern: Pattern
    fills: tuple[Fill, ...]
    ever: bool = False


def rule(pattern: str, *fills: Fill, ever: bool = False) -> Rule:
    """A rule for predicates that a pattern matches whole."""
    return Rule(lazy_regex(rf"(?:{pattern})$"), fills, ever)


def state(group: str, value: str, *, implied: bool = False) -> Fill:
    """One of the states of a group."""
    return Fill(f"state {group}", None, single=True, value=value, implied=implied)


NUMBER = (
    r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|ten|eleven|twelve|\w{3,5}teen"
    r"|two|three|four|five|six|seven|eight|nine)"
)
DATE = (
    r"(?:\d{4}(?:-\d\d-\d\d)?|(?:the )?\d{1,2}(?:st|nd|rd|th)?\b.*|(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b.*|the (?:\d0s|\w+ties))"
)
AS = r"(?: as (?:an? |the )?(?P<t>.+?))?"
HIS = r"(?:his|her|their|the|a|an)"
EMPLOYED = state("employment", "employed", implied=True)
EMPLOYER = Fill("employer", "e", "employer", single=True)
NEW_EMPLOYER = Fill("employer", "e", "employer", single=True, changed=True)
TITLE = Fill("title", "t", "title", single=True)
NEW_TITLE = Fill("title", "t", "title", single=True, changed=True)
HOME = Fill("residence", "v", "place", single=True)
NEW_HOME = Fill("residence", "v", "place", single=True, changed=True)
SPOUSE = Fill("spouse", "v", "name", single=True)
PARTNER = Fill("partner", "v", "name", single=True)
SCHOOL = Fill("school", "v", "name", single=True)
LIKE = Fill("like")
GRADE = Fill("grade", kind="whole", single=True)
SUBSCRIPTION = Fill("have", kind="subscription")
NOT_HAVE = Fill("have", negative=True)
JOBLESS = Fill("state employment", None, single=True, value="unemployed", unless="v")
NO_JOB = Fill("employer", "v", "employer", single=True, negative=True)

SEPARATED = (
    Fill("partner", "v", "name", single=True, negative=True),
    Fill("spouse", "v", "name", single=True, negative=True),
)
