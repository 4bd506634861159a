"""A short answer and the question it answers, as one sentence: "Vim" after "What's your favourite editor?"."""

import re
from collections.abc import Callable, Sequence

from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.sentences import sentences_of
from souvenir.memory.local_extract.words import lows

_LONGEST = 12  # words: who says more says whole sentences
_YES = compiled(
    r"""
    (yes|yeah|yep|yup|sure|correct|indeed|absolutely|definitely|of course|i do|i am|exactly|right|always|very much|
    a lot)\b[ ,!.]*
    """,
    re.IGNORECASE,
)
_NO = compiled(
    r"(no|nope|nah|not (really|at all|anymore|yet|particularly)|never|i do(n't| not)|i'm not|neither)\b[ ,!.]*",
    re.IGNORECASE,
)
_STATEMENT = compiled(r"(i|i'm|im|i've|my|we|we're|our|it|it's|he|she|they|that|this|you)\b", re.IGNORECASE)
_LEAD = compiled(
    r"(oh|well|hmm|um|uh|ah|so|mostly|probably|i think|definitely|maybe|it's|it is|that would be|that's|just)[ ,]+",
    re.IGNORECASE,
)
_QUESTION_LEAD = compiled(
    r"(and|so|but|great|nice|cool|thanks|ok|okay|also|by the way|just curious|out of curiosity)\b[ ,!:-]*"
)
_PREPOSITION = compiled(r"(in|at|near|on|with|by|outside|from|between|around|just)\b", re.IGNORECASE)
_NUMBER = compiled(r"(\d{1,3}|[a-z]+([ -][a-z]+)?)$", re.IGNORECASE)
_ADDED = compiled(r"(but|and|of course|please|thanks|very|a lot|sometimes|often|i|all)\b", re.IGNORECASE)
# what is offered, or asked about the chat itself, has answers that say nothing of the user
_OFFERS = compiled(
    r"""
    (would|shall|should|could|may|will|does|is|was|can) |do you (want|need|mean|see|think|understand|agree|know|
    remember|get|wish|mind|have (a |any )?(question|other|more|example|specific|preference|time|idea|access|further))|
    are you (sure|ready|asking|looking for|trying|getting|seeing|referring|able|there|ok|okay|talking)|did you (mean|
    try|check|want|get|see|know)|have you (tried|checked|considered|thought|looked|read|heard)|how (can|may|about|
    do you (want|feel))|what (can|would|should|about|do you (want|need|think|mean))
    """
)


def as_statement(question: str, reply: str) -> str | None:
    """The reply to the one question of a message, as the user would say it in full; None where it is no such reply."""
    reply = reply.strip().rstrip(".! ")
    if not reply or "?" in reply or "\n" in reply or len(reply.split()) > _LONGEST:
        return None
    asked = [sentence for sentence in sentences_of(question) if sentence.asks]
    if len(asked) != 1:
        return None
    low = _QUESTION_LEAD.sub("", lows(asked[0].words), count=1) if asked else ""
    if _OFFERS.match(low):
        return None
    for pattern, answer in _QUESTIONS:
        found = pattern.fullmatch(low)
        if found is not None:
            return answer(found, reply)
    return None


def _plain(reply: str) -> str | None:
    """A reply that names something: neither yes or no nor a statement by itself."""
    lead = _LEAD.match(reply)
    reply = reply[lead.end() :] if lead else reply
    return None if _STATEMENT.match(reply) or _NO.match(reply) or _YES.match(reply) else reply


def _mine(text: str) -> str:
    """ "you" as its listener says it."""
    for yours, mine in (("yourself", "myself"), ("yours", "mine"), ("your", "my"), ("you", "me")):
        text = re.sub(rf"\b{yours}\b", mine, text)
    return text


def _with(before: str) -> Callable[[re.Match[str], str], str | None]:
    """An answer that is put after some words."""

    def answer(_: re.Match[str], reply: str) -> str | None:
        plain = _plain(reply)
        return f"{before} {plain}" if plain else None

    return answer


