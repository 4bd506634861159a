"""What follows "I am": a name, an age, a place, a trade, a trait, or how somebody feels just now."""

import re
from collections.abc import Sequence

from souvenir.memory.local_extract import kinds
from souvenir.memory.local_extract.english import lexicon
from souvenir.memory.local_extract.kinds import (
    AGE,
    DEADLINE,
    DIET,
    EVENT,
    FAMILY,
    HEALTH,
    NAME,
    OPINION,
    PASSING,
    ROLE,
    STUDY,
    TASTE,
    TRAIT,
    UNKNOWN,
    VAGUE,
    WORK,
    Kind,
)
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import QUOTED, Word, lows, word_set

# in order: the first that fits counts; a row goes on over indented lines
_PHRASES = r"""
ORIGIN (originally |also )?from (?!the (start|beginning)|work|home|here|there|my|a )
ORIGIN from (a|the) (small|tiny|big|little|middle|north|south|east|west|netherlands|uk|us|usa|philippines|family|
    village|town|countryside|suburbs|midwest|coast|bay)
ORIGIN (born|raised|brought up)\b
HOME (based|located|settled) (in|out of|near|at|on)\b|living\b
HEALTH (lactose|gluten|fructose|histamine)[ -]intolerant|colou?r blind|(legally|partially|half) (blind|deaf)|
    hard of hearing|visually impaired|hearing impaired|hiv[ -]positive|in (remission|recovery|a wheelchair|rehab|chemo|
    therapy)|on (insulin|antidepressants|blood thinners|medication|birth control|dialysis|chemo|statins|ssris|
    metformin|beta blockers|the (\w+ )?spectrum)|in (my|her|his|their) (first|second|third) trimester|prone to|
    sensitive to|at risk of|(severely|mildly|slightly|deathly|highly|very|clinically) (allergic|intolerant|depressed|
    dyslexic|autistic|asthmatic|diabetic)|(type (1|2|one|two)|pre) ?-?diabetic|recovering from|(\w+ )?(weeks|
    months) pregnant|covid
DIET on (a|the) .{0,40}\bdiet\b|on (keto|a (keto|paleo|vegan)\b)|(strictly |mostly |fully |lacto-?ovo |ovo-?)?(vegan|
    vegetarian|pescatarian|plant[ -]based|gluten[ -]free|dairy[ -]free)\b
FAMILY (happily |recently |newly |legally |still |not )?(married|engaged|divorced|widowed|separated|single)\b|
    in an? (\w+ )?(relationship|marriage)|going through a (divorce|break-?up)
WORK (head|director|manager|president|vp|vice president|captain|chair|co-?founder|founder|owner|ceo|cto|cfo|lead|
    chief)\b
WORK (employed|self-employed|retired|semi-retired|unemployed|without a job|tenured|stationed|deployed|out of work|
    between jobs|laid off|on (maternity|paternity|parental|sick|medical) leave|out of a job|promoted|hired|fired|
    made redundant)\b
WORK in (marketing|sales|tech|finance|hr|banking|insurance|construction|consulting|real estate|retail|healthcare|
    education|academia|law|advertising|logistics|hospitality|the (army|navy|air force|military|marines|restaurant|
    music|film|oil|food))\b|in charge of|responsible for
STUDY in ((my|the) (\w+ )?(year|semester|term)|college|(high|middle|grad|med|law|primary|elementary|secondary) school|
    university|\w+ grade|grade \d+|year \d+|kindergarten|preschool)\b|enrolled|(a|an)? ?(freshman|sophomore|junior|
    senior) (at|in)
SKILL (fluent|proficient|experienced|skilled|well[ -]versed|certified|trained|self-taught|familiar|licensed|
    qualified) (in|with|as|to|at)\b|(very |pretty |really |quite |so |not very |not |fairly )?(good|better|best|great|
    bad|worse|terrible|awful|decent|hopeless|rubbish|lousy|horrible|excellent|talented) (at|with) (?!it|this|that|
    least)|new to\b(?! this| me)|(very )?comfortable with (?!this|that|it)
TASTE (really |very |super |so |totally |also |not |\w+ly )*(into|fond of|passionate about|interested in|obsessed with|
    addicted to|crazy about|keen on|partial to|terrified of|scared of|afraid of|frightened of|squeamish about|
    nuts about|mad about|hooked on|picky about|not big on|big on) (?!it\b|this\b|that\b|you|these|what|how|hearing|
    knowing|finding|buying|your|losing|failing|messing|breaking|missing|my)
TASTE a (big |huge |massive |great |die-?hard |lifelong |longtime )?(fan|lover) of (?!this|that|it|you|them|his|hers|
    her |him)
EVENT (\w+ )?(due|expected) (to give birth|in|on)\b
PLAN on (vacation|holiday|leave|sabbatical|tour)\b
SITUATION on (parole|probation|an? ((tight|small|limited|fixed|student|shoestring) )?(budget|income))\b|in (debt|
    foster care|prison|jail)\b
PLAN (away|abroad|out of (town|office|the office)|traveling|travelling) (from|until|till|next|for the|through|in)\b
NAME named|called\b|known as\b
FAMILY (an? )?only child\b|(the )?(oldest|youngest|eldest|middle)( child)?( of|$| in)
TRAIT (more|not much|much|a bit) of an? \S+|on (the|a|my|our) ([\w-]+ ){1,3}(team|board|committee|council|squad|staff|
    crew)\b
TASTE (not )?(much of )?an? (early|morning|night|cat|dog|people|coffee|tea|beach|mountain|city|country|
    outdoors)[ -](riser|person|owl|bird)\b
TRAIT (very |quite |pretty |a bit |rather |extremely |super |too |naturally |kind of )*(introverted|extroverted|shy|
    outgoing|ambidextrous|left-handed|right-handed|lefty|competitive|perfectionist|superstitious|religious|spiritual|
    frugal|messy|ticklish|claustrophobic|arachnophobic|forgetful|clumsy|picky|nocturnal|tone-?deaf|tech-savvy|
    camera-shy|gay|queer)\b
"""


