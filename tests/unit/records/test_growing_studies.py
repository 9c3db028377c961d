"""Collecting a study again: what is known is not parsed again, and the tables are the same either way."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.growth import write_configuration, write_runs
from weir.cli import main
from weir.errors import WeirError
from weir.integrity.manifest import read_manifest
from weir.model import Cell
from weir.plan import Plan, read_plan
from weir.plan.lines import lines_of_plan
from weir.records import study
from weir.records.run_cache import CACHE_FILE, Parsed
from weir.records.study import Work, blocks_of, collected
from weir.records.tally import Tally
from weir.runfiles import file_sha256


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    write_configuration(tmp_path / "config", 16)
    plan_file = tmp_path / "results" / "study" / "plan.json"
    assert main(["plan", "--config-dir", str(tmp_path / "config"), "--out", str(plan_file)]) == 0
    return read_plan(plan_file)


def collect(folder: Path) -> dict[str, str]:
    """Every table by its name."""
    out = folder / "results" / "study"
    arguments = ["--plan", str(out / "plan.json"), "--results", str(folder / "results")]
    assert main(["collect", *arguments, "--out", str(out / "records.csv")]) == 0
    names = ("records.csv", "latencies.csv", "excluded.csv", "facts.json", "SHA256SUMS", CACHE_FILE)
    return {name: (out / name).read_text(encoding="latin-1") for name in names}


def parsed_cells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cells whose runs are parsed from now on."""
    parsed: list[str] = []
    real = study._parsed_runs

    def counted(runs: Sequence[study.FoundRun]) -> list[Parsed]:
        parsed.extend(run.cell.cell for run in runs)
        return real(runs)

    monkeypatch.setattr(study, "_parsed_runs", counted)
    return parsed


