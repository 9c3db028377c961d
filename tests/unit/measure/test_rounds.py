from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from weir import cli
from weir.commands import run
from weir.errors import TargetUnavailableError, WeirError
from weir.measure import rounds
from weir.measure.job import BatchJob, BatchResult, pending
from weir.measure.rounds import measure_in_rounds, measure_in_turn
from weir.model import Cell, Stack, Target


def job(name: str, rounds: tuple[int, ...], results: Path) -> BatchJob:
    cells = [
        Cell(f"{name}{number}", name, "s", "e", "ior", "site", "disk", name, "node", 1, 1, count, 1, 10.0, {})
        for number, count in enumerate(rounds)
    ]
    return BatchJob(name, cells, Target("disk", "disk", "/data"), Stack(name, {}), "mpirun", results, seed=1)


def test_every_batch_has_its_turn_in_every_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[int | None, str]] = []

    def measured(one: BatchJob) -> BatchResult:
        todo = pending(one)
        turns.append((one.round, one.batch))
        assert {execution.run for execution in todo} == {one.round}
        failed = [f"round {one.round}"] if one.batch == "b" else []
        return BatchResult(one.batch, 99, done=len(todo) - len(failed), failed=failed)

    monkeypatch.setattr(rounds, "measure_batch", measured)
    jobs = [job("a", (3, 3), tmp_path), job("b", (3, 1), tmp_path), job("c", (2,), tmp_path)]
    results = measure_in_rounds(jobs, seed=4)
    assert [sorted(name for round, name in turns if round == number) for number in range(3)] == [
        ["a", "b", "c"],
        ["a", "b", "c"],
        ["a", "b"],
    ]
    assert [round for round, _ in turns] == sorted(round or 0 for round, _ in turns)
    assert [(one.batch, one.planned, one.kept, one.done) for one in results] == [
        ("a", 6, 0, 6),
        ("b", 4, 0, 1),
        ("c", 2, 0, 2),
    ]
    assert results[1].failed == ["round 0", "round 1", "round 2"]


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_batch_that_cannot_go_on_leaves_the_others_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: bool
) -> None:
    turns: list[str] = []
    faults = {"a": TargetUnavailableError("target a: gone"), "b": OSError(5, "Input/output error", "/data")}

    def measured(one: BatchJob) -> BatchResult:
        turns.append(one.batch)
        if one.batch in faults:
            raise faults[one.batch]
        return BatchResult(one.batch, 99, done=1)

    monkeypatch.setattr(rounds, "measure_batch", measured)
    jobs = [job(name, (2,), tmp_path) for name in "abc"]
    results = measure_in_rounds(jobs, seed=4) if side_by_side else measure_in_turn(jobs)
    assert sorted(turns) == ["a", "b", "c"] + ["c"] * side_by_side
    assert [one.error and str(one.error.problems[0].message) for one in results] == [
        "target a: gone",
        "Input/output error",
        None,
    ]
    assert results[2].done == 1 + side_by_side


def test_rounds_end_with_the_allocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[int | None] = []

    def measured(one: BatchJob) -> BatchResult:
        turns.append(one.round)
        is_over = one.round == 1
        return BatchResult(one.batch, 99, done=0 if is_over else 1, left=1 if is_over else 0)

    monkeypatch.setattr(rounds, "measure_batch", measured)
    results = measure_in_rounds([job("a", (4,), tmp_path), job("b", (4,), tmp_path)], seed=4)
    assert turns == [0, 0, 1]
    assert [(one.done, one.left) for one in results] == [(1, 3), (1, 3)]


def test_a_batch_without_its_target_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[str] = []

    def measured(one: BatchJob) -> BatchResult:
        turns.append(one.batch)
        return BatchResult(one.batch, 99, unavailable="not mounted" if one.batch == "a" else None)

    monkeypatch.setattr(rounds, "measure_batch", measured)
    results = measure_in_rounds([job("a", (3,), tmp_path), job("b", (3,), tmp_path)], seed=4)
    assert sorted(turns) == ["a", "b", "b", "b"]
    assert [one.unavailable for one in results] == ["not mounted", None]


@pytest.mark.parametrize(
    ("batches", "option", "order"),
    [
        ("ab", (), "rounds"),
        ("ab", ("--no-interleave",), "in turn"),
        ("a", (), "in turn"),
    ],
)
def test_run_interleaves_the_batches_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: str, option: tuple[str, ...], order: str
) -> None:
    orders: list[str] = []

    def measured(name: str, jobs: list[BatchJob]) -> list[BatchResult]:
        orders.append(name)
        return [BatchResult(one.batch, 1, done=1) for one in jobs]

    run_alone(monkeypatch, tmp_path, batches)
    monkeypatch.setattr(run, "measure_in_rounds", lambda jobs, seed: measured("rounds", jobs))
    monkeypatch.setattr(run, "measure_in_turn", lambda jobs: measured("in turn", jobs))
    assert cli.main(["run", "--plan", "plan.json", "--results", str(tmp_path), *option]) == 0
    assert orders == [order]


def run_alone(monkeypatch: pytest.MonkeyPatch, folder: Path, batches: str) -> list[str]:
    """weir run without a plan file; the batches whose costs are kept."""
    kept: list[str] = []
    plan = SimpleNamespace(batches=[SimpleNamespace(batch=name) for name in batches])
    monkeypatch.setattr(run.signal, "signal", lambda *of: None)
    monkeypatch.setattr(run, "read_plan", lambda path: plan)
    monkeypatch.setattr(run, "_job", lambda plan, batch, args, seed: job(batch.batch, (1,), folder))
    monkeypatch.setattr(run, "batch_costs", lambda batch, result, results: batch.batch)
    monkeypatch.setattr(run, "append_costs", lambda results, costs: kept.append(costs))
    monkeypatch.setattr(run, "successes", lambda one: 1)
    return kept


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ({"error": WeirError("the disk is full")}, "b: the disk is full"),
        ({"left": 3}, "3 executions do not fit the rest of the allocation"),
        ({"failed": ["b0"]}, "no execution of a batch succeeded"),
    ],
)
def test_costs_are_kept_whatever_becomes_of_a_batch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ending: dict[str, Any],
    message: str,
) -> None:
    kept = run_alone(monkeypatch, tmp_path, "ab")
    results = [BatchResult("a", 1, done=1), replace(BatchResult("b", 4), **ending)]
    monkeypatch.setattr(run, "measure_in_rounds", lambda jobs, seed: results)
    monkeypatch.setattr(run, "successes", lambda one: int(one.batch == "a" or "failed" not in ending))
    assert cli.main(["run", "--plan", "plan.json", "--results", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
    assert kept == ["a", "b"]
