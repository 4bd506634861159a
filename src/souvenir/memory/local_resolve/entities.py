"""Statements of general knowledge with one value: "The capital of Z is V", "Z was founded by V", "V wrote Z"."""

import regex

from souvenir.memory.local_resolve.frames import Frame, Item, Subject
from souvenir.memory.local_resolve.values import exactly
from souvenir.memory.local_resolve.words import canonical, tokens_of
from souvenir.patterns import lazy_regex

_MADE = (
    "founded created written composed directed developed produced performed painted invented designed discovered built"
    " published owned led headed managed run chaired released established manufactured made distributed edited narrated"
    " recorded sung portrayed voiced broadcast coached formed launched hosted acquired authored translated illustrated"
    " introduced played conquered ruled governed commissioned filmed shot set"
).replace(" ", "|")
_CLASSES = (
    "city country continent sport religion language position field state town genre instrument league party family"
    " currency profession region province village island"
).replace(" ", "|")
_CLASS = rf"(?:the (?P<c>{_CLASSES}) of )"
_STATEMENT = lazy_regex(
    r"(?P<s>.+?) (?:"
    rf"(?:is|was|were|are) (?P<v>{_MADE}) (?P<p>by|in|on) {_CLASS}?"
    r"|(?:is|was|were|are) (?P<v>named) (?P<p>after|for) "
    rf"|(?:is|was|are) (?P<v>located|situated|born|buried|educated|based|headquartered) (?P<p>in|at|on) {_CLASS}?"
    rf"|(?P<v>died|worked|lived) (?P<p>in) {_CLASS}"
    rf"|(?P<v>died) (?P<p>in) (?=\p{{Lu}})"
    r"|(?:is|was) (?P<v>married) (?P<p>to) "
    r"|(?:is|was) (?P<v>employed) (?P<p>by) "
    r"|(?:is|was) (?P<v>famous) (?P<p>for) "
    r"|(?:is|was) a (?P<v>citizen) (?P<p>of) "
    rf"|(?P<v>plays|played|speaks|spoke|works|follows|practices|belongs|(?:is|was) (?:associated|affiliated"
    rf"|active|native))"
    rf"(?P<p>(?: with| in| to)?) {_CLASS}"
    r")(?P<o>.+)"
)
_CHILD = lazy_regex(r"(?P<s>.+?)'s? (?P<v>child) is (?P<o>\p{Lu}.+)")
_ACTIVE = lazy_regex(
    r"(?P<o>\p{Lu}\S*(?: (?:\p{Lu}\S*|of|the|de|von|van|du))*) (?P<v>wrote|founded|created|composed|directed|developed"
    r"|produced|painted|invented|designed|discovered|published|performed|authored) (?P<s>\p{Lu}.+|the \p{Lu}.+)"
)
_AUTHORS = {"wrote": "written", "authored": "written"}
_TIMES = lazy_regex(r"\d{3,4}|(?:early|late|mid) ")
# the noun for who did it, as in "The author of Z is V"
_AGENT = {
    "author": "written",
    "writer": "written",
    "founder": "founded",
    "creator": "created",
    "composer": "composed",
    "developer": "developed",
    "inventor": "invented",
    "designer": "designed",
    "discoverer": "discovered",
    "publisher": "published",
    "performer": "performed",
    "owner": "owned",
}
_AGENT_OF = {canonical([noun])[0]: verb for noun, verb in _AGENT.items()}


def entity_frame(text: str) -> Frame | None:
    """The one frame of a statement about something that is not the user's."""
    if (match := _STATEMENT.fullmatch(text)) is not None:
        slot = _slot(match)
    elif (match := _CHILD.fullmatch(text)) is not None:
        slot = match["v"]
    elif (match := _ACTIVE.fullmatch(text)) is not None:
        slot = f"{_AUTHORS.get(match['v'], match['v'])} by"
    else:
        return None
    return _frame(match["s"], slot, exactly(match["o"]))


def _slot(match: regex.Match[str]) -> str:
    where = match["c"] if match["c"] not in (None, "city", "town", "village") else ""
    if match["p"] in ("in", "on") and _TIMES.match(match["o"]):
        where = "time"
    return f"{match['v']} {match['p'].strip()} {where or ''}".strip()


def _frame(subject: str, slot: str, items: tuple[Item, ...]) -> Frame | None:
    path = entity_name(subject)
    return Frame(Subject((path,)), slot, items, single=True) if items and path else None


def entity_name(text: str) -> str:
    """The name of a thing in one spelling."""
    return " ".join(word for word in canonical(tokens_of(text)) if word != "the")


def agent_slot(head: str) -> str | None:
    """The slot of "Z was written by V" for "author"."""
    verb = _AGENT_OF.get(head)
    return f"{verb} by" if verb is not None else None
