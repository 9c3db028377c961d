"""report.html without R: the template of analysis/page, which R fills in the same way, with other facts.

The Content-Security-Policy of a page lets it request nothing, and run the scripts that weir wrote into it.
Names and texts of a study come from external files. They are escaped; should one pass all the same, the
browser neither runs it nor sends anything.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.files import write_atomically
from weir.data import data_folder
from weir.terms.columns import columns

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
