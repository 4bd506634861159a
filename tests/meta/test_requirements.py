"""The list of requirements, the tests and the specification agree."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = ROOT.parent / "shared" / "spec.md"
LIST: dict[str, dict[str, str]] = tomllib.loads((ROOT / "docs/requirements.toml").read_text())


def _marked() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in (ROOT / "tests").rglob("test_*.py"):
        for ids in re.findall(r"pytest\.mark\.req\(([^)]*)\)", path.read_text()):
            for name in re.findall(r'"([^"]+)"', ids):
                found[name].append(str(path))
    return found


def test_every_requirement_that_is_done_is_carried_by_a_test() -> None:
    carried = _marked()
    assert [name for name, entry in LIST.items() if entry["status"] == "done" and not carried[name]] == []


def test_every_mark_names_a_listed_requirement_that_is_at_least_begun() -> None:
    for name, paths in _marked().items():
        assert name in LIST, f"{paths} carry {name}, which is not listed"
        assert LIST[name]["status"] in {"done", "partial"}, f"{paths} carry {name}, which the list calls planned"


@pytest.mark.parametrize("name", LIST)
def test_an_entry_has_a_sentence_a_status_and_says_what_a_part_lacks(name: str) -> None:
    entry = LIST[name]
    assert entry["text"].strip()
    assert entry["status"] in {"done", "partial", "planned"}
    assert ("missing" in entry) == (entry["status"] == "partial")


def _specified() -> set[str]:
    # the specification lies beside the checkout where we work; a clone elsewhere has the list alone
    if not SPEC.exists():
        return set(LIST)
    text = SPEC.read_text()
    families = {name.split("-")[0] for name in re.findall(r"^- ([A-Z]+-\d+) ", text, re.MULTILINE)} | {"SDK"}
    return {name for name in re.findall(r"\b[A-Z]+-\d+\b", text) if name.split("-")[0] in families}


def test_the_list_has_the_ids_of_the_specification() -> None:
    assert _specified() == set(LIST)
