"""Makes records of the folders of finished runs: every planned access of every iteration gives a row."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from weir.audit.judge import judge_all, verdict_columns
from weir.audit.moved import with_debts
from weir.audit.subject import RunFacts, Subject
from weir.base.errors import WeirError, did_you_mean
from weir.base.files import WRONG_CONTENT, from_json, shaped, sum_of
from weir.records.columns import checked, repeated_parameters
from weir.records.model import CROSS_CHECK, Cell, Message, Parsed, Row
from weir.runs.files import MEASURE_AGAIN, ROWS_FILE, RUN_FILE
from weir.tools import purpose_of, tools
from weir.tools.base import Tool
from weir.witness.facts import Witnessed, read_witness

_OF_A_RUN: Mapping[str, type | tuple[type, ...]] = {
    "run": int,
    "cell": dict,
    "outputs": dict,
    "host": dict,
    "status": str,
    "seed": int,
    "began": str,
    "ended": str,
    "timed_out": bool,
    "exit_code": (int, type(None)),
    "error": (str, type(None)),
}
_MAYBE_NUMBER, _MAYBE_TEXT = (int, float, type(None)), (str, type(None))
HOST = {
    "node?": str,
    "processor?": str,
    "kernel?": str,
    "system?": str,
    "cores?": (int, float),
    "memory_bytes?": (int, float),
    "file_system?": {"type?": str, "device?": str, "mount_point?": str, "options?": str},
    "power?": {
        **{name: [str] for name in ("drivers", "governors", "preferences", "idle", "idle_disabled")},
        **dict.fromkeys(("least_mhz", "most_mhz"), _MAYBE_NUMBER),
        "boost": (bool, type(None)),
        "profile": _MAYBE_TEXT,
        "limits_w": {"*": (int, float)},
    },
}
_OF_A_CELL = ("suite", "experiment", "cell", "label", "site", "target", "stack", "tool")


def sum_of_facts(document: Mapping[str, Any]) -> str:
    """The digest of run.json without the checksum of the rows, because the rows are derived from it as from
    the outputs."""
    sums = {name: one for name, one in document["sha256"].items() if name != ROWS_FILE}
    return hashlib.sha256(json.dumps({**document, "sha256": sums}, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Run:
    """A finished execution: the folder and the content of its run.json."""

    folder: Path
    facts: Mapping[str, Any]

    @property
    def number(self) -> int:
        return int(self.facts["run"])

    @cached_property
    def outputs(self) -> dict[str, Path]:
        return {role: self.folder / name for role, name in self.facts["outputs"].items()}

    @cached_property
    def differing(self) -> tuple[str, ...] | None:
        """Files that are not as this run left them; None where run.json has no sums."""
        sums = self.facts.get("sha256")
        if not isinstance(sums, dict):
            return None
        found = [name for name, known in sums.items() if sum_of(self.folder / name) != known]
        return tuple(sorted([*found, *([RUN_FILE] if ROWS_FILE not in found and self._is_edited else [])]))

    @property
    def _is_edited(self) -> bool:
        """Whether run.json is another than the one that its rows were made of when the run ended."""
        if ROWS_FILE not in self.facts["sha256"]:
            return False
        try:
            made_of = from_json((self.folder / ROWS_FILE).read_bytes())["run"]
        except (OSError, *WRONG_CONTENT):
            return False
        return bool(made_of != sum_of_facts(self.facts))


def finished_runs(cell_folder: Path) -> list[Run]:
    """Runs of one cell in their order."""
    return [read_run(cell_folder / name) for name in finished_names(str(cell_folder))]


def finished_names(cell_folder: str) -> list[str]:
    """Names of the finished runs of a cell in their order. A folder without run.json never ended; one with
    another name than a number is a failed attempt that was set aside."""
    try:
        names = [entry.name for entry in os.scandir(cell_folder) if entry.name.isdigit()]
    except FileNotFoundError:
        return []
    return sorted((name for name in names if os.path.exists(f"{cell_folder}/{name}/{RUN_FILE}")), key=int)


def tool_of(cell: Cell) -> Tool:
    known = tools()
    if cell.tool not in known:
        raise WeirError(f"no tool is called '{cell.tool}'", key="tool", hint=did_you_mean(cell.tool, known))
    return known[cell.tool]


def parse_run(run: Run, tool: Tool) -> Parsed:
    """Parses the outputs of a run and drops values that cannot be."""
    return checked(tool.parse(run.outputs), tool.name)


def subjects_of_run(
    cell: Cell, run: Run, parsed: Parsed, results: Path, same_as: str | None
) -> list[Subject]:
    """Rows of one run for the audit; what was requested and is missing gets a row without numbers.

    same_as: another run that it repeats."""
    ended = (run.facts["exit_code"], run.facts["timed_out"], cell.timeout_s, run.facts["error"])
    facts = RunFacts(
        *ended,
        host=run.facts["host"],
        target=run.facts.get("target_facts") or {},
        elapsed_s=run.facts.get("elapsed_s"),
        differing=run.differing,
        same_as=same_as,
    )
    common = _run_columns(cell, run, results) | {
        "program": parsed.program,
        "tool_version": parsed.tool_version,
    }
    witnessed = read_witness(run.outputs)
    subjects = []
    for index, printed in enumerate([*parsed.rows, *missing_rows(cell, parsed.rows)]):
        seen = _witnessed_facts(witnessed, printed, cell)
        observed = {**seen, **printed.get("observed", {})}
        if "interposed" in seen:
            observed["interposed"] = seen["interposed"]  # weir-io takes the witness for another library
        row = {key: value for key, value in printed.items() if key != "observed"} | common
        row["tasks"] = row.get("tasks") or observed.get("tasks")
        if row.get("fetched_bytes") is None:
            row["fetched_bytes"] = observed.get("fetched_bytes")
        if not row.get("began"):
            row["began"] = run.facts["began"]  # not every program prints when it began
        if row.get("stripe_count") is None:
            row["stripe_count"] = run.facts.get("stripe_count")
        row["iteration"] = run.number * cell.iterations + printed["iteration"]
        messages = messages_of_row(parsed, index)
        subjects.append(Subject(row, observed, messages, parsed.complete, cell, facts))
    return with_debts(subjects)


def audited_rows(subjects: Sequence[Subject]) -> list[Row]:
    """Each row with its verdict, and with what the output did not repeat of the request."""
    requested: dict[int, Row] = {}
    rows = []
    for subject, judgement in zip(subjects, judge_all(subjects), strict=True):
        cell, row = subject.cell, subject.row
        if cell is not None:
            if id(cell) not in requested:
                requested[id(cell)] = requested_columns(cell)
            # After the verdict: a request does not prove what ran.
            missing = requested[id(cell)].items()
            row = row | {column: value for column, value in missing if row.get(column) is None}
        rows.append(row | verdict_columns(judgement))
    return rows


def _witnessed_facts(witnessed: Witnessed, printed: Row, cell: Cell) -> dict[str, Any]:
    """The facts that the witness of a program saw about a row."""
    if not witnessed.processes:
        return {}
    accesses = cell.params.get("access", ())
    return witnessed.common() | witnessed.of_row(printed, accesses, cell.iterations, cell.ranks)


def messages_of_row(parsed: Parsed, index: int) -> tuple[Message, ...]:
    """The messages about the row, and those about no row."""
    return tuple(message for message in parsed.messages if message.row is None or message.row == index)


def site_folder(results: Path, site: str) -> Path:
    """results may be the folder of all sites or that of one."""
    return results / site if (results / site / "runs").is_dir() else results


def missing_rows(cell: Cell, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows for what the cell requested and the output does not have."""
    seen = {(row["access"], row["iteration"]) for row in rows}
    requested = {"api": cell.tool} | requested_columns(cell)
    for iteration in range(cell.iterations):
        for access in cell.params.get("access", ()):
            if (access, iteration) not in seen:
                yield requested | {"access": access, "iteration": iteration}


