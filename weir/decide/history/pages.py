"""The pages of a site: the history of each target, with every series, its band, change points and verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from weir.base.files import write_atomically
from weir.decide.compare.sides import campaigns
from weir.decide.history import RECENT_POINTS
from weir.decide.history.band import Judgement, judge_newest
from weir.decide.history.figure import overview
from weir.decide.history.output import ORDER, headline, incident_lines
from weir.decide.history.series import Series, from_campaigns, series_name
from weir.records.metrics import metric_named
from weir.report import drawing
from weir.terms.columns import columns_of_role
from weir.terms.model import Row


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
    links = {target: _links(parts, cells) for target, parts in by_target.items()}
    return [
        _write(target, overview(judged[target], links[target]), judged[target], folder, studies)
        for target in order
    ]


def _judged(parts: Sequence[Sequence[Row]]) -> list[tuple[Series, Judgement]]:
    parameters = columns_of_role("parameter")
    every = from_campaigns(parts, metric_named("rate"), lambda row: series_name(row, parameters))
    return [(series, judge_newest(series, RECENT_POINTS)) for series in every]


def _links(parts: Sequence[Sequence[Row]], cells: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Link of each series to its newest cell that a study shows."""
    parameters = columns_of_role("parameter")
    found: dict[str, str] = {}
    for row in (row for rows in parts for row in rows):
        link = cells.get((str(row["cell"]), str(row["access"])))
        if link:
            found[series_name(row, parameters)] = link
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
    write_atomically(folder / file, drawing.page(f"History of {target}", [back, body]))
    found = [one for _, one in judged]
    return TargetPage(target, file, "; ".join([headline(found), *incident_lines(found)]))
