"""What clusters do to a measurement: each fault ends in a message, loses no run, leaves no orphan."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.needs import mounts, need
from tests.slurm.checkout import BIN, Checkout
from tests.slurm.private_slurm import SANDBOX, Cluster, new_cluster

pytestmark = pytest.mark.slow
CELLS = 2
SUSPENDED_S = 3.0


@pytest.fixture(scope="module")
def fragile() -> Iterator[Cluster]:
    """A sandbox that the tests of this file break and hint."""
    cluster = new_cluster()
    cluster.up("--nodes", "4")
    yield cluster
    cluster.down()


@pytest.fixture
def checkout(fragile: Cluster, tmp_path: Path) -> Iterator[Checkout]:
    """Cells of some seconds each on two nodes."""
    checkout = Checkout.make(tmp_path / "weir", fragile)
    checkout.slow_down(4)
    checkout.suite([2], [1], cells=CELLS)
    yield checkout
    release(checkout)
    checkout.end()
    fragile.run("scancel", "--me")


def wait_for(what: str, condition: Callable[[], object], limit_s: float = 180) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not come within {limit_s} s"
        time.sleep(0.2)


def job_ids(cluster: Cluster) -> list[str]:
    return cluster.out("squeue", "-h", "-t", "RUNNING", "-o", "%i").split()


def start_and_wait_for_a_run(checkout: Checkout) -> tuple[subprocess.Popen[str], set[str]]:
    """Snakemake in the middle of a batch: one run is finished, the other in flight until it is released."""
    checkout.hold.touch()
    process = checkout.start(*checkout.snakemake_words())
    wait_for("the first run", lambda: checkout.runs() or process.poll() is not None, 180)
    assert process.poll() is None, process.communicate()[0]
    return process, checkout.finished()


def until_saved(cluster: Cluster) -> None:
    """Slurm has written its jobs to the disk as they are now: a start that it forgets is another fault."""
    (job,) = job_ids(cluster)
    before_ns = time.time_ns()
    cluster.out("scontrol", "update", f"jobid={job}", "comment=saved")  # it writes what has changed
    state = cluster.folder / "state" / "job_state"
    wait_for("a saved job", lambda: state.exists() and state.stat().st_mtime_ns > before_ns, 30)


def start_and_wait_for_a_job(checkout: Checkout) -> subprocess.Popen[str]:
    process = checkout.start(*checkout.snakemake_words())
    wait_for("the job", lambda: job_ids(checkout.cluster) or process.poll() is not None)
    assert process.poll() is None, process.communicate()[0]
    return process


def release(checkout: Checkout) -> None:
    checkout.hold.unlink(missing_ok=True)


def end_of(process: subprocess.Popen[str], limit_s: float = 400) -> tuple[int, str]:
    output, _ = process.communicate(timeout=limit_s)
    return process.returncode, output


def rank_ids(checkout: Checkout) -> list[int]:
    """Programs of this checkout that run anywhere on the virtual nodes, or are about to."""
    program = str(checkout.folder / "build" / "weir-io").encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if program in arguments and arguments[0].rsplit(b"/")[-1] in (b"sh", b"weir-io"):
            found.append(int(entry.name))
    return found


def until_printed(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if text in line:
            return
    raise AssertionError(f"no '{text}' in: {''.join(printed)}")


def processes_of_job(checkout: Checkout, job: str) -> dict[int, bytes]:
    """What its batch script started on the node, by their ids, with the script itself."""
    marks = f"SLURM_JOB_ID={job}\0".encode(), str(checkout.cluster.folder).encode()
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if all(mark in (entry / "environ").read_bytes() for mark in marks):
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
        except OSError:
            continue
    return found


def assert_complete(checkout: Checkout, kept: set[str]) -> None:
    """Every cell measured, what was finished before not measured again, nothing left behind."""
    runs = checkout.runs()
    assert [run["status"] for run in runs] == ["done"] * CELLS
    assert kept <= {str(run["began"]) for run in runs}
    assert len(checkout.records()) == 2 * CELLS
    wait_for("the end of all jobs", lambda: checkout.cluster.out("squeue", "-h") == "")
    assert rank_ids(checkout) == []
    checkout.assert_clean()


def completed(checkout: Checkout, process: subprocess.Popen[str], kept: set[str]) -> str:
    """What Snakemake prints, which is let go on and ends well."""
    release(checkout)
    code, output = end_of(process)
    assert code == 0, output
    assert_complete(checkout, kept)
    return output


@pytest.mark.weekly
def test_scancel_is_retried(checkout: Checkout) -> None:
    process, kept = start_and_wait_for_a_run(checkout)
    (job,) = job_ids(checkout.cluster)
    checkout.cluster.out("scancel", job)
    wait_for("the end of the job", lambda: job not in job_ids(checkout.cluster))
    assert "CANCELLED" in completed(checkout, process, kept)


def test_failed_node_is_left_out(checkout: Checkout) -> None:
    cluster = checkout.cluster
    process, kept = start_and_wait_for_a_run(checkout)
    try:
        cluster.out(SANDBOX, "kill", "node2", cluster.folder)
        cluster.out("scontrol", "update", "nodename=node2", "state=down", "reason=test")
        output = completed(checkout, process, kept)
        assert output.count("has been submitted") == 1  # Slurm itself starts the job again elsewhere
    finally:
        cluster.out(SANDBOX, "start", "node2", cluster.folder)
        cluster.run("scontrol", "update", "nodename=node2", "state=resume")
        wait_for(
            "node2", lambda: "node2 idle" in cluster.out("sinfo", "-h", "-N", "-p", "debug", "-o", "%N %T")
        )


def stopped(checkout: Checkout) -> bool:
    """Stops the ranks; False where there is none, or all have ended by now."""
    found = False
    for pid in rank_ids(checkout):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            found = True
    return found


def test_end_at_the_time_limit_is_retried(checkout: Checkout) -> None:
    checkout.suite([2], [1], cells=CELLS, timeout="5 min")
    process, kept = start_and_wait_for_a_run(checkout)
    # The run in flight hangs, as on a file system that has stopped to answer; Slurm looks every half minute.
    wait_for("the next run", lambda: stopped(checkout))
    release(checkout)
    for job in job_ids(checkout.cluster):
        checkout.cluster.out("scontrol", "update", f"jobid={job}", "TimeLimit=0:01")
    assert "TIMEOUT" in completed(checkout, process, kept)


@pytest.mark.weekly
def test_preempted_batch_is_completed(checkout: Checkout) -> None:
    checkout.site("--partition=debug", "--partition=scavenge")
    process, kept = start_and_wait_for_a_run(checkout)
    checkout.cluster.out("srun", "-p", "debug", "-N4", "--exclusive", "true")
    assert completed(checkout, process, kept).count("has been submitted") == 1


@pytest.mark.weekly
def test_restart_of_slurmctld_loses_nothing(checkout: Checkout) -> None:
    cluster = checkout.cluster
    # srun may wait for a step for a minute after the restart; at the cell's limit weir starts another one.
    checkout.suite([2], [1], cells=CELLS, timeout="30 s")
    process, kept = start_and_wait_for_a_run(checkout)
    release(checkout)  # holding it counts towards its limit
    cluster.out(SANDBOX, "kill", "slurmctld", cluster.folder)
    time.sleep(5)
    cluster.out(SANDBOX, "start", "slurmctld", cluster.folder)
    completed(checkout, process, kept)


@pytest.mark.weekly
def test_why_a_job_waits_for_a_partition_that_is_down_is_told(checkout: Checkout) -> None:
    cluster = checkout.cluster
    cluster.out("scontrol", "update", "partitionname=debug", "state=down")
    try:
        process = checkout.start(*checkout.snakemake_words())
        until_printed(process, "is waiting: PartitionDown")
    finally:
        cluster.out("scontrol", "update", "partitionname=debug", "state=up")
    completed(checkout, process, set())


@pytest.mark.weekly
def test_a_job_that_the_system_kills_is_submitted_again(checkout: Checkout) -> None:
    """As for want of memory."""
    process, kept = start_and_wait_for_a_run(checkout)
    (job,) = job_ids(checkout.cluster)
    killed = processes_of_job(checkout, job)
    assert any(b"slurm_script" in arguments for arguments in killed.values()), killed
    for pid in killed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    output = completed(checkout, process, kept)
    assert f"SLURM-job '{job}' failed, SLURM status is: 'FAILED'" in output


@pytest.mark.weekly
def test_a_job_whose_slurmstepd_is_killed_is_completed(checkout: Checkout) -> None:
    """Its script goes on. Slurm finds out when the node registers the next time, and starts the job again."""
    process, kept = start_and_wait_for_a_run(checkout)
    (job,) = job_ids(checkout.cluster)
    (script,) = (pid for pid, args in processes_of_job(checkout, job).items() if b"/slurm_script" in args)
    daemon = int(Path(f"/proc/{script}/stat").read_text().rpartition(")")[2].split()[1])
    assert f"[{job}.batch]" in Path(f"/proc/{daemon}/cmdline").read_text()
    os.kill(daemon, signal.SIGKILL)
    release(checkout)
    wait_for("the last run", lambda: len(checkout.finished()) == CELLS)

    def is_started_again() -> bool:
        checkout.cluster.out("scontrol", "reconfigure")  # the node registers
        return "Restarts=1" in checkout.cluster.out("scontrol", "show", "job", job)

    wait_for("the second start", is_started_again)
    completed(checkout, process, kept)


@pytest.mark.parametrize("job", ["saved", pytest.param("forgotten", marks=pytest.mark.weekly)])
def test_slurmctld_that_is_down_at_the_first_question_loses_nothing(checkout: Checkout, job: str) -> None:
    """Snakemake's executor forgot the job, or Slurm did: it waited for ever."""
    cluster = checkout.cluster
    checkout.suite([2], [1], cells=CELLS, timeout="30 s")
    process = start_and_wait_for_a_job(checkout)
    until_saved(cluster)
    cluster.out(SANDBOX, "kill", "slurmctld", cluster.folder)
    time.sleep(30)  # the first question comes after 10 s
    if job == "forgotten":
        for state in (cluster.folder / "state").glob("job_state*"):
            state.unlink()
    cluster.out(SANDBOX, "start", "slurmctld", cluster.folder)
    completed(checkout, process, set())


