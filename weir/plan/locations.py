"""The locations where an experiment can run: targets of the site with its stacks, and partitions that reach
a geometry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from weir.plan.config import Config
from weir.plan.config.suite import Experiment
from weir.plan.config.suites import TARGET_FIELDS
from weir.terms.model import Partition, Site, Stack, Target


@dataclass(frozen=True)
class Location:
    """A target with a stack."""

    target: Target
    stack: Stack
    identity: Mapping[str, Any]  # the part of a cell's identity that is the location's
    cross_identity: Mapping[str, Any]  # the same for the program of the stack's cross_check
    names: Mapping[str, Any]  # what formulas and rules know of the location


@dataclass(frozen=True)
class Unreachable:
    """Why a geometry cannot run at a location."""

    cause: str
    reason: str


def locations(experiment: Experiment, config: Config) -> Iterator[Location]:
    """The chosen targets and stacks that the experiment wants."""
    for target in (config.site.targets[name] for name in config.targets):
        if experiment.targets and target.name not in experiment.targets:
            continue
        if experiment.kinds and target.kind not in experiment.kinds:
            continue
        for stack in (config.site.stacks[name] for name in config.stacks):
            if not experiment.stacks or stack.name in experiment.stacks:
                yield _location(target, stack, experiment.tool.name, config)


def _location(target: Target, stack: Stack, tool: str, config: Config) -> Location:
    written = config.identities.stacks[stack.name]
    identity, cross_identity = (
        {
            "site": config.site.name,
            "target": [target.name, config.identities.targets[target.name]],
            "stack": [stack.name, {**written, "programs": programs.get(tool)}],
        }
        for programs in (written["programs"], config.identities.cross_checks[stack.name])
    )
    names = {f"target.{key}": getattr(target, key) for key in TARGET_FIELDS}
    names |= {"target": target.name, "stack": stack.name}
    return Location(target, stack, identity, cross_identity, names)


def partition_for(location: Location, tool: str, nodes: int, ppn: int, site: Site) -> Partition | Unreachable:
    """The first partition that can run it, else why none can."""
    reached_by = location.target.stacks
    if reached_by and location.stack.name not in reached_by:
        which = f"the stack{'s' * (len(reached_by) > 1)} {' and '.join(reached_by)}"
        return Unreachable("stack", f"target {location.target.name} is reached by {which} only")
    if tool not in location.stack.programs:
        return Unreachable("program", f"stack {location.stack.name} has no program for the tool {tool}")
    fitting = [item for item in site.partitions.values() if location.stack.name in item.stacks]
    for partition in fitting:
        if nodes <= partition.nodes and ppn <= partition.max_ppn:
            return partition
    most = max(item.nodes for item in fitting)
    if nodes > most:
        return Unreachable("nodes", f"needs more than the {most} node{'s' * (most > 1)} of site {site.name}")
    most = max(item.max_ppn for item in fitting if nodes <= item.nodes)
    processes = f"{most} process{'es' * (most > 1)} per node"
    return Unreachable("ppn", f"needs more than the {processes} that site {site.name} allows (max_ppn)")
