"""Real batch systems: the suite `nodes` by ReFrame and by Snakemake, and a job that somebody cancels."""

import pytest

from tests.queues.checkout import QueueCheckout
from tests.queues.nodes import Cluster
from tests.queues.system import System
from tests.workflow.processes import until

pytestmark = pytest.mark.slow


def test_the_suite_nodes_by_reframe_and_by_snakemake(checkout: QueueCheckout, system: System) -> None:
    """What ReFrame measured is not measured again."""
    checkout.real_suite("nodes", [2, 4], [1])
    checkout.shorten("xfer: [16 KiB, 1 MiB]", "xfer: [1 MiB]")
    assert "Ran 1/1 test case(s)" in checkout.reframe("--name", "^measure.*-2x", "--run")
    measured = checkout.runs()
    assert {run["host"]["placement"]["alone"] for run in measured} == {True}
    assert checkout.snakemake().count("has been submitted as job") == 1
    records = checkout.records()
    assert {(row["nn"], row["ppn"]) for row in records} == {("2", "1"), ("4", "1")}
    assert {row["verdict"] for row in records} <= {"VALID", "UNPROVEN", "DEGRADED"}
    for run in checkout.runs():
        nodes = run["cell"]["nodes"]
        groups = run["host"]["placement"]["groups"]
        assert len({name for group in groups for name in group["nodes"]}) == nodes
        assert run["command"][0] == system.launcher
    assert [run for run in checkout.runs() if run["cell"]["nodes"] == 2] == measured
    checkout.assert_clean()


def test_a_cancelled_job_is_submitted_again(
    checkout: QueueCheckout, system: System, cluster: Cluster
) -> None:
    checkout.suite([2], [1], cells=2)
    checkout.slow_down(1)
    checkout.hold.touch()
    process = checkout.start(*checkout.snakemake_words())
    until(lambda: checkout.runs() != [] or process.poll() is not None, 180)
    assert process.poll() is None, process.communicate()[0]
    (kept,) = checkout.runs()
    (job,) = system.jobs(cluster)
    system.cancel(cluster, job)
    until(lambda: system.jobs(cluster) == [], 180)
    checkout.hold.unlink()
    output, _ = process.communicate(timeout=180)
    assert process.returncode == 0, output
    assert f"job {job} was ended by {system.scheduler}: {system.cancelled}" in output
    assert output.count("has been submitted as job") == 2
    runs = checkout.runs()
    assert [run["status"] for run in runs] == ["done"] * 2
    assert kept in runs
    checkout.assert_clean()
