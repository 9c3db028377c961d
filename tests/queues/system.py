"""What the tests need of a batch system beside its scheduler: one file each, which defines SYSTEM."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.queues.nodes import Cluster

if TYPE_CHECKING:
    from tests.queues.job import Job


def nothing(_: object) -> None: ...


@dataclass(frozen=True)
class Fault:
    """Caused before the job is submitted, or while it runs."""

    told: str  # what weir prints of it
    ends: bool  # the job; else it goes on when the fault is over
    before: Callable[[Cluster], object] = nothing
    during: Callable[[Job, str, str], object] | None = None  # of the job, the id of its process, its node
    after: Callable[[Cluster], object] = nothing
    lasts: bool = False  # until all is measured: without what it broke
    time_s: float = 900
    code: int = 0  # of the job itself


def killed(told: str) -> Fault:
    """As for want of memory."""
    return Fault(told, ends=True, during=lambda job, pid, _: job.cluster.out("kill", "-KILL", pid))


@dataclass(frozen=True)
class System:
    scheduler: str
    options: str  # scheduler_options of the site, separated by commas
    missing: Callable[[], str]  # why it cannot be started here, or nothing
    start: Callable[[Sequence[str]], Cluster]
    jobs: Callable[[Cluster], list[str]]  # that run
    cancel: Callable[[Cluster, str], object]
    cancelled: str  # the reason that is printed for a cancelled job
    launcher: str = "mpirun"
    faults: Mapping[str, Fault] = field(default_factory=dict)  # by the row of docs/how-to/cluster-jobs.md
