"""The tables: one per data set with everybody in it, Souvenir's by category, and the limits that must hold."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass

from bench.report import Figure, table
from bench.retrieval.metrics import DEPTHS, Answered, Quality, by_category, percentile, quality
from bench.retrieval.plot import Row, chart
from bench.retrieval.side_by_side import Measured
from bench.retrieval.souvenir_http import Own

AHEAD = 0.10
_WHOLE = 10  # from there on nobody wants decimals
BEGIN, END = "<!-- written by make bench-peers: begin -->", "<!-- written by make bench-peers: end -->"


@dataclass(frozen=True, slots=True)
class Compared:
    """A data set with Souvenir, the floors and, where they were run, the peers; plain BM25 is the first floor."""

    title: str
    own: Own
    floors: tuple[Measured, ...]
    peers: tuple[Measured, ...] = ()

    @property
    def everybody(self) -> tuple[Measured, ...]:
        """All of them, ours first."""
        return (self.own.measured, *self.peers, *self.floors)


@dataclass(frozen=True, slots=True)
class Facts:
    """The share of newest facts ranked first, by system; ours first."""

    shares: dict[str, float]


@dataclass(frozen=True, slots=True)
class Speed:
    """Everybody's times, by the title of a set of messages; in each ours, in process, is first. The last set is the
    largest."""

    sets: dict[str, tuple[Measured, ...]]

    @property
    def largest(self) -> tuple[str, tuple[Measured, ...]]:
        """The title of the last one, and everybody on it."""
        return list(self.sets.items())[-1]


def recall(measured: Measured, depth: int) -> float:
    return quality(measured.answered).recall[depth]


def faster(speed: Speed) -> list[Figure]:
    """Souvenir's times beside those of the peers, all in process."""
    title, (ours, *peers) = speed.largest
    return [
        *(Figure(f"{title}: search / {one.name} (p50)", ours.p50 / one.p50, "≤", 1.0, "times") for one in peers),
        *(
            Figure(f"{title}: adding / {one.name}, rate", ours.adds_per_second / one.adds_per_second, "≥", 1.0, "times")
            for one in peers
        ),
    ]


def figures(locomo: Compared, beam: Compared, facts: Facts) -> list[Figure]:
    """What is held to a limit."""
    own = locomo.own.measured
    found = [
        Figure("LoCoMo: recall@5", recall(own, 5), "≥", 0.68),
        Figure("LoCoMo: recall@10", recall(own, 10), "≥", 0.78),
        Figure("BEAM: recall@10 ahead of plain BM25", _ahead(beam, beam.floors[0]), "≥", AHEAD, "points"),
    ]
    for compared in (locomo, beam):
        found += [
            Figure(f"{compared.title}: recall@10 ahead of {peer.name}", _ahead(compared, peer), "≥", AHEAD, "points")
            for peer in compared.peers
        ]
    for compared in (locomo, beam):
        name, own_ = compared.title, compared.own
        found += [
            Figure(f"{name}: questions about what was never said that bring nothing", own_.empty, "≥", 0.95, "share"),
            Figure(f"{name}: recall@10 lost to the default threshold", own_.recall_lost, "≤", 0.03, "points"),
        ]
    newest = next(iter(facts.shares.values()))
    return [*found, Figure("FactConsolidation: the newest fact is first", newest, "≥", 0.90, "share")]


def _ahead(compared: Compared, other: Measured) -> float:
    return recall(compared.own.measured, 10) - recall(other, 10)


def systems(compared: Compared) -> str:
    """Everybody's row."""
    heads = ["", *(f"recall@{depth}" for depth in DEPTHS), "all@5", "MRR", "memory MB"]
    rows = [
        _row([one.name, *_shares(quality(one.answered)), f"{max(one.memory_mb, 0):.0f}"]) for one in compared.everybody
    ]
    return "\n".join([_row(heads), _row(["---"] * len(heads)), *rows])


def speeds(speed: Speed) -> str:
    """Everybody's times on each set."""
    heads = ["", *(f"{title}: {what}" for title in speed.sets for what in ("search p50 ms", "p95", "adds/s"))]
    lines = [_row(heads), _row(["---"] * len(heads))]
    for name in dict.fromkeys(one.name for rows in speed.sets.values() for one in rows):
        cells = [name]
        for rows in speed.sets.values():
            own = next((one for one in rows if one.name == name), None)
            cells += _times(own, rows[0].adds) if own is not None else ["", "", ""]
        lines.append(_row(cells))
    return "\n".join(lines)


