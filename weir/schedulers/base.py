"""What weir needs to know of a batch system. A scheduler is a file here that defines SCHEDULER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weir.errors import Problem


@dataclass(frozen=True)
class Request:
    """The allocation that a batch needs: whole nodes for a time."""

    nodes: int
    time_s: float
    cores_per_node: int
    launcher: str
    options: Sequence[str] = ()  # scheduler_options of the site

    def with_time(self, time_s: float) -> Request:
        return replace(self, time_s=time_s)


@dataclass(frozen=True)
class Answer:
    """What a batch system replies to a request that is not submitted."""

    problems: Sequence[Problem] = field(default=())  # it would never start; keys are those of the partition
    note: str = ""  # it would not start today


class Scheduler:
    """The defaults are those of a machine without a queue."""

    name = ""
    description = ""
    options = "none"  # what scheduler_options may hold
    queued = False  # whether a job waits for its nodes

    # Around this process.

    def job(self, environment: Mapping[str, str]) -> str | None:
        """The job that this process belongs to; None outside of one."""
        return None

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        """How many nodes that job has."""
        return None

    def node_list(self, environment: Mapping[str, str]) -> str | None:
        """Their names, in the notation of the batch system."""
        return None

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        """When that job is over, in seconds since 1970; None for no end."""
        return None

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        """Nodes requested and received, for run.json."""
        return None

    def is_alive(self, job: str) -> bool | None:
        """Whether a job still runs; None if nothing tells."""
        return None

    # Before a job.

    def judge(self, request: Request) -> Answer:
        """Whether it would be taken and could start."""
        return Answer()

    def resources(self, request: Request) -> dict[str, Any]:
        """The request as resources of Snakemake's executor; empty: the rule runs where snakemake does."""
        return {}

    def can_submit(self) -> bool:
        """Whether jobs can be submitted from here."""
        return False

    # For ReFrame.

    def cancel(self, name: str) -> None:
        """End the jobs of this user that have the name."""

    def reframe_backend(self) -> str:
        """The name of ReFrame's scheduler."""
        return "local"

    def reframe_options(self, name: str) -> list[str]:
        """Directives that every job script needs; name: of the job, unless it is empty."""
        return []
