"""What the tests need of a batch system beside its scheduler: one file each, which defines SYSTEM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.queues.nodes import Cluster


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
