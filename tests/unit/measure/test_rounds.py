from __future__ import annotations

import fcntl
import itertools
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from weir import cli
from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.processes import started
from weir.commands import run
from weir.measure import rounds
from weir.measure.clean_up.lock import machine_lock, this_process
from weir.measure.job import BatchJob, BatchResult, first_failure, pending
from weir.measure.order import Execution
from weir.measure.progress import Progress
from weir.measure.rounds import measure_in_rounds, measure_in_turn
from weir.runs.files import run_folder
from weir.terms.model import Cell, Stack, Target


def is_busy(target: Target) -> bool:
    """Whether some process holds the lock of the target."""
    try:
        descriptor = os.open(machine_lock(target).path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def job(name: str, rounds: tuple[int, ...], results: Path) -> BatchJob:
    cells = [
        Cell(f"{name}{number}", name, "s", "e", "ior", "site", "disk", name, "node", 1, 1, count, 1, 10.0, {})
        for number, count in enumerate(rounds)
    ]
    target = Target(name, "disk", str(results / name))
    return BatchJob(name, cells, target, Stack(name, {}), "mpirun", results, seed=1)


@pytest.fixture(autouse=True)
def nothing_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests kill on this machine is theirs."""
    monkeypatch.setattr(rounds, "clean_up_after_kills", lambda report: [])


def ended(one: BatchJob, each: Execution, status: str = "done") -> None:
    """The run file of an execution."""
    folder = run_folder(one.results, each.cell.cell, each.run)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"status": status}))


def test_between_two_rounds_no_batch_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def measured(one: BatchJob) -> BatchResult:
        todo = pending(one)
        seen.append(f"begin {one.batch}{one.round}")
        for each in todo:
            ended(one, each)
        seen.append(f"end {one.batch}{one.round}")
        return BatchResult(one.batch, 99, done=len(todo))

    monkeypatch.setattr(rounds, "measure_batch", measured)
    jobs = [job("a", (2,), tmp_path), job("b", (3,), tmp_path)]
    measure_in_rounds(jobs, seed=4, between=lambda: seen.append("page"))
    pages = [number for number, text in enumerate(seen) if text == "page"]
    assert [len(seen[begin + 1 : end]) for begin, end in itertools.pairwise(pages)] == [4, 4, 2]
    assert (pages[0], pages[-1]) == (0, len(seen) - 1)
    measure_in_rounds(jobs, seed=4, between=lambda: seen.append("page"))
    assert len(seen) == pages[-1] + 2, "nothing was left: the page is written once"


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


class Turns:
    """Batches whose turns are known, of executions that end at once; those in `faults` cannot go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **faults: WeirError) -> None:
        self.faults, self.names, self.checked, self.busy = faults, "", "", set[bool]()
        monkeypatch.setattr(rounds, "measure_batch", self.measure)

    def measure(self, one: BatchJob) -> BatchResult:
        self.names += one.batch
        self.checked += one.batch * one.ranks_checked
        self.busy.add(is_busy(one.target))
        if one.batch in self.faults:
            raise self.faults[one.batch]
        todo = pending(one)
        for each in todo:
            ended(one, each)
        return BatchResult(one.batch, 99, done=len(todo), ran=[(each.cell.cell, each.run) for each in todo])


def test_turns_end_when_the_first_batch_is_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(monkeypatch)
    jobs = [job("a", (2, 2), tmp_path), job("b", (4,), tmp_path), job("c", (1,), tmp_path)]
    results = measure_in_rounds(jobs, seed=4, until_first=True)
    assert [sorted(turns.names[:3]), sorted(turns.names[3:])] == [["a", "b", "c"], ["a", "b"]]
    assert sorted(turns.checked) == ["a", "b"], "where ranks start is checked in the first turn of a batch"
    assert [one.done for one in results] == [4, 2, 1]
    again = measure_in_rounds(jobs, seed=5, until_first=True)
    assert (turns.names[5:], [one.done for one in again]) == ("a", [0, 0, 0]), (
        "only what a kill left is removed"
    )
    assert [one.done for one in measure_in_rounds(jobs[1:], seed=6, until_first=True)] == [2, 0]


@pytest.mark.parametrize(("faulty", "turns_of_a"), [("a", 1), ("b", 2)])
def test_only_a_fault_of_the_first_batch_ends_the_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty: str, turns_of_a: int
) -> None:
    turns = Turns(monkeypatch, **{faulty: TargetUnavailableError("gone")})
    results = measure_in_rounds([job(name, (2,), tmp_path) for name in "ab"], seed=4, until_first=True)
    assert turns.names.count("a") == turns_of_a
    assert turns.names.count("b") <= 2 if faulty == "a" else turns.names.count("b") == 1
    assert [one.error is not None for one in results] == [faulty == "a", faulty == "b"]


def test_nobody_takes_a_target_between_two_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [job(name, (3,), tmp_path) for name in "abc"]
    jobs[2] = replace(jobs[2], target=jobs[0].target)
    turns = Turns(monkeypatch)
    between: list[list[bool]] = []
    sampled = rounds.next_executions
    monkeypatch.setattr(
        rounds,
        "next_executions",
        lambda one: between.append([is_busy(each.target) for each in jobs]) or sampled(one),
    )
    measure_in_rounds(jobs, seed=4)
    assert turns.busy == {True}
    assert between[-1] == [True, True, True]
    assert [is_busy(one.target) for one in jobs] == [False, False, False]


