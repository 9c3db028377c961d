"""A job of Slurm: what it requests, in the resources of Snakemake's executor, and when it ends."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from weir.site.schedulers.base import Request

# All jobs of one snakemake have its name: they wait in the queue together and run one at a time, since two
# batches at once would measure each other.
ONE_AFTER_THE_OTHER = "--dependency=singleton"
# A job that Slurm starts again must not wipe out the log of the first time.
KEEP_THE_LOG = "--open-mode=append"

# Options of sbatch that the executor has a resource for, and refuses in slurm_extra.
RESOURCE_OF_OPTION = {
    "--account": "slurm_account",
    "-A": "slurm_account",
    "--partition": "slurm_partition",
    "-p": "slurm_partition",
    "--qos": "qos",
    "-q": "qos",
    "--constraint": "constraint",
    "-C": "constraint",
    "--mem": "mem_mb",
    "--clusters": "clusters",
    "-M": "clusters",
}


def minutes_of(request: Request) -> int:
    return math.ceil(request.time_s / 60)


def resources(request: Request) -> dict[str, Any]:
    """Whole nodes for a batch.

    `mpi` keeps the executor from wrapping the job in an srun, which would leave the batch one core.
    """
    found = named_options([*request.options, ONE_AFTER_THE_OTHER, KEEP_THE_LOG])
    found["nodes"] = request.nodes
    found["runtime"] = minutes_of(request)
    if request.cores_per_node > 1:
        found["mpi"] = request.launcher
        found["tasks_per_node"] = request.cores_per_node
    return found


def named_options(options: Sequence[str]) -> dict[str, Any]:
    """Options of sbatch as resources; what the executor has no name for goes to slurm_extra."""
    found: dict[str, Any] = {}
    others: list[str] = []
    rest = iter(options)
    for each in rest:
        option, equals, value = each.partition("=")
        name = RESOURCE_OF_OPTION.get(option)
        if name is None:
            others.append(shlex.quote(each))
        elif equals:
            found[name] = value
        else:
            found[name] = next(rest, "")
    if others:
        found["slurm_extra"] = " ".join(others)
    return found


def allocation_end(environment: Mapping[str, str], ask: Callable[[Sequence[str]], str]) -> float | None:
    """Seconds since 1970; None outside of an allocation, or in one without an end."""
    job = environment.get("SLURM_JOB_ID")
    if job is None:
        return None
    known = environment.get("SLURM_JOB_END_TIME", "")  # since Slurm 23
    if known.isdigit():
        return float(known)
    return _seconds(ask(["squeue", "--noheader", f"--jobs={job}", "--format=%e"]).strip())


def is_alive(job: str, ask: Callable[[Sequence[str]], tuple[int, str]]) -> bool | None:
    """squeue knows running jobs; of one that it has forgotten it prints that the id is invalid."""
    code, text = ask(["squeue", "--noheader", f"--jobs={job}", "--states=all", "--format=%T"])
    if code:
        return False if "invalid job id" in text.lower() else None
    return any(state in ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED") for state in text.split())


def _seconds(text: str) -> float | None:
    """squeue prints local time, or N/A and the like for a job without limit."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
