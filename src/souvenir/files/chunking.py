"""Cuts a document into chunks that follow its structure, and says of each where it lies and under what."""

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from semantic_text_splitter import CodeSplitter, MarkdownSplitter, TextSplitter
from tokenizers import Tokenizer

from souvenir.embed.splitting import tokens_in
from souvenir.embed.windows import readable
from souvenir.files.plan import Sizes
from souvenir.files.reading.document import Document, Heading
from souvenir.files.symbols import Symbol, grammar, symbols_of
from souvenir.retrieval.passages import pieces

Count = Callable[[Sequence[str]], Sequence[int]]

_SAMPLE_CHARS = 20_000
_USUAL_CHARS_PER_TOKEN = 4.0
_MOST_CHARS_PER_TOKEN = 8.0  # a word of a thousand letters is one unknown token, and not one thing to find
_CRUMB = 6  # a chunk of less than a sixth of the tokens says little by itself
_FILLED = 0.8  # of a chunk's tokens: texts differ, and a chunk that turns out too long is cut again


@dataclass(frozen=True, slots=True)
class Chunk:
    """The characters `start` to `end` of a document, and what they are under."""

    start: int
    end: int
    heading: tuple[str, ...] = ()
    page: int | None = None
    symbol: str | None = None


def counter(tokenizer: Path | None) -> Count:
    """Counts the tokens of texts: by a tokenizer's file, or by an estimate that rather counts too many."""
    if tokenizer is None:
        return lambda texts: [tokens_in(text) for text in texts]
    loaded = Tokenizer.from_file(str(tokenizer))
    loaded.no_truncation()
    loaded.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        encoded = loaded.encode_batch_fast([readable(text) for text in texts], add_special_tokens=False)
        return [len(encoding.ids) for encoding in encoded]

    return count


def chunks_of(document: Document, sizes: Sizes, count: Count) -> list[Chunk]:
    """The chunks of a document in order; together they hold all of its text but blank space.

    The text from a chunk's start to its end is the chunk's. Neighbours overlap in prose alone: code is cut where its
    syntax ends something.
    """
    if not document.text.strip():
        return []
    symbols = symbols_of(document.text, document.language) if document.language is not None else []
    paths = _heading_paths(document.headings)
    starts = [heading.start for heading in document.headings]
    return [
        Chunk(
            start,
            end,
            paths[bisect.bisect_right(starts, start)],
            bisect.bisect_right(document.pages, start) or None,
            _symbol(symbols, start, end),
        )
        for start, end in _cut(document, sizes, count)
    ]


def _cut(document: Document, sizes: Sizes, count: Count) -> Iterator[tuple[int, int]]:
    text = document.text
    middle = max(0, (len(text) - _SAMPLE_CHARS) // 2)
    sample = text[middle : middle + _SAMPLE_CHARS]
    tokens = count([sample])[0]
    per_token = len(sample) / tokens if tokens else _USUAL_CHARS_PER_TOKEN
    capacity = max(1, int(sizes.tokens * _FILLED * min(per_token, _MOST_CHARS_PER_TOKEN)))
    overlap = int(sizes.overlap * min(per_token, _MOST_CHARS_PER_TOKEN))
    found = _split(document, capacity, min(overlap, capacity // 2))
    lengths = count([text[start:end] for start, end in found])
    borders = sorted((*(heading.start for heading in document.headings), *document.pages))
    for start, end, length in _joined(found, lengths, sizes.tokens, borders):
        if length <= sizes.tokens:
            yield start, end
        else:
            yield from _smaller(text, start, end, sizes, count)


def _split(document: Document, capacity: int, overlap: int) -> list[tuple[int, int]]:
    """Cut by characters: asked of the tokenizer for every try, the splitter would take twenty times as long.

    A page is cut by itself, so that the page a chunk names is where all of it stands.
    """
    splitter: TextSplitter | MarkdownSplitter | CodeSplitter
    if document.shape == "code" and document.language is not None:
        splitter = CodeSplitter(grammar(document.language), capacity)
    elif document.shape == "markdown":
        splitter = MarkdownSplitter(capacity, overlap)
    else:
        splitter = TextSplitter(capacity, overlap)
    edges = sorted({0, *document.pages, len(document.text)})
    return [
        (first + start, first + start + len(piece))
        for first, last in pairwise(edges)
        for start, piece in splitter.chunk_indices(document.text[first:last])
        if piece
    ]


def _joined(
    found: Sequence[tuple[int, int]], lengths: Sequence[int], most: int, borders: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Crumbs, such as a closing bracket, go with the chunk before them where both fit and no border is between."""
    held: tuple[int, int, int] | None = None
    for (start, end), length in zip(found, lengths, strict=True):
        if held is not None:
            is_crumb = min(held[2], length) < most // _CRUMB
            fits = held[2] + length < most and end - held[0] <= most * _MOST_CHARS_PER_TOKEN
            same = bisect.bisect_right(borders, held[0]) == bisect.bisect_right(borders, start)
            if is_crumb and fits and same:
                held = (held[0], end, held[2] + length + 1)
                continue
            yield held
        held = (start, end, length)
    if held is not None:
        yield held


def _smaller(text: str, start: int, end: int, sizes: Sizes, count: Count) -> Iterator[tuple[int, int]]:
    """A chunk that is denser than its document, in parts; a part that cannot be cut is taken as it is."""
    waiting = [(start, end)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2 or count([text[first:last]])[0] <= sizes.tokens:
            if text[first:last].strip():
                yield first, last
            continue
        parts = [
            (first + begin, first + stop) for begin, stop in pieces(text[first:last], max(1, (last - first + 1) // 2))
        ]
        waiting += parts[::-1]


def _heading_paths(headings: Sequence[Heading]) -> list[tuple[str, ...]]:
    """What a character is under, by how many headings begin before it."""
    paths: list[tuple[str, ...]] = [()]
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        paths.append(tuple(one.title for one in open_headings))
    return paths


def _symbol(symbols: Sequence[Symbol], start: int, end: int) -> str | None:
    """The innermost definition that holds the chunk's beginning, else the first that begins in it."""
    place = bisect.bisect_right(symbols, start, key=lambda symbol: symbol.start)
    for symbol in reversed(symbols[:place]):
        if symbol.end > start:
            return symbol.name
        if "." not in symbol.name:
            break  # nothing before an outermost definition reaches beyond it
    following = symbols[place] if place < len(symbols) else None
    return following.name if following is not None and following.start < end else None
