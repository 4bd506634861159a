"""The words of a sentence in one spelling: synonyms, abbreviations, numbers, dates and stems."""

import functools
import unicodedata
from collections.abc import Sequence

import regex

from souvenir.memory.local_resolve.lists import listed, word_set
from souvenir.patterns import lazy_regex
from souvenir.retrieval.terms import terms_of

_QUOTES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u00b4": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "«": '"', "»": '"'}
)
_END = " \t\n.,;!?…\"'\u3002"
_MARKS = lazy_regex(r"\p{Mn}+")
_TOKEN = lazy_regex(
    r"[\w.+\-]+@[\w.\-]+"
    r"|\d++(?:[.,:/\-]\d++)*+(?:%|(?:st|nd|rd|th)\b)?(?![\p{L}])"
    r"|\p{Han}+"
    r"|(?:(?!\p{Han})[\p{L}\p{M}\p{N}])+(?:['.&/\-_](?:(?!\p{Han})[\p{L}\p{M}\p{N}])+)*(?:\+\+|\#)?"
)
# what is written in several ways; each with a piece of it that is looked for first, since most sentences have none
_SPELLINGS = tuple(
    (piece, lazy_regex(pattern, regex.I), instead)
    for piece, pattern, instead in (
        ("user", r"(?:\bthe )?\buser\b", "User"),
        ("'t", r"\bcan't\b", "cannot"),
        ("'t", r"\bwon't\b", "will not"),
        ("n't", r"(?<=[a-z])n't\b", " not"),
        ("cant ", r"\bcant\b", "cannot"),
        ("can not", r"\bcan not\b", "cannot"),
        ("date of birth", r"\bdate of birth\b", "birthday"),
        ("place of birth", r"\bplace of birth\b", "birthplace"),
        ("m", r"(?<=\d) ?([ap])\.?m\b\.?", r"\1m"),
        (" ", r"(?<=\d) (?=(?:kg|km|cm|lbs|gb|tb)\b)", ""),
        ("user's ", r"^User's (?=(?:an?|the|not|now|from|also|been|currently) )", "User is "),
    )
)

# one thing under several names; an abbreviation counts only in capitals
_SHORT = {
    "NYC": "new york",
    "NY": "new york",
    "LA": "los angeles",
    "SF": "san francisco",
    "DC": "washington",
    "USA": "united states",
    "U.S.A": "united states",
    "US": "united states",
    "U.S": "united states",
    "UK": "united kingdom",
    "U.K": "united kingdom",
    "UAE": "united arab emirates",
    "JS": "javascript",
    "TS": "typescript",
    "CEO": "ceo",
    "PM": "product manager",
}
_SAME = {
    "new york": "new york city, big apple",
    "los angeles": "los angeles",
    "san francisco": "san francisco",
    "united states": "united states of america, united states",
    "united kingdom": "united kingdom",
    "javascript": "js",
    "go": "golang",
    "node": "node.js, nodejs",
    "vs code": "vscode, visual studio code, vs code",
    "postgresql": "postgres",
    "kubernetes": "k8s",
    "macos": "mac os, os x",
    "developer": "software engineer, software developer, software dev, programmer, coder, dev, software programmer",
    "ceo": "chief executive officer, chief executive",
    "email": "e-mail, mail address, email address, e-mail address",
    "phone number": "mobile number, telephone number, cell number, mobile phone number, phone number",
    "birthday": "date of birth, birth date, birthdate, bday",
    "birthplace": "place of birth, birth place",
    "hometown": "home town",
    "timezone": "time zone",
    "native language": "mother tongue, first language, native tongue, native language",
    "dark mode": "dark theme, dark mode, dark themes",
    "light mode": "light theme, light mode, light themes",
    "motorbike": "motorcycle",
    "bike": "bicycle",
    "car": "automobile",
    "tv": "television",
    "film": "movie, movies, films, motion picture",
    "apartment": "flat, condo, apartment",
    "child": "kid, kids, children",
    "mother": "mum, mom, mama",
    "father": "dad, papa",
    "dog": "puppy, puppies, doggy",
    "cat": "kitten, kittens, kitty",
    "manager": "supervisor, boss, line manager",
    "colour": "color, colors",
    "favourite": "favorite",
    "maths": "math, mathematics",
    "short": "concise, brief, succinct, terse",
    "detailed": "elaborate, in-depth, thorough, lengthy, long, extensive",
    "phone": "cellphone, cell phone, mobile phone, smartphone",
    "woman": "women",
    "man": "men",
    "person": "people",
    "lawyer": "attorney",
    "doctor": "physician, medical doctor",
    "university": "uni",
    "picture": "photo, photograph",
    "fiance": "fiancee, fiancé, fiancée",
    "soccer": "football",
    "workout": "gym",
    "vegetarian": "veggie",
    "meal": "meals",
    "coriander": "cilantro",
    "aubergine": "eggplant",
    "android": "android phone, android",
    "iphone": "apple phone",
    "morning person": "early bird, early riser, morning person",
    "night owl": "night person, evening person, night owl",
    "self-employed": "self employed",
    "teacher": "schoolteacher, school teacher",
    "blues music": "blues, blues music",
}
_LONGEST = 4
_NAMES_OF = {
    name.strip(): one if " " in one else (terms_of(one) or [one])[0]
    for one, names in _SAME.items()
    for name in names.split(",")
}

