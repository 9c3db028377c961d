"""Whether the nodes of an allocation are alike: the same short work on each, and which took longer.

python -m weir.measure.nodes [FOLDER] is started once on each node, as programs are started there. It prints
one line of JSON: the best of three, since what else happens on a node for a moment does not describe it.
"""

import hashlib
import json
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from weir.base.errors import WeirError
from weir.base.files import from_json
from weir.base.processes import run_to_end
from weir.records.model import Stack
from weir.site.launchers import launcher, start_of
from weir.site.schedulers import surrounding

# Slower than this many times the median: far beyond what two runs of the probe on one node differ by.
FACTOR = 1.5
# Two nodes do not show which is slow and which fast; the median of three or more does.
LEAST_NODES = 3
_LIMIT_S = 600.0
MIB = 2**20
_TRIES = 3


@dataclass(frozen=True)
class NodeTimes:
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


def compared(
    starter: str, stack: Stack, nodes: int, folder: str, is_to_stop: bool, report: Callable[[str], None]
) -> list[Slow] | None:
    """The slow nodes before the first cell, since each bends all numbers; None where they were not compared.
    A site may want the batch to stop for them."""
    try:
        slow = slow_nodes(probe_nodes(starter, stack, nodes, [folder]))
    except WeirError as error:
        report(f"the nodes were not compared: {error}")
        return None
    if slow and is_to_stop:
        system = surrounding(os.environ)
        without = f"{system.excluding(names_of(slow))}, or " if system else ""
        raise WeirError("; ".join(map(str, slow)), hint=f"{without}write slow_nodes: report")
    for item in slow:
        report(f"slow node {item}")
    return slow


def probe_nodes(
    starter: str,
    stack: Stack,
    nodes: int,
    folder: Sequence[str] = (),
    scheduler_options: Sequence[str] | None = None,
) -> list[NodeTimes]:
    """Probe this many nodes; scheduler_options are needed outside of an allocation only."""
    start = start_of(starter, nodes, 1, stack.launcher_options, {})
    command = start.command
    if scheduler_options is not None:
        if not launcher(starter).allocates:
            raise WeirError(
                f"{starter} requests no nodes",
                hint="start weir nodes inside of a job, for example an interactive one",
            )
        # There is no outer step to overlap with, and a job of its own may ask for whole nodes.
        command = [each for each in command if each != "--overlap"] + list(scheduler_options)
    command += [sys.executable, "-m", "weir.measure.nodes", *folder]
    environment = {**start.environment, **stack.environment}
    try:
        ended = run_to_end(command, environment, _LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WeirError(f"the probes did not run: {error}", hint="it runs where the launcher does") from None
    probes = read_probes(ended.stdout)
    if len(probes) != nodes:
        messages = ended.stderr.strip().splitlines()
        raise WeirError(
            f"{len(probes)} of {nodes} nodes answered: {messages[0] if messages else 'no message'}",
            hint=f"check launcher_options and scheduler_options in site.yaml; command: {shlex.join(command)}",
        )
    return probes


def read_probes(output: str) -> list[NodeTimes]:
    """The lines of the probes among whatever else a launcher prints, by name of the node."""
    probes = []
    for line in output.splitlines():
        try:
            data = from_json(line)
            probes.append(NodeTimes(data["node"], data["times_s"]))
        except (ValueError, KeyError, TypeError):
            continue
    return sorted(probes, key=lambda probe: probe.node)


def slow_nodes(probes: Iterable[NodeTimes], factor: float = FACTOR) -> list[Slow]:
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


def processor() -> None:
    hashlib.sha256(bytes(32 * MIB)).digest()


def memory() -> None:
    bytes(bytearray(128 * MIB))


def storage(folder: str) -> None:
    """A small file to the very storage: what is slow here would be slow in every measurement."""
    with tempfile.TemporaryFile(dir=folder) as stream:
        stream.write(bytes(8 * MIB))
        stream.flush()
        os.fsync(stream.fileno())


def best_s(work: Callable[[], None]) -> float:
    return min(_seconds(work) for _ in range(_TRIES))


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(arguments: list[str]) -> None:
    node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    if arguments and not os.path.isdir(arguments[0]):
        sys.exit(f"{node}: there is no folder {arguments[0]}")
    times_s = {"processor": best_s(processor), "memory": best_s(memory)}
    if arguments:
        times_s["storage"] = best_s(lambda: storage(arguments[0]))
    print(json.dumps({"node": node, "times_s": times_s}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
