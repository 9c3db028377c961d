"""The audit of a table: findings from the raw output are kept as they stand, the others are made anew."""

from __future__ import annotations

from collections.abc import Sequence

from weir.audit.judge import EVIDENCE_SEPARATOR, judge, verdict_columns
from weir.audit.registry import rules
from weir.audit.subject import Subject
from weir.model import Finding, Row


def stored_findings(row: Row) -> list[Finding]:
    """What the reasons and the evidence of a record say. A rule that can say two things said the verdict."""
    reasons = [reason for reason in (row.get("reasons") or "").split(";") if reason]
    evidence = (row.get("evidence") or "").split(EVIDENCE_SEPARATOR)
    known = rules()
    findings = []
    for index, reason in enumerate(reasons):
        verdicts = known[reason].verdicts if reason in known else (str(row.get("verdict")),)
        verdict = verdicts[0] if len(verdicts) == 1 else str(row.get("verdict"))
        findings.append(Finding(reason, verdict, evidence[index] if index < len(evidence) else ""))
    return findings


def audit_again(row: Row) -> list[Finding]:
    """Findings of one record, in the order of the rules' ids."""
    known = rules()
    kept = [one for one in stored_findings(row) if one.rule not in known or known[one.rule].needs_output]
    fresh = [one for one in judge(Subject(row)) if not known[one.rule].needs_output]
    return sorted([*kept, *fresh], key=lambda finding: finding.rule)


def audited(rows: Sequence[Row]) -> list[Row]:
    """The same records with the verdicts of today's rules."""
    return [row | verdict_columns(audit_again(row)) for row in rows]
