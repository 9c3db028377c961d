"""How a job that weir submitted has ended: by its own file, and by what the batch system tells of it."""

from pathlib import Path

import pytest

from tests.programs import write_program
from weir.site.schedulers import ENDED, RUNNING, JobFiles, JobState, Request, Scheduler, reply, scheduler
from weir.site.schedulers.executors import Submitted, exit_file, messages_file, submit
from weir.site.schedulers.flux import state_of as flux_state
from weir.site.schedulers.pbs import facts_of
from weir.site.schedulers.pbs import state_of as pbs_state

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "schedulers"


class Told(Scheduler):
    name = "told"

    def __init__(self, state: JobState | None) -> None:
        self.told = state

    def state(self, job: str) -> JobState | None:
        return self.told

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        return ["echo", "7"]


def ended(state: JobState | None, log: Path) -> str | None:
    return Submitted(Told(state), "7", log).failure()


@pytest.mark.parametrize(
    "state",
    [
        pbs_state(facts_of((GOLDEN / "pbs" / "qstat-killed.txt").read_text().replace("= 265", "= 137"))),
        flux_state((GOLDEN / "flux" / "killed.json").read_text()),
    ],
    ids=["pbs", "flux"],
)
def test_a_killed_script_leaves_no_file_and_none_is_waited_for(
    state: JobState | None, tmp_path: Path
) -> None:
    log = tmp_path / "job.log"
    assert ended(state, log) == "job 7 was ended by told: signal 9 ended it"
    messages_file(log).write_text("Killed\n")
    assert ended(state, log) == "job 7 was ended by told: Killed"


def test_success_needs_the_file_of_the_script(tmp_path: Path) -> None:
    """Some batch systems tell 0 of a job that was cancelled, others nothing."""
    log = tmp_path / "job.log"
    for code in (0, None):
        assert ended(JobState(ENDED, exit_code=code), log) is None
    exit_file(log).write_text("0\n")
    assert ended(JobState(ENDED), log) == ""


def test_a_job_that_is_forgotten_and_left_no_file_has_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server of Flux that was killed knows nothing of its jobs when it is started again."""
    monkeypatch.setattr("weir.site.schedulers.executors.SEEN_LATE_S", 0.0)
    log = tmp_path / "job.log"
    assert ended(JobState(ENDED), log) == "job 7 was ended by told: it knows nothing of this job any more"
    messages_file(log).write_text("flux-shell[0]: FATAL: input.kvs: Function not implemented\n")
    failure = ended(JobState(ENDED), log)
    assert failure is not None
    assert "it knows nothing of this job any more; flux-shell[0]: FATAL: input.kvs" in failure


def test_the_code_of_the_script_is_told(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    assert ended(JobState(ENDED, exit_code=3), log) == "job 7 ended with exit code 3"
    exit_file(log).write_text("3\n")
    assert ended(JobState(ENDED), log) == "job 7 ended with exit code 3"


def test_what_an_earlier_job_left_beside_the_log_tells_nothing_of_the_next(tmp_path: Path) -> None:
    """A job whose prologue fails never comes to its script, which would remove it."""
    log = tmp_path / "job.log"
    exit_file(log).write_text("0\n")
    messages_file(log).write_text("an earlier job's\n")
    assert submit(Told(None), Request(1, 60, 1), JobFiles("weir_x", tmp_path / "job.sh", log)) == "7"
    told = flux_state((GOLDEN / "flux" / "prologue.json").read_text())
    failure = ended(told, log)
    assert failure == "job 7 was ended by told: prolog: prolog exited with code=1 on unknown (rank (null))"
    assert not messages_file(log).exists()


NOISE = "bash: warning: setlocale: LC_ALL: cannot change locale (C.utf8)\n"


@pytest.mark.parametrize(
    ("name", "command", "capture"),
    [("gridengine", "qstat", "gridengine/qstat-f.xml"), ("flux", "flux", "flux/running.json")],
)
def test_a_warning_before_the_answer_hides_no_job(
    name: str, command: str, capture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site's own commands are scripts around those of the batch system. A job that is held for over while
    it runs is submitted once more, and measures beside itself."""
    write_program(tmp_path / command, f"#!/bin/sh\nprintf '{NOISE}' >&2\ncat '{GOLDEN / capture}'\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    state = scheduler(name).state("1")
    assert state is not None
    assert state.phase == RUNNING
    write_program(tmp_path / command, "#!/bin/sh\necho '<job_info>is being mended'\n")
    assert scheduler(name).state("1") is None


@pytest.mark.parametrize(
    ("name", "printed", "job"),
    [
        ("pbs", "Project ab1 has 5 kSU left\n\n12345.pbs-01\n", "12345.pbs-01"),
        ("gridengine", "Welcome to all.q: mind the quota\n17\n", "17"),
        ("flux", "queue pbatch is full\nf2KwTjEw\n", "f2KwTjEw"),
        ("pbs", "12345.pbs-01\n", "12345.pbs-01"),
        ("pbs", "queue is closed today\n", ""),
    ],
)
def test_what_a_site_prints_before_the_id_of_a_job_is_not_its_id(name: str, printed: str, job: str) -> None:
    assert scheduler(name).submitted(printed) == job


def test_bytes_that_are_not_utf8_in_a_reply_end_nothing() -> None:
    """PBS prints the variables of a job as they were submitted, and a wrapper of sbatch its greeting."""
    assert reply(["printf", r"7 M\374ller 3\n"]) == (0, "7 M\ufffdller 3\n")
