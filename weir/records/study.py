"""All runs of a plan in its order, read by all cores: what each was judged when it ended."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from weir.audit.registry import rules
from weir.base.processes import caught_signals, die_with_parent
from weir.plan.files import cell_of_line, most_rounds
from weir.records.collect import Run, read_hashed_json
from weir.records.judged import JudgedRun, Marks, code_state, judged
from weir.records.study_facts import Planned
from weir.records.tally import Tally
from weir.runs.files import RUN_FILE

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
class Part:
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


def collected(work: Work) -> Iterator[Part]:
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


def _numbered(number: int) -> Part:
    return _part(_shared[0], number)


def _part(work: Work, number: int) -> Part:
    cells = [cell_of_line(line, work.plan_file) for line in work.parts[number]]
    found: dict[str, JudgedRun] = {}
    sums: dict[str, str] = {}
    tally = Tally()
    for cell in cells:
        for name in _finished(f"{work.results}/runs/{cell.cell}"):
            key = f"{cell.cell}/{name}"
            folder = work.results / "runs" / key
            facts, sums[key] = read_hashed_json(folder / RUN_FILE)
            run = Run(folder, facts)
            found[key] = judged(cell, run, work.results, work.copies.get(key), work.again)
            tally.add(found[key].tally)
    tables = tuple("".join(run.tables[table] for run in found.values()).encode() for table in range(3))
    marks = {key: run.marks for key, run in found.items()}
    return Part(tables, Planned.of_cells(cells).data(), tally.data(), sums, marks)


def _finished(folder: str) -> list[str]:
    """Names of the finished runs of a cell in their order. A folder without run.json never ended; one with
    another name than a number is a failed attempt that was set aside."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except FileNotFoundError:
        return []
    return sorted((name for name in names if os.path.exists(f"{folder}/{name}/{RUN_FILE}")), key=int)