def test_only_new_and_changed_runs_are_parsed(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(planned, tmp_path / "results", 0, 10)
    parsed = parsed_cells(monkeypatch)
    first = collect(tmp_path)
    assert len(parsed) == 10
    assert collect(tmp_path) == first
    assert len(parsed) == 10, "nothing changed, nothing is parsed"
    write_runs(planned, tmp_path / "results", 10, 11)
    changed = tmp_path / "results" / "runs" / planned.cells[3].cell / "000" / "summary.json"
    os.utime(changed, ns=(1, 1))
    assert len(collect(tmp_path)["records.csv"].splitlines()) == 1 + 11 * 4
    assert parsed[10:] == [planned.cells[3].cell, planned.cells[10].cell]


def flipped(cache: bytes) -> Iterator[bytes]:
    """The cache with a changed byte, at a dozen places over all of it."""
    for place in range(0, len(cache), len(cache) // 12):
        yield cache[:place] + bytes([cache[place] ^ 1]) + cache[place + 1 :]


def test_a_cache_that_is_gone_old_or_damaged_changes_no_table(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 2)
    write_runs(planned, tmp_path / "results", 0, 4)
    first = collect(tmp_path)
    cache = tmp_path / "results" / "study" / CACHE_FILE
    whole = cache.read_bytes()
    for damaged in (b"", b"other state\n", whole[: len(whole) // 2], *flipped(whole)):
        cache.write_bytes(damaged)
        # What belongs to single runs is checked when it is needed.
        os.utime(tmp_path / "results" / "runs" / planned.cells[0].cell / "000" / "stdout.txt", ns=(1, 1))
        assert collect(tmp_path) | {CACHE_FILE: ""} == first | {CACHE_FILE: ""}


def edited_secretly(file: Path, old: bytes, new: bytes) -> None:
    """With its old size and date."""
    state = file.stat()
    assert len(old) == len(new)
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    while file.stat().st_ctime_ns == state.st_ctime_ns:  # until the next tick of the clock
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)


def edited_plan(folder: Path, old: str, new: str) -> None:
    plan_file = folder / "results" / "study" / "plan.json"
    text = plan_file.read_text()
    assert old in text
    plan_file.write_text(text.replace(old, new, 1))


def without_a_cell(folder: Path, _: Path) -> None:
    lines = (folder / "results" / "study" / "plan.json").read_text().splitlines(keepends=True)
    second = [line for line in lines if line.startswith('  {"cell": "')][1]
    edited_plan(folder, second, "")


def reversed_cells(folder: Path, _: Path) -> None:
    plan_file = folder / "results" / "study" / "plan.json"
    data = json.loads(plan_file.read_text())
    data["batches"][0]["cells"].reverse()
    plan_file.write_text(json.dumps(data))


def measured_before_the_first(folder: Path, run: Path) -> None:
    """As after a step of the clock: the new run is older than everything that was collected."""
    shutil.copytree(run, run.with_name("001"))
    facts = json.loads((run / "run.json").read_text()) | {"run": 1, "began": "1999-01-01T00:00:00+00:00"}
    (run.with_name("001") / "run.json").write_text(json.dumps(facts))
    for file in run.with_name("001").iterdir():
        os.utime(file, ns=(0, 0))


CHANGES: dict[str, Callable[[Path, Path], None]] = {
    "nothing": lambda folder, run: None,
    "run.json, secretly": lambda folder, run: edited_secretly(
        run / "run.json", b'"exit_code": 0', b'"exit_code": 7'
    ),
    "an output, secretly": lambda folder, run: edited_secretly(run / "summary.json", b"weir-io", b"weir-oi"),
    "a run deleted": lambda folder, run: shutil.rmtree(run),
    "run.json deleted": lambda folder, run: (run / "run.json").unlink(),
    "an output deleted": lambda folder, run: (run / "summary.json").unlink(),
    "a run set aside": lambda folder, run: os.rename(run, run.with_name("000.failed-1")),
    "the clock set back": measured_before_the_first,
    "a parameter of the plan": lambda folder, run: edited_plan(
        folder, '"xfer_bytes": 16384', '"xfer_bytes": 16385'
    ),
    "the time limit of a cell": lambda folder, run: edited_plan(
        folder, '"timeout_s": 60.0', '"timeout_s": 61.0'
    ),
    "rounds of a cell": lambda folder, run: edited_plan(folder, '"rounds": 1', '"rounds": 9'),
    "a cell less": without_a_cell,
    "cells in another order": reversed_cells,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_again_gives_the_tables_of_a_first_time(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], None]
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 2)
    monkeypatch.setattr(study, "_FEW_BLOCKS", 9)
    write_runs(planned, tmp_path / "results", 0, 6)
    collect(tmp_path)
    change(tmp_path, tmp_path / "results" / "runs" / planned.cells[2].cell / "000")
    again = collect(tmp_path)
    (tmp_path / "results" / "study" / CACHE_FILE).unlink()
    assert collect(tmp_path) == again
    sums = read_manifest(tmp_path / "results" / "study")[1]
    assert {"records.csv", "latencies.csv", "client-counters.csv", "excluded.csv", "plan.json"} <= sums.keys()
    assert {name: file_sha256(tmp_path / "results" / "study" / name) for name in sums} == sums


def test_cells_of_unchanged_blocks_are_not_parsed(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 8)
    write_runs(planned, tmp_path / "results", 0, 16)
    collect(tmp_path)
    parsed: list[str] = []
    real = study.cell_of_line

    def counted(line: str, path: Path) -> Cell:
        parsed.append(real(line, path).cell)
        return real(line, path)

    monkeypatch.setattr(study, "cell_of_line", counted)
    collect(tmp_path)
    assert parsed == []
    os.utime(tmp_path / "results" / "runs" / planned.cells[5].cell / "000" / "stdout.txt", ns=(1, 1))
    collect(tmp_path)
    assert parsed == [cell.cell for cell in planned.cells[:8]]


def test_other_blocks_keep_what_is_known_of_their_runs(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a plan with more cells or rounds, whose blocks begin elsewhere."""
    write_runs(planned, tmp_path / "results", 0, 16)
    first = collect(tmp_path)
    parsed = parsed_cells(monkeypatch)
    monkeypatch.setattr(study, "_BLOCK_RUNS", 3)
    second = collect(tmp_path)
    assert second.pop(CACHE_FILE) != first.pop(CACHE_FILE)
    assert second == first
    assert parsed == []


def test_counts_of_blocks_are_those_of_their_runs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 5)
    ((block, _),) = collected(work_of(planned, tmp_path))
    counts = [run.facts["tally"] for run in block.parsed().values()]
    every, halves = tallied(counts), Tally()
    for half in (counts[:2], counts[2:]):
        halves.add(json.loads(json.dumps(tallied(half).data())))
    assert json.dumps(halves.data()) == json.dumps(every.data())
    assert (every.runs, every.records) == (5, 20)


def work_of(plan: Plan, folder: Path) -> Work:
    """All cells, and no cache."""
    blocks = blocks_of(lines_of_plan(plan).cells)
    return Work(folder / "plan.json", blocks, folder / "results", folder / "no cache")


def tallied(counts: Iterable[Mapping[str, Any]]) -> Tally:
    tally = Tally()
    for each in counts:
        tally.add(each)
    return tally


def test_many_runs_are_parsed_by_several_processes_in_the_order_of_the_plan(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 3)
    write_runs(planned, tmp_path / "results", 0, 16)
    one = collect(tmp_path)
    (tmp_path / "results" / "study" / CACHE_FILE).unlink()
    monkeypatch.setattr(study, "_FEW_BLOCKS", 1)
    assert collect(tmp_path) == one
    (tmp_path / "results" / "runs" / planned.cells[9].cell / "000" / "run.json").write_text("{}")
    with pytest.raises(WeirError, match=rf"{planned.cells[9].cell}/000/run.json: .*is damaged"):
        list(collected(work_of(planned, tmp_path)))


def test_facts_count_records_and_runs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 2)
    facts = json.loads(collect(tmp_path)["facts.json"])
    assert (facts["records"], facts["finished_executions"], facts["failed_executions"]) == (8, 2, 0)
    assert sum(facts["verdicts"].values()) == 8
