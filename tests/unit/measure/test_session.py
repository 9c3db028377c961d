"""The order of executions, and the lines of a measurement: counts over all batches, the file that others
follow."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reframe_checks.weir_checks.start import follow
from tests.checkout import plain_cell
from weir.base.processes import without_terminal
from weir.measure.session import Execution, Progress, rounds_in_random_order
from weir.records.model import Cell

CELLS = [plain_cell(f"c{i}", rounds=3) for i in range(8)] + [plain_cell("single")]


def never(_cell: Cell, _run: int) -> bool:
    return False


def test_every_cell_once_per_block() -> None:
    order = rounds_in_random_order(CELLS, 1, never)
    assert sorted((e.cell.cell, e.run) for e in order) == sorted(
        (c.cell, b) for c in CELLS for b in range(c.rounds)
    )
    assert [e.run for e in order] == sorted(e.run for e in order)


def test_seed_repeats_and_blocks_differ() -> None:
    first = [(e.cell.cell, e.run) for e in rounds_in_random_order(CELLS, 7, never)]
    assert first == [(e.cell.cell, e.run) for e in rounds_in_random_order(CELLS, 7, never)]
    assert first != [(e.cell.cell, e.run) for e in rounds_in_random_order(CELLS, 8, never)]
    by_round = [[name for name, run in first if run == round and name != "single"] for round in range(3)]
    assert by_round[0] != by_round[1] or by_round[1] != by_round[2]


def test_finished_executions_are_left_out() -> None:
    done = {("c0", 0), ("single", 0)}
    order = rounds_in_random_order(CELLS, 1, lambda each, run: (each.cell, run) in done)
    assert {(e.cell.cell, e.run) for e in order}.isdisjoint(done)
    assert [e.position for e in order] == list(range(8 * 3 + 1 - 2))


def test_progress_counts_the_executions_of_all_batches(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.expect(3)
    cell = plain_cell()
    for name in ("a", "b"):
        progress.step(name, Execution(cell, 0, 0), "done", 1.0)
    progress.expect(1)
    progress.step("a", Execution(cell, 1, 0), "done", 1.0)
    printed = capsys.readouterr().err.splitlines()
    assert [line.split("]")[0] for line in printed] == ["a [1/3", "b [2/3", "a [3/4"]


def test_progress_makes_its_file_when_there_is_something_to_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(tmp_path / "progress")
    assert not (tmp_path / "progress").exists()
    progress.report("one")
    progress.report("two")
    assert (tmp_path / "progress").read_text() == "one\ntwo\n"
    Progress(tmp_path / "none" / "progress").report("nobody follows it")
    assert capsys.readouterr().err == "nobody follows it\n"


def test_a_terminal_that_has_gone_ends_no_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `disown` or under setsid, when its window is closed: there is no HUP."""
    terminal, ours = os.openpty()
    os.close(terminal)
    with open(ours, "w", buffering=1) as gone:
        monkeypatch.setattr(sys, "stderr", gone)
        with pytest.raises(OSError, match="Input/output error"):
            print("a line", file=gone, flush=True)
        Progress(tmp_path / "none" / "progress").report("nobody follows it")
        (tmp_path / "progress").write_text("a line")
        with subprocess.Popen(["true"]) as process:
            assert follow(process, tmp_path / "progress")
        monkeypatch.undo()
        with without_terminal():
            gone.close()
