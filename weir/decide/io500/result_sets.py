"""IO500 result sets among files: their phases as records, and the findings of the audit in their logs.

A result that is valid by its rules may have such findings all the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weir.audit.judge import USABLE, VERDICTS
from weir.base.errors import WeirError
from weir.base.files import printable
from weir.collect.imported_files import Facts
from weir.collect.importing import NOT_PRINTED, Source, import_sources
from weir.decide.io500.directory import (
    distinct_runs,
    is_same_run,
    is_usual,
    read_directory,
    read_file,
    results_in,
)
from weir.decide.io500.result import COLUMNS, PHASES, TOLERANCE, Io500Phase, Io500Result, access_of, value_of
from weir.records.model import Row, grouped


@dataclass(frozen=True)
class ResultSet:
    """A directory with a result. summaries: the files that hold it; logs: those named after phases."""

    folder: Path
    result: Io500Result
    summaries: tuple[Path, ...]
    logs: Mapping[str, Path]

    def columns(self, phase: str) -> Row:
        """The columns that the logs of a phase do not print: with these the records are a study of the suite
        io500."""
        return {"suite": "io500", "experiment": _experiment(phase), "target": self.result.label}

    def labelled(self, label: str) -> "ResultSet":
        return replace(self, result=replace(self.result, label=label))


def result_sets(folders: Iterable[Path]) -> tuple[list[ResultSet], dict[Path, WeirError]]:
    """Results of the directories that hold one; errors: those of results that cannot be read, by file."""
    found: list[ResultSet] = []
    errors: dict[Path, WeirError] = {}
    for folder in folders:
        summaries = tuple(results_in(folder))
        if not summaries:
            continue
        try:
            main = ResultSet(folder, read_directory(folder), summaries, logs_of(folder))
        except WeirError as error:
            each, unread = result_files(summaries)
            if len(each) > 1:  # of several runs nobody knows whose the logs are
                found += _runs_in(each)
            else:
                unread = dict.fromkeys(summaries, error)
        else:
            each, unread = result_files(file for file in summaries if not is_usual(file))
            others = [one for one in each if not _is_of(main, one)]
            elsewhere = unread.keys() | {one.result.source for one in others}
            of_main = tuple(file for file in summaries if file not in elsewhere)
            found += [replace(main, summaries=of_main), *_runs_in(others)]
        errors |= unread
    names = Counter(each.result.label for each in found)
    return [_named(each, names[each.result.label] > 1) for each in found], errors


def result_files(files: Iterable[Path]) -> tuple[list[ResultSet], dict[Path, WeirError]]:
    """Results of files with a summary or a result.txt, each by itself; errors as in `result_sets`."""
    found: list[ResultSet] = []
    errors: dict[Path, WeirError] = {}
    for file in dict.fromkeys(files):
        try:
            results = read_file(file)
        except WeirError as error:
            errors[file] = error
            continue
        found += [ResultSet(file.parent, result, (file,), {}) for result in results]
    return found, errors


def _is_of(main: ResultSet, one: ResultSet) -> bool:
    """Whether a file holds the result of the directory, or a part of it."""
    return one.result.source == main.result.source or is_same_run(one.result, main.result)


def _runs_in(sets: Sequence[ResultSet]) -> Iterator[ResultSet]:
    """A set for each run, with all of its files; what holds no phase is none."""
    for run in distinct_runs(one.result for one in sets if one.result.phases):
        files = [one.summaries for one in sets if is_same_run(one.result, run)]
        own = next(one for one in sets if one.result is run)
        label = f"{run.label}/{printable(run.source.stem)}"  # named after its file
        yield replace(own, summaries=tuple(file for each in files for file in each)).labelled(label)


def _named(one: ResultSet, is_shared: bool) -> ResultSet:
    """Two directories of one name are told apart by their parents'."""
    return one.labelled(f"{one.folder.parent.name}/{one.result.label}") if is_shared else one


def logs_of(folder: Path) -> dict[str, Path]:
    """Logs by phase, with those of extended phases such as ior_rnd4k_read."""
    return {
        file.stem.replace("-", "_").lower(): file
        for file in sorted(folder.iterdir())
        if file.suffix == ".txt" and file.stem.replace("_", "-").startswith(("ior-", "mdtest-"))
    }


