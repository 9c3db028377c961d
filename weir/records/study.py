"""All runs of a plan in its order: those known from the last time, and the rest parsed by all cores."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from weir.model import Cell, Row
from weir.model import Parsed as Output
from weir.records.client_counters import counter_lines
from weir.records.collect import Run, audited_rows, parse_run, read_hashed_json, subjects_of_run, tool_of
from weir.records.latencies import collect_latencies
from weir.records.run_cache import Block, Content, Parsed, RunCache, RunKey, packed, state_of
from weir.records.table import lines_of
from weir.records.tally import count_rows, facts_of_run
from weir.runfiles import RUN_FILE

_BLOCK_RUNS = 64  # in memory at a time
_CHUNK_RUNS = 16  # parsed together
_WORTH_PROCESSES = 128  # executions; fewer are parsed here: processes cost more
_WAITING = 3  # blocks for each process: none is idle, and few are in memory


# The fields that rows depend on.
_ABOUT_CELL = attrgetter(*(field.name for field in fields(Cell) if field.repr))


@dataclass(frozen=True)
class FoundRun:
    """A finished run; state changes with everything that its rows depend on."""

    cell: Cell
    name: str  # of its directory
    results: Path
    about: tuple[Any, ...]  # the cell and the files

    @cached_property
    def state(self) -> str:
        return state_of(self.about)

    @cached_property
    def key(self) -> str:
        return f"{self.cell.cell}/{self.name}"

    @cached_property
    def folder(self) -> Path:
        return Path(f"{self.results}/runs/{self.key}")


@dataclass(frozen=True)
class Work:
    """The cells of a study in blocks, and where their runs and the cache of them are."""

    blocks: Sequence[Sequence[Cell]]
    results: Path
    cache_file: Path


def blocks_of(cells: Sequence[Cell]) -> list[Sequence[Cell]]:
    """Cells that follow each other, with about as many runs in each block. A new run changes one block."""
    blocks: list[Sequence[Cell]] = []
    first = runs = 0
    for number, cell in enumerate(cells):
        runs += cell.most_rounds
        if runs >= _BLOCK_RUNS or number == len(cells) - 1:
            blocks.append(cells[first : number + 1])
            first, runs = number + 1, 0
    return blocks


def found_runs(cell: Cell, results: Path) -> list[FoundRun]:
    """Finished runs of a cell in their order. A folder without run.json never ended; one whose name is no
    number is a failed attempt that was set aside."""
    found = []
    try:
        folder = f"{results}/runs/{cell.cell}"
        names = [entry.name for entry in os.scandir(folder) if entry.name.isdigit()]
    except FileNotFoundError:
        return []
    about_cell = _ABOUT_CELL(cell)
    for name in sorted(names, key=int):
        files = {entry.name: entry.stat() for entry in os.scandir(f"{folder}/{name}")}
        if RUN_FILE in files:
            states = sorted((file, facts.st_size, facts.st_mtime_ns) for file, facts in files.items())
            found.append(FoundRun(cell, name, results, (about_cell, states)))
    return found


def collected(work: Work) -> Iterator[tuple[Block, Content]]:
    """Every block in the order of the cells."""
    cache = RunCache(work.cache_file)
    for cells, found in zip(work.blocks, _collected_blocks(work, cache), strict=True):
        block = cache.block(found) if isinstance(found, str) else found
        try:
            if block is None:
                raise ValueError("the cache was damaged")
            content = block.content()
        except (ValueError, TypeError, KeyError):
            block = _made_block(cells, _runs_of(cells, work.results), {})
            content = block.content()
        yield block, content
    cache.close()


def _collected_blocks(work: Work, cache: RunCache) -> Iterator[Block | str]:
    """Each block, or its state if the cache has it."""
    if sum(cell.rounds for cells in work.blocks for cell in cells) < _WORTH_PROCESSES:
        for cells in work.blocks:
            yield _block_or_state(cells, work.results, cache)
        return
    processes = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(work,)) as pool:
        waiting: deque[Future[Block | str]] = deque()
        for number in range(len(work.blocks)):
            waiting.append(pool.submit(_numbered, number))
            if len(waiting) >= _WAITING * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_shared: list[tuple[Work, RunCache]] = []  # of a process of the pool: cells need not be sent to it


def _begin(work: Work) -> None:
    gc.freeze()  # the cells are not looked through for garbage, which would copy their memory
    _shared[:] = [(work, RunCache(work.cache_file))]


def _numbered(number: int) -> Block | str:
    ((work, cache),) = _shared
    return _block_or_state(work.blocks[number], work.results, cache)


def _block_or_state(cells: Sequence[Cell], results: Path, cache: RunCache) -> Block | str:
    runs = _runs_of(cells, results)
    state = _state_of_block(cells, runs)
    return state if state in cache else _made_block(cells, runs, cache.runs_of(cell.cell for cell in cells))


def _runs_of(cells: Iterable[Cell], results: Path) -> list[FoundRun]:
    return [run for cell in cells for run in found_runs(cell, results)]


def _state_of_block(cells: Iterable[Cell], runs: Iterable[FoundRun]) -> str:
    return state_of(([cell.cell for cell in cells], [(run.name, run.about) for run in runs]))


def _made_block(cells: Sequence[Cell], runs: Sequence[FoundRun], known: Mapping[RunKey, Parsed]) -> Block:
    """The block of these runs, of which some may be known from the last time."""
    new = [run for run in runs if (run.key, run.state) not in known]
    chunks = [new[first : first + _CHUNK_RUNS] for first in range(0, len(new), _CHUNK_RUNS)]
    parsed = iter([one for chunk in chunks for one in _parsed_runs(chunk)])
    every = [((run.key, run.state), known.get((run.key, run.state)) or next(parsed)) for run in runs]
    return packed(_state_of_block(cells, runs), [cell.cell for cell in cells], every)


def _parsed_runs(runs: Sequence[FoundRun]) -> list[Parsed]:
    """Step by step for all of them and not run by run: code that was just executed is in the caches of the
    processor."""
    read = [read_hashed_json(found.folder / RUN_FILE) for found in runs]
    known = [Run(found.folder, content) for found, (content, _) in zip(runs, read, strict=True)]
    outputs = [parse_run(run, tool_of(found.cell)) for found, run in zip(runs, known, strict=True)]
    subjects = [
        subjects_of_run(found.cell, run, output, found.results)
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
    return Parsed(tables, {"tally": {**count_rows(rows), **facts_of_run(run.facts)}, "sha256": sha256})
