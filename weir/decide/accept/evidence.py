"""The evidence by which a contract is judged: the records of a study, its run files, whether files were
edited, and the campaign that the contract names.

Each round of that campaign counts, whichever line it is about. Without one, whoever measures may repeat a
campaign until it is good, or begin the ledger anew. The parties name the study and its dates before, and
write down the head of the ledger when it ends.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

from weir.audit.judge import UNPROVEN, USABLE, names_in
from weir.audit.registry import INVALID
from weir.base.errors import InputError
from weir.base.files import file_sha256, shaped
from weir.base.units import format_size
from weir.collect.intervals import autocorrelation_of_rows
from weir.collect.metrics import metric_named
from weir.collect.parsed_runs import HOST
from weir.collect.rounds import (
    CLOCK,
    OLDER,
    REPEATED,
    Discrepancy,
    Rounds,
    entries_by_run,
    not_as_measured,
    rounds_of_rows,
)
from weir.collect.table import read_study_records
from weir.decide.accept.contract import IO500, MEDIAN, PLACES, Line, NamedCampaign, Promise
from weir.decide.compare.sides import records_file
from weir.decide.io500.directory import read_directory
from weir.decide.io500.result import COLUMNS, Io500Phase, Io500Result
from weir.decide.io500.result_sets import LogAudit, audited, worst_row
from weir.records.columns import repeated_parameters
from weir.records.model import CROSS_CHECK, Row
from weir.runs.files import MEASURE_AGAIN, RUN_FILE, read_run_file, run_folder
from weir.runs.ledger import LEDGER, Entry, Ledger, read_ledger
from weir.runs.manifest import COPY_HINT, MANIFEST, verify
from weir.statistics.inference import autocorrelation_of
from weir.statistics.median import ASSUMED

Run = Mapping[str, Any]  # a run.json
EXPERIMENT = "experiment"


# The keys of run.json that conditions of a contract read.
_RUN = {"host?": HOST, "cell": {"params": dict}, "command": [str]}


@dataclass(frozen=True)
class Measured:
    path: Path
    rows: tuple[Row, ...]
    runs: Mapping[tuple[str, int], Run] = field(default_factory=dict)  # by cell and number
    differences: tuple[str, ...] | None = None  # files that were edited; None: nothing to compare with
    copied: str = ""  # that the runs are not here, and what to copy; they are not among the differences
    digests: Mapping[str, str] = field(default_factory=dict)  # file to SHA-256, for the report
    rounds: Rounds = field(default_factory=Rounds)
    cross_checked: int = 0  # runs of cells beside, of another program
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
            return row.get("nn" if name == "nodes" else name)
        run = self.run_of(row)
        if run is not None and name in run["cell"]["params"]:
            return run["cell"]["params"][name]
        column = next((key for key, parameter in repeated_parameters().items() if parameter == name), name)
        return row.get(column)


def read_measured(path: Path) -> Measured:
    """A study, its records.csv, or the directory of an IO500 result."""
    summaries = (path / name for name in ("result_summary.txt", "result.txt"))
    if not (path / "records.csv").is_file() and any(file.is_file() for file in summaries):
        return _read_io500(path)
    file = records_file(path)
    rows = tuple(read_study_records(file))
    runs = dict(_runs(file.parent.parent, rows))
    differences, copied = None, ""
    digests = {file.name: file_sha256(file)}
    if (file.parent / MANIFEST).is_file():
        verified = verify(file.parent)
        differences = tuple(str(one) for one in verified.beside_absent_runs())
        copied = f"{text}; {COPY_HINT}" if (text := verified.absent_text()) else ""
        digests["study"] = verified.digest
    rounds = rounds_of_rows(file.parent, rows)
    found = (*rounds.findings, *not_as_measured(file.parent.parent, rows, runs))
    counted = tuple(row for row in rows if row.get("purpose") != CROSS_CHECK)
    beside = {(row["cell"], row.get("run")) for row in rows if row.get("purpose") == CROSS_CHECK}
    return Measured(
        path,
        counted,
        runs,
        differences,
        copied,
        digests,
        replace(rounds, findings=found),
        cross_checked=len(beside),
    )


def _runs(site_folder: Path, rows: Sequence[Row]) -> Iterator[tuple[tuple[str, int], Run]]:
    for cell, number in sorted({(row["cell"], row["run"]) for row in rows if row.get("run") is not None}):
        document = read_run_file(site_folder, cell, number)
        if document is not None:
            shaped(document, _RUN, run_folder(site_folder, cell, number) / RUN_FILE, MEASURE_AGAIN)
            yield (cell, number), document


def _read_io500(path: Path) -> Measured:
    """Reads the phases of IO500 as records, with their name as access and the verdict of their log."""
    result = read_directory(path)
    audit = audited(path, result)
    rows = tuple(_row(phase, result, audit) for phase in result.phases.values())
    files = [file for file in sorted({*path.glob("result*.txt"), *audit.files}) if file.is_file()]
    digests = {file.name: file_sha256(file) for file in files}
    lacks = ("a result directory of IO500 has neither plan nor ledger",)
    return Measured(path, rows, digests=digests, rounds=Rounds(lacks=lacks))


def _row(phase: Io500Phase, result: Io500Result, audit: LogAudit) -> Row:
    nodes, procs = result.nodes or 0, result.procs or 0
    column, factor = COLUMNS[phase.unit]
    return {
        "tool": IO500,
        "access": phase.name,
        "cell": phase.name,
        "label": phase.name,
        "nn": result.nodes,
        "ppn": procs // nodes if nodes and procs and procs % nodes == 0 else None,
        "tasks": result.procs or None,
        "bw_mib_s": None,
        "ops_s": None,
        column: phase.value * factor,
        "total_s": phase.time_s,
        "stonewall_s": phase.stonewall_s,
        "iteration": 0,
        "tool_version": result.version or None,
        "program": IO500,
    } | _verdict(phase, audit.rows.get(phase.name, ()))


def _verdict(phase: Io500Phase, log: Sequence[Row]) -> Row:
    """A phase is worth no more than its log: the summary repeats the numbers of it."""
    if phase.marked_invalid:
        return {"verdict": INVALID, "reasons": "marked-by-io500", "missing": ""}
    if bad := worst_row(log):
        return {"verdict": bad["verdict"], "reasons": bad["reasons"], "missing": bad["missing"]}
    lacks = dict.fromkeys(name for row in log for name in names_in(row["missing"]))
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
            f"{name} is {shown_value(name, measured.parameter(row, name))}, not {shown_value(name, value)}"
            for name, value in line.select.items()
            if value not in _values(measured, row, name)
        ]
        for row in rows
    ]
    nearest = min(differing, key=len)
    return f"no record has these parameters; of the nearest {', '.join(nearest)}"


def shown_value(name: str, value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "unknown" if value is None else str(value).lower()
    is_size = name.endswith("_bytes") and isinstance(value, int)
    return format_size(value) if is_size else str(value)


def _values(measured: Measured, row: Row, name: str) -> tuple[Any, ...]:
    """The experiment of a record is a name of the plan, which no ledger binds: that of its run, too."""
    run = measured.run_of(row) if name == EXPERIMENT else None
    return (measured.parameter(row, name), *([run["cell"].get(name)] if run is not None else []))


NOT_AGREED = "not as agreed"
_SHOWN = 12  # digits of a digest in a message


def of_campaign(campaign: NamedCampaign | None, measured: Measured) -> Measured:
    """The study, with what does not agree with the campaign as findings of every line."""
    if campaign is None:
        return measured
    if measured.lacks:
        raise InputError(
            f"cannot be the campaign of the contract: {'; '.join(measured.lacks)}",
            file=measured.path,
            hint="a contract that names its campaign needs the plan, ledger and checksums of its study",
        )
    study = records_file(measured.path).resolve().parent
    ledger = read_ledger(study.parent / LEDGER) or Ledger((), ())
    agreed = _Agreed(campaign, study, ledger, {*measured.rounds.planned, *measured.cells})
    rounds = replace(measured.rounds, findings=(*agreed.findings(), *_rounds(measured)))
    return replace(measured, rounds=rounds, campaign=agreed.text)


def _rounds(measured: Measured) -> Iterator[Discrepancy]:
    """The findings about the rounds, repetitions included."""
    for one in measured.rounds.findings:
        if one.kind != OLDER:
            kind = NOT_AGREED if one.kind in (REPEATED, CLOCK) else one.kind
            yield replace(one, kind=kind)


@dataclass(frozen=True)
class _Agreed:
    """A campaign and the ledger of the directory that the study lies in."""

    campaign: NamedCampaign
    study: Path
    ledger: Ledger
    cells: set[str]  # of the study

    @cached_property
    def last(self) -> int | None:
        """Index of the ledger line that the contract names, else of the last; None: the ledger lacks it."""
        heads, named = self.ledger.heads, self.campaign.ledger_after
        if named is None:
            return len(heads) - 1
        return heads.index(named) if named in heads else None

    @property
    def text(self) -> str:
        """The text about the campaign on the first page."""
        known = f"the head of its ledger, that of line {self.last}"
        if self.campaign.ledger_after is None:
            known = "no head of the ledger: whoever measured may have written it anew"
        elif self.last is None:
            known = "a head that this ledger does not have"
        return f"Campaign: the contract names {self.campaign.text}, and {known}."

    def findings(self) -> Iterator[Discrepancy]:
        wanted = Path(self.campaign.study).parts
        if self.study.parts[-len(wanted) :] != wanted:
            is_now = "/".join(self.study.parts[-len(wanted) :])
            yield Discrepancy(
                NOT_AGREED, f"the contract names the study {self.campaign.study}, this is {is_now}"
            )
        if self.last is None:
            digest = str(self.campaign.ledger_after)[:_SHOWN]
            text = f"no line of {LEDGER} has the digest {digest}… of the contract"
            yield Discrepancy(NOT_AGREED, f"{text}: it was written anew, cut or copied")
        for (cell, _), entries in entries_by_run(self.ledger).items():
            if cell in self.cells:
                yield from self._of_round(entries)
            else:
                yield from self._of_another_study(entries[-1])

    def _of_round(self, entries: list[Entry]) -> Iterator[Discrepancy]:
        for entry in entries:
            ended = datetime.fromtimestamp(entry.ended_s, UTC)
            where = f"line {entry.line} of {LEDGER}"
            if self.last is not None and entry.line > self.last:
                text = f"it ended after the campaign, of which line {self.last} is the last ({where})"
                yield Discrepancy(NOT_AGREED, text, entry.cell, entry.run)
            elif not self.campaign.not_before <= ended <= self.campaign.not_after:
                text = f"it ended at {ended:%Y-%m-%d %H:%M} UTC, outside of the dates ({where})"
                yield Discrepancy(NOT_AGREED, text, entry.cell, entry.run)

    def _of_another_study(self, entry: Entry) -> Iterator[Discrepancy]:
        """A cell that was taken out of the plan may be a cell that was dropped: its runs have to be there."""
        file = run_folder(self.study.parent, entry.cell, entry.run) / RUN_FILE
        if not file.is_file() or file_sha256(file) != entry.sha256:
            text = f"it is in no plan, and its run.json is not that of line {entry.line} of {LEDGER}"
            yield Discrepancy(NOT_AGREED, text, entry.cell, entry.run)
