"""How a figure is shown: what it is, its value, the limit it is held to, and whether it holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure; without a limit it only informs."""

    what: str
    value: float
    relation: Literal["≤", "≥", ""]
    limit: float | None
    unit: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the limit is kept; None when there is none."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.relation == "≤" else self.value >= self.limit


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    lines = ["| figure | measured | limit | holds |", "|---|---|---|---|"]
    for figure in figures:
        limit = f"{figure.relation} {_number(figure.limit)}" if figure.limit is not None else ""
        verdict = {None: "", True: "yes", False: "**no**"}[figure.holds]
        lines.append(f"| {figure.what} | {_number(figure.value)} {figure.unit} | {limit} | {verdict} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.7f}".rstrip("0") if 0.999 <= value < 1 else f"{value:.3g}"
