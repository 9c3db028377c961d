"""An allocation that ends soon leaves cells for the next one instead of being cut half-way."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.checkout import plain_cell
from tests.unit.measure.alone import session_batch
from weir.measure import batches
from weir.measure.batches import _fitting, run_all
from weir.measure.command import Turn
from weir.measure.session import Execution, PlannedBatch, SessionBatch
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.records.model import Cell, Stack, Target


def cell(number: int, timeout_s: float) -> Cell:
    return plain_cell(f"{number:012x}", timeout_s=timeout_s)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each run takes ten seconds of a clock that starts at zero; what ran is noted."""
    now, ran = [0.0], []

    def launched(left: list[Execution], turn: Turn) -> None:
        execution = left[0]
        now[0] += 10
        ran.append(execution.cell.cell)
        turn.batch.take(execution, {"status": "done", "error": None, "elapsed_s": 10.0})

    monkeypatch.setattr(batches, "run_launch", launched)
    monkeypatch.setattr(batches, "wall_s", lambda: now[0])
    return ran


def run(cells: list[Cell], ends_at: float | None) -> SessionBatch:
    planned = PlannedBatch("b", cells, Target("t", "disk", "/x"), Stack("st", {}), "srun", Path("/r"))
    batch = session_batch(planned, ends_at=ends_at)
    run_all([Execution(each, 0, 0) for each in cells], Turn(batch, SimpleNamespace(fault=lambda: None), ""))  # type: ignore[arg-type]
    return batch


def test_without_an_end_everything_runs(clock: list[str]) -> None:
    assert run([cell(n, 1e6) for n in range(3)], None).left == 0
    assert len(clock) == 3


def test_what_might_not_end_in_time_is_left(clock: list[str]) -> None:
    # After two runs of 10 s, 20 s limit and 30 s for cleaning up do not fit the last 45 s any more.
    result = run([cell(n, 20) for n in range(4)], 65)
    assert (result.done, result.left) == (2, 2)


def test_a_shorter_cell_may_still_fit(clock: list[str]) -> None:
    result = run([cell(1, 20), cell(2, 500), cell(3, 20)], 100)
    assert clock == [cell(1, 0).cell, cell(3, 0).cell]
    assert result.left == 1


def test_the_first_runs_even_if_no_allocation_is_long_enough(clock: list[str]) -> None:
    assert run([cell(1, 1000), cell(2, 1000)], 60).left == 1
    assert len(clock) == 1


def test_what_cells_took_so_far_says_how_many_share_a_launch(clock: list[str]) -> None:
    """Ten minutes hold nine limits of a minute, half a minute being for cleaning up, but many more cells."""
    many = [SimpleNamespace(cell=cell(number, 60)) for number in range(300)]
    assert len(_fitting(many, 600, None)) == 9  # type: ignore[arg-type]
    assert len(_fitting(many, 600, 5.0)) == 52  # type: ignore[arg-type]
    assert len(_fitting(many, 600, 0.05)) == LAUNCH_EXECUTIONS  # type: ignore[arg-type]
    assert _fitting(many, 89, 0.05) == []  # type: ignore[arg-type]
