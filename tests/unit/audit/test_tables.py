"""Verdicts in tables: written, explained, made again; and the page that lists the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from weir.audit.explain import manual, spoken
from weir.audit.judge import verdict_columns, worst
from weir.audit.registry import Said, rule
from weir.audit.stored import audited, stored_findings
from weir.audit.subject import Subject
from weir.cli import main
from weir.model import Finding, Row
from weir.records.schema import columns
from weir.records.table import read_records, write_records

ROW: Row = {
    "api": "POSIX",
    "access": "write",
    "nn": 1,
    "ppn": 1,
    "iteration": 0,
    "cell": "0123456789ab",
    "label": "a cell",
    "tool": "ior",
    "verdict": "VALID",
    "reasons": "",
    "evidence": "",
    "moved_bytes": 2**30,
    "requested_bytes": 2**30,
    "total_s": 2.0,
    "bw_mib_s": 512.0,
}


def record(**changes: Any) -> Row:
    return dict.fromkeys(columns()) | {"emulated": False} | ROW | changes


def test_the_worst_finding_is_the_verdict() -> None:
    assert worst([]) == "VALID"
    assert worst(["DEGRADED", "INVALID", "DEGRADED"]) == "INVALID"
    assert worst(["DEGRADED"]) == "DEGRADED"


def test_reasons_and_evidence_keep_their_order() -> None:
    findings = [Finding("a", "DEGRADED", "one; two"), Finding("b", "INVALID", "three")]
    assert verdict_columns(findings) == {
        "verdict": "INVALID",
        "reasons": "a;b",
        "evidence": "one, two; three",
    }


def test_stored_findings_are_what_was_written() -> None:
    said = [Finding("stripes-differ", "DEGRADED", "7, 8"), Finding("tool-error", "INVALID", "ERROR: x")]
    assert stored_findings(record(**verdict_columns(said))) == said


def test_again_keeps_what_needs_output_and_renews_the_rest() -> None:
    kept = record(**verdict_columns([Finding("tool-error", "INVALID", "ERROR: x")]))
    gone = record(**verdict_columns([Finding("phase-longer-than-total", "INVALID", "of an older rule")]))
    new = record(bw_mib_s=700.0)
    verdicts = [(row["verdict"], row["reasons"]) for row in audited([kept, gone, new])]
    assert verdicts == [
        ("INVALID", "tool-error"),
        ("VALID", ""),
        ("INVALID", "bandwidth-not-bytes-over-time"),
    ]


def test_reasons_of_another_version_stay() -> None:
    stored = record(verdict="DEGRADED", reasons="rule-of-tomorrow", evidence="seen")
    assert audited([stored]) == [stored]
    assert "no such rule" in spoken([stored])[0]["explanation"]


def test_a_rule_without_a_hint_is_refused() -> None:
    def half_explained(subject: Subject) -> Said | None:
        """Only an explanation."""
        return None

    with pytest.raises(TypeError, match="half_explained"):
        rule("INVALID")(half_explained)


def test_the_page_of_rules_is_of_today() -> None:
    page = ROOT / "docs" / "audit.md"
    assert page.read_text() == manual(), "docs/audit.md is old; write it: weir audit --rules > docs/audit.md"


def test_command_explains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "records.csv"
    write_records(
        table, [record(), record(**verdict_columns([Finding("tool-error", "INVALID", "ERROR: x")]))]
    )
    assert main(["audit", str(table)]) == 0
    text = capsys.readouterr().out
    assert "1 VALID, 0 DEGRADED, 1 INVALID" in text
    assert "hint: hint what the message names" in text
    assert "- a cell, write: ERROR: x" in text


def test_command_gives_facts_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, out = tmp_path / "records.csv", tmp_path / "again.csv"
    write_records(table, [record(bw_mib_s=700.0)])
    assert main(["audit", str(table), "--out", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdicts"] == {"VALID": 0, "DEGRADED": 0, "INVALID": 1}
    assert facts["rules"][0]["rule"] == "bandwidth-not-bytes-over-time"
    assert read_records(out)[0]["verdict"] == "INVALID"
    assert read_records(table)[0]["verdict"] == "VALID"


def test_command_lists_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--rules"]) == 0
    assert capsys.readouterr().out == manual()
    assert main(["audit", "--rules", "--json"]) == 0
    assert {"rule", "verdicts", "explanation", "hint"} == set(json.loads(capsys.readouterr().out)[0])


def test_command_without_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 2
    assert "no records are named" in capsys.readouterr().err
