"""How much memory a message calls for before it is answered: much, a little or none, by its words and length."""

# ruff: noqa: RUF001 - the apostrophe that people type

import re
import unicodedata

from souvenir.memory.local_extract.words import word_set
from souvenir.patterns import lazy

MUCH, SOME, NONE = 10, 3, 0

_LONG, _SHORT = 100, 20  # characters
_READ = 2_000

# what people say when they ask for what was said or done; each language's on lines of its own
_MEMORY = lazy(
    r"""
    \b(?: remember\w* | recall\w* | remind\w* | forg[eo]t\w* | memories | (?:your|my|from)\ memory
      | last\ (?:time|week|month|year|night|summer|winter|spring|fall|autumn|(?:mon|tues|wednes|thurs|fri|satur|sun)day)
      | yesterday | earlier | previously | (?:days?|weeks?|months?|years?|long|while)\ ago | in\ the\ past | back\ then
      | the\ other\ day | used\ to
      | did\ (?:i|we|you(?!\ know)) | have\ (?:i|we) | (?:had|was|were)\ (?:i|we|you)
      | (?:i|we|you)\ (?:already\ )?(?:said|told|mentioned|asked|talked|discussed|spoke|agreed|decided|planned|promised
          |suggested|recommended|wrote|chatted)
      | (?:i|we|you)'ve\ (?:ever|already|said|told|mentioned|discussed|talked)
      | (?:said|told|mentioned|asked|discussed|talked\ about\ \w+)\ before
      | know\ about\ (?:me|us|my|our) | do\ you\ (?:still\ )?know\ (?:my|who\ i|where\ i|what\ i|when\ i|how\ i)
      | when\ (?:was|were|did)\ (?:i|we|my|our) )\b

    | \b(?: erinner\w* | weißt\ du\ noch | (?:letzte[snm]?|vorige[snm]?)\ (?:mal|woche|monat|jahr|nacht|sommer|winter)
      | gestern | vorgestern | neulich | damals | vorhin | früher | vergessen
      | (?:habe?|hatten?|hattest)\ (?:ich|wir) | haben\ wir | hast\ du\ (?:gesagt|gemeint|erzählt)
      | (?:ich|wir)\ (?:habe?n?|hatten?)\ (?:dir|darüber|davon|schon|gesagt|erzählt|besprochen)
      | vor\ \w+\ (?:tagen|wochen|monaten|jahren) | weißt\ du\ über\ (?:mich|uns) )\b

    | \b(?: recuerd\w* | recordar\w* | acuérd\w* | te\ acuerdas | acordamos | olvid\w* | la\ última\ vez
      | ayer | anteayer | anoche | la\ semana\ pasada | el\ (?:mes|año)\ pasado
      | hace\ (?:\w+\ )?(?:días|semanas|meses|años)
      | (?:te|os|le)\ (?:dije|conté|mencioné|pedí|hablé) | (?:dijiste|dijimos|hablamos|mencionaste|decidimos|quedamos)
      | qué\ (?:dije|hice|hicimos) | he\ dicho | sabes\ (?:de|sobre)\ (?:mí|nosotros) )\b

    | \b(?: souvien\w* | souvenez | souvenons | rappell?\w* | oubli\w* | la\ dernière\ fois | avant-hier
      | (?:fait|dit|parlé|vu|était)\ hier | hier\ (?:soir|matin)
      | (?:la\ semaine|l'année|le\ mois)\ derni[eè]re? | il\ y\ a\ \w+\ (?:jours|semaines|mois|ans)
      | (?:t|vous|m)'?\ ?ai(?:-je)?\ (?:dit|parlé|raconté|demandé) | ai-je | avons-nous | as-tu\ dit | avais-je
      | (?:on|nous|tu)\ (?:a|avons|as|avait|avions)\ (?:dit|parlé|décidé|discuté|convenu)
      | sais-tu\ (?:de|sur)\ (?:moi|nous) )\b

    | 记得 | 記得 | 记住 | 記住 | 回忆 | 回憶 | 忘 | 上次 | 之前 | 以前 | 昨天 | 前天 | 上周 | 上个月 | 上個月 | 去年
    | (?:说|說|告诉|告訴|提|聊|讲|講|问|問|谈|談)(?:到|起)?过 | (?:說|告訴|提|聊|講|問|談)(?:到|起)?過 | 知道我
    """,
    re.VERBOSE,
)

_CONTINUING = word_set("""
    yes yeah yep yup ya ok okay k sure please go on ahead continue and then more next right exactly do it that so no
    nope correct fine good alright proceed keep going agreed absolutely definitely tell me why how indeed
    ja jo jep genau klar gerne bitte weiter mach und dann mehr nein doch stimmt einverstanden warum
    sí si vale claro sigue continúa continua y más adelante dale no bueno luego por qué entonces favor
    oui ouais non accord d'accord vas-y vas continue et ensuite encore bien sûr plus pourquoi alors s'il te vous plaît
""")  # fmt: skip
_CONTINUING_WHOLE = word_set("""
    是 是的 对 对的 對 對的 好 好的 好啊 嗯 嗯嗯 行 可以 不 不是 不用 继续 繼續 请继续 請繼續 然后 然后呢 然後 然後呢
    接着说 接著說 说下去 說下去 还有呢 還有呢 为什么 為什麼 没错 沒錯 当然 當然 👍 👌 ✅
""")  # fmt: skip
_WORD = lazy(r"[^\W_]+(?:['-][^\W_]+)*|[👍👌✅]")


def amount(text: str) -> int:
    """How many memories to look for: 10 for what is past or long, 3, and 0 for a few words that do not go on.

    The order matters: "yes, remember?" asks about the past, and "go on" is short and yet goes on.
    """
    said = text.strip()
    # a long message need not be read: the answer is the same as for memory words
    if len(said) > _LONG or asks_about_the_past(said):
        return MUCH
    if continues(said):
        return SOME
    return NONE if len(said) < _SHORT else SOME


def asks_about_the_past(text: str) -> bool:
    """Whether it has words that call for memory, in one of five languages; of a long text the beginning is read."""
    return _MEMORY.search(_plain(text[:_READ])) is not None


def continues(text: str) -> bool:
    """Whether it only says to go on, or answers yes or no."""
    words = _WORD.findall(_plain(text[:_READ]))
    return bool(words) and (all(word in _CONTINUING for word in words) or "".join(words) in _CONTINUING_WHOLE)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).lower().replace("’", "'").split())
