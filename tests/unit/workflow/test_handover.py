"""Why a batch was not measured, from the files of its job."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weir.workflow.handover import Handover


@pytest.mark.parametrize("folder", ["slurm-logs/rule_measure", "queue-logs"])
def test_a_job_in_which_nothing_ran_has_the_reason_of_the_batch_system(folder: str, tmp_path: Path) -> None:
    handover = Handover.of(tmp_path / "results/here/mine", "disk-debian-2x1")
    assert handover.reasons() == ["it was ended without an error message"]
    logs = tmp_path / "results" / folder / "disk-debian-2x1"
    logs.mkdir(parents=True)
    for number, text in enumerate(("slurmstepd: error: of an earlier job", "TaskProlog failed status=3")):
        (logs / f"{number}.log").write_text(f"Error in rule measure:\nnode1: error: {text}\nthe last line\n")
        os.utime(logs / f"{number}.log", (number, number))
    assert handover.reasons() == [f"node1: error: TaskProlog failed status=3 ({logs}/1.log)"]
    handover.log.parent.mkdir(parents=True)
    handover.log.write_text("ERROR: no such system\n")
    assert handover.reasons() == ["ReFrame: no such system"]
