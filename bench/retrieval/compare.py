"""Souvenir and the floors on every data set; on demand the peers too, and the page in docs/."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.retrieval import data, jobs, page, souvenir_http
from bench.retrieval.data import Conversation
from bench.retrieval.floors import FLOORS
from bench.retrieval.many import many
from bench.retrieval.page import Compared, Facts, Speed
from bench.retrieval.peer_list import PEERS
from bench.retrieval.side_by_side import HOME, ROOT, Measured, Runner, measure

DOCS = ROOT / "docs"
OURS = Runner("**Souvenir**, in process", "ours")
ADD_SECONDS = 100


def compare(title: str, conversations: Sequence[Conversation], peers: Sequence[Runner], *, keep: bool) -> Compared:
    job = HOME / "jobs" / title.lower()
    jobs.write(conversations, job)
    floors = tuple(measure(runner, conversations, job) for runner in FLOORS)
    measured = tuple(measure(runner, conversations, job, keep=keep) for runner in peers)
    print(f"  Souvenir on {title}", flush=True)
    return Compared(title, souvenir_http.measure(conversations), floors, measured)


def newest(facts: Conversation, peers: Sequence[Runner], *, keep: bool) -> Facts:
    job = HOME / "jobs" / "facts"
    jobs.write([facts], job)
    with souvenir_http.serving() as server:
        shares = {"**Souvenir**": souvenir_http.newest_first(server, facts)}
    texts = {item.id: item.text for item in facts.items}
    for runner in (*peers, *FLOORS):
        measured = measure(runner, [facts], job, keep=keep)
        right = [
            souvenir_http.holds([{"text": texts[id_]} for id_ in one.ranking[:1]], one.question)
            for one in measured.answered
        ]
        shares[measured.name] = sum(right) / len(right)
    return Facts(shares)


def speed(locomo: Compared, beam: Compared, peers: Sequence[Runner], folder: Path, *, keep: bool) -> Speed:
    """Everybody in process. Those who embed for themselves are left out of the largest set: it would take hours."""
    sets: dict[str, tuple[Measured, ...]] = {}
    for compared, conversations in ((locomo, data.locomo(folder)), (beam, data.beam(folder))):
        job = HOME / "jobs" / compared.title.lower()
        through = replace(compared.own.measured, name="**Souvenir**, over HTTP")
        sets[compared.title] = (measure(OURS, conversations, job), through, *compared.peers)
    everything, job = [many()], HOME / "jobs" / "many"
    jobs.write(everything, job)
    libraries = [peer for peer in peers if not peer.needs_embeddings]
    sets["10,000 made messages"] = (
        measure(OURS, everything, job, add_seconds=ADD_SECONDS),
        *(measure(peer, everything, job, keep=keep, add_seconds=ADD_SECONDS) for peer in libraries),
    )
    return Speed(sets)


def run(folder: Path = data.SHARED) -> str:
    """Souvenir and the floors as Markdown tables; where the data is not there, a sentence that says so."""
    if not folder.exists():
        return f"Not measured: there is no data in {folder}; docs/guides/benchmarks.md says what it is."
    return page.light(*gather(folder, ()))


def gather(folder: Path, peers: Sequence[Runner], *, keep: bool = False) -> tuple[Compared, Compared, Facts]:
    locomo = compare("LoCoMo", data.locomo(folder), peers, keep=keep)
    beam = compare("BEAM", data.beam(folder), peers, keep=keep)
    return locomo, beam, newest(data.facts(folder), peers, keep=keep)


def main() -> None:
    """The command line of `python -m bench.retrieval`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=data.SHARED, help="the folder of the data sets")
    parser.add_argument("--peers", action="store_true", help="run the peers too and write docs/retrieval.md")
    parser.add_argument("--keep", action="store_true", help="take what the peers brought back in their last run")
    parser.add_argument("--without", action="append", default=[], metavar="PEER", help="leave one out, as `hindsight`")
    arguments = parser.parse_args()
    if not arguments.peers:
        print(run(arguments.data))
        return
    peers = [peer for peer in PEERS if peer.script not in arguments.without]
    gathered = gather(arguments.data, peers, keep=arguments.keep)
    times = speed(gathered[0], gathered[1], peers, arguments.data, keep=arguments.keep)
    text = page.whole(*gathered, times, kept=arguments.keep)
    print(text)
    path = DOCS / "retrieval.md"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(page.placed(text, before), encoding="utf-8")
    (DOCS / "retrieval.svg").write_text(page.plot(gathered[0], gathered[1]), encoding="utf-8")
