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
from weir.history.figure import overview
from weir.history.output import ORDER, headline
from weir.history.series import Series, from_campaigns, series_name
from weir.metrics import metric_named
from weir.model import Row

# The look of the first page; drawings are made for paper, and a phone scrolls them.
_STYLE = "svg { background: #fff; } .scroll svg { min-width: 640px; }"


class TargetPage(NamedTuple):
    """One target: its file, and its verdicts in a sentence."""

    target: str
    file: str
    verdicts: str


def write_pages(history: Path, folder: Path, studies: Mapping[str, Sequence[str]]) -> list[TargetPage]:
    """A page for each target of the history, in this folder; those with findings come first.

    studies: of a target, links to their first pages."""
    by_target: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for rows in campaigns(history):
        for target in sorted({str(row["target"]) for row in rows}):
            by_target[target].append([row for row in rows if row["target"] == target])
    judged = {target: _judged(parts) for target, parts in sorted(by_target.items())}
    worst = {name: min(ORDER.index(one.verdict) for _, one in of) for name, of in judged.items() if of}
    order = sorted(judged, key=lambda name: worst.get(name, len(ORDER)))
    return [_write(target, judged[target], folder, studies.get(target, ())) for target in order]


def _judged(parts: Sequence[Sequence[Row]]) -> list[tuple[Series, Judgement]]:
    parameters = columns_of_role("parameter")
    every = from_campaigns(parts, metric_named("rate"), lambda row: series_name(row, parameters))
    return [(series, judge_newest(series, RECENT_POINTS)) for series in every]


def _write(
    target: str, judged: Sequence[tuple[Series, Judgement]], folder: Path, studies: Sequence[str]
) -> TargetPage:
    file = f"history-{re.sub(r'[^A-Za-z0-9.-]', '_', target)}.html"
    back = " · ".join(['<p><a href="index.html">all targets</a>', *studies]) + "</p>"
    style = (data_folder("analysis") / "page" / "page.css").read_text(encoding="utf-8") + _STYLE
    text = drawing.page(f"History of {target}", [back, overview(judged)], style)
    write_atomically(folder / file, text)
    return TargetPage(target, file, headline([one for _, one in judged]))