@pytest.mark.row("a pause")
def test_a_job_that_is_suspended_in_a_phase_is_degraded_with_how_long(checkout: Checkout) -> None:
    """As gang scheduling and preemption by suspension do."""
    checkout.suite([2], [1])
    # 64 transfers of each rank in 32 s: the job is suspended in the midst of them, when the second rank has
    # written four behind the block of the first one.
    checkout.shorten("[write, read], block: 1 MiB", "[write], block: 1 MiB, rate: 4")
    process = start_and_wait_for_a_job(checkout)
    data = checkout.target
    least = 2**20 + 4 * 2**14
    wait_for("transfers", lambda: any(file.stat().st_size >= least for file in data.glob("*/*/data*")))
    (job,) = job_ids(checkout.cluster)
    checkout.cluster.out("scontrol", "suspend", job)
    time.sleep(SUSPENDED_S)
    checkout.cluster.out("scontrol", "resume", job)
    code, output = end_of(process)
    assert code == 0, output
    (record,) = checkout.records()
    assert record["verdict"] == "DEGRADED", record
    assert "paused" in record["reasons"], record
    (summary,) = checkout.results.glob("runs/*/*/summary.json")
    (phase,) = json.loads(summary.read_text())["results"]
    assert phase["observed"]["paused_s"] > SUSPENDED_S - 0.5


