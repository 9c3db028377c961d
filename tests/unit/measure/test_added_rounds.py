"""Rounds are added until the intervals are narrow enough, the budget is spent or there are enough of them."""

import json
import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import plain_cell
from tests.programs import write_file
from weir.measure import batches
from weir.measure.batches import measure_in_rounds, run_all
from weir.measure.command import Turn
from weir.measure.receipt import BatchReceipt
from weir.measure.session import Execution, PlannedBatch, Session, SessionBatch
from weir.records.model import Cell, Stack, Target, Until
from weir.runs.files import read_run_file, run_folder
from weir.statistics.median import half_width


def cell(name: str, until: Until | None, count: int = 4) -> Cell:
    return plain_cell(name, rounds=count, until=until)


def speeds(results: Path, name: str) -> list[float]:
    files = sorted((results / "runs" / name).glob("*/run.json"))
    return [json.loads(file.read_text())["speed"] for file in files]


def job_of(results: Path, cells: list[Cell]) -> PlannedBatch:
    return PlannedBatch("b", cells, Target("t", "disk", str(results)), Stack("st", {}), "srun", results)


def session_of(*jobs: PlannedBatch, **options: Any) -> Session:
    def width_of(one: Cell) -> float | None:
        values = [value for value in speeds(jobs[0].results, one.cell) if value > 0]
        return half_width(values) if values else None

    return Session(jobs, **{"seed": 1, "width_of": width_of, **options})


@dataclass
class Machine:
    """Executions of ten seconds each. Cell `a` never varies, `b` by percents, `c` by a factor; `f` fails."""

    ran: list[Execution] = field(default_factory=list)
    interrupted_after: float = math.inf  # executions

    def launched(self, left: list[Execution], turn: Turn) -> None:
        execution = left[0]
        if len(self.ran) >= self.interrupted_after:
            raise KeyboardInterrupt
        self.ran.append(execution)
        name = execution.cell.cell
        spread = {"a": 0.0, "b": 0.05, "c": 0.8, "f": 0.0}[name[0]]
        speed = 100 * random.Random(f"{name}{execution.run}").lognormvariate(0, spread)
        failed = name[0] == "f"
        document = {"status": "failed" if failed else "done", "error": "broken" if failed else None}
        document |= {"elapsed_s": 10.0, "speed": 0.0 if failed else speed}
        folder = run_folder(turn.planned.results, name, execution.run)
        write_file(folder / "run.json", json.dumps(document, indent=1) + "\n")
        turn.batch.take(execution, document)

    @property
    def counts(self) -> Counter[str]:
        return Counter(each.cell.cell for each in self.ran)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(batches, "run_launch", machine.launched)
    monkeypatch.setattr(batches, "take_turn", take_turn)
    monkeypatch.setattr(batches, "clean_up_after_kills", lambda report: [])
    return machine


def take_turn(batch: SessionBatch, round: int | None) -> None:
    guardian = SimpleNamespace(fault=lambda: None)
    run_all(batch.todo(round), Turn(batch, guardian, ""), with_added=round is None)  # type: ignore[arg-type]


def measure(job: PlannedBatch, **options: Any) -> SessionBatch:
    (batch,) = session_of(job, **options).batches
    take_turn(batch, None)
    return batch


def added(batch: SessionBatch) -> int:
    return BatchReceipt.of(batch).added


def test_rounds_go_to_the_cells_that_need_them(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.04, at_most=30)
    job = job_of(tmp_path, [cell("a", until), cell("b", until), cell("c", until), cell("a0", None)])
    result = measure(job)
    found = machine.counts
    # Nine runs are the fewest with an interval of 95 %.
    assert found["a"] == 9
    assert found["a0"] == 4
    assert 9 < found["b"] < 30
    assert found["c"] == 30
    assert half_width(speeds(tmp_path, "b")) <= 0.04 < half_width(speeds(tmp_path, "b")[:-1])
    assert result.done == len(machine.ran)
    assert added(result) == len(machine.ran) - 16
    assert result.missing() == result.added() == []


