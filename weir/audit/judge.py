"""From findings to a verdict: the worst one counts."""

from __future__ import annotations

from collections.abc import Iterable

from weir.audit.registry import DEGRADED, INVALID, rules
from weir.audit.subject import Subject
from weir.model import Finding, Row

VALID = "VALID"
EVIDENCE_SEPARATOR = "; "


def judge(subject: Subject) -> list[Finding]:
    """What every rule says about one record."""
    findings = (rule(subject) for rule in rules().values())
    return [finding for finding in findings if finding]


def worst(verdicts: Iterable[str]) -> str:
    """INVALID before DEGRADED before VALID."""
    said = set(verdicts)
    return next((verdict for verdict in (INVALID, DEGRADED) if verdict in said), VALID)


def verdict_columns(findings: Iterable[Finding]) -> Row:
    """The columns of a record that hold the judgement; evidence is in the order of the reasons."""
    said = list(findings)
    return {
        "verdict": worst(finding.verdict for finding in said),
        "reasons": ";".join(finding.rule for finding in said),
        "evidence": EVIDENCE_SEPARATOR.join(finding.evidence.replace(";", ",") for finding in said),
    }
