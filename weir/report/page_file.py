"""page.json: what commands read of it. R writes it, with more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.base.read_back import NUMBER, shaped

PAGE_FILE = "page.json"
DRAW_AGAIN = "draw it again: snakemake report"
_MAYBE = (*NUMBER, type(None))
_COUNTS = {"*": int}
_RATE = {"value": NUMBER, "unit": str, "lo?": NUMBER, "hi?": NUMBER, "n?": int, "values?": [NUMBER]}
_ANSWER = {
    "target": str,
    "access": str,
    "best": {**_RATE, "setting": str},
    "small?": {**_RATE, "iops": NUMBER},
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
SHAPE = {
    "study": {"question": str, "began": str, "*": (str, int, float, bool, list, dict, type(None))},
    "verdicts": {
        "real": _COUNTS,
        "emulated": _COUNTS,
        "busy?": int,
        "authors?": int,
        "proofs?": [{"count": int, "text": str}],
    },
    "advice": [{"title": str, "evidence?": str, "action?": str}],
    "points": [_POINT],
    "answers?": [_ANSWER],
    "targets?": [{"name": str, "emulated": bool, "file_system?": str}],
    "doubts?": [{"number": (str, *NUMBER), "sentence": str}],
}


def checked_page(content: Any, file: Path) -> dict[str, Any]:
    """The content of page.json, if commands can read it."""
    found: dict[str, Any] = shaped(content, SHAPE, file, DRAW_AGAIN, exit_code=2)
    return found
