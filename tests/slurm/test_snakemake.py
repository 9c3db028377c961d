"""snakemake --profile profiles/slurm on the sandbox: one job a batch, every geometry, nothing twice."""

import itertools
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.checkout import Checkout
from tests.slurm.private_slurm import SANDBOX, Cluster
from tests.slurm.test_faults import CELLS, completed, release, until_printed, wait_for
from weir.plan import read_plan

pytestmark = pytest.mark.slow


def test_a_dry_run_prints_the_cost_card(checkout: Checkout) -> None:
    checkout.suite([1, 2], [2], cells=3)
    output = checkout.snakemake("--dry-run")
    assert "Plan of tiny" in output
    assert "node-hours" in output
    assert "6 cells planned, 0 measured, 6 to measure" in output
    assert "nodes=2" in output
    # What sbatch would refuse, or take and never start, is reported before anything is submitted.
    checkout.site("--exclusive]", "--exclusive, --constraint=middle]")
    checkout.site("nodes: 4", "nodes: 8")
    checkout.suite([8], [1])
    output = checkout.snakemake(fails=True)
    assert (
        "site.yaml: partitions.debug.scheduler_options: sbatch refuses these options: Invalid feature"
        in output
    )
    assert "a job of 8 nodes would wait for ever: Slurm's partition debug has 4" in output
    assert checkout.cluster.out("squeue", "-h") == ""


