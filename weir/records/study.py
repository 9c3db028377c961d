"""All runs of a plan in its order: those known from the last time, and the rest parsed by all cores."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from weir.audit.registry import rules
from weir.model import Cell, Row
from weir.model import Parsed as Output
from weir.plan.lines import cell_of_line, most_rounds, name_of_line, what_rows_depend_on
from weir.records.client_counters import counter_lines
from weir.records.collect import Run, audited_rows, parse_run, read_hashed_json, subjects_of_run, tool_of
from weir.records.copies import marks_of
from weir.records.latencies import collect_latencies
from weir.records.run_cache import Block, Content, Parsed, RunCache, RunKey, packed, state_of
from weir.records.table import lines_of
from weir.records.tally import count_rows, facts_of_run
from weir.runfiles import RUN_FILE

_BLOCK_RUNS = 64  # in memory at a time
_CHUNK_RUNS = 16  # parsed together
_FEW_BLOCKS = 2  # are parsed here: processes cost more
_WAITING = 3  # blocks for each process: none is idle, and few are in memory


FileStates = list[
    tuple[str, int, int, int]
]  # of each file of a run: name, size, time of change of both kinds


@dataclass(frozen=True)
class FoundRun:
    """A finished run; state changes with everything that its rows depend on."""

    cell: Cell
    name: str  # of its directory
    results: Path
    line: str  # of the cell in the plan
    files: FileStates
    same_as: str | None = None  # another run that it repeats

    @cached_property
    def state(self) -> str:
        return state_of(what_rows_depend_on(self.line), [self.files, self.same_as])

    @cached_property
    def key(self) -> str:
        return f"{self.cell.cell}/{self.name}"

    @cached_property
    def folder(self) -> Path:
        return Path(f"{self.results}/runs/{self.key}")


@dataclass(frozen=True)
class Work:
    """The lines of the cells of a plan in blocks, and where their runs and the cache of them are."""

    plan_file: Path
    blocks: Sequence[Sequence[str]]
    results: Path
    cache_file: Path
    copies: Mapping[str, str] = field(default_factory=dict)  # runs that repeat another, and what of it


def blocks_of(lines: Sequence[str]) -> list[Sequence[str]]:
    """Lines of cells that follow each other, with about as many runs in each block. A new run changes one
    block."""
    blocks: list[Sequence[str]] = []
    first = runs = 0
    for number, line in enumerate(lines):
        runs += most_rounds(line)
        if runs >= _BLOCK_RUNS or number == len(lines) - 1:
            blocks.append(lines[first : number + 1])
            first, runs = number + 1, 0
    return blocks


def found_runs(cell: str, results: Path) -> list[tuple[str, FileStates]]:
    """Finished runs of a cell in their order, and their files. A folder without run.json never ended; one
    with another name than a number is a failed attempt that was set aside."""
    found = []
    folder = f"{results}/runs/{cell}"
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except FileNotFoundError:
        return []
    for name in sorted(names, key=int):
        files = {entry.name: entry.stat() for entry in os.scandir(f"{folder}/{name}")}
        if RUN_FILE in files:
            # When an inode changed cannot be set: an edited file with its old size and date is found by it.
            states = [(one, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for one, at in files.items()]
            found.append((name, sorted(states)))
    return found


def collected(work: Work) -> Iterator[tuple[Block, Content]]:
    """Every block in the order of the cells."""
    cache = RunCache(work.cache_file)
    for number, found in enumerate(_collected_blocks(work, cache)):
        block = cache.block(found) if isinstance(found, str) else found
        try:
            if block is None:
                raise ValueError("the cache was damaged")
            content = block.content()
        except (ValueError, TypeError, KeyError):
            block = _made_block(work, number, _runs_of(work, number), {})
            content = block.content()
        yield block, content
    cache.close()


def _collected_blocks(work: Work, cache: RunCache) -> Iterator[Block | str]:
    """Each block, or its state if the cache has it."""
    if len(work.blocks) <= _FEW_BLOCKS:
        for number in range(len(work.blocks)):
            yield _block_or_state(work, number, cache)
        return
    processes = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(work,)) as pool:
        numbers = iter(range(len(work.blocks)))
        waiting = deque(pool.submit(_numbered, number) for number in islice(numbers, _WAITING * processes))
        rules()  # are loaded for the counts while the processes work
        while waiting:
            found = waiting.popleft().result()
            waiting += [pool.submit(_numbered, number) for number in islice(numbers, 1)]
            yield found


_shared: list[tuple[Work, RunCache]] = []  # of a process of the pool: cells need not be sent to it


def _begin(work: Work) -> None:
    gc.freeze()  # what the parent holds is not looked through for garbage, which would copy its memory
    _shared[:] = [(work, RunCache(work.cache_file))]


def _numbered(number: int) -> Block | str:
    ((work, cache),) = _shared
    return _block_or_state(work, number, cache)


Runs = list[list[tuple[str, FileStates]]]  # of each cell of a block


def _block_or_state(work: Work, number: int, cache: RunCache) -> Block | str:
    runs = _runs_of(work, number)
    state = _state_of_block(work, number, runs)
    if state in cache:
        return state
    names = [name_of_line(line, work.plan_file) for line in work.blocks[number]]
    return _made_block(work, number, runs, cache.runs_of(names))


def _runs_of(work: Work, number: int) -> Runs:
    return [found_runs(name_of_line(line, work.plan_file), work.results) for line in work.blocks[number]]


def _state_of_block(work: Work, number: int, runs: Runs) -> str:
    names = [name_of_line(line, work.plan_file) for line in work.blocks[number]] if work.copies else []
    copied = sorted(one for one in work.copies.items() if one[0].partition("/")[0] in names)
    return state_of("\n".join(work.blocks[number]), [runs, copied])


def _made_block(work: Work, number: int, runs: Runs, known: Mapping[RunKey, Parsed]) -> Block:
    """The block of these runs, of which some may be known from the last time."""
    lines = work.blocks[number]
    cells = [cell_of_line(line, work.plan_file) for line in lines]
    found = [
        FoundRun(cell, name, work.results, line, files, work.copies.get(f"{cell.cell}/{name}"))
        for cell, line, some in zip(cells, lines, runs, strict=True)
        for name, files in some
    ]
    new = [run for run in found if (run.key, run.state) not in known]
    chunks = [new[first : first + _CHUNK_RUNS] for first in range(0, len(new), _CHUNK_RUNS)]
    parsed = iter([one for chunk in chunks for one in _parsed_runs(chunk)])
    every = [((run.key, run.state), known.get((run.key, run.state)) or next(parsed)) for run in found]
    return packed(_state_of_block(work, number, runs), cells, every)


def _parsed_runs(runs: Sequence[FoundRun]) -> list[Parsed]:
    """Step by step for all of them and not run by run: code that was just executed is in the caches of the
    processor."""
    read = [read_hashed_json(found.folder / RUN_FILE) for found in runs]
    known = [Run(found.folder, content) for found, (content, _) in zip(runs, read, strict=True)]
    outputs = [parse_run(run, tool_of(found.cell)) for found, run in zip(runs, known, strict=True)]
    subjects = [
        subjects_of_run(found.cell, run, output, found.results, found.same_as)
        for found, run, output in zip(runs, known, outputs, strict=True)
    ]
    rows = iter(audited_rows([subject for some in subjects for subject in some]))
    return [
        _as_text(found, run, output, list(islice(rows, len(some))), sha256)
        for found, run, output, some, (_, sha256) in zip(runs, known, outputs, subjects, read, strict=True)
    ]


def _as_text(found: FoundRun, run: Run, output: Output, rows: Sequence[Row], sha256: str) -> Parsed:
    latencies = lines_of(collect_latencies(found.cell, [run]), "latency")
    tables = lines_of(rows), latencies, counter_lines(found.cell, run.number, output)
    tally = {**count_rows(rows), **facts_of_run(run.facts)}
    marks = marks_of(found.cell.cell, run.facts, rows)
    return Parsed(tables, {"tally": tally, "sha256": sha256, "marks": marks})
