"""weir-io alone on a mount of the lab, and what moved meanwhile by counters that are not weir's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.lab.filesystem import FileSystem
from tests.lab.machine import HERE, ROOT, Machine

# One rank: of a file that two read at a time, MooseFS reads ahead up to half as much again.
_RANKS, _BLOCK_BYTES = 1, 128 * 2**20
_MPI = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "self,vader"]
_IOR = [str(ROOT / "build/weir-io"), "ior", "-a", "POSIX", "-t", "1m", "-b", str(_BLOCK_BYTES), "-g", "-k"]
_ACCESS = {"write": ["-w", "-e"], "read": ["-r", "--drop-caches"]}


@dataclass(frozen=True)
class Trial:
    claimed_bytes: int
    ratios: Mapping[str, float]  # what a counter saw over what weir-io claims, by counter

    def __str__(self) -> str:
        return ", ".join(f"{name} {ratio:.3f}" for name, ratio in self.ratios.items())


def tried(file_system: FileSystem, machine: Machine, target: str, access: str) -> Trial:
    """A write of a new file that is synchronised, or a read of it after its pages were dropped."""
    share = getattr(file_system.targets[target], access)
    file, summary = f"/mnt/{target}/root/trial", machine.home / f"{target}-{access}.json"
    machine.out("sync", "--file-system", f"/mnt/{target}")
    counted = file_system.counters(machine, target)
    options = [f"--json={summary}", "--no-warm-up"]
    run = [*_MPI, "-np", str(_RANKS), *_IOR, *_ACCESS[access], *options, "-o", file]
    printed = machine.out("python3", HERE / "witness.py", f"/mnt/{target}", *run)
    counted_after = file_system.counters(machine, target)
    claimed = json.loads(machine.read(summary))["results"][0]["moved_bytes"]
    moved = json.loads(printed.splitlines()[-1])[access]
    own = {
        name.removeprefix(f"{access} "): value - counted[name]
        for name, value in counted_after.items()
        if name.startswith(f"{access} ")
    }
    ratios = {name: value / claimed / share for name, value in {"connections": moved, **own}.items()}
    return Trial(claimed, ratios)
