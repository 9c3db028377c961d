"""Small SVG drawings for HTML pages: logarithmic scales, marks and text; no scripts."""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, exp, floor, log, log10

from weir.data import data_folder
from weir.report.page import policy_element

# Blue and orange are told apart by all readers; grey is what decides nothing.
GOOD, BAD, NEUTRAL, INK, PALE = "#2166ac", "#b2182b", "#777777", "#333333", "#dddddd"
_NEAR = 8.0  # ratio of the ends below which equal steps read better
_MOST_TICKS = 9
# Drawings are made for paper, and a phone scrolls them, the newest values first.
_STYLE = (
    "svg { background: #fff; max-width: 100%; height: auto; vertical-align: middle; }"
    " .scroll svg { min-width: 640px; direction: ltr; } td.drawn { min-width: 300px; }"
    " h2 { font-size: 14px; margin: 24px 0 2px; } p.small { margin: 2px 0 6px; }"
    " @media (max-width: 900px) { .scroll { direction: rtl; } }"
)


@dataclass(frozen=True)
class LogScale:
    """Values to coordinates, by their logarithm."""

    low: float
    high: float
    start: float  # coordinate of low
    end: float

    def at(self, value: float) -> float:
        share = (log(value) - log(self.low)) / (log(self.high) - log(self.low))
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values between the ends: equal steps where these are near, else 1, 2, 5 of each decade."""
        if self.high / self.low < _NEAR:
            step = 10.0 ** floor(log10((self.high - self.low) / 3))
            step *= next(
                each for each in (1, 2, 5, 10) if (self.high - self.low) / (each * step) <= _MOST_TICKS
            )
            numbers = range(ceil(self.low / step), floor(self.high / step) + 1)
            return [round(number * step, 10) for number in numbers]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        found = [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]
        found = [value for value in found if self.low <= value <= self.high]
        while len(found) > _MOST_TICKS:
            found = found[::2]
        return found


def scale_of(values: Iterable[float], start: float, end: float) -> LogScale:
    """A scale of the values with a margin of 6 % at either end."""
    logs = [log(value) for value in values if value > 0]
    low, high = min(logs), max(logs)
    air = max(0.06 * (high - low), 0.03)
    return LogScale(exp(low - air), exp(high + air), start, end)


def text(x: float, y: float, content: str, anchor: str = "start", size: float = 12, color: str = INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" fill="{color}">'
        f"{html.escape(content)}</text>"
    )


def line(
    x1: float, y1: float, x2: float, y2: float, color: str = INK, width: float = 1, dashes: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
        f'stroke-width="{width:g}"{dashed}/>'
    )


def dot(x: float, y: float, color: str, radius: float = 4, hollow: bool = False) -> str:
    fill = "#fff" if hollow else color
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
    return f'<circle {place} fill="{fill}" stroke="{color}" stroke-width="1.5"/>'


def box(x: float, y: float, width: float, height: float, color: str) -> str:
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{color}"/>'


def svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{html.escape(title)}</title>{''.join(parts)}</svg>"
    )


def page(title: str, body: Iterable[str]) -> str:
    """A page with the look of the first page of a study."""
    style = (data_folder("analysis") / "page" / "page.css").read_text(encoding="utf-8") + _STYLE
    return "\n".join(
        [
            f'<!doctype html><html lang="en"><meta charset="utf-8">{policy_element(styles=[style])}',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<title>{html.escape(title)}</title><link rel="icon" href="data:,"><style>{style}</style>',
            f"<main><h1>{html.escape(title)}</h1>",
            *body,
            "</main></html>\n",
        ]
    )


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"
