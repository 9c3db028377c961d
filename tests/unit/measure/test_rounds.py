import fcntl
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import plain_cell
from tests.programs import write_file
from tests.unit.conftest import RunWeir
from weir import cli
from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.processes import started
from weir.commands import run
from weir.measure import batches
from weir.measure import session as sessions
from weir.measure.batches import measure_in_rounds, measure_in_turn
from weir.measure.lock import machine_lock, this_process
from weir.measure.receipt import BatchReceipt
from weir.measure.session import Execution, PlannedBatch, Session, SessionBatch
from weir.records.model import Stack, Target
from weir.runs.files import run_folder


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


def job(name: str, rounds: tuple[int, ...], results: Path) -> PlannedBatch:
    cells = [plain_cell(f"{name}{at}", label=name, rounds=count) for at, count in enumerate(rounds)]
    target = Target(name, "disk", str(results / name))
    return PlannedBatch(name, cells, target, Stack(name, {}), "mpirun", results)


@pytest.fixture(autouse=True)
def nothing_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests kill on this machine is theirs."""
    monkeypatch.setattr(batches, "clean_up_after_kills", lambda report: [])


def ended(one: PlannedBatch, each: Execution, status: str = "done", **facts: str) -> None:
    """The run file of an execution."""
    folder = run_folder(one.results, each.cell.cell, each.run)
    write_file(folder / "run.json", json.dumps({"status": status, **facts}))


def run_round(batch: SessionBatch, round: int | None, status: str = "done") -> list[Execution]:
    """All executions of it end at once."""
    todo = batch.todo(round)
    for each in todo:
        ended(batch.planned, each, status)
        batch.take(each, {"status": status, "error": f"round {each.run}" if status == "failed" else None})
    return todo


class Turns:
    """Batches whose turns are known, of executions that end at once; those in `faults` cannot go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **faults: Exception) -> None:
        self.faults, self.names, self.busy = faults, "", set[bool]()
        monkeypatch.setattr(batches, "take_turn", self.take)

    def take(self, one: SessionBatch, round: int | None) -> None:
        self.names += one.planned.batch
        self.busy.add(is_busy(one.planned.target))
        if one.planned.batch in self.faults:
            raise self.faults[one.planned.batch]
        run_round(one, round)


def measured_in_rounds(jobs: list[PlannedBatch], seed: int, **options: Any) -> list[BatchReceipt]:
    session = Session(jobs, seed)
    measure_in_rounds(session, **options)
    return [BatchReceipt.of(batch) for batch in session.batches]


def test_between_two_rounds_no_batch_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def turn(one: SessionBatch, round: int | None) -> None:
        seen.append(f"begin {one.planned.batch}{round}")
        run_round(one, round)
        seen.append(f"end {one.planned.batch}{round}")

    monkeypatch.setattr(batches, "take_turn", turn)
    jobs = [job("a", (2,), tmp_path), job("b", (3,), tmp_path)]
    measured_in_rounds(jobs, seed=4, between=lambda: seen.append("page"))
    pages = [number for number, text in enumerate(seen) if text == "page"]
    assert [len(seen[begin + 1 : end]) for begin, end in itertools.pairwise(pages)] == [4, 4, 2]
    assert (pages[0], pages[-1]) == (0, len(seen) - 1)
    measured_in_rounds(jobs, seed=4, between=lambda: seen.append("page"))
    assert len(seen) == pages[-1] + 2, "nothing was left: the page is written once"


def test_every_batch_has_its_turn_in_every_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[int | None, str]] = []

    def turn(one: SessionBatch, round: int | None) -> None:
        turns.append((round, one.planned.batch))
        todo = run_round(one, round, "failed" if one.planned.batch == "c" else "done")
        assert {execution.run for execution in todo} == {round}

    monkeypatch.setattr(batches, "take_turn", turn)
    jobs = [job("a", (3, 3), tmp_path), job("b", (3, 1), tmp_path), job("c", (2,), tmp_path)]
    results = measured_in_rounds(jobs, seed=4)
    assert [sorted(name for round, name in turns if round == number) for number in range(3)] == [
        ["a", "b", "c"],
        ["a", "b", "c"],
        ["a", "b"],
    ]
    assert [round for round, _ in turns] == sorted(round or 0 for round, _ in turns)
    assert [(one.batch, one.executions, one.kept, one.done) for one in results] == [
        ("a", 6, 0, 6),
        ("b", 4, 0, 4),
        ("c", 2, 0, 0),
    ]
    assert [line.rpartition(": ")[2] for line in results[2].failed] == ["round 0", "round 1"]


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_batch_that_cannot_go_on_leaves_the_others_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: bool
) -> None:
    gone, failing = TargetUnavailableError("target a: gone"), OSError(5, "Input/output error", "/data")
    turns = Turns(monkeypatch, a=gone, b=failing)
    session = Session([job(name, (2,), tmp_path) for name in "abc"], seed=4)
    (measure_in_rounds if side_by_side else measure_in_turn)(session)
    results = session.batches
    assert sorted(turns.names) == ["a", "b", "c"] + ["c"] * side_by_side
    assert [one.error and str(one.error.problems[0].message) for one in results] == [
        "target a: gone",
        "Input/output error",
        None,
    ]
    assert results[2].done == 2


