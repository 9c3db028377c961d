"""Runs as they are parsed and judged once, when each ends: its lines in the tables lie beside its run.json.
All runs of a plan are read in its order, by all cores.

run.json has the sum of that file as of every other, and that file has the sum of the rest of run.json: nobody
edits a verdict unseen. Lines of another weir, of a cell that the plan has otherwise, or of a run that was
edited are made anew from the outputs. Each run has marks, by which copies of it in a study are found.
"""

import contextlib
import csv
import gc
import hashlib
import io
import json
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import weir
from weir.audit.registry import rules
from weir.base.errors import WeirError
from weir.base.files import WRONG_CONTENT, from_json
from weir.base.processes import caught_signals, die_with_parent
from weir.collect.parsed_runs import (
    Run,
    audited_rows,
    finished_names,
    parse_run,
    read_hashed_json,
    require_sound,
    subjects_of_run,
    sum_of_facts,
    tool_of,
)
from weir.collect.study_facts import Planned
from weir.collect.table import collect_latencies, counter_lines, lines_of, typed_row
from weir.collect.tally import Tally, count_rows, facts_of_run
from weir.data import data_folder
from weir.plan.files import built, cell_of_line, most_rounds
from weir.records.columns import columns
from weir.records.model import Cell, Row
from weir.runs.files import MEASURE_AGAIN, ROWS_FILE, RUN_FILE

# Keys of a cell that no row depends on, and no rule looks at.
_FREE = ("rounds", "until")
# Times that two honest results do not have in common by chance, or in three or four digits alone.
TIMES = ("total_s", "io_s", "open_s", "close_s", "lat_p50_us", "lat_p99_us", "lat_max_us")
TELLING_DIGITS = 10  # of all times together
_NOTHING = hashlib.sha256(b"").hexdigest()  # the checksum of an empty stream
Marks = Mapping[str, str]  # what marks a run: a value, and what it is


@dataclass(frozen=True)
class JudgedRun:
    """The lines that a run adds to the tables, and its part of the counts of a study."""

    tables: tuple[str, str, str]  # lines of records, latencies and client counters
    tally: Mapping[str, Any]
    marks: Marks  # what no other run can have

    def rows(self, source: Path) -> list[Row]:
        """The records of the run; source: the file, for an error."""
        lines = csv.reader(io.StringIO(self.tables[0]))
        return [
            typed_row(dict(zip(columns(), fields, strict=True)), source, number)
            for number, fields in enumerate(lines, start=1)
        ]


def rows_text(folder: Path, document: Mapping[str, Any]) -> str | None:
    """The text of rows.json, which is written beside run.json (document, with the sums of the outputs) when a
    run ends. It is None where the output is not what its tool prints: `weir collect` then reports it."""
    try:
        one = _judge(built(Cell, document["cell"]), Run(folder, document), folder.parents[2])
    except WeirError:
        return None
    about = {"weir": weir.__version__, "code": code_state(), "run": sum_of_facts(document)}
    return json.dumps(about | vars(one)) + "\n"


def judged(cell: Cell, run: Run, results: Path, same_as: str | None = None, again: bool = False) -> JudgedRun:
    """A run of this cell; same_as: another run that it repeats; again: whatever is known of it."""
    require_sound(run)
    with _faults_named(run, cell):
        may_be_known = not same_as and not again and _is_of(run.facts["cell"], cell)
        return (_held(run) if may_be_known else None) or _judge(cell, run, results, same_as)


def rows_of_run(run: Run) -> list[Row]:
    """The rows that the outputs of a run give to this weir, by its own cell. The rows from the end of the run
    do not count here, because another weir may have written them under the name of this one."""
    with _faults_named(run):
        one = _judge(built(Cell, run.facts["cell"]), run, run.folder.parents[2])
    return one.rows(run.folder / ROWS_FILE)


def collect_cell(cell: Cell, runs: Iterable[Run], results: Path) -> Iterator[Row]:
    """Rows of all runs of a cell; a run that is still missing keeps its iterations free."""
    tool_of(cell)
    for run in runs:
        yield from judged(cell, run, results).rows(run.folder / ROWS_FILE)


