"""What OAR 2.5.9 printed on four virtual nodes (tests/queues), as weir reads it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.programs import ran, write_program
from weir.site.schedulers import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, scheduler
from weir.site.schedulers.oar import exports, facts_of, placement, state_of

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "schedulers" / "oar"


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("running", JobState(RUNNING)),
        ("waiting", JobState(WAITING)),
        ("not-planned", JobState(WAITING, "OAR plans no start for it")),
        ("exit-3", JobState(ENDED, "", 3)),
        ("time", JobState(ENDED, "its time was over")),
        ("cancelled", JobState(ENDED, "it was cancelled")),
        ("killed", JobState(ENDED, "", 137)),
    ],
)
def test_states_of_a_job(capture: str, expected: JobState) -> None:
    assert state_of(facts_of((GOLDEN / f"{capture}.json").read_text())) == expected


def test_a_job_that_oar_submits_again_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a prologue that failed; else weir would submit a second one, beside that of OAR."""

    def put(name: str, text: str) -> None:
        write_program(tmp_path / name, text)

    failed = json.loads((GOLDEN / "cancelled.json").read_text())
    again = "[NodeChangeState] Resubmiting job 3 => 5) (due to event PROLOGUE_ERROR & job is neither a ...)"
    failed["3"]["events"] = [
        {"type": "PROLOGUE_ERROR", "description": "..."},
        {"type": "RESUBMIT_JOB_AUTOMATICALLY", "description": again},
    ]
    put("3", json.dumps(failed))
    put("5", (GOLDEN / "waiting.json").read_text())
    put("oarstat", f"#!/bin/sh\ncat {tmp_path}/$4\n")
    put("oardel", f"#!/bin/sh\necho $1 >>{tmp_path}/cancelled\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    reason = "after PROLOGUE_ERROR OAR has submitted it again, as job 5"
    assert scheduler("oar").state("3") == JobState(WAITING, reason)
    scheduler("oar").cancel_job("3")
    assert (tmp_path / "cancelled").read_text() == "5\n"
    put("5", (GOLDEN / "exit-3.json").read_text())
    assert scheduler("oar").state("3") == JobState(ENDED, "", 3)


def test_the_id_of_a_job_and_of_none_that_was_refused() -> None:
    system = scheduler("oar")
    assert system.submitted((GOLDEN / "oarsub.txt").read_text()) == "1"
    assert system.submitted((GOLDEN / "oarsub-refused.txt").read_text()) == ""


@pytest.mark.parametrize("shell", ["bash", "tcsh", "dash"])
def test_the_variables_of_the_submission_reach_the_script(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OAR gives the command to the login shell of the user, with -c."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = write_program(tmp_path / "a job.sh", '#!/bin/sh\necho "$GIVEN:${BASH_ENV-none}:$OAR_JOB_ID"\n')
    monkeypatch.setenv("GIVEN", "a 'b' $c\nd")
    monkeypatch.setenv("NOT_UTF8", "M\udcfcller")
    monkeypatch.setenv("of.no.shell", "refused by dash")
    monkeypatch.setenv("OAR_JOB_ID", "of the job that submits")
    request = Request(4, 3690, 24, options=("-q", "night"))
    *options, command = scheduler("oar").submission(request, JobFiles("weir_x", script, tmp_path / "log"))
    log = f"{tmp_path}/log.queue"
    names = ["-n", "weir_x", "-O", log, "-E", log]
    assert options == ["oarsub", *names, "-l", "nodes=4,walltime=1:01:30", "-q", "night"]
    variables = tmp_path / "a job.sh.environment"
    assert variables.stat().st_mode & 0o077 == 0
    node = {"PATH": "/usr/bin:/bin", "OAR_JOB_ID": "7", "BASH_ENV": "/nothing"}
    done = ran([shell, "-c", command], env=node, check=True)
    assert done.stdout == "a 'b' $c\nd:none:7\n"
    assert not variables.exists()  # it may have secrets
    assert "OAR_JOB_ID" not in exports({"OAR_JOB_ID": "7"})


def test_nodes_are_whole_unless_they_are_shared_by_time() -> None:
    alone = placement(["-q", "night"], ["node1", "node2"])
    assert (alone["requested"]["alone"], alone["alone"]) == (True, True)
    assert alone["groups"] == [{"switch": None, "features": None, "fits": None, "nodes": ["node1", "node2"]}]
    shared = placement(["-t", "timesharing=user,name", "-p", "side='left'"], ["node1"])
    assert (shared["requested"]["alone"], shared["alone"]) == (False, None)
    assert shared["requested"]["constraint"] == "side='left'"
    assert shared["groups"][0]["fits"] is True


@pytest.mark.parametrize(
    "options", [("-l", "{side='left'}/nodes=4,walltime=2"), ("--resource=/switch=1/nodes=4",), ("-lnodes=4",)]
)
def test_a_second_request_is_refused_since_oar_would_choose_between_them(options: tuple[str, ...]) -> None:
    """Several -l are a moldable job: it runs with the nodes and the time of one of them."""
    (problem,) = scheduler("oar").judge(Request(2, 60, 4, options=options)).problems
    assert (problem.key, "moldable" in problem.message) == ("scheduler_options", True)
    assert problem.hint is not None
    assert "-p" in problem.hint
    assert scheduler("oar").judge(Request(2, 60, 4, options=("-q", "night", "-p", "x=-l"))).problems == ()


@pytest.mark.parametrize("options", [("-p", "side='left'"), ("--property=side='left'",), ("-pside='left'",)])
def test_the_properties_of_nodes_are_seen_however_they_are_written(options: tuple[str, ...]) -> None:
    assert placement(options, ["node1"])["requested"]["constraint"] == "side='left'"
