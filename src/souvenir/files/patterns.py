"""Which files of a folder belong to a source: patterns as in `.gitignore`."""

import re
from collections.abc import Sequence

import pathspec

from souvenir.errors import BadInput
from souvenir.files.names import written

MOST_PATTERNS = 100
MOST_CHARS = 200

USUALLY_EXCLUDED = (
    ".git/", ".hg/", ".svn/", "node_modules/", "__pycache__/", ".venv/", "venv/", ".tox/", ".mypy_cache/",
    ".pytest_cache/", ".ruff_cache/", ".DS_Store", "*.pyc",
)  # fmt: skip

_STARS = re.compile(r"\*+")
_MOST_STARS = 3  # in one part of a pattern: matching takes a name's length to that power


class Patterns:
    """Files that match any of `include` (all, if there is none) and none of `exclude`. Raises BadInput."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = _compiled("include", include) if include else None
        self._exclude = _compiled("exclude", exclude)

    def file(self, path: str) -> bool:
        """Whether a file belongs to the source, by its path below the folder."""
        shown = written(path)
        return (self._include is None or self._include.match_file(shown)) and not self._exclude.match_file(shown)

    def folder(self, path: str) -> bool:
        """Whether a folder need be looked into."""
        return not self._exclude.match_file(written(path) + "/")

    def reaches(self, path: str) -> bool:
        """Whether a file belongs to the source, and so do all the folders it lies in."""
        around, _, _ = path.rpartition("/")
        return self.file(path) and (not around or self.reaches_folder(around))

    def reaches_folder(self, path: str) -> bool:
        """Whether a folder need be looked into, and so need all that it lies in."""
        parts = path.split("/")
        return all(self.folder("/".join(parts[:end])) for end in range(1, len(parts) + 1))


def _compiled(field: str, patterns: Sequence[str]) -> pathspec.GitIgnoreSpec:
    if len(patterns) > MOST_PATTERNS:
        raise BadInput(field, f"has over {MOST_PATTERNS} patterns")
    for place, pattern in enumerate(patterns):
        if not pattern.strip() or len(pattern) > MOST_CHARS or "\0" in pattern:
            raise BadInput(f"{field}[{place}]", f"must be 1 to {MOST_CHARS} characters")
        if any(len(_STARS.findall(part)) > _MOST_STARS for part in pattern.split("/")) or pattern.count("**") > 3:
            raise BadInput(f"{field}[{place}]", f"has over {_MOST_STARS} stars in one part")
    try:
        return pathspec.GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise BadInput(field, f"holds a pattern that cannot be read: {error}") from None
