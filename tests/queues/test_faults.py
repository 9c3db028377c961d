"""What batch systems do to a job: weir tells the reason, and nothing of the job is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.queues.job import Job
from tests.queues.nodes import Cluster
from tests.queues.system import System

pytestmark = pytest.mark.slow

FAULTS = (
    "cancelled in the middle",
    "time limit too short",
    "killed by the system",
    "queue stopped",
    "prologue fails",
    "accounting is off",
    "server stopped and started again",
)


@pytest.mark.parametrize("name", FAULTS)
def test_fault(system: System, cluster: Cluster, tmp_path: Path, name: str) -> None:
    if name not in system.faults:
        pytest.skip(f"{system.scheduler}: not tried")
    fault = system.faults[name]
    fault.before(cluster)
    try:
        job = Job(system, cluster, tmp_path, fault.time_s, fault.code)
        if fault.during:
            fault.during(job, job.until_it_runs())
        if fault.ends:
            if not fault.during and fault.time_s > 60:
                job.hold.unlink()
            assert fault.told in job.until("over: ")
        else:
            job.until(fault.told)
    finally:
        fault.after(cluster)
    if not fault.ends:
        assert job.end() == "over: done\n"
    assert job.left() == []
    assert system.jobs(cluster) == []
