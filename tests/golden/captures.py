"""Outputs that programs left in the folders beside this file, and all that is parsed and judged of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weir.audit import Subject, judge
from weir.audit.judge import verdict_columns
from weir.collect.parsed_runs import messages_of_row
from weir.records.columns import checked
from weir.records.model import Parsed
from weir.tools import tools
from weir.tools.base import Tool

GOLDEN = Path(__file__).parent
# A test of its own reads several of these as the outputs of one run.
_PARTS = ("ior-summaryfile.json", "ior-summaryfile-stdout.txt", "iomodel-write-seq-out-0.csv")


def captures(kind: type[Tool]) -> list[Path]:
    """Those of the tools of a kind, whose folders have the names of the tools."""
    folders = [GOLDEN / name for name, tool in tools().items() if isinstance(tool, kind)]
    files = [file for folder in folders for file in sorted(folder.iterdir())]
    return [file for file in files if file.suffix != ".golden" and file.name not in _PARTS]


def name_of(capture: Path) -> str:
    return f"{capture.parent.name}/{capture.name}"


def text_of(capture: Path) -> str:
    """Without the first line of most of them, which is the command, as a comment."""
    text = capture.read_text(errors="replace")
    return text.partition("\n")[2] if text.startswith("# ") else text


def runs_of(capture: Path, length: int | None = None) -> Sequence[Parsed]:
    """What its tool parses of it, or of so many of its first characters."""
    return tools()[capture.parent.name].parse_log(text_of(capture)[:length])


def described(runs: Sequence[Parsed]) -> str:
    """Everything that a Parsed contains, with the verdict of each row. What collecting would refuse fails."""
    for parsed in runs:
        checked(parsed, "of the capture")
    return json.dumps([_run(parsed) for parsed in runs], indent=1, sort_keys=True) + "\n"


def _run(parsed: Parsed) -> dict[str, Any]:
    rows = []
    for index, row in enumerate(parsed.rows):
        known = row | {"tool": "ior", "program": parsed.program, "tool_version": parsed.tool_version}
        messages = messages_of_row(parsed, index)
        findings = judge(Subject(known, row["observed"], messages, parsed.complete))
        rows.append(row | verdict_columns(findings))
    return {
        "program": parsed.program,
        "tool_version": parsed.tool_version,
        "complete": parsed.complete,
        "requested": dict(parsed.requested),
        "messages": [[one.level, one.text, one.row] for one in parsed.messages],
        "rows": rows,
    }