@pytest.fixture
def memory() -> Iterator[Path]:
    """A target that costs no time: 10 GiB to a disk that others use would."""
    with tempfile.TemporaryDirectory(prefix="weir-test-", dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.mark.parametrize("counts", [[1, 4], pytest.param([1, 2, 4], marks=pytest.mark.weekly)], ids=str)
def test_quick_in_every_geometry_by_both_ways_in(checkout: Checkout, memory: Path, counts: list[int]) -> None:
    geometries = sorted(itertools.product(counts, [1, 2]))
    checkout.target = memory / "target"
    checkout.real_suite("quick", counts, [1, 2])
    output = checkout.snakemake(limit_s=800)
    records = checkout.records()
    seen = Counter((int(row["nn"]), int(row["ppn"]), row["access"]) for row in records)
    plan = read_plan(checkout.results / "quick" / "plan.json")
    each = sum(cell.rounds for cell in plan.cells) // len(geometries)
    assert (
        each == len({cell.point for cell in plan.cells}) == 5
    )  # three interfaces, two orders of small transfers
    accesses = itertools.product(geometries, ("write", "read"))
    assert seen == {(nodes, ppn, access): each for (nodes, ppn), access in accesses}
    assert {row["verdict"] for row in records} <= {"VALID", "UNPROVEN", "DEGRADED"}
    # Nodes are compared where a median can tell; who is slow among virtual ones is chance.
    compared = {run["cell"]["nodes"]: run["host"]["slow_nodes"] is not None for run in checkout.runs()}
    assert compared == {nodes: nodes > 2 for nodes in counts}
    assert output.count("has been submitted with SLURM jobid") == len(geometries)
    assert {(receipt["done"], receipt["kept"]) for receipt in checkout.receipts().values()} == {(each, 0)}
    checkout.assert_clean()

    assert "Nothing to be done" in checkout.snakemake()

    # A centre's CI: the same batches, submitted by ReFrame, find the runs of the same cells.
    before = {str(run["began"]) for run in checkout.runs()}
    output = checkout.reframe("--name", "^measure.*-4x", "-S", "keep=yes", "--run")
    assert output.count("measured on ") == 2
    assert "Ran 0/2 test case(s)" in output
    assert {str(run["began"]) for run in checkout.runs()} == before
    found = [receipt for name, receipt in checkout.receipts().items() if "-4x" in name]
    assert [(receipt["done"], receipt["kept"]) for receipt in found] == [(0, each)] * 2
    checkout.assert_clean()


def with_accounting(cluster: Cluster, folder: Path) -> Checkout:
    done = cluster.up("--nodes", "2", "--accounting", code=None)
    if "not installed" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    checkout = Checkout.make(folder / "weir", cluster)
    checkout.site("nodes: 4", "nodes: 2")
    return checkout


def test_with_an_accounting_database(empty: Cluster, tmp_path: Path) -> None:
    checkout = with_accounting(empty, tmp_path)
    checkout.site("--partition=debug,", "--partition=debug, --account=nosuch,")
    checkout.suite([2], [1])
    output = checkout.snakemake("--dry-run", fails=True)
    assert "partitions.debug.scheduler_options: sbatch refuses these options: Invalid account" in output
    checkout.site("--account=nosuch", "--account=bench")
    checkout.snakemake("--slurm-status-command", "sacct")
    assert len(checkout.records()) == 2
    assert "Ran 1/1 test case(s)" in checkout.reframe("--name", "^measure", "--run")
    checkout.assert_clean()


@pytest.mark.weekly
def test_accounting_that_ends_in_the_middle_loses_nothing(empty: Cluster, tmp_path: Path) -> None:
    checkout = with_accounting(empty, tmp_path)
    checkout.site("--partition=debug,", "--partition=debug, --account=bench,")
    checkout.slow_down(1)
    checkout.suite([2], [1], cells=CELLS)
    checkout.hold.touch()
    process = checkout.start(*checkout.snakemake_words("--slurm-status-command", "sacct"))
    wait_for("the first run", lambda: checkout.runs() or process.poll() is not None)
    kept = checkout.finished()
    empty.out(SANDBOX, "kill", "slurmdbd", empty.folder)
    until_printed(process, "Slurm does not tell the state of the jobs; asking again")
    release(checkout)
    wait_for("the end of all jobs", lambda: empty.out("squeue", "-h") == "")
    empty.out(SANDBOX, "start", "slurmdbd", empty.folder)
    completed(checkout, process, kept)


def test_what_does_not_fit_an_allocation_runs_in_the_next(checkout: Checkout) -> None:
    """After one cell, two minutes are too short for another that may take 85 s, and half a minute more.

    A page on the login node follows both jobs."""
    checkout.site("time_limit: 30 min", "time_limit: 2 min")
    checkout.slow_down(5)
    checkout.suite([1], [2], cells=2, timeout="85 s")
    study = checkout.results / "tiny"
    begun = f"until [ -e '{study}/plan-measured.json' ]; do sleep 0.2; done"
    watch = f"'{sys.executable}' -m weir watch --page '{study}'"
    follower = checkout.start("bash", "-c", f"{begun}; exec {watch}")
    try:
        output = checkout.snakemake()
        told = follower.communicate(timeout=60)[0]
    finally:
        checkout.end()
    assert follower.returncode == 0, told
    assert "2/2 done" in told
    (facts,) = re.findall(r'id="facts">(.*?)</script>', (study / "live.html").read_text(), re.DOTALL)
    live = json.loads(facts)["live"]
    (batch,) = live["batches"]
    assert (live["over"], batch["state"], batch["done"], batch["failed"]) == (True, "finished", 2, 0)
    assert {name.rstrip("1234") for name in batch["nodes"]} == {"node"}
    assert "do not fit the rest of the allocation" in output
    assert output.count("has been submitted with SLURM jobid") == 2
    assert [run["status"] for run in checkout.runs()] == ["done"] * 2
    checkout.assert_clean()


def test_reframe_places_measures_and_leaves_what_snakemake_looks_for(checkout: Checkout) -> None:
    """Placement is requested, obeyed and recorded; what ReFrame measured is not measured again."""
    checkout.site("--exclusive]", "--exclusive, --constraint=right, --switches=1]")
    checkout.site("[--mpi=pmix]", "[--mpi=pmix, --distribution=cyclic]")
    checkout.suite([2], [2])
    checkout.reframe("--name", "^measure", "--run", "--report-junit=junit.xml")
    assert (checkout.folder / "junit.xml").exists()
    (run,) = checkout.runs()
    assert run["host"]["nodes"] == "node[3-4]"
    assert run["host"]["placement"] == {
        "requested": {"switches": 1, "constraint": "right", "exclude": [], "alone": True},
        "alone": True,
        "groups": [{"switch": "right", "features": ["right"], "fits": True, "nodes": ["node3", "node4"]}],
    }
    assert "--distribution=cyclic" in run["command"]
    assert "--distribution=block" not in run["command"]
    output = checkout.snakemake()
    assert {(row["nn"], row["ppn"]) for row in checkout.records()} == {("2", "2")}
    assert "has been submitted" not in output
    assert checkout.runs() == [run]
    checkout.assert_clean()


def test_an_allocation_other_than_the_site_asks_for_degrades_its_records(checkout: Checkout) -> None:
    """Made by hand, over both switches, and open to others."""
    checkout.site("--exclusive]", "--exclusive, --constraint=right, --exclude=node2, --switches=1]")
    checkout.suite([2], [1])
    weir, plan = [sys.executable, "-m", "weir"], str(checkout.results / "tiny" / "plan.json")
    allocation = ["salloc", "-Q", "-N2", "-w", "node[2-3]", *weir, "run", "--plan", plan]
    for arguments in (
        [*weir, "plan", "--out", plan],
        [*allocation, "--results", str(checkout.results)],
        [*weir, "collect", "--plan", plan, "--out", str(checkout.results / "tiny" / "records.csv")],
    ):
        checkout.run(*arguments)
    written, read = sorted(checkout.records(), key=lambda row: row["access"] == "read")
    assert written["verdict"] == read["verdict"] == "DEGRADED"
    for row in (written, read):  # small phases are short, and reads may come from a cache, too
        assert {"more-switches", "nodes-shared", "other-nodes"} <= set(row["reasons"].split(";"))
    evidence = written["evidence"]
    assert "requested nodes below 1 switch, had 2: 1 below left, 1 below right" in evidence
    assert "node2 without the feature right (features: left), node2 although excluded" in evidence
    checkout.assert_clean()