def _times(one: Measured, most: int) -> list[str]:
    of, first = (
        f" ({word} {count:,})" if count < most else "" for word, count in (("of", one.held), ("the first", one.adds))
    )
    p50, p95 = (f"{value:.2g}" if value < _WHOLE else f"{value:.0f}" for value in (one.p50, one.p95))
    return [f"{p50}{of}", p95, f"{one.adds_per_second:,.0f}{first}"]


def categories(answered: Sequence[Answered]) -> str:
    """Souvenir's row for every category."""
    heads = ["category", "questions", *(f"recall@{depth}" for depth in DEPTHS), "all@5", "MRR"]
    lines = [_row(heads), _row(["---"] * len(heads))]
    groups = {"all": quality(answered), **dict(sorted(by_category(answered).items()))}
    lines += [_row([name, str(group.questions), *_shares(group)]) for name, group in groups.items()]
    return "\n".join(lines)


def empty(own: Own) -> str:
    """From whom whose questions bring nothing."""
    names = list(dict.fromkeys(name for name, _ in own.never_said))
    lines = [_row(["", *names]), _row(["---"] * (len(names) + 1))]
    for asked in names:
        shares = [own.never_said.get((asked, other)) for other in names]
        lines.append(_row([asked, *("" if share is None else f"{share:.2f}" for share in shares)]))
    return "\n".join(lines)


def newest(facts: Facts) -> str:
    """Everybody's share of newest facts ranked first."""
    rows = [_row([name, f"{share:.2f}"]) for name, share in facts.shares.items()]
    return "\n".join([_row(["", "newest fact first"]), _row(["---", "---"]), *rows])


