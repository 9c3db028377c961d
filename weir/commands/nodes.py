"""weir nodes: the same short work on every node of an allocation; a node that is slow bends every number."""

import argparse
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from weir.base.errors import WeirError, require_at_least, require_known
from weir.base.files import as_json
from weir.base.options import Parser
from weir.base.storage_calls import in_time
from weir.base.units import few
from weir.measure.clean_up.prepared_target import prepared
from weir.measure.nodes import FACTOR, LEAST_NODES, NodeTimes, Slow, names_of, probe_nodes, slow_nodes
from weir.measure.preflight import Check, check_folder, check_mount
from weir.plan.config.sites import load_site
from weir.plan.config.sources import add_config_dir, find_sources
from weir.records.model import Target
from weir.site.schedulers import Scheduler, scheduler

NAME = "nodes"
GROUP = "measure"
HELP = "compare the nodes of a partition by a few seconds of the same work on each"
EXAMPLE = "weir nodes --site sandbox --partition debug --target disk"
EXIT_1 = "a slow node"
Named = TypeVar("Named")
_MOST_OTHERS = 20  # nodes that are not slow: with the slow ones a screen


def add_arguments(parser: Parser) -> None:
    add_config_dir(parser)
    parser.value("--site", "SITE", "folder in config/sites", required=True)
    parser.value("--partition", "PARTITION", "partition, by default the site's first")
    parser.value("--target", "TARGET", "also time a small file on this target")
    parser.value(
        "--nodes", "NODES", "number of nodes; by default those of the allocation or partition", type=int
    )
    parser.value("--factor", "FACTOR", "slow is this many times the median", type=float, default=FACTOR)
    parser.flag("--json", "print the times as JSON")


def execute(args: argparse.Namespace) -> int:
    require_at_least("--factor", args.factor, 1, "1 or more, such as 1.5")
    if args.nodes is not None:
        require_at_least("--nodes", args.nodes, 1, "1 or more")
    site, _ = load_site(find_sources(args.config_dir), args.site)
    partition = _named(site.partitions, args.partition or next(iter(site.partitions)), "--partition")
    target = _named(site.targets, args.target, "--target") if args.target else None
    system = scheduler(partition.scheduler)
    allocated = system.nodes(os.environ)
    nodes = args.nodes or allocated or partition.nodes
    queued = system.queued and allocated is None
    stack = site.stacks[partition.stacks[0]]
    scheduler_options = partition.scheduler_options if queued else None
    with prepared(target) if target else contextlib.nullcontext():
        folder = [_reachable(target)] if target else []
        probes = probe_nodes(partition.launcher, stack, nodes, folder, scheduler_options)
    slow = slow_nodes(probes, args.factor)
    if args.json:
        rows = [{"node": each.node} | {f"{kind}_s": s for kind, s in each.times_s.items()} for each in probes]
        print(as_json({"nodes": rows, "slow": [vars(item) for item in slow]}))
    else:
        _print(probes, slow, system)
    return 1 if slow else 0


def _checks(target: Target) -> list[Check]:
    checks = [check_mount(Path(target.mount))] if target.mount else []
    return [*checks, check_folder(Path(target.path))]


def _reachable(target: Target) -> str:
    for check in in_time(lambda: _checks(target), target.path):
        if check.problem:
            raise WeirError(f"target {target.name}: {check.problem}", hint=check.hint)
    return target.path


def _named(known: Mapping[str, Named], name: str, option: str) -> Named:
    require_known([name], known, "the site has no such name", key=option)
    return known[name]


def _print(probes: list[NodeTimes], slow: list[Slow], system: Scheduler) -> None:
    """The answer, then what was measured on each node."""
    if slow:
        print(f"{len(slow)} of {len(probes)} nodes are slow: {', '.join(names_of(slow))}")
        print(f"to measure without: {system.excluding(names_of(slow))}, and report it to the administrator")
    elif len(probes) < LEAST_NODES:
        print("fewer than three nodes: none can be called slow")
    else:
        print(f"no node stands out of {len(probes)}")
    for item in slow:
        print(item)
    kinds = sorted({kind for probe in probes for kind in probe.times_s})
    width = max(len(probe.node) for probe in probes)
    print(f"{'node':{width}}  " + "  ".join(f"{kind + ' ms':>12}" for kind in kinds))
    named = {item.node for item in slow}
    rows = [
        f"{probe.node:{width}}  " + "  ".join(f"{probe.times_s[kind] * 1e3:12.1f}" for kind in kinds)
        for probe in sorted(probes, key=lambda one: one.node not in named)
    ]
    print(*few(rows, len(named) + _MOST_OTHERS, "and {} more nodes: --json has all"), sep="\n")