def _held(run: Run) -> JudgedRun | None:
    """The rows that this weir judged when the run ended, if nothing was edited since."""
    if run.differing != () or ROWS_FILE not in run.facts["sha256"]:
        return None
    try:
        held = from_json((run.folder / ROWS_FILE).read_bytes())
        if held["code"] != code_state() or held["run"] != sum_of_facts(run.facts):
            return None
        records, latencies, counters = held["tables"]
        return JudgedRun((records, latencies, counters), held["tally"], held["marks"])
    except (OSError, *WRONG_CONTENT):
        return None


def _is_of(measured: Mapping[str, Any], cell: Cell) -> bool:
    """Whether the cell of run.json gives the same rows as that of the plan: of what ends added rounds they
    repeat the half-width alone."""
    until = (measured.get("until") or {}).get("half_width")
    return until == (cell.until.half_width if cell.until else None) and all(
        name in _FREE or measured.get(name) == value for name, value in vars(cell).items()
    )


@contextlib.contextmanager
def _faults_named(run: Run, cell: Cell | None = None) -> Iterator[None]:
    """Names the source of an error. If the files that weir wrote are whole it is a fault of the code, else of
    the run's files or the plan."""
    try:
        yield
    except WRONG_CONTENT as error:
        if run.differing != ():
            raise WeirError(
                f"is damaged, or another file of the run is ({type(error).__name__}: {str(error)[:100]})",
                file=run.folder / RUN_FILE,
                hint=MEASURE_AGAIN,
            ) from error
        if cell is None or vars(cell) == vars(built(Cell, run.facts["cell"])):
            raise
        raise WeirError(
            f"was measured by another cell than plan.json has, which cannot be judged ({error})",
            file=run.folder / RUN_FILE,
            hint="plan again, with: weir plan --out FILE",
        ) from error


def _judge(cell: Cell, run: Run, results: Path, same_as: str | None = None) -> JudgedRun:
    """Judges a run from its outputs."""
    parsed = parse_run(run, tool_of(cell))
    rows = audited_rows(subjects_of_run(cell, run, parsed, results, same_as))
    latencies = lines_of(collect_latencies(cell, [run]), "latency")
    tally = {**count_rows(rows), **facts_of_run(run.facts)}
    Tally().add(tally)  # or a damaged run.json would be found with the counts of all runs
    tables = lines_of(rows), latencies, counter_lines(cell, run.number, parsed)
    return JudgedRun(tables, tally, marks_of(cell.cell, run.facts, rows))


@cache
def code_state() -> str:
    """A hash of all code and schemas that rows depend on."""
    package = Path(weir.__file__).parent
    files = sorted({*_modules(package), *(data_folder("config") / "schemas").glob("*.yaml")})
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _modules(package: Path) -> Iterator[Path]:
    """Other processes make and remove directories of compiled modules meanwhile."""
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


def marks_of(cell: str, facts: Mapping[str, Any], rows: Iterable[Row]) -> dict[str, str]:
    """The marks of a run with results by which a copy is found: what it printed, and when it began, as weir
    and as its program have it. Only fractions of a second tell runs apart, since cells of one launch may
    begin together; runs that fail may print the same."""
    results = [row for row in rows if row.get("bw_mib_s") is not None or row.get("ops_s") is not None]
    if not results:
        return {}
    outputs, sums, marks = facts["outputs"], facts.get("sha256") or {}, {}
    if summary := sums.get(outputs.get("summary")):
        marks[summary] = "the same output"
    elif (printed := _printed(outputs, sums)) and _tell(results):
        marks[printed] = "the same output"
    if "." in facts["began"]:
        marks[f"{cell} {facts['began']}"] = "the same start"
    starts = " ".join(str(row.get("began")) for row in results)
    if all("." in str(row.get("began")) for row in results):
        marks[f"{cell} {starts}"] = "the same start of each access"
    return marks


def _printed(outputs: Mapping[str, str], sums: Mapping[str, str]) -> str:
    """The checksums of both streams, since dd prints its results to stderr alone. Empty for a silent
    program."""
    found = [sums.get(outputs.get(stream, ""), _NOTHING) for stream in ("stdout", "stderr")]
    return "" if {*found} == {_NOTHING} else " ".join(found)


