"""What OpenPBS 23.06 printed on four virtual nodes (tests/queues), as weir reads it."""

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from tests.programs import ran, write_program
from weir.site.schedulers import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, scheduler
from weir.site.schedulers.pbs import facts_of, judged, placement, state_of

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "schedulers" / "pbs"
OPTIONS = ("-q", "workq", "-A", "project")
SOCKETS = (("", {}), ("[0]", {"ncpus": 4}), ("[1]", {"ncpus": 4}))


def text(name: str) -> str:
    return (GOLDEN / name).read_text()


def test_whole_nodes_are_requested_and_the_options_stay_as_they_are() -> None:
    files = JobFiles("weir_disk-debian-4x2", Path("/s/job.sh"), Path("/s/job.log"))
    command = scheduler("pbs").submission(Request(4, 3690, 24, options=OPTIONS), files)
    assert command == [
        *("qsub", "-V", "-N", "weir_disk-debian-4x2", "-j", "oe", "-o", "/s/job.log.queue"),
        *("-l", "select=4:ncpus=24:mpiprocs=24", "-l", "place=scatter:excl", "-l", "walltime=1:01:30"),
        *("-q", "workq", "-A", "project", "/s/job.sh"),
    ]


def test_resources_of_a_node_and_a_placement_of_the_site_are_kept() -> None:
    options = ["-l", "select=1:ncpus=8:side=left", "-lplace=scatter:excl:group=side", "-l", "software=x"]
    command = scheduler("pbs").submission(
        Request(2, 60, 4, options=options), JobFiles("n", Path("s"), Path("l"))
    )
    assert [value for option, value in pairwise(command) if option == "-l"] == [
        "select=2:ncpus=4:mpiprocs=4:side=left",
        "place=scatter:excl:group=side",
        "walltime=0:01:00",
        "software=x",
    ]


@pytest.mark.parametrize(
    ("options", "chunk", "others"),
    [
        (
            ["-l", "select=1:system=a,place=excl:group=r,walltime=1:00:00"],
            ":system=a",
            ["place=excl:group=r"],
        ),
        (["-lselect=1:ncpus=8:model=b,filesystems=home:lake"], ":model=b", ["filesystems=home:lake"]),
        (["-l select=model=b:ncpus=8"], ":model=b", []),
        (["-l", "filesystems=home,walltime=2:00"], "", ["filesystems=home"]),
        (["-l", "hosts=a,b"], "", ["hosts=a,b"]),
    ],
)
def test_a_list_of_resources_is_read_as_qsub_reads_it(
    options: list[str], chunk: str, others: list[str]
) -> None:
    """Their time is that of the partition, as their cores and nodes are."""
    command = scheduler("pbs").submission(
        Request(2, 60, 4, options=options), JobFiles("n", Path("s"), Path("l"))
    )
    resources = [value for option, value in pairwise(command) if option == "-l"]
    assert resources[0] == f"select=2:ncpus=4:mpiprocs=4{chunk}"
    assert [
        each for each in resources[1:] if each not in ("place=scatter:excl", "walltime=0:01:00")
    ] == others
    assert resources.count("walltime=0:01:00") == len([each for each in resources if "walltime" in each]) == 1


def test_chunks_that_differ_are_no_request_of_weir() -> None:
    options = ["-l", "select=1:model=a+1:model=b"]
    (problem,) = judged(Request(2, 60, 4, options=options), "", "").problems
    assert (problem.key, "of several chunks" in problem.message) == ("scheduler_options", True)


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("qstat-running.txt", JobState(RUNNING)),
        ("qstat-waiting.txt", JobState(WAITING, "Not Running: Not enough free nodes available")),
        ("qstat-stopped.txt", JobState(WAITING, "Not Running: Queue not started.")),
        ("qstat-cancelled.txt", JobState(ENDED, "it was cancelled by root@login", 0)),
        ("qstat-removed.txt", JobState(ENDED, "it was taken out of the queue")),
        ("qstat-exit-3.txt", JobState(ENDED, "", 3)),
        ("qstat-time.txt", JobState(ENDED, "its time of 00:00:04 was over", -29)),
        ("qstat-killed.txt", JobState(ENDED, "signal 9 ended it", 265)),
        ("qstat-prologue.txt", JobState(ENDED, "it could not be started, or a prologue failed", -2)),
    ],
)
def test_states_of_a_job(capture: str, expected: JobState) -> None:
    assert state_of(facts_of(text(capture))) == expected


@pytest.mark.parametrize(
    ("capture", "code", "expected"),
    [("qstat-running.txt", 0, JobState(RUNNING)), ("qstat-unknown.txt", 153, JobState(ENDED))],
)
def test_without_a_history_the_job_itself_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capture: str, code: int, expected: JobState
) -> None:
    """qstat -x then prints a message and ends with 0: the job was waited for without an end."""
    replies = {True: (0, text("qstat-no-history.txt")), False: (code, text(capture))}
    monkeypatch.setattr("weir.site.schedulers.pbs.reply", lambda command: replies["-x" in command])
    monkeypatch.setattr("weir.site.schedulers.pbs.answer", lambda command: text("pbsnodes.json"))
    assert scheduler("pbs").state("0.vm") == expected


