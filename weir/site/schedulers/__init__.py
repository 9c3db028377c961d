"""Batch systems, found by their files: weir/site/schedulers/<name>.py, or a package, defines a Scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from weir.base.errors import WeirError, did_you_mean
from weir.base.plugins import plugins
from weir.site.schedulers.base import Answer, Request, Scheduler

__all__ = ["Answer", "Request", "Scheduler", "scheduler", "schedulers", "surrounding"]


@cache
def schedulers() -> dict[str, Scheduler]:
    """All schedulers by the name that a site file uses."""
    found = plugins(__name__, "SCHEDULER", Scheduler)
    for name, candidate in found.items():
        if candidate.name != name:
            raise WeirError(
                f"the scheduler of weir/site/schedulers/{name} has the name '{candidate.name}'",
                hint=f"write name = '{name}'",
            )
    return found


def scheduler(name: str) -> Scheduler:
    """The scheduler of that name."""
    known = schedulers()
    if name not in known:
        raise WeirError(f"there is no scheduler '{name}'", hint=did_you_mean(name, known), exit_code=2)
    return known[name]


def surrounding(environment: Mapping[str, str]) -> Scheduler | None:
    """The scheduler whose job this process belongs to."""
    return next((each for each in schedulers().values() if each.job(environment) is not None), None)