def test_turns_end_when_the_first_batch_is_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(monkeypatch)
    jobs = [job("a", (2, 2), tmp_path), job("b", (4,), tmp_path), job("c", (1,), tmp_path)]
    results = measured_in_rounds(jobs, seed=4, until_first=True)
    assert [sorted(turns.names[:3]), sorted(turns.names[3:])] == [["a", "b", "c"], ["a", "b"]]
    assert [one.done for one in results] == [4, 2, 1]
    again = measured_in_rounds(jobs, seed=5, until_first=True)
    assert (turns.names[5:], [one.done for one in again]) == ("", [0, 0, 0])
    jobs[0].launch_folder.mkdir(parents=True)
    measured_in_rounds(jobs, seed=5, until_first=True)
    assert turns.names[5:] == "a", "only what a kill left is removed"
    assert [one.done for one in measured_in_rounds(jobs[1:], seed=6, until_first=True)] == [2, 0]


@pytest.mark.parametrize(("faulty", "turns_of_a"), [("a", 1), ("b", 2)])
def test_only_a_fault_of_the_first_batch_ends_the_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty: str, turns_of_a: int
) -> None:
    turns = Turns(monkeypatch, **{faulty: TargetUnavailableError("gone")})
    results = measured_in_rounds([job(name, (2,), tmp_path) for name in "ab"], seed=4, until_first=True)
    assert turns.names.count("a") == turns_of_a
    assert turns.names.count("b") <= 2 if faulty == "a" else turns.names.count("b") == 1
    assert [one.error is not None for one in results] == [faulty == "a", faulty == "b"]


def test_nobody_takes_a_target_between_two_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [job(name, (3,), tmp_path) for name in "abc"]
    jobs[2] = replace(jobs[2], target=jobs[0].target)
    turns = Turns(monkeypatch)
    between: list[list[bool]] = []
    todo = SessionBatch.todo

    def noted(self: SessionBatch, round: int | None = None) -> list[Execution]:
        between.append([is_busy(each.target) for each in jobs])
        return todo(self, round)

    monkeypatch.setattr(SessionBatch, "todo", noted)
    measured_in_rounds(jobs, seed=4)
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
    results = measured_in_rounds([first, other], seed=4, until_first=True)
    lock.release()
    assert turns.names == "aa"
    assert f"is being measured by process {parent}" in str(results[1].error)


def test_what_failed_since_the_workflow_began_is_not_run_again(tmp_path: Path) -> None:
    one = job("a", (2,), tmp_path)

    def pending(**options: Any) -> list[Execution]:
        return Session([one], seed=1, retry_failed=True, **options).batches[0].missing()

    for each in pending():
        ended(one, each, "failed")
    old = run_folder(tmp_path, "a0", 0) / "run.json"
    os.utime(old, (1000, 1000))
    assert [each.run for each in pending()] == [0, 1]
    assert [each.run for each in pending(kept_since=2000.0)] == [0]
    old.write_text("{")
    assert [each.run for each in pending(kept_since=2000.0)] == [0], "it is damaged"


def test_rounds_end_with_the_allocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[int | None] = []

    def turn(one: SessionBatch, round: int | None) -> None:
        turns.append(round)
        if round == 1:
            one.left = 1
        else:
            run_round(one, round)

    monkeypatch.setattr(batches, "take_turn", turn)
    results = measured_in_rounds([job("a", (4,), tmp_path), job("b", (4,), tmp_path)], seed=4)
    assert turns == [0, 0, 1]
    assert [(one.done, one.left) for one in results] == [(1, 3), (1, 3)]


def test_a_batch_without_its_target_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[str] = []

    def turn(one: SessionBatch, round: int | None) -> None:
        turns.append(one.planned.batch)
        one.unavailable = "not mounted" if one.planned.batch == "a" else None

    monkeypatch.setattr(batches, "take_turn", turn)
    results = measured_in_rounds([job("a", (3,), tmp_path), job("b", (3,), tmp_path)], seed=4)
    assert sorted(turns) == ["a", "b", "b", "b"]
    assert [one.unavailable for one in results] == ["not mounted", None]


@pytest.mark.parametrize(
    ("batches", "option", "order"),
    [("ab", (), "rounds"), ("ab", ("--no-interleave",), "in turn"), ("a", (), "in turn")],
)
def test_run_interleaves_the_batches_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: str, option: tuple[str, ...], order: str
) -> None:
    orders: list[str] = []
    run_alone(monkeypatch, tmp_path, batches)
    monkeypatch.setattr(run, "measure_in_rounds", lambda session, between: orders.append("rounds"))
    monkeypatch.setattr(run, "measure_in_turn", lambda session: orders.append("in turn"))
    for name in batches:
        ended(job(name, (1,), tmp_path), Execution(job(name, (1,), tmp_path).cells[0], 0, 0))
    assert cli.main(["run", "--plan", "plan.json", "--results", str(tmp_path), *option]) == 0
    assert orders == [order]