def test_a_job_on_a_node_that_is_down_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """PBS tells nothing of it with the job: without node_fail_requeue it runs on until its time is over."""
    monkeypatch.setattr("weir.site.schedulers.pbs.reply", lambda command: (0, text("qstat-running.txt")))
    monkeypatch.setattr("weir.site.schedulers.pbs.answer", lambda command: text("pbsnodes-down.json"))
    assert scheduler("pbs").state("0.vm") == JobState(RUNNING, "node1 does not answer")


def test_placement_is_seen() -> None:
    facts = facts_of(text("qstat-running.txt"))
    options = ["-l", "select=1:side=right", "-l", "place=scatter:excl:group=side"]
    assert placement(options, facts, text("pbsnodes.json")) == {
        "requested": {"switches": 1, "constraint": "side=right", "exclude": [], "alone": True},
        "alone": True,
        "groups": [{"switch": "left", "features": ["side=left"], "fits": False, "nodes": ["node1", "node2"]}],
    }


def test_a_pbs_that_tells_nothing_is_no_error() -> None:
    found = placement(OPTIONS, {}, "")
    assert found["alone"] is None
    assert found["groups"] == []


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request(4, 60, 4, options=OPTIONS), []),
        (
            Request(8, 60, 4, options=OPTIONS),
            ["a job of 8 nodes would wait for ever: PBS has 4 with 4 cores"],
        ),
        (Request(2, 60, 64, options=OPTIONS), ["no node of PBS has 64 cores"]),
        (Request(2, 60, 4, options=("-q", "wrokq")), ["PBS has no queue 'wrokq'"]),
    ],
)
def test_what_would_never_start_is_told_before(request_: Request, expected: list[str]) -> None:
    answer = judged(request_, text("qstat-queues.txt"), text("pbsnodes.json"))
    assert [problem.message for problem in answer.problems] == expected


def test_nodes_that_cannot_be_read_are_no_reason_against_a_job() -> None:
    """A comment with quotes, which older releases print as they are, makes the answer no JSON."""
    nodes = text("pbsnodes.json").replace('"side":', '"comment": "taken for "repair" today", "side":')
    assert judged(Request(2, 60, 4, options=OPTIONS), text("qstat-queues.txt"), nodes).problems == []


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request(2, 60, 8), []),
        (Request(3, 60, 8), ["a job of 3 nodes would wait for ever: PBS has 2 with 8 cores"]),
        (Request(1, 60, 9), ["no node of PBS has 9 cores"]),
    ],
)
def test_a_host_has_the_cores_of_all_its_vnodes(request_: Request, expected: list[str]) -> None:
    """As the hook for cgroups makes them, one for each socket; the host itself is one without cores."""
    hosts = [(f"host{host}{part}", f"host{host}", cores) for host in (1, 2) for part, cores in SOCKETS]
    nodes = {name: {"resources_available": {"host": host, **cores}} for name, host, cores in hosts}
    answer = judged(request_, text("qstat-queues.txt"), json.dumps({"nodes": nodes}))
    assert [problem.message for problem in answer.problems] == expected


def test_a_queue_with_a_limit_and_one_that_is_stopped() -> None:
    queues = text("qstat-queues.txt").replace("started = True", "started = False")
    queues = queues.rstrip("\n") + "\n    resources_max.walltime = 01:00:00\n\n"
    answer = judged(Request(2, 7200, 4, options=OPTIONS), queues, text("pbsnodes.json"))
    (problem,) = answer.problems
    assert problem.message == "a job of 2:00:00 is refused: the limit of queue workq is 01:00:00"
    assert answer.note == "queue workq of PBS is not started"


def test_the_captures_are_those_of_a_real_one() -> None:
    assert json.loads(text("pbsnodes.json"))["pbs_version"] == "23.06.06"


def test_a_daemon_of_open_mpi_stays_in_the_foreground_of_its_task(tmp_path: Path) -> None:
    """PBS ends a task whose first program puts itself into the background."""
    environment = {**os.environ, "PBS_JOBID": "1.s", "PBS_NODEFILE": "/nodes"}
    told = scheduler("pbs").mpi(environment)
    assert told["PRTE_MCA_prte_default_hostfile"] == told["OMPI_MCA_orte_default_hostfile"] == "/nodes"
    write_program(tmp_path / "pbs_tmrsh", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    command = [
        told["PRTE_MCA_plm_ssh_agent"],
        "node2",
        "export A;/usr/bin/prted --daemonize --prtemca x",
        '"1"',
    ]
    environment["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    done = ran(command, env=environment, check=True)
    assert done.stdout.splitlines() == ["node2", "/bin/sh", "-c", 'export A;/usr/bin/prted --prtemca x "1"']
