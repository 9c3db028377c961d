"""Makes one verdict from the outcomes of all rules.

Of a record of a table, what needs the raw output is kept as it stands, and the rest is judged again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from weir.audit.evidence import EVIDENCE, missing, proof
from weir.audit.registry import (
    DEGRADED,
    INVALID,
    NOT_OBSERVABLE,
    NOTE,
    PASSED,
    Outcome,
    Rule,
    rules,
    rules_for,
)
from weir.audit.subject import Subject
from weir.records.model import Finding, Row

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


def stored_findings(row: Row) -> list[Finding]:
    """Findings by the columns of a record. A rule with two verdicts has that of the record."""
    evidence = (row.get("evidence") or "").split(EVIDENCE_SEPARATOR)
    known = rules()
    findings = []
    for index, reason in enumerate(names_in(row.get("reasons"))):
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
    passed = {name: "" for name in names_in(row.get("checked")) if _is_kept(name)}
    passed |= {name: saw for name, saw in fresh.passed.items() if not _is_kept(name)}
    known_missing = fresh.missing if row.get("missing") is None else names_in(row["missing"])
    lacking = [one for one in known_missing if one not in EVIDENCE or not EVIDENCE[one].is_given(passed)]
    return Judgement(
        findings=_merged(stored_findings(row), fresh.findings),
        notes=_merged(stored_notes(row), fresh.notes),
        passed=dict(sorted(passed.items())),
        missing=tuple(lacking),
    )


def audited(rows: Sequence[Row], doubt: str = "") -> list[Row]:
    """The same records with the verdicts of today's rules. doubt: why no sum vouches for their table, which
    is proven by its author alone: each verdict has a note of it, also in the table that is written."""
    notes = (Finding("authors-verdict", "NOTE", doubt),) if doubt else ()
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


def names_in(text: str | None) -> list[str]:
    """The names of rules or of evidence that a field of a record has."""
    return [part for part in (text or "").split(";") if part]
