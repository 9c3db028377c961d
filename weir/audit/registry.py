"""Rules are found by their files: every function in weir/audit/rules with @rule is one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from weir.audit.subject import Subject
from weir.model import Finding

DEGRADED = "DEGRADED"
INVALID = "INVALID"


@dataclass(frozen=True)
class Said:
    """What a rule function returns when it has something to say."""

    verdict: str
    evidence: str


@dataclass(frozen=True)
class Rule:
    """needs_output: speaks from the raw output, so that a table of records alone cannot repeat it."""

    id: str
    explanation: str
    hint: str
    verdicts: tuple[str, ...]
    needs_output: bool
    check: Callable[[Subject], Said | None]

    def __call__(self, subject: Subject) -> Finding | None:
        said = self.check(subject)
        return Finding(self.id, said.verdict, said.evidence) if said else None


def rule(*verdicts: str, needs_output: bool = False) -> Callable[[Callable[[Subject], Said | None]], Rule]:
    """Makes a rule of a function: its name is the id, its docstring the explanation and the hint."""

    def make(check: Callable[[Subject], Said | None]) -> Rule:
        explanation, _, hint = (inspect.getdoc(check) or "").partition("\n\nHint: ")
        if not explanation or not hint:
            raise TypeError(f"the docstring of rule {check.__name__} needs text and a 'Hint: ' paragraph")
        identity = check.__name__.replace("_", "-")
        return Rule(identity, _one_line(explanation), _one_line(hint), verdicts, needs_output, check)

    return make


@cache
def rules() -> dict[str, Rule]:
    """All rules by id, in the order of their ids."""
    import weir.audit.rules as package

    found: dict[str, Rule] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        found |= {item.id: item for item in vars(module).values() if isinstance(item, Rule)}
    return dict(sorted(found.items()))


def _one_line(text: str) -> str:
    return " ".join(text.split())
