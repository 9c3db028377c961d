"""Rules are found by their files: functions with @rule in weir/audit/rules and weir/tools/<tool>/rules.py.

The outcome of a rule is passed, not observable, or a finding (a note, DEGRADED or INVALID).
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

from weir.audit.subject import Subject
from weir.base.plugins import modules, objects
from weir.tools import tools

PASSED = "passed"
NOT_OBSERVABLE = "not observable"
NOTE = "NOTE"
DEGRADED = "DEGRADED"
INVALID = "INVALID"


class Outcome(NamedTuple):
    """level is one of the constants above; text holds what was seen, or why nothing could be."""

    level: str
    text: str


def _outcome(level: str, text: str) -> Outcome:
    """Makes an Outcome in half the time of Outcome(level, text), since every rule makes one for every
    record."""
    return tuple.__new__(Outcome, (level, text))


passed = partial(_outcome, PASSED)  # the rule looked at evidence and found nothing wrong
not_observable = partial(_outcome, NOT_OBSERVABLE)  # the evidence that the rule needs is not in the output
note = partial(_outcome, NOTE)  # worth knowing; the verdict stays
degraded = partial(_outcome, DEGRADED)  # the number is usable with this reservation
invalid = partial(_outcome, INVALID)  # the number does not mean what it claims

# None: the rule is about another kind of record, such as a rule about reads for a write.
Check = Callable[[Subject], Outcome | None]


@dataclass(frozen=True)
class Rule:
    """needs_output: works on the raw output or the run, so that a table of records cannot repeat it.
    log_hint: the hint for whoever has a log and no suite, where the other one names what a suite has."""

    id: str
    explanation: str
    hint: str
    verdicts: tuple[str, ...]
    needs_output: bool
    check: Check
    log_hint: str = ""
    tool: str | None = None  # looks at the records of this tool only

    def passes(self, subject: Subject) -> bool:
        """Whether it looked at a record and found nothing wrong, for rules that rest on it."""
        outcome = self.check(subject)
        return outcome is not None and outcome.level == PASSED

    def require(self, level: str) -> None:
        """A finding must have a verdict that the rule declares."""
        if level not in self.verdicts:
            raise TypeError(f"rule {self.id} declares {self.verdicts} and returns {level}")


def rule(*verdicts: str, needs_output: bool = False) -> Callable[[Check], Rule]:
    """Makes a rule of a function: its name is the id, its docstring the explanation, the hint and, if
    need be, the hint for a log."""

    def make(check: Check) -> Rule:
        explanation, _, hints = (inspect.getdoc(check) or "").partition("\n\nHint: ")
        hint, _, log_hint = hints.partition("\n\nOf a log: ")
        if not explanation or not hint:
            raise TypeError(f"the docstring of rule {check.__name__} needs text and a 'Hint: ' paragraph")
        identity = check.__name__.replace("_", "-")
        text, advice = _one_line(explanation), _one_line(hint)
        return Rule(identity, text, advice, verdicts, needs_output, check, _one_line(log_hint))

    return make


@cache
def rules() -> dict[str, Rule]:
    """All rules by id, in the order of their ids: those of every record, and those of one tool's records."""
    found: dict[str, Rule] = {}
    for part in modules("weir.audit.rules"):
        found |= {item.id: item for item in objects(part, Rule)}
    for name, tool in tools().items():
        module = f"{sys.modules[type(tool).__module__].__package__}.rules"
        if importlib.util.find_spec(module):
            for item in objects(importlib.import_module(module), Rule):
                found[item.id] = replace(item, tool=name)
    return dict(sorted(found.items()))


@cache
def rules_for(tool: str | None) -> tuple[Rule, ...]:
    """The rules that look at records of this tool, in the order of their ids."""
    return tuple(rule for rule in rules().values() if rule.tool in (None, tool))


def _one_line(text: str) -> str:
    return " ".join(text.split())
