"""report.html without R: the template of analysis/page, which R fills in the same way, with other facts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weir.base.files import write_atomically
from weir.data import data_folder
from weir.report.policy import policy
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
