"""A second start of a batch, on another node: both have the results, and each has its own machine lock."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.measure.test_rounds import Turns, job, measured_in_rounds
from weir.measure.lock import Holder, hold_launches, launch_lock, this_process
from weir.site.schedulers.slurm import Slurm


@pytest.mark.row("a second start of a batch on another node")
@pytest.mark.parametrize(("job_of_other", "is_refused"), [(None, True), ("4711", False)])
def test_launches_of_a_batch_that_another_node_measures_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job_of_other: str | None, is_refused: bool
) -> None:
    """This start would settle and delete them. A job that was started again after its node failed goes on."""
    monkeypatch.setattr(Slurm, "is_alive", lambda self, job: True)
    monkeypatch.setattr(Slurm, "ends_at", lambda self, environment: None)
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    turns = Turns(monkeypatch)
    one = job("a", (1,), tmp_path)
    one.launch_folder.mkdir(parents=True)
    lock = launch_lock(one.launch_folder)
    other = replace(this_process(tmp_path, "a"), host="other-node", job=job_of_other)
    assert lock.take(other) is None
    (measured,) = measured_in_rounds([one], seed=4)
    lock.release()
    assert (turns.names, one.launch_folder.exists()) == (("", True) if is_refused else ("a", False))
    told = f"batch a is being measured by process {os.getpid()} on other-node"
    assert (measured.error is not None and told in str(measured.error)) == is_refused


def test_the_guardian_of_a_killed_start_settles_its_launches_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that settle them write two lines of each run."""
    monkeypatch.setattr(Holder, "is_alive", lambda self: False)
    folder, own = tmp_path / "launches/a", this_process(tmp_path, "a")
    of_guardian, lock = launch_lock(folder), launch_lock(folder)
    assert of_guardian.take(replace(own, host="other-node", job="1")) is None
    monkeypatch.setattr("weir.measure.lock.time.sleep", lambda _: of_guardian.release())
    reports: list[str] = []
    hold_launches(lock, own, reports.append)
    assert (lock.descriptor >= 0, len(reports)) == (True, 1)
    lock.release()