def test_ctrl_c_cancels_the_jobs(checkout: Checkout) -> None:
    process, kept = start_and_wait_for_a_run(checkout)
    os.killpg(process.pid, signal.SIGINT)
    code, _ = end_of(process)
    assert code != 0
    wait_for("the end of the job", lambda: checkout.cluster.out("squeue", "-h") == "")
    wait_for("the end of the ranks", lambda: rank_ids(checkout) == [])
    release(checkout)
    checkout.snakemake()
    assert_complete(checkout, kept)


def test_rebooted_login_node_leaves_the_job_that_can_be_waited_for(checkout: Checkout) -> None:
    """Snakemake is killed; its job measures on. A second one does not measure beside it."""
    process, kept = start_and_wait_for_a_run(checkout)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(job_ids(checkout.cluster)) == 1
    release(checkout)
    checkout.ended(str(BIN / "snakemake"), "--unlock", "--cores", "1")
    checkout.snakemake("--rerun-incomplete")
    assert_complete(checkout, kept)


def test_failing_prologue_of_a_task_is_named_and_mended(checkout: Checkout) -> None:
    """Nothing of the job runs, so that nothing of weir can tell."""
    prologue = checkout.cluster.folder / "etc" / "task_prolog"
    before = prologue.read_text()
    prologue.write_text("#!/bin/sh\nexit 3\n")
    try:
        output = checkout.snakemake(fails=True)
        assert "was not measured: slurmstepd-node1: error: TaskProlog failed status=3" in output
    finally:
        prologue.write_text(before)
    checkout.snakemake()
    assert_complete(checkout, set())


@pytest.mark.weekly
def test_full_results_directory_is_named_and_mended(checkout: Checkout) -> None:
    """A quota is a small file system of its own here."""
    need(mounts)
    runs = checkout.results / "runs"
    runs.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", runs], capture_output=True, check=True)
    try:
        (runs / "filler").write_bytes(b"x" * 60 * 1024)
        output = checkout.reframe("--name", "^measure", "--run", fails=True)
        assert "No space left on device" in output
        (runs / "filler").unlink()
        subprocess.run(["mount", "-o", "remount,size=16m", str(runs)], check=True)
        checkout.snakemake()
        assert_complete(checkout, set())
    finally:
        subprocess.run(["umount", str(runs)], check=True)
