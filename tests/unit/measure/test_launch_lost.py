"""A launch that Slurm lost is not an execution of the cell: it is repeated, and not recorded as failed."""

import json
import signal
from pathlib import Path

import pytest

from tests.unit.measure.alone import on_the_path, run_missing, small_batch
from weir.base.errors import WeirError
from weir.measure import batches, launch
from weir.measure.session import PlannedBatch, SessionBatch
from weir.records.model import Stack


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlannedBatch:
    """An srun that loses as many launches as the file `losses` has, and a program that does nothing."""
    srun = (
        "#!/bin/sh\n"
        f"left=$(cat {tmp_path}/losses)\n"
        '[ "$left" -gt 0 ] || exit 0\n'
        f"echo $((left - 1)) > {tmp_path}/losses\n"
        "echo 'srun: error: Unable to create step for job 5: Unable to contact slurm controller' >&2\n"
        "exit 1\n"
    )
    on_the_path(tmp_path, monkeypatch, srun=srun)
    monkeypatch.setattr(batches, "LOST_PAUSE_S", 0.0)
    return small_batch(tmp_path, Stack("st", {"ior": ("ior",)}))


def run(job: PlannedBatch, losses: int) -> SessionBatch:
    (job.results.parent / "losses").write_text(str(losses))
    return run_missing(job)


def test_a_launch_that_was_lost_is_repeated(job: PlannedBatch, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(job, losses=2)
    assert (result.done, result.failed) == (2, [])
    runs = [json.loads(file.read_text()) for file in job.results.glob("runs/*/*/run.json")]
    assert [each["status"] for each in runs] == ["done", "done"]
    assert capsys.readouterr().err.count("Unable to contact slurm controller; trying again") == 2


def test_a_batch_system_that_stays_away_ends_the_batch_and_blames_no_cell(job: PlannedBatch) -> None:
    with pytest.raises(WeirError, match="failed 4 launches in a row: srun: error: Unable to create step"):
        run(job, losses=99)
    assert list(job.results.glob("runs/*/*/run.json")) == []
    assert list(Path(job.target.path).iterdir()) == []


def test_a_launch_whose_outputs_are_deleted_is_not_repeated_for_ever(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "run_launch", lambda *_: None)
    with pytest.raises(WeirError, match=r"the outputs of a launch are gone from .*/results/runs"):
        run(job, losses=0)


def test_ranks_that_end_just_before_the_job_are_not_failed(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is cancelled ends step by step, and some launchers say nothing of it."""
    srun = job.results.parent / "bin" / "srun"
    slurmd = "env -u WEIR_RUN_TOKEN sh -c 'sleep 0.3; kill -INT $0' $PPID >/dev/null 2>&1 &"
    srun.write_text(f"#!/bin/sh\n{slurmd}\nsleep 0.1\nexit 1\n")
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    monkeypatch.setattr(launch, "SIGNAL_LATE_S", 60.0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        run(job, losses=0)
    assert list(job.results.glob("runs/*/*/run.json")) == []
