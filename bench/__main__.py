"""`make bench`: runs every benchmark, prints the tables and writes them to docs/benchmarks.md."""

import argparse
import platform
from pathlib import Path

from bench import chats, embedder, files, gateway, memory, rewriting, search, turn
from bench.retrieval import compare

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
SECTIONS = {
    "The embedder": ("python -m bench.embedder", embedder.run),
    "The gateway": ("python -m bench.gateway", gateway.run),
    "Chats": ("python -m bench.chats", chats.run),
    "Search": ("python -m bench.search", search.run),
    "Memory": ("python -m bench.memory", memory.run),
    "Rewriting": ("python -m bench.rewriting", rewriting.run),
    "The turn": ("python -m bench.turn", turn.run),
    "Files": ("python -m bench.files", files.run),
    "Retrieval": ("python -m bench.retrieval", compare.run),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-write", action="store_true", help="print only")
    write = not parser.parse_args().no_write
    parts = [
        "# Figures\n",
        "Every figure is a ratio to a limit or a baseline measured in the same run, and a command you can run.",
        f"These are from `make bench` on {platform.machine()}, Python {platform.python_version()}, 2 cores.\n",
    ]
    for title, (command, run) in SECTIONS.items():
        print(f"\n{title}", flush=True)
        text = run()
        print(text, flush=True)
        parts += [f"## {title}\n", f"`{command}`\n", text, ""]
    if write:
        PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
