"""weir nodes: the same short work on every node of an allocation; a node that is slow bends every number."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from weir.cluster.nodes import FACTOR, Probe, Slow, read_probes, slow_nodes
from weir.config.sites import load_site
from weir.errors import WeirError, did_you_mean
from weir.launch import applied, launcher
from weir.model import Partition, Site, Stack

NAME = "nodes"
HELP = "compare the nodes of a partition by a few seconds of the same work on each"
EXAMPLE = "weir nodes --site sandbox --partition debug --target disk"
_LIMIT_S = 600.0
Named = TypeVar("Named")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", required=True, help="folder in config/sites")
    parser.add_argument("--partition", help="the site's first one if left out")
    parser.add_argument("--target", help="write a small file there, too")
    parser.add_argument(
        "--nodes", type=int, help="how many; of the allocation, or of the partition, if left out"
    )
    parser.add_argument("--factor", type=float, default=FACTOR, help="slow is this many times the median")
    parser.add_argument("--json", action="store_true", help="print the times as JSON")


def execute(args: argparse.Namespace) -> int:
    site, _ = load_site(Path.cwd(), args.site)
    partition = _named(site.partitions, args.partition or next(iter(site.partitions)), "--partition")
    folder = [_named(site.targets, args.target, "--target").path] if args.target else []
    allocated = os.environ.get("SLURM_JOB_NUM_NODES")
    nodes = args.nodes or int(allocated or partition.nodes)
    probes = _probe(site, partition, nodes, folder, inside=allocated is not None)
    slow = slow_nodes(probes, args.factor)
    if args.json:
        rows = [{"node": each.node} | {f"{kind}_s": s for kind, s in each.times_s.items()} for each in probes]
        print(json.dumps({"nodes": rows, "slow": [vars(item) for item in slow]}, indent=1))
    else:
        _print(probes, slow)
    return 1 if slow else 0


def _named(known: Mapping[str, Named], name: str, option: str) -> Named:
    if name not in known:
        mend = did_you_mean(name, known)
        raise WeirError("the site has no such name", key=option, value=name, mend=mend, exit_code=2)
    return known[name]


def _probe(site: Site, partition: Partition, nodes: int, folder: list[str], inside: bool) -> list[Probe]:
    """One probe on each node; outside of an allocation srun asks for one by itself."""
    stack: Stack = site.stacks[partition.stacks[0]]
    start = launcher(partition.launcher)
    words = start.command(nodes, 1, stack.launcher_options, {})
    if partition.scheduler == "slurm" and not inside:
        # There is no outer step to overlap with, and a job of its own may ask for whole nodes.
        words = [word for word in words if word != "--overlap"] + list(partition.access)
    words += [sys.executable, "-m", "weir.cluster.probe", *folder]
    environment = applied(os.environ, start.environment(os.environ), stack.environment)
    try:
        ended = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WeirError(f"the probes did not run: {error}", mend="weir nodes runs where srun does") from None
    probes = read_probes(ended.stdout)
    if len(probes) != nodes:
        said = ended.stderr.strip().splitlines()
        raise WeirError(f"{len(probes)} of {nodes} nodes answered: {said[0] if said else 'no message'}")
    return probes


def _print(probes: list[Probe], slow: list[Slow]) -> None:
    kinds = sorted({kind for probe in probes for kind in probe.times_s})
    width = max(len(probe.node) for probe in probes)
    print(f"{'node':{width}}  " + "  ".join(f"{kind + ' ms':>12}" for kind in kinds))
    for probe in probes:
        print(f"{probe.node:{width}}  " + "  ".join(f"{probe.times_s[kind] * 1e3:12.1f}" for kind in kinds))
    for item in slow:
        print(item)
    if slow:
        names = ",".join(sorted({item.node for item in slow}))
        print(f"to measure without: add --exclude={names} to access in site.yaml, and tell the administrator")
    elif len(probes) < 3:
        print("fewer than three nodes: none can be called slow")
    else:
        print("no node stands out")
