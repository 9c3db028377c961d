"""All runs of a plan in its order: those known from the last time, and the rest parsed by all cores."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from weir.columns import columns
from weir.model import Cell, Row
from weir.records.client_counters import counter_lines
from weir.records.collect import collect_run, parse_run, read_run, tool_of
from weir.records.latencies import collect_latencies
from weir.records.run_cache import Parsed, RunCache, state_of
from weir.records.tally import count_rows, facts_of_run
from weir.runfiles import RUN_FILE, file_sha256

_BLOCK_RUNS = 256  # in memory at a time
_CHUNK_RUNS = 16  # for one process at a time
_WORTH_PROCESSES = 64  # fewer are parsed here: processes cost more


@dataclass(frozen=True)
class FoundRun:
    """A finished run; state changes with everything that its rows depend on."""

    cell: Cell
    name: str  # of its directory
    results: Path
    state: str

    @property
    def key(self) -> str:
        return f"{self.cell.cell}/{self.name}"

    @property
    def folder(self) -> Path:
        return Path(f"{self.results}/runs/{self.key}")


@dataclass(frozen=True)
class Collected:
    """A run as text for the tables, and its facts as data."""

    run: FoundRun
    parsed: Parsed
    facts: Mapping[str, Any]


def found_runs(cell: Cell, results: Path) -> list[FoundRun]:
    """Finished runs of a cell in their order. A folder without run.json never ended; one whose name is no
    number is a failed attempt that was set aside."""
    found = []
    try:
        folder = f"{results}/runs/{cell.cell}"
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except FileNotFoundError:
        return []
    about_cell = repr(cell)
    for name in sorted(names, key=int):
        files = sorted(_state_of_file(entry) for entry in os.scandir(f"{folder}/{name}"))
        if any(file[0] == RUN_FILE for file in files):
            found.append(FoundRun(cell, name, results, state_of((about_cell, files))))
    return found


def _state_of_file(entry: os.DirEntry[str]) -> tuple[str, int, int]:
    facts = entry.stat()
    return entry.name, facts.st_size, facts.st_mtime_ns


def collected(runs: Iterable[FoundRun], cache: RunCache) -> Iterator[Collected]:
    """Every run in the order given."""
    waiting = iter(runs)
    with ExitStack() as stack:
        pool: Executor | None = None
        while block := list(islice(waiting, _BLOCK_RUNS)):
            known = {run.key: one for run in block if (one := cache.get(run.key, run.state)) is not None}
            missing = [run for run in block if run.key not in known]
            if pool is None and len(missing) >= _WORTH_PROCESSES:
                pool = stack.enter_context(ProcessPoolExecutor(len(os.sched_getaffinity(0))))
            fresh = ((one, json.loads(one.facts)) for one in _parsed(missing, pool))
            known |= zip((run.key for run in missing), fresh, strict=True)
            yield from (Collected(run, *known[run.key]) for run in block)


def _parsed(runs: Sequence[FoundRun], pool: Executor | None) -> Iterator[Parsed]:
    if pool is None or len(runs) < _WORTH_PROCESSES:
        yield from map(_parsed_run, runs)
        return
    chunks = [runs[first : first + _CHUNK_RUNS] for first in range(0, len(runs), _CHUNK_RUNS)]
    for some in pool.map(_parsed_runs, chunks):
        yield from some


def _parsed_runs(runs: Sequence[FoundRun]) -> list[Parsed]:
    return [_parsed_run(run) for run in runs]


def _parsed_run(found: FoundRun) -> Parsed:
    file = found.folder / RUN_FILE
    run = read_run(found.folder)
    parsed = parse_run(run, tool_of(found.cell))
    rows = list(collect_run(found.cell, run, parsed, found.results))
    facts = {
        "counts": count_rows(rows),
        "run": facts_of_run(run.facts),
        "sha256": file_sha256(file),
        "client_counters": counter_lines(found.cell, run.number, parsed),
    }
    latencies = _lines("latency", collect_latencies(found.cell, [run]))
    return Parsed(_lines("record", rows), latencies, json.dumps(facts))


def _lines(table: str, rows: Iterable[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = columns(table)
    for row in rows:
        known = row.get
        writer.writerow(
            ["" if (value := known(name)) is None else column.write(value) for name, column in names.items()]
        )
    return buffer.getvalue()
