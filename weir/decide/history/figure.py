"""A series as a figure: points, levels with their bands, change points with dates, the newest verdict.

`fragment` is for any HTML page, such as that of a target; `overview` has all series. The pages of a site are
the history of each target, with every series, its band, change points and verdict.
"""

import html
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from weir.base.files import write_atomically
from weir.collect.metrics import metric_named
from weir.decide.compare.sides import campaigns
from weir.decide.history import RECENT_POINTS
from weir.decide.history.band import FASTER, SLOWER, SPIKE, BandVerdict, judge_newest
from weir.decide.history.output import ORDER, headline, incident_lines, line
from weir.decide.history.regimes import FEWEST_POINTS, LevelChange, Regime
from weir.decide.history.series import Cell, Series, of_cells
from weir.records.model import Row
from weir.report import drawing
from weir.report.drawing import BAD, GOOD, INK, NEUTRAL, PALE

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1000.0, 230.0, 4.0, 74.0, 26.0, 30.0
_AIR = 8.0  # beside the first and the last point
_COLORS = {SLOWER: BAD, FASTER: GOOD, SPIKE: "#e08214"}
_SHARES = (2.5, 97.5)  # percentiles of a level's points, between which the band is drawn
_LEGEND = (
    "Points: values of campaigns, on a logarithmic axis. Line: median of a level; pale: the middle 95 % of "
    "its points, where these are ten or more. Dashed: a change, with its date, ratio and 95 % interval. The "
    "last point has the verdict: red is slower than the level before, orange a spike, blue faster; the dark "
    "bar is the band in which it was expected."
)
_CLOSE = 90.0  # labels of changes closer than this are stacked

Position = Callable[[float], float]  # of a time


def fragment(series: Series, found: BandVerdict, link: str) -> str:
    """One series: heading, sentence, with a link in HTML to its cell, and figure."""
    told = line(found).split(f"{found.series}: ", 1)[1]
    kind = ' class="INVALID"' if found.verdict == SLOWER else ""
    sentence = f"<b{kind}>{found.verdict}</b>: {html.escape(told)}"
    sentence += f"; cell in {link}" if link else ""
    drawn = f'<div class="scroll">{chart(series, found)}</div>'
    return f"<h2>{html.escape(series.name)}</h2><p class=small>{sentence}</p>{drawn}"


def overview(
    judged: Sequence[tuple[Series, BandVerdict]], links: Mapping[str, str] = MappingProxyType({})
) -> str:
    """A headline, what moved together, what the marks mean, and all series, findings first."""
    found = [one for _, one in judged]
    order = (SLOWER, SPIKE, FASTER)

    def key(pair: tuple[Series, BandVerdict]) -> tuple[bool, int, float, str]:
        one = pair[1]
        rank = order.index(one.verdict) if one.verdict in order else len(order)
        return one.emulated, rank, -abs(log(one.news_ratio)), pair[0].name

    return "\n".join(
        [
            f"<p><strong>{html.escape(headline(found))}</strong></p>",
            *(f"<p>{html.escape(text)}</p>" for text in incident_lines(found)),
            f"<p class=small>{_LEGEND}</p>",
            *(fragment(series, one, links.get(series.name, "")) for series, one in sorted(judged, key=key)),
        ]
    )


def chart(series: Series, found: BandVerdict) -> str:
    values = [exp(float(value)) for value in series.logs]
    times = [float(time) for time in series.times]
    ends = [found.band.low, found.band.high] if found.band else []
    y = drawing.scale_of([*values, *ends], _HEIGHT - _BOTTOM, _TOP)
    span = max(times[-1] - times[0], 1.0)

    def x(time: float) -> float:
        return _LEFT + _AIR + (time - times[0]) / span * (_WIDTH - _LEFT - _RIGHT - 2 * _AIR)

    parts = [part for regime in found.regimes for part in _level(series, regime, x, y)]
    axis = _WIDTH - _RIGHT + 6  # beside the newest values
    parts.append(drawing.text(_WIDTH, 11, series.unit, "end", 11))
    for tick in y.ticks():
        parts.append(drawing.line(_LEFT, y.at(tick), _WIDTH - _RIGHT, y.at(tick), PALE, 0.5))
        parts.append(drawing.text(axis, y.at(tick) + 4, drawing.number(tick), "start", 11))
    parts += [drawing.dot(x(time), y.at(value), INK, 1.6) for time, value in zip(times, values, strict=True)]
    parts += _changes(found.changes, series, x)
    if found.band:
        right = x(times[-1])
        parts.append(drawing.line(right, y.at(found.band.low), right, y.at(found.band.high), NEUTRAL, 3))
    parts.append(drawing.dot(x(times[-1]), y.at(values[-1]), _COLORS.get(found.verdict, INK), 4.5))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        day = datetime.fromtimestamp(times[0] + share * span, UTC).date().isoformat()
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        parts.append(drawing.text(x(times[0] + share * span), _HEIGHT - 10, day, anchor, 11))
    return drawing.svg(_WIDTH, _HEIGHT, series.name, parts)


