"""What a message is after, by its words: code, reasoning, something creative, or facts that a search finds."""

# ruff: noqa: RUF001 - the apostrophes and signs that people type

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from souvenir.chat.selection import asks_about_the_past
from souvenir.patterns import lazy
from souvenir.routing_rules import Intent

_HEAD, _TAIL = 2_000, 1_000  # of a long message: what is asked for stands at an end of what is pasted
_ENOUGH = 2
_OTHERWISE_MEANT = 3


class _Sign(NamedTuple):
    """A pattern and what it counts; however often it is found it counts once."""

    weight: int
    pattern: re.Pattern[str]


def _sign(weight: int, pattern: str) -> _Sign:
    """`~` in a pattern stands for some words of the same sentence."""
    return _Sign(weight, lazy(pattern.replace("~", r"[^.!?\n]{0,60}?"), re.VERBOSE | re.MULTILINE))


# found in a message as it is written
_WRITTEN_CODE = (
    _sign(3, r"""
        ``` | Traceback\ \(most\ recent | \b[A-Z]\w{0,60}(?:Error|Exception)\b
        | ^[ \t]*(?:def|class)\ \w{1,60}[^\n]{0,200}:[ \t]*$ | ^[ \t]*(?:import|from)\ [\w.]{1,60}(?:\ import\b|;?$)
        | \bfunction\ ?\w{0,60}\( | ^[ \t]*\#include\b | \bSELECT\b[^;\n]{1,300}\bFROM\b | \bfn\ \w{1,60}\( | \bstd::
        | \bpublic\ (?:static|class|void)\b | \bconsole\.log | \bSystem\.out | =>\ ?[{(] | </[a-z]{1,20}\d?>
        | \b(?:const|let|var)\ \w{1,60}\ ?= | \w\(\)\ ?[;{] | ^\$\ \w
    """),
    _sign(2, r"""
        \bReact\b | \breact\ (?:app|component|hook|native|router)\b | \b(?:Go|Excel)\ (?:code|formula|program|script)
    """),
)  # fmt: skip