_ONES = {
    word: number
    for number, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
            " sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS = {word: 20 + 10 * n for n, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"))}
_NUMBERS = (
    {word: str(number) for word, number in (_ONES | _TENS).items()}
    | {f"{ten}-{one}": str(_TENS[ten] + _ONES[one]) for ten in _TENS for one in _ONES if 0 < _ONES[one] < 10}
    | {"couple": "2", "dozen": "12"}
)
_MONTHS = listed("january february march april may june july august september october november december")
_MONTH_OF = {month[:3]: month for month in _MONTHS} | {"sept": "september"}
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = frozenset(_MONTHS)
DAYS = WEEKDAYS | MONTHS | word_set("today tomorrow yesterday tonight noon midnight")
_FIXED = _NUMBERS | _MONTH_OF | {day: day for day in DAYS} | {f"{day}s": day for day in WEEKDAYS}
# what tells when, beside numbers
TIMES = DAYS | word_set("month week year weekend quarter morn afternoon even summer winter spring autumn")
_ISO = lazy_regex(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_WORDS = lazy_regex(r"[\p{L}\p{M}\p{N}+#@%€$]+")
_HAN = lazy_regex(r"\p{Han}")
_ORDINAL = lazy_regex(r"(\d+)(?:st|nd|rd|th)")


def fold(word: str) -> str:
    """Lower case, without accents."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", word.casefold())))


def normalise(text: str) -> str:
    """One spelling of quotes, spaces, contractions and of "the user"; without the full stop."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = " ".join(text.replace("`", "'").split()).strip(_END)
    lower = text.lower()
    digits = any(map(str.isdigit, text))
    for piece, pattern, instead in _SPELLINGS:
        if piece in lower and (digits or len(piece) > 1):
            text = pattern.sub(instead, text)
    return text


def key_of(plain: str) -> str:
    """A normal form without case, accents and punctuation; of text that is nothing else, the text."""
    return " ".join(_WORDS.findall(fold(plain))) or plain


def tokens_of(text: str) -> list[str]:
    """The words as they are written; a date in ISO form as its month, day and year."""
    return _TOKEN.findall(_ISO.sub(_spelled, text))


def _spelled(date: regex.Match[str]) -> str:
    year, month, day = (int(part) for part in date.groups())
    return f"{_MONTHS[(month - 1) % 12]} {day} {year}"


def canonical(tokens: Sequence[str]) -> list[str]:
    """The terms of written words: synonyms replaced, numbers in digits, the rest stemmed; a phrase may be one term."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        size, term = _phrase(tokens, at)
        found.append(term)
        at += size
    return found


def _phrase(tokens: Sequence[str], at: int) -> tuple[int, str]:
    if (short := _SHORT.get(tokens[at])) is not None:
        return 1, short
    folded = [fold(token) for token in tokens[at : at + _LONGEST]]
    for size in range(len(folded), 0, -1):
        if (one := _NAMES_OF.get(" ".join(folded[:size]))) is not None:
            return size, one
    return 1, term_of(folded[0])


@functools.lru_cache(maxsize=16384)
def term_of(word: str) -> str:
    """The term of one folded word that is no phrase."""
    if (fixed := _FIXED.get(word)) is not None:
        return fixed
    if (ordinal := _ORDINAL.fullmatch(word)) is not None:
        return ordinal[1]
    if word[:1].isdigit():
        return word.replace(",", "")
    if _HAN.match(word):
        return word
    stem = _stemmed(word)
    return _NAMES_OF.get(stem, stem)


def _stemmed(word: str) -> str:
    return (terms_of(word) or [word])[0]


def is_number(term: str) -> bool:
    """Whether a term is, or holds, a number."""
    return any(map(str.isdigit, term))
