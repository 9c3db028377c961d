"""What batch systems do to a job that measures: weir tells the reason, nothing of the job is left, and the
next job measures what is missing and nothing twice."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.queues.checkout import QueueCheckout
from tests.queues.job import PLAN, Job
from tests.queues.nodes import Cluster
from tests.queues.system import System

pytestmark = pytest.mark.slow

FAULTS = (
    "cancelled in the middle",
    "time limit too short",
    "node down",
    "queue stopped",
    "killed by the system",
    "server stopped and started again",
    "accounting is off",
    "prologue fails",
)
CELLS = 2


@pytest.fixture(scope="module")
def planned(
    system: System, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[QueueCheckout]:
    made = QueueCheckout.make(tmp_path_factory.mktemp(system.scheduler) / "weir", cluster)
    made.use(system.scheduler, system.options, system.launcher)
    made.slow_down(0)
    made.suite([2], [1], cells=CELLS, timeout="5 min")
    made.run("weir", "plan", "--site", "sandbox", "--out", PLAN)
    yield made
    made.end()


@pytest.fixture
def checkout(planned: QueueCheckout) -> Iterator[QueueCheckout]:
    planned.hold.touch()
    yield planned
    planned.hold.unlink(missing_ok=True)
    planned.end()
    shutil.rmtree(planned.results, ignore_errors=True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FAULTS)
def test_fault(system: System, checkout: QueueCheckout, name: str) -> None:
    if name not in system.faults:
        pytest.skip(f"{system.scheduler}: not tried")
    fault, cluster = system.faults[name], checkout.cluster
    stuck = checkout.folder / "stuck"
    with ExitStack() as mended:
        mended.callback(fault.after, cluster)
        mended.callback(stuck.unlink, missing_ok=True)
        fault.before(cluster)
        if fault.time_s < 60:
            stuck.touch()
        elif not fault.during:
            checkout.hold.unlink()
        job = Job(system, checkout, fault.time_s, fault.code)
        if fault.during:
            process, node = job.until_it_runs()
            job.until_one_run_has_ended()
            fault.during(job, process, node)
        assert fault.told in job.until("over: " if fault.ends else fault.told)
        kept = checkout.finished()
        if not fault.lasts:
            mended.close()
        if fault.ends:
            assert job.left() == []
            assert system.jobs(cluster) == []
            job = Job(system, checkout)
        assert job.end() == "over: done\n", job.printed
    assert job.left() == []
    assert system.jobs(cluster) == []
    assert [run["status"] for run in checkout.runs()] == ["done"] * CELLS
    assert kept <= checkout.finished()
    assert len(kept) == (1 if fault.during else CELLS if fault.code else 0)
    checkout.assert_clean()
