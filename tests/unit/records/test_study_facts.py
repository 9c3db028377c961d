"""What facts.json tells the report of the audit."""

from __future__ import annotations

from weir.records.study_facts import archive_facts


def row_of(**columns: str) -> dict[str, str]:
    return {"access": "write", "label": "a cell", "verdict": "VALID", "reasons": "", "evidence": ""} | columns


def test_reasons_come_with_what_they_mean_and_an_example() -> None:
    noted = [row_of(notes=f"sync-not-applied: {n} of 9") for n in "123"]
    degraded = row_of(verdict="DEGRADED", reasons="sync-not-applied", evidence="no fsync")
    rows = [*noted, degraded]
    facts = archive_facts({"title": "Old"}, rows, {"files": 1, "read": 1, "refused": 0})
    assert facts["about"] == {"title": "Old"}
    assert facts["verdicts"] == {"VALID": 3, "UNPROVEN": 0, "DEGRADED": 1, "INVALID": 0}
    (reason,) = facts["reasons"]
    assert reason["rule"] == "sync-not-applied"
    assert reason["records"] == 4
    assert "did not happen" in reason["explanation"]
    example, *others = reason["examples"]
    assert example == {"label": "a cell", "access": "write", "verdict": "DEGRADED", "evidence": "no fsync"}
    assert [one["evidence"] for one in others] == ["1 of 9", "2 of 9"]
