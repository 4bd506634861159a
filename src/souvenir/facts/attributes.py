"""Single facts that are no favorites: `the door code is 4417`, `my sister's name is Margaret`, and what asks for them.

A sentence counts only when it names something that has one exact value and gives a value of that kind: `my code is
broken` does not. A question counts only where it is stored, so that nothing else is ever taken for one.
"""

import re
from dataclasses import dataclass

from souvenir.facts.asked import Question
from souvenir.facts.heads import is_own_word
from souvenir.facts.lists import clean, row_end
from souvenir.facts.operations import Clear, Operation, Tell
from souvenir.facts.phrases import is_favorite
from souvenir.facts.plain import sentences
from souvenir.facts.ranks import ordinal
from souvenir.facts.topics import Topic, make_topic
from souvenir.facts.wording import APOSTROPHE, one_of
from souvenir.patterns import lazy

_MOST_CHARS = 300
_MOST_WORDS = 8

_WHERE = one_of(
    r"""wi-?fi, wi fi, wireless, network, router, internet, guest, hotspot, door, front door, back door, gate, garage,
    garage door, alarm, entry, entrance, building, office, house, home, lock, locker, bike lock, padlock, safe, luggage,
    suitcase, phone, sim, card, bank, debit card, credit card, atm, voicemail, netflix, spotify, laptop, computer,
    work, school, gym, lobby, key, keypad, key box, lockbox, access, security, elevator, storage, shed, mailbox,
    apartment,
    flat, email, parental, ipad, tablet, server, vpn, zoom, meeting, discount, promo, invite, verification"""
)
_SECRET = rf"(?:{_WHERE}\s+){{1,3}}(?:password|passcode|passphrase|pin|pin code|code|combination|combo|key|login)"
_NUMBERED = one_of(
    """phone, mobile, cell, cell phone, telephone, home, work, office, account, bank account, passport, policy, member,
    membership, seat, locker, room, flight, ticket, reference, booking, confirmation, house, insurance, student,
    employee, license, licence, driver's license, customer, frequent flyer, library card, tax, social security, parking,
    parking spot, apartment, extension, jersey, shirt, lottery, loyalty, tracking, serial"""
)
_SIZED = one_of("shoe, ring, shirt, hat, dress, jacket, trouser, pants, jeans, glove, waist, bra, bike, frame, suit")
_OWNER = r"(?:[^\W\d_]+\s){0,2}[^\W\d_]+(?:['\u2019]s|s['\u2019])\s+"
_LATIN = r"[^\W\d_]"


@dataclass(frozen=True, slots=True)
class _Kind:
    """Nouns that have one exact value, and what such a value looks like."""

    nouns: str
    value: re.Pattern[str]


def _kind(nouns: str, value: str, flags: int = re.IGNORECASE) -> _Kind:
    return _Kind(nouns, lazy(value, flags))


