"""What Grid Engine 8.1.9 printed on four virtual nodes (tests/queues), as weir reads it."""

from pathlib import Path

import pytest

from weir.site.schedulers import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, scheduler
from weir.site.schedulers.gridengine import end_of, end_state, judged, placement, reason, states

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "schedulers" / "gridengine"
OPTIONS = ("-pe", "mpi", "-q", "all.q", "-l", "exclusive=true")


def text(name: str) -> str:
    return (GOLDEN / name).read_text()


def test_a_job_gets_a_slot_for_each_core_and_the_options_as_they_are() -> None:
    files = JobFiles("weir_disk-debian-4x2", Path("/s/job.sh"), Path("/s/job.log"))
    command = scheduler("gridengine").submission(Request(4, 90.4, 24, options=OPTIONS), files)
    assert command == [
        *("qsub", "-terse", "-V", "-S", "/bin/bash", "-N", "weir_disk-debian-4x2", "-j", "y"),
        *("-o", "/s/job.log.queue", "-r", "y", "-l", "h_rt=90"),
        *("-pe", "mpi", "96", "-q", "all.q", "-l", "exclusive=true", "/s/job.sh"),
    ]


def test_running_and_waiting_jobs() -> None:
    found = states(text("qstat-f.xml"))
    assert [state.phase for _, state in sorted(found.items())] == [RUNNING, WAITING, WAITING]


def test_a_node_that_does_not_answer_is_named() -> None:
    (state,) = (each for each in states(text("qstat-f-lost.xml")).values() if each.phase == RUNNING)
    assert state.reason.startswith("node")
    assert state.reason.endswith(" does not answer")


def test_why_a_job_waits() -> None:
    assert reason(text("qstat-j-waiting.txt")).startswith('queue instance "all.q@node')
    assert reason(text("qstat-j-prolog.txt")).endswith("exit_status of prolog = 1")


@pytest.mark.parametrize("slots", ["48", "4-8", "16-"])
def test_the_slots_of_the_site_give_way_to_those_of_the_batch(slots: str) -> None:
    """As everyone writes -pe for a script: the number would be the script that qsub submits."""
    options = ("-pe", "mpi*", slots, "-q", "all.q")
    files = JobFiles("n", Path("/s/job.sh"), Path("/s/job.log"))
    command = scheduler("gridengine").submission(Request(2, 60, 4, options=options), files)
    assert command[-6:] == ["-pe", "mpi*", "8", "-q", "all.q", "/s/job.sh"]
    assert judged(Request(2, 60, 4, options=options), ["make", "mpi-8"], lambda _: (0, "")).problems == ()


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("qacct-exit-3.txt", JobState(ENDED, "", 3)),
        ("qacct-cancelled.txt", JobState(ENDED, "it was cancelled or killed", 137)),
        ("qacct-unknown.txt", JobState(ENDED)),  # no accounting
        (
            "qacct-time.txt",
            JobState(ENDED, "its time of 2 s was over (qmaster enforced h_rt, h_cpu, or h_vmem limit)", 137),
        ),
    ],
)
def test_how_a_job_ended(capture: str, expected: JobState) -> None:
    assert end_state(text(capture)) == expected


def test_when_a_job_is_over() -> None:
    began, limit_s = 1795442875, 600
    assert end_of(text("qstat-j.xml"), now=began + 9.0) == began + limit_s


def test_placement_is_seen() -> None:
    options = [*OPTIONS, "-l", "left=true"]
    found = placement(options, "1", ["node1", "node4"], text("qhost-F.txt"), text("qstat-g-t.xml"))
    assert found["requested"] == {"switches": None, "constraint": "left=true", "exclude": [], "alone": True}
    assert found["groups"] == [
        {"switch": None, "features": ["left=1.000000"], "fits": True, "nodes": ["node1"]},
        {"switch": None, "features": [], "fits": False, "nodes": ["node4"]},
    ]


def test_other_jobs_on_the_nodes_are_seen() -> None:
    jobs = text("qstat-g-t.xml")
    assert placement(OPTIONS, "1", ["node1", "node3"], "", jobs)["alone"] is True
    assert placement(OPTIONS, "2", ["node1", "node2"], "", jobs)["alone"] is False
    assert placement(OPTIONS, "1", ["node9"], "", jobs)["alone"] is True
    assert placement(OPTIONS, "1", ["node9"], "", "")["alone"] is None


@pytest.mark.parametrize(
    ("options", "capture", "expected"),
    [
        (OPTIONS, "qsub-verify-fine.txt", ""),
        (OPTIONS, "qsub-verify-too-many.txt", "a job of 4 nodes would never start: "),
        (OPTIONS, "qsub-verify-no-resource.txt", 'qsub refuses these options: unknown resource "nosuch"'),
        (("-pe", "mpy"), "qsub-verify-fine.txt", "Grid Engine has no parallel environment 'mpy'"),
        ((), "qsub-verify-fine.txt", "no parallel environment is named"),
    ],
)
def test_what_would_never_start_is_told_before(options: tuple[str, ...], capture: str, expected: str) -> None:
    printed = text(capture)
    answer = judged(
        Request(4, 60, 4, options=options), ["mpi"], lambda _: (int("found" not in printed), printed)
    )
    assert len(answer.problems) == bool(expected)
    assert all(problem.message.startswith(expected) for problem in answer.problems)