def requested_columns(cell: Cell) -> Row:
    """Columns known from the cell and its launch, which not every program repeats in its output."""
    repeated = {
        column: cell.params[name] for column, name in repeated_parameters().items() if name in cell.params
    }
    return {"nn": cell.nodes, "ppn": cell.ppn, "tasks": cell.ranks} | repeated


def _run_columns(cell: Cell, run: Run, results: Path) -> Row:
    source = run.outputs.get("summary", run.folder / RUN_FILE)
    below = source.relative_to(results) if source.is_relative_to(results) else source
    return {
        **{name: getattr(cell, name) for name in _OF_A_CELL},
        "purpose": CROSS_CHECK if cell.checks else purpose_of(cell.tool),
        "emulated": bool((run.facts.get("target_facts") or {}).get("emulated", False)),
        "run": run.number,
        "until": cell.until.half_width if cell.until else None,
        "source": str(below),
    }


def read_run(folder: Path) -> Run:
    """A finished execution."""
    run = Run(folder, read_hashed_json(folder / RUN_FILE)[0])
    require_sound(run)
    return run


def require_sound(run: Run) -> None:
    """Refuses a run.json that does not hold what records are made of."""
    for key, kind in _OF_A_RUN.items():
        value = run.facts.get(key)
        if not isinstance(value, kind) or (key == "cell" and "target" not in run.facts[key]):
            raise WeirError("is damaged or missing", file=run.folder / RUN_FILE, key=key, hint=MEASURE_AGAIN)
    shaped(run.facts["host"], HOST, run.folder / RUN_FILE, MEASURE_AGAIN)


def read_hashed_json(file: Path) -> tuple[dict[str, Any], str]:
    """The object in a file, and the SHA-256 of the file."""
    try:
        with open(file, "rb") as stream:
            data = stream.read()
        content = from_json(data.decode())
    except (OSError, ValueError) as error:
        raise WeirError(f"is not readable JSON: {error}", file=file) from None
    if not isinstance(content, dict):
        raise WeirError("does not hold a JSON object", file=file)
    return content, hashlib.sha256(data).hexdigest()
