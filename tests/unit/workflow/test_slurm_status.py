"""The executor that Snakemake has loaded asks Slurm until it replies, and by the command of the profile."""

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.programs import write_program
from weir.workflow import slurm_status
from weir.workflow.slurm_status import wait_for_replies

plug_in: ModuleType = pytest.importorskip("snakemake_executor_plugin_slurm")


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """squeue and scontrol that fail until the file `up` is there."""
    for name, reply in (("squeue", "7|RUNNING"), ("scontrol", "MinJobAge = 300 sec")):
        write_program(
            tmp_path / name,
            f"#!/bin/sh\necho >> '{tmp_path}/calls'\n[ -e '{tmp_path}/up' ] && echo '{reply}'\n",
        )
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    write_program(tmp_path / "scancel", f'#!/bin/sh\necho "$@" >> "{tmp_path}/cancelled"\n')
    for name in ("query_job_status", "get_min_job_age"):
        monkeypatch.setattr(plug_in, name, getattr(plug_in, name))
    for name in ("cancel_jobs", "check_active_jobs"):
        monkeypatch.setattr(plug_in.Executor, name, getattr(plug_in.Executor, name))
    monkeypatch.setattr(slurm_status, "_CANCELLED", threading.Event())
    return tmp_path


class Log:
    def debug(self, *_: object) -> None: ...


def job(number: str, **resources: str) -> SimpleNamespace:
    return SimpleNamespace(external_jobid=number, job=SimpleNamespace(resources=resources))


