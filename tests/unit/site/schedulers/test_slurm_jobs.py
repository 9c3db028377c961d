"""Options of a site on the command by which Snakemake's executor submits a batch; whether a job is alive."""

import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.programs import write_program
from weir.site.schedulers import Request, scheduler
from weir.site.schedulers.slurm import SCHEDULER, named_options

OPTIONS = [
    ["--gres=gpu:4"],
    ["--gres", "gpu:a100:4,nvme:1"],
    ["--gpus=a100:4"],
    ["-G", "4"],
    ["--gpus-per-node=4"],
    ["--mem=0"],
    ["--mem", "240G"],
    ["--mem-per-cpu=3800M"],
    ["--reservation=two words"],
    ["--exclusive"],
    ["--reservation=io-June"],
    ["--nodelist", "gpu-c"],
    ["--exclude=node-n"],
    ["-wgpu-t"],
]


class _Resources(dict[str, object]):
    __getattr__ = dict.__getitem__


def submission(options: list[str]) -> list[str]:
    """The arguments of the command that the plug-in makes of the resources of a batch."""
    pytest.importorskip("snakemake_executor_plugin_slurm")
    from snakemake_executor_plugin_slurm.submit_string import get_submit_command
    from snakemake_executor_plugin_slurm.validation import validate_slurm_extra

    resources = _Resources(SCHEDULER.resources(Request(2, 600.0, 8, "srun", options)))
    # Snakemake refuses any other value of a resource with a unit before the plug-in sees it.
    texts = [name for name, value in resources.items() if name.startswith("mem_") and isinstance(value, str)]
    assert texts == []
    job = SimpleNamespace(resources=resources, threads=1)
    validate_slurm_extra(job)
    names = ("run_uuid", "slurm_logfile", "comment_str", "account", "partition", "workdir")
    return shlex.split(get_submit_command(job, dict.fromkeys(names, "")))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_what_a_centre_demands_of_each_job_reaches_sbatch(options: list[str]) -> None:
    arguments = submission(options)
    assert "=".join(options) in arguments or " ".join(options) in " ".join(arguments)
    assert "--ntasks-per-node=8" in arguments


@pytest.mark.parametrize("options", [["-pshort", "-Aio"], ["-p", "short", "--account=io"]], ids=" ".join)
def test_the_partition_is_known_however_it_is_written(options: list[str]) -> None:
    """A job beyond its limits is refused before it is submitted."""
    assert named_options(options) == {"slurm_partition": "short", "slurm_account": "io"}


@pytest.mark.parametrize(("cluster", "is_beyond"), [("--clusters=far", False), ("-Mfar", False), ("", True)])
def test_a_job_is_held_against_the_partition_of_its_own_cluster(
    cluster: str, is_beyond: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = 'case "$*" in *--clusters=far*) echo "CLUSTER: far" && echo infinite 64 ;; *) echo 10:00 2 ;; esac'
    write_program(tmp_path / "sinfo", f"#!/bin/sh\n{far}\n")
    write_program(tmp_path / "sbatch", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    options = ["--partition=debug", *filter(None, [cluster])]
    answer = SCHEDULER.judge(Request(8, 6000.0, 8, "srun", options))
    assert bool(answer.problems) is is_beyond


def test_an_option_and_its_value_are_one_line_of_the_script_of_reframe() -> None:
    """The file of a site has them as two arguments, or as one."""
    options = ["-p", "debug", "--exclusive", "--mem", "0", "--reservation", "two words", "--account=a"]
    lines = SCHEDULER.reframe_access(options)
    assert lines == ["-p debug", "--exclusive", "--mem 0", "--reservation 'two words'", "--account=a"]
    assert scheduler("pbs").reframe_access(["-q", "workq"]) == ["-q", "workq"]  # weir's own back end


@pytest.mark.parametrize(
    ("printed", "code", "is_alive"),
    [
        ("RUNNING", 0, True),
        ("COMPLETED", 0, False),
        ("slurm_load_jobs error: Invalid job id specified", 1, False),
        ("", 0, None),
        ("slurm_load_jobs error: Unable to contact slurm controller", 1, None),
    ],
)
def test_a_job_that_squeue_hides_may_be_alive(
    printed: str, code: int, is_alive: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by SQUEUE_PARTITION of the user: a target whose holder counts as gone is measured twice at once."""
    write_program(tmp_path / "squeue", f"#!/bin/sh\necho '{printed}'\nexit {code}\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert SCHEDULER.is_alive("7") is is_alive
