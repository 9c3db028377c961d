"""The parts of page.json that commands read: R writes it, with more. The figures and tables of a
publication that a drawn study has, by the map of the analysis."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weir.base.files import NUMBER, shaped
from weir.terms.columns import verdict_texts

PAGE_FILE = "page.json"
DRAW_AGAIN = "draw it again: snakemake report"
_RATE = {"value": NUMBER, "unit": str, "lo?": NUMBER, "hi?": NUMBER, "n?": int, "values?": [NUMBER]}
_ANSWER = {
    "target": str,
    "access": str,
    "best": {**_RATE, "setting": str},
    "small?": {**_RATE, "iops?": NUMBER},
    "tail?": {"value": NUMBER},
}
_POINT = {
    "target": str,
    "emulated": bool,
    "access": str,
    "median?": NUMBER,
    "n": int,
    "lo?": NUMBER,
    "hi?": NUMBER,
    "verdict": str,
    "setting": str,
    "cell": str,
    "bandwidth": bool,
}
ANSWERS = {"answers?": [_ANSWER]}  # all that an appendix reads
SHAPE = {
    "study": {
        "question": str,
        "began": str,
        **{f"{name}?": str for name in ("title", "host", "processor", "memory", "suites", "name")},
    },
    "verdicts": {
        "real": dict.fromkeys(verdict_texts(), int),
        "emulated": {f"{name}?": int for name in verdict_texts()},
        "busy?": int,
        "authors?": int,
        "proofs?": [{"count": int, "text": str}],
    },
    "advice": [{"title": str, "evidence?": str, "action?": str}],
    "points": [_POINT],
    **ANSWERS,
    "targets?": [{"name": str, "emulated": bool, "file_system?": str}],
    "cross_check?": [str],
    "doubts?": [{"number": (str, *NUMBER), "sentence": str}],
}


def checked_page(content: Any, file: Path) -> dict[str, Any]:
    """The content of page.json, if commands can read it."""
    found: dict[str, Any] = shaped(content, SHAPE, file, DRAW_AGAIN, exit_code=2)
    # Some pages have no counts of emulated storage.
    emulated = found["verdicts"]["emulated"]
    found["verdicts"]["emulated"] = {name: emulated.get(name) or 0 for name in verdict_texts()}
    return found


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
    return (
        row.get("held") == "TRUE"
        and bool(name)
        and "/" not in name
        and any((study / f"{kind}s").glob(f"{name}*.csv"))
    )
