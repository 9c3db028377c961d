"""weir/collect/progress.py and the lines of weir watch: counts and times from the files of runs."""

import io
import json
import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.checkout import SITE, SUITE, TARGET, load, make_checkout
from tests.programs import write_file
from weir.base.errors import WeirError
from weir.base.processes import started
from weir.collect.parsed_runs import Run
from weir.collect.progress import BatchProgress, StudyProgress
from weir.measure.handover import HOLDER_FILE, Handover
from weir.plan import Plan, make_plan, write_plan
from weir.plan.card import short_card
from weir.records.model import Cell, Parsed, Row
from weir.runs.files import note_unavailable_some, run_folder
from weir.workflow.follow import _append, _redraw, line, progress_of


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return make_plan(load(make_checkout(tmp_path, {"mine": SUITE}, SITE, {"disk": TARGET})))


@pytest.fixture
def study(tmp_path: Path, plan: Plan) -> Path:
    folder = tmp_path / "results" / "here" / "mine"
    write_plan(plan, folder / "plan-measured.json")
    return folder


def end(study: Path, plan: Plan, number: int, status: str = "done", elapsed_s: float = 2.0) -> Path:
    """The files of the first batch's execution of this number, whose output is empty."""
    cells = plan.batches[0].cells
    cell = cells[number % len(cells)]
    folder = run_folder(study.parent, cell.cell, number // len(cells))
    folder.mkdir(parents=True, exist_ok=True)
    document = {"status": status, "elapsed_s": elapsed_s, "run": number // len(cells), "outputs": {}}
    (folder / "run.json").write_text(json.dumps(document, indent=1) + "\n")
    return folder


def first(progress: StudyProgress) -> BatchProgress:
    progress.look()
    return progress.batches[0]


def test_a_batch_waits_runs_and_is_finished(study: Path, plan: Plan) -> None:
    progress = progress_of(study)
    assert first(progress).state == "waiting"
    handover = Handover.of(study, plan.batches[0].batch)
    write_file(handover.log, "")
    end(study, plan, 0)
    assert (first(progress).state, first(progress).done, first(progress).left) == ("running", 1, 7)
    for number in range(1, 8):
        end(study, plan, number)
    assert (first(progress).state, first(progress).failed) == ("finished", 0)
    assert line(first(progress)).startswith("disk-plain-1x1: 8/8 done, 0 failed")


def test_a_batch_is_finished_when_all_that_its_programs_can_measure_is(study: Path, plan: Plan) -> None:
    progress = progress_of(study)
    cells = plan.batches[0].cells
    write_file(Handover.of(study, plan.batches[0].batch).receipt, "{}")
    note_unavailable_some(study.parent, [], {cell.cell: "built without HDF5" for cell in cells[1:]})
    for number in range(0, 8, len(cells)):
        assert first(progress).state == "waiting"
        end(study, plan, number)
    assert (first(progress).state, first(progress).left) == ("finished", 0)
    rest = cells[0].rounds * (len(cells) - 1)
    assert f"{cells[0].rounds}/{cells[0].rounds} done, 0 failed, 0 degraded, {rest} unavailable" in line(
        first(progress)
    )


def test_a_batch_in_turns_with_one_that_runs_runs_too_and_both_end_together(study: Path, plan: Plan) -> None:
    progress = progress_of(study)
    handover = Handover.of(study, plan.batches[0].batch)
    write_file(handover.log, "")
    assert first(progress).state == "running"
    one, other = progress.batches
    assert other.state == "running"
    assert one.time_left_s() == other.time_left_s() > one.own_time_left_s()
    assert one.in_turns is other.in_turns  # a list for each of 10,000 batches took 800 MiB
    handover.receipt.write_text("{}")
    for number in range(8):
        end(study, plan, number)
    assert first(progress).state == "finished"
    assert (other.state, other.beside) == ("waiting", [])


def test_the_batches_of_a_round_run_on_after_the_one_whose_job_it_is(study: Path, plan: Plan) -> None:
    """The job of the first batch ends with the round: until then others are measured."""
    progress, drawn = progress_of(study), io.StringIO()
    handover = Handover.of(study, plan.batches[0].batch)
    write_file(handover.log, "")
    for number in range(8):
        end(study, plan, number)
    assert first(progress).state == "finished"
    assert progress.batches[1].state == "running"
    _redraw(drawn)(progress.batches)
    assert "nothing is being measured" not in drawn.getvalue()
    handover.receipt.write_text("{}")
    first(progress)
    assert progress.batches[1].state == "waiting"


def test_what_is_invalid_is_not_called_degraded(plan: Plan) -> None:
    one = BatchProgress(plan.batches[0], state="running", done=4, degraded=1, invalid=3, elapsed_s=[2.0])
    assert ": 4/8 done, 0 failed, 3 INVALID, 1 degraded" in line(one)
    assert ": 4/8 done, 0 failed, 1 degraded" in line(replace(one, invalid=0))


def test_runs_are_counted_by_the_worst_verdict_of_their_records(
    study: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with an INVALID record and a DEGRADED one is INVALID alone."""
    verdicts = [
        ["VALID"],
        ["DEGRADED", "VALID"],
        ["INVALID", "DEGRADED"],
        ["INVALID"],
        ["UNPROVEN"],
        ["VALID"],
    ]
    of_folder = {}
    for number, each in enumerate(verdicts):
        of_folder[end(study, plan, number)] = each
    end(study, plan, 6, status="failed")

    def judged(cell: Cell, runs: Sequence[Run], results: Path) -> Iterator[Row]:
        for run in runs:
            yield from ({"access": "write", "verdict": verdict} for verdict in of_folder.get(run.folder, ()))

    monkeypatch.setattr("weir.collect.progress.collect_cell", judged)
    one = first(progress_of(study))
    assert (one.done, one.failed, one.invalid, one.degraded) == (7, 1, 2, 1)
    assert ": 7/8 done, 1 failed, 2 INVALID, 1 degraded" in line(one)


def test_batches_in_turns_share_one_line_every_ten_seconds_and_one_at_the_end(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("weir.workflow.follow.time", SimpleNamespace(monotonic=lambda: now))
    disk, other = (
        BatchProgress(batch, state="running", done=2, elapsed_s=[2.0, 2.0]) for batch in plan.batches
    )
    disk.in_turns, other.in_turns = [other], [disk]
    other.rates_mib_s, other.last_ended = {"write": 1234.0}, 1.0
    printed = io.StringIO()
    show = _append(printed)
    for second in range(25):
        now = float(second)
        show([disk, other])
    names = [f"{batch.batch} 2/8" for batch in plan.batches]
    shown = f"{', '.join(names)} done, 0 failed, 0 degraded; disk write 1,230 MiB/s; 24 s left (24 s to 24 s)"
    assert printed.getvalue().splitlines() == [shown, shown]
    printed.truncate(printed.seek(0))
    disk.state, disk.done = "finished", 8
    show([disk, other])
    assert printed.getvalue() == ""
    other.state, other.done = "finished", 8
    show([disk, other])
    show([disk, other])
    assert printed.getvalue() == shown.replace(" 2/8", " 8/8").split("; 24 s")[0] + "\n"


def test_a_campaign_that_nobody_measures_is_not_followed_in_silence(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study whose runs are elsewhere, or a job in a queue: the line is repeated only after a change."""
    now = 0.0
    monkeypatch.setattr("weir.workflow.follow.time", SimpleNamespace(monotonic=lambda: now))
    disk, other = (BatchProgress(batch) for batch in plan.batches)
    disk.done = 2
    idle = "nothing is being measured: 2 of 16 executions done, 2 batches wait\n"
    printed, drawn = io.StringIO(), io.StringIO()
    show = _append(printed)
    for second in range(45):
        now = float(second)
        show([disk, other])
    assert printed.getvalue() == idle
    disk.done = 3
    now = 60.0
    show([disk, other])
    assert printed.getvalue() == idle + idle.replace("2 of", "3 of")
    _redraw(drawn)([disk, other])
    assert "nothing is being measured: 3 of 16 executions done" in drawn.getvalue()


def test_a_failed_execution_that_runs_once_more_is_counted_once(study: Path, plan: Plan) -> None:
    progress = progress_of(study)
    folder = end(study, plan, 0, status="failed")
    assert (first(progress).done, first(progress).failed) == (1, 1)
    folder.rename(folder.with_name("000.failed-1"))
    assert (first(progress).done, first(progress).failed) == (0, 0)
    end(study, plan, 0)
    assert (first(progress).done, first(progress).failed) == (1, 0)


def test_a_batch_that_cannot_be_measured_tells_why(study: Path, plan: Plan) -> None:
    handover = Handover.of(study, plan.batches[0].batch)
    write_file(handover.errors, json.dumps({"errors": [{"message": "the disk is full"}]}))
    shown = line(first(progress_of(study)))
    assert shown == "disk-plain-1x1: failed: the disk is full"


def test_a_batch_that_goes_back_to_the_queue_has_not_failed_while_its_workflow_lives(
    study: Path, plan: Plan
) -> None:
    """As one that did not fit its allocation: whoever follows it would end between two jobs."""
    handover = Handover.of(study, plan.batches[0].batch)
    write_file(handover.errors, json.dumps({"errors": [{"message": "1 executions do not fit"}]}))
    queued = {name: replace(one, scheduler="slurm") for name, one in plan.site.partitions.items()}
    on_a_cluster = replace(plan, site=replace(plan.site, partitions=queued))
    folder = study.resolve().parents[2] / ".snakemake"
    states = []
    own = {"pid": os.getpid(), "started_ticks": started(os.getpid())}
    for holder in (own, {"pid": 0, "started_ticks": 0}):
        write_file(folder / HOLDER_FILE, json.dumps({"host": socket.gethostname(), **holder}))
        states += [first(StudyProgress(each, study)) for each in (on_a_cluster, plan)]
    assert [one.state for one in states] == ["waiting", "failed", "failed", "failed"]
    assert states[0].reason == "1 executions do not fit"


def test_the_time_left_is_the_plans_until_two_executions_ended(plan: Plan) -> None:
    one = BatchProgress(plan.batches[0])
    expected, low, high = one.time_left_s()
    assert (low, high) == (one.batch.low_s, one.batch.high_s)
    assert low < expected < high


def test_then_it_is_that_of_the_executions(plan: Plan) -> None:
    """Six of eight are left: mean 2 s, and two deviations of sqrt(6 + 6²/2) times the spread sqrt(2) s."""
    assert plan.batches[0].executions == 8
    alike = BatchProgress(plan.batches[0], done=2, elapsed_s=[2.0, 2.0])
    assert alike.time_left_s() == (12.0, 12.0, 12.0)
    varied = BatchProgress(plan.batches[0], done=2, elapsed_s=[1.0, 3.0])
    assert varied.time_left_s() == pytest.approx((12.0, 0.0, 12 + 2 * 24**0.5 * 2**0.5))


def test_a_folder_without_a_plan_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match=r"has none of plan-measured\.json"):
        progress_of(tmp_path)


def test_the_short_card_has_twelve_lines_at_most(plan: Plan) -> None:
    card = short_card(plan, len(plan.cells), Path("results/local/quick/plan.txt"))
    assert len(card.splitlines()) <= 12
    assert "8 in 16 executions; 0 of them are measured" in card
    assert "disk  A directory, 9.1 s to 41 s" in card


def test_executions_that_ended_in_a_launch_count_before_they_have_run_files(study: Path, plan: Plan) -> None:
    progress = progress_of(study)
    write_file(Handover.of(study, plan.batches[0].batch).log, "")
    cell = plan.batches[0].cells[0].cell
    launch = study.parent / "launches" / "one"
    write_file(launch / "status", f"{cell}-000\t0\t2.5\n{cell}-001\t1\t1.5\nother-000\t0\t9\n{cell}-002\t0")
    one = first(progress)
    assert (one.state, one.ended, one.failures, one.left) == ("running", 2, 1, 6)
    assert one.own_time_left_s()[0] == 6 * 2.0
    shutil.rmtree(launch)
    end(study, plan, 0)
    assert (first(progress).ended, first(progress).left) == (1, 7)


def test_an_output_that_cannot_be_read_does_not_end_the_watch(
    study: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launch goes on, and may be writing it."""

    def unreadable(outputs: object) -> Parsed:
        raise WeirError("holds more than 64 MiB of text")

    cell = plan.batches[0].cells[0]
    launch = study.parent / "launches" / "one"
    write_file(launch / "status", f"{cell.cell}-000\t0\t2.5\n")
    tool = SimpleNamespace(name=cell.tool, parse=unreadable)
    monkeypatch.setattr("weir.collect.parsed_runs.tools", lambda: {cell.tool: tool})
    assert (first(progress_of(study)).ended, first(progress_of(study)).rates_mib_s) == (1, {})
    impossible = {"api": "POSIX", "access": "write", "iteration": 0, "bw_mib_s": "fast"}
    parsed = Parsed((impossible,), {}, (), "weir-io", "", complete=True)
    tool.parse = lambda outputs: parsed
    assert (first(progress_of(study)).ended, first(progress_of(study)).rates_mib_s) == (1, {})


def test_each_execution_is_told_once_when_its_launch_goes_on_and_when_it_has_its_run_file(
    study: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int, bool]] = []
    progress = StudyProgress(
        plan, study, lambda one: told.append((one.number, len(one.rows), one.run is not None))
    )
    cell = plan.batches[0].cells[0]
    launch = study.parent / "launches" / "one"
    launch.mkdir(parents=True)
    row = {"api": "POSIX", "access": "write", "iteration": 0, "bw_mib_s": 9.0}
    tool = SimpleNamespace(
        name=cell.tool, parse=lambda _: Parsed((row,), {}, (), "weir-io", "", complete=True)
    )
    monkeypatch.setattr("weir.collect.parsed_runs.tools", lambda: {cell.tool: tool})
    (launch / "status").write_text(f"{cell.cell}-000\t0\t2.5\n")
    progress.look()
    (launch / "status").write_text(f"{cell.cell}-000\t0\t2.5\n{cell.cell}-001\t0\t2.5\n")
    progress.look()
    progress.look()
    assert told == [(0, 1, False), (1, 1, False)]
    shutil.rmtree(launch)
    end(study, plan, 0, status="failed")
    progress.look()
    progress.look()
    assert told[2:] == [(0, 0, True)], "a damaged run file has no rows, and it is not silent"
