"""What of a message is not its author's own prose: code, quotations, records, and texts to be worked on."""

# ruff: noqa: RUF001 - the punctuation that people type

import re
from collections.abc import Iterator, Sequence

from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import word_set
from souvenir.patterns import lazy

_READ = 16_000  # characters; of what is longer only the beginning and the end are the author's own words, if any
_LONG = 1_200  # from here on a text that hardly speaks of "I" is a pasted one
_FIRST_PERSON_SHARE = 0.15

_FENCE = lazy(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_TAGGED = lazy(
    r"<(think|quote|code|pre|document|article|context|memory)\b[^>]{0,80}>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_LINK = lazy(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)|https?://\S+")
_INLINE_CODE = lazy(r"`([^`\n]{1,200})`")
_EMPHASIS = lazy(r"(?<!\w)(?:\*\*|__|\*|_)(?=\w)|(?<=[\w.!?])(?:\*\*|__|\*)(?!\w)")
_BULLET = lazy(r"[ \t]*(?:[-*•–]|\(?\d{1,2}[.)])[ \t]+")
_CODE_LINE = compiled(
    r"""
    \s*(def |class \w+[:({]|import \w|from \w[\w.]* import|const |let \w+ ?=|var |function |public |private |#include|
    return\b|print\(|SELECT |INSERT |\$ |>>> |Traceback|File "|at [\w.$]+\(|[\w.\[\]]+ ?[-+]?= ?\S)|.*([{};]|\);?|=>|
    ->)\s*$|\s*[<{}\[\]]
    """
)
_TABLE_OR_QUOTE = lazy(r"\s*[>|]")
_SPEAKER = compiled(r"\s*\[?(\d{1,2}:\d{2}\S{0,6}\s*)?(?P<name>[A-Z][\w .'-]{0,24}?)\]?\s?:\s+\S")
_RECORDED = word_set("user bot ai assistant system human me you chatgpt claude interviewer q a")
_HEADER = lazy(r"\s*(?:from|to|subject|sent|date|cc|re|fwd)\s?:\s", re.IGNORECASE)
_WRAPPED = lazy(r"(?<![.!?:;…\n])\n(?=[a-zäöüßéèà])")
_INTRODUCES = lazy(r"(?:my|our|i|we|mein\w*|mi|mis|mon|ma|mes)\b", re.IGNORECASE)

# work on a text: what follows, or went before, is that text
_WORK = r"""
(translat|summari[sz]|proofread|paraphras|rewrit|rephras|correct|edit|polish|shorten|improv|analy[sz]|review|explain|
check|critique|convert|classify|extract|format|fix|simplif|expand|read|continu|complet|grade|evaluat|comment|reply|
respond|übersetz|korrigier|fasse|traduc|traduis|traduire|resum|résum|corrig|reescrib|réécri|reformul|
翻译|总结|改写|润色|修改)"""
_POLITELY = r"""
\W*((please|pls|can you|could you|would you|hey|hi|now|bitte|kannst du|por favor|puedes|peux-tu|
请|帮我|请帮我)[ ,]*){0,3}"""
_WORKS = compiled(rf"{_POLITELY}(help me )?{_WORK}", re.IGNORECASE)
_COMPOSES = compiled(
    rf"""
    {_POLITELY}(help me )?(write|draft|compose|create|generate|make)\b[^:\n]{{0,80}}\b(bio|profile|letter|email|e-mail|
    text|story|poem|post|caption|resume|cv|essay|message|speech|intro|introduction|ad|review|description|tweet|summary|
    statement|song|script|dialogue|paragraph)\b[^:\n]{{0,60}}:
    """,
    re.IGNORECASE,
)
_SHOWS = compiled(
    r"""
    (here('s| is| are)|this is|below is|see|following|der text|el texto|le texte)\b[^\n.!?]{0,60}\b(text|article|email|
    e-mail|essay|letter|story|log|transcript|conversation|chat|code|output|error|paragraph|post|draft|lyrics|excerpt|
    passage|review|message|bio|cover letter|poem|abstract|document|note|entry|quote)s?\b[^\n.!?]{0,40}:
    """,
    re.IGNORECASE,
)
_POINTS_BACK = compiled(
    rf"""
    {_POLITELY}({_WORK}\w*\s[^\n]{{0,30}}\b(this|the above|it|that|above|text)\b|tl;?dr|what (does|is) (this|
    the above))
    """,
    re.IGNORECASE,
)
_FIRST_PERSON = compiled(r"\b(I|I['’]\w+|my|i|im|ich|mein\w*|je|j['’]\w+|mon|ma|mes|yo|mi|mis|me)\b|我")


def own_lines(message: str) -> list[str]:
    """The lines of a message that are its author's own prose, with lists joined to what introduces them."""
    text = message.replace("\r\n", "\n")
    if len(text) > _READ:
        text = f"{text[: _READ // 2]}\n\n{text[-_READ // 2 :]}"
    text = _LINK.sub(r"\1", _TAGGED.sub("\n", _FENCE.sub("\n", text)))
    text = "\n".join(_before_material(_INLINE_CODE.sub(_short_code, text)))
    if len(text) > _LONG and _is_pasted(text):
        return []
    lines = _WRAPPED.sub(" ", _EMPHASIS.sub("", text)).split("\n")
    return list(_with_lists(_without_records(lines)))


def _short_code(code: re.Match[str]) -> str:
    return code[1] if re.fullmatch(r"[\w.+#-]{1,30}", code[1]) else '"code"'


def _before_material(text: str) -> Iterator[str]:
    """The lines before what is there to be translated, summarised or mended."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    if len(paragraphs) > 1 and _POINTS_BACK.match(paragraphs[-1]):
        return
    for place, paragraph in enumerate(paragraphs, start=1):
        for line in paragraph.split("\n"):
            cut = _material_begins(line)
            yield line[:cut]
            if cut is not None:
                return
        if place < len(paragraphs) and _asks_for_work(paragraph):
            return
        yield ""


def _material_begins(line: str) -> int | None:
    """Where in a line the text to be worked on begins: after "Translate this:"."""
    for sentence in re.finditer(r"[^.!?\n]{1,400}[.!?]*", line):
        said = sentence.group()
        if ":" not in said:
            continue
        if _WORKS.match(said) or _COMPOSES.match(said):
            return sentence.start() + said.index(":")
        if _SHOWS.search(said):
            return sentence.start()
    return None


def _asks_for_work(paragraph: str) -> bool:
    return len(paragraph) < 300 and any(_WORKS.match(said) for said in re.split(r"[.!?\n]", paragraph))


def _is_pasted(text: str) -> bool:
    said = [part for part in re.split(r"[.!?。！？\n]+", text) if len(part) > 10]
    return sum(1 for part in said if _FIRST_PERSON.search(part)) < _FIRST_PERSON_SHARE * len(said)


def _without_records(lines: Sequence[str]) -> list[str]:
    """Without code, tables, block quotations, mail headers and records of who said what."""
    speakers = [match["name"].lower() if (match := _SPEAKER.match(line)) else "" for line in lines]
    recorded = not _RECORDED.isdisjoint(speakers) and sum(map(bool, speakers)) > 1
    return [
        line
        for line, speaker in zip(lines, speakers, strict=True)
        if not (recorded and speaker)
        and not any(pattern.match(line) for pattern in (_TABLE_OR_QUOTE, _CODE_LINE, _HEADER))
    ]


def _with_lists(lines: Sequence[str]) -> Iterator[str]:
    """A list after "My hobbies are:" is one sentence with its introduction; another has a sentence a line."""
    intro, items = "", list[str]()
    for line in lines:
        bullet = _BULLET.match(line)
        item = line[bullet.end() :].strip() if bullet else line.strip()
        if bullet and intro:
            items.append(line.strip() if bullet.group().strip("( \t")[0].isdigit() else item)
            continue
        if intro and item:
            yield from _listing(intro, items)
            intro, items = "", []
        if item.endswith(":"):
            intro = item
        elif item:
            yield item
    if intro:
        yield from _listing(intro, items)


def _listing(intro: str, items: Sequence[str]) -> Iterator[str]:
    if items and _INTRODUCES.match(intro):
        yield f"{intro} {', '.join(items)}"
    else:
        yield from (intro, *items)
