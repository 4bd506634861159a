"""A bar chart as plain SVG, readable on light and dark pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LABELS, _BARS, _ROW, _BAR, _TOP = 270, 420, 40, 14, 56
_WIDTH = _LABELS + _BARS + 60
# the first colours can be read on both, for viewers that do not know what the page looks like
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #768390 }
  .small { font-size: 11px }
  .ours { font-weight: 600 }
  .grid { stroke: #768390; stroke-opacity: .35 }
  .a { fill: #2f81f7 } .b { fill: #c69026 }
  @media (prefers-color-scheme: light) { text { fill: #1f2328 } .small { fill: #59636e } }
  @media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .small { fill: #9198a1 } }
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One system and its share in each of two data sets; `ours` stands out."""

    name: str
    shares: tuple[float, float]
    ours: bool = False


def chart(title: str, series: tuple[str, str], rows: Sequence[Row]) -> str:
    """The rows in the order given, two bars each, on a scale from 0 to 1."""
    height = _TOP + _ROW * len(rows) + 26
    box, label = f"0 0 {_WIDTH} {height}", escape(title, quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{label}">',
        f"<style>{_STYLE}</style>",
        f'<text x="0" y="16" class="ours">{escape(title)}</text>',
        *_legend(series),
        *_grid(height),
    ]
    for place, row in enumerate(rows):
        parts += _bars(row, _TOP + place * _ROW)
    return "\n".join([*parts, "</svg>\n"])


def _legend(series: tuple[str, str]) -> list[str]:
    parts = []
    for place, (name, colour) in enumerate(zip(series, "ab", strict=True)):
        x = _LABELS + place * 110
        parts.append(f'<rect x="{x}" y="28" width="12" height="12" class="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="38">{escape(name)}</text>')
    return parts


def _grid(height: int) -> list[str]:
    parts = []
    for tenths in range(0, 11, 2):
        x = _LABELS + _BARS * tenths / 10
        parts.append(f'<line x1="{x:g}" y1="{_TOP - 6}" x2="{x:g}" y2="{height - 22}" class="grid"/>')
        parts.append(f'<text x="{x:g}" y="{height - 8}" text-anchor="middle" class="small">{tenths / 10:g}</text>')
    return parts


def _bars(row: Row, top: int) -> list[str]:
    weight = ' class="ours"' if row.ours else ""
    parts = [f'<text x="{_LABELS - 10}" y="{top + 20}" text-anchor="end"{weight}>{escape(row.name)}</text>']
    for place, (share, colour) in enumerate(zip(row.shares, "ab", strict=True)):
        y = top + place * (_BAR + 1)
        parts.append(
            f'<rect x="{_LABELS}" y="{y}" width="{_BARS * share:.1f}" height="{_BAR}" rx="2" class="{colour}"/>'
        )
        parts.append(f'<text x="{_LABELS + _BARS * share + 6:.1f}" y="{y + 11}" class="small">{share:.2f}</text>')
    return parts
