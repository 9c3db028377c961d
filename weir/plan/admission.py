"""Whether the batch systems of a site would take a plan's jobs, checked before any is submitted."""

from __future__ import annotations

from collections.abc import Sequence

from weir.base.errors import ConfigError, Problem
from weir.plan import Batch, Plan
from weir.plan.allocation import request_of
from weir.site.schedulers import Answer, Scheduler, scheduler


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
