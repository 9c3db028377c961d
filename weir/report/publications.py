"""Counts the figures and tables of a publication that a drawn study has, by the map of the analysis."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

MAP_FILE = Path("tables", "publication.csv")


def publication_lines(study: Path) -> list[str]:
    """A line for each publication that the study repeats: none where no map was drawn."""
    try:
        with (study / MAP_FILE).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
    shown: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.get("whole", "TRUE") == "TRUE":  # of further talks a study has single forms
            shown[row.get("paper") or ""].append(_is_shown(row, study))
    return [f"{sum(of)} of {len(of)} figures and tables of {paper} shown" for paper, of in shown.items()]


def _is_shown(row: Mapping[str, str], study: Path) -> bool:
    """Whether the records hold the item and its part was drawn, which needs enough of them."""
    kind, _, name = (row.get("part") or "").partition(" ")
    return row.get("held") == "TRUE" and bool(name) and any((study / f"{kind}s").glob(f"{name}*.csv"))