def _rows(text: str) -> list[tuple[re.Pattern[str], Kind]]:
    rows = []
    for row in re.sub(r"\|\n +", "|", text).strip().splitlines():
        name, _, pattern = row.partition(" ")
        rows.append((compiled(pattern), getattr(kinds, name)))
    return rows


_ROWS = _rows(_PHRASES)

_NUMBER_WORD = "|".join(sorted(lexicon.NUMBER_WORDS))
_NUMBER = rf"(\d{{1,3}}|({_NUMBER_WORD})([ -](one|two|three|four|five|six|seven|eight|nine))?)"
_ABOUT = "(now |only |already |almost |nearly |about |around )?"
_BARE_AGE = compiled(rf"{_ABOUT}(?!one$)(?P<n>{_NUMBER})$")
_AGE = compiled(
    rf"""
    {_ABOUT}{_NUMBER}[ -](years?[ -]?(old|of age)|y/?o|yrs? old)\b|\d{{1,2}}[ -](months?|weeks?)[ -]old\b|
    {_NUMBER} now$|(over|under) \d\d$|\d{{1,2}}( ,)?( (and )?\d{{1,2}}( ,)?){{1,6}}$|in (my|his|her|their) ((early|mid|
    late)[ -])?(teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|\d0s)
    """
)
_SIZE = compiled(
    r"""\d[\d.,'’ ]*(cm|m|feet|foot|ft|kg|lbs?|pounds|"|'')?( \d+)? ?(tall|in height|in weight)\b|\d'\d"""  # noqa: RUF001
)

_AFTER_NOUN = word_set(
    """
    of at in for from with who that which and but on by using working specializing specialising living named called ,
    - where because since so based near to trying looking studying or learning whose when as now here then too though
    turned while these during every all until over under after before within between through across outside ( )
    """
)
_NOT_LAST = lexicon.NUMBER_WORDS | word_set("today tonight yesterday one there myself again anymore yet")
_PRAISE = word_set("big huge massive great total real")
_OF_WHAT = frozenset({"of it", "of them", "of that", "of this", "of his", "of hers"})
_LEARNERS = word_set("student freshman sophomore undergrad undergraduate postgrad graduate major")
_INTENSE = word_set(
    """
    very really so quite pretty too extremely super half part mostly mainly all both fully totally completely also
    still
    """
)
_HEROES = frozenset(
    (
        "batman",
        "superman",
        "spiderman",
        "spider-man",
        "iron man",
        "groot",
        "god",
        "jesus",
        "santa",
        "santa claus",
        "neo",
    )
)
_TITLES = word_set("dr mr mrs ms prof")
_DESCRIPTIONS = (
    lexicon.DEMONYMS
    | lexicon.STATUS_ADJECTIVES
    | lexicon.HEALTH_ADJECTIVES
    | lexicon.DIET_ADJECTIVES
    | lexicon.PASSING_ADJECTIVES
    | lexicon.ROLE_HEADS
)
_UNSAID = word_set("it this that them those you")
_ADJECTIVES = (
    (lexicon.HEALTH_ADJECTIVES, HEALTH),
    (lexicon.DIET_ADJECTIVES, DIET),
    (lexicon.PASSING_ADJECTIVES, PASSING),
    (lexicon.DEMONYMS | lexicon.STATUS_ADJECTIVES, ROLE),
    (word_set("it this that what why how"), OPINION),
)
_DATED = compiled(r"(\w+ )?(due|on|in|at|scheduled|set|planned|booked|this|next|tomorrow|today|\d|by|for|coming)\b")


