"""Finds nodes that are slower than the others, from what the probe measured on each."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weir.base.files import from_json

# Slower than this many times the median: far beyond what two runs of the probe on one node differ by.
FACTOR = 1.5
# Two nodes do not show which is slow and which fast; the median of three or more does.
LEAST_NODES = 3


@dataclass(frozen=True)
class Probe:
    """The times of one node."""

    node: str
    times_s: Mapping[str, float]


@dataclass(frozen=True)
class Slow:
    """A node that stands out, in the one kind of work."""

    node: str
    kind: str
    time_s: float
    median_s: float

    def __str__(self) -> str:
        ratio = self.time_s / self.median_s
        return f"{self.node}: {self.kind} takes {ratio:.1f} times the median of all nodes"


def read_probes(output: str) -> list[Probe]:
    """The lines of the probes among whatever else a launcher prints, by name of the node."""
    probes = []
    for line in output.splitlines():
        try:
            data = from_json(line)
            probes.append(Probe(data["node"], data["times_s"]))
        except (ValueError, KeyError, TypeError):
            continue
    return sorted(probes, key=lambda probe: probe.node)


def slow_nodes(probes: Iterable[Probe], factor: float = FACTOR) -> list[Slow]:
    """The nodes that take that many times the median in any kind of work; none of fewer than three."""
    probes = list(probes)
    if len(probes) < LEAST_NODES:
        return []
    found = []
    for kind in sorted({kind for probe in probes for kind in probe.times_s}):
        times = {probe.node: probe.times_s[kind] for probe in probes if kind in probe.times_s}
        median_s = statistics.median(times.values())
        found += [
            Slow(node, kind, time, median_s) for node, time in times.items() if time > factor * median_s
        ]
    return found


def names_of(slow: Iterable[Slow]) -> list[str]:
    """Each node once."""
    return sorted({item.node for item in slow})
