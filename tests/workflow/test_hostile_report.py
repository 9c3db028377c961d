"""Records and facts with hostile text in every field: the report is printed, and none of it is obeyed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.workflow.report_study import ROOT, Record, draw, facts_of, print_study, record, write_study

SCHEMA = yaml.safe_load((ROOT / "config/schemas/record.schema.yaml").read_text())["properties"]
TEXTS = [
    name
    for name, about in SCHEMA.items()
    if "string" in str(about.get("type")) and name not in ("verdict", "access", "purpose")
]
COMMAND = r"\immediate\write16{OBEYED}"
# Together: what prints text treats each character by itself.
ORDERS = (
    COMMAND,
    rf"\endcsname{COMMAND}\csname",
    f"}}{COMMAND}{{",
    "\x1b[31mred\x07\x01\x7f\u0085\u202e",
    r"^^5cimmediate^^5cwrite16{OBEYED}",
    "</script><!--<script>]]>",
    "%",
)
HOSTILE = {
    "orders": " ".join(ORDERS),
    "not available": "NA",
    "long": "x" * 5000 + " " + "lorem ipsum / " * 400,
}

pytestmark = pytest.mark.slow


def rows_with(text: str) -> list[Record]:
    """Two interfaces and two sizes; half of the records with the text in every field."""
    rows = [
        record(access, 100.0 + number, api=api, xfer_bytes=size, iteration=number, cell=f"{api}-{size}")
        for api in ("POSIX", "other")
        for size in (16384, 1048576)
        for access in ("write", "read")
        for number in range(4)
    ]
    for row in rows[len(rows) // 2 :]:
        row |= dict.fromkeys(TEXTS, text) | {"cell": f"{text}{row['xfer_bytes']}", "run": row["iteration"]}
    return [*rows, *(rows[-1] | {"access": text, "iteration": number} for number in range(4))]


def with_text(value: Any, text: str) -> Any:
    """The value with the text for every text in it, verdicts excepted."""
    if isinstance(value, dict):
        return {key: item if key == "verdicts" else with_text(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [with_text(item, text) for item in value]
    return text if isinstance(value, str) else value


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.row("third-party log, table or records")
def test_hostile_text_is_printed_and_not_obeyed(tmp_path: Path, kind: str) -> None:
    text = HOSTILE[kind]
    rows = rows_with(text)
    excluded = [{"suite": text, "experiment": text, "reason": text, "cells": 8}]
    write_study(tmp_path, rows, with_text(facts_of(rows), text), excluded)
    draw(tmp_path)
    numbers = (tmp_path / "numbers.tex").read_text()
    assert not re.search(r"\\if\w+\\\w*NA\b", numbers)
    assert set(re.findall(r"\\csname (.*?)\\endcsname", numbers)) <= set(
        re.findall(r"\\csname ([A-Za-z0-9-]+)\\endcsname", numbers)
    )
    print_study(tmp_path, code=0)
    assert not re.search(
        r"^OBEYED", (tmp_path / "latex/report.log").read_text(errors="replace"), re.MULTILINE
    )
    for file in tmp_path.rglob("*.tex"):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", file.read_text()), file.name
    page_is_whole((tmp_path / "report.html").read_text())


def page_is_whole(page: str) -> None:
    """A browser takes <!--<script> as the beginning of a script within the script, which then never ends."""
    data = page.split('<script type="application/json" id="facts"')[1].split(">", 1)[1].split("</script>")[0]
    assert not re.search("<(!--|/|script)", data, re.IGNORECASE)
    assert json.loads(data)["points"]
