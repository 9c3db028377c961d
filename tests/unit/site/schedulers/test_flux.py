"""What Flux 0.79 printed on four virtual nodes (tests/queues), as weir reads it."""

from pathlib import Path

import pytest

from weir.site.launchers import launcher
from weir.site.schedulers import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, scheduler
from weir.site.schedulers.flux import placement, state_of, stopped

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "schedulers" / "flux"


def test_whole_nodes_are_requested_and_the_options_stay_as_they_are() -> None:
    files = JobFiles("weir_disk-4x2", Path("/s/job.sh"), Path("/s/job.log"))
    command = scheduler("flux").submission(Request(4, 90.4, 24, options=["--queue=pbatch"]), files)
    assert command == [
        *("flux", "batch", "--nodes=4", "--exclusive", "--time-limit=90s", "--job-name=weir_disk-4x2"),
        *("--output=/s/job.log.queue", "--queue=pbatch", "/s/job.sh"),
    ]


def test_an_id_is_plain_text() -> None:
    assert scheduler("flux").submitted("\N{LATIN SMALL LETTER F WITH HOOK}2KwTjEw\n") == "f2KwTjEw"


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("running.json", JobState(RUNNING)),
        ("waiting.json", JobState(WAITING)),
        ("done.json", JobState(ENDED, "", 0)),
        ("exit-3.json", JobState(ENDED, "", 3)),
        ("timeout.json", JobState(ENDED, "its time of 3 s was over", 142)),
        ("killed.json", JobState(ENDED, "", 137)),
        ("prologue.json", JobState(ENDED, "prolog: prolog exited with code=1 on unknown (rank (null))", 1)),
        ("node-down.json", JobState(ENDED, "exec: node failure on node2 (rank 1)", 137)),
        ("cancelled.json", JobState(ENDED, "it was cancelled", 143)),
        (
            "unsatisfiable.json",
            JobState(ENDED, "alloc: unsatisfiable request: need 9 exclusive node(s), only 4 eligible", 1),
        ),
    ],
)
def test_states_of_a_job(capture: str, expected: JobState) -> None:
    assert state_of((GOLDEN / capture).read_text()) == expected


def test_a_flux_that_does_not_answer_is_no_state() -> None:
    assert state_of("") is None


def test_a_job_that_flux_has_forgotten_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps so many jobs (inactive-num-limit), or those of so long; its exit code is 0 then, too."""
    told = (GOLDEN / "unknown.txt").read_text()
    monkeypatch.setattr("weir.site.schedulers.flux.reply", lambda command: (0, told))
    assert scheduler("flux").state("f7bxVV3D") == JobState(ENDED)


def test_a_job_of_a_stopped_queue_waits_for_that_reason() -> None:
    told = (GOLDEN / "queue-stopped.txt").read_text()
    assert stopped(told, "") == "Scheduling is stopped"
    assert stopped(told.replace("stopped", "started"), "") == ""
    several = "batch: Scheduling is started\ndebug: Scheduling is stopped: maintenance\n"
    assert stopped(several, "debug") == "Scheduling is stopped: maintenance"
    assert stopped(several, "batch") == ""


def test_placement_is_seen() -> None:
    found = placement(["--requires=nvme"], "node1,node2", '{"exclusive": true}')
    assert found["requested"]["constraint"] == "nvme"
    assert found["alone"] is True
    assert found["groups"] == [{"switch": None, "features": None, "fits": True, "nodes": ["node1", "node2"]}]
    assert placement([], "", "")["alone"] is None
    assert placement(["--requires", "nvme"], "node1", "") == placement(["--requires=nvme"], "node1", "")


def test_its_launcher_gives_the_geometry() -> None:
    assert launcher("flux").command(4, 2, ["-o", "mpi=openmpi"], {}) == [
        *("flux", "run", "--nodes=4", "--tasks-per-node=2", "-o", "mpi=openmpi")
    ]
    assert launcher("flux").environment({"PMI_RANK": "0", "HOME": "/"}) == {"PMI_RANK": None}
