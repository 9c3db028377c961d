"""Findings and rules, for people (text, Markdown) and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weir.audit.evidence import evidence_table, level_table
from weir.audit.judge import stored_findings, stored_notes
from weir.audit.lacking import is_of_log
from weir.audit.registry import Rule, rules
from weir.terms.columns import columns
from weir.terms.model import Row

_EXAMPLES = 3
_WIDTH = 100
_MANUAL_HEAD = """\
# The audit

For readers of records who want to know what a verdict rests on.

Every record carries one of four verdicts:

{verdicts}

Each rule compares what was requested with what was observed and returns *passed*, *not observable* or a
finding: a note, DEGRADED or INVALID. A note leaves the verdict alone. The columns of a record: `reasons`
and `evidence` (findings), `notes`, `checked` (rules that passed), `missing` (missing evidence). Records are
flagged, never dropped. A table that carries verdicts keeps them when it is imported.

`weir audit --rules` prints this page from weir/audit/rules, where comments have the exceptions of each rule.
Rules marked *also of a table* need no raw files of a run; `weir audit` of a table keeps the findings of the
others, `weir collect` runs them again.

## Minimum evidence

Evidence is there if one of its rules passed. In the memory of a node, the proof is that the file system is
one of memory and holds the bytes. An import of a bare log is mostly UNPROVEN: it does not tell what the
caches did.
"""
_LEVELS_HEAD = """
## How far a record is proven

The column `proof` of a VALID record. Each level resists accidents (a full cache, a dropped option) in what it
covers, convenience (a mount option, a preloaded library) as the table states, and intent as far as nobody
edits outputs, which `weir verify` and a signature show. What [weir cannot see](zoo.md#what-weir-cannot-see)
is excluded, and root on the client, who can change what the kernel counts.

"""
_RULES_HEAD = """
## Rules

Each begins with the verdicts that its findings can have.
"""
_UNKNOWN = "This weir has no such rule; the records were audited by another version."


def triggered(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Each rule with findings: how often, about what, why it matters and what to do; most frequent first."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for finding in [*stored_findings(row), *stored_notes(row)]:
            rule = rules().get(finding.rule)
            entry = found.setdefault(
                finding.rule,
                {
                    "rule": finding.rule,
                    "records": 0,
                    "verdicts": {},
                    "explanation": rule.explanation if rule else _UNKNOWN,
                    "hint": hint_of(rule, is_of_log(row)) if rule else "",
                    "examples": [],
                },
            )
            entry["records"] += 1
            entry["verdicts"][finding.verdict] = entry["verdicts"].get(finding.verdict, 0) + 1
            if len(entry["examples"]) < _EXAMPLES:
                example = _example(row, finding.evidence)
                entry["examples"] += [example] if example not in entry["examples"] else []
    return sorted(found.values(), key=lambda entry: (-entry["records"], entry["rule"]))


def _example(row: Row, evidence: str) -> dict[str, Any]:
    """A record with a finding; one of a log has the log's name, since many logs have one label."""
    log = {"source": row["source"]} if is_of_log(row) and row.get("source") else {}
    return log | {"label": row.get("label"), "access": row["access"], "evidence": evidence}


def example_text(example: Mapping[str, Any]) -> str:
    """The log, the cell and what was seen."""
    log = f"{example['source']}: " if "source" in example else ""
    return f"{log}{example['label']}, {example['access']}: {example['evidence']}"


def hint_of(rule: Rule, of_log: bool) -> str:
    """The hint of a rule; a log has one of its own, because no suite can be changed."""
    return rule.log_hint if rule.log_hint and of_log else rule.hint


def as_text(entries: Sequence[dict[str, Any]]) -> str:
    """A paragraph for each rule."""
    return "\n\n".join("\n".join(_lines(entry)) for entry in entries)


def _lines(entry: dict[str, Any]) -> list[str]:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(entry["verdicts"].items()))
    lines = [f"{entry['rule']}: {verdicts}", *_wrapped(entry["explanation"])]
    lines += _wrapped(f"hint: {entry['hint']}") if entry["hint"] else []
    return lines + [f"  - {example_text(one)}" for one in entry["examples"]]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def manual() -> str:
    """docs/audit.md: every rule, from its docstring."""
    verdicts = [f"- **{name}**: {text}." for name, text in columns()["verdict"].meanings.items()]
    head = _MANUAL_HEAD.replace("{verdicts}", "\n".join(verdicts)).splitlines()
    lines = [*head, "", *evidence_table(), *_LEVELS_HEAD.splitlines(), *level_table()]
    lines += _RULES_HEAD.splitlines()
    for rule in rules().values():
        source = "" if rule.needs_output else ", also of a table"
        lines += ["", f"## {rule.id}", "", f"*{' or '.join(rule.verdicts)}{source}.* {rule.explanation}"]
        lines += ["", f"**Hint:** {rule.hint}"]
        lines += ["", f"**Of a log:** {rule.log_hint}"] if rule.log_hint else []
    return "\n".join(lines) + "\n"
