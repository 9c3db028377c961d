"""What facts.json tells the report of the audit."""

from __future__ import annotations

from weir.records.study_facts import archive_facts


def test_reasons_come_with_what_they_mean_and_an_example() -> None:
    rows = [
        {"access": "write", "label": "a cell", "verdict": "VALID", "reasons": "", "evidence": ""},
        {
            "access": "write",
            "label": "a cell",
            "verdict": "DEGRADED",
            "reasons": "sync-not-applied",
            "evidence": "no fsync",
        },
    ]
    facts = archive_facts({"title": "Old"}, rows, {"files": 1, "read": 1, "refused": 0})
    assert facts["about"] == {"title": "Old"}
    assert facts["verdicts"] == {"VALID": 1, "UNPROVEN": 0, "DEGRADED": 1, "INVALID": 0}
    (reason,) = facts["reasons"]
    assert reason["rule"] == "sync-not-applied"
    assert reason["records"] == 1
    assert "did not happen" in reason["explanation"]
    assert reason["examples"] == [{"label": "a cell", "access": "write", "evidence": "no fsync"}]