def run_alone(monkeypatch: pytest.MonkeyPatch, folder: Path, batches: str) -> list[str]:
    """weir run without a plan file; the batches whose costs are kept."""
    kept: list[str] = []
    of_name = {name: SimpleNamespace(batch=name, cells=()) for name in batches}
    plan = SimpleNamespace(batches=list(of_name.values()), batch=of_name.__getitem__)
    monkeypatch.setattr(run, "Interrupt", lambda: SimpleNamespace(cause="SIGINT"))
    monkeypatch.setattr(run, "read_plan", lambda path: plan)
    monkeypatch.setattr(sessions, "planned_batch", lambda plan, batch, *_: job(batch.batch, (4,), folder))
    monkeypatch.setattr(run, "batch_costs", lambda batch, result, results: batch.batch)
    monkeypatch.setattr(run, "append_costs", lambda results, costs: kept.append(costs))
    return kept


def test_a_batch_beside_decides_neither_exit_code_nor_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = run_alone(monkeypatch, tmp_path, "ab")

    def measured(session: Session, until_first: bool, between: object) -> None:
        first, other = session.batches
        assert until_first
        run_round(first, 0)
        run_round(other, 0, "failed")
        other.left, other.error = 1, WeirError("the disk is full")

    monkeypatch.setattr(run, "measure_in_rounds", measured)
    receipt = tmp_path / "a.json"
    arguments = ["run", "--plan", "plan.json", "--results", str(tmp_path), "--receipt", str(receipt)]
    assert cli.main([*arguments, "--batch", "a", "--beside", "b"]) == 0
    assert [one["batch"] for one in json.loads(receipt.read_text())["batches"]] == ["a"]
    assert "b, beside: the disk is full" in capsys.readouterr().err
    assert kept == ["a", "b"]
    assert cli.main([*arguments, "--beside", "b"]) == 2


def test_a_batch_without_success_is_told_in_the_words_of_its_first_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """They may be nowhere above, as below ReFrame."""
    own = job("b", (4,), tmp_path)
    for number, reason in ((1, "exit code 213: unknown option --mpi=pmix"), (0, "exit code 1: a later one")):
        at = f"2026-03-01T1{9 - number}:00:00+00:00"
        ended(own, Execution(own.cells[0], number, 0), "failed", error=reason, ended=at)
    run_alone(monkeypatch, tmp_path, "b")
    monkeypatch.setattr(run, "measure_in_turn", lambda session: None)
    arguments = ["run", "--plan", "plan.json", "--results", str(tmp_path)]
    for more, hint in (([], "again with --retry-failed"), (["--retry-failed"], "the same command again\n")):
        printed = run_weir(*arguments, *more, code=1).err
        assert "b: no execution succeeded; the first one: exit code 213: unknown option --mpi=pmix" in printed
        assert hint in printed


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ({"error": WeirError("the disk is full")}, "b: the disk is full"),
        ({"left": 3}, "3 executions do not fit the rest of the allocation"),
        ({}, "b: no execution succeeded; the first one: round 0"),
    ],
)
def test_costs_are_kept_whatever_becomes_of_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir, ending: dict[str, Any], message: str
) -> None:
    kept = run_alone(monkeypatch, tmp_path, "ab")

    def measured(session: Session, between: object) -> None:
        first, second = session.batches
        run_round(first, 0)
        run_round(second, 0, "done" if ending else "failed")
        vars(second).update(ending)

    monkeypatch.setattr(run, "measure_in_rounds", measured)
    assert message in run_weir("run", "--plan", "plan.json", "--results", tmp_path, code=1).err
    assert kept == ["a", "b"]


def test_a_receipt_tells_what_was_measured_kept_unavailable_and_failed_and_why(tmp_path: Path) -> None:
    one = job("a", (3,), tmp_path)
    for run_number, day in ((0, "2026-03-01"), (1, "2026-03-04")):
        ended(one, Execution(one.cells[0], run_number, 0), ended=f"{day}T10:00:00+00:00")
    first, second = Session([one, job("b", (1,), tmp_path)], seed=1).batches
    run_round(first, 2, "failed")
    second.unavailable = "not mounted"
    found = [json.loads(json.dumps(BatchReceipt.of(batch).data())) for batch in (first, second)]
    assert (found[0]["kept"], found[0]["kept_from"][:10], found[0]["kept_to"][:10]) == (
        2,
        "2026-03-01",
        "2026-03-04",
    )
    assert (found[0]["measured"], found[0]["done"], found[0]["failed"]) == (1, 0, ["a (a0, run 2): round 2"])
    assert (found[1]["measured"], found[1]["kept_from"], found[1]["unavailable"]) == (0, None, "not mounted")