def test_a_target_of_another_process_is_refused_and_the_first_batch_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = Turns(monkeypatch)
    first, other = job("a", (2,), tmp_path), job("b", (2,), tmp_path)
    lock, parent = machine_lock(other.target), os.getppid()
    holder = replace(this_process(tmp_path, "b"), pid=parent, started_ticks=started(parent) or 0)
    assert lock.take(holder) is None
    results = measure_in_rounds([first, other], seed=4, until_first=True)
    lock.release()
    assert turns.names == "aa"
    assert f"is being measured by process {parent}" in str(results[1].error)


def test_what_failed_since_the_workflow_began_is_not_run_again(tmp_path: Path) -> None:
    one = replace(job("a", (2,), tmp_path), retry_failed=True)
    for each in pending(one):
        ended(one, each, "failed")
    old = run_folder(tmp_path, "a0", 0) / "run.json"
    os.utime(old, (1000, 1000))
    assert [each.run for each in pending(one)] == [0, 1]
    assert [each.run for each in pending(replace(one, kept_since=2000.0))] == [0]
    old.write_text("{")
    assert [each.run for each in pending(replace(one, kept_since=2000.0))] == [0], "it is damaged"


def test_progress_counts_the_executions_of_all_batches(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(3, sys.stderr)
    (cell,) = job("a", (1,), Path()).cells
    for name in ("a", "b"):
        progress.step(name, Execution(cell, 0, 0), "done", 1.0)
    progress.expect(1)
    progress.step("a", Execution(cell, 1, 0), "done", 1.0)
    printed = capsys.readouterr().err.splitlines()
    assert [line.split("]")[0] for line in printed] == ["a [1/3", "b [2/3", "a [3/4"]


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
    monkeypatch.setattr(run, "measure_in_rounds", lambda jobs, seed, between: measured("rounds", jobs))
    monkeypatch.setattr(run, "measure_in_turn", lambda jobs: measured("in turn", jobs))
    assert cli.main(["run", "--plan", "plan.json", "--results", str(tmp_path), *option]) == 0
    assert orders == [order]


def run_alone(monkeypatch: pytest.MonkeyPatch, folder: Path, batches: str) -> list[str]:
    """weir run without a plan file; the batches whose costs are kept."""
    kept: list[str] = []
    of_name = {name: SimpleNamespace(batch=name) for name in batches}
    plan = SimpleNamespace(batches=list(of_name.values()), batch=of_name.__getitem__)
    monkeypatch.setattr(run, "Interrupt", lambda: SimpleNamespace(cause="SIGINT"))
    monkeypatch.setattr(run, "read_plan", lambda path: plan)
    monkeypatch.setattr(run, "_job", lambda plan, batch, args, seed: job(batch.batch, (1,), folder))
    monkeypatch.setattr(run, "batch_costs", lambda batch, result, results: batch.batch)
    monkeypatch.setattr(run, "append_costs", lambda results, costs: kept.append(costs))
    monkeypatch.setattr(run, "successes", lambda one: 1)
    return kept


def test_a_batch_beside_decides_neither_exit_code_nor_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = run_alone(monkeypatch, tmp_path, "ab")
    error = WeirError("the disk is full")
    results = [BatchResult("a", 1, done=1), BatchResult("b", 1, failed=["b0"], left=1, error=error)]
    monkeypatch.setattr(
        run, "measure_in_rounds", lambda jobs, seed, until_first, between: results if until_first else []
    )
    receipt = tmp_path / "a.json"
    command = ["run", "--plan", "plan.json", "--results", str(tmp_path), "--receipt", str(receipt)]
    assert cli.main([*command, "--batch", "a", "--beside", "b"]) == 0
    assert [one["batch"] for one in json.loads(receipt.read_text())["batches"]] == ["a"]
    assert "b, beside: the disk is full" in capsys.readouterr().err
    assert kept == ["a", "b"]
    assert cli.main([*command, "--beside", "b"]) == 2


def test_a_batch_without_success_is_told_in_the_words_of_its_first_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may be nowhere above, as below ReFrame."""
    own = job("b", (2,), tmp_path)
    for number, reason in ((1, "exit code 213: unknown option --mpi=pmix"), (0, "exit code 1: a later one")):
        folder = run_folder(tmp_path, own.cells[0].cell, number)
        folder.mkdir(parents=True)
        document = {"status": "failed", "error": reason, "ended": f"2026-03-01T1{9 - number}:00:00+00:00"}
        (folder / "run.json").write_text(json.dumps(document))
    assert first_failure(own) == "exit code 213: unknown option --mpi=pmix"
    run_alone(monkeypatch, tmp_path, "b")
    monkeypatch.setattr(run, "_job", lambda *_, **__: own)
    monkeypatch.setattr(run, "successes", lambda _: 0)
    monkeypatch.setattr(run, "measure_in_turn", lambda jobs: [BatchResult("b", 2, failed=["b0"])])
    command = ["run", "--plan", "plan.json", "--results", str(tmp_path)]
    for more, hint in (([], "again with --retry-failed"), (["--retry-failed"], "the same command again\n")):
        assert cli.main([*command, *more]) == 1
        printed = capsys.readouterr().err
        assert "b: no execution succeeded; the first one: exit code 213: unknown option --mpi=pmix" in printed
        assert hint in printed


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ({"error": WeirError("the disk is full")}, "b: the disk is full"),
        ({"left": 3}, "3 executions do not fit the rest of the allocation"),
        ({"failed": ["b0"]}, "b: no execution succeeded; the first one: no reason is known"),
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
    monkeypatch.setattr(run, "measure_in_rounds", lambda jobs, seed, between: results)
    monkeypatch.setattr(run, "successes", lambda one: int(one.batch == "a" or "failed" not in ending))
    assert cli.main(["run", "--plan", "plan.json", "--results", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
    assert kept == ["a", "b"]
