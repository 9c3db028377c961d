"""What Slurm replies to a plan's jobs before they are submitted; the messages are those of 22.05."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from weir.base.errors import ConfigError
from weir.plan import Batch
from weir.plan.allocation import admission
from weir.records.model import Cell, Partition
from weir.site.schedulers.slurm import Slurm, seconds

Reply = tuple[int, str]  # exit code; what was printed
OPTIONS = ("--partition=compute", "--exclusive")
CELL = Cell("0" * 12, "cell", "s", "e", "ior", "lab", "disk", "stack", "main", 2, 4, 1, 1, 60.0, {})
TAKEN = (0, "sbatch: Job 9 to start at 2026-11-21T19:07:30 using 2 processors on nodes n[1-2]\n")


def replies(
    reply: Reply, nodes: int = 2, scheduler: str = "slurm", limit_s: float = 600.0
) -> tuple[list[str], list[str]]:
    """Problems and notes of a plan with jobs of one node and of that many."""
    partition = Partition(
        "main", 8, 24, 8, "srun", scheduler, ("stack",), time_limit_s=limit_s, scheduler_options=OPTIONS
    )
    site = SimpleNamespace(name="lab", partitions={"main": partition})
    batches = [Batch(f"b{n}", "main", n, 4, "stack", "disk", (CELL,), 1e5) for n in (1, nodes)]

    def slurm(command: Sequence[str]) -> Reply:
        if command[:2] == ["sbatch", "--test-only"]:
            job = [f"--nodes={nodes}", f"--time={limit_s / 60:.0f}", "--ntasks-per-node=24", "--wrap=true"]
            assert list(command[2:]) == [*OPTIONS, *job]
            return reply
        if command == ["sinfo", "--noheader", "--format=%R"]:
            return 0, "compute\ngpu\n"
        assert command == ["sinfo", "--noheader", "--partition=compute", "--format=%l %D"]
        # A site's own sinfo greets.
        return (1, "") if "partition" in reply[1] else (0, "Welcome back\n1:00:00 4\n")

    plan: Any = SimpleNamespace(site=site)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weir.site.schedulers.slurm.reply", slurm)
        patch.setattr(Slurm, "can_submit", lambda self: True)
        try:
            return [], admission(plan, batches)
        except ConfigError as error:
            return [str(problem) for problem in error.problems], []


def test_a_job_that_slurm_would_take_is_passed_over() -> None:
    assert replies(TAKEN) == ([], [])


def test_without_a_queue_nobody_is_requested() -> None:
    assert replies((1, "sbatch: error: no"), scheduler="local") == ([], [])


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            "sbatch: error: invalid partition specified: compte\nallocation failure: Invalid partition name",
            "did you mean 'compute'?",
        ),
        (
            "allocation failure: Invalid account or account/partition combination specified",
            "sacctmgr show assoc",
        ),
        ("allocation failure: Invalid qos specification", "sacctmgr show assoc"),
        ("allocation failure: Invalid feature specification", "sinfo -o '%N %f'"),
    ],
)
def test_a_refusal_that_lasts_names_the_key_and_the_hint(arguments: str, hint: str) -> None:
    (problem,), notes = replies((1, arguments))
    assert problem.startswith(
        "config/sites/lab/site.yaml: partitions.main.scheduler_options: sbatch refuses these options: "
    )
    assert arguments.splitlines()[0].partition(": ")[2].removeprefix("error: ") in problem
    assert hint in problem
    assert notes == []


def test_jobs_that_would_wait_for_ever_are_named() -> None:
    """sbatch takes both where the cluster does not enforce the limits of its partitions."""
    (nodes, time), notes = replies(
        (1, "allocation failure: Requested node configuration is not available"), 8, limit_s=7200
    )
    place = "config/sites/lab/site.yaml: partitions.main"
    assert nodes.startswith(
        f"{place}.nodes: a job of 8 nodes would wait for ever: Slurm's partition compute has 4\n"
    )
    assert time.startswith(f"{place}.time_limit: a job of 120 min would wait for ever")
    assert "write at most 60 min" in time
    assert notes == []


def test_nodes_that_are_down_today_are_no_reason_to_refuse() -> None:
    problems, (note,) = replies((1, "allocation failure: Requested node configuration is not available\n"))
    assert problems == []
    assert "partition main: sbatch reports for a job of 2 nodes: Requested node configuration" in note
    assert "it waits until nodes are up" in note
    _, (note,) = replies((1, "sbatch: error: Unable to contact slurm controller (connect failure)\n"))
    assert note.endswith("for a job of 2 nodes: Unable to contact slurm controller (connect failure)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30:00", 1800),
        ("1:00:00", 3600),
        ("2-00:00:00", 172800),
        ("infinite", float("inf")),
        ("n/a", float("inf")),
    ],
)
def test_time_limits(text: str, expected: float) -> None:
    assert seconds(text) == expected