def _level(series: Series, regime: Regime, x: Position, y: drawing.LogScale) -> list[str]:
    """The median of one level, and its band if it has enough points for one."""
    logs = series.logs[regime.start : regime.end]
    low, high = (exp(float(np.percentile(logs, share))) for share in _SHARES)
    left, right = x(float(series.times[regime.start])), x(float(series.times[regime.end - 1]))
    middle = y.at(exp(regime.level))
    band = [drawing.box(left, y.at(high), right - left, y.at(low) - y.at(high), "#eeeeee")]
    median = drawing.line(left, middle, right, middle, GOOD, 2)
    return [*(band if len(logs) >= FEWEST_POINTS else []), median]


def _changes(changes: Sequence[LevelChange], series: Series, x: Position) -> list[str]:
    parts = []
    last, row = -1e9, 0
    for change in changes:
        at = x(float(series.times[change.index]))
        row = row + 1 if at - last < _CLOSE * 2 and row < 3 else 0
        last = at
        low, high = change.interval
        slower = (change.log_ratio < 0) == series.higher_is_better
        color = BAD if slower else GOOD
        label = f"{change.day} ×{change.ratio:.2f} [{low:.2f}–{high:.2f}]"
        room = at < _WIDTH - 190
        parts.append(drawing.line(at, _TOP - 14, at, _HEIGHT - _BOTTOM, color, 1, "4 3"))
        parts.append(
            drawing.text(
                at + (4 if room else -4), _TOP - 6 + 13 * row, label, "start" if room else "end", 11, color
            )
        )
    return parts


class TargetPage(NamedTuple):
    """One target: its file, and its verdicts in a sentence."""

    target: str
    file: str
    verdicts: str


def write_pages(
    history: Path, folder: Path, studies: Mapping[str, Sequence[str]], cells: Mapping[Cell, str]
) -> list[TargetPage]:
    """A page for each target of the history, in this folder; those with findings come first, then real ones.

    studies: of a target, links to their first pages; cells: of a cell and access, the link to its row."""
    by_target: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for rows in campaigns(history):
        for target in sorted({str(row["target"]) for row in rows}):
            by_target[target].append([row for row in rows if row["target"] == target])
    pages = []
    for target, parts in sorted(by_target.items()):
        every = of_cells(parts, metric_named("rate"))
        judged = [(one, judge_newest(one, RECENT_POINTS)) for one in every]
        found = [one for _, one in judged]
        file = f"history-{re.sub(r'[^A-Za-z0-9.-]', '_', target)}.html"
        back = " · ".join(['<p><a href="index.html">all targets</a>', *studies.get(target, ())]) + "</p>"
        body = [back, overview(judged, _links(every, cells))]
        emulated = any(one.emulated for one in every)
        name = f"{target} (E)" if emulated else target
        write_atomically(folder / file, drawing.page(f"History of {name}", body))
        verdicts = "; ".join([headline(found), *incident_lines(found)])
        worst = min((ORDER.index(one.verdict) for one in found), default=len(ORDER))
        pages.append(((worst, emulated), TargetPage(name, file, verdicts)))
    return [page for _, page in sorted(pages, key=lambda each: each[0])]


def _links(every: Sequence[Series], cells: Mapping[Cell, str]) -> dict[str, str]:
    """Link of each series to its newest cell that a study shows."""
    shown = {one.name: [cells[each] for each in one.cells if each in cells] for one in every}
    return {name: links[-1] for name, links in shown.items() if links}