# found in a message in small letters
_SIGNS: Mapping[Intent, tuple[_Sign, ...]] = {
    "code": (
        _sign(3, r"""
            \b(?:stack\ ?trace|seg(?:mentation)?\ ?fault|null\ ?pointer|syntax\ error|compiler?\ error|merge\ conflict
            |unit\ tests?|pull\ request|regex\w*|regular\ expression|debug(?:ging|ger)?|refactor\w*|exit\ code)\b
            | \bgit\ (?:commit|push|pull|rebase|merge|checkout|branch|stash|clone|reset)\b | \bgit\b~\bcommit
            | \b(?:npm|pip|yarn|cargo|docker|kubectl|brew|apt|conda|poetry)
              \ (?:install|run|build|compose|test|add|update|apply|get)\b
        """),
        _sign(2, r"""
            \b(?:javascript|typescript|golang|kotlin|php|sql|bash|powershell|html|css|angular|svelte|django|flask
            |fastapi|pandas|numpy|pytorch|postgres(?:ql)?|mysql|sqlite|kubernetes|docker|dockerfile|json|yaml|node\.?js
            |terraform|webpack|haskell|graphql|dataframe|makefile)\b | \bc\+\+ | \bc\#
            | (?:python|java|rust|sql|c\+\+)(?:写|代码|函数|脚本) | 写.{0,6}(?:代码|函数|脚本)
        """),
        # an animal, an island, a bird: each needs another word beside it
        _sign(1, r"\b(?:python|java|rust|swift|ruby|scala|perl|matlab)\b"),
        _sign(1, r"""
            \b(?:functions?|script|class|methods?|bugs?|compile[sd]?|code|coding|snippet|algorithm|loop|arrays?|dicts?
            |dictionary|lists?|strings?|variables?|quer(?:y|ies)|api|endpoint|library|module|packages?|pointer|async
            |component|await|pars(?:e|ing)|sort(?:ing)?|exceptions?|implement|middleware|program|syntax|decorator
            |funktion|skript|klasse|schleife|liste|sortier\w*|programm\w*|función|código|bucle|lista|ordenar
            |fonction|boucle|classe|programme|trier)\b | 函数 | 代码 | 脚本 | 编程 | 排序
        """),
    ),
    "reasoning": (
        _sign(5, r"\bif\ (?:all|every|no|some)\b~\bare\b | \b\w{1,20}er\ than\b~\b\w{1,20}er\ than\b"),
        _sign(3, r"""
            \b(?:prove|proof|derive|theorem|lemma|syllogism|premises?|beweise?n?|demuestra|démontre[rz]?)\b | 证明
        """),
        _sign(3, r"""
            \bstep[\ -]by[\ -]step\b | \bpros\ and\ cons\b | \btrade-?\ ?offs?\b
            | \bthink\ (?:through|carefully|hard)\b | \bweigh\ (?:up\ )?(?:the|my|our)\ options\b
            | \b(?:riddle|logic(?:al(?:ly)?)?|puzzle|brain\ ?teaser)\b
        """),
        _sign(3, r"""
            \b(?:solve|equations?|integral|derivative|probability|calculate|compute|prime\ numbers?|how\ many\ ways
            |square\ root|logarithm|factori[sz]e|(?:minimum|maximum|least|smallest|largest)\ number\ of
            |gleichung|löse|berechne|wahrscheinlichkeit|ableitung|wurzel|ecuación|calcula|resuelve|probabilidad
            |équation|calculez?|résou[sd]\w*|intégrale|probabilité)\b | 方程 | 计算 | 求解 | 概率 | 积分
        """),
        _sign(3, r"""
            \d\ ?[*×÷^]\ ?\d | \d\ ?[-+]\ ?\d{1,20}\ ?= | [a-z]\ ?(?:\^\ ?\d)?\ ?[-+]\ ?\d{1,20}[a-z]?\ ?=
            | \d\ ?%\ of\ \d
        """),
        _sign(2, r"\bshould\ (?:i|we)\b~\bor\b | \b(?:evaluate|assess|critique)\b~\bargument"),
    ),
    "creative": (
        _sign(3, r"""
            \b(?:writ(?:e|ing)|compose|draft|create|make\ up|tell|invent|give|need|suggest|generate|pen|come\ up\ with
            |continue|craft|think\ of|find)\b~\b(?:poems?|haikus?|sonnet|limerick|ballad|verses?|stor(?:y|ies)|tales?
            |fable|legend|myth|novel|screenplay|dialogue|songs?|lyrics|rap|jokes?|puns?|slogans?|taglines?|captions?
            |toast|speech|love\ letter|monologue|names?\ for|titles?\ for|plot|holiday|character|fairy\ ?tale)\b
            | \b(?:schreibe?|erzähle?|dichte|erfinde)\b~\b(?:gedicht|geschichte|märchen|lied|witz|spruch|slogan|reim)
            | \b(?:escribe|cuenta|cuéntame|inventa|crea)\b~\b(?:poema|cuento|historia|canción|chiste|lema|eslogan)
            | \b(?:écri[st]|raconte|invente|compose|imagine)\w*\b~\b(?:poème|histoire|conte|chanson|blague|slogan)
            | [写編编讲講作].{0,14}(?:诗|詩|故事|歌词|笑话|小说|童话|口号)
        """),
        _sign(3, r"\b(?:brainstorm\w*|role-?\ ?play\w*|pretend\ (?:you|to\ be)|once\ upon\ a\ time|fan\ ?fiction)\b"),
        _sign(2, r"\bin\ the\ style\ of\b | \brhym(?:e|es|ing)\b | ^imagine\b"),
    ),
    "factual_current": (
        _sign(4, r"""
            \b(?:weather|forecast|news|headlines|(?:stock|share|bitcoin|oil|gas|gold)\ prices?|exchange\ rate
            |opening\ hours|release\ date|standings|live\ scores?|updates?\ on|(?:going\ to|will\ it)\ (?:rain|snow)
            |wetter|nachrichten|wechselkurs|aktienkurs|noticias|clima|météo|actualités?)\b | 天气 | 新闻 | 股价 | 汇率
        """),
        _sign(3, r"""
            \bsearch\ (?:the\ web|online|the\ internet)\b | \bgoogle\ (?:it|for|the)\b | \bwho\ won\b | \bscore\ of\b
            | \bprice\ of\b | \bhow\ much\ (?:does|do|is|are)\b~\bcosts?\b | \bqui\ a\ gagné | 现任
        """),
        _sign(2, r"""
            \b(?:latest|newest|current(?:ly)?|right\ now|up[\ -]to[\ -]date|look\ up|nowadays|aktuelle?n?
            |neueste[nrs]?|actual(?:mente)?|últim[oa]s|actuel(?:le|lement)?|derni[eè]re?s\ nouvelles)\b | 最新 | 目前
        """),
        _sign(2, r"""
            (?:^|[.!?:,]\ )[¿¡]?(?:who|wer|quién(?:es)?|qui)
            \ (?:is|are|was|were|ist|sind|war|waren|es|son|fue|est|sont|était)
            \ (?!he\b|she\b|it\b|they\b|you\b|this\b|that\b|these\b) | 谁是 | 是谁
        """),
        _sign(1, r"""
            \b(?:today|tonight|tomorrow|recent(?:ly)?|this\ (?:week|month|year|season)|heute|morgen|hoy|mañana
            |aujourd'hui|demain|20(?:2[4-9]|3\d))\b | 今天 | 明天
        """),
    ),
}  # fmt: skip