def test_a_question_is_repeated_until_slurm_replies(slurm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wait_for_replies(pause_s=0.05)

    async def question() -> dict[str, str]:
        replied = asyncio.create_task(plug_in.query_job_status("squeue", Log()))
        while not (slurm / "calls").exists() or len((slurm / "calls").read_text()) < 3:
            await asyncio.sleep(0.01)
        (slurm / "up").touch()
        states, _ = await replied
        return dict(states)

    assert asyncio.run(question()) == {"7": "RUNNING"}
    assert capsys.readouterr().err.count("asking again") == 1


def test_a_job_that_slurm_has_forgotten_counts_as_failed(
    slurm: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slurmctld that was killed may not have saved it; only squeue shows every job that there is."""
    (slurm / "up").touch()

    async def check(executor: object, active_jobs: list[SimpleNamespace]) -> AsyncIterator[dict[str, str]]:
        for command in ("squeue --name a", "sacct --name a"):
            states, _ = await plug_in.query_job_status(command, Log())
            yield dict(states)

    async def seen(*jobs: str) -> list[dict[str, str]]:
        return [one async for one in plug_in.Executor.check_active_jobs(None, [job(one) for one in jobs])]

    monkeypatch.setattr(plug_in.Executor, "check_active_jobs", check)
    write_program(slurm / "sacct", (slurm / "squeue").read_text())
    wait_for_replies(forgotten_s=0.2)
    known = {"7": "RUNNING"}
    assert asyncio.run(seen("7", "8")) == [known, known]
    time.sleep(0.2)
    assert asyncio.run(seen("7", "8")) == [known | {"8": "FAILED"}, known]
    assert capsys.readouterr().err == "weir: Slurm does not know job 8 any more; it counts as failed\n"
    assert asyncio.run(seen("9")) == [known, known]  # it was submitted just now


@pytest.mark.parametrize(
    ("reason", "hint"),
    [("PartitionDown", ""), ("launch failed requeued held", "; it starts after: scontrol release 7")],
)
@pytest.mark.parametrize("program", ["squeue", "sacct"])
def test_why_a_job_waits_is_told_once_where_other_jobs_are_not_the_reason(
    slurm: Path, capsys: pytest.CaptureFixture[str], program: str, reason: str, hint: str
) -> None:
    """A partition that is down takes jobs, and starts none. squeue tells it with the states: one question."""
    replies = {
        "*%T:%r*": f"7|PENDING:{reason}\\n8|PENDING:Priority\\n9|RUNNING:None\\n",
        "*%r*": f"7|{reason}\\n8|Priority\\n",
        "*": "7|PENDING\\n8|PENDING\\n9|RUNNING\\n",
    }
    cases = " ".join(f"{pattern}) printf '{reply}' ;;" for pattern, reply in replies.items())
    for name in ("squeue", "sacct"):
        write_program(slurm / name, f"#!/bin/sh\necho {name} >>{slurm}/calls\ncase $* in {cases} esac\n")
    wait_for_replies()
    command = getattr(plug_in, f"query_job_status_{program}")("weir_4711")
    for _ in range(2):
        found, _ = asyncio.run(plug_in.query_job_status(command, Log()))
        assert dict(found) == {"7": "PENDING", "8": "PENDING", "9": "RUNNING"}
    assert capsys.readouterr().err == f"weir: job 7 is waiting: {reason}{hint}\n"
    calls = ["squeue"] if program == "squeue" else ["sacct", "squeue"]
    assert (slurm / "calls").read_text().split() == 2 * calls


def test_the_command_of_the_profile_stays_while_slurm_does_not_reply(slurm: Path) -> None:
    wait_for_replies()
    assert plug_in.get_min_job_age() == math.inf
    (slurm / "up").touch()
    assert plug_in.get_min_job_age() == 300


def test_jobs_that_are_on_no_list_are_cancelled_too(slurm: Path) -> None:
    """Snakemake asks about them at this moment: TERM then let a job run to its end."""
    wait_for_replies(pause_s=0.05)
    executor = SimpleNamespace(run_uuid="weir_4711", _submitted_job_clusters=set(), logger=Log())
    plug_in.Executor.cancel_jobs(executor, [])
    assert (slurm / "cancelled").read_text() == "--me --name=weir_4711\n"
    assert asyncio.run(plug_in.query_job_status("squeue", Log())) == (None, None)  # requested once more


def test_a_job_on_another_cluster_is_looked_for_and_cancelled_there(
    slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By --clusters of the site. squeue without it lists no such job, which was then submitted again."""

    async def check(executor: object, active_jobs: list[SimpleNamespace]) -> AsyncIterator[dict[str, str]]:
        yield (await plug_in.query_job_status("squeue --name a", Log()))[0]

    async def seen(*jobs: SimpleNamespace) -> list[dict[str, str]]:
        return [one async for one in plug_in.Executor.check_active_jobs(None, [*jobs])]

    monkeypatch.setattr(plug_in.Executor, "check_active_jobs", check)
    far = 'case "$*" in *--clusters=far*) printf "CLUSTER: far\\n8|RUNNING\\n" ;; *) echo "7|RUNNING" ;; esac'
    write_program(slurm / "squeue", f"#!/bin/sh\n{far}\n")
    wait_for_replies(forgotten_s=0)
    assert asyncio.run(seen(job("7"), job("8", clusters="far"))) == [{"7": "RUNNING", "8": "RUNNING"}]
    executor = SimpleNamespace(run_uuid="weir_4711", _submitted_job_clusters={"far"}, logger=Log())
    plug_in.Executor.cancel_jobs(executor, [])
    assert "--clusters=far --me --name=weir_4711\n" in (slurm / "cancelled").read_text()


def test_what_the_user_lists_by_default_hides_no_job(slurm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """squeue lists no job of another partition, though it is named: it was submitted a second time."""
    monkeypatch.setenv("SQUEUE_PARTITION", "gpu")
    write_program(slurm / "squeue", '#!/bin/sh\n[ -n "$SQUEUE_PARTITION" ] || echo "7|RUNNING"\n')
    wait_for_replies()
    states, _ = asyncio.run(plug_in.query_job_status("squeue", Log()))
    assert states == {"7": "RUNNING"}