def _tell(results: Iterable[Row]) -> bool:
    """Whether two honest runs do not print the same by chance, as two lines of dd might."""
    times = {row.get(name) for row in results for name in TIMES} - {None, 0}
    return not times or digits(times) >= TELLING_DIGITS


def digits(times: Iterable[Any]) -> int:
    return sum(len(f"{time!r}".partition("e")[0].replace(".", "").strip("0")) for time in times)


def copies(marks: Mapping[str, Marks]) -> dict[str, str]:
    """Each run that is a copy or has one, and of what. marks: those of every run."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for run, known in marks.items():
        for value, what in known.items():
            other = first.setdefault(value, run)
            if other != run:
                found.setdefault(run, f"{what} as {other}")
                found.setdefault(other, f"{what} as {run}")
    return found


_PART_RUNS = 64  # runs in memory at a time
_FEW_PARTS = 2  # are read here: processes cost more
_WAITING = 3  # parts for each process: none is idle, and few are in memory


@dataclass(frozen=True)
class Work:
    """The lines of the cells of a plan in parts, and where their runs are."""

    plan_file: Path
    parts: Sequence[Sequence[str]]
    results: Path
    copies: Mapping[str, str] = field(default_factory=dict)  # runs that repeat another, and what of it
    again: bool = False  # judge every run from its outputs


@dataclass(frozen=True)
class CellLines:
    """The lines that the runs of some cells add to the tables, in the order of JudgedRun.tables, and their
    counts."""

    tables: tuple[bytes, ...]
    planned: Mapping[str, Any]
    tally: Mapping[str, Any]
    sums: Mapping[str, str]  # of run.json, by run
    marks: Mapping[str, Marks]  # by run


def parts_of(lines: Sequence[str]) -> list[Sequence[str]]:
    """Lines of cells that follow each other, with about as many runs in each part."""
    parts: list[Sequence[str]] = []
    first = runs = 0
    for number, line in enumerate(lines):
        runs += most_rounds(line)
        if runs >= _PART_RUNS or number == len(lines) - 1:
            parts.append(lines[first : number + 1])
            first, runs = number + 1, 0
    return parts


def collected(work: Work) -> Iterator[CellLines]:
    """Every part in the order of the cells."""
    if len(work.parts) <= _FEW_PARTS:
        for number in range(len(work.parts)):
            yield _part(work, number)
        return
    code_state()  # the processes begin with it
    processes = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(work,)) as pool:
        numbers = iter(range(len(work.parts)))
        waiting = deque(pool.submit(_numbered, number) for number in islice(numbers, _WAITING * processes))
        rules()  # are loaded for the counts while the processes work
        try:
            while waiting:
                found = waiting.popleft().result()
                waiting += [pool.submit(_numbered, number) for number in islice(numbers, 1)]
                yield found
        finally:
            pool.shutdown(cancel_futures=True)


_shared: list[Work] = []  # of a process of the pool: cells need not be sent to it


def _begin(work: Work) -> None:
    """Prepares a process of the pool: it ends at once, and with its parent."""
    die_with_parent(signal.SIGKILL)
    for number in caught_signals():
        signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # what the parent holds is not looked through for garbage, which would copy its memory
    _shared[:] = [work]


def _numbered(number: int) -> CellLines:
    return _part(_shared[0], number)


def _part(work: Work, number: int) -> CellLines:
    cells = [cell_of_line(line, work.plan_file) for line in work.parts[number]]
    found: dict[str, JudgedRun] = {}
    sums: dict[str, str] = {}
    tally = Tally()
    for cell in cells:
        for name in finished_names(f"{work.results}/runs/{cell.cell}"):
            key = f"{cell.cell}/{name}"
            folder = work.results / "runs" / key
            facts, sums[key] = read_hashed_json(folder / RUN_FILE)
            run = Run(folder, facts)
            found[key] = judged(cell, run, work.results, work.copies.get(key), work.again)
            tally.add(found[key].tally)
    tables = tuple("".join(run.tables[table] for run in found.values()).encode() for table in range(3))
    marks = {key: run.marks for key, run in found.items()}
    return CellLines(tables, vars(Planned.of_cells(cells)), tally.data(), sums, marks)
