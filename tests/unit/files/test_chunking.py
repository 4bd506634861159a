"""Chunks: exact positions, sizes in tokens, nothing lost, and what they are under."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from souvenir.config import load_settings
from souvenir.embed.weights import tokenizer_file
from souvenir.files.chunking import Chunk, chunks_of, counter
from souvenir.files.plan import Sizes
from souvenir.files.reading.document import Document, Limits, Unreadable
from souvenir.files.reading.formats import read

COUNT = counter(tokenizer_file(load_settings({})))
SMALL = Sizes(48, 8)

PYTHON = '''
import os


class Boat:
    """Floats."""

    def sail(self, wind: int) -> None:
        """Go where the wind goes."""
        for knot in range(wind):
            print("knot", knot, "of the wind", os.name)

    async def moor(self) -> None:
        print("ö" * 3)


def harbour(boats: list[Boat], wind: int, water: int, rope: str) -> Boat:
    """Where boats lie while the wind is too strong to sail."""
    return max(boats, key=lambda boat: boat.length * wind + water)
'''

SNIPPETS = st.sampled_from(
    ["# Heading\n", "## Deeper\n\n", "Some prose about boats. ", "def f(x):\n    return x\n\n", "class A:\n", "```\n",
     "<h1>Title</h1>", "<p>Paragraph.", "a,b,c\n1,2,3\n", '{"key": [1, 2]}', "\r\n", "\n\n", "\t", "日本語の文章。",
     "🙂", "é", "\u200d", "x" * 300, "  ", "import os\n", "'''", "&amp;", "| a | b |\n|---|---|\n"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(SNIPPETS, st.text(max_size=40)), max_size=60).map("".join)
ENDINGS = ["txt", "md", "py", "js", "ts", "tsx", "java", "go", "rs", "c", "cpp", "cs", "rb", "php", "sh", "csv", "json",
           "html"]  # fmt: skip


def text_of(document: Document, chunk: Chunk) -> str:
    return document.text[chunk.start : chunk.end]


@pytest.mark.req("FILE-2")
@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(ENDINGS))
def test_chunks_cover_the_text_in_order_at_exact_positions_and_fit(text: str, ending: str) -> None:
    try:
        document = read(f"a.{ending}", text.encode("utf-8", "ignore"), Limits())
    except Unreadable:
        return
    chunks = chunks_of(document, SMALL, COUNT)
    covered = 0
    for chunk in chunks:
        assert 0 <= chunk.start < chunk.end <= len(document.text)
        assert not document.text[covered : chunk.start].strip()
        assert text_of(document, chunk).strip()
        covered = max(covered, chunk.end)
    assert not document.text[covered:].strip()
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    lengths = COUNT([text_of(document, chunk) for chunk in chunks])
    assert all(length <= SMALL.tokens for length in lengths)


@pytest.mark.req("FILE-2")
def test_code_is_cut_at_definitions_and_says_which() -> None:
    document = read("boat.py", PYTHON.encode(), Limits())
    found = [(chunk.symbol, text_of(document, chunk).split("(")[0]) for chunk in chunks_of(document, SMALL, COUNT)]
    assert ("Boat.sail", "def sail") in found
    assert ("Boat.moor", "async def moor") in found
    assert ("harbour", "def harbour") in found


@pytest.mark.req("FILE-2")
@pytest.mark.parametrize(
    ("name", "code", "symbol"),
    [
        ("a.js", "class A { run() { return 1 } }", "A"),
        ("a.ts", "interface Boat { sail(): void }", "Boat"),
        ("a.tsx", "function App() { return <p>Hi</p> }", "App"),
        ("a.java", "class A { void run() {} }", "A"),
        ("a.go", "package a\nfunc Run() int { return 1 }", "Run"),
        ("a.rs", "impl Boat { fn sail(&self) {} }", "Boat"),
        ("a.c", "int run(void) { return 1; }", "run"),
        ("a.cpp", "class Boat { void sail(); };", "Boat"),
        ("a.cs", "class Boat { void Sail() {} }", "Boat"),
        ("a.rb", "class Boat\n  def sail\n  end\nend", "Boat"),
        ("a.php", "<?php function run() { return 1; }", "run"),
        ("a.sh", "run() { echo hi; }", "run"),
    ],
    ids=lambda value: value if value.startswith("a.") else "",
)
def test_definitions_are_found_in_every_language(name: str, code: str, symbol: str) -> None:
    document = read(name, code.encode(), Limits())
    (chunk,) = chunks_of(document, Sizes(240, 24), COUNT)
    assert chunk.symbol == symbol


@pytest.mark.req("FILE-2")
def test_a_chunk_knows_the_headings_it_is_under() -> None:
    text = (
        "# Boats\n\n"
        + "Wood floats. " * 30
        + "\n\n## Sails\n\n"
        + "Cloth flaps. " * 30
        + "\n\n# Ropes\n\n"
        + "Hemp holds. " * 30
    )
    document = read("a.md", text.encode(), Limits())
    paths = dict.fromkeys(chunk.heading for chunk in chunks_of(document, SMALL, COUNT))
    assert list(paths) == [("Boats",), ("Boats", "Sails"), ("Ropes",)]


@pytest.mark.req("FILE-2")
def test_a_chunk_stands_on_one_page() -> None:
    text = "Boats float. " * 40 + "Rope. " + "Tar. " + "Sails flap. " * 40
    pages = (0, 520, 526, 531, len(text))  # two of a word, and an empty one in the end
    document = Document(text, "pdf", pages=pages)
    chunks = chunks_of(document, SMALL, COUNT)
    assert {chunk.page: text_of(document, chunk) for chunk in chunks if chunk.page in {2, 3}} == {2: "Rope.", 3: "Tar."}
    assert {chunk.page for chunk in chunks} == {1, 2, 3, 4}
    for chunk in chunks:
        assert chunk.page is not None
        assert pages[chunk.page - 1] <= chunk.start < chunk.end <= pages[chunk.page]


@pytest.mark.req("FILE-2")
def test_prose_overlaps_and_code_does_not() -> None:
    prose = read("a.txt", " ".join(f"Sentence number {n} speaks of boats." for n in range(60)).encode(), Limits())
    chunks = chunks_of(prose, SMALL, COUNT)
    assert any(before.end > after.start for before, after in pairwise(chunks))
    code = read("a.py", PYTHON.encode(), Limits())
    chunks = chunks_of(code, SMALL, COUNT)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


@pytest.mark.req("FILE-2")
@pytest.mark.parametrize(
    "text", ["x" * 200_000, "é" * 50_000, "ab " * 50_000, "\n" * 50_000, "\U0001d518" * 20_000], ids=range(5)
)
def test_a_text_without_structure_is_cut_all_the_same(text: str) -> None:
    document = read("a.txt", text.encode(), Limits())
    chunks = chunks_of(document, Sizes(240, 24), COUNT)
    assert all(chunk.end - chunk.start <= 240 * 8 for chunk in chunks)
    assert sum(chunk.end - chunk.start for chunk in chunks) >= len(text.strip())


def test_without_a_tokenizer_sizes_are_estimated() -> None:
    document = read("a.txt", b"Boats float on water. " * 400, Limits())
    chunks = chunks_of(document, Sizes(64, 8), counter(None))
    assert len(chunks) > 10
    assert max(COUNT([text_of(document, chunk) for chunk in chunks])) <= 64