def predicate_kind(words: Sequence[Word]) -> Kind:
    """What "I am …" says."""
    if not words:
        return VAGUE
    low = lows(words)
    measured = age_kind(low)
    if measured is not None:
        return measured
    if is_name(words):
        return NAME
    for pattern, kind in _ROWS:
        if pattern.match(low):
            return kind
    if [word.text for word in words[:2]] == ["in", "IT"]:
        return WORK
    return _noun_kind(words) if words[0].low in {"a", "an", "another", "the", "no"} else _adjective_kind(words)


def age_kind(low: str) -> Kind | None:
    """Whether it is an age, or a size."""
    if _AGE.match(low) or is_bare_age(low):
        return AGE
    return TRAIT if _SIZE.match(low) else None


def is_bare_age(low: str) -> bool:
    """Whether "years old" is left to be understood."""
    bare = _BARE_AGE.fullmatch(low)
    return bare is not None and (not bare["n"].isdigit() or 1 <= int(bare["n"]) <= 120)


def is_name(words: Sequence[Word]) -> bool:
    """Whether all of it is one or more names: "Jane", "Mary Ann Smith", "Anna and Tom"."""
    plain = [word for word in words if word.low not in {"and", ",", "&", ".", "-"}]
    if not plain or len(plain) > 6 or lows(plain) in _HEROES:
        return False
    return (len(plain) == 1 and plain[0].low in lexicon.FIRST_NAMES) or all(_is_name(word) for word in plain)


def _is_name(word: Word) -> bool:
    if not word.capital or word.low == "i" or not re.sub(r"[-'.]", "", word.text).isalpha():
        return False
    shouted = word.text.isupper() and len(word.text) > 2
    described = any(part in _DESCRIPTIONS for part in word.low.split("-"))
    return word.low in _TITLES or not (shouted or described)


def _noun_kind(words: Sequence[Word]) -> Kind:
    """ "A nurse", "the youngest", "no expert"."""
    end = next((place for place, word in enumerate(words) if place and word.low in _AFTER_NOUN), len(words))
    noun = [word.low for word in words[1:end]]
    while noun and noun[-1] in _NOT_LAST:
        noun.pop()
    if not noun:
        return VAGUE
    if QUOTED in {noun[0], noun[-1]}:
        return OPINION
    if noun[-1] in lexicon.LIKING_HEADS:
        said = end + 1 < len(words) or not _PRAISE.issuperset(noun[:-1])
        return TASTE if said and lows(words[end : end + 2]) not in _OF_WHAT else VAGUE
    if noun[0] in {"bit", "little", "tad", "lot", "while", "few"}:
        return _adjective_kind(words[2:]) if len(words) > 2 else PASSING
    return _head_kind(words[0].low, noun)


def _head_kind(article: str, noun: Sequence[str]) -> Kind:
    head = noun[-1]
    if head in lexicon.EMPTY_HEADS or noun[0] in {"robot", "bot"}:
        return ROLE if _tells(noun) else PASSING
    if article == "the":
        return ROLE if {head, noun[0]} & lexicon.ROLE_HEADS else OPINION
    if head in lexicon.KIN:
        return FAMILY
    if head in lexicon.DIET_ADJECTIVES:
        return DIET
    return STUDY if head in _LEARNERS else ROLE


def _tells(noun: Sequence[str]) -> bool:
    """Whether an empty noun is filled: a "trans woman" is, a "total mess" is not."""
    telling = set(noun[:-1]) & (lexicon.DEMONYMS | lexicon.STATUS_ADJECTIVES | {"old", "family", "tall"})
    aged = any(part.endswith("-old") for part in noun[:-1])
    return bool(telling or aged) and noun[-1] in {"man", "woman", "guy", "person", "kid"}


def _adjective_kind(words: Sequence[Word]) -> Kind:
    place = next((place for place, word in enumerate(words) if word.low not in _INTENSE), 0)
    low, rest = words[place].low, words[place + 1 :]
    if low in {"allergic", "intolerant"}:
        return HEALTH if len(rest) > 1 and rest[1].low not in _UNSAID else VAGUE
    if low in {"my", "our"}:
        return VAGUE
    if low.endswith("s") and len(low) > 4 and not low.endswith(("ss", "us")) and not rest:
        return ROLE  # "my parents are teachers"
    born = low.endswith(("-american", "-born", "-canadian"))
    return next((kind for adjectives, kind in _ADJECTIVES if low in adjectives), ROLE if born else UNKNOWN)


def dated_kind(noun: str, low: str) -> Kind | None:
    """What is said of a day: "due on Friday", "on June 5"."""
    if not _DATED.match(low):
        return None
    due = low.startswith("due") or " due " in low or noun in {"deadline", "submission"}
    return DEADLINE if due else EVENT
