"""The findings of the audit in the logs of a result, which may be valid by its rules all the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.audit.judge import USABLE, VERDICTS
from weir.base.files import printable
from weir.decide.io500.result import Result
from weir.decide.io500.result_sets import ResultSet, logs_of, rows_by_source
from weir.records.facts import Facts
from weir.records.importing import Source, import_sources
from weir.terms.model import Row

_WORST_FIRST = tuple(verdict for verdict in reversed(VERDICTS) if verdict not in USABLE)


@dataclass(frozen=True)
class LogFinding:
    """Logs of one verdict with the same reasons, as a record has them; evidence: of the first log."""

    verdict: str
    reasons: str
    evidence: str
    logs: tuple[str, ...]


@dataclass(frozen=True)
class LogAudit:
    """The records of each log, by phase; a log without a result has none."""

    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    @property
    def logs(self) -> int:
        return sum(bool(rows) for rows in self.rows.values())

    @property
    def files(self) -> set[Path]:
        return {Path(row["source"]) for rows in self.rows.values() for row in rows}

    @property
    def findings(self) -> list[LogFinding]:
        return findings_of(self.rows.values())


def audited(folder: Path, result: Result) -> LogAudit:
    """The logs of a directory, judged together as `weir import` judges them."""
    one = ResultSet(folder, result, (), logs_of(folder))
    columns = columns_of_logs([one])
    sources = [Source(file, columns[file], is_found=True) for file in one.logs.values()]
    imported = import_sources(sources, Facts())
    by_source = rows_by_source([*imported.rows, *imported.copied])
    return LogAudit({name: by_source.get(printable(file), ()) for name, file in one.logs.items()})


def columns_of_logs(sets: Iterable[ResultSet]) -> dict[Path, Row]:
    return {file: one.columns(name) for one in sets for name, file in one.logs.items()}


def worst_row(rows: Iterable[Row]) -> Row | None:
    """The record that no rule may pass, the worst one where a log has several results."""
    bad = [row for row in rows if row["verdict"] in _WORST_FIRST]
    return min(bad, key=lambda row: _WORST_FIRST.index(row["verdict"]), default=None)


def findings_of(logs: Iterable[Sequence[Row]]) -> list[LogFinding]:
    """logs: the records of each. A log counts once, by its worst record."""
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for rows in logs:
        if row := worst_row(rows):
            grouped[row["verdict"], row["reasons"]].append(row)
    ordered = sorted(grouped.items(), key=lambda one: _WORST_FIRST.index(one[0][0]))
    return [
        LogFinding(verdict, reasons, rows[0]["evidence"], tuple(Path(row["source"]).name for row in rows))
        for (verdict, reasons), rows in ordered
    ]


def audit_text(audit: LogAudit) -> str:
    """The number of logs of each verdict that does not count, and the rules behind it: a part of one line."""
    if not audit.logs:
        return "it has no logs to audit"
    parts = []
    for verdict in _WORST_FIRST:
        found = [one for one in audit.findings if one.verdict == verdict]
        if found:
            reasons = dict.fromkeys(name for one in found for name in one.reasons.split(";"))
            parts.append((sum(len(one.logs) for one in found), f"{verdict} ({', '.join(reasons)})"))
    if not parts:
        return f"the audit calls none of its logs ({audit.logs}) {' or '.join(_WORST_FIRST)}"
    (count, text), *more = parts
    others = "".join(f", {number} {other}" for number, other in more)
    which = "its only log" if audit.logs == 1 else f"{count} of its {audit.logs} logs"
    return f"the audit calls {which} {text}{others}"


def audit_lines(audit: LogAudit) -> Iterator[str]:
    """Each finding with its evidence and its logs."""
    if not audit.findings:
        return
    yield "what the audit finds in the logs (every record with its evidence: weir import DIR)"
    for one in audit.findings:
        yield f"  {one.verdict} {one.reasons}: {', '.join(one.logs)}"
        yield f"    {one.logs[0]}: {one.evidence}"
    yield ""


def audit_facts(audit: LogAudit) -> dict[str, Any]:
    return {"logs": audit.logs, "findings": [vars(one) | {"logs": list(one.logs)} for one in audit.findings]}
