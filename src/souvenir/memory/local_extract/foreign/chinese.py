"""Chinese: "我住在上海" becomes "用户住在上海"."""

# ruff: noqa: RUF001 - the punctuation of Chinese

import re
from collections.abc import Iterator

from souvenir.memory.local_extract import kinds
from souvenir.memory.local_extract.kinds import (
    FAMILY,
    NAME,
    PASSING,
    PET,
    ROLE,
    TASTE,
    UNKNOWN,
    Found,
    Kind,
    hedged,
    lasting,
    of_someone,
)
from souvenir.memory.local_extract.patterns import compiled, joined
from souvenir.memory.local_extract.sentences import Sentence

_USER = "用户"
_PEOPLE = joined(
    """
    妻子|老婆|太太|丈夫|老公|先生|爸爸|妈妈|父亲|母亲|父母|爸妈|哥哥|弟弟|姐姐|妹妹|儿子|女儿|孩子|宝宝|爷爷|奶奶|外公|外婆|
    姥姥|姥爷|孙子|孙女|叔叔|阿姨|舅舅|姑姑|表哥|表弟|表姐|表妹|女朋友|男朋友|女友|男友|未婚妻|未婚夫|朋友|好友|闺蜜|同事|
    老板|室友|同学|老师|家人
    """
)
_PETS = "狗狗|猫咪|狗|猫|兔子|仓鼠|鹦鹉|金鱼|宠物"
_ADVERBS = "(现在|目前|一直|也|还|都|很|非常|特别|最|真的|平时|经常|通常|每天|从来|从|已经|其实|就)*"
_NUMBER = "[一二三四五六七八九十两几百0-9]+"
# a kind and what follows the subject; the first that fits counts
_ROWS = rf"""
PASSING (想知道|想问|想请|要问|需要你|希望你|问一下|觉得你)
NAME (叫|名叫|姓)(?!做|你|他|我)\S{{1,10}}$
AGE (今年|已经|快)?{_NUMBER}岁
HOME (住在|住|定居在|搬到了?|搬去了?)\S
ORIGIN (来自|出生于|出生在|老家在|在\S+(出生|长大))|是\S{{1,8}}人$
DIET 是(一?[个名位])?(严格的?)?(素食者|素食主义者|纯素者)|不吃|不喝|吃素|不能吃|不能喝|只吃|戒了|不抽烟|忌口
HEALTH 对\S+过敏|有\S*(过敏|糖尿病|哮喘|高血压|抑郁症|偏头痛|心脏病|癫痫|多动症)
HEALTH 患有|得了\S*(癌|症|病)|怀孕|近视|色盲|乳糖不耐
TASTE (不喜欢|喜欢|爱|热爱|讨厌|偏爱|更喜欢|偏好|受不了|不爱)(?!你|这|那|他|她|它)\S
WORK 在\S+(工作|上班|任职|当\S+)$|从事|负责|经营|开了一?家|管理|创办
STUDY 在\S+(上学|读书|留学|读\S+)|学的是|就读于|毕业于|主修|读的是|读大[一二三四]|上大[一二三四]
LEARNING (正在学习?|在学习?|学习|学着)\S
PROJECT (正在(开发|写一|做一个|研究|准备)|在(开发|写一|做一个))\S
SKILL 会说|会讲|能说|精通|擅长|会弹|会拉|会做|会开车|会游泳|不会游泳|不会开车
TOOL (用的是|使用|习惯用|用)([A-Za-z]|苹果|安卓)
FAMILY 有{_NUMBER}?[个位名]?\S{{0,4}}(孩子|儿子|女儿|哥哥|弟弟|姐姐|妹妹|兄弟|姐妹|女朋友|男朋友|孙子|孙女)
PET (养了?|有){_NUMBER}?[只条个匹]\S{{0,4}}(狗|猫|兔子|仓鼠|鱼|鸟|鹦鹉|马)
POSSESSION 有{_NUMBER}?[辆套台把架家间]\S+
FAMILY 结婚了|已婚|离婚了|单身|未婚|订婚了|和\S+结婚
WORK 退休|失业
PLAN (打算|计划|准备)(明年|今年|后年|下个?[月周]|年底|\S{{1,4}}月)?(去|搬|在|考|学|买|结婚|换)\S*
EVENT \S*(考试|面试|婚礼|手术|截止)
HABIT (每天|每周|每个周末|经常|平时)\S|(弹|拉|打|踢|练|玩)(钢琴|吉他|小提琴|二胡|篮球|网球|羽毛球|足球|太极|瑜伽|书法)
PAST (曾经?|以前)(是|在|当过)\S
ROLE 是(一?[个名位])?(?!说|想|不是|谁|什么|你|真的|觉得|认真|不)\S{{2,12}}$
GOAL 想(当|成为|学会|考上)\S
WISH 想
"""


