"""Verdicts in tables: written, explained, made again; and the page that lists the rules."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.unit.conftest import RunWeir
from weir.audit.evidence import EVIDENCE, KINDS, PROOFS, WHERE
from weir.audit.explain import as_text, manual, triggered
from weir.audit.judge import (
    USABLE,
    VERDICTS,
    Judgement,
    audited,
    judge,
    stored_findings,
    stored_notes,
    verdict_columns,
    worst,
)
from weir.audit.registry import Outcome, degraded, rule, rules
from weir.audit.subject import Subject
from weir.base.files import file_sha256
from weir.collect.table import read_records, write_records
from weir.records.columns import columns
from weir.records.model import Finding, Row

ROW: Row = {
    "api": "POSIX", "access": "write", "nn": 1, "ppn": 1, "iteration": 0, "cell": "0123456789ab",
    "label": "a cell", "tool": "ior", "verdict": "VALID", "reasons": "", "evidence": "", "notes": "",
    "checked": "", "missing": "", "moved_bytes": 2**30, "requested_bytes": 2**30, "total_s": 2.0,
    "bw_mib_s": 512.0,
}  # fmt: skip


def record(**changes: Any) -> Row:
    return dict.fromkeys(columns()) | {"emulated": False} | ROW | changes


def of(*findings: Finding) -> Row:
    return verdict_columns(Judgement(findings))


def test_the_worst_finding_is_the_verdict() -> None:
    assert worst([]) == "VALID"
    assert worst(["DEGRADED", "INVALID", "DEGRADED"]) == "INVALID"
    assert worst(["DEGRADED"], ["fetched"]) == "DEGRADED"
    assert worst([], ["fetched"]) == "UNPROVEN"


def test_reasons_and_evidence_keep_their_order() -> None:
    findings = (Finding("a", "DEGRADED", "one; two"), Finding("b", "INVALID", "three"))
    notes = (Finding("c", "NOTE", "four"),)
    assert verdict_columns(Judgement(findings, notes, {"d": "seen", "e": ""}, {}, ("sync", "stored"))) == {
        "verdict": "INVALID",
        "proof": None,
        "reasons": "a;b",
        "evidence": "one, two; three",
        "notes": "c: four",
        "checked": "d;e",
        "missing": "sync;stored",
    }


def test_stored_findings_are_what_was_written() -> None:
    found = (Finding("other-nodes", "DEGRADED", "n1, n2"), Finding("tool-error", "INVALID", "ERROR: x"))
    texts = {"stripes-differ": "2 files: 7 and 8", "phase-too-short": "9 ms"}
    notes = tuple(Finding(rule, "NOTE", text) for rule, text in texts.items())
    stored = record(**verdict_columns(Judgement(found, notes)))
    assert stored_findings(stored) == list(found)
    assert stored_notes(stored) == list(notes)


def test_again_keeps_what_needs_output_and_renews_the_rest() -> None:
    kept = record(**of(Finding("tool-error", "INVALID", "ERROR: x")))
    gone = record(**of(Finding("phase-longer-than-total", "INVALID", "of an older rule")))
    new = record(bw_mib_s=700.0)
    found = audited([kept, gone, new])
    assert [row["verdict"] for row in found] == ["INVALID", "VALID", "INVALID"]
    assert [row["reasons"] for row in found] == ["tool-error", "", "bandwidth-not-bytes-over-time"]


def test_reasons_of_another_version_stay() -> None:
    stored = record(verdict="DEGRADED", reasons="rule-of-tomorrow", evidence="seen", checked="rule-of-today")
    (again,) = audited([stored])
    assert (again["verdict"], again["reasons"], again["evidence"]) == ("DEGRADED", "rule-of-tomorrow", "seen")
    assert "rule-of-today" in again["checked"].split(";")
    assert "no such rule" in triggered([stored])[0]["explanation"]


def test_an_example_of_an_imported_log_names_the_log() -> None:
    """A hundred logs may have one label, and the reader opens the right one."""
    found = of(Finding("phase-too-short", "DEGRADED", "9 ms"))
    bare = dict.fromkeys(("stack", "target", "site"))
    logs = [record(label="1MiB 1x2", source=f"{day}.txt", **(bare | found)) for day in ("monday", "tuesday")]
    measured = record(label="1MiB 1x2", source="weir run", **({"stack": "debian"} | found))
    lines = as_text(triggered([*logs, measured])).splitlines()
    assert [line for line in lines if line.startswith("  - ")] == [
        "  - monday.txt: 1MiB 1x2, write: 9 ms",
        "  - tuesday.txt: 1MiB 1x2, write: 9 ms",
        "  - 1MiB 1x2, write: 9 ms",
    ]


def test_a_rule_without_a_hint_is_refused() -> None:
    def half_explained(subject: Subject) -> Outcome | None:
        """Only an explanation."""
        return None

    with pytest.raises(TypeError, match="half_explained"):
        rule("INVALID")(half_explained)


def test_a_rule_cannot_return_more_than_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    @rule("NOTE")
    def louder(subject: Subject) -> Outcome | None:
        """Declares a note.

        Hint: declare DEGRADED.
        """
        return degraded("seen")

    monkeypatch.setattr(sys.modules[judge.__module__], "rules_for", lambda tool: (louder,))
    with pytest.raises(TypeError, match="louder declares"):
        judge(Subject(record()))


def test_evidence_is_given_by_rules_that_exist() -> None:
    assert {name for names in (*KINDS.values(), WHERE) for name in names} == set(EVIDENCE)
    assert {one for evidence in EVIDENCE.values() for one in evidence.rules} <= set(rules())


def test_a_table_with_evidence_keeps_what_lacks() -> None:
    assert audited([record(verdict="UNPROVEN", missing="fetched")])[0]["verdict"] == "UNPROVEN"
    bare = {name: value for name, value in record().items() if name != "missing"}
    assert audited([bare])[0]["missing"] == "end;file;sync;stored"


def test_the_page_of_rules_is_of_today() -> None:
    page = ROOT / "docs" / "audit.md"
    assert page.read_text() == manual(), "docs/audit.md is old; write it: weir audit --rules > docs/audit.md"


def test_command_explains(tmp_path: Path, run_weir: RunWeir) -> None:
    table = tmp_path / "records.csv"
    write_records(table, [record(), record(**of(Finding("tool-error", "INVALID", "ERROR: x")))])
    text = run_weir("audit", table).out
    assert "1 VALID, 0 UNPROVEN, 0 DEGRADED, 1 INVALID" in text
    assert "hint: fix what the message names" in text
    assert "- a cell, write: ERROR: x" in text


def test_command_gives_facts_and_writes(tmp_path: Path, run_weir: RunWeir) -> None:
    table, out = tmp_path / "records.csv", tmp_path / "again.csv"
    write_records(table, [record(bw_mib_s=700.0)])
    facts = json.loads(run_weir("audit", table, "--out", out, "--json").out)
    assert facts["verdicts"] == {"VALID": 0, "UNPROVEN": 0, "DEGRADED": 0, "INVALID": 1}
    assert [one["rule"] for one in facts["rules"]] == ["authors-verdict", "bandwidth-not-bytes-over-time"]
    assert read_records(out)[0]["verdict"] == "INVALID"
    assert read_records(table)[0]["verdict"] == "VALID"


def test_a_table_that_was_edited_stays_marked(tmp_path: Path, run_weir: RunWeir) -> None:
    """A copy of it without the sums, too."""
    table, out = tmp_path / "records.csv", tmp_path / "again.csv"
    write_records(table, [record()])
    sums = tmp_path / "SHA256SUMS"
    other = f"{'0' * 64}  other.csv\n"
    for text, why in (
        (f"{file_sha256(table)}  records.csv\n", ""),
        (f"{'0' * 64}  records.csv\n", "edited after it was collected"),
        (other, "no sum beside the table"),
        (None, "no sum beside the table"),
    ):
        sums.unlink(missing_ok=True) if text is None else sums.write_text(text)
        printed = run_weir("audit", table, "--out", out).out
        notes = read_records(out)[0]["notes"] or ""
        assert ("authors-verdict" in notes, why in notes) == (bool(why), True)
        assert ("edited after it was collected" in printed) is ("edited" in why)


def test_command_lists_the_rules(run_weir: RunWeir) -> None:
    assert run_weir("audit", "--rules").out == manual()
    facts = json.loads(run_weir("audit", "--rules", "--json").out)
    assert {"rule", "verdicts", "explanation", "hint"} == set(facts["rules"][0])
    assert facts["kinds"]["buffered read"][-1] == "fetched"
    assert facts["evidence"]["fetched"]["rules"] == ["read-from-cache", "not-from-servers"]


def test_command_without_a_table(run_weir: RunWeir) -> None:
    assert "no records are named" in run_weir("audit", code=2).err


def test_usable_verdicts_are_listed_once() -> None:
    assert VERDICTS[: len(USABLE)] == USABLE
    again = [file for file in (ROOT / "weir").rglob("*.py") if '("VALID", "UNPROVEN")' in file.read_text()]
    assert again == []


def test_words_of_verdicts_evidence_and_proof_stand_in_the_schema_alone() -> None:
    """Page, print, terminal and README read or repeat them."""
    known = columns()
    assert list(known["missing"].texts) == list(EVIDENCE)
    assert list(known["proof"].texts) == list(PROOFS)
    verdict = known["verdict"]
    assert tuple(verdict.texts) == tuple(verdict.meanings) == verdict.choices == VERDICTS
    readme = (ROOT / "README.md").read_text()
    assert all(f"| {name} | {meaning}" in readme for name, meaning in verdict.meanings.items())
