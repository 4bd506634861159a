"""The language of a sentence, by its script and its small words; of some only to tell them from those that are read."""

# ruff: noqa: RUF001 - an apostrophe that people type

from collections.abc import Mapping
from typing import Literal

from souvenir.memory.local_extract.foreign.book import Book
from souvenir.memory.local_extract.foreign.french import FRENCH
from souvenir.memory.local_extract.foreign.german import GERMAN
from souvenir.memory.local_extract.foreign.spanish import SPANISH
from souvenir.patterns import lazy

Language = Literal["en", "de", "es", "fr", "zh", "it", "pt", "nl", "pl", "sv", "other"]

BOOKS: dict[Language, Book] = {"de": GERMAN, "es": SPANISH, "fr": FRENCH}
_SMALL_WORDS: dict[Language, str] = {
    "en": """
        i i'm i've my the is am are was and a an to in of have has you it for with at on that not don't do we our this
        be me what how can from as but so your will just she he they im dont no never like love live work years did
        who if all about because their there or when which any some been had were would could should really always use
        used
    """,
    "de": """
        ich bin und der die das nicht ist mein meine meinen meinem meiner habe hab ein eine einen einem kein keine
        keinen mit für auf zu mich mir wir seit heiße aus bei als gerne gern sehr auch aber wohne arbeite du kannst
        wie was mag von im am den unser unsere dass bitte es war in er sie hat heißt lebt wohnt studiert arbeitet
    """,
    "es": """
        yo soy el la los las y mi mis me en de un una no con que tengo vivo es para por como estoy muy del al pero se
        mañana trabajo gusta gustan hola qué dónde puedes años hace desde mucho también a año pasado su vive trabaja
        tiene llama
    """,
    "fr": """
        je j' suis le la les et mon ma mes un une des ne n' pas dans à chez est avec pour ai nous que du au aux de en
        mais depuis très m' d' l' ans peux-tu tu vous sur c' qui ce aussi a s' habite habitent vit il elle
    """,
    "it": """
        io sono mia mio miei mie con che di il della ho abito vivo a un una non lo gli per è mi chiamo anni da nel del
        e sto
    """,
    "pt": """
        eu moro não em meu minha meus tenho com uma um sou o os as do da na no e que de trabalho gosto anos para é
        estou você
    """,
    "nl": """
        ik ben het een niet mijn woon en van de met voor heb naar werk ook maar op dat te zijn wij jaar
    """,
    "pl": """
        jestem mam i w na nie się do z moja mój mieszkam jest to że lubię od
    """,
    "sv": """
        jag är och inte min mitt har en ett bor på i med för att det som från
    """,
}


def _by_word() -> dict[str, tuple[Language, ...]]:
    """Who says a word: the small words, and the verbs of the first person where there is a book of them."""
    spoken: dict[str, tuple[Language, ...]] = {}
    for name, text in _SMALL_WORDS.items():
        verbs = BOOKS[name].verbs if name in BOOKS else ()
        for word in {*text.split(), *verbs}:
            spoken[word] = (*spoken.get(word, ()), name)
    return spoken


_SPOKEN = _by_word()
_TOKEN = lazy(r"[jmntlcd]['’](?=\w)|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_HAN = lazy(r"[\u4e00-\u9fff]")
_OTHER_SCRIPT = lazy(r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0590-\u06ff\u0900-\u0e7f\u0370-\u03ff]")


def language_of(text: str, otherwise: Language = "en") -> Language:
    """The language a text is most likely in, or `otherwise` where nothing tells."""
    if _HAN.search(text):
        return "other" if _OTHER_SCRIPT.search(text) else "zh"
    if _OTHER_SCRIPT.search(text):
        return "other"
    counts: dict[Language, int] = {}
    foreign: set[Language] = set()
    for token in _TOKEN.findall(text[:600].lower().replace("’", "'")):
        spoken = _SPOKEN.get(token, ())
        for name in spoken:
            counts[name] = counts.get(name, 0) + 1
        if "en" not in spoken:
            foreign.update(spoken)
    return _likeliest(counts, foreign, otherwise)


def _likeliest(counts: Mapping[Language, int], foreign: set[Language], otherwise: Language) -> Language:
    """The language with most words; one with none of its own is no rival of English, but one that has wins a draw."""
    rivals = {name: count for name, count in counts.items() if name == "en" or name in foreign}
    if not rivals:
        return otherwise
    best = max(rivals.values())
    likeliest = {name for name, count in rivals.items() if count == best}
    if otherwise in likeliest and (otherwise != "en" or likeliest == {"en"}):
        return otherwise
    return next((name for name in (*BOOKS, "en") if name in likeliest), "other")
