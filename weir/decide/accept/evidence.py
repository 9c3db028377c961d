"""The evidence by which a contract is judged: the records of a study, its run files, and whether files were
edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

from weir.audit.judge import UNPROVEN, USABLE
from weir.audit.registry import INVALID
from weir.base.read_back import shaped
from weir.base.units import format_size
from weir.decide.accept.contract import IO500, MEDIAN, PLACES, Line, Promise
from weir.decide.compare.sides import records_file
from weir.decide.io500.audited import LogAudit, audited, worst_row
from weir.decide.io500.directory import read_directory
from weir.decide.io500.result import Phase, Result
from weir.records.collect import HOST, MEASURE_AGAIN
from weir.records.inference import autocorrelation_of
from weir.records.intervals import autocorrelation_of_rows
from weir.records.medians import ASSUMED
from weir.records.metrics import metric_named
from weir.records.rejudged import not_as_measured
from weir.records.rounds import OLDER, Rounds, rounds_of_rows
from weir.records.table import read_study_records
from weir.runs.files import RUN_FILE, file_sha256, read_run_file, run_folder
from weir.runs.manifest import MANIFEST, verify
from weir.terms.columns import repeated_parameters
from weir.terms.model import CROSS_CHECK, Row

Run = Mapping[str, Any]  # a run.json
_MIB_PER_GIB = 1024.0
EXPERIMENT = "experiment"
_PLACE_COLUMNS = {"nodes": "nn", "ppn": "ppn", "target": "target", "experiment": "experiment"}


# The keys of run.json that conditions of a contract read.
_RUN = {"host?": HOST, "cell": {"params": dict}, "command": [str]}


@dataclass(frozen=True)
class Measured:
    """One study."""

    path: Path
    rows: tuple[Row, ...]
    runs: Mapping[tuple[str, int], Run] = field(default_factory=dict)  # by cell and number
    differences: tuple[str, ...] | None = None  # files that were edited; None: nothing to compare with
    digests: Mapping[str, str] = field(default_factory=dict)  # file to SHA-256, for the report
    rounds: Rounds = field(default_factory=Rounds)
    signed_by: str = ""
    campaign: str = ""  # the one that the contract names, of which every round counts

    @property
    def lacks(self) -> tuple[str, ...]:
        """Why it cannot be verified that these are all rounds, as they ended."""
        older = sum(one.kind == OLDER for one in self.rounds.findings)
        text = f"{older} runs were measured before the ledger was begun, or elsewhere"
        return (*self.rounds.lacks, *([text] if older else []))

    @cached_property
    def cells(self) -> frozenset[str]:
        """Cells with a record."""
        return frozenset(row["cell"] for row in self.rows)

    def autocorrelation(self, promise: Promise | None) -> float:
        """Correlation of consecutive runs of a cell: the interval of what is promised has to allow for it.

        It is never below what is assumed."""
        return self._of_medians if promise and promise.statistic == MEDIAN else self._of_means

    @cached_property
    def _of_medians(self) -> float:
        """The value in the report of the study."""
        return autocorrelation_of_rows(self.rows)

    @cached_property
    def _of_means(self) -> float:
        series: dict[tuple[str, str], dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            value = metric_named("rate").of(row)
            if value is not None and row["verdict"] in USABLE:
                series[row["cell"], row["access"]][row.get("run")].append(log(value))
        # It is at least the assumption: whoever measures chooses which cells are in the study, and many cells
        # whose runs are not alike would hide those of the promise.
        return max(
            ASSUMED,
            autocorrelation_of(
                [fmean(runs[number]) for number in sorted(runs, key=lambda number: number or 0)]
                for runs in series.values()
            ),
        )

    def run_of(self, row: Row) -> Run | None:
        number = row.get("run")
        return None if number is None else self.runs.get((row["cell"], number))

    def parameter(self, row: Row, name: str) -> Any:
        """Value of a parameter in the record or its run; None: unknown."""
        if name in PLACES:
            return row.get(_PLACE_COLUMNS[name])
        run = self.run_of(row)
        if run is not None and name in run["cell"]["params"]:
            return run["cell"]["params"][name]
        column = next((key for key, parameter in repeated_parameters().items() if parameter == name), name)
        return row.get(column)


def read_measured(path: Path) -> Measured:
    """A study, its records.csv, or the directory of an IO500 result."""
    if path.is_dir() and not (path / "records.csv").is_file() and _is_io500(path):
        return _read_io500(path)
    file = records_file(path)
    rows = tuple(read_study_records(file))
    runs = dict(_runs(file.parent.parent, rows))
    differences = None
    digests = {file.name: file_sha256(file)}
    if (file.parent / MANIFEST).is_file():
        verified = verify(file.parent)
        differences = tuple(str(one) for one in verified.differences)
        digests["study"] = verified.digest
    rounds = rounds_of_rows(file.parent, rows)
    found = (*rounds.findings, *not_as_measured(file.parent.parent, rows, runs))
    counted = tuple(row for row in rows if row.get("purpose") != CROSS_CHECK)
    return Measured(path, counted, runs, differences, digests, replace(rounds, findings=found))


def _runs(site_folder: Path, rows: Sequence[Row]) -> Iterator[tuple[tuple[str, int], Run]]:
    for cell, number in sorted({(row["cell"], row["run"]) for row in rows if row.get("run") is not None}):
        if run_folder(site_folder, cell, number).is_dir():
            document = read_run_file(site_folder, cell, number)
            if document is not None:
                file = run_folder(site_folder, cell, number) / RUN_FILE
                shaped(document, _RUN, file, MEASURE_AGAIN)
                yield (cell, number), document


def _is_io500(path: Path) -> bool:
    return any((path / name).is_file() for name in ("result_summary.txt", "result.txt"))


def _read_io500(path: Path) -> Measured:
    """Reads the phases of IO500 as records, with their name as access and the verdict of their log."""
    result = read_directory(path)
    audit = audited(path, result)
    rows = tuple(_row(phase, result, audit) for phase in result.phases.values())
    files = [file for file in sorted({*path.glob("result*.txt"), *audit.files}) if file.is_file()]
    digests = {file.name: file_sha256(file) for file in files}
    lacks = ("a result directory of IO500 has neither plan nor ledger",)
    return Measured(path, rows, digests=digests, rounds=Rounds(lacks=lacks))


def _row(phase: Phase, result: Result, audit: LogAudit) -> Row:
    bandwidth = phase.unit == "GiB/s"
    nodes, procs = result.nodes or 0, result.procs or 0
    return {
        "tool": IO500,
        "access": phase.name,
        "cell": phase.name,
        "label": phase.name,
        "nn": result.nodes,
        "ppn": procs // nodes if nodes and procs and procs % nodes == 0 else None,
        "tasks": result.procs or None,
        "bw_mib_s": phase.value * _MIB_PER_GIB if bandwidth else None,
        "ops_s": None if bandwidth else phase.value * 1000,
        "total_s": phase.time_s,
        "stonewall_s": phase.stonewall_s,
        "iteration": 0,
        "tool_version": result.version or None,
        "program": IO500,
    } | _verdict(phase, audit.rows.get(phase.name, ()))


def _verdict(phase: Phase, log: Sequence[Row]) -> Row:
    """A phase is worth no more than its log: the summary repeats the numbers of it."""
    if phase.marked_invalid:
        return {"verdict": INVALID, "reasons": "marked-by-io500", "missing": ""}
    if bad := worst_row(log):
        return {"verdict": bad["verdict"], "reasons": bad["reasons"], "missing": bad["missing"]}
    lacks = dict.fromkeys(name for row in log for name in row["missing"].split(";") if name)
    return {"verdict": UNPROVEN, "reasons": "", "missing": ";".join(lacks) or "all but the summary"}


def rows_of(line: Line, measured: Measured) -> list[Row]:
    """Records that the line is about, usable or not."""
    return [
        row
        for row in measured.rows
        if row.get("tool") == line.tool
        and row["access"] in line.access
        and all(value in _values(measured, row, name) for name, value in line.select.items())
    ]


def why_none(line: Line, measured: Measured) -> str:
    """The values of the records nearest to a line that the line does not select."""
    of_tool = [row for row in measured.rows if row.get("tool") == line.tool]
    if not of_tool:
        return f"the study has no record of {line.tool}"
    rows = [row for row in of_tool if row["access"] in line.access]
    if not rows:
        return f"the study has no {' or '.join(line.access)} of {line.tool}"
    differing: list[list[str]] = [
        [
            f"{name} is {_shown(name, measured.parameter(row, name))}, not {_shown(name, value)}"
            for name, value in line.select.items()
            if value not in _values(measured, row, name)
        ]
        for row in rows
    ]
    nearest = min(differing, key=len)
    return f"no record has these parameters; of the nearest {', '.join(nearest)}"


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "unknown"
    is_size = name.endswith("_bytes") and isinstance(value, int)
    return format_size(value) if is_size else str(value)


def _values(measured: Measured, row: Row, name: str) -> tuple[Any, ...]:
    """The experiment of a record is a name of the plan, which no ledger binds: that of its run, too."""
    run = measured.run_of(row) if name == EXPERIMENT else None
    return (measured.parameter(row, name), *([run["cell"].get(name)] if run is not None else []))