_STATES = one_of(
    r"""wrong, incorrect, correct, expired, weak, strong, secret, broken, invalid, valid, too\b.*, not\b.*,
    very\b.*, so\b.*,
    really\b.*, being\b.*, no\b.*, missing, lost, gone, safe, secure, the same.*, long, short, funny, weird, strange,
    unusual, common, rare, pretty, beautiful, lovely, nice, cool, hard\b.*, easy\b.*, difficult\b.*, on\b.*, in\b.*,
    at\b.*,
    \w+ed(?: \w+)?, \w+ing\b.*, hidden, stolen, taken, known, given, blank, empty, required, needed, \w+able,
    unknown, old, new, due, up,
    down, out\b.*, here, there, what\b.*, which\b.*, where\b.*, never\b.*, always\b.*, also\b.*, supposed\b.*,
    coming\b.*,
    ready, pending, full, closed, open, important, private, public, a\b.*, an\b.*, it\b.*, something\b.*,
    different\b.*"""
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|halloween|new year|valentine|leap"
_KINDS = (
    _kind(_SECRET, rf"(?!{_STATES}$)\S+(?:\s\S*\d\S*){{0,4}}"),
    _kind(rf"(?:{_OWNER})?(?:[a-z]+\s){{0,2}}?{_NUMBERED}\s+number", r"(?=.*\d)\S+(?:\s\S+){0,4}"),
    _kind(rf"(?:{_OWNER})?(?:zip code|zip|postcode|postal code|area code|country code)", r"(?=.*\d)\S+(?:\s\S+)?"),
    _kind(
        rf"(?:{_OWNER}(?:full |first |last |middle |maiden |real |pet )?name|(?:maiden|middle|pet|code|screen|user"
        r"|stage"
        rf"|company|team|band|school|street|boat|house|project) name|username|nickname|{_OWNER}(?:username|nickname))",
        rf"(?!{_STATES}$)(?:[^\W\d_][\w.'\u2019-]*|\S+)(?:\s(?-i:[A-Z]|(?:de|van|von|la|le|del|the|of|bin"
        r"|al)\b)\S*){0,4}",
    ),
    _kind(
        rf"(?:{_OWNER})?(?:(?:wedding|work|dating)\s+)?(?:birthday|birth date|birthdate|date of birth|anniversary)",
        rf"(?=.*(?:\d|{_MONTHS}))(?:(?:on|in|the)\s+)*\S+(?:\s\S+){{0,5}}",
    ),
    _kind(rf"(?:{_OWNER})?(?:(?:work|home|personal|school)\s+)?e-?mail(?: address)?", r"\S+@\S+\.\w+"),
    _kind(
        rf"(?:{_OWNER}(?:home |work )?|(?:home|work|office|mailing|postal|billing|shipping|delivery|new)\s+)address",
        r"(?=.*\d).+",
    ),
    _kind(
        rf"(?:{_OWNER})?(?:(?:car|bike)(?:['\u2019]s)?\s+)?(?:licen[sc]e plate|number plate|plate number"
        r"|registration number)",
        r"(?=.*[\dA-Z])\S+(?:\s\S+){0,3}",
    ),
    _kind(rf"(?:{_OWNER})?blood (?:type|group)", r"(?:A|B|AB|O|0)\s?(?:\+|-|\u2212|pos\w*|neg\w*|rh\w*)?(?:\s?\w+)?"),
    _kind(rf"(?:{_OWNER})?{_SIZED} size", r"(?=.*\d|\b(?:x*[sml]|small|medium|large|extra)\b)\S+(?:\s\S+){0,3}"),
)
_NOUN = f"(?:{'|'.join(kind.nouns for kind in _KINDS)})"
_PHRASE = rf"(?P<whose>my|our|the)\s+(?P<noun>{_NOUN})"
_FILL = r"(?:(?:now|currently|actually|just|simply|still|also)\s+)*"
_STATED = lazy(
    rf"(?<![\w'\u2019-]){_PHRASE}(?:\s+(?:is|was changed to|changed to|has changed to|are)\s+|\s*[:=]\s*"
    rf"|{APOSTROPHE}s\s+)"
    rf"{_FILL}(?P<value>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = lazy(
    rf"(?<![\w'\u2019-])my\s+(?P<who>{_LATIN}+(?:\s{_LATIN}+)?)(?:{APOSTROPHE}s|\s+is)\s+(?:called|named)\s+"
    r"(?P<value>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_REVERSED = lazy(rf"(?P<value>\S+(?:\s\S+){{0,3}}?)\s+is\s+{_FILL}{_PHRASE}", re.IGNORECASE)
_CHANGED = lazy(rf"(?:change|update|set|reset|correct)\s+{_PHRASE}\s+(?:to|as|with)\s+(?P<value>\S.*)", re.IGNORECASE)
_FORGOTTEN = lazy(rf"(?:forget|delete|remove|erase|clear)\s+{_PHRASE}", re.IGNORECASE)
_POLITE = lazy(
    r"(?:(?:please|ok|okay|hey|hi|actually|no|oh|so|and|also|can you|could you|would you|sorry|wait)\b[\s,:!-]*)+",
    re.IGNORECASE,
)
_TO_THE_LETTER = lazy(r"(?:password|passcode|passphrase|login)$", re.IGNORECASE)
_RATHER = lazy(rf"not\s+[^,;]{{1,60}}[,;]\s*(?:but\s+)?(?:it{APOSTROPHE}s|it is)?\s*(?P<value>.+)", re.IGNORECASE)
_ASK = (
    rf"(?:(?:what|when|who|where|which|wat)(?:{APOSTROPHE}?s|\s+is|\s+was|\s+are)?\s+"
    r"(?:(?:do|did|have)\s+(?:i|you)\s+(?:say|tell you|have|note|store|save)(?:\s+(?:for|as|that|down as))?\s+)?"
    r"|(?:(?:can|could|would|will|do|did)\s+(?:you|i)\s+)?(?:please\s+)?"
    r"(?:(?:still|even|happen to)\s+)?(?:tell|remind|give|show|know|remember|recall|say|get|look up|have|need|repeat)"
    r"(?:\s+(?:me|us))?(?:\s+(?:of|about|again|what|when))*\s+"
    r"|i\s+(?:need|forgot|forget|can'?t remember|don'?t remember|want)\s+(?:what\s+)?)"
)
_ASKED = lazy(rf"(?:{_ASK})?(?:(?:my|our|the)\s+)?(?P<noun>{_NOUN})(?:\s+(?:is|was|again|called))*", re.IGNORECASE)
_OF = lazy(
    r"\bthe\s+(?P<noun>name|birthday|address|password|passcode|pin|code|combination|phone number|number)\s+(?:of"
    r"|for|to)\s+"
    rf"(?P<whose>my|our|the)\s+(?P<of>(?!fav){_LATIN}+(?:\s(?!is\b|are\b|again\b|was\b){_LATIN}+)?)(?=\s+(?:is|are"
    r"|was|again)\b|\s*[:=?]|$)",
    re.IGNORECASE,
)
_HAVING = lazy(
    rf"(?:what|which)\s+(?P<noun>{_NOUN})\s+(?:am i|do i (?:wear|have|take|use)|did i (?:say|give)\b.*)", re.IGNORECASE
)
_CALLED = lazy(
    rf"{_ASK}my\s+(?P<who>{_LATIN}+(?:\s{_LATIN}+)?)\s+(?:is\s+)?(?:called|named)|what\s+did\s+i\s+(?:call"
    rf"|name)\s+my\s+(?P<other>{_LATIN}+)",
    re.IGNORECASE,
)

HINT = lazy(
    r"\b(?:password|passcode|passphrase|pin|code|combination|combo|login|key|number|zip|postcode|name|username|nickname"
    r"|called|named|birthday|birth|birthdate|anniversary|e-?mail|address|plate|blood|size)\b"
)
"""A word in lower case that every such sentence and question has."""


def find_attributes(text: str) -> list[tuple[int, Operation]]:
    """What a plain text states of this kind, each with its place."""
    found: list[tuple[int, Operation]] = []
    place = 0
    for line in text.split("\n"):
        for start, sentence in sentences(line) if len(line) <= _MOST_CHARS * 4 else ():
            operation = _read(sentence) if len(sentence) <= _MOST_CHARS and HINT.search(sentence.lower()) else None
            if operation is not None:
                found.append((place + start, operation))
        place += len(line) + 1
    return found


def read_attribute_question(text: str) -> Question | None:
    """What is asked for of this kind, None when nothing is; text is the part of a message that asks."""
    if not HINT.search(text.lower()):
        return None
    if any(map(is_favorite, text.lower().split())):
        return None
    text = _OF.sub(_turned, text)
    if (called := _CALLED.fullmatch(text)) is not None:
        return Question("single", _topic(f"{called['who'] or called['other']} name"), sure=False)
    asked = _ASKED.fullmatch(text) or _HAVING.fullmatch(text)
    return Question("single", _topic(asked["noun"]), sure=False) if asked is not None else None


def _read(sentence: str) -> Operation | None:
    text = _OF.sub(_turned, " ".join(sentence.split()))
    polite = _POLITE.match(text)
    bare = text[polite.end() if polite else 0 :].rstrip(" .!")
    if (forgotten := _FORGOTTEN.fullmatch(bare)) is not None:
        return Clear(_topic(forgotten["noun"]), False, "single")
    if (changed := _CHANGED.fullmatch(bare)) is not None:
        return _told(changed["noun"], changed["value"], sure=False)
    if text.endswith("?"):
        return None
    back = _REVERSED.fullmatch(bare)
    found = _STATED.search(text) or _NAMED.search(text)
    if found is None:
        return _told(back["noun"], back["value"]) if back is not None else None
    said = found.groupdict()
    noun = said.get("noun") or f"{said['who']}'s name"
    # "the username is taken" is of a form
    anybodys = said.get("whose", "my").lower() == "the" and " " not in noun
    return _told(noun, said["value"]) if is_own_word(text[: found.start()]) and not anybodys else None


def _turned(match: re.Match[str]) -> str:
    """`the code of the door` as `the door code`, `the name of my dog` as `my dog's name`."""
    owned = "'s" if match["noun"].lower() in {"name", "birthday", "address"} else ""
    return f"{match['whose']} {match['of']}{owned} {match['noun']}"


def _told(noun: str, said: str, *, sure: bool = True) -> Operation | None:
    rather = _RATHER.match(said)
    said = rather["value"] if rather is not None else said
    value = clean(said[: row_end(said)])
    if _TO_THE_LETTER.search(noun) and len(said.split()) == 1:
        value = said.strip().rstrip(".").strip('"\u201c\u201d')
    kind = next((kind for kind in _KINDS if re.fullmatch(kind.nouns, noun, re.IGNORECASE)), None)
    if kind is None or any(ordinal(word) is not None or is_favorite(word) for word in noun.lower().split()):
        return None
    if not value or len(value.split()) > _MOST_WORDS or not kind.value.fullmatch(value):
        return None
    return Tell(_topic(noun), sure, value)


def _topic(noun: str) -> Topic:
    words = re.sub(r"\bwi[- ]fi\b", "wifi", noun.lower()).split()
    key = make_topic(words).key
    return Topic(key, (key,))
