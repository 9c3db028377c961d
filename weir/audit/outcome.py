"""The outcome of a rule: passed, not observable, or a finding (a note, DEGRADED or INVALID)."""

from __future__ import annotations

from typing import NamedTuple

PASSED = "passed"
NOT_OBSERVABLE = "not observable"
NOTE = "NOTE"
DEGRADED = "DEGRADED"
INVALID = "INVALID"
FINDINGS = (NOTE, DEGRADED, INVALID)


class Outcome(NamedTuple):
    """level is one of the constants above; text holds what was seen, or why nothing could be."""

    level: str
    text: str


def _outcome(level: str, text: str) -> Outcome:
    """Makes an Outcome in half the time of Outcome(level, text), since every rule makes one for every
    record."""
    return tuple.__new__(Outcome, (level, text))


def passed(saw: str) -> Outcome:
    """The rule looked at evidence and found nothing wrong."""
    return _outcome(PASSED, saw)


def not_observable(why: str) -> Outcome:
    """The evidence that the rule needs is not in the output."""
    return _outcome(NOT_OBSERVABLE, why)


def note(evidence: str) -> Outcome:
    """Worth knowing; the verdict stays."""
    return _outcome(NOTE, evidence)


def degraded(evidence: str) -> Outcome:
    """The number is usable with this reservation."""
    return _outcome(DEGRADED, evidence)


def invalid(evidence: str) -> Outcome:
    """The number does not mean what it claims."""
    return _outcome(INVALID, evidence)
