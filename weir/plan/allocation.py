"""The jobs of a plan: cells packed into as many as end, with a margin, before the partition's limit ends a
job, and the allocation of each. Whether the batch systems would take the jobs.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from weir.base.errors import ConfigError, Problem
from weir.plan.expand import PlannedCell
from weir.plan.model import CLEAN_UP_S, Batch, Plan
from weir.plan.totals import added_span
from weir.records.model import Partition, root_of
from weir.site.schedulers import Answer, Request, Scheduler, scheduler

# The cost card guesses about an unknown machine: a job that ends early costs nothing, one that is cut costs
# another wait in the queue.
MARGIN = 2.0
OVERHEAD_S = 300.0  # two Pythons and ReFrame start on a file system that others use, too
_OVERHEAD_OF_LIMIT = 0.1  # no more than this part of a short limit


def overhead_s(partition: Partition) -> float:
    """The time of a job beside running programs."""
    return min(OVERHEAD_S, _OVERHEAD_OF_LIMIT * partition.time_limit_s or OVERHEAD_S)


def packed(items: Sequence[PlannedCell], partition: Partition) -> list[list[PlannedCell]]:
    """Jobs that are filled first-fit; an item that needs longer than the limit has a job of its own.

    Which job a cell gets is drawn by its id, not by its position in the plan: else small transfers would be
    measured on one day and large ones on another. Within a job the cells stand in the order of the plan.
    """
    if not partition.time_limit_s:
        return [list(items)]
    room_s = (partition.time_limit_s - overhead_s(partition)) / MARGIN
    left_s: list[float] = []
    job_of: dict[str, int] = {}
    needs_s: dict[str, float] = defaultdict(float)
    by_name = {item.cell.cell: item.cell for item in items}
    # A cell that checks another one is measured in the job of that one.
    owns = [root_of(item.cell, by_name).cell for item in items]
    for item, own in zip(items, owns, strict=True):
        needs_s[own] += item.span.expected_s * item.cell.rounds + added_span([item]).expected_s
    for cell, need_s in sorted(needs_s.items()):
        job = next((job for job, left in enumerate(left_s) if need_s <= left), len(left_s))
        if job == len(left_s):
            left_s.append(room_s)
        left_s[job] -= need_s
        job_of[cell] = job
    jobs: list[list[PlannedCell]] = [[] for _ in left_s]
    for item, own in zip(items, owns, strict=True):
        jobs[job_of[own]].append(item)
    return jobs


# Failed nodes and preemptions after which a batch goes to the queue once more.
EXTRA_JOBS = 2


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
    """Resources of one batch, as its scheduler names them for Snakemake."""
    return scheduler(partition.scheduler).resources(request_of(batch, partition))


def request_of(batch: Batch, partition: Partition) -> Request:
    return Request(
        batch.nodes,
        time_s(batch, partition),
        partition.cores_per_node,
        partition.launcher,
        partition.scheduler_options,
    )


def time_s(batch: Batch, partition: Partition) -> float:
    """Time to request: the estimate with a margin, within the partition's limit."""
    longest_s = max(cell.timeout_s for cell in batch.cells)
    wanted = max((batch.estimated_s + batch.added_s) * MARGIN, longest_s) + overhead_s(partition)
    return min(wanted, partition.time_limit_s) if partition.time_limit_s else wanted


def retries(plan: Plan) -> int:
    """The number of times that a batch may go back to the queue: until all of it fits, and twice more for
    failed nodes.

    A retry runs only what is missing, so it is safe; without a queue nothing is gained by trying again.
    """
    places = [(batch, plan.site.partitions[batch.partition]) for batch in plan.batches]
    jobs = [_jobs(batch, partition) for batch, partition in places if scheduler(partition.scheduler).queued]
    return max(jobs) - 1 + EXTRA_JOBS if jobs else 0


def _jobs(batch: Batch, partition: Partition) -> int:
    """The number of jobs for a batch: an execution with a limit like a job's must be the first of a job."""
    expected_s = batch.estimated_s + batch.added_s
    by_time = math.ceil(expected_s * MARGIN / time_s(batch, partition))
    rest_s = partition.time_limit_s - overhead_s(partition) - CLEAN_UP_S
    first = [cell.rounds for cell in batch.cells if partition.time_limit_s and cell.timeout_s > rest_s]
    return max(by_time, sum(first))


def admission(plan: Plan, batches: Sequence[Batch]) -> list[str]:
    """Notes on delays of these batches; raises ConfigError for jobs that would never start."""
    problems: list[Problem] = []
    notes: list[str] = []
    for name, partition in plan.site.partitions.items():
        jobs = [batch for batch in batches if batch.partition == name]
        system = scheduler(partition.scheduler)
        if jobs and system.can_submit():
            answer = largest_job(system, plan, name, jobs)
            file = f"config/sites/{plan.site.name}/site.yaml"
            problems += [each.at(file, None, f"partitions.{name}.{each.key}") for each in answer.problems]
            notes += [f"weir: partition {name}: {answer.note}"] if answer.note else []
    if problems:
        raise ConfigError(problems)
    return notes


def largest_job(system: Scheduler, plan: Plan, partition: str, jobs: Sequence[Batch]) -> Answer:
    """The scheduler's reply to one job with the most nodes and the longest time of all."""
    requests = [request_of(batch, plan.site.partitions[partition]) for batch in jobs]
    return system.judge(
        max(requests, key=lambda each: each.nodes).with_time(max(each.time_s for each in requests))
    )
