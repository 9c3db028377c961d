"""The audit of a table: what needs the raw output is kept as it stands, the rest is judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weir.audit.evidence import EVIDENCE
from weir.audit.judge import EVIDENCE_SEPARATOR, Judgement, judge, verdict_columns
from weir.audit.registry import rules
from weir.audit.subject import Subject
from weir.terms.model import Finding, Row

_AUTHORS = Finding("authors-verdict", "NOTE", "the table was edited after it was collected")


def stored_findings(row: Row) -> list[Finding]:
    """Findings by the columns of a record. A rule with two verdicts has that of the record."""
    evidence = (row.get("evidence") or "").split(EVIDENCE_SEPARATOR)
    known = rules()
    findings = []
    for index, reason in enumerate(_list(row.get("reasons"))):
        verdicts = [one for one in known[reason].verdicts if one != "NOTE"] if reason in known else []
        verdict = verdicts[0] if len(verdicts) == 1 else str(row.get("verdict"))
        findings.append(Finding(reason, verdict, evidence[index] if index < len(evidence) else ""))
    return findings


def stored_notes(row: Row) -> list[Finding]:
    """Notes by the column of a record."""
    parts = [part.partition(": ") for part in (row.get("notes") or "").split(EVIDENCE_SEPARATOR) if part]
    return [Finding(rule, "NOTE", evidence) for rule, _, evidence in parts]


def audit_again(row: Row) -> Judgement:
    """The judgement of one record of a table, in the order of the rules' ids."""
    fresh = judge(Subject(row, from_output=False))
    passed = {name: "" for name in _list(row.get("checked")) if _is_kept(name)}
    passed |= {name: saw for name, saw in fresh.passed.items() if not _is_kept(name)}
    known_missing = fresh.missing if row.get("missing") is None else _list(row["missing"])
    lacking = [name for name in known_missing if not _is_given(name, passed)]
    return Judgement(
        findings=_merged(stored_findings(row), fresh.findings),
        notes=_merged(stored_notes(row), fresh.notes),
        passed=dict(sorted(passed.items())),
        missing=tuple(lacking),
    )


def audited(rows: Sequence[Row], is_vouched_for: bool = True) -> list[Row]:
    """The same records with the verdicts of today's rules. A table that has not its sum is proven by its
    author alone: each verdict has a note of it, also in the table that is written."""
    notes = () if is_vouched_for else (_AUTHORS,)
    return [row | verdict_columns(_with_notes(audit_again(row), notes)) for row in rows]


def _with_notes(judgement: Judgement, notes: Sequence[Finding]) -> Judgement:
    others = [one for one in judgement.notes if one.rule not in {note.rule for note in notes}]
    return replace(judgement, notes=tuple(sorted([*others, *notes], key=lambda finding: finding.rule)))


def _merged(stored: Sequence[Finding], fresh: Sequence[Finding]) -> tuple[Finding, ...]:
    kept = [one for one in stored if _is_kept(one.rule)]
    made = [one for one in fresh if not _is_kept(one.rule)]
    return tuple(sorted([*kept, *made], key=lambda finding: finding.rule))


def _is_kept(name: str) -> bool:
    """Rules of another version, and those that need the raw output."""
    return name not in rules() or rules()[name].needs_output


def _is_given(name: str, passed: dict[str, str]) -> bool:
    return name in EVIDENCE and any(one in passed for one in EVIDENCE[name].rules)


def _list(text: str | None) -> list[str]:
    return [part for part in (text or "").split(";") if part]
