"""The words a text is found by: lower case, without accents, stemmed; names, versions and codes whole and in parts."""

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator
from itertools import islice

import regex
import Stemmer

MAX_TERMS = 4096  # of one passage: beyond that a text is a dump, and its first words say what it is

_CONNECTED = r"[.'_\-+@/:&]"
_WORD = regex.compile(
    r"[a-z]\+\+|[a-z]#"  # C++, C#
    r"|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]+"
    rf"|(?:(?![\p{{Han}}\p{{Hiragana}}\p{{Katakana}}\p{{Thai}}])[\p{{L}}\p{{N}}\p{{M}}])+"
    rf"(?:{_CONNECTED}(?:(?![\p{{Han}}\p{{Hiragana}}\p{{Katakana}}\p{{Thai}}])[\p{{L}}\p{{N}}\p{{M}}])+)*"
    r"|[\p{Extended_Pictographic}]"
)
# the same for texts in ASCII alone, eight times as fast
_ASCII_WORD = re.compile(rf"[a-z]\+\+|[a-z]#|[a-z0-9]+(?:{_CONNECTED}[a-z0-9]+)*")
_SPLIT = regex.compile(_CONNECTED)
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_CONTRACTED = regex.compile(r"'(?:s|re|ve|ll|d|m|t)$")
_MARKS = regex.compile(r"\p{Mn}+")

STOP_WORDS = frozenset(
    """
    a an the and or but if then of in on at to from by with for as is are was were be been being am do does did doing
    have has had having i me my mine myself we us our ours you your yours he him his she her hers it its they them
    their theirs this that these those what which who whom whose when where why how not no nor so than too very can
    could will would shall should may might must just about into over under again there here all any both each few
    more most other some such only own same s t d ll m re ve don didn doesn isn wasn aren couldn wouldn hasn haven
    """.split()
)

# words of asking rather than of what is asked about; left out of a question that has others
ASKING_WORDS = frozenset(
    """
    conversation conversations chat chats discussion discussions discuss discussed talk talked talking mention
    mentioned say said tell told remember recall remind list summary summarize summarise comprehensive order item items
    provide give walk show help throughout across different aspects aspect bring brought include including please
    """.split()
)


_NOT_ASKED_FOR = STOP_WORDS | ASKING_WORDS


def terms_of(text: str) -> list[str]:
    """The terms of a text in order, each as often as it occurs; at most MAX_TERMS."""
    return list(islice(_terms(text, STOP_WORDS), MAX_TERMS))


def question_terms(text: str, limit: int) -> list[str]:
    """The different terms of a question, in order, without words of asking unless it has nothing else."""
    found = list(dict.fromkeys(islice(_terms(text, _NOT_ASKED_FOR), limit)))
    return found or list(dict.fromkeys(islice(_terms(text, STOP_WORDS), limit)))


def _terms(text: str, without: frozenset[str]) -> Iterator[str]:
    words = _ASCII_WORD.findall(text.lower()) if text.isascii() else _WORD.findall(_folded(text))
    for word in words:
        if word.isalpha() and word.isascii():  # most are, and none of the rest can be true of them
            if word not in without:
                yield _stem(word)
            continue
        if _UNSPACED.match(word):
            yield from _pairs(word)
            continue
        whole = _CONTRACTED.sub("", word)
        if whole not in without:
            yield _stem(whole)
        if len(parts := _SPLIT.split(whole)) > 1:
            yield from (_stem(part) for part in parts if part and part not in without)


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return unicodedata.normalize("NFC", _MARKS.sub("", folded))


def _pairs(word: str) -> Iterator[str]:
    """Scripts without spaces are found by pairs of neighbouring characters."""
    if len(word) == 1:
        yield word
    for index in range(len(word) - 1):
        yield word[index : index + 2]


_local = threading.local()


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        # one per thread: the library keeps state while it works
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word[:64]))