_ASKED = lazy(
    r"""
    (?:^|[.!?:,]\ )[¿¡]?
    (?: who | what | when | where | which | how\ (?:old|tall|far|many|much|big|long|high|deep|large|fast)
      | tell\ me\ (?:more\ )?about | wer | wann | wo | welche[rsnm]? | wie\ (?:alt|hoch|groß|lang|viele?|weit)
      | quién | cuándo | dónde | cuál(?:es)? | cuánt[oa]s? | qui | quand | où | quel(?:le)?s? | combien )(?:'s)?\b
    """,
    re.VERBOSE | re.MULTILINE,
)
# a whole message that asks what something is or does
_ASKS_WHAT = lazy(
    r"""
    (?: (?:what|when|where|which|why|how)(?:'s|\ \w{1,30})?\ (?:is|are|was|were|does|do|did|has|have|can)?
      | is | are | was | were | does | did | can | tell\ me\ (?:more\ )?about | describe )
    \ (?!up\b|it\b|that\b|this\b|there\b)[^.!?\n]{4,150}[?.]?
    """,
    re.VERBOSE,
)
_NAME = lazy(r"\w[\s,'’]{1,3}(?:the\s)?[a-z]?[A-ZÀ-Þ]\w")
_OWN = lazy(
    r"\b(?:i|i'm|i've|my|mine|me(?!\ (?:more\ )?about)|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|yo|mis?|nosotros"
    r"|nuestr\w+|je|j'|mon|ma|mes|moi|nous|notre|nos|you|your)\b|我"
)


def intents_of(text: str) -> Sequence[Intent]:
    """What the words of a message are after, the surest first; nothing for small talk and what is about the user."""
    read = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    low = read.lower().replace("’", "'")
    scores = {intent: _found(signs, low) for intent, signs in _SIGNS.items()}
    scores["code"] += _found(_WRITTEN_CODE, read)
    scores["factual_current"] += _about_the_world(read, low)
    return sorted((intent for intent in scores if scores[intent] >= _ENOUGH), key=lambda intent: -scores[intent])


def _found(signs: Sequence[_Sign], text: str) -> int:
    return sum(sign.weight for sign in signs if sign.pattern.search(text))


def _about_the_world(read: str, low: str) -> int:
    """A question with a name in it is likely one of fact; one about the user, or what was said, is for memory."""
    asked = (_ASKED.search(low) and _NAME.search(read)) or _ASKS_WHAT.fullmatch(low.strip())
    meant_otherwise = _OWN.search(low) or asks_about_the_past(low)
    return (_ENOUGH if asked else 0) - (_OTHERWISE_MEANT if meant_otherwise else 0)