def _what(found: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    what = _mine(found["what"]).replace(" 's", "'s")
    return f"My {what} {'are' if found['be'] == 'are' else 'is'} {plain}" if plain else None


def _where(found: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    if plain is None:
        return None
    place = plain[0].lower() + plain[1:] if _PREPOSITION.match(plain) else f"in {plain}"
    return f"I {found['verb']} {place}"


def _from(found: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    if plain is None:
        return None
    place = re.sub(r"^(?:from|in) ", "", plain, flags=re.IGNORECASE)
    return f"I'm {found['how']} {'in ' if found['how'] in {'based', 'located', 'living'} else ''}{place}"


def _age(_: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    return f"I'm {plain}" if plain and _NUMBER.match(plain) else None


def _trade(_: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    if plain is None or re.match(r"nothing|stuff|work\b|things", plain, re.IGNORECASE):
        return None
    plain = plain if plain[:2].isupper() else plain[0].lower() + plain[1:]
    if re.match(r"(?:an?|the|retired|unemployed|self-employed|studying|working)\b", plain):
        return f"I'm {plain}"
    return f"I'm {'an' if plain[0].lower() in 'aeiou' else 'a'} {plain}"


def _which(found: re.Match[str], reply: str) -> str | None:
    plain = _plain(reply)
    subject = "I'm" if found["aux"] == "are" else "I"
    return f"{subject} {found['verb']} {plain} {_mine(found['rest'] or '')}".rstrip() if plain else None


def _allergies(_: re.Match[str], reply: str) -> str | None:
    if _NO.match(reply) or reply.lower() in {"none", "nothing"}:
        return "I don't have any allergies"
    yes = _YES.match(reply)
    plain = _plain(reply[yes.end() :] if yes else reply)
    return f"I'm allergic to {plain.removeprefix('to ')}" if plain else None


def _whether(found: re.Match[str], reply: str) -> str | None:
    """Yes or no, and perhaps what: "Do you have any pets?" "Yes, two cats"."""
    said, aux = _mine(found["said"]), found["aux"]
    yes, no = _YES.match(reply), _NO.match(reply)
    if no is not None:
        rest = reply[no.end() :]
        return _denied(aux, said) if not rest or _STATEMENT.match(rest) or _ADDED.match(rest) else None
    if yes is None:
        return _chosen(aux, said, reply)
    more = _plain(reply[yes.end() :])
    if more and aux == "do" and not _ADDED.match(more) and re.match(r"have (?:any|an?)\b", said):
        return f"I have {more}"
    return _affirmed(aux, said)


def _affirmed(aux: str, said: str) -> str:
    said = re.sub(r"\bany ", "", said)
    return {"do": f"I {said}", "are": f"I'm {said}", "have": f"I've {said}"}[aux]


def _denied(aux: str, said: str) -> str:
    return {"do": f"I don't {said}", "are": f"I'm not {said}", "have": f"I've never {said.removeprefix('ever ')}"}[aux]


def _chosen(aux: str, said: str, reply: str) -> str | None:
    """ "Do you prefer tea or coffee?" "Tea"."""
    plain = _plain(reply)
    offered = re.fullmatch(r"(?P<verb>\w+) (?P<what>.+ or .+)", said)
    if plain is None or offered is None or aux != "do":
        return None
    return f"I {offered['verb']} {plain}" if set(plain.lower().split()) <= set(offered["what"].split()) else None


_ADVERB = "(usually |mostly |currently |typically )?"
_REST = r"( (?P<rest>[\w' ]{2,40}))?"
_QUESTIONS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str], str], str | None]]] = [
    (compiled(pattern), answer)
    for pattern, answer in (
        (r"what (do you do( for (a living|work))?|(is|'s) your (job|profession|occupation))", _trade),
        (r"(what|who) (?P<be>is|'s|are) your (?P<what>[\w' -]{2,60})", _what),
        (r"what should i call you|(may|can) i (ask|have) your name", _with("My name is")),
        (rf"where do you {_ADVERB}(?P<verb>live|work|study|teach|go to school)( now| currently| these days)?", _where),
        (r"where did you grow up", _with("I grew up in")),
        (rf"where are you {_ADVERB}(?P<how>from|based|located|living|originally from)", _from),
        (r"how old are you", _age),
        (r"(do you have|are there) any (known |food )?(allergies|allergens|dietary allergies)( .*)?", _allergies),
        (r"what are you allergic to", _with("I'm allergic to")),
        (rf"(what|which)( (?!do|are)[\w'-]+){{1,5}} (?P<aux>do|are) you {_ADVERB}(?P<verb>[a-z]+){_REST}", _which),
        (rf"what (?P<aux>do) you {_ADVERB}(?P<verb>play|drive|teach|study|prefer|use|speak|collect){_REST}", _which),
        (rf"what (?P<aux>are) you {_ADVERB}(?P<verb>studying|learning){_REST}", _which),
        (r"(?P<aux>do|are|have) you (?P<said>[\w',/ -]{2,80})", _whether),
    )
]
