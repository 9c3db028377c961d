"""Where an experiment can run: targets of the site with its stacks, and partitions that reach a geometry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from weir.config import Config
from weir.config.suite import Experiment
from weir.config.suites import TARGET_FIELDS
from weir.model import Partition, Site, Stack, Target


@dataclass(frozen=True)
class Place:
    """A target with a stack."""

    target: Target
    stack: Stack
    identity: Mapping[str, Any]  # the part of a cell's identity that is the place's
    names: Mapping[str, Any]  # what formulas and rules know of the place


@dataclass(frozen=True)
class OutOfReach:
    """Why a geometry cannot run at a place."""

    cause: str
    reason: str


def places(experiment: Experiment, config: Config) -> Iterator[Place]:
    """The chosen targets and stacks that the experiment wants."""
    for target in (config.site.targets[name] for name in config.targets):
        if experiment.targets and target.name not in experiment.targets:
            continue
        if experiment.kinds and target.kind not in experiment.kinds:
            continue
        for stack in (config.site.stacks[name] for name in config.stacks):
            if not experiment.stacks or stack.name in experiment.stacks:
                yield _place(target, stack, experiment.tool.name, config)


def _place(target: Target, stack: Stack, tool: str, config: Config) -> Place:
    written = config.identities.stacks[stack.name]
    identity = {
        "site": config.site.name,
        "target": [target.name, config.identities.targets[target.name]],
        "stack": [stack.name, {**written, "programs": written["programs"].get(tool)}],
    }
    fields = {f"target.{key}": getattr(target, key) for key in TARGET_FIELDS}
    return Place(target, stack, identity, {**fields, "target": target.name, "stack": stack.name})


def partition_for(place: Place, tool: str, nodes: int, ppn: int, site: Site) -> Partition | OutOfReach:
    """The first partition that can run it, else why none can."""
    reached_by = place.target.stacks
    if reached_by and place.stack.name not in reached_by:
        which = f"the stack{'s' * (len(reached_by) > 1)} {' and '.join(reached_by)}"
        return OutOfReach("stack", f"target {place.target.name} is reached by {which} only")
    if tool not in place.stack.programs:
        return OutOfReach("program", f"stack {place.stack.name} has no program for the tool {tool}")
    fitting = [item for item in site.partitions.values() if place.stack.name in item.stacks]
    for partition in fitting:
        if nodes <= partition.nodes and ppn <= partition.max_ppn:
            return partition
    most = max(item.nodes for item in fitting)
    if nodes > most:
        return OutOfReach("nodes", f"needs more than the {most} node{'s' * (most > 1)} of site {site.name}")
    most = max(item.max_ppn for item in fitting if nodes <= item.nodes)
    processes = f"{most} process{'es' * (most > 1)} per node"
    return OutOfReach("ppn", f"needs more than the {processes} that site {site.name} allows")
