"""page.json: what commands read of it. R writes it, with more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.base.read_back import NUMBER, shaped
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