def _rules() -> list[tuple[re.Pattern[str], Kind]]:
    rows = [row.partition(" ") for row in _ROWS.strip().splitlines()]
    return [(compiled(f"{_ADVERBS}({pattern})"), getattr(kinds, name)) for name, _, pattern in rows]


_RULES = _rules()
_SUBJECT = compiled(
    rf"""
    (?P<who>我们?的?(?P<person>{_PEOPLE})|我们?家?的?(?P<pet>{_PETS})|我们?(?P<thing>最喜欢的\S{{1,8}}?|的(爱好|职业|生日|名字|
    家乡|母语|专业|梦想|目标|血型|星座))(?=是|叫|在)|我们?)(?P<rest>.*)
    """
)
_HEDGES = compiled("可能|也许|大概|或许|考虑|说不定|好像|应该会|希望能")
_PASSING = compiled("今天|刚才|刚刚|现在很|有点|昨天|今晚|累|饿|困|测试")
_REQUESTS = compiled("请|帮我|给我|能不能|可以|能否|写一|翻译|告诉我|解释|推荐|如果|假如|要是")
_ASKS = compiled("[吗呢么]$|什么|怎么|哪里|哪儿|谁|为什么|多少|是不是|有没有")
_EXPLICIT = compiled("(请|麻烦)?你?(记住|记得|记一下|别忘了|不要忘记)[,，:：]?")
_LEADS = compiled(
    "^(你好|您好|嗨|大家好|对了|顺便说一下|其实|另外|还有|不过|但是|而且|因为|所以|嗯|是的|好的|谢谢)[,，!！。 ]*"
)


def read_chinese(sentence: Sentence) -> Iterator[Found]:
    """Everything a sentence says of the user."""
    text = sentence.text[sentence.words[0].start : sentence.words[-1].end]
    explicit = _EXPLICIT.match(text)
    clauses = [part for part in re.split("[,，;；]", text[explicit.end() :] if explicit else text) if part.strip()]
    if sentence.asks:
        clauses.pop()
    going_on = False
    for part in clauses:
        clause = _LEADS.sub("", part.strip())
        if not clause or _REQUESTS.match(clause) or _ASKS.search(clause):
            continue
        subject = _SUBJECT.match(clause)
        if subject is not None:
            going_on = subject["who"] in {"我", "我们"}
        elif not going_on:
            continue
        found = _told(subject) if subject is not None else _about_user(clause)
        if found is not None:
            yield found._replace(explicit=explicit is not None)


def _told(subject: re.Match[str]) -> Found | None:
    rest = subject["rest"]
    kind = _kind(rest) or UNKNOWN
    if subject["person"]:
        return _found(f"{_USER}的{subject['person']}{rest}", of_someone(FAMILY if kind is NAME else kind), rest)
    if subject["pet"]:
        return _found(f"{_USER}的{subject['pet']}{rest}", PET if lasting(kind) else UNKNOWN, rest)
    if subject["thing"]:
        liked = "喜欢" in subject["thing"] or "爱好" in subject["thing"]
        return _found(f"{_USER}{subject['thing']}{rest}", TASTE if liked else ROLE, rest)
    return _about_user(rest)


def _about_user(rest: str) -> Found | None:
    kind = _kind(rest)
    return _found(f"{_USER}{rest}", kind, rest) if kind is not None else None


def _kind(rest: str) -> Kind | None:
    return next((kind for pattern, kind in _RULES if pattern.match(rest)), None)


def _found(said: str, kind: Kind, rest: str) -> Found:
    content = re.sub("我们?", _USER, said).rstrip("。!！ .")
    if lasting(kind) and _PASSING.search(rest):
        return Found(content, PASSING)
    return Found(content, hedged(kind) if _HEDGES.search(rest) else kind)
