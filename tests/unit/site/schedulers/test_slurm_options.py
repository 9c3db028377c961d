"""Options of a site on the command by which Snakemake's executor submits a batch."""

from __future__ import annotations

import shlex
from types import SimpleNamespace

import pytest

from weir.site.schedulers import Request
from weir.site.schedulers.slurm import SCHEDULER

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
    command = submission(options)
    assert "=".join(options) in command or " ".join(options) in " ".join(command)
    assert "--ntasks-per-node=8" in command
