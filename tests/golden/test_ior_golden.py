"""Captured outputs of IOR and weir-io, whole, failed and cut: what is parsed and judged is written down."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from weir.audit import Subject, judge
from weir.audit.judge import verdict_columns
from weir.collect.parsed_runs import messages_of_row
from weir.records.columns import checked
from weir.records.model import Parsed
from weir.tools import tools

FOLDER = Path(__file__).parent / "ior"
CAPTURES = sorted(
    path.name
    for path in FOLDER.iterdir()
    if not path.name.endswith(".golden") and "summaryfile" not in path.name
)


def without_command(text: str) -> str:
    """The first line of a capture is the command, as a comment."""
    return text.partition("\n")[2] if text.startswith("# ") else text


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


@pytest.mark.parametrize("name", CAPTURES)
def test_capture(name: str, golden: Callable[[Path, str], None]) -> None:
    runs = tools()["ior"].parse_log(without_command((FOLDER / name).read_text()))  # type: ignore[attr-defined]
    golden(FOLDER / f"{name}.golden", described(runs))


def test_summary_on_a_file_of_its_own(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    outputs = {}
    for role, name in (("summary", "ior-summaryfile.json"), ("stdout", "ior-summaryfile-stdout.txt")):
        outputs[role] = tmp_path / role
        outputs[role].write_text(without_command((FOLDER / name).read_text()))
    golden(FOLDER / "ior-summaryfile.golden", described([tools()["ior"].parse(outputs)]))


@pytest.mark.parametrize("name", CAPTURES)
def test_a_cut_capture_gives_what_is_there(name: str) -> None:
    """Cut anywhere, the parser must not fail, invent rows, or call the output whole."""
    text = without_command((FOLDER / name).read_text())
    whole = [row for run in _parsed(text) for row in run.rows]
    for length in range(0, len(text) - 2, max(1, len(text) // 40)):
        runs = _parsed(text[:length])
        rows = [row for run in runs for row in run.rows]
        assert len(rows) <= len(whole)
        for cut, kept in zip(rows, whole, strict=False):
            assert (cut["access"], cut["iteration"], cut["bw_mib_s"]) == (
                kept["access"],
                kept["iteration"],
                kept["bw_mib_s"],
            )


def _parsed(text: str) -> Sequence[Parsed]:
    runs: Sequence[Parsed] = tools()["ior"].parse_log(text)  # type: ignore[attr-defined]
    return runs


def test_every_golden_has_its_capture() -> None:
    goldens = {path.name.removesuffix(".golden") for path in FOLDER.glob("*.golden")}
    assert goldens == {*CAPTURES, "ior-summaryfile"}