def phase_row(one: ResultSet, phase: Io500Phase) -> Row:
    """The record of a phase from the summary, where no log has it."""
    row: Row = {
        "tool": phase.name.partition("_")[0],
        "api": NOT_PRINTED,
        "total_s": phase.time_s,
        "stonewall_s": phase.stonewall_s,
        "access": access_of(phase.name),
        "iteration": 0,
    }
    column, factor = COLUMNS[phase.unit]
    row |= {column: factor * phase.value} | _RULES.get(_experiment(phase.name), {}) | phase.columns
    return row | _shape(one.result) | one.columns(phase.name)


# Values that the rules fix.
_RULES: Mapping[str, Row] = {
    "ior-hard": {"layout": "shared", "xfer_bytes": 47008, "block_bytes": 47008},
    "mdtest-easy": {"item": "file", "directories": "own"},
    "mdtest-hard": {"item": "file", "directories": "shared", "xfer_bytes": 3901},
    "find": {"item": "file", "xfer_bytes": 3901},
}


def _shape(result: Io500Result) -> Row:
    """Nodes and tasks; where nodes have different numbers of tasks, nobody knows the largest one."""
    if not result.nodes or not result.procs:
        return {}
    is_even = result.procs % result.nodes == 0
    ppn = result.procs // result.nodes if is_even else None
    return {"nn": result.nodes, "ppn": ppn, "tasks": result.procs}


def _experiment(phase: str) -> str:
    """ior-easy for ior_easy_write, as the suite io500 names its experiments."""
    return phase if phase == "find" else "-".join(phase.split("_")[:-1])


def rows_by_source(rows: Iterable[Row]) -> Mapping[str, Sequence[Row]]:
    """The records of each file: thousands of result sets must not each look at those of all others."""
    return grouped((row["source"] or "", row) for row in rows)


def phases_of_logs(one: ResultSet, by_source: Mapping[str, Sequence[Row]]) -> dict[str, Io500Phase]:
    """The phases as the logs print them."""
    names = {printable(file): name for name, file in one.logs.items() if name in one.result.phases}
    summaries = {printable(file) for file in one.summaries}
    found: dict[str, Io500Phase] = {}
    for row in (row for file in sorted(names.keys() | summaries) for row in by_source.get(file, ())):
        source = row["source"]
        name = _phase_like(one.result, row) if source in summaries else names.get(source)
        value = _value(name, row) if name else None
        if name and value is not None:
            of_summary = one.result.phases[name]
            far = found[name].value - of_summary.value if name in found else float("inf")
            if abs(value - of_summary.value) < abs(far):  # of several iterations the summary has the best
                found[name] = replace(of_summary, value=value, half_step=0.0)
    return found


def _phase_like(result: Io500Result, row: Row) -> str | None:
    """The phase that has the value of a record in the file of the summary: both are the same result."""
    for name, phase in result.phases.items():
        value = _value(name, row) if name.partition("_")[0] == row["tool"] else None
        if value is not None and abs(value - phase.value) <= phase.half_step + TOLERANCE * value:
            return name
    return None


def _value(name: str, row: Row) -> float | None:
    return value_of(row, PHASES[name]) if row["access"] == access_of(name) else None


def differing_logs(result: Io500Result, of_logs: Mapping[str, Io500Phase]) -> list[str]:
    """Phases whose log prints another value than the summary, beyond what rounding explains."""
    return [
        f"{name} is {result.phases[name].value:g} {phase.unit} in the summary and {phase.value:g} in its log"
        for name, phase in of_logs.items()
        if abs(phase.value - result.phases[name].value)
        > result.phases[name].half_step + TOLERANCE * phase.value
    ]


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


def audited(folder: Path, result: Io500Result) -> LogAudit:
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
    worst = filter(None, map(worst_row, logs))
    found = grouped(((row["verdict"], row["reasons"]), row) for row in worst)
    ordered = sorted(found.items(), key=lambda one: _WORST_FIRST.index(one[0][0]))
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
