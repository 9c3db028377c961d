"""From the outcomes of all rules to a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weir.audit.evidence import missing
from weir.audit.outcome import DEGRADED, INVALID, NOT_OBSERVABLE, NOTE, PASSED
from weir.audit.registry import rules_for
from weir.audit.subject import Subject
from weir.model import Finding, Row

VALID = "VALID"
UNPROVEN = "UNPROVEN"
VERDICTS = (VALID, UNPROVEN, DEGRADED, INVALID)
USABLE = (VALID, UNPROVEN)  # a number that no rule objects to
EVIDENCE_SEPARATOR = "; "


@dataclass(frozen=True)
class Judgement:
    """What the rules found about one record, by rule; missing names the evidence that VALID needs."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    passed: Mapping[str, str] = field(default_factory=dict)
    not_observable: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        return worst([finding.verdict for finding in self.findings], self.missing)


def judge(subject: Subject) -> Judgement:
    """The outcome of every rule for one record."""
    found: list[Finding] = []
    without_finding: dict[str, dict[str, str]] = {PASSED: {}, NOT_OBSERVABLE: {}}
    for rule in rules_for(subject.row.get("tool")):
        outcome = rule(subject)
        if outcome is None:
            continue
        if (texts := without_finding.get(outcome.level)) is not None:
            texts[rule.id] = outcome.text
        else:
            found.append(Finding(rule.id, outcome.level, outcome.text))
    passed = without_finding[PASSED]
    return Judgement(
        findings=tuple(finding for finding in found if finding.verdict != NOTE),
        notes=tuple(finding for finding in found if finding.verdict == NOTE),
        passed=passed,
        not_observable=without_finding[NOT_OBSERVABLE],
        missing=missing(subject, passed),
    )


def worst(verdicts: Iterable[str], missing_evidence: Iterable[str] = ()) -> str:
    """INVALID before DEGRADED before UNPROVEN before VALID."""
    found = set(verdicts) | ({UNPROVEN} if [*missing_evidence] else set())
    return next((verdict for verdict in reversed(VERDICTS) if verdict in found), VALID)


def verdict_columns(judgement: Judgement) -> Row:
    """The columns of a record that hold the judgement; evidence is in the order of the reasons."""
    found = judgement.findings
    return {
        "verdict": judgement.verdict,
        "reasons": ";".join(finding.rule for finding in found),
        "evidence": EVIDENCE_SEPARATOR.join(_plain(finding.evidence) for finding in found),
        "notes": EVIDENCE_SEPARATOR.join(f"{one.rule}: {_plain(one.evidence)}" for one in judgement.notes),
        "checked": ";".join(judgement.passed),
        "missing": ";".join(judgement.missing),
    }


def _plain(text: str) -> str:
    """Without the character that separates."""
    return text.replace(";", ",")