def _shares(one: Quality) -> list[str]:
    return [f"{value:.3f}" for value in (*one.recall.values(), one.all_at_5, one.mrr)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def costs(compared: Compared) -> str:
    """A sentence about what the table leaves out of Souvenir's times."""
    own = compared.own
    p50, p95 = percentile(own.route_ms, 50), percentile(own.route_ms, 95)
    return (
        f"Souvenir's search with the query's embedding: p50 {p50:.2g} ms, p95 {p95:.2g} ms. "
        f"Messages stored in batches: {own.batch_adds_per_second:,.0f} a second without their embedding, "
        f"{own.embedded_adds_per_second:,.0f} with it."
    )


def plot(locomo: Compared, beam: Compared) -> str:
    """Recall@10 of everybody on both."""
    rows = [
        Row(ours.name.strip("*").replace("`", ""), (recall(ours, 10), recall(theirs, 10)), ours=place == 0)
        for place, (ours, theirs) in enumerate(zip(locomo.everybody, beam.everybody, strict=True))
    ]
    return chart("Share of the evidence within the first ten results", ("LoCoMo", "BEAM 100K"), rows)


def light(locomo: Compared, beam: Compared, facts: Facts) -> str:
    """Souvenir and the floors, for the page of all figures."""
    return "\n\n".join([
        table(figures(locomo, beam, facts)),
        *(f"{one.title}:\n\n{systems(one)}\n\n{costs(one)}" for one in (locomo, beam)),
    ])  # fmt: skip


def whole(locomo: Compared, beam: Compared, facts: Facts, speed: Speed, *, kept: bool) -> str:
    """The page with the peers; `kept` ones were run before."""
    parts = [
        "# Retrieval, side by side",
        _INTRODUCTION.format(machine=platform.machine(), python=platform.python_version()),
        *([_KEPT] if kept else []),
        "![Share of the evidence within the first ten results](retrieval.svg)",
        "## What must hold",
        table(figures(locomo, beam, facts)),
        _NEVER_SAID,
        empty(beam.own),
        "## Speed",
        _SPEED,
        speeds(speed),
        table(faster(speed)),
        _SLOWER,
    ]
    for one, about in ((locomo, _LOCOMO), (beam, _BEAM)):
        parts += [f"## {one.title}", about, systems(one), costs(one), "Souvenir by category:"]
        parts.append(categories(one.own.measured.answered))
    parts += ["## FactConsolidation", _FACTS, newest(facts), "## How it was measured", _METHOD]
    return "\n\n".join(parts) + "\n"


def placed(written: str, page: str) -> str:
    """The page with its generated part replaced; whatever people wrote around it stays."""
    part = f"{BEGIN}\n\n{written}\n{END}"
    if BEGIN not in page or END not in page:
        return f"{page}\n{part}\n" if page else f"{part}\n"
    return page[: page.index(BEGIN)] + part + page[page.index(END) + len(END) :]


_INTRODUCTION = """\
`python -m bench.retrieval --peers` (or `make bench-peers`) wrote this page, on {machine}, Python {python}, 2 cores;
[how to run it](guides/benchmarks.md). Nobody uses a language model here, and everybody has the same embedder: the
all-MiniLM-L6-v2 that Souvenir ships with."""

_KEPT = """\
The peers' figures are from an earlier run with the same texts, vectors and versions on the same machine (`--keep`);
Souvenir and the floors were run anew."""

_NEVER_SAID = """\
What was never said is asked for by putting the questions of one conversation to another. On BEAM that is not always
fair: chats 1 to 3 are about web projects and 4 and 5 are geometry lessons, and another project often has an answer to
"When does my first sprint end?". Of 45 questions that brought something, one of us read that about 25 have an answer
there or a standing wish that applies to them. Put to the other set, which is about nothing of the kind, all of LoCoMo's
questions and 0.96 of BEAM's bring nothing (`python -m bench.retrieval.fit`). The share of a row's questions that bring
nothing from a column's chat:"""

_SPEED = """\
Everybody is called in their own process with the vectors at hand, messages one by one; who has not added all of the
last set after 100 seconds is given the rest in one go, which is not timed. Souvenir over HTTP is the same with a server
between. Souvenir writes each message to disk before it says so, as mem0, Chroma and LangGraph's store in Postgres do,
and txtai where it is saved after each; "in memory" means that nothing is on disk."""

_SLOWER = """\
Each of Souvenir's searches asks the database whether another process wrote anything, which nobody else here can know.
Of a few hundred messages mem0 finds its nearest sooner. Who adds 10,000 faster than Souvenir writes nothing to
disk: what it was told is gone with its process."""

_LOCOMO = """\
Five long conversations between two people, 2,760 turns and 997 questions with evidence. recall@k is the share of a
question's evidence turns within the first k, averaged over questions; all@5 is the share of questions with all of it
within the first five; MRR averages one over the place of the first evidence."""

_BEAM = """\
Five chats with an assistant of about 100,000 tokens each, 1,032 messages and 90 questions with evidence, many of which
need messages from all over the chat."""

_FACTS = """\
455 facts, a minute apart, many of them overriding an earlier one; 100 questions. A system is right when the first
result holds the newest answer."""

_METHOD = """\
- Souvenir is measured whole: a server in its own process, `POST /index-chat-messages` and `POST /search` over HTTP, one
  user per conversation. The peers that are libraries are called in their own process, so their times have no HTTP in
  them; Hindsight is a server and is asked over HTTP as well.
- Peers get the same texts, with the speaker's name before a LoCoMo turn, because only Souvenir has a field for it (it
  helps them: plain BM25 gains 3 points of recall@10). Dates go along as metadata where there is a place for it. An
  image's caption is part of the turn's text, for everybody.
- Embedding is in nobody's search time: peers look the vectors up, as Souvenir does in process; over HTTP Souvenir and
  Hindsight are asked when the query's vector is at hand. Adds are one by one and without the embedder's time, except
  that Hindsight changes and cuts texts before it embeds them, so that its adds include what it asks of our
  `/v1/embeddings`. Plain BM25 is built in one go.
- Memory is the growth of the process and its children, or of server and database, from before the first message to
  after the last question, what is shared counted once.
- Souvenir's weights and threshold were chosen with these very conversations at hand (`python -m bench.retrieval.fit`
  says how, and how they do on pieces of them and on all at once); the peers' and the floors' were not. Expect less on
  others' conversations.
- Plain BM25 is bm25s as it ships (Lucene's formula, k1 1.5, b 0.75) with Snowball stems and the longer of its two
  English lists of stop words, which makes the higher floor. Plain vectors are the cosine over the whole text.
- mem0 stores with `infer=False`, has a collection per conversation (its FAISS store filters by user only after it has
  cut the list), and no threshold. With FAISS it has no keyword search, and without a spaCy model, which it would
  download, no entities.
- Hindsight runs with the LLM provider `none` and the reranker `rrf`, its Postgres started by an ordinary user, its
  results asked on the day of the last message and read as far as they go. It has two rows: as it ships, and with its
  graph and its recency off, which serves it better here: without a model the graph only links near neighbours. On BEAM
  its keyword side, Postgres' own text search, puts long messages first. Of its newest permitted packages one is held
  back: with dateparser 1.5 it fails to read the dates of every tenth question.
- Telemetry is switched off everywhere. Every peer lives in an environment of its own under `.bench/`."""
