"""Reads Chinese sentences about the user: the main slots, and a few verbs with what they are said of."""

import regex

from souvenir.memory.local_resolve.frames import NOTHING, USER, Frame, Item, Subject
from souvenir.memory.local_resolve.values import make_item
from souvenir.patterns import lazy_regex

_USER = lazy_regex(r"(?:用户|使用者)(?!的)")
_OWNED = lazy_regex(
    r"(?:用户|使用者)的(?P<r>\p{Han}{1,6}?)(?=(?:现在|目前|已经|也)?(?:叫|是|名叫|住|在|搬|有|喜欢|不|今年))"
)
_BEST = lazy_regex(r"(?:用户|使用者)最(?:喜欢|爱)的(?P<r>\p{Han}{1,8}?)(?:现在|变成了|已经)?是(?P<v>.+)")
_FACT = lazy_regex(r"(?P<z>[^的]+)的(?P<r>[^的]{1,8}?)(?:现在)?是(?P<v>[^的]+)")
_NOW = lazy_regex(r"现在|目前|已经|最近|刚刚|刚|如今|目前|非常|很|今年|也")
_NEGATION = lazy_regex(r"不再|不是|不会|没有|不|没|戒了|戒掉了|停止(?:了)?|别")
_CALLED = lazy_regex(r"(?:名?叫做?|的?名字(?:叫|是)|是)(?P<v>.+)")
_LINES: tuple[tuple[regex.Pattern[str], str, bool], ...] = tuple(
    (lazy_regex(pattern), slot, single)
    for pattern, slot, single in (
        (r"(?:居住|住|生活|定居)在?(?P<v>.+)", "residence", True),
        (r"(?:从.+?)?(?:搬家?|移居|迁居?)(?:到|去|至)了?(?P<v>.+?)了?", "residence", True),
        (r"在(?P<v>.+?)(?:工作|上班|任职|就职)", "employer", True),
        (r"(?:就职|供职|任职|受雇)于(?P<v>.+)", "employer", True),
        (r"(?:加入|入职|跳槽到)了?(?P<v>.+)", "employer", True),
        (r"(?:在?从事|职业是|的工作是)(?P<v>.+)", "title", True),
        (
            r"(?:是|当)(?:一个|一名|一位)?(?P<v>\p{Han}{0,3}(?:老师|教师|医生|护士|律师|学生|工程师|程序员|厨师|司机|会计|设计师|记者|作家|警察|经理))",
            "title",
            True,
        ),
        (r"(?:满|是)?(?P<v>\d+|[一二三四五六七八九十]+)岁了?", "age", True),
        (r"(?:名?叫做?|姓名是|名字是)(?P<v>.+)", "name", True),
        (r"出生(?:于|在)(?P<v>\d.+)", "birthday", True),
        (r"(?:出生(?:于|在)|生于)(?P<v>.+)", "birthplace", True),
        (r"来自(?P<v>.+)", "origin", True),
        (r"(?:和|与|跟)(?P<v>.+?)(?:结婚|结了婚)了?", "spouse", True),
        (r"(?P<v>单身|已婚|结婚|离婚|未婚|订婚|丧偶)了?", "state marital", True),
        (r"是?(?:一个|一名)?(?P<v>素食主义者|纯素食者|素食者|严格素食者)", "state diet", True),
        (r"(?:喜欢|喜爱|爱|热爱)(?P<v>.+)", "like", False),
        (r"(?:讨厌|厌恶)(?P<v>.+)", "-like", False),
        (r"(?:会|能)?(?:说|讲)(?P<v>.+)", "speak", False),
        (r"(?:有|养|拥有)了?(?P<v>.+)", "have", False),
        (r"(?:在|正在)?(?:学习?|研究)(?P<v>.+)", "learn", False),
        (r"(?:使?用)(?P<v>.+)", "use", False),
        (r"(?P<verb>喝|吃|抽|玩|看|听|打|弹|去过|开)(?P<v>.+)", "", False),
    )
)
_STATES = {"结婚": "已婚", "未婚": "单身"}
_ONE = {"妻子", "丈夫", "老婆", "老公", "太太", "先生", "爱人"}
_PARTNERS = {"女朋友", "男朋友", "未婚妻", "未婚夫", "伴侣"}
_ATTRIBUTES = lazy_regex(
    r"(?:电话|号码|手机|邮箱|地址|生日|年龄|名字|姓名|职业|工作|公司|雇主|老板|上司|经理|母语|身高|体重|截止日期|家乡|时区|预算|工资|妈妈|爸爸|母亲|父亲)$"
)
_MEASURE = lazy_regex(r"^(?:(?P<n>[一两三四五六七八九十几\d]+)(?:只|个|条|匹|名|位|辆|台|本|部|杯|种|家|间|套))?")
_CALLED_SO = lazy_regex(r"^(?:名?叫做?|名为)(?P<n>.+)$")
_JOIN = lazy_regex(r"[和与、及,]")


def read_chinese(text: str) -> tuple[Frame, ...]:
    """The frames of a Chinese sentence; none when it is not understood."""
    if (match := _BEST.fullmatch(text)) is not None:
        return (Frame(Subject((USER,)), f"attr 最喜欢 {match['r']}", _items(match["v"]), single=True),)
    if (match := _OWNED.match(text)) is not None:
        return _owned(match["r"], text[match.end() :])
    if (match := _USER.match(text)) is not None:
        return _predicate(Subject((USER,)), text[match.end() :])
    if (match := _FACT.fullmatch(text)) is not None:
        return (Frame(Subject(("",)), f"attr {match['r']} {match['z']}", _items(match["v"]), single=True),)
    return ()


def _owned(what: str, text: str) -> tuple[Frame, ...]:
    plain = _NOW.sub("", text)
    called = _CALLED.fullmatch(plain)
    if called is not None and not plain.startswith("是一"):
        slot = "spouse" if what in _ONE else "partner" if what in _PARTNERS else ""
        if slot or _ATTRIBUTES.search(what):
            return (Frame(Subject((USER,)), slot or f"attr {what}", _items(called["v"]), single=True),)
        if not plain.startswith("是"):
            item = make_item(what, frozenset((what,)), frozenset((called["v"],)))
            return (Frame(Subject((USER,)), "have", (item,)),)
    return _predicate(Subject((USER, what)), text)


def _predicate(subject: Subject, text: str) -> tuple[Frame, ...]:
    negative = _NEGATION.search(text) is not None and not text.startswith("没有工作")
    plain = _NOW.sub("", _NEGATION.sub("有" if text.startswith("没有") else "", text))
    for pattern, slot, single in _LINES:
        if (match := pattern.fullmatch(plain)) is not None:
            name = slot.removeprefix("-") or match["verb"]
            value = _STATES.get(match["v"], match["v"])
            return (Frame(subject, name, _items(value), negative=negative != slot.startswith("-"), single=single),)
    return ()


def _items(text: str) -> tuple[Item, ...]:
    return tuple(item for part in _JOIN.split(text) if (item := _item(part)) is not None)


def _item(text: str) -> Item | None:
    """What stands last is the thing; what stands before it, with 的, says which."""
    measure = _MEASURE.match(text)
    count = measure["n"] if measure is not None else None
    which, _, head = _MEASURE.sub("", text.removesuffix("了")).rpartition("的")
    if not head:
        return None
    named = _CALLED_SO.fullmatch(which)
    details = frozenset((named["n"] if named else which,)) if which else NOTHING
    return make_item(head, frozenset((head,)), details, count=count if count not in (None, "一") else None)
