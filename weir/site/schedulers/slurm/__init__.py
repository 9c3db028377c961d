"""Slurm, by sbatch, squeue, sinfo and scontrol; an accounting database is not needed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from weir.site.schedulers.base import Answer, Request, Scheduler
from weir.site.schedulers.commands import answer, ended, reply
from weir.site.schedulers.slurm.admission import judged
from weir.site.schedulers.slurm.allocation import allocation_end, is_alive, resources
from weir.site.schedulers.slurm.placement import placement


class Slurm(Scheduler):
    name = "slurm"
    description = "Slurm 22.05 or later"
    options = "options of sbatch: --account, --partition, --qos, --constraint, --exclusive, --switches ..."
    queued = True
    command = "sbatch"
    job_variable = "SLURM_JOB_ID"

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        count = environment.get("SLURM_JOB_NUM_NODES", "")
        return int(count) if count.isdigit() else None

    def node_list(self, environment: Mapping[str, str]) -> str | None:
        return environment.get("SLURM_JOB_NODELIST")

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        return allocation_end(environment, answer)

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        return placement(options, environment, answer)

    def is_alive(self, job: str) -> bool | None:
        return is_alive(job, reply)

    def judge(self, request: Request) -> Answer:
        return judged(request, reply)

    def resources(self, request: Request) -> dict[str, Any]:
        return resources(request)

    def excluding(self, nodes: Sequence[str]) -> str:
        return f"add --exclude={','.join(nodes)} to scheduler_options in site.yaml"

    def reframe_backend(self) -> str:
        return "slurm" if _remembers_jobs() else "squeue"  # ReFrame's slurm needs the accounting database

    def cancel(self, name: str) -> None:
        if shutil.which("scancel"):
            answer(["scancel", f"--user={os.geteuid()}", f"--name={name}"])

    def reframe_options(self, name: str) -> list[str]:
        # Nobody waits for a job that Slurm starts again after a failed node.
        return ["#SBATCH --no-requeue", *([f"#SBATCH --job-name={name}"] if name else [])]


@cache
def _remembers_jobs() -> bool:
    """Whether sacct answers: without slurmdbd it is installed, too, and fails."""
    return ended(["sacct", "--noheader", "--starttime=now"]).returncode == 0


SCHEDULER = Slurm()
