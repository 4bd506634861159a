"""The kinds of things people say of themselves, and what each is worth: category, importance, confidence, lifetime."""

from typing import NamedTuple

from souvenir.memory.port import Category, Lifetime


class Kind(NamedTuple):
    """Something that is said of a user. `dated` says that a date in it is the time it ends at."""

    why: str
    category: Category
    importance: int
    confidence: float
    lifetime: Lifetime = "preference"
    dated: bool = False


class Found(NamedTuple):
    """A sentence about the user and what kind of thing it says. `explicit`: they asked to have it remembered."""

    content: str
    kind: Kind
    explicit: bool = False


# who they are
NAME = Kind("says their name", "identity", 10, 0.95)
AGE = Kind("says their age", "identity", 8, 0.9)
ORIGIN = Kind("says where they come from", "identity", 8, 0.9)
HOME = Kind("says where they live", "identity", 9, 0.9)
WORK = Kind("says what they work as or where", "identity", 9, 0.9)
ROLE = Kind("says who or what they are", "identity", 8, 0.9)
STUDY = Kind("says what or where they study", "identity", 8, 0.9)
SKILL = Kind("says what they can do or know", "identity", 7, 0.85)
TRAIT = Kind("says what they are like", "identity", 7, 0.85)
HEALTH = Kind("says something about their health", "identity", 9, 0.95)
PAST = Kind("tells a part of their life", "identity", 7, 0.85)
ATTRIBUTE = Kind("states something about themselves", "identity", 8, 0.9)
# what they like and do
TASTE = Kind("says what they like or do not like", "preference", 8, 0.9)
DIET = Kind("says what they eat or do not eat", "preference", 9, 0.9)
HABIT = Kind("says what they usually do", "preference", 7, 0.8)
CHANGE = Kind("says what they changed", "preference", 7, 0.85)
INSTRUCTION = Kind("says how they want to be answered", "preference", 8, 0.85)
TOOL = Kind("says what they use", "context", 7, 0.85)
DOING = Kind("says what they do", "context", 7, 0.75)
# whom and what they have
FAMILY = Kind("tells of someone close to them", "relationship", 8, 0.9)
PET = Kind("tells of their animal", "context", 7, 0.9)
POSSESSION = Kind("says what they own or have", "context", 7, 0.85)
THING = Kind("tells of something of theirs", "context", 7, 0.75)
# what they work towards
PROJECT = Kind("tells of something they work on", "project", 8, 0.85)
GOAL = Kind("says what they work towards", "context", 7, 0.8)
LEARNING = Kind("says what they are learning", "context", 7, 0.85)
SITUATION = Kind("tells how they live at present", "context", 7, 0.8)
SEARCH = Kind("says what they are looking for in their life", "context", 7, 0.8, "contextual")
PLAN = Kind("says what they plan", "context", 7, 0.8, "contextual", dated=True)
EVENT = Kind("says what is ahead of them", "context", 7, 0.85, "contextual", dated=True)
DEADLINE = Kind("names a deadline", "project", 8, 0.9, "contextual", dated=True)
REMINDER = Kind("is what they want to be reminded of", "context", 9, 1.0, "contextual", dated=True)
EXPLICIT = Kind("is what they want to be kept", "context", 9, 1.0)

# what is not worth keeping
PASSING = Kind("passes soon", "context", 3, 0.8, "temporary")
TASK = Kind("is what they are busy with at the moment", "context", 4, 0.7, "temporary")
VAGUE = Kind("does not say what is meant", "context", 3, 0.5, "temporary")
OPINION = Kind("is an opinion", "context", 5, 0.6, "contextual")
EPISODE = Kind("happened once", "context", 5, 0.7, "contextual")
WISH = Kind("is a wish", "context", 6, 0.5, "contextual")
UNKNOWN = Kind("nothing says that it lasts", "context", 4, 0.5, "contextual")

_LEAST_IMPORTANCE, _LEAST_CONFIDENCE = 7, 0.7
_HEDGED_CONFIDENCE = 0.5


def lasting(kind: Kind) -> bool:
    """Whether it is of a kind that is worth keeping when it is said firmly."""
    return kind.importance >= _LEAST_IMPORTANCE and kind.confidence >= _LEAST_CONFIDENCE


def hedged(kind: Kind) -> Kind:
    """The same, said with a "maybe"."""
    return kind._replace(confidence=min(kind.confidence, _HEDGED_CONFIDENCE), why=f"{kind.why}, but is not sure")


def of_someone(kind: Kind) -> Kind:
    """The same, true of somebody close to the user."""
    if kind.importance < _LEAST_IMPORTANCE:
        return kind
    return kind._replace(why=FAMILY.why, category="relationship", importance=min(kind.importance, FAMILY.importance))
