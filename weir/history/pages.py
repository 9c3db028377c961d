"""The pages of a site: the history of each target, with every series, its band, change points and verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from weir import drawing
from weir.columns import columns_of_role
from weir.compare.sides import campaigns
from weir.files import write_atomically
from weir.history import RECENT_POINTS
from weir.history.band import judge_newest
from weir.history.figure import overview
from weir.history.output import headline
from weir.history.series import from_campaigns, series_name
from weir.metrics import metric_named
from weir.model import Row


class TargetPage(NamedTuple):
    """One target: its file, and its verdicts in a sentence."""

    target: str
    file: str
    verdicts: str


def write_pages(history: Path, folder: Path) -> list[TargetPage]:
    """A page for each target of the history, in this folder."""
    by_target: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for rows in campaigns(history):
        for target in sorted({str(row["target"]) for row in rows}):
            by_target[target].append([row for row in rows if row["target"] == target])
    return [_write(target, parts, folder) for target, parts in sorted(by_target.items())]


def _write(target: str, parts: Sequence[Sequence[Row]], folder: Path) -> TargetPage:
    parameters = columns_of_role("parameter")
    every = from_campaigns(parts, metric_named("rate"), lambda row: series_name(row, parameters))
    judged = [(series, judge_newest(series, RECENT_POINTS)) for series in every]
    file = f"history-{re.sub(r'[^A-Za-z0-9.-]', '_', target)}.html"
    back = '<p><a href="index.html">all targets</a></p>'
    text = drawing.page(f"History of {target}", [back, overview(judged)])
    write_atomically(folder / file, text)
    return TargetPage(target, file, headline([one for _, one in judged]))
