"""The page of a study: page.json, of which commands read some parts and which R writes with more; the figures
and tables of a publication that a drawn study has; and a page without R, by the template of analysis/page,
which R fills in the same way with other facts.

The Content-Security-Policy of a page lets it request nothing, and run the scripts that weir wrote into it.
Names and texts of a study come from external files. They are escaped; should one pass all the same, the
browser neither runs it nor sends anything.
"""

import base64
import csv
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.files import NUMBER, shaped, write_atomically
from weir.data import data_folder
from weir.records.columns import columns, verdict_texts
from weir.records.model import grouped

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
    whole = (row for row in rows if row.get("whole", "TRUE") == "TRUE")  # of further talks: single forms
    shown = grouped((row.get("paper") or "", _is_shown(row, study)) for row in whole)
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


SCHEMA = 1
_PART = re.compile(r"\{\{([\w.]+)\}\}")
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_CLOSES = re.compile(r"</|<(?=!--|script)", re.IGNORECASE)


def write_page(file: Path, facts: Mapping[str, Any]) -> None:
    """A reader gets the old page or the new one."""
    write_atomically(file, page_text(facts))


def page_text(facts: Mapping[str, Any]) -> str:
    folder = data_folder("analysis") / "page"
    filled = {
        "verdicts": json.dumps(_words_of_verdicts(), ensure_ascii=False),
        "page.json": _in_script(json.dumps({"schema": SCHEMA, **facts}, ensure_ascii=False)),
    }

    def part(found: re.Match[str]) -> str:
        name = found[1]
        if name == "policy":
            return policy([_PART.sub(part, _SCRIPT.findall(page)[0])], any_style=True)
        return filled[name] if name in filled else (folder / name).read_text(encoding="utf-8").rstrip("\n")

    page = (folder / "page.html").read_text(encoding="utf-8")
    return _PART.sub(part, page)


def _in_script(text: str) -> str:
    """Text must neither close the script element that contains it nor begin another one within it."""
    return _CLOSES.sub(lambda found: "<\\/" if found[0] == "</" else "\\u003c", text)


def _words_of_verdicts() -> dict[str, dict[str, str]]:
    column = columns()["verdict"]
    return {
        name: {"word": text, "mark": column.marks[name], "meaning": column.meanings[name]}
        for name, text in column.texts.items()
    }


# The policy of a page with figures: styles of SVG files are attributes, which have no hashes.
ANY_STYLE = "'unsafe-inline'"


def policy(scripts: Sequence[str] = (), styles: Sequence[str] = (), any_style: bool = False) -> str:
    """The policy of a page with these inline scripts and styles, each as it stands between its tags."""
    style = ANY_STYLE if any_style else _sources(styles)
    parts = ("default-src 'none'", f"script-src {_sources(scripts)}", f"style-src {style}")
    return "; ".join((*parts, "img-src data:", "base-uri 'none'", "form-action 'none'"))


def policy_element(scripts: Sequence[str] = (), styles: Sequence[str] = ()) -> str:
    """The same as an element of the head, before all that it is about."""
    content = html.escape(policy(scripts, styles), quote=True)
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


def _sources(texts: Sequence[str]) -> str:
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
