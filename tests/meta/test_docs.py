"""The generated pages are what the code would write, and links between pages lead somewhere."""

import re
from pathlib import Path

import pytest

from souvenir.cli.reference import pages
from souvenir.config import Settings

ROOT = Path(__file__).parents[2]
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.req("OPS-1")
@pytest.mark.parametrize("path", pages())
def test_a_generated_page_is_up_to_date(path: str) -> None:
    assert (ROOT / "docs" / path).read_text() == pages()[path], "run `make docs`"


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_every_setting_a_page_names_exists(page: Path) -> None:
    known = {f"SOUVENIR_{name.upper()}" for name in Settings.model_fields} | {"SOUVENIR_CONFIG", "SOUVENIR_X"}
    assert set(re.findall(r"SOUVENIR_[A-Z_]+[A-Z]", page.read_text())) <= known | {"SOUVENIR_NAME"}
