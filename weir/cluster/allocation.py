"""What a batch asks of Slurm, in the words of Snakemake's executor: a job is an allocation, not a cell."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from weir.cluster.deadline import CLEAN_UP_S
from weir.model import Partition
from weir.plan import Batch, Plan
from weir.plan.packing import MARGIN, overhead_s

FOR_WHAT_CLUSTERS_DO = 2

# All jobs of one snakemake have its name: they wait in the queue together and run one at a time, since two
# batches at once would measure each other.
ONE_AFTER_THE_OTHER = "--dependency=singleton"
# A job that Slurm starts again must not wipe out what its log says of the first time.
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


class Wildcards(Protocol):
    batch: str


def allocations(plan: Plan) -> dict[str, Callable[[Wildcards], Any]]:
    """Resources of the rule that measures a batch; none where no partition has a queue."""
    wanted = {batch.batch: allocation(batch, plan.site.partitions[batch.partition]) for batch in plan.batches}
    names = sorted({name for resources in wanted.values() for name in resources})
    return {name: _resource(name, wanted) for name in names}


def _resource(name: str, wanted: Mapping[str, Mapping[str, Any]]) -> Callable[[Wildcards], Any]:
    def of(wildcards: Wildcards) -> Any:
        return wanted[wildcards.batch].get(name)

    return of


def allocation(batch: Batch, partition: Partition) -> dict[str, Any]:
    """Whole nodes for the batch; empty for a partition without a queue.

    `mpi` keeps the executor from wrapping the job in an srun, which would leave the batch one core.
    """
    if partition.scheduler != "slurm":
        return {}
    resources = scheduler_resources([*partition.scheduler_options, ONE_AFTER_THE_OTHER, KEEP_THE_LOG])
    resources["nodes"] = batch.nodes
    resources["runtime"] = math.ceil(time_s(batch, partition) / 60)
    if partition.cores_per_node > 1:
        resources["mpi"] = partition.launcher
        resources["tasks_per_node"] = partition.cores_per_node
    return resources


def time_s(batch: Batch, partition: Partition) -> float:
    """Time to ask for: the estimate with a margin, within the partition's limit."""
    longest_s = max(cell.timeout_s for cell in batch.cells)
    wanted = max(batch.estimated_s * MARGIN, longest_s) + overhead_s(partition)
    return min(wanted, partition.time_limit_s) if partition.time_limit_s else wanted


def retries(plan: Plan) -> int:
    """How often a batch may go back to the queue: until all of it fits, and twice for what clusters do.

    A retry runs only what is missing, so it is safe; without a queue nothing is gained by trying again.
    """
    places = [(batch, plan.site.partitions[batch.partition]) for batch in plan.batches]
    jobs = [_jobs(batch, partition) for batch, partition in places if partition.scheduler == "slurm"]
    return max(jobs) - 1 + FOR_WHAT_CLUSTERS_DO if jobs else 0


def _jobs(batch: Batch, partition: Partition) -> int:
    """In how many the batch is measured: an execution with a limit like a job's must be the first of one."""
    by_time = math.ceil(batch.estimated_s * MARGIN / time_s(batch, partition))
    rest_s = partition.time_limit_s - overhead_s(partition) - CLEAN_UP_S
    first = [cell.rounds for cell in batch.cells if partition.time_limit_s and cell.timeout_s > rest_s]
    return max(by_time, sum(first))


def scheduler_resources(scheduler_options: Sequence[str]) -> dict[str, Any]:
    """The site's options of sbatch as resources; what the executor has no name for goes to slurm_extra."""
    resources: dict[str, Any] = {}
    rest: list[str] = []
    words = iter(scheduler_options)
    for word in words:
        option, equals, value = word.partition("=")
        name = RESOURCE_OF_OPTION.get(option)
        if name is None:
            rest.append(shlex.quote(word))
        elif equals:
            resources[name] = value
        else:
            resources[name] = next(words, "")
    if rest:
        resources["slurm_extra"] = " ".join(rest)
    return resources
