"""Collecting a study: what a run was judged when it ended goes into the tables as it is, unless something
changed; the tables are the same either way."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.growth import write_configuration, write_runs
from weir.base.errors import WeirError
from weir.base.files import file_sha256
from weir.cli import main
from weir.collect import judged
from weir.collect.judged import Work, collected, parts_of
from weir.collect.parsed_runs import Run, read_run
from weir.plan import Plan, read_plan
from weir.plan.files import lines_of_plan
from weir.records.model import Cell, Until
from weir.runs.files import ROWS_FILE, RUN_FILE
from weir.runs.manifest import read_manifest

TABLES = ("records.csv", "latencies.csv", "client-counters.csv", "excluded.csv", "facts.json", "SHA256SUMS")


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    write_configuration(tmp_path / "config", 16)
    plan_file = tmp_path / "results" / "study" / "plan.json"
    assert main(["plan", "--config-dir", str(tmp_path / "config"), "--out", str(plan_file)]) == 0
    return read_plan(plan_file)


def collect(folder: Path, *more: str) -> dict[str, str]:
    """Every table by its name."""
    out = folder / "results" / "study"
    arguments = ["--plan", str(out / "plan.json"), "--results", str(folder / "results")]
    assert main(["collect", *arguments, "--out", str(out / "records.csv"), *more]) == 0
    return {name: (out / name).read_text() for name in TABLES}


@pytest.fixture
def judged_cells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cells whose runs are parsed and judged from now on."""
    found: list[str] = []
    real = judged._judge

    def counted(cell: Cell, run: Run, results: Path, same_as: str | None = None) -> judged.JudgedRun:
        found.append(cell.cell)
        return real(cell, run, results, same_as)

    monkeypatch.setattr(judged, "_judge", counted)
    return found


def run_of(folder: Path, plan: Plan, number: int) -> Path:
    return folder / "results" / "runs" / plan.cells[number].cell / "000"


@pytest.mark.slow
def test_a_run_is_judged_once_when_it_ends(tmp_path: Path, planned: Plan, judged_cells: list[str]) -> None:
    write_runs(planned, tmp_path / "results", 0, 10)
    assert judged_cells == [cell.cell for cell in planned.cells[:10]]
    first = collect(tmp_path)
    assert collect(tmp_path) == first
    run = run_of(tmp_path, planned, 3)
    assert list(judged.collect_cell(planned.cells[3], [read_run(run)], tmp_path))
    assert len(judged_cells) == 10
    assert collect(tmp_path, "--judge-again") == first
    assert len(judged_cells) == 20


def test_rows_that_were_kept_are_those_of_the_outputs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 1)
    run = read_run(run_of(tmp_path, planned, 0))
    kept = judged.judged(planned.cells[0], run, tmp_path / "results")
    anew = judged.judged(planned.cells[0], run, tmp_path / "results", again=True)
    assert kept.tables == anew.tables
    assert kept.rows(run.folder) == anew.rows(run.folder)
    assert json.loads(json.dumps(kept.tally)) == json.loads(json.dumps(anew.tally))


def judged_by_another_weir(run: Path) -> None:
    """Which had another rule."""
    held = json.loads((run / ROWS_FILE).read_text())
    lines = held["tables"][0].replace("other-target", "a-rule-of-old")
    assert lines != held["tables"][0]
    held |= {"code": "0" * 16, "tables": [lines, *held["tables"][1:]]}
    (run / ROWS_FILE).write_text(json.dumps(held))
    facts = json.loads((run / RUN_FILE).read_text())
    facts["sha256"][ROWS_FILE] = file_sha256(run / ROWS_FILE)
    (run / RUN_FILE).write_text(json.dumps(facts))


def test_a_run_that_another_weir_judged_is_judged_again(
    tmp_path: Path, planned: Plan, judged_cells: list[str]
) -> None:
    write_runs(planned, tmp_path / "results", 0, 4)
    before = collect(tmp_path)["records.csv"]
    judged_by_another_weir(run_of(tmp_path, planned, 2))
    judged_cells.clear()
    assert collect(tmp_path)["records.csv"] == before
    assert judged_cells == [planned.cells[2].cell]


