"""The pages of a site: the history of each target, with every series, its band, change points and verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from weir import drawing
from weir.columns import columns_of_role
from weir.compare.sides import campaigns
from weir.data import data_folder
from weir.files import write_atomically
from weir.history import RECENT_POINTS
from weir.history.band import Judgement, judge_newest
from weir.history.figure import Labels, overview
from weir.history.output import ORDER, headline, incident_lines
from weir.history.series import Series, from_campaigns, series_name
from weir.metrics import metric_named
from weir.model import Row

# The look of the first page; drawings are made for paper, and a phone scrolls them, the newest values first.
_STYLE = (
    "svg { background: #fff; } .scroll svg { min-width: 640px; } h2 { font-size: 14px; margin: 24px 0 2px; }"
    " p.small { margin: 2px 0 6px; } .scroll svg { direction: ltr; }"
    " @media (max-width: 900px) { .scroll { direction: rtl; } }"
)


class TargetPage(NamedTuple):
    """One target: its file, and its verdicts in a sentence."""

    target: str
    file: str
    verdicts: str


def write_pages(
    history: Path, folder: Path, studies: Mapping[str, Sequence[str]], cells: Mapping[tuple[str, str], str]
) -> list[TargetPage]:
    """A page for each target of the history, in this folder; those with findings come first.

    studies: of a target, links to their first pages; cells: of a cell and access, the link to its row."""
    by_target: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for rows in campaigns(history):
        for target in sorted({str(row["target"]) for row in rows}):
            by_target[target].append([row for row in rows if row["target"] == target])
    judged = {target: _judged(parts) for target, parts in sorted(by_target.items())}
    worst = {name: min(ORDER.index(one.verdict) for _, one in of) for name, of in judged.items() if of}
    order = sorted(judged, key=lambda name: worst.get(name, len(ORDER)))
    labels = {target: _labels(parts, cells) for target, parts in by_target.items()}
    return [
        _write(target, overview(judged[target], labels[target]), judged[target], folder, studies)
        for target in order
    ]


def _judged(parts: Sequence[Sequence[Row]]) -> list[tuple[Series, Judgement]]:
    parameters = columns_of_role("parameter")
    every = from_campaigns(parts, metric_named("rate"), lambda row: series_name(row, parameters))
    return [(series, judge_newest(series, RECENT_POINTS)) for series in every]


def _labels(parts: Sequence[Sequence[Row]], cells: Mapping[tuple[str, str], str]) -> dict[str, Labels]:
    """Of each series its unit, and the link to its newest cell that a study shows."""
    found: dict[str, Labels] = {}
    parameters, bandwidth = columns_of_role("parameter"), metric_named("bandwidth")
    for row in (row for rows in parts for row in rows):
        name = series_name(row, parameters)
        link = cells.get((str(row["cell"]), str(row["access"]))) or found.get(name, Labels()).link
        found[name] = Labels("MiB/s" if bandwidth.of(row) is not None else "op/s", link)
    return found


def _write(
    target: str,
    body: str,
    judged: Sequence[tuple[Series, Judgement]],
    folder: Path,
    studies: Mapping[str, Sequence[str]],
) -> TargetPage:
    file = f"history-{re.sub(r'[^A-Za-z0-9.-]', '_', target)}.html"
    back = " · ".join(['<p><a href="index.html">all targets</a>', *studies.get(target, ())]) + "</p>"
    style = (data_folder("analysis") / "page" / "page.css").read_text(encoding="utf-8") + _STYLE
    write_atomically(folder / file, drawing.page(f"History of {target}", [back, body], style))
    found = [one for _, one in judged]
    return TargetPage(target, file, "; ".join([headline(found), *incident_lines(found)]))
