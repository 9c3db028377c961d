"""Why a batch was not measured, from the files of its job."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.programs import write_file
from weir.base.errors import WeirError
from weir.measure.handover import Handover, holder_of


@pytest.mark.parametrize("folder", ["slurm-logs/rule_measure", "queue-logs"])
def test_a_job_in_which_nothing_ran_has_the_reason_of_the_batch_system(folder: str, tmp_path: Path) -> None:
    handover = Handover.of(tmp_path / "results/here/mine", "disk-debian-2x1")
    logs = tmp_path / "results" / folder / "disk-debian-2x1"
    logs.mkdir(parents=True)
    for number, text in enumerate(("slurmstepd: error: of an earlier job", "TaskProlog failed status=3")):
        (logs / f"{number}.log").write_text(f"Error in rule measure:\nnode1: error: {text}\nthe last line\n")
        os.utime(logs / f"{number}.log", (number, number))
    assert handover.reasons() == [f"node1: error: TaskProlog failed status=3 ({logs}/1.log)"]
    write_file(handover.log, "ERROR: no such system\n")
    assert handover.reasons() == ["ReFrame: no such system"]


FAILURE = """\
FAILURE INFO for measure %batch=mine:disk-debian-2x1 (run: 1/1)
  * Failing phase: {phase}
  * Rerun with '-n /0a1b2c3d -p debian --system here -r'
  * Reason: permission error: [Errno 13] Permission denied: '{folder}/rfm_job.sh'
"""


@pytest.mark.parametrize(("phase", "is_told"), [("run", True), ("setup", True), ("sanity", False)])
def test_a_batch_that_reframe_could_not_start_has_its_reason(
    phase: str, is_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with results in a file system that is mounted noexec."""
    handover = Handover.of(tmp_path / "results/here/mine", "disk-debian-2x1")
    write_file(handover.log, FAILURE.format(phase=phase, folder=tmp_path))
    (reason,) = handover.reasons()
    assert reason.startswith("ReFrame: permission error: " if is_told else "it was ended")
    assert "noexec" not in reason
    flags = SimpleNamespace(f_flag=os.ST_NOEXEC)
    monkeypatch.setattr("weir.base.mounts.os.statvfs", lambda path: flags)
    (reason,) = handover.reasons()
    assert reason.endswith("mounted noexec: put the checkout where programs may be started") == is_told


@pytest.mark.parametrize("log", [None, ""])
def test_a_job_that_the_batch_system_refused_was_not_ended(log: str | None, tmp_path: Path) -> None:
    """Snakemake makes an empty log before it submits, and prints the message of sbatch or qsub alone."""
    handover = Handover.of(tmp_path / "results/here/mine", "disk-debian-2x1")
    if log is not None:
        write_file(handover.log, log)
    (reason,) = handover.reasons()
    assert reason.startswith("its job started nothing: ")
    write_file(handover.log, "[ReFrame Setup]\n")
    assert handover.reasons() == ["it was ended without an error message"]


RECEIPT = {"batch": "disk-v7.2", "unavailable": None, "kept": 1, "failed": [], "executions": 2}


def test_the_counts_of_a_batch_are_those_of_its_receipt(tmp_path: Path) -> None:
    handover = Handover.of(tmp_path, "disk-v7.2")
    write_file(handover.receipt, json.dumps({"batches": [RECEIPT | {"batch": "other"}, RECEIPT]}))
    assert handover.counts() == RECEIPT


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"batches": None}, "batches: is damaged: is None, not a list"),
        ({"batches": [RECEIPT | {"kept": "x"}]}, "batches[0].kept: is damaged: is 'x', not a whole number"),
        ({"batches": [RECEIPT | {"failed": "x"}]}, "batches[0].failed: is damaged"),
        ({"batches": []}, "batches: is damaged: disk-v7.2 is in it 0 times"),
    ],
)
def test_a_damaged_receipt_is_named(tmp_path: Path, damage: dict[str, object], told: str) -> None:
    handover = Handover.of(tmp_path, "disk-v7.2")
    write_file(handover.receipt, json.dumps(damage))
    with pytest.raises(WeirError) as raised:
        handover.counts()
    assert f"{handover.receipt}: {told}" in str(raised.value)


@pytest.mark.parametrize("holder", [{"pid": "x"}, {"host": None}, {"started_ticks": []}, [], 7])
def test_a_damaged_note_of_a_workflow_is_none(tmp_path: Path, holder: object) -> None:
    own = {"host": "here", "pid": 1, "started_ticks": 2}
    (tmp_path / "note.json").write_text(json.dumps({**own, **holder} if isinstance(holder, dict) else holder))
    assert holder_of(tmp_path / "note.json") is None