def test_an_edited_verdict_is_found(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 2)
    rows = run_of(tmp_path, planned, 0) / ROWS_FILE
    edited_secretly(rows, b"INVALID", b"VALID  ")
    table = collect(tmp_path)["records.csv"].splitlines()
    of_cell = [line for line in table if planned.cells[0].cell in line]
    assert len(of_cell) == 4
    assert all("INVALID" in line and ROWS_FILE in line for line in of_cell)


def test_rounds_and_limits_of_added_rounds_change_no_row(
    tmp_path: Path, planned: Plan, judged_cells: list[str]
) -> None:
    write_runs(planned, tmp_path / "results", 0, 1)
    run = run_of(tmp_path, planned, 0)
    judged_cells.clear()
    cell = replace(planned.cells[0], rounds=9)
    assert judged.judged(cell, read_run(run), tmp_path / "results")
    assert judged_cells == []
    other = replace(cell, label="of another suite")
    rows = judged.judged(other, read_run(run), tmp_path / "results").rows(run)
    assert {row["label"] for row in rows} == {"of another suite"}
    added = replace(cell, until=Until(0.05, 30))
    rows = judged.judged(added, read_run(run), tmp_path / "results").rows(run)
    assert {row["until"] for row in rows} == {0.05}
    assert judged_cells == [cell.cell, cell.cell]


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


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_tables_are_those_of_the_outputs(
    tmp_path: Path, planned: Plan, change: Callable[[Path, Path], None]
) -> None:
    write_runs(planned, tmp_path / "results", 0, 6)
    collect(tmp_path)
    change(tmp_path, run_of(tmp_path, planned, 2))
    again = collect(tmp_path)
    assert collect(tmp_path, "--judge-again") == again
    sums = read_manifest(tmp_path / "results" / "study")[1]
    assert {"records.csv", "latencies.csv", "client-counters.csv", "excluded.csv", "plan.json"} <= sums.keys()
    assert {name: file_sha256(tmp_path / "results" / "study" / name) for name in sums} == sums


@pytest.mark.slow
def test_many_runs_are_read_by_several_processes_in_the_order_of_the_plan(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(planned, tmp_path / "results", 0, 16)
    one = collect(tmp_path)
    monkeypatch.setattr(judged, "_PART_RUNS", 3)
    assert collect(tmp_path) == one
    (run_of(tmp_path, planned, 9) / "run.json").write_text("{}")
    work = Work(tmp_path / "plan.json", parts_of(lines_of_plan(planned).cells), tmp_path / "results")
    with pytest.raises(WeirError, match=rf"{planned.cells[9].cell}/000/run.json: .*is damaged"):
        list(collected(work))


READS_FOR_LONG = """
import os, pathlib, time
from weir.collect import judged
def part(work, number):
    print(os.getpid(), flush=True)
    time.sleep(600)
judged._part = part
try:
    list(judged.collected(judged.Work(pathlib.Path(), [[]] * 9, pathlib.Path())))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_reads_many_runs_ends_at_once_with_all_its_processes(number: signal.Signals) -> None:
    """Ctrl-C goes to all of them, a kill to the first one."""
    command = ["env", "--default-signal=INT", sys.executable, "-c", READS_FOR_LONG]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as first:
        for _ in range(min(9, len(os.sched_getaffinity(0)))):  # all have begun; there are nine parts
            assert first.stdout.readline() != ""
        os.kill(first.pid if number == signal.SIGKILL else -first.pid, number)
        # To the end of what they print, so of all of them.
        printed = [line for line in first.stdout.read().splitlines() if not line.isdigit()]
        assert printed == ([] if number == signal.SIGKILL else ["interrupted"])
        assert first.stderr.read() == ""


def test_facts_count_records_and_runs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 2)
    facts = json.loads(collect(tmp_path)["facts.json"])
    assert (facts["records"], facts["finished_executions"], facts["failed_executions"]) == (8, 2, 0)
    assert sum(facts["verdicts"].values()) == 8