def test_an_added_round_is_one_run_of_each_wide_cell(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.001, at_most=9)
    measure(job_of(tmp_path, [cell("b1", until), cell("b2", until), cell("c", until)]))
    assert [each.run for each in machine.ran] == sorted(each.run for each in machine.ran)
    orders = {tuple(each.cell.cell for each in machine.ran if each.run == run) for run in range(4, 9)}
    assert all(sorted(order) == ["b1", "b2", "c"] for order in orders)
    assert len(orders) > 1


def test_the_budget_goes_to_the_widest(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.001, at_most=50, budget_s=100.0, share=0.5)
    result = measure(job_of(tmp_path, [cell("b", until, 8), cell("c", until, 8)]))
    # Two shares of 50 s are ten runs of 10 s.
    assert added(result) == 10
    assert machine.counts == {"b": 13, "c": 13}
    odd = Until(0.001, at_most=50, budget_s=90.0, share=0.5)
    job = job_of(tmp_path, [cell("b3", odd, 8), cell("c3", odd, 8)])
    result = measure(job)
    assert machine.counts["c3"] == 13
    assert machine.counts["b3"] == 12
    assert result.added() == []


def test_interrupted_anywhere_the_same_runs_are_measured(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.02, at_most=25, budget_s=400.0)
    cells = [cell("b", until), cell("c", replace(until, share=0.0))]
    measure(job_of(tmp_path / "whole", cells))
    whole = sorted((each.cell.cell, each.run) for each in machine.ran)
    machine.ran.clear()
    for machine.interrupted_after in (3, 5, 11, 14):
        with pytest.raises(KeyboardInterrupt):
            measure(job_of(tmp_path / "parts", cells))
    machine.interrupted_after = math.inf
    measure(job_of(tmp_path / "parts", cells))
    assert sorted((each.cell.cell, each.run) for each in machine.ran) == whole


def test_cells_that_fail_get_no_more_rounds(machine: Machine, tmp_path: Path) -> None:
    job = job_of(tmp_path, [cell("f", Until(0.05, at_most=30))])
    result = measure(job, retry_failed=True)
    assert (len(machine.ran), added(result), len(result.failed)) == (4, 0, 4)


def test_batches_side_by_side_add_rounds_in_turns(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.001, at_most=8)
    jobs = [job_of(tmp_path, [cell("b", until)]), replace(job_of(tmp_path, [cell("c", until, 6)]), batch="c")]
    session = session_of(*jobs, seed=3)
    measure_in_rounds(session)
    results = session.batches
    assert machine.counts == {"b": 8, "c": 8}
    assert [added(each) for each in results] == [4, 2]


def test_turns_end_with_the_added_rounds_of_the_first_batch(machine: Machine, tmp_path: Path) -> None:
    jobs = [
        job_of(tmp_path, [cell("b", Until(0.001, at_most=6))]),
        replace(job_of(tmp_path, [cell("c", None, 9)]), batch="c"),
    ]
    session = session_of(*jobs, seed=3)
    measure_in_rounds(session, until_first=True)
    first = session.batches[0]
    assert (machine.counts, added(first)) == ({"b": 6, "c": 6}, 2)
    turns = [each.cell.cell for each in machine.ran]
    assert {tuple(turns[i : i + 2]) for i in range(0, 8, 2)} <= {("b", "c"), ("c", "b")}


def test_an_allocation_that_ends_leaves_added_rounds_for_the_next(machine: Machine, tmp_path: Path) -> None:
    until = Until(0.001, at_most=9)
    job, ends_at = job_of(tmp_path, [cell("c", until)]), time.time() + 5
    first = measure(job, ends_at=ends_at)
    # The first execution of a session always runs; the others would not end in time.
    assert (first.done, first.left) == (1, 3)
    measure(job)
    assert machine.counts["c"] == 9
    more = [cell("c", replace(until, at_most=12))]
    last = measure(replace(job, cells=more), ends_at=ends_at)
    # One added round ran, for the next one the time is too short: it is left, so that the batch is not over.
    assert (added(last), last.left) == (1, 1)


def test_without_until_nothing_is_added(machine: Machine, tmp_path: Path) -> None:
    measure(job_of(tmp_path, [cell("c", None)]))
    assert len(machine.ran) == 4
    assert read_run_file(tmp_path, "c", 4) is None
