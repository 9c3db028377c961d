"""Makes one verdict from the outcomes of all rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weir.audit.evidence import missing, proof
from weir.audit.outcome import DEGRADED, INVALID, NOT_OBSERVABLE, NOTE, PASSED, Outcome
from weir.audit.registry import Rule, rules_for
from weir.audit.subject import Subject
from weir.terms.model import Finding, Row

VALID = "VALID"
UNPROVEN = "UNPROVEN"
VERDICTS = (VALID, UNPROVEN, DEGRADED, INVALID)
USABLE = (VALID, UNPROVEN)  # a number that no rule objects to
EVIDENCE_SEPARATOR = "; "


@dataclass(frozen=True)
class Judgement:
    """The outcomes of the rules for one record; `missing` names the evidence that VALID needs."""

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
    return judge_all([subject])[0]


def judge_all(subjects: Sequence[Subject]) -> list[Judgement]:
    """The judgement of each record. Records of one tool are judged rule by rule: code that was just executed
    is in the caches of the processor, which saves half of the time."""
    judged: list[_Outcomes] = [_Outcomes() for _ in subjects]
    by_tool: dict[str | None, list[tuple[Subject, _Outcomes]]] = {}
    for subject, outcomes in zip(subjects, judged, strict=True):
        by_tool.setdefault(subject.row.get("tool"), []).append((subject, outcomes))
    for tool, pairs in by_tool.items():
        for rule in rules_for(tool):
            check = rule.check
            for subject, outcomes in pairs:
                outcome = check(subject)
                if outcome is not None:
                    outcomes.add(rule, outcome)
    return [outcomes.judgement(subject) for subject, outcomes in zip(subjects, judged, strict=True)]


class _Outcomes:
    """The outcomes of the rules that have looked at one record so far."""

    __slots__ = ("found", "not_observable", "passed")

    def __init__(self) -> None:
        self.found: list[Finding] = []
        self.passed: dict[str, str] = {}
        self.not_observable: dict[str, str] = {}

    def add(self, rule: Rule, outcome: Outcome) -> None:
        level, text = outcome
        if level == PASSED:
            self.passed[rule.id] = text
        elif level == NOT_OBSERVABLE:
            self.not_observable[rule.id] = text
        else:
            rule.require(level)
            self.found.append(Finding(rule.id, level, text))

    def judgement(self, subject: Subject) -> Judgement:
        return Judgement(
            findings=tuple(finding for finding in self.found if finding.verdict != NOTE),
            notes=tuple(finding for finding in self.found if finding.verdict == NOTE),
            passed=self.passed,
            not_observable=self.not_observable,
            missing=missing(subject, self.passed),
        )


def worst(verdicts: Iterable[str], missing_evidence: Iterable[str] = ()) -> str:
    """INVALID before DEGRADED before UNPROVEN before VALID."""
    found = set(verdicts) | ({UNPROVEN} if [*missing_evidence] else set())
    return next((verdict for verdict in reversed(VERDICTS) if verdict in found), VALID)


def verdict_columns(judgement: Judgement) -> Row:
    """The columns of a record that hold the judgement; evidence is in the order of the reasons."""
    found = judgement.findings
    verdict = judgement.verdict
    return {
        "verdict": verdict,
        "proof": proof(judgement.passed) if verdict == VALID else None,
        "reasons": ";".join(finding.rule for finding in found),
        "evidence": EVIDENCE_SEPARATOR.join(_plain(finding.evidence) for finding in found),
        "notes": EVIDENCE_SEPARATOR.join(f"{one.rule}: {_plain(one.evidence)}" for one in judgement.notes),
        "checked": ";".join(judgement.passed),
        "missing": ";".join(judgement.missing),
    }


def _plain(text: str) -> str:
    """The text without the character that separates entries in a column."""
    return text.replace(";", ",")
